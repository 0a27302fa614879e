// Score tables of weighted rows, written bucket by bucket and then closed up; and merging of tables.
#include <cstring>

#include "buckets.hpp"

namespace thresher {
namespace {

// Where the table goes; every column has room for one row per input row.
struct Columns {
    double* scores;
    double* positive;
    double* negative;
    double* positive_squares;
    double* negative_squares;
};

// Weights of a score and class are added in the order of the input rows, which is the order of the items.
std::size_t write_rows(const Bucket<WeightedItem>& bucket, const Columns& out) {
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
void close_up(double* column, const std::vector<std::size_t>& starts, const std::vector<std::size_t>& sizes) {
    std::size_t end = 0;
    for (std::size_t b = 0; b < starts.size(); ++b) {
        if (end != starts[b] && sizes[b] > 0) std::memmove(column + end, column + starts[b], sizes[b] * sizeof(double));
        end += sizes[b];
    }
}

std::size_t write_table(const RowColumns& rows, int threads, const Cancel& cancel, const Columns& out) {
    std::vector<std::size_t> starts;
    std::vector<std::size_t> sizes;
    const auto prepare = [&](std::size_t count) {
        starts.resize(count);
        sizes.resize(count);
    };
    Buckets<WeightedItem>(rows, threads, cancel).run(prepare, [&](const Bucket<WeightedItem>& bucket) {
        starts[bucket.index] = static_cast<std::size_t>(bucket.rows_before);
        sizes[bucket.index] = write_rows(bucket, out);
    });
    double* const columns[] = {out.scores, out.positive, out.negative, out.positive_squares, out.negative_squares};
    run_threads(threads, [&](int thread) {
        for (int c = thread; c < 5; c += threads) {
            if (columns[c] != nullptr) close_up(columns[c], starts, sizes);
        }
    });
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += size;
    return total;
}

// Merged scores of two tables, and the merged row of each original score. Each step writes both places, of which the
// one that is not yet due is written again: no branch to mispredict.
template <class Before>
std::size_t merge(const double* a, std::size_t size_a, const double* b, std::size_t size_b, const Before& before,
                  double* scores, std::int64_t* rows_a, std::int64_t* rows_b) {
    std::size_t i = 0;
    std::size_t j = 0;
    std::size_t row = 0;
    for (; i < size_a && j < size_b; ++row) {
        const bool is_a = before(a[i], b[j]);
        const bool is_b = !is_a || a[i] == b[j];
        scores[row] = is_a ? a[i] : b[j];
        rows_a[i] = rows_b[j] = static_cast<std::int64_t>(row);
        i += is_a;
        j += is_b;
    }
    for (; i < size_a; ++row) {
        rows_a[i] = static_cast<std::int64_t>(row);
        scores[row] = a[i++];
    }
    for (; j < size_b; ++row) {
        rows_b[j] = static_cast<std::int64_t>(row);
        scores[row] = b[j++];
    }
    return row;
}

}  // namespace
}  // namespace thresher

// Sums of weights in row order; the squares may be null.
THRESHER_API std::int32_t thresher_table(const std::uint8_t* truth, const double* scores, const double* weights,
                                         std::int64_t rows, std::int32_t threads, const std::int32_t* cancel,
                                         double* out_scores, double* positive, double* negative,
                                         double* positive_squares, double* negative_squares, std::int64_t* out_rows,
                                         std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Columns out{out_scores, positive, negative, positive_squares, negative_squares};
        *out_rows = static_cast<std::int64_t>(write_table({truth, scores, weights, rows}, threads, Cancel(cancel), out));
    });
}

// Scores fall, or rise where they are `lower`; there is room for all.
THRESHER_API std::int32_t thresher_merged_scores(const double* a, std::int64_t size_a, const double* b, std::int64_t size_b,
                                                 std::int32_t lower, double* scores, std::int64_t* rows_a,
                                                 std::int64_t* rows_b, std::int64_t* out_rows, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto merged = [&](const auto& before) {
            return merge(a, static_cast<std::size_t>(size_a), b, static_cast<std::size_t>(size_b), before, scores, rows_a,
                         rows_b);
        };
        const std::size_t rows = lower != 0 ? merged([](double x, double y) { return x <= y; })
                                            : merged([](double x, double y) { return x >= y; });
        *out_rows = static_cast<std::int64_t>(rows);
    });
}
