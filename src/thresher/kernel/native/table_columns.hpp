// Reading a score table: checks, totals, and cumulative counts.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "common.hpp"

namespace thresher {

// Counts are stored as whole numbers of any size, and computed with as int64; sums of weights are double.
template <class S>
concept Whole = std::is_integral_v<S>;
template <class S>
using CountOf = std::conditional_t<Whole<S>, std::int64_t, double>;

template <class S>
struct Column {
    const S* data;
    CountOf<S> operator[](std::size_t i) const { return data[i]; }
};

template <class S>
struct Table {
    using Count = CountOf<S>;
    Column<S> positive;
    Column<S> negative;
    std::size_t rows;

    explicit Table(const TableColumns& columns)
        : positive{static_cast<const S*>(columns.positive)},
          negative{static_cast<const S*>(columns.negative)},
          rows(static_cast<std::size_t>(columns.rows)) {}
};

// Σw² per score and class; null where they are the counts.
struct Squares {
    const double* positive;
    const double* negative;
};

template <class N>
struct Totals {
    N positive;
    N negative;
};

template <class N>
Status fault_of(N count) {
    if constexpr (std::is_floating_point_v<N>) {
        if (std::isnan(count)) return kCountNan;
        if (count > std::numeric_limits<N>::max()) return kCountInfinite;
    }
    return count < 0 ? kCountNegative : kOk;
}

// Names the first row with a bad count (within a row: NaN, then negative, then infinite, in either column), else the
// row at which the positives, or if they do not the negatives, add up to more than fits.
template <class S>
[[noreturn]] void throw_first_fault(const Table<S>& table) {
    using N = CountOf<S>;
    for (std::size_t i = 0; i < table.rows; ++i) {
        const Status a = fault_of(table.positive[i]);
        const Status b = fault_of(table.negative[i]);
        for (const Status status : {kCountNan, kCountNegative, kCountInfinite}) {
            if (a == status || b == status) throw BadRow{status, static_cast<std::int64_t>(i)};
        }
    }
    if constexpr (Whole<S>) {
        for (const Column<S>& column : {table.positive, table.negative}) {
            N total = 0;
            for (std::size_t i = 0; i < table.rows; ++i) {
                const N count = column[i];
                if (count < 0) throw BadRow{kChanged, static_cast<std::int64_t>(i)};
                if (total > std::numeric_limits<N>::max() - count) {
                    throw BadRow{kCountOverflow, static_cast<std::int64_t>(i)};
                }
                total += count;
            }
        }
    }
    throw BadRow{kChanged, 0};
}

// Checks every count and returns the totals, added one after the other as the cumulative columns are.
template <Whole S>
Totals<std::int64_t> checked_totals(const Table<S>& table) {
    std::uint64_t positive = 0;
    std::uint64_t negative = 0;
    std::uint64_t signs = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto p = static_cast<std::uint64_t>(table.positive[i]);
        const auto n = static_cast<std::uint64_t>(table.negative[i]);
        positive += p;
        negative += n;
        // A negative count shows in its own sign bit; the first step of a sum beyond 2^63 − 1 in the sum's, because
        // it adds less than 2^63.
        signs |= p | n | positive | negative;
    }
    if (signs >> 63 != 0) throw_first_fault(table);
    return {static_cast<std::int64_t>(positive), static_cast<std::int64_t>(negative)};
}

inline Totals<double> checked_totals(const Table<double>& table) {
    constexpr double most = std::numeric_limits<double>::max();
    Totals<double> totals{0.0, 0.0};
    bool fault = false;
    for (std::size_t i = 0; i < table.rows; ++i) {
        fault |= !(table.positive[i] >= 0.0 && table.positive[i] <= most);
        fault |= !(table.negative[i] >= 0.0 && table.negative[i] <= most);
        totals.positive += table.positive[i];
        totals.negative += table.negative[i];
    }
    if (fault) throw_first_fault(table);
    return totals;
}

// Whether products of cumulative counts, doubled, stay within 64 bits.
inline bool narrow(const Totals<std::int64_t>& totals) {
    return 2 * static_cast<UWide>(totals.positive) * static_cast<UWide>(totals.negative) <
           static_cast<UWide>(1) << 62;
}
inline bool narrow(const Totals<double>&) { return true; }

// Calls body(Table<S>) with the type the columns have.
template <class Body>
void with_table(const TableColumns& columns, const Body& body) {
    switch (columns.whole) {
        case 0: return body(Table<double>(columns));
        case 1: return body(Table<std::int8_t>(columns));
        case 4: return body(Table<std::int32_t>(columns));
        default: return body(Table<std::int64_t>(columns));
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
