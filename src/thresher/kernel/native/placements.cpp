// For every row, and by several scores at once, how much of the other class stands on its wrong side: one sort a score.
#include <type_traits>

#include "keys.hpp"
#include "sorter.hpp"

namespace thresher {
namespace {

// What is sorted: the whole key, with where the result goes. Equal keys keep the order of rows, so that weights are
// added in it, and a score and its monotone transform give the same sums to the last bit.
struct PlacedItem {
    std::uint64_t code;
    std::uint64_t place;
    static constexpr bool kWeighted = true;
    std::int64_t weight() const { return 1; }
};

struct WeightedPlacedItem {
    std::uint64_t code;
    std::uint64_t place;
    double value;
    static constexpr bool kWeighted = true;
    double weight() const { return value; }
};

template <class T>
using WeightOf = decltype(T{}.weight());

// Rows above: those before an item in the order of falling scores.
struct ScoreColumns {
    RowColumns rows;
    std::size_t columns;
};

template <class T>
void read(const ScoreColumns& table, std::size_t column, T* items) {
    const auto n = static_cast<std::size_t>(table.rows.rows);
    const double* scores = table.rows.scores + column * n;
    std::uint64_t next[2] = {0, 0};
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t positive = table.rows.truth[i];
        items[i].code = key_of(scores[i]);
        items[i].place = next[positive]++ << 1 | positive;
        if constexpr (std::is_same_v<T, WeightedPlacedItem>) items[i].value = table.rows.weights[i];
    }
}

// Gives each item of `own` class twice the weight of the other class before it in this order, and once that tied with it.
template <class T, class At>
void sweep(std::size_t count, const At& at, std::uint64_t own, WeightOf<T>* missed) {
    WeightOf<T> before = 0;
    for (std::size_t from = 0; from < count;) {
        WeightOf<T> tied = 0;
        std::size_t to = from;
        for (; to < count && at(to).code == at(from).code; ++to) {
            if ((at(to).place & 1) != own) tied += at(to).weight();
        }
        const WeightOf<T> reached = 2 * before + tied;
        for (; from < to; ++from) {
            if ((at(from).place & 1) == own) missed[at(from).place >> 1] = reached;
        }
        before += tied;
    }
}

void check(const ScoreColumns& table) {
    const auto n = static_cast<std::size_t>(table.rows.rows);
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::int64_t>(i);
        if (table.rows.truth[i] > 1) throw BadRow{kTruth, row};
        if (table.rows.weights == nullptr) continue;
        const double weight = table.rows.weights[i];
        if (std::isnan(weight)) throw BadRow{kWeightNan, row};
        if (weight < 0.0) throw BadRow{kWeightNegative, row};
        if (std::isinf(weight)) throw BadRow{kWeightInfinite, row};
    }
    // The first row with a NaN in any column is named.
    std::size_t first = n;
    for (std::size_t k = 0; k < table.columns; ++k) {
        for (std::size_t i = 0; i < first; ++i) {
            if (std::isnan(table.rows.scores[k * n + i])) first = i;
        }
    }
    if (first < n) throw BadRow{kScoreNan, static_cast<std::int64_t>(first)};
}

template <class T>
void run(const ScoreColumns& table, int threads, const Cancel& cancel, WeightOf<T>* positive, WeightOf<T>* negative) {
    check(table);
    const auto n = static_cast<std::size_t>(table.rows.rows);
    std::size_t positives = 0;
    for (std::size_t i = 0; i < n; ++i) positives += table.rows.truth[i];
    if (n == 0) return;
    std::atomic<std::size_t> next{0};
    run_threads(threads, [&](int) {
        const Block<T> items(n);
        Sorter<T> sorter(cancel);
        for (std::size_t k = next++; k < table.columns; k = next++) {
            cancel.check();
            read(table, k, items.get());
            const T* sorted = sorter.sort(items.get(), n);
            // A positive misses the negatives above it, a negative the positives below it.
            sweep<T>(n, [&](std::size_t i) -> const T& { return sorted[i]; }, 1, positive + k * positives);
            sweep<T>(n, [&](std::size_t i) -> const T& { return sorted[n - 1 - i]; }, 0, negative + k * (n - positives));
        }
    });
}

}  // namespace
}  // namespace thresher

// `scores` holds the columns one after the other. `positive` is columns × positives, `negative` columns × negatives, in
// the order of rows: int64 without weights, else double.
THRESHER_API std::int32_t thresher_placements(const std::uint8_t* truth, const double* scores, const double* weights,
                                              std::int64_t rows, std::int32_t threads, const std::int32_t* cancel,
                                              std::int64_t columns, void* positive, void* negative,
                                              std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const ScoreColumns table{{truth, scores, weights, rows}, static_cast<std::size_t>(columns)};
        if (weights == nullptr) {
            run<PlacedItem>(table, threads, Cancel(cancel), static_cast<std::int64_t*>(positive),
                            static_cast<std::int64_t*>(negative));
        } else {
            run<WeightedPlacedItem>(table, threads, Cancel(cancel), static_cast<double*>(positive),
                                    static_cast<double*>(negative));
        }
    });
}
