// Average precision straight from the sorted rows: Σ over scores of (positives there) · TP/(TP + FP), over P.
//
// TP + FP after a score is the number of rows so far, which a bucket knows from what came before it; so the buckets are
// summed on their own, in any order, and then added in theirs.
#include "buckets.hpp"
#include "lanes.hpp"

namespace thresher {
namespace {

constexpr std::size_t kPrecisionStretch = 128;

// Sum over the positives of a stretch in which no score is another's: each row is a threshold of its own, to which a
// negative adds 0. That has no branch to mispredict, and no division waits for the one before.
THRESHER_INLINED double untied_sum(const Item* items, std::size_t count, double rows, double& positives) {
    static_assert(sizeof(Item) == sizeof(std::uint64_t));
    Doubles sums{};
    Doubles place = all(rows) + Doubles{1.0, 2.0, 3.0, 4.0};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const Bits positive = all(std::uint64_t{0}) - (lanes_at<Bits>(items + i) & all(std::uint64_t{1}));
        const Doubles here = (Doubles)(positive & (Bits)all(1.0));
        const Doubles pairs = here + Doubles{0.0, here[0], here[1], here[2]};
        const Doubles reached = pairs + Doubles{0.0, 0.0, pairs[0], pairs[1]};
        sums += here * (all(positives) + reached) / place;
        place += all(static_cast<double>(kLanes));
        positives += reached[3];
    }
    double sum = sum_of(sums);
    for (; i < count; ++i) {
        const auto here = static_cast<double>(items[i].code & 1);
        positives += here;
        sum += here * positives / (rows + static_cast<double>(i + 1));
    }
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

THRESHER_INLINED double sum_of_stretches(const Bucket<Item>& bucket) {
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

double sum_anywhere(const Bucket<Item>& bucket) { return sum_of_stretches(bucket); }
THRESHER_AVX2 double sum_with_avx2(const Bucket<Item>& bucket) { return sum_of_stretches(bucket); }

double precision_sum(const Bucket<Item>& bucket) {
    return has_avx2() ? sum_with_avx2(bucket) : sum_anywhere(bucket);
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
