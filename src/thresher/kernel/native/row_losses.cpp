// Sums of the losses of single rows read as probabilities.
#include "row_losses.hpp"

namespace thresher {
namespace {

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
    const Piece piece(part.rows.scores, part.rows.truth, part.from, part.to);
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
