// Bootstrap replicates of one score: rows are reweighted by how often they are drawn, never copied or sorted again.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "streams.hpp"

namespace thresher {
namespace {

// One class's rows in the order of falling scores: the unit each belongs to (null: unit `first` + i) and its weight
// (null: 1).
struct ClassRows {
    const std::int32_t* units;
    const double* weights;
    std::size_t rows;
    std::size_t first;
};

// The order in which the rows of both classes come: steps of `before` negatives, then `own` positives tied with `tied`
// negatives. What follows the last step is negative.
struct Steps {
    const std::int32_t* before;
    const std::int32_t* own;
    const std::int32_t* tied;
    std::size_t count;
};

struct Request {
    const double* rates;  // rising
    std::size_t n_rates;
    const std::int64_t* cuts;  // rising pairs of positive and negative rows above the cut
    std::size_t n_cuts;
    bool detailed;
};

constexpr std::size_t kFixed = 8;

// What one replicate weighs, row by row, in sorted order.
template <class W>
struct Drawn;

template <>
struct Drawn<std::int64_t> {
    const Multiplicity* counts;
    std::size_t rows;
    std::int64_t sum(std::size_t from, std::size_t count) const {
        std::int64_t total = 0;
        for (std::size_t i = from; i < from + count; ++i) total += counts[i];
        return total;
    }
};

template <>
struct Drawn<double> {
    const Multiplicity* counts;
    std::size_t rows;
    const double* weights;
    double sum(std::size_t from, std::size_t count) const {
        double total = 0.0;
        for (std::size_t i = from; i < from + count; ++i) total += weights[i] * counts[i];
        return total;
    }
};

// What is followed from step to step besides the pairs in the wrong order: average precision, the largest F1 and where
// it is reached first, the largest TPR − FPR and FPR − TPR.
class Followed {
public:
    Followed(double positives, double negatives)
        : positives_(positives),
          per_positive_(positives > 0.0 ? 1.0 / positives : 0.0),
          per_negative_(negatives > 0.0 ? 1.0 / negatives : 0.0) {}

    void before(double tp, double fp) { below_ = std::max(below_, fp * per_negative_ - tp * per_positive_); }

    // A step that no positive was drawn for adds nothing and has no larger F1, so that it needs no branch.
    void after(std::size_t step, double own, double tp, double fp) {
        const double size = tp + fp;
        above_ = std::max(above_, tp * per_positive_ - fp * per_negative_);
        precisions_ += own * (tp / (size > 0.0 ? size : 1.0));
        if (tp * (positives_ + best_size_) > best_tp_ * (positives_ + size)) {
            best_tp_ = tp;
            best_size_ = size;
            best_step_ = static_cast<double>(step);
        }
    }

