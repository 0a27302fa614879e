// From a score table to one number: areas, variances, extremes.
#include <utility>

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
UWide twice_mann_whitney(const Table<S>& table, const Chunks<S>& chunks) {
    // Of a chunk alone with counts of a byte it is below 2^47.
    using Own = std::conditional_t<sizeof(S) == 1, std::uint64_t, UWide>;
    std::vector<UWide> parts(chunks.count());
    chunks.each([&](std::size_t chunk, std::size_t from, std::size_t to) {
        Own twice_u = 0;
        Own above = 0;
        Own negatives = 0;
        for (std::size_t i = from; i < to; ++i) {
            const auto positive = static_cast<Own>(table.positive[i]);
            const auto negative = static_cast<Own>(table.negative[i]);
            twice_u += negative * (2 * above + positive);
            above += positive;
            negatives += negative;
        }
        parts[chunk] = twice_u + 2 * static_cast<UWide>(chunks.before(chunk).positive) * negatives;
    });
    UWide twice_u = 0;
    for (const UWide part : parts) twice_u += part;
    return twice_u;
}

double twice_mann_whitney(const Table<double>& table, const Chunks<double>&) {
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
Delong deviations(const Table<S>& table, const Squares& squares, const Chunks<S>& chunks, UWide twice_u) {
    static_assert(kShare % BlockSum::kTerms == 0);
    const auto totals = chunks.totals();
    const I p = totals.positive;
    const I n = totals.negative;
    const I mean = 2 * p * n - static_cast<I>(twice_u);
    const std::size_t count = (table.rows + BlockSum::kTerms - 1) / BlockSum::kTerms;
    const Block<Delong> blocks(count);
    chunks.each([&](std::size_t chunk, std::size_t from, std::size_t to) {
        I above = chunks.before(chunk).negative;
        I below = p - chunks.before(chunk).positive;
        Delong own;
        for (std::size_t i = from; i < to; ++i) {
            if (i % BlockSum::kTerms == 0) own = {0.0, 0.0};
            const I positive = table.positive[i];
            const I negative = table.negative[i];
            below -= positive;
            const auto off10 = static_cast<double>(p * (2 * above + negative) - mean);
            const auto off01 = static_cast<double>(n * (2 * below + positive) - mean);
            above += negative;
            const double w10 = squares.positive != nullptr ? squares.positive[i] : static_cast<double>(table.positive[i]);
            const double w01 = squares.negative != nullptr ? squares.negative[i] : static_cast<double>(table.negative[i]);
            own.sum10 += w10 * (off10 * off10);
            own.sum01 += w01 * (off01 * off01);
            if ((i + 1) % BlockSum::kTerms == 0 || i + 1 == to) blocks[i / BlockSum::kTerms] = own;
        }
    });
    Sum sum10;
    Sum sum01;
    for (std::size_t block = 0; block < count; ++block) {
        sum10.add(blocks[block].sum10);
        sum01.add(blocks[block].sum01);
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

// TP and TP + FP at a row.
struct PrPoint {
    double tp;
    double size;
};

// Step, trapezoid and Davis–Goadrich.
struct Areas {
    double by_rule[3] = {};

    // Adds the areas between two rows, of which the second has `rise` positives.
    void add(const PrPoint& from, const PrPoint& to, double rise, double negatives) {
        const double after = to.tp / to.size;
        by_rule[0] += rise * after;
        if (!(from.tp > 0.0)) {
            by_rule[1] += rise * after;
            by_rule[2] += rise * after;
            return;
        }
        const double before = from.tp / from.size;
        double zero = 0.0;
        double one = 0.0;
        logarithmic_means((rise + negatives) / from.size, zero, one);
        by_rule[1] += rise * ((before + after) / 2.0);
        by_rule[2] += rise * (before * zero + rise / from.size * one);
    }
};

// Rows with positives before each chunk, and in all.
template <class S>
std::vector<std::size_t> rises_before(const Table<S>& table, const Chunks<S>& chunks) {
    std::vector<std::size_t> rises(chunks.count() + 1);
    chunks.each([&](std::size_t chunk, std::size_t from, std::size_t to) {
        std::size_t own = 0;
        for (std::size_t i = from; i < to; ++i) own += table.positive[i] > 0;
        rises[chunk + 1] = own;
    });
    for (std::size_t chunk = 0; chunk < chunks.count(); ++chunk) rises[chunk + 1] += rises[chunk];
    return rises;
}

// Areas are added in blocks of so many rises. A block is added up by the chunk in which it begins, which reads on into the
// next for the last one. Reference: thresher.kernel.reference.sums.pr_areas.
template <class S>
void pr_areas(const Table<S>& table, const Chunks<S>& chunks, double* out) {
    constexpr std::size_t kRises = BlockSum::kTerms;
    const auto upwards = [](std::size_t rises) { return (rises + kRises - 1) / kRises * kRises; };
    const std::vector<std::size_t> rises = rises_before(table, chunks);
    std::vector<Areas> blocks(upwards(rises.back()) / kRises);
    chunks.each([&](std::size_t chunk, std::size_t from, std::size_t) {
        std::size_t rise = rises[chunk];
        const std::size_t first = upwards(rise);
        const std::size_t last = std::min(upwards(rises[chunk + 1]), rises.back());
        if (first >= last) return;
        auto [tp, fp] = chunks.before(chunk);
        Areas own;
        for (std::size_t i = from; rise < last && i < table.rows; ++i) {
            const PrPoint before{static_cast<double>(tp), static_cast<double>(tp) + static_cast<double>(fp)};
            const auto positive = table.positive[i];
            tp += positive;
            fp += table.negative[i];
            if (!(positive > 0)) continue;
            if (rise >= first) {
                const PrPoint after{static_cast<double>(tp), static_cast<double>(tp) + static_cast<double>(fp)};
                own.add(before, after, static_cast<double>(positive), static_cast<double>(table.negative[i]));
                if ((rise + 1) % kRises == 0 || rise + 1 == last) blocks[rise / kRises] = std::exchange(own, {});
            }
            ++rise;
        }
    });
    for (std::size_t rule = 0; rule < 3; ++rule) {
        Sum sum;
        for (const Areas& block : blocks) sum.add(block.by_rule[rule]);
        out[rule] = sum.value() / static_cast<double>(chunks.totals().positive);
    }
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
                                               const double* negative_squares, std::int32_t threads, std::int64_t* whole_out,
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
            const Chunks<S> chunks(table, threads);
            const auto totals = chunks.totals();
            const auto twice_u = twice_mann_whitney(table, chunks);
            const bool has_both = totals.positive > 0 && totals.negative > 0;
            if constexpr (Whole<S>) {
                if (has_both) {
                    result = narrow(totals) ? deviations<std::int64_t>(table, squares, chunks, twice_u)
                                            : deviations<Wide>(table, squares, chunks, twice_u);
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
                                            std::int32_t whole, std::int32_t threads, double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&]<class S>(const Table<S>& table) {
            const Chunks<S> chunks(table, threads);
            out[0] = out[1] = out[2] = kNaN;
            if (chunks.totals().positive > 0) pr_areas(table, chunks, out);
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
