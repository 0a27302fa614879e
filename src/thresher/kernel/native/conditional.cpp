// For every class, how its rows rank against each other class by its own score column, and how all true cells rank
// against all others: one sort a column.
#include "own_scores.hpp"

namespace thresher {
namespace {

// Above this many rows fewer sums are kept side by side.
constexpr std::size_t kManyRows = std::size_t{1} << 22;

// Σω, Σω·m and Σω·m² of what rows miss; ω is the weight or its square.
struct PairMoments {
    double q[3] = {0.0, 0.0, 0.0};
    void add(double omega, double missed) {
        q[0] += omega;
        q[1] += omega * missed;
        q[2] += omega * missed * missed;
    }
};

template <class W>
struct Results {
    W* twice;          // classes × classes
    W* micro;          // classes: twice the pairs of a true cell above one of the column, ties once
    double* moments;   // classes × 6: of the class's own rows, then of all others
};

// Linear functionals of the AUCs that are followed side by side.
constexpr std::size_t kSets = 4;

// Sums over some of the columns: rows × kSets, rows, and twice one more than there are true scores.
template <class W>
struct Lane {
    double* influence;
    W* micro;
    W* gaps;
    W* ties;
};

// What the rows of a few neighbouring columns reach, column by column: a scattered write for each row and column, and
// then one pass in the order of rows.
template <class W>
struct Reached {
    Block<double> share;
    Block<W> micro;
    Reached(std::size_t rows, std::size_t columns) : share(rows * columns), micro(rows * columns) {}
};

template <class W>
class Sweep {
public:
    Sweep(const ClassTable& table, const Cancel& cancel, bool squared, bool places)
        : table_(table), squared_(squared), own_(table, cancel, places), totals_(table.classes) {
        for (std::size_t i = 0; i < table.rows; ++i) totals_[class_of(i)] += table.weight<W>(i);
        for (const W total : totals_) all_ += total;
    }

    const Own<W>& own() const { return own_; }

    // Every row of another class has the rows of class k above it, doubled, and those tied with it.
    void column(std::size_t k, const ClassRow* items, std::size_t count, const Results<W>& out) const {
        W* const twice = out.twice + k * table_.classes;
        W above = 0;
        W rest_above = 0;
        W micro = 0;
        PairMoments own;
        PairMoments rest;
        std::size_t p = 0;
        for (std::size_t from = 0; from < count;) {
            const Group group = group_at(k, items, count, from, p);
            const W reached = 2 * above + group.tied;
            const double own_missed = share(2 * rest_above + group.rest, all_ - totals_[k]);
            const double rest_missed = 1.0 - share(reached, totals_[k]);
            double own_omega = 0.0;
            double rest_omega = 0.0;
            for (; from < group.end; ++from) {
                const W w = table_.weight<W>(items[from].row);
                const bool mine = items[from].class_code == k;
                (mine ? own_omega : rest_omega) += omega(w);
                if (mine) continue;
                twice[items[from].class_code] += w * reached;
                micro += w * group.micro;
            }
            own.add(own_omega, own_missed);
            rest.add(rest_omega, rest_missed);
            above += group.tied;
            rest_above += group.rest;
        }
        out.micro[k] = micro;
        std::copy_n(own.q, 3, out.moments + 6 * k);
        std::copy_n(rest.q, 3, out.moments + 6 * k + 3);
    }

