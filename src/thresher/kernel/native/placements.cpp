// For every row, and by several scores at once, how much of the other class stands on its wrong side: one sort a score.
#include "buckets.hpp"

namespace thresher {
namespace {

// Carries which row it is; rows of equal scores need no order, as each gets the same.
struct PlacedItem {
    std::uint64_t code;
    std::uint64_t place;
    static constexpr bool kWeighted = true;
};

// What is sorted: the whole key, with where the result goes. Equal keys keep the order of rows, so that weights are
// added in it, and a score and its monotone transform give the same sums to the last bit.
struct WeightedPlacedItem {
    std::uint64_t code;
    std::uint64_t place;
    double weight;
    static constexpr bool kWeighted = true;
};

// Rows above: those before an item in the order of falling scores.
struct ScoreColumns {
    RowColumns rows;
    std::size_t columns;

    RowColumns column(std::size_t k) const {
        RowColumns one = rows;
        one.scores += k * static_cast<std::size_t>(rows.rows);
        return one;
    }
};

// What each row of a bucket misses: of a positive twice the negatives above and once those tied with it, of a negative
// twice the positives below and once those tied.
template <class V>
void place(const Bucket<PlacedItem>& bucket, std::int64_t positives, V* missed) {
    std::int64_t above = bucket.rows_before - bucket.positives_before;
    std::int64_t below = positives - bucket.positives_before;
    for (std::size_t from = 0; from < bucket.count;) {
        const std::uint64_t key = bucket.items[from].code >> 1;
        std::int64_t tied[2] = {0, 0};
        std::size_t to = from;
        for (; to < bucket.count && bucket.items[to].code >> 1 == key; ++to) ++tied[bucket.items[to].code & 1];
        const V reached[2] = {static_cast<V>(2 * below - tied[1]), static_cast<V>(2 * above + tied[0])};
        for (; from < to; ++from) missed[bucket.items[from].place] = reached[bucket.items[from].code & 1];
        above += tied[0];
        below -= tied[1];
    }
}

// Of each class the values of its rows, one after the other. The truth is the caller's own copy.
template <class V>
void split(const RowColumns& rows, const V* missed, std::int64_t* negative, std::int64_t* positive) {
    std::int64_t* next[2] = {negative, positive};
    for (std::int64_t i = 0; i < rows.rows; ++i) *next[rows.truth[i]]++ = static_cast<std::int64_t>(missed[i]);
}

template <class V>
void run_whole(const ScoreColumns& table, int threads, const Cancel& cancel, std::int64_t positives, std::int64_t* positive,
         std::int64_t* negative) {
    const std::int64_t negatives = table.rows.rows - positives;
    const Block<V> missed(static_cast<std::size_t>(table.rows.rows));
    for (std::size_t k = 0; k < table.columns; ++k) {
        const RowColumns rows = table.column(k);
        Buckets<PlacedItem>(rows, threads, cancel)
            .run([](std::size_t) {}, [&](const Bucket<PlacedItem>& bucket) { place(bucket, positives, missed.get()); });
        const auto at = static_cast<std::int64_t>(k);
        split(rows, missed.get(), negative + at * negatives, positive + at * positives);
    }
}

void read(const ScoreColumns& table, std::size_t column, WeightedPlacedItem* items) {
    const auto n = static_cast<std::size_t>(table.rows.rows);
    const double* scores = table.rows.scores + column * n;
    std::uint64_t next[2] = {0, 0};
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t positive = table.rows.truth[i];
        items[i].code = key_of(scores[i]);
        items[i].place = next[positive]++ << 1 | positive;
        items[i].weight = table.rows.weights[i];
    }
}

// Gives each item of `own` class twice the weight of the other class before it in this order, and once that tied with it.
template <class At>
void sweep(std::size_t count, const At& at, std::uint64_t own, double* missed) {
    double before = 0;
    for (std::size_t from = 0; from < count;) {
        double tied = 0;
        std::size_t to = from;
        for (; to < count && at(to).code == at(from).code; ++to) {
            if ((at(to).place & 1) != own) tied += at(to).weight;
        }
        const double reached = 2 * before + tied;
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

void run_weighted(const ScoreColumns& table, int threads, const Cancel& cancel, std::size_t positives, double* positive,
                  double* negative) {
    const auto n = static_cast<std::size_t>(table.rows.rows);
    std::atomic<std::size_t> next{0};
    run_threads(std::min(threads, static_cast<int>(table.columns)), [&](int) {
        const Block<WeightedPlacedItem> items(n);
        Sorter<WeightedPlacedItem> sorter(cancel);
        for (std::size_t k = next++; k < table.columns; k = next++) {
            cancel.check();
            read(table, k, items.get());
            const WeightedPlacedItem* sorted = sorter.sort(items.get(), n);
            // A positive misses the negatives above it, a negative the positives below it.
            sweep(n, [&](std::size_t i) -> const auto& { return sorted[i]; }, 1, positive + k * positives);
            sweep(n, [&](std::size_t i) -> const auto& { return sorted[n - 1 - i]; }, 0, negative + k * (n - positives));
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
        check(table);
        if (rows == 0) return;
        std::int64_t positives = 0;
        for (std::int64_t i = 0; i < rows; ++i) positives += truth[i];
        if (weights != nullptr) {
            run_weighted(table, threads, Cancel(cancel), static_cast<std::size_t>(positives),
                         static_cast<double*>(positive), static_cast<double*>(negative));
        } else {
            // No row misses more than twice all others.
            const auto place = rows >> 31 == 0 ? run_whole<std::uint32_t> : run_whole<std::uint64_t>;
            place(table, threads, Cancel(cancel), positives, static_cast<std::int64_t*>(positive),
                  static_cast<std::int64_t*>(negative));
        }
    });
}
