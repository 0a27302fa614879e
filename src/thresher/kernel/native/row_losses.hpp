// Losses of a few rows read as probabilities: one logarithm a row, two rows at a time.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace thresher {

using Doubles = double __attribute__((vector_size(16)));
using Bits = std::uint64_t __attribute__((vector_size(16)));

inline constexpr Doubles both(double value) { return Doubles{value, value}; }
inline constexpr Bits both(std::uint64_t value) { return Bits{value, value}; }

inline Doubles chosen(Bits mask, Doubles yes, Doubles no) { return (Doubles)((mask & (Bits)yes) | (~mask & (Bits)no)); }

// Natural logarithm of x + lost, x a normal positive number and `lost` what rounding took from it. With x = 2^k · m and
// m in [√½, √2), s = (m − 1)/(m + 1) is at most 0.1716, and ln m = 2·(s + s³/3 + s⁵/5 + …), whose terms from s²³ on are
// below half a unit in the last place.
inline Doubles log_of(Doubles x, Doubles lost) {
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL;
    constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
    constexpr double kLn2High = 0x1.62e42fefa38p-1;  // times k without rounding
    constexpr double kLn2Low = 0x1.ef35793c7673p-45;
    const Bits moved = (Bits)x + both(kOne - kRootHalf);
    const Bits exponent = moved >> 52;  // k + 1023
    const Doubles k = (Doubles)(exponent | both(std::uint64_t{0x4330000000000000ULL})) - both(4503599627370496.0 + 1023.0);
    const Doubles m = (Doubles)((moved & both(std::uint64_t{0x000fffffffffffffULL})) + both(kRootHalf));
    const Doubles rest = lost * (Doubles)((both(std::uint64_t{2046}) - exponent) << 52);  // of m
    const Doubles s = ((m - both(1.0)) + rest) / (m + both(1.0));
    const Doubles z = s * s;
    const Doubles zz = z * z;
    // Two series side by side, as each step of one waits for the step before.
    Doubles even = both(1.0 / 19.0);
    for (const double term : {1.0 / 15.0, 1.0 / 11.0, 1.0 / 7.0, 1.0 / 3.0}) even = even * zz + both(term);
    Doubles odd = both(1.0 / 21.0);
    for (const double term : {1.0 / 17.0, 1.0 / 13.0, 1.0 / 9.0, 1.0 / 5.0}) odd = odd * zz + both(term);
    const Doubles twice = s + s;
    return k * both(kLn2High) + (twice + (twice * z * (even + z * odd) + k * both(kLn2Low)));
}

// Rows whose losses are found at once.
inline constexpr std::size_t kPieceRows = 128;

// Squared errors and natural-log losses of `count` probabilities, whose class is `positive`: all bits, or none. Columns
// have room for one row more where the count is odd.
inline void losses_of(const double* scores, const std::uint64_t* positive, std::size_t count, double* brier,
                      double* log_loss) {
    Bits rare{};
    for (std::size_t i = 0; i < count; i += 2) {
        const Doubles score{scores[i], scores[i + 1]};
        const Bits is_positive{positive[i], positive[i + 1]};
        const Doubles other = both(1.0) - score;
        const Doubles own = chosen(is_positive, score, other);
        const Doubles wrong = chosen(is_positive, other, score);
        // What 1 − score lost in rounding is known to the last bit, and small beside it.
        const Doubles lost = chosen(is_positive, both(0.0), (both(1.0) - other) - score);
        const Doubles squared = wrong * wrong;
        const Doubles logarithm = log_of(own, lost);
        for (std::size_t k = 0; k < 2; ++k) {
            brier[i + k] = squared[k];
            log_loss[i + k] = -logarithm[k];
        }
        rare |= (Bits)(own < both(DBL_MIN));
    }
    if ((rare[0] | rare[1]) == 0) return;
    // 0, whose logarithm is infinite, and numbers that are not normal.
    for (std::size_t i = 0; i < count; ++i) {
        log_loss[i] = positive[i] != 0 ? -std::log(scores[i]) : -std::log1p(-scores[i]);
    }
}

}  // namespace thresher