    void store(bool any_positive, bool both, double* out) const {
        out[0] = any_positive ? precisions_ * per_positive_ : kNaN;
        out[1] = any_positive ? 2.0 * best_tp_ / (positives_ + best_size_) : kNaN;
        out[2] = any_positive ? best_step_ : kNaN;
        out[3] = both ? above_ : kNaN;
        out[4] = both ? below_ : kNaN;
    }

private:
    double positives_;
    double per_positive_;
    double per_negative_;
    double precisions_ = 0.0;
    double best_tp_ = 0.0;
    double best_size_ = 0.0;
    double best_step_ = kNaN;
    double above_ = 0.0;
    double below_ = 0.0;
};

// P, N, AUC, and when `detailed` what `Followed` stores, else NaN. Rows at or above the step of the largest F1 are
// positive there.
template <class W, bool detailed>
void summarize(const Drawn<W>& positives, const Drawn<W>& negatives, const Steps& steps, double* out) {
    const W p = positives.sum(0, positives.rows);
    const W n = negatives.sum(0, negatives.rows);
    Followed followed(static_cast<double>(p), static_cast<double>(n));
    W missed = 0;
    W tp = 0;
    W fp = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    for (std::size_t s = 0; s < steps.count; ++s) {
        const auto before = static_cast<std::size_t>(steps.before[s]);
        const auto count = static_cast<std::size_t>(steps.own[s]);
        const auto ties = static_cast<std::size_t>(steps.tied[s]);
        fp += negatives.sum(j, before);
        const W own = positives.sum(i, count);
        const W tied = negatives.sum(j + before, ties);
        i += count;
        j += before + ties;
        missed += own * (2 * fp + tied);
        if constexpr (detailed) followed.before(static_cast<double>(tp), static_cast<double>(fp));
        tp += own;
        fp += tied;
        if constexpr (detailed) {
            followed.after(s, static_cast<double>(own), static_cast<double>(tp), static_cast<double>(fp));
        }
    }
    const bool both = p > 0 && n > 0;
    const W pairs = 2 * p * n;
    out[0] = static_cast<double>(p);
    out[1] = static_cast<double>(n);
    out[2] = both ? static_cast<double>(pairs - missed) / static_cast<double>(pairs) : kNaN;
    followed.store(detailed && p > 0, detailed && both, out + 3);
}

// The ROC curve read at every rate: the largest TPR there, on a straight line between two of its points.
template <class W>
void read_rates(const Drawn<W>& positives, const Drawn<W>& negatives, const Steps& steps, const Request& request,
                const double* totals, double* out) {
    if (!(totals[0] > 0.0) || !(totals[1] > 0.0)) {
        for (std::size_t k = 0; k < request.n_rates; ++k) out[k] = kNaN;
        return;
    }
    W tp = 0;
    W fp = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    std::size_t k = 0;
    for (std::size_t s = 0; s < steps.count && k < request.n_rates; ++s) {
        const auto before = static_cast<std::size_t>(steps.before[s]);
        const auto count = static_cast<std::size_t>(steps.own[s]);
        const auto ties = static_cast<std::size_t>(steps.tied[s]);
        fp += negatives.sum(j, before);
        j += before;
        // Float weights may add up to a trace more than the total, which must not hide the rate 1.
        const double rate = std::min(1.0, static_cast<double>(fp) / totals[1]);
        for (; k < request.n_rates && request.rates[k] < rate; ++k) out[k] = static_cast<double>(tp) / totals[0];
        const W own = positives.sum(i, count);
        const W tied = negatives.sum(j, ties);
        i += count;
        j += ties;
        const double next = std::min(1.0, static_cast<double>(fp + tied) / totals[1]);
        for (; k < request.n_rates && request.rates[k] < next; ++k) {
            const double share = (request.rates[k] - rate) / (next - rate);
            out[k] = (static_cast<double>(tp) + share * static_cast<double>(own)) / totals[0];
        }
        tp += own;
        fp += tied;
    }
    for (; k < request.n_rates; ++k) out[k] = static_cast<double>(tp) / totals[0];
}

template <class W>
void read_cuts(const Drawn<W>& positives, const Drawn<W>& negatives, const Request& request, double* out) {
    W sums[2] = {0, 0};
    std::size_t at[2] = {0, 0};
    for (std::size_t k = 0; k < request.n_cuts; ++k) {
        for (const std::size_t c : {0, 1}) {
            const auto to = static_cast<std::size_t>(request.cuts[2 * k + c]);
            sums[c] += (c == 0 ? positives : negatives).sum(at[c], to - at[c]);
            at[c] = to;
            out[c * request.n_cuts + k] = static_cast<double>(sums[c]);
        }
    }
}

const Multiplicity* gathered(const ClassRows& rows, const Multiplicity* units, Multiplicity* room) {
    if (rows.units == nullptr) return units + rows.first;
    for (std::size_t i = 0; i < rows.rows; ++i) room[i] = units[rows.units[i]];
    return room;
}

template <class W>
void replicate(const ClassRows (&rows)[2], const Multiplicity* units, Multiplicity* const (&room)[2],
               const Steps& steps, const Request& request, double* out) {
    const auto drawn = [&](std::size_t c) {
        const Multiplicity* counts = gathered(rows[c], units, room[c]);
        if constexpr (std::is_same_v<W, double>) {
            return Drawn<W>{counts, rows[c].rows, rows[c].weights};
        } else {
            return Drawn<W>{counts, rows[c].rows};
        }
    };
    const Drawn<W> positives = drawn(0);
    const Drawn<W> negatives = drawn(1);
    if (request.detailed) {
        summarize<W, true>(positives, negatives, steps, out);
    } else {
        summarize<W, false>(positives, negatives, steps, out);
    }
    read_rates(positives, negatives, steps, request, out, out + kFixed);
    read_cuts(positives, negatives, request, out + kFixed + request.n_rates);
}

}  // namespace
}  // namespace thresher

