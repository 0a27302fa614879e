// Measures of ranked lists, one value a query: formulas over the running values of ranked_query.hpp.
#include <atomic>

#include "common.hpp"
#include "ranked_query.hpp"

namespace thresher {
namespace {

// Repeated in measures/ranked_lists.py.
enum Kind : std::int32_t {
    kPrecision, kRecall, kF, kSuccess, kAveragePrecision, kRPrecision, kReciprocalRank, kBpref, kInferred,
    kInterpolated, kMultiple, kRelative, kDcg, kNdcg, kExpectedReciprocal, kBiased, kGain, kBinaryGain, kLevels,
    kAtRelevant, kJudged, kRetrieved, kRelevant, kFound, kIrrelevantFound,
};

// One wanted measure: its cut-off (0: the whole list), its number (β, p, a recall, a multiple) and its table of gains.
// Of interpolated precision a cut-off of 1 says that the number of documents is rounded to the nearest.
struct Wanted {
    std::int32_t kind;
    std::int32_t table;
    std::int64_t cut;
    double number;
};

double ratio(double a, double b) { return b > 0.0 ? a / b : 0.0; }

// A share of the relevant documents as a whole number of them, rounded as trec_eval 9 does. Lists are shorter than 2^53,
// so that more than it is as good as it.
std::size_t share_of(double share, double relevant) {
    constexpr double kMost = 9007199254740992.0;
    return static_cast<std::size_t>(std::min(share * relevant + 0.9, kMost));
}

// The same as trec_eval 10 rounds it: to the nearest, halves up.
std::size_t nearest_share(double share, double relevant) {
    return static_cast<std::size_t>(std::round(share * relevant));
}

// What a table of gains makes of one query, filled when first asked for.
struct Graded {
    bool ready = false;
    bool read = false;
    std::vector<double> gains, ideal, dcg, best, reading;
};

class Evaluator {
public:
    Evaluator(const Gains& gains, std::size_t tables, const std::vector<double>& discounts)
        : gains_(gains), graded_(tables), discounts_(discounts) {}

    Query query;

    void next() {
        for (auto& graded : graded_) graded.ready = graded.read = false;
        highest_ready_ = false;
    }

    double value(const Wanted& wanted) {
        const std::size_t c = query.until(wanted.cut);
        const double k = wanted.cut > 0 ? static_cast<double>(wanted.cut) : static_cast<double>(query.length);
        const double R = query.relevant;
        const double all = query.found[query.length];
        const double b = wanted.number * wanted.number;
        switch (wanted.kind) {
            case kPrecision: return ratio(query.found[c], k);
            case kRecall: return ratio(query.found[c], R);
            case kF: return ratio((1.0 + b) * query.found[c], b * R + k);
            case kSuccess: return 1.0 - query.none[c];
            case kAveragePrecision: return ratio(query.precision[c], R);
            case kRPrecision: return ratio(query.found[std::min(query.length, static_cast<std::size_t>(R))], R);
            case kReciprocalRank: return reciprocal(query.none, c);
            case kBpref: return ratio(query.preferences(), R);
            case kInferred: return ratio(inferred(), R);
            case kInterpolated:
                return interpolated(wanted.cut > 0 ? nearest_share(wanted.number, R) : share_of(wanted.number, R));
            case kMultiple: return multiple(share_of(wanted.number, R));
            case kRelative: return ratio(query.found[c], std::min(k, R));
            case kDcg: return graded(wanted).dcg[c];
            case kNdcg: return normalized(graded(wanted), c, wanted.cut);
            case kExpectedReciprocal: return reciprocal(reading(wanted).reading, c);
            case kBiased: return biased(graded(wanted).gains, wanted.number, c);
            case kGain: return gain(graded(wanted));
            case kBinaryGain: return ratio(binary_gain(), R);
            case kLevels: return R > 0.0 ? levels(graded(wanted)) : 0.0;
            case kAtRelevant: return at_relevant(graded(wanted));
            case kJudged: return ratio(query.judged[c], static_cast<double>(c));
            case kRetrieved: return static_cast<double>(query.length);
            case kRelevant: return R;
            case kFound: return all;
            case kIrrelevantFound: return irrelevant_found();
            default: throw std::exception();
        }
    }

private:
    // Mean reciprocal of the rank at which the running chance falls.
    static double reciprocal(const std::vector<double>& chance, std::size_t until) {
        double sum = 0.0;
        for (std::size_t i = 1; i <= until; ++i) sum += (chance[i - 1] - chance[i]) / static_cast<double>(i);
        return sum;
    }

