// Losses of scores read as probabilities: the sums that their means and the intervals of these are made of.
#include "row_losses.hpp"
#include "table_columns.hpp"

namespace thresher {
namespace {

// Below half of what a column of whole counts may add up to.
constexpr double kMuch = 4e18;

void check_probabilities(const double* scores, std::size_t rows) {
    bool fault = false;
    for (std::size_t i = 0; i < rows; ++i) fault |= !(scores[i] >= 0.0 && scores[i] <= 1.0);
    for (std::size_t i = 0; fault && i < rows; ++i) {
        if (std::isnan(scores[i])) throw BadRow{kScoreNan, static_cast<std::int64_t>(i)};
        if (!(scores[i] >= 0.0 && scores[i] <= 1.0)) throw BadRow{kScoreRange, static_cast<std::int64_t>(i)};
    }
}

// Scores of a table, rows from … to, each with one row of data.
template <class S>
struct Singles {
    const double* scores;
    const S* positive;
    std::size_t from;
    std::size_t to;
};

template <class S>
THRESHER_INLINED Moments sums_of(const Singles<S>& part) {
    return counted(Piece(part.scores, part.positive, part.from, part.to));
}

template <class S>
Moments singles_anywhere(const Singles<S>& part) {
    return sums_of(part);
}
template <class S>
THRESHER_AVX2 Moments singles_with_avx2(const Singles<S>& part) {
    return sums_of(part);
}

// Whether probabilities and counts of some rows are what they must be.
template <class S>
bool are_sound(const double* scores, const Table<S>& table, std::size_t from, std::size_t to) {
    bool fault = false;
    for (std::size_t i = from; i < to; ++i) {
        fault |= !(scores[i] >= 0.0 && scores[i] <= 1.0);
        fault |= thresher::fault_of(table.positive[i]) != kOk || thresher::fault_of(table.negative[i]) != kOk;
    }
    return !fault;
}

template <Whole S>
bool are_single(const Table<S>& table, std::size_t from, std::size_t to) {
    std::uint64_t others = 0;
    for (std::size_t i = from; i < to; ++i) {
        others |= (static_cast<std::uint64_t>(table.positive[i]) + static_cast<std::uint64_t>(table.negative[i])) ^ 1;
    }
    return others == 0;
}

template <class S>
Moments loss_moments(const double* scores, const Table<S>& table, const Squares& squares, int threads) {
    [[maybe_unused]] const auto of_singles = has_avx2() ? singles_with_avx2<S> : singles_anywhere<S>;
    std::atomic<bool> fault{false};
    const Moments found = moments_of(table.rows, threads, [&](std::size_t from, std::size_t to) {
        if (!are_sound(scores, table, from, to)) {
            fault = true;  // which row is the first is found below, not by the thread that comes to one
            return Moments{};
        }
        if constexpr (Whole<S>) {
            if (squares.positive == nullptr && are_single(table, from, to)) {
                return of_singles(Singles<S>{scores, table.positive.data, from, to});
            }
        }
        Moments sums{};
        for (std::size_t i = from; i < to; ++i) {
            const double score = scores[i];
            const auto positive = static_cast<double>(table.positive[i]);
            const auto negative = static_cast<double>(table.negative[i]);
            // A class without weight costs nothing, even at a score that rules it out.
            if (positive > 0.0) {
                const double square = squares.positive != nullptr ? squares.positive[i] : positive;
                add_moments(sums.data(), positive, square, {(1.0 - score) * (1.0 - score), -std::log(score), score});
            }
            if (negative > 0.0) {
                const double square = squares.negative != nullptr ? squares.negative[i] : negative;
                add_moments(sums.data() + kPerClass, negative, square, {score * score, -std::log1p(-score), score});
            }
        }
        return sums;
    });
    // What is wrong is looked for again, row by row; whole counts may add up to too much as well.
    if (fault || !(found[0] < kMuch && found[kPerClass] < kMuch)) {
        check_probabilities(scores, table.rows);
        checked_totals(table);
    }
    return found;
}

}  // namespace
}  // namespace thresher

// out: for positives, then negatives: [Σw, Σw², and for squared error, log loss and score: Σw·l, Σw²·l, Σw²·l²].
THRESHER_API std::int32_t thresher_loss_moments(const double* scores, const void* positive, const void* negative,
                                                std::int64_t rows, std::int32_t whole, const double* positive_squares,
                                                const double* negative_squares, std::int32_t threads, double* out,
                                                std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Squares squares{positive_squares, negative_squares};
        with_table(TableColumns{positive, negative, rows, whole}, [&](const auto& table) {
            const Moments sums = loss_moments(scores, table, squares, threads);
            std::copy(sums.begin(), sums.end(), out);
        });
    });
}
