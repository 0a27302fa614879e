// Bins whose width is a power of two: bin 0 starts at first/scale.
#pragma once

#include <cmath>
#include <cstdint>

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

private:
    // By a conversion, as without SSE 4.1 the function of the library is called.
    static double floor_of(double x) {
        if (!(std::fabs(x) < 0x1p52)) return std::floor(x);
        const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
        return whole > x ? whole - 1.0 : whole;
    }
};

}  // namespace thresher
