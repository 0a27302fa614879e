// Sums of the rows of a table between two rows each: of counts, of counts times scores, and of squares.
#include "table_columns.hpp"

namespace thresher {
namespace {

struct Ranges {
    const std::int64_t* starts;
    const std::int64_t* ends;
    std::size_t count;
};

// Counts are added as they are. With scores Σw·s of positives and of negatives follow one after the other in `others`,
// then Σw² of both where there are squares; each has a value for every range.
template <class N>
struct RangeSums {
    N* positive;
    N* negative;
    double* others;
};

template <class S>
struct Summands {
    Table<S> table;
    const double* scores;
    Squares squares;
};

// Four chains side by side, so that no addition waits for the one before.
template <class V, class Term>
V added(std::int64_t from, std::int64_t to, const Term& term) {
    V chains[4] = {};
    for (; to - from >= 4; from += 4) {
        for (std::int64_t chain = 0; chain < 4; ++chain) chains[chain] += term(from + chain);
    }
    for (; from < to; ++from) chains[0] += term(from);
    return (chains[0] + chains[2]) + (chains[1] + chains[3]);
}

template <class Term>
double added_in_blocks(std::int64_t from, std::int64_t to, const Term& term) {
    constexpr std::int64_t kBlock = 512;
    Sum sum;
    for (; from < to; from += kBlock) sum.add(added<double>(from, std::min(to, from + kBlock), term));
    return sum.value();
}

template <class S>
CountOf<S> total(const Column<S>& column, std::int64_t from, std::int64_t to) {
    if constexpr (Whole<S>) {
        const auto term = [=](std::int64_t i) { return static_cast<std::uint64_t>(column[i]); };
        return static_cast<std::int64_t>(added<std::uint64_t>(from, to, term));
    } else {
        return added_in_blocks(from, to, [=](std::int64_t i) { return column[i]; });
    }
}

template <class S>
void sum_range(const Summands<S>& of, const Ranges& ranges, std::size_t k, const RangeSums<CountOf<S>>& out) {
    const std::int64_t from = ranges.starts[k];
    const std::int64_t to = ranges.ends[k];
    out.positive[k] = total(of.table.positive, from, to);
    out.negative[k] = total(of.table.negative, from, to);
    double* next = out.others + k;
    if (of.scores != nullptr) {
        for (const Column<S>& column : {of.table.positive, of.table.negative}) {
            const auto weighted = [&](std::int64_t i) { return static_cast<double>(column[i]) * of.scores[i]; };
            *next = added_in_blocks(from, to, weighted);
            next += ranges.count;
        }
    }
    if (of.squares.positive == nullptr) return;
    for (const double* column : {of.squares.positive, of.squares.negative}) {
        *next = total(Column<double>{column}, from, to);
        next += ranges.count;
    }
}

}  // namespace
}  // namespace thresher

THRESHER_API std::int32_t thresher_range_sums(const double* scores, const void* positive, const void* negative,
                                              std::int64_t rows, std::int32_t whole, const double* positive_squares,
                                              const double* negative_squares, const std::int64_t* starts,
                                              const std::int64_t* ends, std::int64_t count, std::int32_t threads,
                                              void* out_positive, void* out_negative, double* others,
                                              std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Ranges ranges{starts, ends, static_cast<std::size_t>(count)};
        with_table(TableColumns{positive, negative, rows, whole}, [&]<class S>(const Table<S>& table) {
            using N = CountOf<S>;
            const Summands<S> of{table, scores, {positive_squares, negative_squares}};
            const RangeSums<N> out{static_cast<N*>(out_positive), static_cast<N*>(out_negative), others};
            const std::size_t share = ranges.count / (16 * static_cast<std::size_t>(threads)) + 1;
            std::atomic<std::size_t> next{0};
            run_threads(threads, [&](int) {
                for (std::size_t from = next.fetch_add(share); from < ranges.count; from = next.fetch_add(share)) {
                    const std::size_t to = std::min(ranges.count, from + share);
                    for (std::size_t k = from; k < to; ++k) sum_range(of, ranges, k, out);
                }
            });
        });
    });
}