    double irrelevant_found() const {
        double count = 0.0;
        for (std::size_t i = 0; i < query.length; ++i) count += query.list[i] >= 0 && query.list[i] < query.level();
        return count;
    }

    // [Yilmaz & Aslam 2006] as trec_eval smooths it.
    double inferred() const {
        constexpr double kSmall = 0.00001;
        double sum = 0.0;
        double hits = 0.0;
        double misses = 0.0;
        double pooled = 0.0;
        for (std::size_t i = 0; i < query.length; ++i) {
            const std::int32_t value = query.list[i];
            if (value == -1) continue;
            if (value < 0) {
                pooled += 1.0;
            } else if (value < query.level()) {
                misses += 1.0;
            } else {
                const auto rank = static_cast<double>(i + 1);
                const double share = (hits + kSmall) / (hits + misses + 2.0 * kSmall);
                sum += i == 0 ? 1.0 : 1.0 / rank + (hits + misses + pooled) / rank * share;
                hits += 1.0;
            }
        }
        return sum;
    }

    // Highest precision from the j-th relevant document on, j from 1; at entry 0 of the whole list.
    double interpolated(std::size_t wanted) {
        if (!highest_ready_) {
            highest_.assign(1, 0.0);
            for (std::size_t i = 0; i < query.length; ++i) {
                if (!query.is_relevant(i)) continue;
                highest_.push_back(static_cast<double>(highest_.size()) / static_cast<double>(i + 1));
            }
            for (std::size_t j = highest_.size() - 1; j > 0; --j) highest_[j - 1] = std::max(highest_[j - 1], highest_[j]);
            highest_ready_ = true;
        }
        return wanted < highest_.size() ? highest_[wanted] : 0.0;
    }

    double multiple(std::size_t cut) const {
        return ratio(query.found[std::min(cut, query.length)], static_cast<double>(cut));
    }

    Graded& graded(const Wanted& wanted) {
        Graded& g = graded_[static_cast<std::size_t>(wanted.table)];
        if (g.ready) return g;
        query.ranked_gains(gains_, static_cast<std::size_t>(wanted.table), g.gains);
        query.ideal_gains(gains_, static_cast<std::size_t>(wanted.table), g.ideal);
        accumulate(g.gains, g.dcg);
        accumulate(g.ideal, g.best);
        g.ready = true;
        return g;
    }

    Graded& reading(const Wanted& wanted) {
        Graded& g = graded_[static_cast<std::size_t>(wanted.table)];
        if (!g.read) query.reading(gains_, static_cast<std::size_t>(wanted.table), g.reading);
        g.read = true;
        return g;
    }

    void accumulate(const std::vector<double>& gains, std::vector<double>& out) const {
        out.resize(gains.size() + 1);
        out[0] = 0.0;
        for (std::size_t i = 0; i < gains.size(); ++i) {
            out[i + 1] = gains[i] == 0.0 ? out[i] : out[i] + gains[i] / discounts_[i];
        }
    }

    static double best_until(const Graded& g, std::size_t count) { return g.best[std::min(count, g.ideal.size())]; }

    static double normalized(const Graded& g, std::size_t c, std::int64_t cut) {
        return ratio(g.dcg[c], cut > 0 ? best_until(g, static_cast<std::size_t>(cut)) : g.best.back());
    }

    static double biased(const std::vector<double>& gains, double p, std::size_t until) {
        double sum = 0.0;
        double chance = 1.0 - p;
        for (std::size_t i = 0; i < until; ++i, chance *= p) sum += gains[i] * chance;
        return sum;
    }

    // trec_eval's G: a gain counts less the further the list has fallen behind the best one.
    double gain(const Graded& g) const {
        double sum = 0.0;
        double behind = 2.0;
        double most = 0.0;
        for (const double value : g.ideal) most += value;
        for (std::size_t i = 0; i < query.length; ++i) {
            behind += std::max(i < g.ideal.size() ? g.ideal[i] : 0.0, 1.0) - g.gains[i];
            if (g.gains[i] != 0.0) sum += g.gains[i] / std::log2(behind);
        }
        return ratio(sum, most);
    }

