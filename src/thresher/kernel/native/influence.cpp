// The variance of average precision: how much each row adds to it.
//
// With TP and S = TP + FP at a score, a positive there adds precision − AP + u, a negative −v, where u and v are sums
// over this score and all below of positives·FP/S² and positives·TP/S².
#include "table_columns.hpp"

namespace thresher {
namespace {

constexpr std::size_t kInfluenceStretch = 4096;

// What weights are multiplied by where they count towards precision, so that a prior is heeded.
struct Scales {
    double positive;
    double negative;
};

struct Influence {
    // Per class: Σw²·part², Σw·part, Σw²·part.
    BlockSum sums[2][3];
    double u = 0.0;
    double v = 0.0;

    void add(int side, double weight, double square, double part) {
        sums[side][0].add(square * part * part);
        sums[side][1].add(weight * part);
        sums[side][2].add(square * part);
    }
};

// Cumulative sums are taken forwards, from the counts before each stretch, and parts backwards: subtracting from the
// total would cancel.
template <class S, class N = CountOf<S>>
void influence(const Table<S>& table, const Squares& squares, const Scales& scales, double value, double* out) {
    const std::size_t stretches = (table.rows + kInfluenceStretch - 1) / kInfluenceStretch;
    std::vector<N> before_tp(stretches);
    std::vector<N> before_fp(stretches);
    N tp = 0;
    N fp = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        if (i % kInfluenceStretch == 0) {
            before_tp[i / kInfluenceStretch] = tp;
            before_fp[i / kInfluenceStretch] = fp;
        }
        tp += table.positive[i];
        fp += table.negative[i];
    }
    Influence found;
    std::vector<double> tps(kInfluenceStretch);
    std::vector<double> fps(kInfluenceStretch);
    for (std::size_t s = stretches; s-- > 0;) {
        const std::size_t from = s * kInfluenceStretch;
        const std::size_t count = std::min(table.rows - from, kInfluenceStretch);
        tp = before_tp[s];
        fp = before_fp[s];
        for (std::size_t i = 0; i < count; ++i) {
            tp += table.positive[from + i];
            fp += table.negative[from + i];
            tps[i] = static_cast<double>(tp) * scales.positive;
            fps[i] = static_cast<double>(fp) * scales.negative;
        }
        for (std::size_t i = count; i-- > 0;) {
            const auto positive = static_cast<double>(table.positive[from + i]);
            const auto negative = static_cast<double>(table.negative[from + i]);
            const double size = tps[i] + fps[i];
            // 0/0 is a score without rows at the top: nothing of it enters any sum.
            const double inverse = size > 0.0 ? 1.0 / size : 0.0;
            const double precision = tps[i] * inverse;
            const double tail = positive * scales.positive * inverse;
            found.v += tail * precision;
            found.u += tail * (fps[i] * inverse);
            if (positive > 0.0) {
                const double square = squares.positive != nullptr ? squares.positive[from + i] : positive;
                found.add(0, positive, square, precision - value + found.u);
            }
            if (negative > 0.0) {
                const double square = squares.negative != nullptr ? squares.negative[from + i] : negative;
                found.add(1, negative, square, -found.v);
            }
        }
    }
    for (std::size_t side = 0; side < 2; ++side) {
        for (std::size_t k = 0; k < 3; ++k) out[3 * side + k] = found.sums[side][k].value();
    }
}

}  // namespace
}  // namespace thresher

// out: for positives, then negatives, with part what a row adds: [Σw²·part², Σw·part, Σw²·part].
THRESHER_API std::int32_t thresher_precision_influence(const void* positive, const void* negative, std::int64_t rows,
                                                       std::int32_t whole, const double* positive_squares,
                                                       const double* negative_squares, double positive_scale,
                                                       double negative_scale, double value, double* out,
                                                       std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&](const auto& table) {
            checked_totals(table);
            const Squares squares{positive_squares, negative_squares};
            influence(table, squares, Scales{positive_scale, negative_scale}, value, out);
        });
    });
}
