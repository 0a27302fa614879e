// Counter-based random numbers and draws with replacement: a replicate depends on its number alone, never on the thread
// that makes it.
#pragma once

#include <array>
#include <cstring>

#include "common.hpp"

namespace thresher {

// Philox4x64-10 [Salmon et al. 2011], the generator of numpy.random.Philox(key=[seed, replicate], counter=[0, 0, s, 0]).
class Philox {
public:
    Philox(std::uint64_t seed, std::uint64_t replicate, std::uint64_t stream)
        : key_{seed, replicate}, counter_{0, 0, stream, 0} {}

    std::array<std::uint64_t, 4> next() {
        // A stream is never longer than 2^64 blocks.
        ++counter_[0];
        std::array<std::uint64_t, 4> c = counter_;
        std::uint64_t k0 = key_[0];
        std::uint64_t k1 = key_[1];
        for (int round = 0; round < 10; ++round) {
            const UWide a = static_cast<UWide>(c[0]) * 0xD2E7470EE14C6C93ULL;
            const UWide b = static_cast<UWide>(c[2]) * 0xCA5A826395121157ULL;
            c = {high(b) ^ c[1] ^ k0, static_cast<std::uint64_t>(b), high(a) ^ c[3] ^ k1, static_cast<std::uint64_t>(a)};
            k0 += 0x9E3779B97F4A7C15ULL;
            k1 += 0xBB67AE8584CAA73BULL;
        }
        return c;
    }

private:
    static std::uint64_t high(UWide x) { return static_cast<std::uint64_t>(x >> 64); }
    std::array<std::uint64_t, 2> key_;
    std::array<std::uint64_t, 4> counter_;
};

// How often a unit is drawn. The chance that one of n is drawn 256 times in n draws is below n/256! < 10^-490.
using Multiplicity = std::uint8_t;

// Draws `size` of `size` units (below 2^32) with replacement. A draw is the high half of word·size; the words that would
// make some units likelier than others are passed over [Lemire 2019], so that all are exactly equally likely.
inline void draw_stratum(Philox stream, std::uint64_t size, Multiplicity* counts) {
    if (size == 0) return;
    std::memset(counts, 0, size);
    const std::uint64_t unfair = (std::uint64_t{1} << 32) % size;
    for (std::uint64_t left = size; left > 0;) {
        for (const std::uint64_t word : stream.next()) {
            for (const int shift : {0, 32}) {
                const std::uint64_t half = (word >> shift) & 0xFFFFFFFFULL;
                const std::uint64_t product = half * size;
                if ((product & 0xFFFFFFFFULL) < unfair || left == 0) continue;
                ++counts[product >> 32];
                --left;
            }
        }
    }
}

// Strata of units one after the other; as many are drawn from each as it has.
struct Strata {
    const std::int64_t* sizes;
    std::size_t count;

    std::size_t units() const {
        std::size_t total = 0;
        for (std::size_t s = 0; s < count; ++s) total += static_cast<std::size_t>(sizes[s]);
        return total;
    }
    void draw(std::uint64_t seed, std::uint64_t replicate, Multiplicity* counts) const {
        for (std::size_t s = 0; s < count; ++s) {
            draw_stratum(Philox(seed, replicate, s), static_cast<std::uint64_t>(sizes[s]), counts);
            counts += sizes[s];
        }
    }
};

}  // namespace thresher
