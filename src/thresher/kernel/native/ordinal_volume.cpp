// Volume under the ROC surface of one score and classes in order: the chance that one row of each class, drawn at random,
// stand in the order of their classes, and each row's part in it.
#include "classes.hpp"

namespace thresher {
namespace {

// The rows in cells of one score and one class, by rising score, then class.
struct Cells {
    std::vector<std::uint32_t> cell_of;      // of each row
    std::vector<std::uint32_t> class_codes;  // of each cell
    std::vector<std::size_t> ends;           // cell after the last of each distinct score

    Cells(const ClassTable& table, const Cancel& cancel) : cell_of(table.rows) {
        Block<ClassRow> items(table.rows);
        for (std::size_t i = 0; i < table.rows; ++i) {
            items[i] = {key_of(table.scores[i]), static_cast<std::uint32_t>(table.codes[i]), static_cast<std::uint32_t>(i)};
        }
        Sorter<ClassRow> sorter(cancel);
        const ClassRow* sorted = table.rows > 0 ? sorter.sort(items.get(), table.rows) : items.get();
        std::vector<ClassRow> tied;
        for (std::size_t end = table.rows; end > 0;) {
            std::size_t start = end;
            while (start > 0 && sorted[start - 1].code == sorted[end - 1].code) --start;
            tied.assign(sorted + start, sorted + end);
            std::stable_sort(tied.begin(), tied.end(),
                             [](const ClassRow& a, const ClassRow& b) { return a.class_code < b.class_code; });
            const std::size_t first = class_codes.size();
            for (const ClassRow& row : tied) {
                if (class_codes.size() == first || class_codes.back() != row.class_code) class_codes.push_back(row.class_code);
                cell_of[row.row] = static_cast<std::uint32_t>(class_codes.size() - 1);
            }
            ends.push_back(class_codes.size());
            end = start;
        }
    }
};

// Chains that have placed the classes below c, by c: every distinct score in turn lengthens them by the classes that it
// holds. m classes in a row at one score are in the right order with chance 1/m!.
class Chains {
public:
    Chains(const Cells& cells, std::size_t classes) : cells_(cells), classes_(classes), share_(cells.class_codes.size()) {}

    // Shares of each class's weight in every cell, from weights of cells; false where a class has no weight.
    template <class WeightOf>
    bool weigh(std::size_t rows, const WeightOf& weight) {
        std::fill(share_.begin(), share_.end(), 0.0);
        for (std::size_t i = 0; i < rows; ++i) share_[cells_.cell_of[i]] += weight(i);
        std::vector<double> totals(classes_);
        for (std::size_t c = 0; c < share_.size(); ++c) totals[cells_.class_codes[c]] += share_[c];
        for (const double total : totals) {
            if (!(total > 0.0)) return false;
        }
        for (std::size_t c = 0; c < share_.size(); ++c) share_[c] /= totals[cells_.class_codes[c]];
        return true;
    }

    // The volume; `before`, where it is not null, takes for every cell the chains that wait for its class.
    double forward(double* before) const {
        std::vector<double> chains(classes_ + 1);
        chains[0] = 1.0;
        each_run([&](std::size_t first, std::size_t end) {
            const std::size_t a = cells_.class_codes[first];
            const std::size_t length = end - first;
            if (before != nullptr) std::copy_n(chains.data() + a, length, before + first);
            for (std::size_t t = length; t > 0; --t) {
                double product = 1.0;
                for (std::size_t j = t; j-- > 0 && product > 0.0;) {
                    product *= share_[first + j] / static_cast<double>(t - j);
                    chains[a + t] += chains[a + j] * product;
                }
            }
        });
        return chains[classes_];
    }

