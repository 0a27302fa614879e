// What one thread has put aside for every bucket.
#pragma once

#include <algorithm>
#include <vector>

#include "common.hpp"

namespace thresher {

// A pile is a list of chunks of items in the order in which they came, so that rows are read once and nobody has to know
// beforehand how many a bucket will get. Chunk b is the first of pile b; a new one is taken when one has become full.
template <class T>
class Piles {
public:
    // There is room for `rows` items, in whatever piles.
    Piles(std::size_t piles, std::size_t rows)
        : tops_(piles), full_(piles), next_(rows / kChunk + piles), items_(next_.size() * kChunk), taken_(piles) {
        for (std::size_t pile = 0; pile < piles; ++pile) tops_[pile].at = pile * kChunk;
    }

    void put(std::size_t pile, const T& item) {
        Top& top = tops_[pile];
        items_[top.at] = item;
        top.positives += static_cast<std::int64_t>(item.code & 1);
        if (++top.at % kChunk == 0) [[unlikely]] grow(pile);
    }

    std::size_t count(std::size_t pile) const { return full_[pile] * kChunk + tops_[pile].at % kChunk; }
    std::int64_t positives(std::size_t pile) const { return tops_[pile].positives; }

    // Copies a pile and returns where the copy ends.
    T* gather(std::size_t pile, T* to) const {
        std::size_t chunk = pile;
        for (std::size_t i = 0; i < full_[pile]; ++i) {
            to = std::copy_n(items_.get() + chunk * kChunk, kChunk, to);
            chunk = next_[chunk];
        }
        return std::copy_n(items_.get() + chunk * kChunk, tops_[pile].at % kChunk, to);
    }

private:
    static constexpr std::size_t kChunk = 64;

    struct Top {
        std::size_t at;
        std::int64_t positives = 0;
    };

    void grow(std::size_t pile) {
        const std::size_t chunk = tops_[pile].at / kChunk - 1;
        next_[chunk] = taken_;
        tops_[pile].at = taken_ * kChunk;
        ++taken_;
        ++full_[pile];
    }

    std::vector<Top> tops_;
    std::vector<std::size_t> full_;
    std::vector<std::size_t> next_;
    Block<T> items_;
    std::size_t taken_;
};

}  // namespace thresher
