// Sorting the items of one bucket, stably, in the caches.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "by_value.hpp"
#include "common.hpp"
#include "partition.hpp"

namespace thresher {

// The lower of two items; the other is carried on, and of equal ones the carried is the lower. Masks, because compilers
// make branches of conditions where an item has several words.
template <class T>
T lower_of(const T& next, T& carried) {
    using Words = std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)>;
    const std::uint64_t mask = -static_cast<std::uint64_t>(next.code < carried.code);
    auto a = std::bit_cast<Words>(carried);
    auto b = std::bit_cast<Words>(next);
    for (std::size_t word = 0; word < a.size(); ++word) {
        const std::uint64_t change = (a[word] ^ b[word]) & mask;
        a[word] ^= change;
        b[word] ^= change;
    }
    carried = std::bit_cast<T>(b);
    return std::bit_cast<T>(a);
}

inline Item lower_of(const Item& next, Item& carried) {
    const std::uint64_t one = next.code;
    const std::uint64_t other = carried.code;
    carried.code = one < other ? other : one;
    return {one < other ? one : other};
}

// Sorts, stably, items that are nearly in order. The largest so far is carried along, so that two neighbours in the wrong
// order change places without a branch; only what has to go further back is inserted, which is rare enough to predict.
template <class T>
void insertion_sort(T* items, std::size_t count) {
    if (count == 0) return;
    T carried = items[0];
    std::uint64_t last = 0;
    for (std::size_t i = 1; i < count; ++i) {
        const T lower = lower_of(items[i], carried);
        if (lower.code < last) [[unlikely]] {
            std::size_t place = i - 1;
            for (; place > 0 && items[place - 1].code > lower.code; --place) items[place] = items[place - 1];
            items[place] = lower;
        } else {
            items[i - 1] = lower;
            last = lower.code;
        }
    }
    items[count - 1] = carried;
}

template <class T>
void comparison_sort(T* items, std::size_t count) {
    const auto before = [](const T& a, const T& b) { return a.code < b.code; };
    if constexpr (T::kWeighted) {
        std::stable_sort(items, items + count, before);
    } else {
        std::sort(items, items + count, before);
    }
}

struct Range {
    std::uint64_t least;
    std::uint64_t most;
};

template <class T>
Range range_of(const T* items, std::size_t count) {
    std::uint64_t least = items[0].code;
    std::uint64_t most = least;
    for (std::size_t i = 1; i < count; ++i) {
        least = std::min(least, items[i].code);
        most = std::max(most, items[i].code);
    }
    return {least, most};
}

// Positions spread over `count`, one in each of `wanted` equal stretches; a fixed hash moves each within its stretch,
// so that data with a period are not sampled in step.
template <class Take>
std::vector<std::uint64_t> sample_of(std::size_t count, std::size_t wanted, const Take& take) {
    std::vector<std::uint64_t> sample(wanted);
    const std::size_t stretch = count / wanted;
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::uint64_t hash = (i + 1) * 0x9E3779B97F4A7C15U >> 33;
        sample[i] = take(i * stretch + hash % stretch);
    }
    return sample;
}

// One thread's sorter. Small inputs are spread over about as many cells as there are items, by their distance from the
// least, and finished by insertion; crowded cells are sorted by comparison. Large inputs are first cut as the whole
// input was, until they are small or all equal.
template <class T>
class Sorter {
public:
    static constexpr std::size_t kSmall = 4096;

    explicit Sorter(const Cancel& cancel) : cancel_(cancel) {}

    // Returns the sorted items: either `items` or memory that stays valid until the next call.
    const T* sort(T* items, std::size_t count) {
        if (count > kSmall) {
            sort_large(items, count, 0);
            return items;
        }
        return sort_small(items, count);
    }

    // The same for scores that all have the sign which is named; quicker when they are spread evenly.
    const T* sort(T* items, std::size_t count, bool negative) {
        if (count <= kTiny || count > ByValue<T>::kMost) return sort(items, count);
        const auto [least, most] = range_of(items, count);
        T* spread = least >> 1 == most >> 1 ? nullptr : by_value_.spread(items, count, least, most, negative).items;
        if (spread == nullptr) return sort(items, count);
        insertion_sort(spread, count);
        return spread;
    }

