// Rows of several scores counted together by their rounded scores, in a table of hashes that grows with the cells alone.
#include <algorithm>
#include <bit>

#include "common.hpp"
#include "rounded.hpp"

namespace thresher {
namespace {

constexpr std::size_t kLook = std::size_t{1} << 16;  // rows between two looks at the flag
constexpr std::size_t kBlock = 128;                  // rows whose slots are asked for before the first is used
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;

// The columns of each score: thresholds that stay exact, rising, are those from `ends[c]` to `ends[c + 1]` of all.
struct Joint {
    const double* const* scores;
    std::int64_t rows;
    std::size_t models;
    std::int32_t bits;
    const std::uint8_t* lower;
    const double* cuts;
    const std::int64_t* ends;

    // Bits of the rounded scores of some rows, each moved to the threshold between it and the score.
    void words(std::size_t model, std::size_t start, std::size_t many, std::uint64_t* out) const {
        const double* const own = scores[model] + start;
        const std::uint64_t low = lower[model];
        for (std::size_t i = 0; i < many; ++i) out[i] = bits_of(rounded(own[i], bits, low) + 0.0);
        const double* const first = cuts + ends[model];
        const double* const last = cuts + ends[model + 1];
        if (first == last) return;
        for (std::size_t i = 0; i < many; ++i) out[i] = bits_of(kept_apart(own[i], std::bit_cast<double>(out[i]), first, last, low) + 0.0);
    }

    static double kept_apart(double score, double near, const double* first, const double* last, std::uint64_t low) {
        if (low == 0) {
            const double* const at = std::upper_bound(first, last, score);
            return at != first && near < at[-1] ? at[-1] : near;
        }
        const double* const at = std::lower_bound(first, last, score);
        return at != last && near > *at ? *at : near;
    }
};

// What a row adds to its cell: whole counts or weights of both classes.
template <class N>
struct Both {
    const N* positive;
    const N* negative;

    void add(N* here, std::size_t row) const {
        here[0] += positive[row];
        here[1] += negative[row];
    }
};

// Rows that count once, in the class that their truth says.
struct Once {
    const std::uint8_t* truth;

    void add(std::int64_t* here, std::size_t row) const {
        const std::uint64_t own = read_once(truth[row]);
        if (own > 1) throw BadRow{kTruth, static_cast<std::int64_t>(row)};
        ++here[1 - own];
    }
};

// Cells by a hash of their words; their contents are in the caller's arrays, with room for `most`.
class CellTable {
public:
    CellTable(std::size_t models, std::int64_t most, std::uint64_t* cells)
        : models_(models), most_(most), cells_(cells), slots_(std::size_t{1} << kFirst, -1) {}

    // Distance of the words of a row, or a cell.
    std::uint64_t hash_of(const std::uint64_t* words, std::size_t step) const {
        std::uint64_t hash = 0;
        for (std::size_t c = 0; c < models_; ++c) {
            hash = (hash ^ words[c * step]) * kFactor;
            hash ^= hash >> 32;
        }
        return hash;
    }

    void ask(std::uint64_t hash) const { __builtin_prefetch(&slots_[place(hash)]); }

    // Place that is looked at first, by the upper bits: of coarse scores the lower ones of a product are 0.
    std::size_t place(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }

    // Number of the cell of these words, which may be new; −1 where there is no room for it.
    std::int64_t find(const std::uint64_t* words, std::uint64_t hash) {
        std::size_t at = place(hash);
        while (slots_[at] >= 0 && !is_cell(slots_[at], words)) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at] >= 0) return slots_[at];
        if (found_ == most_) return -1;
        for (std::size_t c = 0; c < models_; ++c) cells_[models_ * static_cast<std::size_t>(found_) + c] = words[c * kBlock];
        slots_[at] = static_cast<std::int32_t>(found_++);
        if (2 * static_cast<std::size_t>(found_) > slots_.size()) grow();
        return found_ - 1;
    }

    std::int64_t found() const { return found_; }

private:
    static constexpr int kFirst = 12;

    bool is_cell(std::int32_t cell, const std::uint64_t* words) const {
        const std::uint64_t* const known = cells_ + models_ * static_cast<std::size_t>(cell);
        std::uint64_t other = 0;
        for (std::size_t c = 0; c < models_; ++c) other |= known[c] ^ words[c * kBlock];
        return other == 0;
    }

    void grow() {
        slots_.assign(4 * slots_.size(), -1);
        shift_ -= 2;
        for (std::int64_t cell = 0; cell < found_; ++cell) {
            std::size_t at = place(hash_of(cells_ + models_ * static_cast<std::size_t>(cell), 1));
            while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::int32_t>(cell);
        }
    }

    std::size_t models_;
    std::int64_t most_;
    std::uint64_t* cells_;
    std::vector<std::int32_t> slots_;
    int shift_ = 64 - kFirst;
    std::int64_t found_ = 0;
};

// Number of cells, or −1 where they are more than there is room for.
template <class Added, class N>
std::int64_t join(const Joint& rows, const Added& added, CellTable table, N* counts, const Cancel& cancel) {
    std::vector<std::uint64_t> words(kBlock * rows.models);
    std::uint64_t hashes[kBlock];
    const auto size = static_cast<std::size_t>(rows.rows);
    for (std::size_t start = 0; start < size; start += kBlock) {
        if (start % kLook == 0) cancel.check();
        const std::size_t many = std::min(kBlock, size - start);
        for (std::size_t c = 0; c < rows.models; ++c) rows.words(c, start, many, words.data() + c * kBlock);
        for (std::size_t i = 0; i < many; ++i) {
            hashes[i] = table.hash_of(words.data() + i, kBlock);
            table.ask(hashes[i]);
        }
        for (std::size_t i = 0; i < many; ++i) {
            const std::int64_t before = table.found();
            const std::int64_t cell = table.find(words.data() + i, hashes[i]);
            if (cell < 0) return -1;
            N* const here = counts + 2 * cell;
            if (cell == before) here[0] = here[1] = 0;
            added.add(here, start + i);
        }
    }
    return table.found();
}

}  // namespace
}  // namespace thresher

// Writes the cells of rows (their rounded scores one beside the other, then the counts of both classes) to `cells` and
// `counts`, which have room for `most`; `found` is their number, −1 where they are more. Counts are int64 where `whole`,
// else double; without `negative`, rows count once, and `positive` is their truth.
THRESHER_API std::int32_t thresher_joint_cells(const double* const* scores, const void* positive, const void* negative,
                                               std::int64_t rows, std::int64_t models, std::int32_t bits,
                                               const std::uint8_t* lower, const double* cuts, const std::int64_t* ends,
                                               std::int32_t whole, std::int64_t most, const std::int32_t* cancel,
                                               std::uint64_t* cells, void* counts, std::int64_t* found,
                                               std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto k = static_cast<std::size_t>(models);
        const auto run = [&](const auto& added, auto* out) {
            return join(Joint{scores, rows, k, bits, lower, cuts, ends}, added, CellTable(k, most, cells), out, Cancel(cancel));
        };
        const auto both = [&](auto* out) {
            using N = std::remove_pointer_t<decltype(out)>;
            return run(Both<N>{static_cast<const N*>(positive), static_cast<const N*>(negative)}, out);
        };
        auto* const whole_counts = static_cast<std::int64_t*>(counts);
        *found = negative == nullptr ? run(Once{static_cast<const std::uint8_t*>(positive)}, whole_counts)
                 : whole != 0        ? both(whole_counts)
                                     : both(static_cast<double*>(counts));
    });
}
