// Cutting the range of keys into buckets of about equal weight, from a sample.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "keys.hpp"

namespace thresher {

// A monotone map from keys to buckets.
//
// The sampled range is cut into up to kCells equal cells of key space; a cell with much of the sample is cut further
// into a power of two of buckets, neighbouring cells with little share one. Keys outside the sampled range have
// buckets of their own: 0 and 1 below it, the last two above it, the second of each pair for negative scores, so that
// no bucket ever holds both signs. Any key is mapped to a valid bucket, whatever the sample was.
class Partition {
public:
    static constexpr std::size_t kCells = 4096;

    // `sample` is not empty; `wanted` is the number of buckets aimed at.
    Partition(const std::vector<std::uint64_t>& sample, std::size_t wanted) {
        const auto [least, most] = std::minmax_element(sample.begin(), sample.end());
        low_ = *least;
        shift_ = 0;
        while ((*most >> shift_) - (low_ >> shift_) >= kCells) ++shift_;
        // Cells begin at multiples of their width, so none spans the two signs.
        low_ = low_ >> shift_ << shift_;
        span_ = *most - low_;
        mask_ = (std::uint64_t{1} << shift_) - 1;
        tail_ = static_cast<unsigned>(std::max(32, static_cast<int>(std::bit_width(span_)))) - 32;
        std::vector<std::uint32_t> mass((span_ >> shift_) + 1);
        for (const std::uint64_t key : sample) ++mass[(key - low_) >> shift_];
        assign(mass, std::max<std::size_t>(1, sample.size() / std::max<std::size_t>(1, wanted)));
    }

    std::size_t buckets() const { return buckets_; }

    // Whether the scores in a bucket are negative.
    bool negative(std::size_t bucket) const {
        if (bucket < kInside) return bucket == 1;
        if (bucket >= buckets_ - 2) return bucket == buckets_ - 1;
        return bucket >= first_negative_;
    }

    std::uint32_t operator()(std::uint64_t key) const {
        const std::uint64_t offset = key - low_;
        if (offset > span_) [[unlikely]] {
            const auto sign = static_cast<std::uint32_t>(key >> 63);
            return key < low_ ? sign : buckets_ - 2 + sign;
        }
        const Cell cell = cells_[offset >> shift_];
        return cell.first + static_cast<std::uint32_t>((offset & mask_) >> cell.shift);
    }

    // The highest bits of a key among the keys of its bucket, in their order.
    std::uint32_t prefix(std::uint64_t key) const {
        const std::uint64_t offset = key - low_;
        return static_cast<std::uint32_t>(offset > span_ ? key >> 31 : offset >> tail_);
    }

private:
    static constexpr std::uint32_t kInside = 2;

    struct Cell {
        std::uint32_t first;
        std::uint32_t shift;
    };

    void assign(const std::vector<std::uint32_t>& mass, std::size_t share) {
        cells_.resize(mass.size());
        std::uint32_t next = kInside;
        std::size_t open = 0;
        bool shared = false;
        for (std::size_t i = 0; i < mass.size(); ++i) {
            const bool first_negative = low_ + (static_cast<std::uint64_t>(i) << shift_) == kTop;
            const unsigned bits = std::min<unsigned>(
                shift_, mass[i] < share ? 0U : static_cast<unsigned>(std::bit_width(mass[i] / share)) - 1U);
            if (bits > 0 || first_negative || open + mass[i] > share) {
                if (shared) ++next;
                shared = false;
                open = 0;
            }
            if (first_negative) first_negative_ = next;
            cells_[i] = {next, shift_ - bits};
            if (bits > 0) {
                next += std::uint32_t{1} << bits;
            } else {
                shared = true;
                open += mass[i];
            }
        }
        if (shared) ++next;
        if (low_ > kTop) first_negative_ = kInside;
        buckets_ = next + 2;
    }

    std::uint64_t low_ = 0;
    std::uint64_t span_ = 0;
    std::uint64_t mask_ = 0;
    unsigned shift_ = 0;
    unsigned tail_ = 0;
    std::uint32_t buckets_ = 0;
    std::uint32_t first_negative_ = ~std::uint32_t{0};
    std::vector<Cell> cells_;
};

}  // namespace thresher
