// Sorting up to 32,767 items by one spreading over cells of equal width in score.
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
    static constexpr std::size_t kMost = 32767;

    // The items spread, equal scores side by side, cells in order; null when they crowd. All scores have one sign, `least`
    // and `most` are the extreme codes and differ in their scores. What is returned is valid until the next call.
    T* spread(const T* items, std::size_t count, std::uint64_t least, std::uint64_t most, bool negative) {
        const std::uint64_t flip = negative ? 0 : kTop - 1;
        const auto value = [flip](std::uint64_t code) { return std::bit_cast<double>((code >> 1) ^ flip); };
        return spread(
            count, value(least), value(most), [&](std::size_t i) { return value(items[i].code); },
            [&](std::size_t i) { return items[i]; });
    }

    // The same for rows that are no items yet: `score(i)` are `count` numbers of one sign, `highest` and `lowest` the
    // extremes of them, which differ, and `item(i)` makes an item of row i.
    template <class Score, class Item>
    T* spread(std::size_t count, double highest, double lowest, const Score& score, const Item& item) {
        const std::size_t cells = std::max(kWord, std::bit_ceil(count));
        const double scale = static_cast<double>(cells - 1) / (highest - lowest);
        // An infinite score, or scores too close for a finite scale.
        if (!std::isfinite(scale) || !std::isfinite(highest) || !std::isfinite(lowest)) return nullptr;
        if (uneven(count, highest, 31.0 / (highest - lowest), score)) return nullptr;
        reserve(count);
        std::uint16_t* const ids = ids_.get();
        // A score that another thread has changed since the extremes were found may be converted to any number: the mask,
        // which changes no other, keeps it among the cells.
        const auto mask = static_cast<std::uint16_t>(cells - 1);
        for (std::size_t i = 0; i < count; ++i) {
            const auto cell = static_cast<std::int32_t>((highest - score(i)) * scale);
            ids[i] = static_cast<std::uint16_t>(cell) & mask;
        }
        std::uint8_t* const places = places_.get();
        std::uint8_t* const within = within_.get();
        std::fill_n(places, cells, std::uint8_t{0});
        for (std::size_t i = 0; i < count; ++i) within[i] = places[ids[i]]++;
        if (crowded(within, count)) return nullptr;
        accumulate(places, cells);
        const std::uint16_t* const starts = starts_.get();
        T* const sorted = sorted_.get();
        // Which of its cell each item is, is known: no store of a place for the next to wait for.
        for (std::size_t i = 0; i < count; ++i) {
            sorted[std::size_t{starts[ids[i] / kWord]} + places[ids[i]] + within[i]] = item(i);
        }
        return sorted;
    }

private:
    static constexpr std::size_t kWord = 8;
    static constexpr std::uint32_t kCrowd = 6;
    // So many items in each of eight cells still add up to less than a byte holds.
    static constexpr std::uint8_t kFull = 31;

    // Whether a sample says that the items crowd, before all are looked at.
    template <class Score>
    static bool uneven(std::size_t count, double highest, double scale, const Score& score) {
        constexpr std::size_t kSampled = 64;
        if (count < 16 * kSampled) return false;
        std::uint32_t shares[32] = {};
        for (std::size_t i = 0; i < kSampled; ++i) {
            ++shares[static_cast<std::int32_t>((highest - score(i * (count / kSampled))) * scale) & 31];
        }
        return *std::max_element(shares, shares + 32) > kSampled / 2;
    }

    void reserve(std::size_t count) {
        if (count <= room_) return;
        const std::size_t cells = std::max(kWord, std::bit_ceil(count));
        places_ = Block<std::uint8_t>(cells);
        starts_ = Block<std::uint16_t>(cells / kWord);
        sorted_ = Block<T>(count);
        ids_ = Block<std::uint16_t>(count);
        within_ = Block<std::uint8_t>(count);
        room_ = count;
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
    void accumulate(std::uint8_t* places, std::size_t cells) {
        std::uint16_t* const starts = starts_.get();
        std::uint64_t before = 0;
        for (std::size_t w = 0; w < cells / kWord; ++w) {
            starts[w] = static_cast<std::uint16_t>(before);
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

    std::size_t room_ = 0;
    Block<T> sorted_;
    Block<std::uint16_t> ids_;
    Block<std::uint8_t> within_;
    Block<std::uint8_t> places_;
    Block<std::uint16_t> starts_;
};

}  // namespace thresher
