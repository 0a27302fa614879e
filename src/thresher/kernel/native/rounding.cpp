// Rows counted by their rounded scores: memory grows with what is counted, not with the rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common.hpp"

namespace thresher {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // rows between two looks at the flag

// Rows whose counts are all asked for before the first is used: most are not in the cache, and their ways from memory then
// overlap.
constexpr std::size_t kAhead = 64;

constexpr std::uint64_t kHalf = 1022;  // page of 0.5, to which scores above it may be rounded
constexpr std::uint64_t kSize = 0x7fffffffffffffff;
constexpr std::uint64_t kTiny = std::uint64_t{1023 - 960} << 52;  // the bits of 2**-960, below which scores are 0 or this
constexpr double kHuge = 0x1p960;  // above which scores stay as they are

std::uint64_t bits_of(double value) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(word));
    return word;
}

// How scores are rounded: of those in (0.5, 1) 1 − score keeps so many bits, of others the score.
struct Rounding {
    std::int32_t bits;
    std::uint64_t lower;  // 1 where scores are rounded up

    // The bits to which a score is rounded, or 1 − score where it is near one.
    std::uint64_t word(double score, std::uint64_t& near_one) const {
        // Without a branch: half of all scores may lie above 0.5, in no order that a processor could guess.
        near_one = static_cast<std::uint64_t>(score > 0.5) & static_cast<std::uint64_t>(score < 1.0);
        const std::uint64_t mask = std::uint64_t{0} - near_one;
        std::uint64_t word = (bits_of(1.0 - score) & mask) | (bits_of(score) & ~mask);
        // Away from 0 where that is the side of the negative class.
        const std::uint64_t is_away = (near_one | static_cast<std::uint64_t>(score < 0.0)) ^ lower;
        if ((word & kSize) < kTiny) word = is_away != 0 && (word & kSize) != 0 ? (word & ~kSize) | kTiny : 0;
        return word + (((std::uint64_t{1} << (53 - bits)) - 1) & (std::uint64_t{0} - is_away));
    }

    double operator()(double score) const {
        if (!(std::fabs(score) <= kHuge)) return score;
        std::uint64_t near_one = 0;
        const std::uint64_t kept = word(score, near_one) >> (53 - bits) << (53 - bits);
        double near = 0.0;
        std::memcpy(&near, &kept, sizeof(near));
        return (near_one != 0 ? 1.0 - near : near) + 0.0;
    }
};

// Where the counts of a rounded score are: sign and exponent of what is rounded tell its page, the first bits of the
// mantissa its place there. Twice the number of the page stands in `pages`, and one more where some of its places, which
// are listed in `apart` and rise, are not counted; −1 where there is none.
struct Places {
    Rounding rounding;
    const std::int32_t* pages;
    const std::int64_t* apart;
    std::int64_t many;

    std::int64_t place(double score) const {
        const std::int32_t bits = rounding.bits;
        std::uint64_t near_one = 0;
        const std::uint64_t word = rounding.word(score, near_one);
        near_one &= static_cast<std::uint64_t>((word >> 52) < kHalf);
        const std::int32_t page = pages[(word >> 52) + (near_one << 12)];
        if (page < 0) return -1;
        const std::uint64_t mantissa = (word & 0x000fffffffffffff) >> (53 - bits);
        const auto found = static_cast<std::int64_t>((static_cast<std::uint64_t>(page >> 1) << (bits - 1)) | mantissa);
        return (page & 1) != 0 && std::binary_search(apart, apart + many, found) ? -1 : found;
    }
};

// Calls add(counts, truth, row) for every row whose score has a place, and names the others in `strays`. What belongs to a
// score lies side by side, `width` values wide: one line of the cache serves a row.
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
        const Places places{{bits, static_cast<std::uint64_t>(lower)}, pages, apart, many};
        const Cancel flag(cancel);
        const std::size_t out =
            weights != nullptr ? add_weights(columns, places, flag, static_cast<double*>(counts), strays)
            : narrow != 0      ? count_each(columns, places, flag, static_cast<std::uint32_t*>(counts), strays)
                               : count_each(columns, places, flag, static_cast<std::int64_t*>(counts), strays);
        *strayed = static_cast<std::int64_t>(out);
    });
}

// Scores of so many significant bits; `out` may be where they lie.
THRESHER_API std::int32_t thresher_rounded(const double* scores, std::int64_t rows, std::int32_t bits, std::int32_t lower,
                                           double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Rounding rounding{bits, static_cast<std::uint64_t>(lower)};
        for (std::int64_t i = 0; i < rows; ++i) out[i] = rounding(scores[i]);
    });
}
