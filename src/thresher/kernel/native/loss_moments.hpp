// Sums that intervals of mean losses are made of, added so that they do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>

#include "common.hpp"

namespace thresher {

// Of one class: Σw, Σw² and, for each quantity l of a row (squared error, natural-log loss, score), Σw·l, Σw²·l, Σw²·l².
inline constexpr std::size_t kPerClass = 2 + 3 * 3;
inline constexpr std::size_t kMoments = 2 * kPerClass;
using Moments = std::array<double, kMoments>;

inline void add_moments(double* sums, double weight, double square, const double (&losses)[3]) {
    sums[0] += weight;
    sums[1] += square;
    for (std::size_t l = 0; l < 3; ++l) {
        const double part = square * losses[l];
        sums[2 + 3 * l] += weight * losses[l];
        sums[3 + 3 * l] += part;
        sums[4 + 3 * l] += part * losses[l];
    }
}

// Moments of rows; `piece(from, to)` gives the moments of at most kAddedAtOnce.
template <class OfPiece>
Moments moments_of(std::size_t rows, int threads, const OfPiece& piece) {
    constexpr std::size_t kAddedAtOnce = 128;
    const auto added = [](std::size_t count, const auto& part) {
        std::array<Sum, kMoments> totals;
        for (std::size_t i = 0; i < count; ++i) {
            const Moments sums = part(i);
            for (std::size_t k = 0; k < kMoments; ++k) totals[k].add(sums[k]);
        }
        Moments sums;
        for (std::size_t k = 0; k < kMoments; ++k) sums[k] = totals[k].value();
        return sums;
    };
    std::vector<Moments> parts(shares_of(rows));
    run_shares(rows, threads, [&](std::size_t share, std::size_t from, std::size_t to) {
        parts[share] = added((to - from + kAddedAtOnce - 1) / kAddedAtOnce, [&](std::size_t i) {
            const std::size_t start = from + i * kAddedAtOnce;
            return piece(start, std::min(to, start + kAddedAtOnce));
        });
    });
    return added(parts.size(), [&](std::size_t share) -> const Moments& { return parts[share]; });
}

}  // namespace thresher
