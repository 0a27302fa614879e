// Four numbers at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// What is compiled twice, for any processor and for those with AVX2, is inlined into both; it gives the same numbers.
#define THRESHER_INLINED inline __attribute__((always_inline))
#if defined(__x86_64__)
#define THRESHER_AVX2 __attribute__((target("avx2")))
#else
#define THRESHER_AVX2
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // how a call returns four doubles, where there is none
#endif

namespace thresher {

inline bool has_avx2() {
#if defined(__x86_64__)
    static const bool has = __builtin_cpu_supports("avx2") != 0;
    return has;
#else
    return false;
#endif
}

// Rows at a time: a register of AVX2, or two of smaller ones.
inline constexpr std::size_t kLanes = 4;
using Doubles = double __attribute__((vector_size(8 * kLanes)));
using Bits = std::uint64_t __attribute__((vector_size(8 * kLanes)));

THRESHER_INLINED constexpr Doubles all(double value) { return Doubles{value, value, value, value}; }
THRESHER_INLINED constexpr Bits all(std::uint64_t value) { return Bits{value, value, value, value}; }

template <class Lanes = Doubles, class T>
THRESHER_INLINED Lanes lanes_at(const T* values) {
    Lanes lanes;
    std::memcpy(&lanes, values, sizeof(lanes));
    return lanes;
}

THRESHER_INLINED double sum_of(const Doubles& lanes) { return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]); }

THRESHER_INLINED Doubles chosen(const Bits& mask, const Doubles& yes, const Doubles& no) {
    return (Doubles)((mask & (Bits)yes) | (~mask & (Bits)no));
}

}  // namespace thresher