// Writes how often every unit is drawn in replicates first … first + replicates − 1: replicates × units.
THRESHER_API std::int32_t thresher_draws(const std::int64_t* sizes, std::int64_t strata, std::uint64_t seed,
                                         std::int64_t first, std::int64_t replicates, std::int32_t threads,
                                         const std::int32_t* cancel, std::uint8_t* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Strata units{sizes, static_cast<std::size_t>(strata)};
        const std::size_t width = units.units();
        const Cancel stop(cancel);
        std::atomic<std::int64_t> next{0};
        run_threads(threads, [&](int) {
            for (std::int64_t r = next++; r < replicates; r = next++) {
                stop.check();
                units.draw(seed, static_cast<std::uint64_t>(first + r), out + static_cast<std::size_t>(r) * width);
            }
        });
    });
}

// Writes how often the units of each cell are drawn together (`sums`), and how many of them are not (`lacking`), in
// replicates first … first + replicates − 1: replicates × cells each. A cell is the next cells[k] units.
THRESHER_API std::int32_t thresher_drawn_cells(const std::int64_t* sizes, std::int64_t strata, std::uint64_t seed,
                                               std::int64_t first, std::int64_t replicates, std::int32_t threads,
                                               const std::int32_t* cancel, const std::int64_t* cells,
                                               std::int64_t n_cells, std::int64_t* sums, std::int64_t* lacking,
                                               std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Strata units{sizes, static_cast<std::size_t>(strata)};
        const auto width = static_cast<std::size_t>(n_cells);
        const Cancel stop(cancel);
        std::atomic<std::int64_t> next{0};
        run_threads(threads, [&](int) {
            const Block<Multiplicity> drawn(units.units());
            for (std::int64_t r = next++; r < replicates; r = next++) {
                stop.check();
                units.draw(seed, static_cast<std::uint64_t>(first + r), drawn.get());
                const Multiplicity* at = drawn.get();
                for (std::size_t k = 0; k < width; ++k) {
                    // Narrow sums are added four at a time; no more units are drawn than 32 bits count.
                    std::uint32_t sum = 0;
                    std::uint32_t none = 0;
                    for (const Multiplicity* const end = at + cells[k]; at < end; ++at) {
                        sum += *at;
                        none += *at == 0 ? 1U : 0U;
                    }
                    sums[static_cast<std::size_t>(r) * width + k] = sum;
                    lacking[static_cast<std::size_t>(r) * width + k] = none;
                }
            }
        });
    });
}

// `units` and `weights` are null or hold the positive rows, then the negative ones, each by falling score. `out` is
// replicates × (8 + rates + 2·cuts): see summarize, read_rates, read_cuts.
THRESHER_API std::int32_t thresher_replicates(const std::int64_t* sizes, std::int64_t strata, std::uint64_t seed,
                                              std::int64_t first, std::int64_t replicates, std::int32_t threads,
                                              const std::int32_t* cancel, const std::int32_t* units,
                                              const double* weights, std::int64_t positives, std::int64_t negatives,
                                              const std::int32_t* steps, std::int64_t n_steps, const double* rates,
                                              std::int64_t n_rates, const std::int64_t* cuts, std::int64_t n_cuts,
                                              std::int32_t detailed, double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto p = static_cast<std::size_t>(positives);
        const auto n = static_cast<std::size_t>(negatives);
        const Strata strata_of{sizes, static_cast<std::size_t>(strata)};
        const ClassRows rows[2] = {
            {units, weights, p, 0},
            {units == nullptr ? nullptr : units + p, weights == nullptr ? nullptr : weights + p, n, p},
        };
        const auto m = static_cast<std::size_t>(n_steps);
        const Steps order{steps, steps + m, steps + 2 * m, m};
        const Request request{rates, static_cast<std::size_t>(n_rates), cuts, static_cast<std::size_t>(n_cuts),
                              detailed != 0};
        const std::size_t width = kFixed + request.n_rates + 2 * request.n_cuts;
        const Cancel stop(cancel);
        std::atomic<std::int64_t> next{0};
        run_threads(threads, [&](int) {
            const Block<Multiplicity> drawn(strata_of.units());
            const Block<Multiplicity> room[2] = {Block<Multiplicity>(units == nullptr ? 0 : p),
                                                 Block<Multiplicity>(units == nullptr ? 0 : n)};
            Multiplicity* const places[2] = {room[0].get(), room[1].get()};
            for (std::int64_t r = next++; r < replicates; r = next++) {
                stop.check();
                strata_of.draw(seed, static_cast<std::uint64_t>(first + r), drawn.get());
                double* to = out + static_cast<std::size_t>(r) * width;
                if (weights == nullptr) {
                    replicate<std::int64_t>(rows, drawn.get(), places, order, request, to);
                } else {
                    replicate<double>(rows, drawn.get(), places, order, request, to);
                }
            }
        });
    });
}
