// What rows say of several scores at once: sums of products of their placements, of their losses, and of decisions.
#include <algorithm>

#include "common.hpp"
#include "row_losses.hpp"

namespace thresher {
namespace {

// Columns of k scores, one after another. `levels` are the thresholds of each score, those that more rows reach first,
// of which score i has cuts[i] … cuts[i + 1]; `signs` turn scores about of which less is more positive, and levels are
// turned already.
struct Scores {
    const std::uint8_t* truth;
    const double* scores;
    const double* placements;
    const double* weights;
    const double* signs;
    const double* levels;
    const std::int64_t* cuts;
    std::size_t rows;
    std::size_t count;

    std::size_t states() const { return static_cast<std::size_t>(cuts[count]) + count; }
};

// Where sums stand in a row of them: of each class Σw, Σw·v and Σw·v·vᵀ of placements v; of the three losses Σw·l and
// Σw·(lᵢ − lⱼ)²; and of each class the rows that reach so many levels of two scores.
struct Places {
    std::size_t k;
    std::size_t states;

    std::size_t first(std::size_t side) const { return 2 + side * k; }
    std::size_t second(std::size_t side) const { return 2 + 2 * k + side * k * k; }
    std::size_t losses(std::size_t loss) const { return 2 + 2 * k + 2 * k * k + loss * k; }
    std::size_t squares(std::size_t loss) const { return losses(3) + loss * k * k; }
    std::size_t reached(std::size_t side) const { return squares(3) + side * states * states; }
    std::size_t size() const { return reached(2); }
};

class Rows {
public:
    Rows(const Scores& given, const Places& places)
        : given_(given), places_(places), columns_(4 * given.count * kPieceRows), usable_(given.count), at_(given.count) {}

    // Adds rows to the sums.
    void add(std::size_t from, std::size_t to, double* sums) {
        has_avx2() ? add_with_avx2(from, to, sums) : add_anywhere(from, to, sums);
    }

private:
    const Scores& given_;
    const Places& places_;
    std::vector<double> columns_;  // of each score: squared error, log loss, score, placement
    std::vector<char> usable_;     // whether all scores of the piece are probabilities
    std::vector<std::size_t> at_;
    alignas(32) double weight_[kPieceRows];
    alignas(32) std::uint64_t of_class_[2][kPieceRows];  // positives first; rows without weight are of none
    std::size_t count_ = 0;

    void add_anywhere(std::size_t from, std::size_t to, double* sums) { add_rows(from, to, sums); }
    THRESHER_AVX2 void add_with_avx2(std::size_t from, std::size_t to, double* sums) { add_rows(from, to, sums); }

    THRESHER_INLINED void add_rows(std::size_t from, std::size_t to, double* sums) {
        fill(from, to);
        add_classes([&](std::size_t r) THRESHER_LAMBDA { return lanes_at(weight_ + r); }, sums, sums + 1);
        for (std::size_t i = 0; i < given_.count; ++i) {
            const double* const one = column(3, i);
            const auto first = [&](std::size_t r) THRESHER_LAMBDA { return lanes_at(weight_ + r) * lanes_at(one + r); };
            add_classes(first, sums + places_.first(0) + i, sums + places_.first(1) + i);
            for (std::size_t j = 0; j <= i; ++j) {
                const double* const two = column(3, j);
                const std::size_t at = i * given_.count + j;
                const auto second = [&](std::size_t r) THRESHER_LAMBDA { return first(r) * lanes_at(two + r); };
                add_classes(second, sums + places_.second(0) + at, sums + places_.second(1) + at);
            }
        }
        for (std::size_t l = 0; l < 3; ++l) {
            for (std::size_t i = 0; i < given_.count; ++i) add_loss(l, i, sums);
        }
        for (std::size_t r = 0; r < count_; ++r) add_levels(from + r, r, sums);
    }

    THRESHER_INLINED double* column(std::size_t kind, std::size_t i) {
        return columns_.data() + (kind * given_.count + i) * kPieceRows;
    }

    // Adds the sums of what a few rows add, of positives and of negatives.
    template <class Added>
    THRESHER_INLINED void add_classes(const Added& added, double* positive, double* negative) const {
        Doubles sums[2] = {};
        for (std::size_t r = 0; r < count_; r += kLanes) {
            const Bits value = (Bits)added(r);
            for (std::size_t side = 0; side < 2; ++side) sums[side] += (Doubles)(lanes_at<Bits>(of_class_[side] + r) & value);
        }
        *positive += sum_of(sums[0]);
        *negative += sum_of(sums[1]);
    }

