// From a score table to one number: areas, variances, extremes.
#include "table_columns.hpp"

namespace thresher {
namespace {

void store(UWide value, std::int64_t* out) {
    out[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
    out[1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(value >> 64));
}

struct Delong {
    double sum10 = kNaN;
    double sum01 = kNaN;
};

// 2U ≤ 2·P·N < 2^127 for totals below 2^63.
template <Whole S>
UWide twice_mann_whitney(const Table<S>& table) {
    UWide twice_u = 0;
    std::uint64_t above = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        const auto positive = static_cast<std::uint64_t>(table.positive[i]);
        const auto negative = static_cast<std::uint64_t>(table.negative[i]);
        twice_u += static_cast<UWide>(negative) * (2 * static_cast<UWide>(above) + positive);
        above += positive;
    }
    return twice_u;
}

double twice_mann_whitney(const Table<double>& table) {
    BlockSum twice_u;
    double above = 0.0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        twice_u.add(table.negative[i] * (2.0 * above + table.positive[i]));
        above += table.positive[i];
    }
    return twice_u.value();
}

// The deviation of a placement from the AUC is (P·a − M)/(2PN), with a = twice what the placement misses and M its
// mean times 2P; P·a and M are whole and below 2^127, so the difference is exact in I.
template <class I, Whole S>
Delong deviations(const Table<S>& table, const Squares& squares, Totals<std::int64_t> totals, UWide twice_u) {
    const I p = totals.positive;
    const I n = totals.negative;
    const I mean = 2 * p * n - static_cast<I>(twice_u);
    I above = 0;
    I below = p;
    BlockSum sum10;
    BlockSum sum01;
    for (std::size_t i = 0; i < table.rows; ++i) {
        const I positive = table.positive[i];
        const I negative = table.negative[i];
        below -= positive;
        const auto off10 = static_cast<double>(p * (2 * above + negative) - mean);
        const auto off01 = static_cast<double>(n * (2 * below + positive) - mean);
        above += negative;
        const double w10 = squares.positive != nullptr ? squares.positive[i] : static_cast<double>(table.positive[i]);
        const double w01 = squares.negative != nullptr ? squares.negative[i] : static_cast<double>(table.negative[i]);
        sum10.add(w10 * (off10 * off10));
        sum01.add(w01 * (off01 * off01));
    }
    const double scale = 2.0 * static_cast<double>(totals.positive) * static_cast<double>(totals.negative);
    return {sum10.value() / scale / scale, sum01.value() / scale / scale};
}

// With float weights the placements are read from the end at which they miss little; read backwards, a table has the
// same deviations with the opposite sign.
Delong deviations(const Table<double>& table, const Squares& squares, Totals<double> totals, bool backwards) {
    const auto row = [&](std::size_t i) { return backwards ? table.rows - 1 - i : i; };
    const double p = totals.positive;
    const double n = totals.negative;
    // Rows on the far side are summed from there: subtracting from the total would cancel.
    const Block<double> beyond(table.rows);
    double sum = 0.0;
    for (std::size_t i = table.rows; i-- > 0;) {
        beyond[i] = sum;
        sum += table.positive[row(i)];
    }
    const auto missed = [&](const auto& use) {
        double above = 0.0;
        for (std::size_t i = 0; i < table.rows; ++i) {
            const double positive = table.positive[row(i)];
            const double negative = table.negative[row(i)];
            use(row(i), positive, (above + negative / 2.0) / n, (beyond[i] + positive / 2.0) / p);
            above += negative;
        }
    };
    BlockSum mean;
    missed([&](std::size_t, double positive, double miss10, double) { mean.add(positive * miss10); });
    const double miss = mean.value() / p;
    BlockSum sum10;
    BlockSum sum01;
    missed([&](std::size_t i, double, double miss10, double miss01) {
        const double w10 = squares.positive != nullptr ? squares.positive[i] : table.positive[i];
        const double w01 = squares.negative != nullptr ? squares.negative[i] : table.negative[i];
        sum10.add(w10 * ((miss10 - miss) * (miss10 - miss)));
        sum01.add(w01 * ((miss01 - miss) * (miss01 - miss)));
    });
    return {sum10.value(), sum01.value()};
}

// The first `terms` terms of both series below.
template <int terms>
void by_series(double z, double& zero, double& one) {
    zero = one = 0.0;
    for (int k = terms; k > 0; --k) {
        zero = 1.0 / k - z * zero;
        one = 1.0 / (k + 1) - z * one;
    }
}

// ∫₀¹ dt/(1+tz) = ln(1+z)/z and ∫₀¹ t·dt/(1+tz) = (z − ln(1+z))/z², by series where these would cancel. What a series
// leaves out is below z^terms, which is below 2^-52.
void logarithmic_means(double z, double& zero, double& one) {
    if (z < 1e-4) return by_series<4>(z, zero, one);
    if (z < 0.05) return by_series<12>(z, zero, one);
    const double log = std::log1p(z);
    zero = log / z;
    one = (z - log) / (z * z);
}

// Reference: thresher.kernel.reference.sums.pr_areas.
template <class S>
void pr_areas(const Table<S>& table, CountOf<S> total, double* out) {
    using N = CountOf<S>;
    BlockSum step;
    BlockSum trapezoid;
    BlockSum exact;
    N tp = 0;
    N fp = 0;
    // At the row before this one.
    double tp0 = 0.0;
    double size0 = 0.0;
    for (std::size_t i = 0; i < table.rows; ++i) {
        tp += table.positive[i];
        fp += table.negative[i];
        const double size = static_cast<double>(tp) + static_cast<double>(fp);
        if (table.positive[i] > 0) {
            const auto rise = static_cast<double>(table.positive[i]);
            const double after = static_cast<double>(tp) / size;
            step.add(rise * after);
            if (tp0 > 0.0) {
                const double before = tp0 / size0;
                double zero = 0.0;
                double one = 0.0;
                logarithmic_means((rise + static_cast<double>(table.negative[i])) / size0, zero, one);
                trapezoid.add(rise * ((before + after) / 2.0));
                exact.add(rise * (before * zero + rise / size0 * one));
            } else {
                trapezoid.add(rise * after);
                exact.add(rise * after);
            }
        }
        tp0 = static_cast<double>(tp);
        size0 = size;
    }
    const auto p = static_cast<double>(total);
    out[0] = step.value() / p;
    out[1] = trapezoid.value() / p;
    out[2] = exact.value() / p;
}

// The first rows with the largest and smallest TP·N − FP·P, in a type that holds it exactly (or in double).
template <class I, class S, class N = CountOf<S>>
void extremes(const Table<S>& table, const Totals<N>& totals, std::int64_t* rows, N* counts) {
    const auto p = static_cast<I>(totals.positive);
    const auto n = static_cast<I>(totals.negative);
    N tp = 0;
    N fp = 0;
    I most = 0;
    I least = 0;
    rows[0] = rows[1] = -1;
    for (std::size_t i = 0; i < table.rows; ++i) {
        tp += table.positive[i];
        fp += table.negative[i];
        // At the last row the difference is 0 by definition; with float weights rounding would leave a trace.
        const I gap = i + 1 == table.rows ? I{0} : static_cast<I>(tp) * n - static_cast<I>(fp) * p;
        if (gap > most || rows[0] < 0) {
            most = gap;
            rows[0] = static_cast<std::int64_t>(i);
            counts[0] = tp;
            counts[1] = fp;
        }
        if (gap < least || rows[1] < 0) {
            least = gap;
            rows[1] = static_cast<std::int64_t>(i);
            counts[2] = tp;
            counts[3] = fp;
        }
    }
}

}  // namespace
}  // namespace thresher

