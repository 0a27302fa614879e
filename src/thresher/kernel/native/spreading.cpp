// Rows put side by side that lie between the same two of many cuts: the first step of taking them in order.
#include <algorithm>
#include <cfloat>
#include <vector>

#include "buckets.hpp"

namespace thresher {
namespace {

// How many cuts lie above a score. Keys rise as scores fall; cells of equal width in keys say where to look among those
// of the cuts.
class Between {
public:
    Between(const double* cuts, std::size_t count) : keys_(count) {
        std::transform(cuts, cuts + count, keys_.begin(), key_of);
        if (count == 0) return;
        while ((keys_.back() >> shift_) - (keys_.front() >> shift_) >= kCells) ++shift_;
        firsts_.resize((keys_.back() >> shift_) - (keys_.front() >> shift_) + 2);
        for (const std::uint64_t key : keys_) ++firsts_[(key >> shift_) - (keys_.front() >> shift_) + 1];
        for (std::size_t cell = 1; cell < firsts_.size(); ++cell) firsts_[cell] += firsts_[cell - 1];
    }

    std::uint32_t operator()(double score) const {
        const std::uint64_t key = key_of(score);
        if (keys_.empty() || key <= keys_.front()) return 0;
        if (key > keys_.back()) return static_cast<std::uint32_t>(keys_.size());
        const std::size_t cell = (key >> shift_) - (keys_.front() >> shift_);
        const std::uint32_t first = firsts_[cell];
        const std::uint32_t last = firsts_[cell + 1];
        // Of one cut or none in the cell; the key after it is there, as this one is no greater than the last.
        if (last - first <= 1) return first + static_cast<std::uint32_t>((first < last) & (keys_[first] < key));
        const auto begin = keys_.begin();
        return static_cast<std::uint32_t>(std::lower_bound(begin + first, begin + last, key) - begin);
    }

private:
    static constexpr std::uint64_t kCells = 1 << 14;

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> firsts_;
    unsigned shift_ = 0;
};

constexpr std::size_t kSpreadPiece = std::size_t{1} << 16;  // rows between two looks at the flag

struct Spread {
    std::uint8_t* truth;
    double* scores;
    double* weights;
    std::int64_t* starts;  // of each stretch, and the end of the last
};

void spread(const RowColumns& rows, const double* cuts, std::size_t count, const Cancel& cancel, const Spread& out) {
    const Between between(cuts, count);
    const auto size = static_cast<std::size_t>(rows.rows);
    const Block<std::uint32_t> stretches(size);
    std::fill_n(out.starts, count + 2, 0);
    bool fault = false;
    for (std::size_t i = 0; i < size; ++i) {
        if (i % kSpreadPiece == 0) cancel.check();
        const double score = rows.scores[i];
        fault |= (rows.truth[i] > 1) | std::isnan(score);
        fault |= rows.weights != nullptr && !(rows.weights[i] >= 0.0 && rows.weights[i] <= DBL_MAX);
        ++out.starts[(stretches[i] = between(score)) + 1];
    }
    if (fault) throw_first_fault(rows);
    for (std::size_t k = 1; k <= count + 1; ++k) out.starts[k] += out.starts[k - 1];
    std::vector<std::size_t> places(out.starts, out.starts + count + 1);
    for (std::size_t i = 0; i < size; ++i) {
        if (i % kSpreadPiece == 0) cancel.check();
        const std::size_t place = places[stretches[i]]++;
        out.truth[place] = rows.truth[i];
        out.scores[place] = rows.scores[i];
        if (rows.weights != nullptr) out.weights[place] = rows.weights[i];
    }
}

}  // namespace
}  // namespace thresher

// `cuts` fall. The rows, in order within each stretch between two cuts, and where stretches start: count + 2 numbers.
THRESHER_API std::int32_t thresher_spread_rows(const std::uint8_t* truth, const double* scores, const double* weights,
                                               std::int64_t rows, const double* cuts, std::int64_t count,
                                               const std::int32_t* cancel, std::uint8_t* out_truth, double* out_scores,
                                               double* out_weights, std::int64_t* starts, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Spread out{out_truth, out_scores, out_weights, starts};
        spread(RowColumns{truth, scores, weights, rows}, cuts, static_cast<std::size_t>(count), Cancel(cancel), out);
    });
}
