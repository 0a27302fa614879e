// Sums of the losses of single rows read as probabilities.
#include "loss_moments.hpp"
#include "row_losses.hpp"

namespace thresher {
namespace {

// A few rows with their losses; the last stands again where lanes are left, which are not added.
struct Piece {
    alignas(32) double loss[3][kPieceRows];
    alignas(32) std::uint64_t positive[kPieceRows];  // all bits, or none
    std::size_t count;

    THRESHER_INLINED Piece(const RowColumns& rows, std::size_t first, std::size_t last) : count(last - first) {
        double* const score = loss[2];
        std::memcpy(score, rows.scores + first, count * sizeof(double));
        for (std::size_t i = 0; i < count; ++i) positive[i] = rows.truth[first + i] != 0 ? ~std::uint64_t{0} : 0;
        for (std::size_t i = count; i < padded(count); ++i) {
            score[i] = score[count - 1];
            positive[i] = positive[count - 1];
        }
        Bits fault{};
        for (std::size_t i = 0; i < count; i += kLanes) {
            const Doubles lanes = lanes_at(score + i);
            fault |= ~((Bits)(lanes >= all(0.0)) & (Bits)(lanes <= all(1.0)));
        }
        if ((fault[0] | fault[1] | fault[2] | fault[3]) != 0) name_fault(first);
        losses_of(score, positive, padded(count), loss[0], loss[1]);
    }

private:
    [[noreturn]] void name_fault(std::size_t first) const {
        std::size_t i = 0;
        while (loss[2][i] >= 0.0 && loss[2][i] <= 1.0) ++i;
        throw BadRow{std::isnan(loss[2][i]) ? kScoreNan : kScoreRange, static_cast<std::int64_t>(first + i)};
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

// Sums of rows with weights, whose squares are the weights themselves where rows are counted by them.
THRESHER_INLINED Moments weighted(const Piece& piece, const double* weights, bool squared) {
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

// Rows from … to of the columns; weights are squared where `squared`.
struct Part {
    const RowColumns& rows;
    bool squared;
    std::size_t from;
    std::size_t to;
};

THRESHER_INLINED Moments sums_of(const Part& part) {
    const Piece piece(part.rows, part.from, part.to);
    const double* const weights = part.rows.weights;
    return weights == nullptr ? counted(piece) : weighted(piece, weights + part.from, part.squared);
}

Moments sums_anywhere(const Part& part) { return sums_of(part); }
THRESHER_AVX2 Moments sums_with_avx2(const Part& part) { return sums_of(part); }

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
        const auto sums_of_part = has_avx2() ? sums_with_avx2 : sums_anywhere;
        const auto of_piece = [&](std::size_t from, std::size_t to) {
            return sums_of_part(Part{columns, squared != 0, from, to});
        };
        const Moments sums = moments_of(static_cast<std::size_t>(rows), threads, of_piece);
        std::copy(sums.begin(), sums.end(), out);
    });
}