    // Sum of what a few rows add, of both classes.
    template <class Added>
    THRESHER_INLINED double total(const Added& added) const {
        Doubles sum{};
        for (std::size_t r = 0; r < count_; r += kLanes) {
            const Bits counted = lanes_at<Bits>(of_class_[0] + r) | lanes_at<Bits>(of_class_[1] + r);
            sum += (Doubles)(counted & (Bits)added(r));
        }
        return sum_of(sum);
    }

    THRESHER_INLINED void fill(std::size_t from, std::size_t to) {
        count_ = to - from;
        const std::size_t filled = padded(count_);
        for (std::size_t r = 0; r < filled; ++r) {
            const std::size_t row = from + std::min(r, count_ - 1);
            weight_[r] = given_.weights == nullptr ? 1.0 : given_.weights[row];
            const std::uint64_t counted = r < count_ && weight_[r] > 0.0 ? ~std::uint64_t{0} : 0;
            const std::uint64_t positive = given_.truth[row] != 0 ? ~std::uint64_t{0} : 0;
            of_class_[0][r] = counted & positive;
            of_class_[1][r] = counted & ~positive;
        }
        for (std::size_t i = 0; i < given_.count; ++i) {
            bool usable = given_.signs[i] > 0.0;
            for (std::size_t r = 0; r < filled; ++r) {
                const std::size_t row = i * given_.rows + from + std::min(r, count_ - 1);
                const double score = given_.scores[row];
                column(2, i)[r] = score;
                column(3, i)[r] = given_.placements[row];
                usable &= (score >= 0.0 && score <= 1.0) || (of_class_[0][r] | of_class_[1][r]) == 0;
            }
            usable_[i] = usable;
            if (usable) losses_of(column(2, i), of_class_[0], filled, column(0, i), column(1, i));
        }
    }

    THRESHER_INLINED void add_loss(std::size_t l, std::size_t i, double* sums) {
        if (!usable_[i]) {
            sums[places_.losses(l) + i] = kNaN;
            return;
        }
        const double* const one = column(l, i);
        const auto weighted = [&](std::size_t r) THRESHER_LAMBDA { return lanes_at(weight_ + r) * lanes_at(one + r); };
        sums[places_.losses(l) + i] += total(weighted);
        for (std::size_t j = 0; j < i; ++j) {
            if (!usable_[j]) continue;
            const double* const two = column(l, j);
            sums[places_.squares(l) + i * given_.count + j] += total([&](std::size_t r) THRESHER_LAMBDA {
                const Doubles apart = lanes_at(one + r) - lanes_at(two + r);
                return lanes_at(weight_ + r) * apart * apart;
            });
        }
    }

    void add_levels(std::size_t row, std::size_t r, double* sums) {
        if ((of_class_[0][r] | of_class_[1][r]) == 0) return;
        double* const reached = sums + places_.reached(of_class_[0][r] != 0 ? 0 : 1);
        for (std::size_t i = 0; i < given_.count; ++i) {
            const double score = given_.signs[i] * given_.scores[i * given_.rows + row];
            std::size_t level = 0;
            for (std::int64_t c = given_.cuts[i]; c < given_.cuts[i + 1]; ++c) level += score >= given_.levels[c];
            at_[i] = static_cast<std::size_t>(given_.cuts[i]) + i + level;
            for (std::size_t j = 0; j <= i; ++j) reached[at_[i] * places_.states + at_[j]] += weight_[r];
        }
    }
};

}  // namespace
}  // namespace thresher

// out: sums in the order of Places.
THRESHER_API std::int32_t thresher_paired_rows(const std::uint8_t* truth, const double* scores, const double* placements,
                                               const double* weights, const double* signs, const double* levels,
                                               const std::int64_t* cuts, std::int64_t rows, std::int64_t count,
                                               std::int32_t threads, double* out, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const Scores given{truth, scores, placements, weights, signs, levels, cuts, static_cast<std::size_t>(rows),
                           static_cast<std::size_t>(count)};
        const Places places{given.count, given.states()};
        // A block's sums do not depend on which thread makes them, nor does the order in which blocks are added.
        constexpr std::size_t kBlock = std::size_t{1} << 15;
        std::vector<std::vector<double>> parts((given.rows + kBlock - 1) / kBlock);
        std::atomic<std::size_t> next{0};
        run_threads(threads, [&](int) {
            Rows adding(given, places);
            for (std::size_t b = next++; b < parts.size(); b = next++) {
                std::vector<double> sums(places.size());
                const std::size_t end = std::min(given.rows, (b + 1) * kBlock);
                for (std::size_t from = b * kBlock; from < end; from += kPieceRows) {
                    adding.add(from, std::min(end, from + kPieceRows), sums.data());
                }
                parts[b] = std::move(sums);
            }
        });
        for (std::size_t i = 0; i < places.size(); ++i) {
            Sum sum;
            for (const auto& part : parts) sum.add(part[i]);
            out[i] = sum.value();
        }
    });
}
