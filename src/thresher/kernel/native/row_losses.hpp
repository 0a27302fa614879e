// Losses of a few rows read as probabilities: one logarithm a row, four rows at a time.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lanes.hpp"
#include "loss_moments.hpp"

namespace thresher {

// Natural logarithm of x + lost, x a normal positive number and `lost` what rounding took from it. With x = 2^k · m and
// m in [√½, √2), s = (m − 1)/(m + 1) is at most 0.1716, and ln m = 2·(s + s³/3 + s⁵/5 + …), whose terms from s²³ on are
// below half a unit in the last place.
THRESHER_INLINED Doubles log_of(const Doubles& x, const Doubles& lost) {
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL;
    constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
    constexpr double kLn2High = 0x1.62e42fefa38p-1;  // times k without rounding
    constexpr double kLn2Low = 0x1.ef35793c7673p-45;
    const Bits moved = (Bits)x + all(kOne - kRootHalf);
    const Bits exponent = moved >> 52;  // k + 1023
    const Doubles k = (Doubles)(exponent | all(std::uint64_t{0x4330000000000000ULL})) - all(4503599627370496.0 + 1023.0);
    const Doubles m = (Doubles)((moved & all(std::uint64_t{0x000fffffffffffffULL})) + all(kRootHalf));
    const Doubles rest = lost * (Doubles)((all(std::uint64_t{2046}) - exponent) << 52);  // of m
    const Doubles s = ((m - all(1.0)) + rest) / (m + all(1.0));
    const Doubles z = s * s;
    const Doubles zz = z * z;
    // Two series side by side, as each step of one waits for the step before.
    Doubles even = all(1.0 / 19.0);
    for (const double term : {1.0 / 15.0, 1.0 / 11.0, 1.0 / 7.0, 1.0 / 3.0}) even = even * zz + all(term);
    Doubles odd = all(1.0 / 21.0);
    for (const double term : {1.0 / 17.0, 1.0 / 13.0, 1.0 / 9.0, 1.0 / 5.0}) odd = odd * zz + all(term);
    const Doubles twice = s + s;
    return k * all(kLn2High) + (twice + (twice * z * (even + z * odd) + k * all(kLn2Low)));
}

// Rows with losses found at once.
inline constexpr std::size_t kPieceRows = 128;

// Rows of a column that is filled up to whole lanes.
inline constexpr std::size_t padded(std::size_t rows) { return (rows + kLanes - 1) / kLanes * kLanes; }

// Log losses where a probability is 0, whose logarithm is infinite, or no normal number.
inline __attribute__((noinline)) void rare_losses(const double* scores, const std::uint64_t* positive, std::size_t count,
                                                  double* log_loss) {
    for (std::size_t i = 0; i < count; ++i) {
        log_loss[i] = positive[i] != 0 ? -std::log(scores[i]) : -std::log1p(-scores[i]);
    }
}

// Squared errors and natural-log losses of a padded `count` of probabilities, whose class is `positive`: all bits, or
// none.
THRESHER_INLINED void losses_of(const double* scores, const std::uint64_t* positive, std::size_t count, double* brier,
                                double* log_loss) {
    Bits rare{};
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Doubles score = lanes_at(scores + i);
        const Bits is_positive = lanes_at<Bits>(positive + i);
        const Doubles other = all(1.0) - score;
        const Doubles own = chosen(is_positive, score, other);
        const Doubles wrong = chosen(is_positive, other, score);
        // What 1 − score lost in rounding is known to the last bit, and small beside it.
        const Doubles lost = chosen(is_positive, all(0.0), (all(1.0) - other) - score);
        const Doubles squared = wrong * wrong;
        const Doubles logarithm = -log_of(own, lost);
        std::memcpy(brier + i, &squared, sizeof(squared));
        std::memcpy(log_loss + i, &logarithm, sizeof(logarithm));
        rare |= (Bits)(own < all(DBL_MIN));
    }
    if ((rare[0] | rare[1] | rare[2] | rare[3]) != 0) rare_losses(scores, positive, count, log_loss);
}

// A few rows with their losses; the last stands again where lanes are left, which are not added.
struct Piece {
    alignas(32) double loss[3][kPieceRows];
    alignas(32) std::uint64_t positive[kPieceRows];  // all bits, or none
    std::size_t count;

    // Rows first … last of `scores`, which are probabilities, of the class `classes[i]`: positive, or 0.
    template <class S>
    THRESHER_INLINED Piece(const double* scores, const S* classes, std::size_t first, std::size_t last)
        : count(last - first) {
        double* const score = loss[2];
        std::memcpy(score, scores + first, count * sizeof(double));
        for (std::size_t i = 0; i < count; ++i) positive[i] = classes[first + i] != 0 ? ~std::uint64_t{0} : 0;
        for (std::size_t i = count; i < padded(count); ++i) {
            score[i] = score[count - 1];
            positive[i] = positive[count - 1];
        }
        losses_of(score, positive, padded(count), loss[0], loss[1]);
    }
};

// Sums of rows without weights, of both classes side by side.
THRESHER_INLINED Moments counted(const Piece& piece) {
    Doubles sums[2][3][2] = {};
    std::size_t positives = 0;
    for (std::size_t i = 0; i < piece.count; ++i) positives += piece.positive[i] != 0;
    for (std::size_t i = 0; i < piece.count; i += kLanes) {
        const std::size_t left = piece.count - i;
        const Bits here = (Bits)(Bits{0, 1, 2, 3} < all(std::uint64_t{left}));
        const Bits mask = lanes_at<Bits>(piece.positive + i);
        const Bits of[2] = {here & mask, here & ~mask};
        for (std::size_t l = 0; l < 3; ++l) {
            const Doubles value = lanes_at(piece.loss[l] + i);
            for (std::size_t side = 0; side < 2; ++side) {
                const Doubles own = (Doubles)(of[side] & (Bits)value);
                sums[side][l][0] += own;
                sums[side][l][1] += own * own;
            }
        }
    }
    Moments out;
    for (std::size_t side = 0; side < 2; ++side) {
        double* const own = out.data() + side * kPerClass;
        own[0] = own[1] = static_cast<double>(side == 0 ? positives : piece.count - positives);
        for (std::size_t l = 0; l < 3; ++l) {
            own[2 + 3 * l] = own[3 + 3 * l] = sum_of(sums[side][l][0]);
            own[4 + 3 * l] = sum_of(sums[side][l][1]);
        }
    }
    return out;
}

}  // namespace thresher
