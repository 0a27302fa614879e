// Scores as whole numbers in the order of the table.
#pragma once

#include <bit>
#include <cstdint>

namespace thresher {

inline constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

// A key grows as the score falls; the top bit says that the score is negative. Adding 0.0 makes −0.0 into 0.0.
inline std::uint64_t key_of(double score) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(score + 0.0);
    return (bits & kTop) != 0 ? bits : bits ^ (kTop - 1);
}

inline double score_of(std::uint64_t key) {
    return std::bit_cast<double>((key & kTop) != 0 ? key : key ^ (kTop - 1));
}

// What is sorted. The class takes the lowest bit and the key the others; the key's top bit, which falls out, is the
// same for all items of a bucket and known from it. Equal keys: negatives first.
struct Item {
    std::uint64_t code;
    static constexpr bool kWeighted = false;
};

struct WeightedItem {
    std::uint64_t code;
    double weight;
    static constexpr bool kWeighted = true;
};

inline std::uint64_t pack(std::uint64_t key, std::uint64_t positive) { return (key << 1) | positive; }

// Orders items of one bucket by key; 63 bits.
template <class T>
std::uint64_t order_of(const T& item) {
    return item.code >> 1;
}

}  // namespace thresher
