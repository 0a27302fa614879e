// Scores rounded to some of their significant bits, toward the negative class.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace thresher {

inline constexpr std::uint64_t kHalf = 1022;  // page of 0.5, to which scores above it may be rounded
inline constexpr std::uint64_t kSize = 0x7fffffffffffffff;
// The bits of 2**-960, below which scores are 0 or this, and of 2**960, above which they stay.
inline constexpr std::uint64_t kTiny = std::uint64_t{1023 - 960} << 52;
inline constexpr std::uint64_t kHuge = std::uint64_t{1023 + 960} << 52;

inline std::uint64_t bits_of(double value) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(word));
    return word;
}

struct RoundedWord {
    std::uint64_t word;      // of the rounded score, or of 1 − it, with bits below the kept ones that count for nothing
    std::uint64_t near_one;  // 1 where the score is in (0.5, 1), so that 1 − score is rounded
};

// Up where low scores are positive (`lower` is 1). Without a branch: half of all scores may be above 0.5, in no order
// that a processor could guess.
inline RoundedWord rounded_word(double score, std::int32_t bits, std::uint64_t lower) {
    const std::uint64_t near_one = static_cast<std::uint64_t>(score > 0.5) & static_cast<std::uint64_t>(score < 1.0);
    const std::uint64_t mask = std::uint64_t{0} - near_one;
    std::uint64_t word = (bits_of(1.0 - score) & mask) | (bits_of(score) & ~mask);
    // Away from 0 where that is the side of the negative class.
    const std::uint64_t is_away = (near_one | static_cast<std::uint64_t>(score < 0.0)) ^ lower;
    if ((word & kSize) < kTiny) word = is_away != 0 && (word & kSize) != 0 ? (word & ~kSize) | kTiny : 0;
    word += ((std::uint64_t{1} << (53 - bits)) - 1) & (std::uint64_t{0} - is_away);
    return {word, near_one};
}

inline double rounded(double score, std::int32_t bits, std::uint64_t lower) {
    if ((bits_of(score) & kSize) > kHuge) return score;
    const RoundedWord found = rounded_word(score, bits, lower);
    const std::uint64_t word = found.word & ~((std::uint64_t{1} << (53 - bits)) - 1);
    double near = 0.0;
    std::memcpy(&near, &word, sizeof(near));
    return (found.near_one != 0 ? 1.0 - near : near) + 0.0;
}

}  // namespace thresher
