// Whether giving the K rows of a tuple to the K classes in order has the largest sum of scores of all ways to do so.
#include <algorithm>
#include <bit>
#include <limits>

#include "common.hpp"

namespace thresher {
namespace {

constexpr std::size_t kMostClasses = 16;

struct Tuples {
    const double* scores;
    std::size_t classes;
    std::size_t row_step;
    std::size_t column_step;
    const std::int64_t* rows;
    std::size_t count;
    double tolerance;
};

// One thread's work on tuples: `gain_` (classes × classes) is what row i gains by class j in place of its own.
class Assigner {
public:
    explicit Assigner(const Tuples& tuples)
        : tuples_(tuples), gain_(tuples.classes * tuples.classes), best_(std::size_t{1} << tuples.classes), ways_(best_.size()) {}

    // 1/m where the order of classes is one of m ways with the largest sum, else 0.
    double credit(const std::int64_t* rows) {
        const std::size_t k = tuples_.classes;
        bool plain = true;
        for (std::size_t i = 0; i < k; ++i) {
            const double* row = tuples_.scores + static_cast<std::size_t>(rows[i]) * tuples_.row_step;
            const double own = row[i * tuples_.column_step];
            for (std::size_t j = 0; j < k; ++j) {
                gain_[i * k + j] = row[j * tuples_.column_step] - own;
                plain &= j == i || gain_[i * k + j] < -tuples_.tolerance;
            }
        }
        if (plain) return 1.0;
        for (std::size_t i = 1; i < k; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (gain_[i * k + j] + gain_[j * k + i] > tuples_.tolerance) return 0.0;
            }
        }
        return k == 2 ? (gain_[1] + gain_[2] < -tuples_.tolerance ? 1.0 : 0.5) : by_subsets();
    }

private:
    // The largest sum of the first rows for every set of classes of their number, and the number of ways to reach it.
    double by_subsets() {
        const std::size_t k = tuples_.classes;
        const std::size_t full = (std::size_t{1} << k) - 1;
        best_[0] = 0.0;
        ways_[0] = 1.0;
        for (std::size_t set = 1; set <= full; ++set) {
            const double* gain = gain_.data() + (static_cast<std::size_t>(std::popcount(set)) - 1) * k;
            double best = -std::numeric_limits<double>::infinity();
            for (std::size_t left = set; left != 0; left &= left - 1) {
                const auto j = static_cast<std::size_t>(std::countr_zero(left));
                best = std::max(best, best_[set ^ (std::size_t{1} << j)] + gain[j]);
            }
            double ways = 0.0;
            for (std::size_t left = set; left != 0; left &= left - 1) {
                const auto j = static_cast<std::size_t>(std::countr_zero(left));
                const std::size_t rest = set ^ (std::size_t{1} << j);
                if (best_[rest] + gain[j] >= best - tuples_.tolerance) ways += ways_[rest];
            }
            best_[set] = best;
            ways_[set] = ways;
        }
        return best_[full] > tuples_.tolerance ? 0.0 : 1.0 / ways_[full];
    }

    const Tuples& tuples_;
    std::vector<double> gain_;
    std::vector<double> best_;
    std::vector<double> ways_;
};

}  // namespace
}  // namespace thresher

// `rows` is count × classes: one row of each class, in the order of classes, all of them below the number of rows.
// Classes are at most 16.
THRESHER_API std::int32_t thresher_assignment(const double* scores, std::int64_t classes, std::int64_t row_step,
                                              std::int64_t column_step, const std::int64_t* rows, std::int64_t count,
                                              double tolerance, std::int32_t threads, const std::int32_t* cancel,
                                              double* credit, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto k = static_cast<std::size_t>(classes);
        if (k > kMostClasses) throw std::bad_alloc();
        const Tuples tuples{scores, k, static_cast<std::size_t>(row_step), static_cast<std::size_t>(column_step), rows,
                            static_cast<std::size_t>(count), tolerance};
        const Cancel stop(cancel);
        constexpr std::size_t kChunk = 4096;
        std::atomic<std::size_t> next{0};
        run_threads(threads, [&](int) {
            Assigner assigner(tuples);
            for (std::size_t from = next.fetch_add(kChunk); from < tuples.count; from = next.fetch_add(kChunk)) {
                stop.check();
                const std::size_t to = std::min(tuples.count, from + kChunk);
                for (std::size_t t = from; t < to; ++t) credit[t] = assigner.credit(rows + t * k);
            }
        });
    });
}
