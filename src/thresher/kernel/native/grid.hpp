// Bins whose width is a power of two: bin 0 starts at first/scale.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "lanes.hpp"

namespace thresher {

// Rows whose bins are all asked for before the first is used: most are not in the cache, and their ways from memory then
// overlap.
inline constexpr std::size_t kAhead = 64;

// Multiplying by a power of two rounds nothing, unless the product overflows (such a score is outside) or gets so small
// that it becomes 0.
struct Grid {
    double scale;
    double first;
    double bins;

    // Place among the bins, or −1 for a score outside of them.
    std::int64_t place(double score) const {
        const double product = score * scale;
        double index = floor_of(product);
        if (product == 0.0 && score < 0.0) index = -1.0;
        index -= first;
        return index >= 0.0 && index < bins ? static_cast<std::int64_t>(index) : -1;
    }

    // Places of so many scores.
    THRESHER_INLINED void places_of(const double* scores, std::size_t count, std::int64_t* places) const {
        std::size_t i = 0;
        for (; i + kLanes <= count; i += kLanes) {
            if (places_of_lanes(scores + i, places + i)) continue;
            for (std::size_t k = i; k < i + kLanes; ++k) places[k] = place(scores[k]);
        }
        for (; i < count; ++i) places[i] = place(scores[i]);
    }

private:
    // The same of four scores, unless one of the products is too large, or none.
    THRESHER_INLINED bool places_of_lanes(const double* scores, std::int64_t* places) const {
        const Doubles score = lanes_at(scores);
        const Doubles product = score * all(scale);
        const Bits usual = (Bits)(product < all(0x1p51)) & (Bits)(product > all(-0x1p51));
        if ((usual[0] & usual[1] & usual[2] & usual[3]) == 0) return false;
        // A number of this size has no digits behind the point, so that the sum is rounded to a whole number.
        const Doubles nearest = (product + all(0x1.8p52)) - all(0x1.8p52);
        const Bits vanished = (Bits)(product == all(0.0)) & (Bits)(score < all(0.0));
        const Bits lower = (Bits)(nearest > product) | vanished;
        const Doubles index = nearest - (Doubles)(lower & (Bits)all(1.0)) - all(first);
        const Bits inside = (Bits)(index >= all(0.0)) & (Bits)(index < all(bins));
        const Bits number = (Bits)(index + all(0x1p52)) & all(std::uint64_t{0x000fffffffffffff});
        const Bits found = (number & inside) | ~inside;
        std::memcpy(places, &found, sizeof(found));
        return true;
    }

    // By a conversion, as without SSE 4.1 the function of the library is called.
    static double floor_of(double x) {
        if (!(std::fabs(x) < 0x1p52)) return std::floor(x);
        const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
        return whole > x ? whole - 1.0 : whole;
    }
};

inline void places_anywhere(const Grid& grid, const double* scores, std::size_t count, std::int64_t* places) {
    grid.places_of(scores, count, places);
}

THRESHER_AVX2 inline void places_with_avx2(const Grid& grid, const double* scores, std::size_t count,
                                           std::int64_t* places) {
    grid.places_of(scores, count, places);
}

// What finds the places of scores in a grid on this processor.
inline auto places_of_grid() { return has_avx2() ? places_with_avx2 : places_anywhere; }

}  // namespace thresher
