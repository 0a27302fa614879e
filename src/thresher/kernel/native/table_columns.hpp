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

// Whole counts that are added and checked.
struct Checked {
    std::uint64_t positive = 0;
    std::uint64_t negative = 0;
    std::uint64_t signs = 0;

    // A negative count shows in its own sign bit; the first step of a sum beyond 2^63 − 1 in the sum's, because it adds
    // less than 2^63.
    void add(std::uint64_t p, std::uint64_t n) {
        positive += p;
        negative += n;
        signs |= p | n | positive | negative;
    }
    bool is_sound() const { return signs >> 63 == 0; }
    Totals<std::int64_t> totals() const { return {static_cast<std::int64_t>(positive), static_cast<std::int64_t>(negative)}; }
};

// The counts of a share of the rows, whose sums stay within 64 bits if each count has fewer.
template <Whole S>
Checked checked(const Table<S>& table, std::size_t from, std::size_t to) {
    Checked sums;
    for (std::size_t i = from; i < to; ++i) {
        const auto p = static_cast<std::uint64_t>(table.positive[i]);
        const auto n = static_cast<std::uint64_t>(table.negative[i]);
        if constexpr (sizeof(S) == 8) {
            sums.add(p, n);
        } else {
            sums.positive += p;
            sums.negative += n;
            sums.signs |= p | n;
        }
    }
    return sums;
}

// Checks every count and returns the totals, added one after the other as the cumulative columns are.
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

// A checked table in chunks for several threads, with what comes before each. Sums of weights, which depend on the order
// of their terms, are one chunk.
template <class S>
class Chunks {
public:
    using N = CountOf<S>;

    Chunks(const Table<S>& table, int threads) : rows_(table.rows), threads_(threads), before_{{0, 0}} {
        if constexpr (Whole<S>) {
            std::vector<Checked> sums(shares_of(rows_));
            run_shares(rows_, threads, [&](std::size_t chunk, std::size_t from, std::size_t to) {
                sums[chunk] = checked(table, from, to);
            });
            Checked total;
            for (const Checked& own : sums) {
                total.add(own.positive, own.negative);
                total.signs |= own.signs;
                before_.push_back(total.totals());
            }
            if (!total.is_sound()) throw_first_fault(table);
        } else {
            before_.push_back(checked_totals(table));
        }
    }

    std::size_t count() const { return before_.size() - 1; }
    const Totals<N>& before(std::size_t chunk) const { return before_[chunk]; }
    const Totals<N>& totals() const { return before_.back(); }

    // Calls work(chunk, from, to) for every chunk.
    template <class Work>
    void each(const Work& work) const {
        if constexpr (Whole<S>) {
            run_shares(rows_, threads_, work);
        } else {
            work(std::size_t{0}, std::size_t{0}, rows_);
        }
    }

private:
    std::size_t rows_;
    int threads_;
    std::vector<Totals<N>> before_;
};

template <Whole S>
Totals<std::int64_t> checked_totals(const Table<S>& table) {
    return Chunks<S>(table, 1).totals();
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

    static constexpr std::size_t kTerms = 128;

private:
    void flush() {
        sum_.add(block_);
        block_ = 0.0;
        terms_ = 0;
    }
    Sum sum_;
    double block_ = 0.0;
    std::size_t terms_ = 0;
};

}  // namespace thresher
