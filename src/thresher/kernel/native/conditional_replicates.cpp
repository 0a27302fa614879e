// The sums of conditional.cpp for many resamples of the same rows: every column is sorted once for a block of them.
#include "own_scores.hpp"

namespace thresher {
namespace {

// Rows tied in a column, and their place among the true scores.
struct TiedRows {
    std::size_t end;
    std::size_t place;
    bool meets;
};

// Resamples of one block: how often each row is in it, and the true scores' weights, with running sums `before`.
template <class W>
class Resamples {
public:
    Resamples(const ClassTable& table, const Own<W>& own, const std::uint8_t* drawn, std::size_t count)
        : table_(table), drawn_(drawn), stride_(own.keys.size() + 1), weight_(count * stride_), before_(count * stride_) {
        for (std::size_t r = 0; r < count; ++r) {
            for (std::size_t i = 0; i < table.rows; ++i) {
                if (table.weight<W>(i) > 0) weight_[r * stride_ + own.place[i]] += weight(r, i);
            }
            for (std::size_t p = 1; p < stride_; ++p) {
                before_[r * stride_ + p] = before_[r * stride_ + p - 1] + weight_[r * stride_ + p - 1];
            }
        }
    }

    W weight(std::size_t r, std::size_t row) const {
        return static_cast<W>(drawn_[r * table_.rows + row]) * table_.weight<W>(row);
    }
    // Twice the true scores above, those tied once.
    W above(std::size_t r, const TiedRows& tied) const {
        const std::size_t at = r * stride_ + tied.place;
        return 2 * before_[at] + (tied.meets ? weight_[at] : W{0});
    }

private:
    const ClassTable& table_;
    const std::uint8_t* drawn_;
    std::size_t stride_;
    std::vector<W> weight_;
    std::vector<W> before_;
};

template <class W>
std::vector<TiedRows> tied_rows(const Own<W>& own, const ClassRow* items, std::size_t count) {
    std::vector<TiedRows> groups;
    std::size_t p = 0;
    for (std::size_t from = 0; from < count;) {
        std::size_t to = from;
        while (to < count && items[to].code == items[from].code) ++to;
        while (p < own.keys.size() && own.keys[p] < items[from].code) ++p;
        groups.push_back({to, p, p < own.keys.size() && own.keys[p] == items[from].code});
        from = to;
    }
    return groups;
}

// Column k of resample r; `twice` has an entry for every class. Returns the column's part of the micro average.
template <class W>
W sweep(const Resamples<W>& resamples, std::size_t r, const ClassRow* items, const std::vector<TiedRows>& groups,
        std::size_t k, W* twice) {
    W above = 0;
    W micro = 0;
    std::size_t from = 0;
    for (const TiedRows& group : groups) {
        W tied = 0;
        for (std::size_t i = from; i < group.end; ++i) {
            if (items[i].class_code == k) tied += resamples.weight(r, items[i].row);
        }
        const W reached = 2 * above + tied;
        const W over = resamples.above(r, group);
        for (; from < group.end; ++from) {
            if (items[from].class_code == k) continue;
            const W w = resamples.weight(r, items[from].row);
            twice[items[from].class_code] += w * reached;
            micro += w * over;
        }
        above += tied;
    }
    return micro;
}

template <class W>
void run(const ClassTable& table, const std::uint8_t* drawn, std::size_t count, int threads, const Cancel& cancel, W* twice,
         W* micro) {
    // A sort serves a block of resamples, with two sums for every true score: at most 256 MB of them.
    constexpr std::size_t kMostResamples = 64;
    constexpr std::size_t kMostSums = std::size_t{1} << 24;
    check_rows(table);
    check_scores(table);
    const Own<W> own(table, cancel, true);
    const std::size_t k_all = table.classes;
    const std::size_t most = std::clamp(kMostSums / (own.keys.size() + 1), std::size_t{1}, kMostResamples);
    for (std::size_t first = 0; first < count; first += most) {
        const std::size_t block = std::min(most, count - first);
        const Resamples<W> resamples(table, own, drawn + first * table.rows, block);
        for_columns(table, 0, k_all, threads, cancel, [&](std::size_t k, const ClassRow* items, std::size_t rows) {
            const std::vector<TiedRows> groups = tied_rows(own, items, rows);
            for (std::size_t r = 0; r < block; ++r) {
                W* const out = twice + ((first + r) * k_all + k) * k_all;
                micro[(first + r) * k_all + k] = sweep(resamples, r, items, groups, k, out);
            }
        });
    }
}

}  // namespace
}  // namespace thresher

// `drawn` is count × rows; `twice` (count × classes × classes) and `micro` (count × classes) are zero, int64 without
// weights, else double.
THRESHER_API std::int32_t thresher_conditional_replicates(const std::int64_t* codes, const double* scores,
                                                          const double* weights, std::int64_t rows, std::int64_t classes,
                                                          std::int64_t row_step, std::int64_t column_step,
                                                          const std::uint8_t* drawn, std::int64_t count,
                                                          std::int32_t threads, const std::int32_t* cancel, void* twice,
                                                          void* micro, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const ClassTable table{codes, scores, weights, static_cast<std::size_t>(rows), static_cast<std::size_t>(classes),
                               static_cast<std::size_t>(row_step), static_cast<std::size_t>(column_step)};
        const auto resamples = static_cast<std::size_t>(count);
        if (weights == nullptr) {
            run(table, drawn, resamples, threads, Cancel(cancel), static_cast<std::int64_t*>(twice),
                static_cast<std::int64_t*>(micro));
        } else {
            run(table, drawn, resamples, threads, Cancel(cancel), static_cast<double*>(twice), static_cast<double*>(micro));
        }
    });
}