    double binary_gain() const {
        double sum = 0.0;
        double hits = 0.0;
        for (std::size_t i = 0; i < query.length; ++i) {
            if (!query.is_relevant(i)) continue;
            hits += 1.0;
            sum += 1.0 / std::log2(static_cast<double>(i + 3) - hits);
        }
        return sum;
    }

    // Mean of NDCG at the ranks where the best list passes to a lower gain, and at the end of a longer list.
    double levels(const Graded& g) const {
        const std::size_t ideal = g.ideal.size();
        double sum = 0.0;
        double count = 0.0;
        for (std::size_t i = 1; i <= ideal; ++i) {
            if (i < ideal && g.ideal[i] == g.ideal[i - 1]) continue;
            sum += g.dcg[std::min(i, query.length)] / g.best[i];
            count += 1.0;
        }
        if (ideal > 0 && query.length > ideal + 1) {
            sum += g.dcg[query.length] / g.best[ideal];
            count += 1.0;
        }
        return ratio(sum, count);
    }

    // Mean of NDCG at the documents with a gain; those not retrieved count at the end of the list.
    double at_relevant(const Graded& g) const {
        const auto wanted = static_cast<double>(g.ideal.size());
        double sum = 0.0;
        double hits = 0.0;
        for (std::size_t i = 0; i < query.length; ++i) {
            if (g.gains[i] <= 0.0) continue;
            sum += g.dcg[i + 1] / best_until(g, i + 1);
            hits += 1.0;
        }
        return ratio(sum + ratio((wanted - hits) * g.dcg[query.length], g.best.back()), wanted);
    }

    const Gains gains_;
    std::vector<Graded> graded_;
    const std::vector<double>& discounts_;
    std::vector<double> highest_;
    bool highest_ready_ = false;
};

}  // namespace
}  // namespace thresher

// `tied` may be null: then every order is as given. `known` holds the judged relevance of every query, falling and not
// negative. Wanted measure m is kinds[m], tables[m], cuts[m], numbers[m]; `out` is measures × queries. `gains` is
// tables × levels and covers every relevance there is.
THRESHER_API std::int32_t thresher_ranked_measures(
    const std::int64_t* starts, const std::int32_t* ranked, const std::uint8_t* tied, const std::int64_t* known_starts,
    const std::int32_t* known, std::int64_t queries, std::int32_t level, const std::int32_t* kinds,
    const std::int32_t* tables, const std::int64_t* cuts, const double* numbers, std::int64_t measures,
    const double* gains, std::int64_t table_count, std::int64_t levels, std::int32_t threads,
    const std::int32_t* cancel, double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto count = static_cast<std::size_t>(queries);
        std::size_t longest = 0;
        for (std::size_t q = 0; q < count; ++q) {
            longest = std::max({longest, static_cast<std::size_t>(starts[q + 1] - starts[q]),
                                static_cast<std::size_t>(known_starts[q + 1] - known_starts[q])});
        }
        std::vector<double> discounts(longest);
        for (std::size_t i = 0; i < longest; ++i) discounts[i] = std::log2(static_cast<double>(i + 2));
        const Gains by_level{gains, static_cast<std::size_t>(levels)};
        const Cancel stop(cancel);
        std::atomic<std::size_t> next{0};
        run_threads(threads, [&](int) {
            Evaluator evaluator(by_level, static_cast<std::size_t>(table_count), discounts);
            for (std::size_t q = next++; q < count; q = next++) {
                if (q % 64 == 0) stop.check();
                evaluator.query.read(ranked + starts[q], tied == nullptr ? nullptr : tied + starts[q],
                                     static_cast<std::size_t>(starts[q + 1] - starts[q]), known + known_starts[q],
                                     static_cast<std::size_t>(known_starts[q + 1] - known_starts[q]), level);
                evaluator.next();
                for (std::size_t m = 0; m < static_cast<std::size_t>(measures); ++m) {
                    out[m * count + q] = evaluator.value({kinds[m], tables[m], cuts[m], numbers[m]});
                }
            }
        });
    });
}
