// Texts one after the other in one block of bytes, and a hash of one of them.
#pragma once

#include <cstdint>
#include <cstring>

namespace thresher {

// Text i is data[offsets[i] … offsets[i + 1]).
struct Texts {
    const char* data;
    const std::int64_t* offsets;

    const char* begin(std::size_t i) const { return data + offsets[i]; }
    std::size_t size(std::size_t i) const { return static_cast<std::size_t>(offsets[i + 1] - offsets[i]); }

    bool equal(std::size_t i, const Texts& other, std::size_t j) const {
        const std::size_t length = size(i);
        return length == other.size(j) && order(begin(i), other.begin(j), length) == 0;
    }

    // The order of bytes, a prefix first, as in strcmp and UTF-8.
    int compare(std::size_t i, std::size_t j) const {
        const std::size_t a = size(i);
        const std::size_t b = size(j);
        const int found = order(begin(i), begin(j), a < b ? a : b);
        return found != 0 ? found : (a < b ? -1 : a > b ? 1 : 0);
    }

    std::uint64_t hash(std::size_t i) const { return hash_of(begin(i), size(i)); }

    static std::uint64_t hash_of(const char* at, std::size_t left) {
        constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio spreads the bits of a product
        std::uint64_t mixed = left * kOdd;
        for (; left >= 8; left -= 8, at += 8) mixed = fold((mixed ^ word(at, 8)) * kOdd);
        if (left > 0) mixed = fold((mixed ^ word(at, left)) * kOdd);
        return mixed;
    }

private:
    // Texts that are all empty have no bytes at all, and memcmp takes no null.
    static int order(const char* a, const char* b, std::size_t length) {
        return length == 0 ? 0 : std::memcmp(a, b, length);
    }
    static std::uint64_t word(const char* at, std::size_t count) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, count);
        return bytes;
    }
    static std::uint64_t fold(std::uint64_t x) { return x ^ (x >> 32); }
};

}  // namespace thresher
