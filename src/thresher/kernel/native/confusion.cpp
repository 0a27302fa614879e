// Counting pairs of true and predicted class.
#include <algorithm>
#include <limits>

#include "common.hpp"

THRESHER_API std::int64_t thresher_abi_version() { return kAbiVersion; }

namespace thresher {
namespace {

constexpr std::int64_t kCountedAtOnce = std::int64_t{1} << 20;

template <class C, class D>
struct Codes {
    const C* truth;
    const D* predicted;
    const double* weights;
    std::int64_t rows;
    std::uint64_t k;

    // A negative code becomes a huge one.
    static std::uint64_t code(std::int64_t value) { return static_cast<std::uint64_t>(value); }

    // The cell of a row, and whether it is one. Codes are read once: another thread may write to them between a check and
    // its use.
    bool find(std::int64_t i, std::uint64_t& cell) const {
        const std::uint64_t row = read_once(code(truth[i]));
        const std::uint64_t column = read_once(code(predicted[i]));
        cell = row * k + column;
        return (row < k) & (column < k);
    }

    [[noreturn]] void throw_first_fault(std::int64_t from) const {
        for (std::int64_t i = from; i < rows; ++i) {
            if (code(truth[i]) >= k) throw BadRow{kTruthCode, i};
            if (code(predicted[i]) >= k) throw BadRow{kPredictedCode, i};
            if (weights == nullptr) continue;
            if (std::isnan(weights[i])) throw BadRow{kWeightNan, i};
            if (weights[i] < 0.0) throw BadRow{kWeightNegative, i};
            if (std::isinf(weights[i])) throw BadRow{kWeightInfinite, i};
        }
        throw BadRow{kChanged, from};
    }
};

// Two tables take turns, because adding to the cell just added to waits for the store.
template <class C, class D>
bool count(const Codes<C, D>& codes, std::int64_t from, std::int64_t to, std::int64_t* even, std::int64_t* odd) {
    bool fault = false;
    for (std::int64_t i = from; i < to; ++i) {
        std::uint64_t cell = 0;
        if (!codes.find(i, cell)) [[unlikely]] {
            fault = true;
            continue;
        }
        ++((i & 1) != 0 ? odd : even)[cell];
    }
    return fault;
}

template <class C, class D>
void count_whole(const Codes<C, D>& codes, int threads, const Cancel& cancel, std::int64_t* out) {
    const std::size_t cells = static_cast<std::size_t>(codes.k) * codes.k;
    std::fill_n(out, cells, 0);
    // Each thread needs its own tables; large ones are not worth it.
    if (cells > static_cast<std::size_t>(codes.rows) / 4) threads = 1;
    const std::size_t tables = cells <= 4096 ? 2 : 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(threads) * tables * cells);
    std::atomic<bool> fault{false};
    run_threads(threads, [&](int thread) {
        std::int64_t* even = counts.data() + static_cast<std::size_t>(thread) * tables * cells;
        std::int64_t* odd = even + (tables - 1) * cells;
        const auto bound = [&](int t) { return static_cast<std::int64_t>(static_cast<Wide>(codes.rows) * t / threads); };
        for (std::int64_t from = bound(thread); from < bound(thread + 1); from += kCountedAtOnce) {
            cancel.check();
            if (count(codes, from, std::min(from + kCountedAtOnce, bound(thread + 1)), even, odd)) fault = true;
        }
    });
    if (fault) codes.throw_first_fault(0);
    for (std::size_t i = 0; i < counts.size(); ++i) out[i % cells] += counts[i];
}

// In row order and hence in one thread: the order of additions is part of the result.
template <class C, class D>
void count_weighted(const Codes<C, D>& codes, const Cancel& cancel, double* out) {
    std::fill_n(out, static_cast<std::size_t>(codes.k) * codes.k, 0.0);
    for (std::int64_t i = 0; i < codes.rows; ++i) {
        if (i % kCountedAtOnce == 0) cancel.check();
        const double weight = codes.weights[i];
        std::uint64_t cell = 0;
        const bool fits = codes.find(i, cell) && weight >= 0.0 && weight <= std::numeric_limits<double>::max();
        if (!fits) [[unlikely]] codes.throw_first_fault(i);
        out[cell] += weight;
    }
}

// Calls body(codes) with the type of some codes of `width` bytes: 1 and 2 unsigned, 4 and 8 signed.
template <class Body>
void with_codes(const void* codes, std::int32_t width, const Body& body) {
    switch (width) {
        case 1: return body(static_cast<const std::uint8_t*>(codes));
        case 2: return body(static_cast<const std::uint16_t*>(codes));
        case 4: return body(static_cast<const std::int32_t*>(codes));
        case 8: return body(static_cast<const std::int64_t*>(codes));
        default: throw BadRow{kInternal, 0};
    }
}

}  // namespace
}  // namespace thresher

THRESHER_API std::int32_t thresher_confusion(const void* truth, std::int32_t truth_width, const void* predicted,
                                             std::int32_t predicted_width, const double* weights, std::int64_t rows,
                                             std::int64_t k, std::int32_t threads, const std::int32_t* cancel, void* out,
                                             std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_codes(truth, truth_width, [&]<class C>(const C* rows_of) {
            with_codes(predicted, predicted_width, [&]<class D>(const D* columns_of) {
                const Codes<C, D> codes{rows_of, columns_of, weights, rows, static_cast<std::uint64_t>(k)};
                if (weights == nullptr) {
                    count_whole(codes, threads, Cancel(cancel), static_cast<std::int64_t*>(out));
                } else {
                    count_weighted(codes, Cancel(cancel), static_cast<double*>(out));
                }
            });
        });
    });
}
