// Reading a score table: checks, totals, and cumulative counts.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "common.hpp"

namespace thresher {

// N is int64 (whole counts) or double (sums of weights).
template <class N>
struct Table {
    const N* positive;
    const N* negative;
    std::size_t rows;

    explicit Table(const TableColumns& columns)
        : positive(static_cast<const N*>(columns.positive)),
          negative(static_cast<const N*>(columns.negative)),
          rows(static_cast<std::size_t>(columns.rows)) {}
};

template <class N>
Status fault_of(N count) {
    if constexpr (std::is_floating_point_v<N>) {
        if (std::isnan(count)) return kCountNan;
        if (count > std::numeric_limits<N>::max()) return kCountInfinite;
    }
    return count < 0 ? kCountNegative : kOk;
}

template <class N>
void check_counts(const Table<N>& table) {
    bool fault = false;
    for (std::size_t i = 0; i < table.rows; ++i) {
        if constexpr (std::is_floating_point_v<N>) {
            constexpr N most = std::numeric_limits<N>::max();
            fault |= !(table.positive[i] >= 0 && table.positive[i] <= most);
            fault |= !(table.negative[i] >= 0 && table.negative[i] <= most);
        } else {
            fault |= (table.positive[i] | table.negative[i]) < 0;
        }
    }
    if (!fault) return;
    for (std::size_t i = 0; i < table.rows; ++i) {
        // Within a row: NaN, then negative, then infinite, in either column.
        const Status a = fault_of(table.positive[i]);
        const Status b = fault_of(table.negative[i]);
        for (const Status status : {kCountNan, kCountNegative, kCountInfinite}) {
            if (a == status || b == status) throw BadRow{status, static_cast<std::int64_t>(i)};
        }
    }
}

// Adds one after the other, as the cumulative columns do.
template <class N>
N total_of(const N* column, std::size_t rows) {
    N total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        if constexpr (std::is_floating_point_v<N>) {
            total += column[i];
        } else if (__builtin_add_overflow(total, column[i], &total)) {
            throw BadRow{kCountOverflow, static_cast<std::int64_t>(i)};
        }
    }
    return total;
}

template <class N>
struct Totals {
    N positive;
    N negative;
};

// Checks a table and returns its totals.
template <class N>
Totals<N> checked_totals(const Table<N>& table) {
    check_counts(table);
    return {total_of(table.positive, table.rows), total_of(table.negative, table.rows)};
}

// Whether products of cumulative counts, doubled, stay within 64 bits.
inline bool narrow(const Totals<std::int64_t>& totals) {
    return 2 * static_cast<UWide>(totals.positive) * static_cast<UWide>(totals.negative) <
           static_cast<UWide>(1) << 62;
}
inline bool narrow(const Totals<double>&) { return true; }

// Calls body(Table<N>) with the type the columns have.
template <class Body>
void with_table(const TableColumns& columns, const Body& body) {
    if (columns.whole != 0) {
        body(Table<std::int64_t>(columns));
    } else {
        body(Table<double>(columns));
    }
}

// Adds in blocks, and the blocks with compensation: as exact as a pairwise sum, at the speed of a plain one.
class BlockSum {
public:
    void add(double term) {
        block_ += term;
        if (++terms_ == kTerms) flush();
    }
    double value() {
        flush();
        return sum_.value();
    }

private:
    static constexpr int kTerms = 128;
    void flush() {
        sum_.add(block_);
        block_ = 0.0;
        terms_ = 0;
    }
    Sum sum_;
    double block_ = 0.0;
    int terms_ = 0;
};

}  // namespace thresher