    // The share of class k above each row of another class by column k, and twice the true scores above it; adds to the
    // parts of the class's own rows what they have below them, and where the other cells fall among the true ones.
    // `coefficients` are [l][k][set] for AUC(k given l).
    void parts(std::size_t k, const ClassRow* items, std::size_t count, const double* coefficients, const Lane<W>& lane,
               double* shares, W* micro) const {
        const std::size_t classes = table_.classes;
        std::fill_n(shares, table_.rows, 0.0);
        std::fill_n(micro, table_.rows, W{0});
        std::vector<double> scaled(classes * kSets);
        double left[kSets] = {};
        for (std::size_t l = 0; l < classes; ++l) {
            if (l == k || !(totals_[l] > 0)) continue;
            const double* const c = coefficients + (l * classes + k) * kSets;
            for (std::size_t s = 0; s < kSets; ++s) {
                left[s] += c[s];
                scaled[l * kSets + s] = c[s] / static_cast<double>(totals_[l]);
            }
        }
        W above = 0;
        std::size_t p = 0;
        for (std::size_t from = 0; from < count;) {
            const Group group = group_at(k, items, count, from, p);
            (group.meets ? lane.ties : lane.gaps)[p] += group.rest;
            const double reached = totals_[k] > 0 ? share(2 * above + group.tied, totals_[k]) : 0.0;
            double level[kSets] = {};
            for (std::size_t i = from; i < group.end; ++i) {
                const double* const one = scaled.data() + items[i].class_code * kSets;
                const auto w = static_cast<double>(table_.weight<W>(items[i].row));
                for (std::size_t s = 0; s < kSets; ++s) level[s] += w * one[s];
            }
            for (; from < group.end; ++from) {
                const std::size_t row = items[from].row;
                if (items[from].class_code == k) {
                    for (std::size_t s = 0; s < kSets; ++s) lane.influence[row * kSets + s] += left[s] - 0.5 * level[s];
                } else {
                    shares[row] = reached;
                    micro[row] = group.micro;
                }
            }
            for (std::size_t s = 0; s < kSets; ++s) left[s] -= level[s];
            above += group.tied;
        }
    }

    // Adds what `many` columns from `first` give to the parts of rows of other classes.
    void gather(std::size_t first, std::size_t many, const double* coefficients, const Reached<W>& reached,
                const Lane<W>& lane) const {
        const std::size_t n = table_.rows;
        for (std::size_t i = 0; i < n; ++i) {
            const double* const c = coefficients + (class_of(i) * table_.classes + first) * kSets;
            double* const mine = lane.influence + i * kSets;
            for (std::size_t j = 0; j < many; ++j) {
                const double share = reached.share[j * n + i];
                for (std::size_t s = 0; s < kSets; ++s) mine[s] += c[j * kSets + s] * share;
                lane.micro[i] += reached.micro[j * n + i];
            }
        }
    }

private:
    struct Group {
        std::size_t end;
        W tied;
        W rest;
        W micro;
        bool meets;
    };

    std::size_t class_of(std::size_t row) const { return static_cast<std::size_t>(table_.codes[row]); }
    static double share(W twice, W total) { return 0.5 * static_cast<double>(twice) / static_cast<double>(total); }
    double omega(W w) const {
        const auto value = static_cast<double>(w);
        return squared_ ? value * value : value;
    }

    // Rows tied with the one at `from`; `p` moves on to the first true score that is not higher.
    Group group_at(std::size_t k, const ClassRow* items, std::size_t count, std::size_t from, std::size_t& p) const {
        const std::uint64_t code = items[from].code;
        Group group{from, 0, 0, 0, false};
        for (; group.end < count && items[group.end].code == code; ++group.end) {
            (items[group.end].class_code == k ? group.tied : group.rest) += table_.weight<W>(items[group.end].row);
        }
        while (p < own_.keys.size() && own_.keys[p] < code) ++p;
        group.meets = p < own_.keys.size() && own_.keys[p] == code;
        group.micro = 2 * own_.before[p] + (group.meets ? own_.weight[p] : W{0});
        return group;
    }

