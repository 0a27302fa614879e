// Sums of the losses of single rows read as probabilities.
#include "loss_moments.hpp"
#include "row_losses.hpp"

namespace thresher {
namespace {

// A few rows with their losses. Where the last has no neighbour it stands twice, and the second is not added.
struct Piece {
    alignas(16) double loss[3][kPieceRows];
    alignas(16) std::uint64_t positive[kPieceRows];  // all bits, or none
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
        losses_of(score, positive, count, loss[0], loss[1]);
    }

private:
    [[noreturn]] void name_fault(std::size_t first) const {
        std::size_t i = 0;
        while (loss[2][i] >= 0.0 && loss[2][i] <= 1.0) ++i;
        throw BadRow{std::isnan(loss[2][i]) ? kScoreNan : kScoreRange, static_cast<std::int64_t>(first + i)};
    }
};

// Sums of rows without weights, of both classes side by side.
Moments counted(const Piece& piece) {
    Doubles sums[2][3][2] = {};
    const std::size_t even = piece.count - piece.count % 2;
    std::size_t positives = 0;
    for (std::size_t i = 0; i < piece.count; ++i) positives += piece.positive[i] != 0;
    for (std::size_t i = 0; i < even; i += 2) {
        const Bits mask{piece.positive[i], piece.positive[i + 1]};
        for (std::size_t l = 0; l < 3; ++l) {
            const Doubles value{piece.loss[l][i], piece.loss[l][i + 1]};
            const Doubles of_class[2] = {(Doubles)(mask & (Bits)value), (Doubles)(~mask & (Bits)value)};
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
            sums[side][l][0] += Doubles{value, 0.0};
            sums[side][l][1] += Doubles{value * value, 0.0};
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
