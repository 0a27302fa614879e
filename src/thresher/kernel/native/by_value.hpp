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

// Counts of cells are 16 bits wide, four to a word, so that a word's running sums are one multiplication and the cells
// of a middling input stay in the nearest cache. Scores that crowd few cells are left to the other ways.
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
        const std::size_t cells = std::bit_ceil(count);
        const double scale = static_cast<double>(cells - 1) / (highest - lowest);
        // An infinite score, or scores too close for a finite scale.
        if (!std::isfinite(scale) || !std::isfinite(highest) || !std::isfinite(lowest)) return nullptr;
        if (uneven(count, highest, 31.0 / (highest - lowest), score)) return nullptr;
        reserve(count, cells);
        std::uint16_t* const ids = ids_.get();
        std::uint16_t* const places = places_.get();
        for (std::size_t i = 0; i < count; ++i) {
            ids[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>((highest - score(i)) * scale));
        }
        std::fill_n(places, cells, std::uint16_t{0});
        std::uint16_t* const within = within_.get();
        for (std::size_t i = 0; i < count; ++i) within[i] = places[ids[i]]++;
        if (crowded(places, cells, count)) return nullptr;
        accumulate(places, cells);
        T* const sorted = sorted_.get();
        // Which of its cell each item is, is known: no store of a place for the next to wait for.
        for (std::size_t i = 0; i < count; ++i) sorted[std::size_t{places[ids[i]]} + within[i]] = item(i);
        return sorted;
    }

private:
    static constexpr std::size_t kCrowd = 6;
    static constexpr std::int16_t kFull = 128;

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

    void reserve(std::size_t count, std::size_t cells) {
        if (cells > cells_) {
            places_ = Block<std::uint16_t>(cells + 4);
            cells_ = cells;
        }
        if (count <= room_) return;
        sorted_ = Block<T>(count);
        ids_ = Block<std::uint16_t>(count);
        within_ = Block<std::uint16_t>(count);
        room_ = count;
    }

    // Whether some cell is full, or the items have too many neighbours in their cells to be sorted by insertion.
    static bool crowded(const std::uint16_t* places, std::size_t cells, std::size_t count) {
        std::int16_t most = 0;
        for (std::size_t c = 0; c < cells; ++c) most = std::max(most, static_cast<std::int16_t>(places[c]));
        if (most > kFull) return true;
        std::int32_t pairs = 0;
        for (std::size_t c = 0; c < cells; ++c) {
            pairs += static_cast<std::int16_t>(places[c]) * static_cast<std::int16_t>(places[c]);
        }
        return pairs > static_cast<std::int32_t>(kCrowd * count);
    }

    // Turns counts into starts.
    static void accumulate(std::uint16_t* places, std::size_t cells) {
        std::uint64_t before = 0;
        if constexpr (std::endian::native != std::endian::little) {
            for (std::size_t c = 0; c < cells; ++c) {
                const std::uint16_t here = places[c];
                places[c] = static_cast<std::uint16_t>(before);
                before += here;
            }
            return;
        }
        constexpr std::uint64_t kOnes = 0x0001000100010001;
        for (std::size_t c = 0; c < cells; c += 4) {
            std::uint64_t word;
            std::memcpy(&word, places + c, sizeof word);
            const std::uint64_t sums = word * kOnes;
            const std::uint64_t starts = sums - word + before * kOnes;
            std::memcpy(places + c, &starts, sizeof starts);
            before += sums >> 48;
        }
    }

    std::size_t room_ = 0;
    std::size_t cells_ = 0;
    Block<T> sorted_;
    Block<std::uint16_t> ids_;
    Block<std::uint16_t> within_;
    Block<std::uint16_t> places_;
};

}  // namespace thresher