    // For every cell the chance that a draw which takes one of its rows for its class is in order: the derivative of the
    // volume by the cell's share, which is linear in each share.
    void backward(const double* before, double* part) const {
        std::vector<double> rest(classes_ + 1);
        rest[classes_] = 1.0;
        std::vector<double> steps;
        each_run_back([&](std::size_t first, std::size_t end) {
            const std::size_t a = cells_.class_codes[first];
            const std::size_t length = end - first;
            // Chains through this run from j to t pass through all of its cells in between.
            steps.assign(length + 1, 0.0);
            for (std::size_t j = 0; j < length; ++j) {
                double product = 1.0;
                double gained = 0.0;
                for (std::size_t t = j + 1; t <= length && product > 0.0; ++t) {
                    product *= share_[first + t - 1] / static_cast<double>(t - j);
                    const double onward = product * rest[a + t];
                    gained += onward;
                    steps[j] += before[first + j] * onward;
                    steps[t] -= before[first + j] * onward;
                }
                rest[a + j] += gained;
            }
            double sum = 0.0;
            for (std::size_t j = 0; j < length; ++j) {
                sum += steps[j];
                part[first + j] = share_[first + j] > 0.0 ? sum / share_[first + j] : 0.0;
            }
        });
    }

private:
    template <class Use>
    void runs_of(std::size_t value, const Use& use) const {
        for (std::size_t first = value == 0 ? 0 : cells_.ends[value - 1]; first < cells_.ends[value];) {
            std::size_t end = first + 1;
            while (end < cells_.ends[value] && cells_.class_codes[end] == cells_.class_codes[end - 1] + 1) ++end;
            use(first, end);
            first = end;
        }
    }
    template <class Use>
    void each_run(const Use& use) const {
        for (std::size_t value = 0; value < cells_.ends.size(); ++value) runs_of(value, use);
    }
    // Runs at one score hold no neighbouring classes, so that their order is of no matter.
    template <class Use>
    void each_run_back(const Use& use) const {
        for (std::size_t value = cells_.ends.size(); value-- > 0;) runs_of(value, use);
    }

    const Cells& cells_;
    std::size_t classes_;
    std::vector<double> share_;
};

void check_scores_of(const ClassTable& table) {
    for (std::size_t i = 0; i < table.rows; ++i) {
        if (std::isnan(table.scores[i])) throw BadRow{kScoreNan, static_cast<std::int64_t>(i)};
    }
}

void whole(const ClassTable& table, const Cells& cells, double* value, double* influence) {
    Chains chains(cells, table.classes);
    const auto weight = [&](std::size_t i) { return table.weights == nullptr ? 1.0 : table.weights[i]; };
    if (!chains.weigh(table.rows, weight)) return;
    std::vector<double> before(cells.class_codes.size());
    std::vector<double> part(cells.class_codes.size());
    *value = chains.forward(before.data());
    if (influence == nullptr) return;
    chains.backward(before.data(), part.data());
    for (std::size_t i = 0; i < table.rows; ++i) influence[i] = part[cells.cell_of[i]];
}

void replicates(const ClassTable& table, const Cells& cells, const std::uint8_t* drawn, std::size_t count, int threads,
                const Cancel& cancel, double* values) {
    std::atomic<std::size_t> next{0};
    run_threads(threads, [&](int) {
        Chains chains(cells, table.classes);
        for (std::size_t r = next++; r < count; r = next++) {
            cancel.check();
            const std::uint8_t* times = drawn + r * table.rows;
            const auto weight = [&](std::size_t i) { return times[i] * (table.weights == nullptr ? 1.0 : table.weights[i]); };
            if (chains.weigh(table.rows, weight)) values[r] = chains.forward(nullptr);
        }
    });
}

}  // namespace
}  // namespace thresher

// `values` holds NaN, one for the rows as they are (`drawn` null) or one for each of `count` resamples, drawn (count ×
// rows) being how often a row is in it; it stays NaN where a class has no weight. `influence` (rows) may be null.
THRESHER_API std::int32_t thresher_ordinal_volume(const std::int64_t* codes, const double* scores, const double* weights,
                                                  std::int64_t rows, std::int64_t classes, const std::uint8_t* drawn,
                                                  std::int64_t count, std::int32_t threads, const std::int32_t* cancel,
                                                  double* values, double* influence, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const ClassTable table{codes, scores, weights, static_cast<std::size_t>(rows), static_cast<std::size_t>(classes), 1, 1};
        check_rows(table);
        check_scores_of(table);
        const Cells cells(table, Cancel(cancel));
        if (drawn == nullptr) return whole(table, cells, values, influence);
        replicates(table, cells, drawn, static_cast<std::size_t>(count), threads, Cancel(cancel), values);
    });
}
