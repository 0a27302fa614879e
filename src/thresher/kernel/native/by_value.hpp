// Sorting up to 131,071 items by one spreading over cells of equal width in score.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "common.hpp"
#include "keys.hpp"

namespace thresher {

// Counts of cells are bytes, eight to a word, so that a word's running sums are one multiplication and the cells of a
// middling input stay in the nearest cache; where each word starts is kept apart. Scores that crowd few cells are left
// to the other ways.
template <class T>
class ByValue {
public:
    static constexpr std::size_t kMost = 131071;

    // Items in the order of their cells, those of scores from 0 on, `above` in number, before those below; null when they
    // crowd.
    struct Spread {
        T* items = nullptr;
        std::size_t above = 0;
    };

    // The items spread, equal scores in one cell, cells in order. All scores have one sign, `least` and `most` are the
    // extreme codes and differ in their scores. What is returned is valid until the next call.
    Spread spread(const T* items, std::size_t count, std::uint64_t least, std::uint64_t most, bool negative) {
        const std::uint64_t flip = negative ? 0 : kTop - 1;
        const auto value = [flip](std::uint64_t code) { return std::bit_cast<double>((code >> 1) ^ flip); };
        return spread(
            count, value(least), value(most), [&](std::size_t i) { return value(items[i].code); },
            [&](std::size_t i) { return items[i]; });
    }

    // The same for rows that are no items yet, of any sign: `score(i)` are `count` numbers, `highest` and `lowest` the
    // extremes of them, which differ, and `item(i)` makes an item of row i.
    template <class Score, class Item>
    Spread spread(std::size_t count, double highest, double lowest, const Score& score, const Item& item) {
        const double width = highest - lowest;
        const Cells map(highest, width, count);
        // An infinite score, scores too far apart for a difference, or too close for a finite scale.
        if (!std::isfinite(map.scale) || !std::isfinite(width)) return {};
        reserve(count);
        // Whether the items crowd is asked of a sample first.
        const std::size_t sampled = std::max<std::size_t>(64, std::bit_floor(count / 64));
        const auto stretched = [&](std::size_t i) { return score(i * (count / sampled)); };
        if (count > 8 * sampled && !counted(Cells(highest, width, sampled), sampled, stretched)) return {};
        if (!counted(map, count, score)) return {};
        accumulate(room_.places, cells_of(count), room_.starts);
        scatter(room_, count, item);
        if (highest < 0.0) return {room_.sorted, 0};
        if (lowest >= 0.0) return {room_.sorted, count};
        const std::uint32_t below = map(0.0) + 1;
        return {room_.sorted, std::size_t{room_.starts[below / kWord]} + room_.places[below]};
    }

private:
    static constexpr std::size_t kWord = 8;
    static constexpr std::uint32_t kCrowd = 6;
    // So many items in each of eight cells still add up to less than a byte holds.
    static constexpr std::uint8_t kFull = 31;

    static std::size_t cells_of(std::size_t count) { return std::max(kWord, 2 * std::bit_ceil(count)); }

    // From a score to its cell, with two or more cells for each of `count` items. Rounding keeps the order and whole
    // numbers: a score below 0 is not before 0 until the 1 is added, and so in a later cell afterwards.
    struct Cells {
        double highest;
        double scale;
        std::uint32_t mask;

        Cells(double top, double width, std::size_t count)
            : highest(top),
              scale(static_cast<double>(cells_of(count) - 2) / width),
              mask(static_cast<std::uint32_t>(cells_of(count) - 1)) {}

        // A score that another thread has changed since the extremes were found may be converted to any number: the mask,
        // which changes no other, keeps it among the cells.
        std::uint32_t operator()(double score) const {
            const double place = (highest - score) * scale + (score < 0.0 ? 1.0 : 0.0);
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(place)) & mask;
        }
    };

    // Parts of one piece of memory.
    struct Room {
        T* sorted = nullptr;
        std::uint32_t* ids;
        std::uint32_t* starts;
        std::uint8_t* places;
        std::uint8_t* within;
    };

