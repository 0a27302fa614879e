// For every class, how its rows stand above those of each other class by its own score column: one sort a column.
#include <type_traits>

#include "keys.hpp"
#include "sorter.hpp"

namespace thresher {
namespace {

// What is sorted: the whole key, with what travels along.
template <class W>
struct ClassItem {
    std::uint64_t code;
    W weight;
    std::uint32_t class_code;
    // Keeps the order of rows, so that weights are added in it.
    static constexpr bool kWeighted = true;
};

template <class W>
struct ClassRows {
    const std::int64_t* codes;
    const double* scores;
    const double* weights;
    std::size_t rows;
    std::size_t classes;
    W* twice;
};

template <class W>
void check(const ClassRows<W>& table) {
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto row = static_cast<std::int64_t>(i);
        if (table.codes[i] < 0 || static_cast<std::size_t>(table.codes[i]) >= table.classes) {
            throw BadRow{kTruthCode, row};
        }
        if (table.weights == nullptr) continue;
        const double weight = table.weights[i];
        if (std::isnan(weight)) throw BadRow{kWeightNan, row};
        if (weight < 0.0) throw BadRow{kWeightNegative, row};
        if (std::isinf(weight)) throw BadRow{kWeightInfinite, row};
    }
}

// The first row with a NaN in any column is named, so this goes before the threads start.
template <class W>
void check_scores(const ClassRows<W>& table) {
    std::size_t first = table.rows;
    for (std::size_t k = 0; k < table.classes; ++k) {
        const double* column = table.scores + k * table.rows;
        for (std::size_t i = 0; i < first; ++i) {
            if (std::isnan(column[i])) first = i;
        }
    }
    if (first < table.rows) throw BadRow{kScoreNan, static_cast<std::int64_t>(first)};
}

template <class W>
std::size_t read_column(const ClassRows<W>& table, const double* column, ClassItem<W>* items) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        W weight = 1;
        if constexpr (std::is_floating_point_v<W>) weight = table.weights[i];
        items[count] = {key_of(column[i]), weight, static_cast<std::uint32_t>(table.codes[i])};
        count += weight > 0;
    }
    return count;
}

// Every row of another class has the rows of class k above it, doubled, and those tied with it.
template <class W>
void sweep(const ClassItem<W>* items, std::size_t count, std::size_t k, W* twice) {
    W above = 0;
    for (std::size_t from = 0; from < count;) {
        W tied = 0;
        std::size_t to = from;
        for (; to < count && items[to].code == items[from].code; ++to) {
            if (items[to].class_code == k) tied += items[to].weight;
        }
        const W reached = 2 * above + tied;
        for (; from < to; ++from) twice[items[from].class_code] += items[from].weight * reached;
        above += tied;
    }
    twice[k] = 0;
}

template <class W>
void run(const ClassRows<W>& table, int threads, const Cancel& cancel) {
    check(table);
    check_scores(table);
    std::atomic<std::size_t> next{0};
    run_threads(threads, [&](int) {
        const Block<ClassItem<W>> items(table.rows);
        Sorter<ClassItem<W>> sorter(cancel);
        for (std::size_t k = next++; k < table.classes; k = next++) {
            cancel.check();
            const std::size_t count = read_column(table, table.scores + k * table.rows, items.get());
            if (count > 0) sweep(sorter.sort(items.get(), count), count, k, table.twice + k * table.classes);
        }
    });
}

}  // namespace
}  // namespace thresher

// `scores` holds the columns one after the other; `twice` is classes × classes and zero: int64 without weights, else
// double. Counts are exact: 2·P·N of two classes fits in 63 bits for any number of rows that a matrix can have.
THRESHER_API std::int32_t thresher_conditional_concordance(const std::int64_t* codes, const double* scores,
                                                           const double* weights, std::int64_t rows,
                                                           std::int32_t threads, const std::int32_t* cancel,
                                                           std::int64_t classes, void* twice, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto n = static_cast<std::size_t>(rows);
        const auto k = static_cast<std::size_t>(classes);
        if (weights == nullptr) {
            run(ClassRows<std::int64_t>{codes, scores, weights, n, k, static_cast<std::int64_t*>(twice)}, threads,
                Cancel(cancel));
        } else {
            run(ClassRows<double>{codes, scores, weights, n, k, static_cast<double*>(twice)}, threads, Cancel(cancel));
        }
    });
}
