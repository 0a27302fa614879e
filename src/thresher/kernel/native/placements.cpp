// For every row, and by several scores at once, how much of the other class is misranked against it: one sort a score.
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

// A row of many: the highest bits of its key within the bucket, its place, its class. Rows that these bits do not tell
// apart are looked up again.
struct NarrowItem {
    std::uint64_t code;
    static constexpr bool kWeighted = false;
    static constexpr bool kNarrow = true;

    std::uint32_t prefix() const { return static_cast<std::uint32_t>(code >> 32); }
    std::uint32_t place() const { return static_cast<std::uint32_t>(code) >> 1; }
    std::size_t positive() const { return code & 1; }
};

// What each row misses: of a positive twice the negatives above and once those tied with it, of a negative twice the
// positives below and once those tied. Rows come in the order of falling scores.
template <class V>
class Missed {
public:
    Missed(std::int64_t rows_before, std::int64_t positives_before, std::int64_t positives, V* missed)
        : above_(rows_before - positives_before), below_(positives - positives_before), missed_(missed) {}

    void take(const PlacedItem* items, std::size_t count) {
        for (std::size_t from = 0; from < count;) {
            const std::uint64_t key = items[from].code >> 1;
            std::int64_t tied[2] = {0, 0};
            std::size_t to = from;
            for (; to < count && items[to].code >> 1 == key; ++to) ++tied[items[to].code & 1];
            const V reached[2] = {static_cast<V>(2 * below_ - tied[1]), static_cast<V>(2 * above_ + tied[0])};
            for (; from < to; ++from) missed_[items[from].place] = reached[items[from].code & 1];
            above_ += tied[0];
            below_ -= tied[1];
        }
    }

    // A row without ties.
    void take(const NarrowItem& item) {
        const auto positive = static_cast<std::int64_t>(item.positive());
        missed_[item.place()] = static_cast<V>(2 * (positive != 0 ? above_ : below_));
        above_ += 1 - positive;
        below_ -= positive;
    }

private:
    std::int64_t above_;
    std::int64_t below_;
    V* missed_;
};

// Items that begin alike, sorted by the whole of their scores.
std::vector<PlacedItem> told_apart(const NarrowItem* items, std::size_t count, const double* scores) {
    std::vector<PlacedItem> whole(count);
    bool differ = false;
    for (std::size_t i = 0; i < count; ++i) {
        whole[i] = {pack(key_of(scores[items[i].place()]), items[i].positive()), items[i].place()};
        differ |= whole[i].code >> 1 != whole[0].code >> 1;
    }
    if (differ) comparison_sort(whole.data(), count);
    return whole;
}

template <class V>
void place(const Bucket<PlacedItem>& bucket, const double*, Missed<V> missed) {
    missed.take(bucket.items, bucket.count);
}

template <class V>
void place(const Bucket<NarrowItem>& bucket, const double* scores, Missed<V> missed) {
    for (std::size_t from = 0; from < bucket.count;) {
        const NarrowItem* const first = bucket.items + from;
        std::size_t alike = 1;
        while (from + alike < bucket.count && first[alike].prefix() == first->prefix()) ++alike;
        if (alike == 1) {
            missed.take(*first);
        } else {
            missed.take(told_apart(first, alike, scores).data(), alike);
        }
        from += alike;
    }
}

// Of each class the values of its rows, one after the other. The truth is the caller's own copy.
template <class V, class Out>
void split(const RowColumns& rows, const V* missed, int threads, Out* negative, Out* positive) {
    const auto bound = [&](int thread) { return static_cast<std::int64_t>(static_cast<Wide>(rows.rows) * thread / threads); };
    std::vector<std::int64_t> before(static_cast<std::size_t>(threads) + 1);
    run_threads(threads, [&](int thread) {
        std::int64_t positives = 0;
        for (std::int64_t i = bound(thread), end = bound(thread + 1); i < end; ++i) positives += rows.truth[i];
        before[static_cast<std::size_t>(thread) + 1] = positives;
    });
    for (std::size_t t = 1; t < before.size(); ++t) before[t] += before[t - 1];
    run_threads(threads, [&](int thread) {
        const std::int64_t start = bound(thread);
        const std::int64_t positives = before[static_cast<std::size_t>(thread)];
        Out* next_negative = negative + (start - positives);
        Out* next_positive = positive + positives;
        for (std::int64_t i = start, end = bound(thread + 1); i < end; ++i) {
            const std::uint8_t truth = rows.truth[i];
            *(truth != 0 ? next_positive : next_negative) = static_cast<Out>(missed[i]);
            next_positive += truth;
            next_negative += 1 - truth;
        }
    });
}

template <class T, class V, class Out>
void run_whole(const ScoreColumns& table, int threads, const Cancel& cancel, std::int64_t positives, void* positive,
               void* negative) {
    const std::int64_t negatives = table.rows.rows - positives;
    const Block<V> missed(static_cast<std::size_t>(table.rows.rows));
    for (std::size_t k = 0; k < table.columns; ++k) {
        const RowColumns rows = table.column(k);
        Buckets<T>(rows, threads, cancel).run([](std::size_t) {}, [&](const Bucket<T>& bucket) {
            place(bucket, rows.scores, Missed<V>(bucket.rows_before, bucket.positives_before, positives, missed.get()));
        });
        const auto at = static_cast<std::int64_t>(k);
        split(rows, missed.get(), threads, static_cast<Out*>(negative) + at * negatives,
              static_cast<Out*>(positive) + at * positives);
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
// the order of rows: without weights int32, from 2^30 rows on int64; else double.
THRESHER_API std::int32_t thresher_placements(const std::uint8_t* truth, const double* scores, const double* weights,
                                              std::int64_t rows, std::int32_t threads, const std::int32_t* cancel,
                                              std::int64_t columns, void* positive, void* negative,
                                              std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const ScoreColumns table{{truth, scores, weights, rows}, static_cast<std::size_t>(columns)};
        if (rows == 0) return;
        if (weights != nullptr) check(table);
        std::int64_t positives = 0;
        for (std::int64_t i = 0; i < rows; ++i) positives += truth[i];
        if (weights != nullptr) {
            run_weighted(table, threads, Cancel(cancel), static_cast<std::size_t>(positives),
                         static_cast<double*>(positive), static_cast<double*>(negative));
            return;
        }
        // No row misses more than twice all others.
        const bool few = rows <= Buckets<PlacedItem>::kFew;
        const auto run = few               ? run_whole<PlacedItem, std::uint32_t, std::int32_t>
                         : rows >> 30 == 0 ? run_whole<NarrowItem, std::uint32_t, std::int32_t>
                                           : run_whole<PlacedItem, std::uint64_t, std::int64_t>;
        try {
            run(table, threads, Cancel(cancel), positives, positive, negative);
        } catch (const BadRow&) {
            check(table);
            throw;
        }
    });
}