    void reserve(std::size_t count) {
        if (count <= most_) return;
        const std::size_t cells = cells_of(count);
        const std::size_t words = count + cells / kWord;
        const std::size_t bytes = count * sizeof(T) + words * sizeof(std::uint32_t) + cells + count;
        // Memory that is given back stays with the process up to twice the largest piece of it (malloc of glibc), or every
        // page of the next call, that of its answer too, would be fetched again. What is not touched costs nothing.
        memory_ = Block<std::byte>(2 * bytes);
        room_.sorted = reinterpret_cast<T*>(memory_.get());
        room_.ids = reinterpret_cast<std::uint32_t*>(room_.sorted + count);
        room_.starts = room_.ids + count;
        room_.places = reinterpret_cast<std::uint8_t*>(room_.ids + words);
        room_.within = room_.places + cells;
        most_ = count;
    }

    template <class Score>
    THRESHER_APART static void number(Cells map, std::size_t count, Score score, std::uint32_t* ids) {
        for (std::size_t i = 0; i < count; ++i) ids[i] = map(score(i));
    }

    THRESHER_APART static void count_up(const std::uint32_t* ids, std::size_t count, std::uint8_t* places,
                                        std::uint8_t* within) {
        for (std::size_t i = 0; i < count; ++i) within[i] = places[ids[i]]++;
    }

    // Which of its cell each item is, is known: no store of a place for the next to wait for.
    template <class Item>
    THRESHER_APART static void scatter(Room room, std::size_t count, Item item) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t id = room.ids[i];
            room.sorted[std::size_t{room.starts[id / kWord]} + room.places[id] + room.within[i]] = item(i);
        }
    }

    // Numbers the items' cells and counts up in them; false if they crowd.
    template <class Score>
    bool counted(const Cells& map, std::size_t count, const Score& score) {
        number(map, count, score, room_.ids);
        std::fill_n(room_.places, cells_of(count), std::uint8_t{0});
        count_up(room_.ids, count, room_.places, room_.within);
        return !crowded(room_.within, count);
    }

    // Whether some cell is full, or the items have too many neighbours in their cells to be sorted by insertion. A count
    // that wrapped round a byte has passed the fullest that is allowed.
    static bool crowded(const std::uint8_t* within, std::size_t count) {
        std::uint8_t most = 0;
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < count; ++i) most = std::max(most, within[i]);
        for (std::size_t i = 0; i < count; ++i) before += within[i];
        return most >= kFull || 2 * before > (kCrowd - 1) * static_cast<std::uint32_t>(count);
    }

    // Turns counts into starts within their word, and notes where each word starts.
    static void accumulate(std::uint8_t* places, std::size_t cells, std::uint32_t* starts) {
        std::uint64_t before = 0;
        for (std::size_t w = 0; w < cells / kWord; ++w) {
            starts[w] = static_cast<std::uint32_t>(before);
            const std::uint64_t word = load(places + kWord * w);
            const std::uint64_t sums = word * 0x0101010101010101;
            store(sums - word, places + kWord * w);
            before += sums >> 56;
        }
    }

    // Eight bytes as a number whose lowest byte is the first.
    static std::uint64_t load(const std::uint8_t* bytes) {
        std::uint64_t word = 0;
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(&word, bytes, sizeof word);
        } else {
            for (std::size_t c = 0; c < kWord; ++c) word |= std::uint64_t{bytes[c]} << (8 * c);
        }
        return word;
    }

    static void store(std::uint64_t word, std::uint8_t* bytes) {
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(bytes, &word, sizeof word);
        } else {
            for (std::size_t c = 0; c < kWord; ++c) bytes[c] = static_cast<std::uint8_t>(word >> (8 * c));
        }
    }

    std::size_t most_ = 0;
    Block<std::byte> memory_;
    Room room_;
};

}  // namespace thresher
