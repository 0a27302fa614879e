// Rows counted into bins of equal width: constant memory, whatever the number of rows.
#include <algorithm>
#include <limits>

#include "common.hpp"
#include "grid.hpp"

namespace thresher {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // rows between two looks at the flag

// Calls add(bin, truth, row) for every row whose score has a bin, and names the others in `strays`. What belongs to a bin
// lies side by side, `width` values wide: one line of the cache serves a row.
template <class N, class Check, class Add>
std::size_t bin_rows(const RowColumns& rows, const Grid& grid, const Cancel& cancel, N* bins, std::int64_t width,
                     std::int64_t* strays, const Check& check, const Add& add) {
    const auto size = static_cast<std::size_t>(rows.rows);
    const auto places_of = places_of_grid();
    std::size_t strayed = 0;
    std::int64_t places[2][kAhead];  // of these rows, and of the next
    const auto ask = [&](std::size_t start) {
        if (start >= size) return;
        std::int64_t* const found = places[start / kAhead % 2];
        const std::size_t count = std::min(kAhead, size - start);
        places_of(grid, rows.scores + start, count, found);
        for (std::size_t i = 0; i < count; ++i) {
            if (found[i] >= 0) __builtin_prefetch(bins + width * found[i], 1);
        }
    };
    ask(0);
    for (std::size_t start = 0; start < size; start += kAhead) {
        if (start % kPiece == 0) cancel.check();
        ask(start + kAhead);
        for (std::size_t row = start; row < std::min(start + kAhead, size); ++row) {
            const std::int64_t place = places[start / kAhead % 2][row - start];
            const std::uint64_t truth = read_once(rows.truth[row]);
            if (truth > 1) throw BadRow{kTruth, static_cast<std::int64_t>(row)};
            if (place < 0) {
                if (std::isnan(rows.scores[row])) throw BadRow{kScoreNan, static_cast<std::int64_t>(row)};
                strays[strayed++] = static_cast<std::int64_t>(row);
            }
            check(row);
            if (place >= 0) add(bins + width * place, truth, row);
        }
    }
    return strayed;
}

Status fault_of(double weight) {
    return std::isnan(weight) ? kWeightNan : weight < 0.0 ? kWeightNegative : kWeightInfinite;
}

// Counts of negatives and positives.
template <class N>
std::size_t count_rows(const RowColumns& rows, const Grid& grid, const Cancel& cancel, N* bins, std::int64_t* strays) {
    return bin_rows(
        rows, grid, cancel, bins, 2, strays, [](std::size_t) {},
        [](N* bin, std::uint64_t truth, std::size_t) { ++bin[truth]; });
}

// Σw of negatives and positives, then Σw² of both.
std::size_t add_rows(const RowColumns& rows, const Grid& grid, const Cancel& cancel, double* bins,
                     std::int64_t* strays) {
    return bin_rows(
        rows, grid, cancel, bins, 4, strays,
        [&](std::size_t row) {
            const double weight = rows.weights[row];
            if (weight >= 0.0 && weight <= std::numeric_limits<double>::max()) return;
            throw BadRow{fault_of(weight), static_cast<std::int64_t>(row)};
        },
        [&](double* bin, std::uint64_t truth, std::size_t row) {
            const double weight = rows.weights[row];
            bin[truth] += weight;
            bin[2 + truth] += weight * weight;
        });
}

}  // namespace
}  // namespace thresher

// Adds rows to `counts`: of every bin, int64 of negatives and positives, or uint32 where these are `narrow`; or with weights
// doubles of Σw and Σw² of both. Rows outside the bins are named in `strays`, which has room for all.
THRESHER_API std::int32_t thresher_bin_rows(const std::uint8_t* truth, const double* scores, const double* weights,
                                            std::int64_t rows, double scale, double first, std::int64_t bins,
                                            std::int32_t narrow, const std::int32_t* cancel, void* counts,
                                            std::int64_t* strays, std::int64_t* strayed, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, weights, rows};
        const Grid grid{scale, first, static_cast<double>(bins)};
        const Cancel flag(cancel);
        const std::size_t out =
            weights != nullptr ? add_rows(columns, grid, flag, static_cast<double*>(counts), strays)
            : narrow != 0      ? count_rows(columns, grid, flag, static_cast<std::uint32_t*>(counts), strays)
                               : count_rows(columns, grid, flag, static_cast<std::int64_t*>(counts), strays);
        *strayed = static_cast<std::int64_t>(out);
    });
}
