// Losses of single rows read as probabilities: one logarithm a row, two rows at a time.
#include <cfloat>

#include "loss_moments.hpp"

namespace thresher {
namespace {

using Pair = double __attribute__((vector_size(16)));
using Bits = std::uint64_t __attribute__((vector_size(16)));

constexpr Pair both(double value) { return Pair{value, value}; }
constexpr Bits both(std::uint64_t value) { return Bits{value, value}; }

inline Pair chosen(Bits mask, Pair yes, Pair no) { return (Pair)((mask & (Bits)yes) | (~mask & (Bits)no)); }

// Natural logarithm of x + lost, x a normal positive number and `lost` what rounding took from it. With x = 2^k · m and
// m in [√½, √2), s = (m − 1)/(m + 1) is at most 0.1716, and ln m = 2·(s + s³/3 + s⁵/5 + …), whose terms from s²³ on are
// below half a unit in the last place.
inline Pair log_of(Pair x, Pair lost) {
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL;
    constexpr std::uint64_t kOne = 0x3ff0000000000000ULL;
    constexpr double kLn2High = 0x1.62e42fefa38p-1;  // times k without rounding
    constexpr double kLn2Low = 0x1.ef35793c7673p-45;
    const Bits moved = (Bits)x + both(kOne - kRootHalf);
    const Bits exponent = moved >> 52;  // k + 1023
    const Pair k = (Pair)(exponent | both(std::uint64_t{0x4330000000000000ULL})) - both(4503599627370496.0 + 1023.0);
    const Pair m = (Pair)((moved & both(std::uint64_t{0x000fffffffffffffULL})) + both(kRootHalf));
    const Pair rest = lost * (Pair)((both(std::uint64_t{2046}) - exponent) << 52);  // of m
    const Pair s = ((m - both(1.0)) + rest) / (m + both(1.0));
    const Pair z = s * s;
    const Pair zz = z * z;
    // Two series side by side, as each step of one waits for the step before.
    Pair even = both(1.0 / 19.0);
    for (const double term : {1.0 / 15.0, 1.0 / 11.0, 1.0 / 7.0, 1.0 / 3.0}) even = even * zz + both(term);
    Pair odd = both(1.0 / 21.0);
    for (const double term : {1.0 / 17.0, 1.0 / 13.0, 1.0 / 9.0, 1.0 / 5.0}) odd = odd * zz + both(term);
    const Pair twice = s + s;
    return k * both(kLn2High) + (twice + (twice * z * (even + z * odd) + k * both(kLn2Low)));
}

// A few rows with their losses. Where the last has no neighbour it stands twice, and the second is not added.
struct Piece {
    static constexpr std::size_t kRows = 128;
    alignas(16) double loss[3][kRows];
    alignas(16) std::uint64_t positive[kRows];  // all bits, or none
    std::size_t count;

    Piece(const RowColumns& rows, std::size_t first, std::size_t last) : count(last - first) {
        double* const score = loss[2];
        bool fault = false;
        for (std::size_t i = 0; i < count; ++i) {
            score[i] = rows.scores[first + i];
            positive[i] = rows.truth[first + i] != 0 ? ~std::uint64_t{0} : 0;
            fault |= !(score[i] >= 0.0 && score[i] <= 1.0);
        }
        if (fault) name_fault(first);
        if (count % 2 != 0) {
            score[count] = score[count - 1];
            positive[count] = positive[count - 1];
        }
        Bits rare{};
        for (std::size_t i = 0; i < count; i += 2) rare |= fill(i);
        if ((rare[0] | rare[1]) == 0) return;
        for (std::size_t i = 0; i < count; ++i) {
            loss[1][i] = positive[i] != 0 ? -std::log(score[i]) : -std::log1p(-score[i]);
        }
    }

private:
    // Losses of two rows; says where the logarithm is not one of a normal number.
    Bits fill(std::size_t i) {
        const Pair score{loss[2][i], loss[2][i + 1]};
        const Bits is_positive{positive[i], positive[i + 1]};
        const Pair other = both(1.0) - score;
        const Pair own = chosen(is_positive, score, other);
        const Pair wrong = chosen(is_positive, other, score);
        // What 1 − score lost in rounding is known to the last bit, and small beside it.
        const Pair lost = chosen(is_positive, both(0.0), (both(1.0) - other) - score);
        const Pair brier = wrong * wrong;
        const Pair log_loss = -log_of(own, lost);
        for (std::size_t k = 0; k < 2; ++k) {
            loss[0][i + k] = brier[k];
            loss[1][i + k] = log_loss[k];
        }
        return (Bits)(own < both(DBL_MIN));
    }

