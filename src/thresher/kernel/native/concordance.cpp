// Twice the Mann–Whitney count: 2 for every pair of a positive above a negative, 1 for a tied pair.
//
// Whole counts are exact for any number of rows that fits in memory. 2·P·N is at most n²/2, which leaves 63 bits at
// 4.3e9 rows; so 64-bit sums only ever cover a stretch of items, and stretches and buckets are added in 128 bits.
#include "buckets.hpp"

namespace thresher {
namespace {

// What one bucket contributes, as if nothing came before it.
struct Count {
    Wide twice_u = 0;
    std::int64_t positives = 0;
    std::int64_t negatives = 0;
};

struct WeightedCount {
    double twice_u = 0.0;
    double positives = 0.0;
    double negatives = 0.0;
};

constexpr std::size_t kPairStretch = 128;

struct Ties {
    std::uint64_t last;
    std::uint64_t negatives = 0;
};

// Positives above negatives in a stretch without ties, by the ranks of its positives: no item waits for another.
std::uint64_t untied_pairs(const Item* items, std::size_t count, std::uint64_t& positives) {
    std::uint64_t found = 0;
    std::uint64_t ranks = 0;
    for (std::size_t i = 0; i < count; ++i) {
        found += items[i].code & 1;
        ranks += i & -(items[i].code & 1);
    }
    const std::uint64_t before = positives * (count - found);
    positives += found;
    // Each positive is above all that follow; the positives among these make every pair of positives once.
    return before + found * (count - 1) - ranks - found * (found - 1) / 2;
}

// Negatives of an equal score come first, so each is counted twice against the positives above, and each positive of
// the score adds the negatives tied with it once. What is returned is doubled.
std::uint64_t tied_pairs(const Item* items, std::size_t count, Ties& ties, std::uint64_t& positives) {
    std::uint64_t above = 0;
    std::uint64_t tied = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t code = items[i].code;
        const std::uint64_t positive = code & 1;
        ties.negatives &= -static_cast<std::uint64_t>((code >> 1) == ties.last);
        ties.last = code >> 1;
        ties.negatives += 1 - positive;
        tied += ties.negatives & -positive;
        above += positives & (positive - 1);
        positives += positive;
    }
    return 2 * above + tied;
}

Count count_pairs(const Bucket<Item>& bucket) {
    Wide total = 0;
    std::uint64_t positives = 0;
    Ties ties{bucket.items[0].code >> 1};
    for (std::size_t from = 0; from < bucket.count; from += kPairStretch) {
        const Item* const items = bucket.items + from;
        const std::size_t count = std::min(kPairStretch, bucket.count - from);
        const bool apart = from == 0 || items[0].code >> 1 != ties.last;
        if (apart && !any_tied(items, count - 1)) {
            total += 2 * static_cast<Wide>(untied_pairs(items, count, positives));
            const std::uint64_t code = items[count - 1].code;
            ties = {code >> 1, 1 - (code & 1)};
        } else {
            total += static_cast<Wide>(tied_pairs(items, count, ties, positives));
        }
    }
    return {total, static_cast<std::int64_t>(positives), static_cast<std::int64_t>(bucket.count - positives)};
}

WeightedCount count_pairs(const Bucket<WeightedItem>& bucket) {
    Sum twice_u;
    double positives = 0.0;
    double negatives = 0.0;
    for (std::size_t i = 0; i < bucket.count;) {
        const std::uint64_t key = bucket.items[i].code >> 1;
        double p = 0.0;
        double n = 0.0;
        for (; i < bucket.count && bucket.items[i].code >> 1 == key; ++i) {
            (bucket.items[i].code & 1 ? p : n) += bucket.items[i].weight;
        }
        if (n > 0.0) twice_u.add(n * (2.0 * positives + p));
        positives += p;
        negatives += n;
    }
    return {twice_u.value(), positives, negatives};
}

template <class T, class C>
std::vector<C> per_bucket(const RowColumns& rows, int threads, const Cancel& cancel) {
    std::vector<C> counts;
    Buckets<T>(rows, threads, cancel)
        .run([&](std::size_t buckets) { counts.resize(buckets); },
             [&](const Bucket<T>& bucket) {
                 if (bucket.count > 0) counts[bucket.index] = count_pairs(bucket);
             });
    return counts;
}

}  // namespace
}  // namespace thresher

// whole: [twice_u low 64 bits, high 64 bits, P, N]; weighted: [twice_u, P, N], whichever applies.
THRESHER_API std::int32_t thresher_concordance(const std::uint8_t* truth, const double* scores, const double* weights,
                                               std::int64_t rows, std::int32_t threads, const std::int32_t* cancel,
                                               std::int64_t* whole, double* weighted, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, weights, rows};
        if (weights == nullptr) {
            Count sum;
            for (const Count& c : per_bucket<Item, Count>(columns, threads, Cancel(cancel))) {
                sum.twice_u += c.twice_u + 2 * static_cast<Wide>(sum.positives) * c.negatives;
                sum.positives += c.positives;
                sum.negatives += c.negatives;
            }
            whole[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.twice_u));
            whole[1] = static_cast<std::int64_t>(sum.twice_u >> 64);
            whole[2] = sum.positives;
            whole[3] = sum.negatives;
            return;
        }
        Sum twice_u;
        WeightedCount sum;
        for (const WeightedCount& c : per_bucket<WeightedItem, WeightedCount>(columns, threads, Cancel(cancel))) {
            twice_u.add(c.twice_u);
            twice_u.add(2.0 * sum.positives * c.negatives);
            sum.positives += c.positives;
            sum.negatives += c.negatives;
        }
        weighted[0] = twice_u.value();
        weighted[1] = sum.positives;
        weighted[2] = sum.negatives;
    });
}
