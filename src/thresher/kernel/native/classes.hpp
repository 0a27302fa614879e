// Rows of several classes with one score column for each, and the columns sorted one at a time.
#pragma once

#include <type_traits>

#include "keys.hpp"
#include "sorter.hpp"

namespace thresher {

// What is sorted: the whole key, with the class and the row.
struct ClassRow {
    std::uint64_t code;
    std::uint32_t class_code;
    std::uint32_t row;
    // Keeps the order of rows, so that weights are added in it.
    static constexpr bool kWeighted = true;
};

// `row_step` and `column_step` are distances in doubles, so that a matrix is read in any memory order.
struct ClassTable {
    const std::int64_t* codes;
    const double* scores;
    const double* weights;
    std::size_t rows;
    std::size_t classes;
    std::size_t row_step;
    std::size_t column_step;

    template <class W>
    W weight(std::size_t row) const {
        if constexpr (std::is_floating_point_v<W>) return weights[row];
        return 1;
    }
    const double* column(std::size_t k) const { return scores + k * column_step; }
};

inline void check_rows(const ClassTable& table) {
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto row = static_cast<std::int64_t>(i);
        if (table.codes[i] < 0 || static_cast<std::size_t>(table.codes[i]) >= table.classes) {
            throw BadRow{kTruthCode, row};
        }
        if (table.weights == nullptr) continue;
        const double weight = table.weights[i];
        if (std::isnan(weight)) throw BadRow{kWeightNan, row};
        if (weight < 0.0) throw BadRow{kWeightNegative, row};
        if (std::isinf(weight)) throw BadRow{kWeightInfinite, row};
    }
}

// The first row with a NaN in any column is named, so this goes before the threads start.
inline void check_scores(const ClassTable& table) {
    std::size_t first = table.rows;
    if (table.column_step == 1) {
        for (std::size_t i = 0; i < first; ++i) {
            const double* row = table.scores + i * table.row_step;
            bool bad = false;
            for (std::size_t k = 0; k < table.classes; ++k) bad |= std::isnan(row[k]);
            if (bad) first = i;
        }
    } else {
        for (std::size_t k = 0; k < table.classes; ++k) {
            const double* column = table.column(k);
            for (std::size_t i = 0; i < first; ++i) {
                if (std::isnan(column[i * table.row_step])) first = i;
            }
        }
    }
    if (first < table.rows) throw BadRow{kScoreNan, static_cast<std::int64_t>(first)};
}

// One thread's sorted columns. Where the scores of a row are side by side, a cache line holds eight columns: these are
// copied at once.
class SortedColumns {
public:
    SortedColumns(const ClassTable& table, const Cancel& cancel)
        : table_(table), sorter_(cancel), items_(table.rows), copied_(group_of(table) > 1 ? group_of(table) * table.rows : 0) {}

    // How many neighbouring columns one thread should take.
    static std::size_t group_of(const ClassTable& table) {
        const bool scattered = table.column_step == 1 && table.classes > 1;
        return scattered && table.rows <= kMostRows ? std::min(kGroup, table.classes) : 1;
    }

    // Calls use(k, items, count) for `many` columns from `first`, items by falling score, those without weight left out.
    template <class Use>
    void each(std::size_t first, std::size_t many, const Use& use) {
        const bool copy = group_of(table_) > 1;
        if (copy) {
            for (std::size_t i = 0; i < table_.rows; ++i) {
                const double* row = table_.scores + i * table_.row_step + first;
                for (std::size_t j = 0; j < many; ++j) copied_[j * table_.rows + i] = row[j];
            }
        }
        for (std::size_t j = 0; j < many; ++j) {
            const double* column = copy ? copied_.get() + j * table_.rows : table_.column(first + j);
            const std::size_t count = read(column, copy ? 1 : table_.row_step);
            use(first + j, count > 0 ? sorter_.sort(items_.get(), count) : items_.get(), count);
        }
    }

private:
    static constexpr std::size_t kGroup = 8;
    static constexpr std::size_t kMostRows = std::size_t{1} << 20;

    std::size_t read(const double* column, std::size_t step) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < table_.rows; ++i) {
            items_[count] = {key_of(column[i * step]), static_cast<std::uint32_t>(table_.codes[i]),
                             static_cast<std::uint32_t>(i)};
            count += table_.weights == nullptr || table_.weights[i] > 0;
        }
        return count;
    }

    const ClassTable& table_;
    Sorter<ClassRow> sorter_;
    Block<ClassRow> items_;
    Block<double> copied_;
};

// Runs work(k, items, count) for columns `first` … `end` − 1 on several threads, each column once.
template <class Work>
void for_columns(const ClassTable& table, std::size_t first, std::size_t end, int threads, const Cancel& cancel,
                 const Work& work) {
    const std::size_t group = SortedColumns::group_of(table);
    std::atomic<std::size_t> next{first};
    run_threads(threads, [&](int) {
        SortedColumns columns(table, cancel);
        for (std::size_t k = next.fetch_add(group); k < end; k = next.fetch_add(group)) {
            cancel.check();
            columns.each(k, std::min(group, end - k), work);
        }
    });
}

}  // namespace thresher
