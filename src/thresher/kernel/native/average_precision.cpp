// Average precision straight from the sorted rows: Σ over scores of (positives there) · TP/(TP + FP), over P.
//
// TP + FP after a score is the number of rows so far, which a bucket knows from what came before it; so the buckets are
// summed on their own, in any order, and then added in theirs.
#include "buckets.hpp"
#include "lanes.hpp"

namespace thresher {
namespace {

constexpr std::size_t kPrecisionStretch = 128;

// Sum over the positives of a stretch in which no score is another's: each positive is a threshold of its own. Where
// they are is collected first, so that the divisions are of positives only and do not wait for each other.
double untied_sum(const Item* items, std::size_t count, double rows, double& positives) {
    using Places = std::int32_t __attribute__((vector_size(4 * kLanes)));
    std::int32_t places[kPrecisionStretch];
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        places[found] = static_cast<std::int32_t>(i + 1);
        found += items[i].code & 1;
    }
    Doubles sums{};
    Doubles reached = all(positives) + Doubles{1.0, 2.0, 3.0, 4.0};
    std::size_t i = 0;
    for (; i + kLanes <= found; i += kLanes) {
        sums += reached / (all(rows) + __builtin_convertvector(lanes_at<Places>(places + i), Doubles));
        reached += all(static_cast<double>(kLanes));
    }
    double sum = sum_of(sums);
    for (; i < found; ++i) sum += (positives + static_cast<double>(i + 1)) / (rows + static_cast<double>(places[i]));
    positives += static_cast<double>(found);
    return sum;
}

// Every item adds a term, which is 0 unless it is the last of its score: no branch to mispredict. `here` is how many
// positives of the score that goes on came before.
double tied_sum(const Item* items, std::size_t count, bool goes_on, double rows, double& positives, double& here) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t code = items[i].code;
        const auto positive = static_cast<double>(code & 1);
        const bool ends = (i + 1 == count && !goes_on) || items[i + 1].code >> 1 != code >> 1;
        rows += 1.0;
        positives += positive;
        here += positive;
        sum += (ends ? here : 0.0) * positives / rows;
        here = ends ? 0.0 : here;
    }
    return sum;
}

double precision_sum(const Bucket<Item>& bucket) {
    Sum sum;
    auto positives = static_cast<double>(bucket.positives_before);
    double here = 0.0;
    for (std::size_t from = 0; from < bucket.count; from += kPrecisionStretch) {
        const Item* const items = bucket.items + from;
        const std::size_t count = std::min(kPrecisionStretch, bucket.count - from);
        const bool goes_on = from + count < bucket.count;
        const double rows = static_cast<double>(bucket.rows_before) + static_cast<double>(from);
        const bool plain = here == 0.0 && !any_tied(items, goes_on ? count : count - 1);
        sum.add(plain ? untied_sum(items, count, rows, positives)
                      : tied_sum(items, count, goes_on, rows, positives, here));
    }
    return sum.value();
}

}  // namespace
}  // namespace thresher

// NaN without positives.
THRESHER_API std::int32_t thresher_average_precision(const std::uint8_t* truth, const double* scores,
                                                     const double* weights, std::int64_t rows, std::int32_t threads,
                                                     const std::int32_t* cancel, std::int32_t finite, double* value,
                                                     std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        std::vector<double> sums;
        const Share total = Buckets<Item>(RowColumns{truth, scores, weights, rows, finite != 0}, threads, Cancel(cancel))
                                .run([&](std::size_t buckets) { sums.resize(buckets); },
                                     [&](const Bucket<Item>& bucket) {
                                         if (bucket.count > 0) sums[bucket.index] = precision_sum(bucket);
                                     });
        Sum sum;
        for (const double part : sums) sum.add(part);
        *value = sum.value() / static_cast<double>(total.positives);
    });
}
