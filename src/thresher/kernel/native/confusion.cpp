// Counting pairs of true and predicted class.
#include <algorithm>
#include <limits>

#include "common.hpp"

THRESHER_API std::int64_t thresher_abi_version() { return kAbiVersion; }

namespace thresher {
namespace {

constexpr std::int64_t kCountedAtOnce = std::int64_t{1} << 20;

template <class C>
struct Codes {
    const C* truth;
    const C* predicted;
    const double* weights;
    std::int64_t rows;
    std::uint64_t k;

    // A negative code becomes a huge one.
    static std::uint64_t code(C value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }

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
template <class C>
bool count(const Codes<C>& codes, std::int64_t from, std::int64_t to, std::int64_t* even, std::int64_t* odd) {
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

template <class C>
void count_whole(const Codes<C>& codes, int threads, const Cancel& cancel, std::int64_t* out) {
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
template <class C>
void count_weighted(const Codes<C>& codes, const Cancel& cancel, double* out) {
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

template <class C>
void count_codes(const void* truth, const void* predicted, const double* weights, std::int64_t rows, std::int64_t k,
                 int threads, const Cancel& cancel, void* out) {
    const Codes<C> codes{static_cast<const C*>(truth), static_cast<const C*>(predicted), weights, rows,
                         static_cast<std::uint64_t>(k)};
    if (weights == nullptr) {
        count_whole(codes, threads, cancel, static_cast<std::int64_t*>(out));
    } else {
        count_weighted(codes, cancel, static_cast<double*>(out));
    }
}

}  // namespace
}  // namespace thresher

// `width` is the size of a code in bytes: 1 and 2 unsigned, 4 and 8 signed.
THRESHER_API std::int32_t thresher_confusion(const void* truth, const void* predicted, std::int32_t width,
                                             const double* weights, std::int64_t rows, std::int64_t k,
                                             std::int32_t threads, const std::int32_t* cancel, void* out,
                                             std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto run = [&](auto kind) {
            count_codes<decltype(kind)>(truth, predicted, weights, rows, k, threads, Cancel(cancel), out);
        };
        switch (width) {
            case 1: return run(std::uint8_t{});
            case 2: return run(std::uint16_t{});
            case 4: return run(std::int32_t{});
            case 8: return run(std::int64_t{});
            default: throw BadRow{kInternal, 0};
        }
    });
}