    const ClassTable& table_;
    bool squared_;
    Own<W> own_;
    std::vector<W> totals_;
    W all_ = 0;
};

template <class W>
struct Influences {
    const double* coefficients;  // classes × classes × kSets, as [l][k][set]
    double* influence;           // rows × kSets
    W* own;                      // rows: twice the cells of other classes below the row's true one, ties once
    W* others;                   // rows: twice the true cells above the row's others, ties once
};

template <class T>
void add(T* sums, const T* terms, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sums[i] += terms[i];
}

// Groups of columns are dealt to lanes, each of which adds up its own in order; then lanes are added in order. How many
// there are depends on the table alone, so that the numbers do not depend on the number of threads.
template <class W>
void run_influences(const ClassTable& table, const Sweep<W>& sweep, int threads, const Cancel& cancel,
                    const Results<W>& results, const Influences<W>& out) {
    const std::size_t n = table.rows;
    const std::size_t m = sweep.own().keys.size() + 1;
    const std::size_t group = SortedColumns::group_of(table);
    const std::size_t groups = (table.classes + group - 1) / group;
    const std::size_t lanes = std::clamp(groups, std::size_t{1}, n > kManyRows ? std::size_t{2} : std::size_t{4});
    std::vector<double> influence(lanes * n * kSets);
    std::vector<W> micro(lanes * n);
    std::vector<W> gaps(lanes * m);
    std::vector<W> ties(lanes * m);
    std::atomic<std::size_t> next{0};
    run_threads(threads, [&](int) {
        SortedColumns columns(table, cancel);
        const Reached<W> reached(n, group);
        for (std::size_t l = next++; l < lanes; l = next++) {
            const Lane<W> lane{influence.data() + l * n * kSets, micro.data() + l * n, gaps.data() + l * m,
                               ties.data() + l * m};
            for (std::size_t first = l * group; first < table.classes; first += lanes * group) {
                cancel.check();
                const std::size_t many = std::min(group, table.classes - first);
                columns.each(first, many, [&](std::size_t k, const ClassRow* items, std::size_t count) {
                    sweep.column(k, items, count, results);
                    const std::size_t place = (k - first) * n;
                    sweep.parts(k, items, count, out.coefficients, lane, reached.share.get() + place,
                                reached.micro.get() + place);
                });
                sweep.gather(first, many, out.coefficients, reached, lane);
            }
        }
    });
    for (std::size_t l = 0; l < lanes; ++l) {
        add(out.influence, influence.data() + l * n * kSets, n * kSets);
        add(out.others, micro.data() + l * n, n);
        if (l == 0) continue;
        add(gaps.data(), gaps.data() + l * m, m);
        add(ties.data(), ties.data() + l * m, m);
    }
    // Other cells below a true score: those in later gaps and tied with later scores.
    std::vector<W> below(m);
    W sum = gaps[m - 1];
    for (std::size_t p = m - 1; p-- > 0;) {
        below[p] = 2 * sum + ties[p];
        sum += ties[p] + gaps[p];
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (table.weight<W>(i) > 0) out.own[i] = below[sweep.own().place[i]];
    }
}

template <class W>
void run(const ClassTable& table, bool squared, int threads, const Cancel& cancel, const Results<W>& results,
         const Influences<W>& influences) {
    check_rows(table);
    check_scores(table);
    const bool wanted = influences.influence != nullptr;
    const Sweep<W> sweep(table, cancel, squared, wanted);
    if (wanted) return run_influences(table, sweep, threads, cancel, results, influences);
    for_columns(table, 0, table.classes, threads, cancel,
                [&](std::size_t k, const ClassRow* items, std::size_t count) { sweep.column(k, items, count, results); });
}

}  // namespace
}  // namespace thresher

// Counts (twice, micro, own, others) are zero and int64 without weights, else double; `moments` is classes × 6.
// `influence`, `own` and `others` may be null together. Counts are exact for fewer than 2^31 rows, which the caller sees
// to: a column's 2·n·n is below 2^63, and so are a row's 2·n·K for any matrix that fits in memory.
THRESHER_API std::int32_t thresher_conditional(const std::int64_t* codes, const double* scores, const double* weights,
                                               std::int64_t rows, std::int64_t classes, std::int64_t row_step,
                                               std::int64_t column_step, std::int32_t squared, std::int32_t threads,
                                               const std::int32_t* cancel, void* twice, void* micro, double* moments,
                                               const double* coefficients, double* influence,
                                               void* own, void* others, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const ClassTable table{codes, scores, weights, static_cast<std::size_t>(rows), static_cast<std::size_t>(classes),
                               static_cast<std::size_t>(row_step), static_cast<std::size_t>(column_step)};
        const auto start = [&](auto zero) {
            using W = decltype(zero);
            run<W>(table, squared != 0, threads, Cancel(cancel),
                   {static_cast<W*>(twice), static_cast<W*>(micro), moments},
                   {coefficients, influence, static_cast<W*>(own), static_cast<W*>(others)});
        };
        if (weights == nullptr) {
            start(std::int64_t{0});
        } else {
            start(0.0);
        }
    });
}
