// Rows looked up in a table of bins: where they stand, and what the table has there.
#include <algorithm>

#include "common.hpp"
#include "grid.hpp"

namespace thresher {
namespace {

// A table whose bins rise. Those of one width are found by their numbers, of which `index` has the places; others are
// looked for.
struct BinTable {
    const double* starts;
    std::int64_t size;
    const std::int32_t* index;
    Grid grid;

    std::int64_t place(double score, std::int64_t number) const {
        if (number >= 0) {
            const auto found = static_cast<std::int64_t>(read_once(static_cast<std::uint32_t>(index[number])));
            if (found < size) return found;  // that of none is −1, the greatest of all
        }
        return std::max<std::int64_t>(std::upper_bound(starts, starts + size, score) - starts - 1, 0);
    }
};

// What is looked up: of every place a value of negatives and one of positives, and a cell; both may be left out.
struct Looked {
    const double* values;
    const std::int32_t* cells;
};

struct Found {
    std::int64_t* places;
    double* values;
    std::int64_t* cells;
};

void look_up(const std::uint8_t* truth, const double* scores, const BinTable& table, const Looked& looked,
             const Found& found, std::size_t from, std::size_t to) {
    const auto places_of = places_of_grid();
    std::int64_t numbers[kAhead];
    for (std::size_t start = from; start < to; start += kAhead) {
        const std::size_t count = std::min(kAhead, to - start);
        places_of(table.grid, scores + start, count, numbers);
        for (std::size_t i = 0; i < count; ++i) {
            if (numbers[i] >= 0) __builtin_prefetch(table.index + numbers[i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t place = table.place(scores[start + i], numbers[i]);
            numbers[i] = found.places[start + i] = place;
            if (looked.values != nullptr) __builtin_prefetch(looked.values + 2 * place);
            if (looked.cells != nullptr) __builtin_prefetch(looked.cells + place);
        }
        for (std::size_t i = 0; looked.values != nullptr && i < count; ++i) {
            found.values[start + i] = looked.values[2 * numbers[i] + (truth[start + i] != 0)];
        }
        for (std::size_t i = 0; looked.cells != nullptr && i < count; ++i) {
            found.cells[start + i] = looked.cells[numbers[i]];
        }
    }
}

}  // namespace
}  // namespace thresher

// `index` has `numbers` places, none of which is beyond the table. places_out: of every row that of the last bin that
// begins at its score or below; values_out and cells_out: what is looked up there, unless it is left out.
THRESHER_API std::int32_t thresher_place_rows(const std::uint8_t* truth, const double* scores, std::int64_t rows,
                                              const double* starts, std::int64_t size, const std::int32_t* index,
                                              std::int64_t numbers, double scale, double first, const double* values,
                                              const std::int32_t* cells, std::int32_t threads, std::int64_t* places_out,
                                              double* values_out, std::int64_t* cells_out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const BinTable table{starts, size, index, Grid{scale, first, static_cast<double>(numbers)}};
        constexpr std::size_t kBlock = std::size_t{1} << 14;
        const auto count = static_cast<std::size_t>(rows);
        std::atomic<std::size_t> next{0};
        run_threads(threads, [&](int) {
            for (std::size_t from = kBlock * next++; from < count; from = kBlock * next++) {
                look_up(truth, scores, table, Looked{values, cells}, Found{places_out, values_out, cells_out}, from,
                        std::min(count, from + kBlock));
            }
        });
    });
}
