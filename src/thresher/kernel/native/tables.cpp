// Score tables and threshold tables, written bucket by bucket and then closed up.
#include <cstring>

#include "buckets.hpp"

namespace thresher {
namespace {

// Where the table goes; every column has room for one row per input row.
template <class N>
struct Columns {
    double* scores;
    N* positive;
    N* negative;
    N* positive_squares;
    N* negative_squares;
};

// Writes one bucket's rows and returns how many there are. Each item writes the row it belongs to; the row moves on
// when the next item has another score. That has no branch to mispredict, whether ties are rare or the rule.
std::size_t write_rows(const Bucket<Item>& bucket, bool cumulative, const Columns<std::int64_t>& out) {
    auto row = static_cast<std::size_t>(bucket.rows_before);
    std::int64_t positives = cumulative ? bucket.positives_before : 0;
    std::int64_t negatives = cumulative ? bucket.rows_before - bucket.positives_before : 0;
    const std::int64_t reset = cumulative ? 0 : -1;
    for (std::size_t i = 0; i < bucket.count; ++i) {
        const std::uint64_t code = bucket.items[i].code;
        const auto positive = static_cast<std::int64_t>(code & 1);
        positives += positive;
        negatives += 1 - positive;
        out.scores[row] = bucket.score(bucket.items[i]);
        out.positive[row] = positives;
        out.negative[row] = negatives;
        const bool ends = i + 1 == bucket.count || bucket.items[i + 1].code >> 1 != code >> 1;
        row += ends;
        const std::int64_t keep = ~(-static_cast<std::int64_t>(ends) & reset);
        positives &= keep;
        negatives &= keep;
    }
    return row - static_cast<std::size_t>(bucket.rows_before);
}

// Weights of a score and class are added in the order of the input rows, which is the order of the items.
std::size_t write_rows(const Bucket<WeightedItem>& bucket, bool, const Columns<double>& out) {
    auto row = static_cast<std::size_t>(bucket.rows_before);
    for (std::size_t i = 0; i < bucket.count; ++row) {
        const std::uint64_t key = bucket.items[i].code >> 1;
        double sums[2] = {0.0, 0.0};
        double squares[2] = {0.0, 0.0};
        out.scores[row] = bucket.score(bucket.items[i]);
        for (; i < bucket.count && bucket.items[i].code >> 1 == key; ++i) {
            const double weight = bucket.items[i].weight;
            sums[bucket.items[i].code & 1] += weight;
            squares[bucket.items[i].code & 1] += weight * weight;
        }
        out.negative[row] = sums[0];
        out.positive[row] = sums[1];
        if (out.negative_squares != nullptr) {
            out.negative_squares[row] = squares[0];
            out.positive_squares[row] = squares[1];
        }
    }
    return row - static_cast<std::size_t>(bucket.rows_before);
}

// Closes the gaps that ties left after the buckets, in one column.
template <class V>
void close_up(V* column, const std::vector<std::size_t>& starts, const std::vector<std::size_t>& sizes) {
    std::size_t end = 0;
    for (std::size_t b = 0; b < starts.size(); ++b) {
        if (end != starts[b] && sizes[b] > 0) std::memmove(column + end, column + starts[b], sizes[b] * sizeof(V));
        end += sizes[b];
    }
}

void accumulate(double* column, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) column[i] = sum += column[i];
}

template <class T, class N>
std::size_t write_table(const RowColumns& rows, int threads, const Cancel& cancel, bool cumulative,
                        const Columns<N>& out) {
    std::vector<std::size_t> starts;
    std::vector<std::size_t> sizes;
    Buckets<T>(rows, threads, cancel)
        .run(
            [&](std::size_t buckets) {
                starts.resize(buckets);
                sizes.resize(buckets);
            },
            [&](const Bucket<T>& bucket) {
                starts[bucket.index] = static_cast<std::size_t>(bucket.rows_before);
                sizes[bucket.index] = write_rows(bucket, cumulative, out);
            });
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += size;
    N* const columns[] = {out.positive, out.negative, out.positive_squares, out.negative_squares};
    run_threads(threads, [&](int thread) {
        if (thread == 0) close_up(out.scores, starts, sizes);
        for (int c = (thread + threads - 1) % threads; c < 4; c += threads) {
            if (columns[c] == nullptr) continue;
            close_up(columns[c], starts, sizes);
            if constexpr (T::kWeighted) {
                if (cumulative) accumulate(columns[c], total);
            }
        }
    });
    return total;
}

}  // namespace
}  // namespace thresher

// The count columns are int64 without weights, else double; those of squares may be null.
THRESHER_API std::int32_t thresher_table(const std::uint8_t* truth, const double* scores, const double* weights,
                                         std::int64_t rows, std::int32_t threads, const std::int32_t* cancel,
                                         std::int32_t cumulative, double* out_scores, void* positive, void* negative,
                                         void* positive_squares, void* negative_squares, std::int64_t* out_rows,
                                         std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, weights, rows};
        std::size_t written = 0;
        if (weights == nullptr) {
            const Columns<std::int64_t> out{out_scores, static_cast<std::int64_t*>(positive),
                                            static_cast<std::int64_t*>(negative), nullptr, nullptr};
            written = write_table<Item>(columns, threads, Cancel(cancel), cumulative != 0, out);
        } else {
            const Columns<double> out{out_scores, static_cast<double*>(positive), static_cast<double*>(negative),
                                      static_cast<double*>(positive_squares), static_cast<double*>(negative_squares)};
            written = write_table<WeightedItem>(columns, threads, Cancel(cancel), cumulative != 0, out);
        }
        *out_rows = static_cast<std::int64_t>(written);
    });
}