    [[noreturn]] void name_fault(std::size_t first) const {
        std::size_t i = 0;
        while (loss[2][i] >= 0.0 && loss[2][i] <= 1.0) ++i;
        throw BadRow{std::isnan(loss[2][i]) ? kScoreNan : kScoreRange, static_cast<std::int64_t>(first + i)};
    }
};

// Sums of rows without weights, of both classes side by side.
Moments counted(const Piece& piece) {
    Pair sums[2][3][2] = {};
    const std::size_t even = piece.count - piece.count % 2;
    std::size_t positives = 0;
    for (std::size_t i = 0; i < piece.count; ++i) positives += piece.positive[i] != 0;
    for (std::size_t i = 0; i < even; i += 2) {
        const Bits mask{piece.positive[i], piece.positive[i + 1]};
        for (std::size_t l = 0; l < 3; ++l) {
            const Pair value{piece.loss[l][i], piece.loss[l][i + 1]};
            const Pair of_class[2] = {(Pair)(mask & (Bits)value), (Pair)(~mask & (Bits)value)};
            for (std::size_t side = 0; side < 2; ++side) {
                sums[side][l][0] += of_class[side];
                sums[side][l][1] += of_class[side] * of_class[side];
            }
        }
    }
    if (even < piece.count) {
        const std::size_t side = piece.positive[even] != 0 ? 0 : 1;
        for (std::size_t l = 0; l < 3; ++l) {
            const double value = piece.loss[l][even];
            sums[side][l][0] += Pair{value, 0.0};
            sums[side][l][1] += Pair{value * value, 0.0};
        }
    }
    Moments out;
    for (std::size_t side = 0; side < 2; ++side) {
        double* const own = out.data() + side * kPerClass;
        own[0] = own[1] = static_cast<double>(side == 0 ? positives : piece.count - positives);
        for (std::size_t l = 0; l < 3; ++l) {
            own[2 + 3 * l] = own[3 + 3 * l] = sums[side][l][0][0] + sums[side][l][0][1];
            own[4 + 3 * l] = sums[side][l][1][0] + sums[side][l][1][1];
        }
    }
    return out;
}

// Sums of rows with weights, whose squares are the weights themselves where rows are counted by them.
Moments weighted(const Piece& piece, const double* weights, bool squared) {
    Moments out{};
    for (std::size_t i = 0; i < piece.count; ++i) {
        const double weight = weights[i];
        if (weight == 0.0) continue;  // what is certain and wrong without weight costs nothing
        const double square = squared ? weight * weight : weight;
        double* const own = out.data() + (piece.positive[i] != 0 ? 0 : kPerClass);
        add_moments(own, weight, square, {piece.loss[0][i], piece.loss[1][i], piece.loss[2][i]});
    }
    return out;
}

}  // namespace
}  // namespace thresher

// out: for positives, then negatives: [Σw, Σw², and for squared error, log loss and score: Σw·l, Σw²·l, Σw²·l²]; w for
// w² where `squared` is 0.
THRESHER_API std::int32_t thresher_row_losses(const std::uint8_t* truth, const double* scores, const double* weights,
                                              std::int64_t rows, std::int32_t squared, std::int32_t threads,
                                              double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, weights, rows};
        const auto of_piece = [&](std::size_t from, std::size_t to) {
            const Piece piece(columns, from, to);
            return weights == nullptr ? counted(piece) : weighted(piece, weights + from, squared != 0);
        };
        const Moments sums = moments_of(static_cast<std::size_t>(rows), threads, of_piece);
        std::copy(sums.begin(), sums.end(), out);
    });
}
