// Score tables of rows that count once each: sorted in the memory of the table's scores, counts in as few bytes as they
// need.
#include "buckets.hpp"

namespace thresher {
namespace {

// One memory for items, and then for the bits of scores: an item is read before a score is written over it.
static_assert(sizeof(Item) == sizeof(double));

template <class N>
struct CountColumns {
    N* positive;
    N* negative;
};

// Rows that a bucket has begun with, and the table's rows made of them; whether some count needs more than a byte.
struct CountedPart {
    std::size_t start = 0;
    std::size_t size = 0;
    bool is_wide = false;
};

std::uint64_t score_bits(const Bucket<Item>& bucket, std::uint64_t code) {
    return std::bit_cast<std::uint64_t>(bucket.score(Item{code}));
}

// Equal codes are side by side, so that a count above 127 is a code that comes again 127 items later.
bool has_many(const Bucket<Item>& bucket) {
    constexpr std::size_t kMost = std::numeric_limits<std::int8_t>::max();
    bool found = false;
    for (std::size_t i = kMost; i < bucket.count; ++i) found |= bucket.items[i].code == bucket.items[i - kMost].code;
    return found;
}

// Every item is a row of the table.
void write_untied(const Bucket<Item>& bucket, Item* scores, const CountColumns<std::int8_t>& out) {
    for (std::size_t i = 0; i < bucket.count; ++i) {
        const std::uint64_t code = bucket.items[i].code;
        out.positive[i] = static_cast<std::int8_t>(code & 1);
        out.negative[i] = static_cast<std::int8_t>(~code & 1);
        scores[i].code = score_bits(bucket, code);
    }
}

// Each item writes the row it belongs to; the row moves on when the next item has another score. This avoids a branch to
// mispredict, whether ties are rare or the rule.
template <class N>
std::size_t write_rows(const Bucket<Item>& bucket, Item* scores, const CountColumns<N>& out) {
    std::size_t row = 0;
    N positives = 0;
    N negatives = 0;
    for (std::size_t i = 0; i < bucket.count; ++i) {
        const std::uint64_t code = bucket.items[i].code;
        const auto positive = static_cast<N>(code & 1);
        positives = static_cast<N>(positives + positive);
        negatives = static_cast<N>(negatives + 1 - positive);
        const bool ends = i + 1 == bucket.count || bucket.items[i + 1].code >> 1 != code >> 1;
        scores[row].code = score_bits(bucket, code);
        out.positive[row] = positives;
        out.negative[row] = negatives;
        row += ends;
        positives = ends ? N{0} : positives;
        negatives = ends ? N{0} : negatives;
    }
    return row;
}

template <class V>
void close_up(V* column, const std::vector<CountedPart>& buckets) {
    std::size_t end = 0;
    for (const CountedPart& bucket : buckets) {
        if (end != bucket.start && bucket.size > 0) std::memmove(column + end, column + bucket.start, bucket.size * sizeof(V));
        end += bucket.size;
    }
}

template <class N>
CountColumns<N> from_row(const CountColumns<N>& columns, std::size_t row) {
    return {columns.positive + row, columns.negative + row};
}

template <class N>
void close_up(Item* scores, const CountColumns<N>& counts, const std::vector<CountedPart>& buckets, int threads) {
    run_threads(std::min(threads, 3), [&](int thread) {
        for (int c = thread; c < 3; c += std::min(threads, 3)) {
            if (c == 0) close_up(scores, buckets);
            if (c > 0) close_up(c == 1 ? counts.positive : counts.negative, buckets);
        }
    });
}

// Writes the table, in bytes if all counts fit and else in wide numbers, and returns the bytes of one.
template <class W>
std::int64_t write_counts(const RowColumns& rows, int threads, const Cancel& cancel, Item* scores,
                          const CountColumns<std::int8_t>& small, const CountColumns<W>& wide, std::int64_t& written) {
    std::vector<CountedPart> buckets;
    const auto write = [&](const Bucket<Item>& bucket) {
        CountedPart& own = buckets[bucket.index];
        const auto start = own.start = static_cast<std::size_t>(bucket.rows_before);
        own.is_wide = has_many(bucket);
        if (own.is_wide) {
            own.size = write_rows(bucket, scores + start, from_row(wide, start));
        } else if (bucket.count == 0 || any_tied(bucket.items, bucket.count - 1)) {
            own.size = write_rows(bucket, scores + start, from_row(small, start));
        } else {
            own.size = bucket.count;
            write_untied(bucket, scores + start, from_row(small, start));
        }
    };
    Buckets<Item>(rows, threads, cancel).run_in(scores, [&](std::size_t count) { buckets.resize(count); }, write);
    written = 0;
    bool is_wide = false;
    for (const CountedPart& bucket : buckets) {
        written += static_cast<std::int64_t>(bucket.size);
        is_wide |= bucket.is_wide;
    }
    if (!is_wide) {
        close_up(scores, small, buckets, threads);
        return sizeof(std::int8_t);
    }
    for (const CountedPart& bucket : buckets) {
        if (bucket.is_wide) continue;
        std::copy_n(small.positive + bucket.start, bucket.size, wide.positive + bucket.start);
        std::copy_n(small.negative + bucket.start, bucket.size, wide.negative + bucket.start);
    }
    close_up(scores, wide, buckets, threads);
    return sizeof(W);
}

template <class N>
CountColumns<N> halves(void* columns, std::int64_t rows) {
    return {static_cast<N*>(columns), static_cast<N*>(columns) + rows};
}

}  // namespace
}  // namespace thresher

// `small` has room for two columns of bytes, `wide` for two of `width` bytes, 4 or 8, with a sum of at most the rows.
// found: the rows of the table, and the bytes of a count: 1 where the counts are in `small`.
THRESHER_API std::int32_t thresher_counted(const std::uint8_t* truth, const double* scores, std::int64_t rows,
                                           std::int32_t threads, const std::int32_t* cancel, double* out_scores,
                                           std::int8_t* small, void* wide, std::int32_t width, std::int64_t* found,
                                           std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, nullptr, rows};
        Item* const items = reinterpret_cast<Item*>(out_scores);
        const auto narrow = halves<std::int8_t>(small, rows);
        found[1] = width == 4 ? write_counts(columns, threads, Cancel(cancel), items, narrow,
                                             halves<std::int32_t>(wide, rows), found[0])
                              : write_counts(columns, threads, Cancel(cancel), items, narrow,
                                             halves<std::int64_t>(wide, rows), found[0]);
    });
}
