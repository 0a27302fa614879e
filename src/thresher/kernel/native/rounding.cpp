// Rows counted by their rounded scores: memory grows with what is counted, not with the rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common.hpp"
#include "rounded.hpp"

namespace thresher {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // rows between two looks at the flag

// Rows whose counts are all asked for before the first is used: most are not in the cache, and their ways from memory then
// overlap.
constexpr std::size_t kAhead = 64;

// Where the counts of a rounded score are: sign and exponent of what is rounded tell its page, the first bits of the
// mantissa its place there. Twice the number of the page stands in `pages`, and one more where some of its places, which
// are listed in `apart` and rise, are not counted; −1 where there is none.
struct Places {
    const std::int32_t* pages;
    const std::int64_t* apart;
    std::int64_t many;
    std::int32_t bits;
    std::uint64_t lower;  // 1 where scores are rounded up

    std::int64_t place(double score) const {
        auto [word, near_one] = rounded_word(score, bits, lower);
        near_one &= static_cast<std::uint64_t>((word >> 52) < kHalf);
        const std::int32_t page = pages[(word >> 52) + (near_one << 12)];
        if (page < 0) return -1;
        const std::uint64_t mantissa = (word & 0x000fffffffffffff) >> (53 - bits);
        const auto found = static_cast<std::int64_t>((static_cast<std::uint64_t>(page >> 1) << (bits - 1)) | mantissa);
        return (page & 1) != 0 && std::binary_search(apart, apart + many, found) ? -1 : found;
    }
};

// Calls add(counts, truth, row) for every row whose score has a place, and names the others in `strays`. The values of
// a score are side by side, `width` of them: one line of the cache serves a row.
template <class N, class Check, class Add>
std::size_t count_rows(const RowColumns& rows, const Places& place_of, const Cancel& cancel, N* counts,
                       std::int64_t width, std::int64_t* strays, const Check& check, const Add& add) {
    const auto size = static_cast<std::size_t>(rows.rows);
    std::size_t strayed = 0;
    std::int64_t places[2][kAhead];  // of these rows, and of the next
    const auto ask = [&](std::size_t start) {
        if (start >= size) return;
        std::int64_t* const found = places[start / kAhead % 2];
        const std::size_t count = std::min(kAhead, size - start);
        for (std::size_t i = 0; i < count; ++i) {
            found[i] = place_of.place(rows.scores[start + i]);
            if (found[i] >= 0) __builtin_prefetch(counts + width * found[i], 1);
        }
    };
    ask(0);
    for (std::size_t start = 0; start < size; start += kAhead) {
        if (start % kPiece == 0) cancel.check();
        ask(start + kAhead);
        for (std::size_t row = start; row < std::min(start + kAhead, size); ++row) {
            const std::int64_t place = places[start / kAhead % 2][row - start];
            const std::uint64_t truth = read_once(rows.truth[row]);
            if (truth > 1) throw BadRow{kTruth, static_cast<std::int64_t>(row)};
            if (place < 0) {
                if (std::isnan(rows.scores[row])) throw BadRow{kScoreNan, static_cast<std::int64_t>(row)};
                strays[strayed++] = static_cast<std::int64_t>(row);
            }
            check(row);
            if (place >= 0) add(counts + width * place, truth, row);
        }
    }
    return strayed;
}

Status fault_of(double weight) {
    return std::isnan(weight) ? kWeightNan : weight < 0.0 ? kWeightNegative : kWeightInfinite;
}

// Counts of negatives and positives.
template <class N>
std::size_t count_each(const RowColumns& rows, const Places& places, const Cancel& cancel, N* counts,
                       std::int64_t* strays) {
    return count_rows(
        rows, places, cancel, counts, 2, strays, [](std::size_t) {},
        [](N* here, std::uint64_t truth, std::size_t) { ++here[truth]; });
}

// Σw of negatives and positives, then Σw² of both.
std::size_t add_weights(const RowColumns& rows, const Places& places, const Cancel& cancel, double* counts,
                        std::int64_t* strays) {
    return count_rows(
        rows, places, cancel, counts, 4, strays,
        [&](std::size_t row) {
            const double weight = rows.weights[row];
            if (weight >= 0.0 && weight <= std::numeric_limits<double>::max()) return;
            throw BadRow{fault_of(weight), static_cast<std::int64_t>(row)};
        },
        [&](double* here, std::uint64_t truth, std::size_t row) {
            const double weight = rows.weights[row];
            here[truth] += weight;
            here[2 + truth] += weight * weight;
        });
}

}  // namespace
}  // namespace thresher

// Adds rows to `counts`: of every place int64 of negatives and positives, or uint32 where these are `narrow`; or with
// weights doubles of Σw and Σw² of both. Rows without a place are named in `strays`, which has room for all.
THRESHER_API std::int32_t thresher_count_rounded(const std::uint8_t* truth, const double* scores, const double* weights,
                                                 std::int64_t rows, const std::int32_t* pages, const std::int64_t* apart,
                                                 std::int64_t many, std::int32_t bits, std::int32_t lower, std::int32_t narrow,
                                                 const std::int32_t* cancel, void* counts, std::int64_t* strays,
                                                 std::int64_t* strayed, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, weights, rows};
        const Places places{pages, apart, many, bits, static_cast<std::uint64_t>(lower)};
        const Cancel flag(cancel);
        const std::size_t out =
            weights != nullptr ? add_weights(columns, places, flag, static_cast<double*>(counts), strays)
            : narrow != 0      ? count_each(columns, places, flag, static_cast<std::uint32_t*>(counts), strays)
                               : count_each(columns, places, flag, static_cast<std::int64_t*>(counts), strays);
        *strayed = static_cast<std::int64_t>(out);
    });
}

// Scores rounded to `bits` significant bits; `out` may be `scores`.
THRESHER_API std::int32_t thresher_rounded(const double* scores, std::int64_t rows, std::int32_t bits, std::int32_t lower,
                                           double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        for (std::int64_t i = 0; i < rows; ++i) out[i] = rounded(scores[i], bits, static_cast<std::uint64_t>(lower));
    });
}