// whole: [2U low, 2U high, P, N] or weighted: [2U, P, N]; sums: [sum10, sum01]. Squares may be null.
THRESHER_API std::int32_t thresher_delong_sums(const void* positive, const void* negative, std::int64_t rows,
                                               std::int32_t whole, const double* positive_squares,
                                               const double* negative_squares, std::int64_t* whole_out,
                                               double* weighted_out, double* sums, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const TableColumns columns{positive, negative, rows, whole};
        const Squares squares{positive_squares, negative_squares};
        Delong result;
        if (positive_squares != nullptr) {
            checked_totals(Table<double>(TableColumns{positive_squares, negative_squares, rows, 0}));
        }
        with_table(columns, [&]<class S>(const Table<S>& table) {
            const auto totals = checked_totals(table);
            const auto twice_u = twice_mann_whitney(table);
            const bool has_both = totals.positive > 0 && totals.negative > 0;
            if constexpr (Whole<S>) {
                if (has_both) {
                    result = narrow(totals) ? deviations<std::int64_t>(table, squares, totals, twice_u)
                                            : deviations<Wide>(table, squares, totals, twice_u);
                }
                store(twice_u, whole_out);
                whole_out[2] = totals.positive;
                whole_out[3] = totals.negative;
            } else {
                if (has_both) result = deviations(table, squares, totals, twice_u < totals.positive * totals.negative);
                weighted_out[0] = twice_u;
                weighted_out[1] = totals.positive;
                weighted_out[2] = totals.negative;
            }
        });
        sums[0] = result.sum10;
        sums[1] = result.sum01;
    });
}

// out: [step, trapezoid, Davis–Goadrich].
THRESHER_API std::int32_t thresher_pr_areas(const void* positive, const void* negative, std::int64_t rows,
                                            std::int32_t whole, double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&](const auto& table) {
            const auto totals = checked_totals(table);
            out[0] = out[1] = out[2] = kNaN;
            if (totals.positive > 0) pr_areas(table, totals.positive, out);
        });
    });
}

// rows_out: rows of the largest and the smallest TPR − FPR, −1 if a class is empty; counts: TP and FP at each, then
// P and N, in the type of the table.
THRESHER_API std::int32_t thresher_extremes(const void* positive, const void* negative, std::int64_t rows,
                                            std::int32_t whole, std::int64_t* rows_out, void* counts,
                                            std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&](const auto& table) {
            using N = typename std::decay_t<decltype(table)>::Count;
            const auto totals = checked_totals(table);
            N* out = static_cast<N*>(counts);
            rows_out[0] = rows_out[1] = -1;
            out[4] = totals.positive;
            out[5] = totals.negative;
            if (!(totals.positive > 0) || !(totals.negative > 0)) return;
            if (narrow(totals)) {
                extremes<N>(table, totals, rows_out, out);
            } else if constexpr (!std::is_floating_point_v<N>) {
                extremes<Wide>(table, totals, rows_out, out);
            }
        });
    });
}