    // Rows that are no items yet, sorted, those of scores below 0 last and apart; null where the spreading does not serve
    // (`ByValue::spread`).
    template <class Score, class Item>
    typename ByValue<T>::Spread sort_rows(std::size_t count, double highest, double lowest, const Score& score,
                                          const Item& item) {
        if (count <= kTiny || !(highest > lowest)) return {};
        const auto spread = by_value_.spread(count, highest, lowest, score, item);
        if (spread.items == nullptr) return spread;
        insertion_sort(spread.items, spread.above);
        insertion_sort(spread.items + spread.above, count - spread.above);
        return spread;
    }

private:
    static constexpr std::size_t kTiny = 16;
    static constexpr std::uint32_t kCrowded = 32;
    static constexpr int kDeepest = 8;

    const T* sort_small(T* items, std::size_t count) {
        if (count <= kTiny) {
            insertion_sort(items, count);
            return items;
        }
        const auto [least, most] = range_of(items, count);
        if (least == most) return items;
        reserve();
        const std::size_t cells = std::bit_ceil(count);
        const auto wide = static_cast<unsigned>(std::bit_width((most - least) / cells));
        std::fill_n(places_.begin(), cells + 1, 0U);
        for (std::size_t i = 0; i < count; ++i) ++places_[((items[i].code - least) >> wide) + 1];
        const std::uint32_t fullest = *std::max_element(places_.begin() + 1, places_.begin() + cells + 1);
        for (std::size_t cell = 1; cell <= cells; ++cell) places_[cell] += places_[cell - 1];
        for (std::size_t i = 0; i < count; ++i) {
            spread_[places_[(items[i].code - least) >> wide]++] = items[i];
        }
        if (fullest > kCrowded) sort_crowded(cells);
        insertion_sort(spread_.get(), count);
        return spread_.get();
    }

    // What spreads evenly never comes here, so that the memory is taken when it is first needed.
    void reserve() {
        if (!places_.empty()) return;
        spread_ = Block<T>(kSmall);
        places_.resize(kSmall + 1);
    }

    // After the spreading places_[cell] is where the cell ends.
    void sort_crowded(std::size_t cells) {
        std::uint32_t start = 0;
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const std::uint32_t end = places_[cell];
            if (end - start > kCrowded) comparison_sort(spread_.get() + start, end - start);
            start = end;
        }
    }

    // Equal keys: what is left is to put the negatives first.
    static void split_classes(T* items, std::size_t count) {
        if constexpr (T::kWeighted) {
            std::stable_partition(items, items + count, [](const T& item) { return (item.code & 1) == 0; });
        } else {
            const std::uint64_t negative = items[0].code & ~std::uint64_t{1};
            std::size_t negatives = 0;
            for (std::size_t i = 0; i < count; ++i) negatives += 1 - (items[i].code & 1);
            std::fill_n(items, negatives, T{negative});
            std::fill_n(items + negatives, count - negatives, T{negative | 1});
        }
    }

    void sort_large(T* items, std::size_t count, int depth) {
        cancel_.check();
        const auto [least, most] = range_of(items, count);
        if (least >> 1 == most >> 1) return split_classes(items, count);
        // Each cut leaves the items of a bucket in a 4096th of the range or beside a value sampled twice, so this
        // depth is out of reach for all but input made for it.
        if (depth == kDeepest) return comparison_sort(items, count);
        const std::size_t buckets = std::min<std::size_t>(kSmall, count / (kSmall / 2) + 1);
        const Partition part(sample_of(count, kSmall / 2, [&](std::size_t i) { return items[i].code; }), buckets);
        std::vector<std::size_t> ends(part.buckets() + 1);
        for (std::size_t i = 0; i < count; ++i) ++ends[part(items[i].code) + 1];
        for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
        const Block<T> spread(count);
        for (std::size_t i = 0; i < count; ++i) spread[ends[part(items[i].code)]++] = items[i];
        std::size_t start = 0;
        for (std::size_t b = 0; b < part.buckets(); ++b) {
            const std::size_t size = ends[b] - start;
            if (size > kSmall) sort_large(spread.get() + start, size, depth + 1);
            const T* sorted = size > kSmall ? spread.get() + start : sort_small(spread.get() + start, size);
            std::copy_n(sorted, size, items + start);
            start = ends[b];
        }
    }

    Cancel cancel_;
    ByValue<T> by_value_;
    Block<T> spread_;
    std::vector<std::uint32_t> places_;
};

}  // namespace thresher
