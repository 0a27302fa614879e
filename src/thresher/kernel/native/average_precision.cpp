// Average precision straight from the sorted rows: Σ over scores of (positives there) · TP/(TP + FP), over P.
//
// TP + FP after a score is the number of rows so far, which a bucket knows from what came before it; so the buckets are
// summed on their own, in any order, and then added in theirs.
#include "buckets.hpp"
#include "table_columns.hpp"

namespace thresher {
namespace {

// Every item adds a term, which is 0 unless it is the last of its score: no branch to mispredict.
double precision_sum(const Bucket<Item>& bucket) {
    BlockSum sum;
    auto rows = static_cast<double>(bucket.rows_before);
    auto positives = static_cast<double>(bucket.positives_before);
    double here = 0.0;
    for (std::size_t i = 0; i < bucket.count; ++i) {
        const std::uint64_t code = bucket.items[i].code;
        const auto positive = static_cast<double>(code & 1);
        const bool ends = i + 1 == bucket.count || bucket.items[i + 1].code >> 1 != code >> 1;
        rows += 1.0;
        positives += positive;
        here += positive;
        sum.add((ends ? here : 0.0) * positives / rows);
        here = ends ? 0.0 : here;
    }
    return sum.value();
}

}  // namespace
}  // namespace thresher

// NaN without positives.
THRESHER_API std::int32_t thresher_average_precision(const std::uint8_t* truth, const double* scores,
                                                     const double* weights, std::int64_t rows, std::int32_t threads,
                                                     const std::int32_t* cancel, double* value,
                                                     std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        std::vector<double> sums;
        const Share total = Buckets<Item>(RowColumns{truth, scores, weights, rows}, threads, Cancel(cancel))
                                .run([&](std::size_t buckets) { sums.resize(buckets); },
                                     [&](const Bucket<Item>& bucket) {
                                         if (bucket.count > 0) sums[bucket.index] = precision_sum(bucket);
                                     });
        Sum sum;
        for (const double part : sums) sum.add(part);
        *value = sum.value() / static_cast<double>(total.positives);
    });
}
