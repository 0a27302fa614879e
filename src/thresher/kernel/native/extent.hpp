// The range of some numbers.
#pragma once

#include <cstring>

#include "common.hpp"

namespace thresher {

struct Extent {
    double highest;
    double lowest;
    bool finite;
};

// Extremes of some numbers where all are finite. Chains of comparisons run side by side, in pairs because compilers do
// not find them; a number less itself is 0, or NaN if it is not finite.
inline Extent extent_of(const double* values, std::size_t count) {
    typedef double Pair __attribute__((vector_size(16)));
    constexpr std::size_t kChains = 3;
    const double infinity = std::numeric_limits<double>::infinity();
    Pair high[kChains];
    Pair low[kChains];
    Pair zero[kChains] = {};
    for (std::size_t chain = 0; chain < kChains; ++chain) {
        high[chain] = Pair{-infinity, -infinity};
        low[chain] = Pair{infinity, infinity};
    }
    const auto take = [&](std::size_t chain, const Pair& pair) {
        high[chain] = pair > high[chain] ? pair : high[chain];
        low[chain] = pair < low[chain] ? pair : low[chain];
        zero[chain] += pair - pair;
    };
    std::size_t i = 0;
    for (; i + 2 * kChains <= count; i += 2 * kChains) {
        for (std::size_t chain = 0; chain < kChains; ++chain) {
            Pair pair;
            std::memcpy(&pair, values + i + 2 * chain, sizeof pair);
            take(chain, pair);
        }
    }
    for (; i < count; ++i) take(0, Pair{values[i], values[i]});
    Extent found{-infinity, infinity, true};
    for (std::size_t chain = 0; chain < kChains; ++chain) {
        found.highest = std::max({found.highest, high[chain][0], high[chain][1]});
        found.lowest = std::min({found.lowest, low[chain][0], low[chain][1]});
        found.finite = found.finite && zero[chain][0] + zero[chain][1] == 0.0;
    }
    return found;
}

}  // namespace thresher
