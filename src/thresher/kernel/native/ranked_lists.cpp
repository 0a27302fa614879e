// Results of queries against their judgements: what each document was judged, and the order of every list.
#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "common.hpp"
#include "keys.hpp"
#include "texts.hpp"

namespace thresher {
namespace {

// Rows of every query in the order of the table: rows[starts[q] … starts[q + 1]).
struct Groups {
    std::vector<std::int64_t> starts;
    Block<std::int64_t> rows;
};

Groups group(const std::int32_t* codes, std::size_t rows, std::size_t queries) {
    Groups found{std::vector<std::int64_t>(queries + 1, 0), Block<std::int64_t>(rows)};
    for (std::size_t i = 0; i < rows; ++i) ++found.starts[static_cast<std::size_t>(codes[i]) + 1];
    for (std::size_t q = 0; q < queries; ++q) found.starts[q + 1] += found.starts[q];
    std::vector<std::int64_t> next(found.starts.begin(), found.starts.end() - 1);
    for (std::size_t i = 0; i < rows; ++i) {
        found.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(codes[i])]++)] =
            static_cast<std::int64_t>(i);
    }
    return found;
}

template <class Work>
void for_queries(std::size_t queries, int threads, const Cancel& cancel, const Work& work) {
    constexpr std::size_t kStep = 64;
    std::atomic<std::size_t> next{0};
    run_threads(threads, [&](int) {
        auto state = work.state();
        for (std::size_t from = next.fetch_add(kStep); from < queries; from = next.fetch_add(kStep)) {
            cancel.check();
            for (std::size_t q = from; q < std::min(from + kStep, queries); ++q) work(q, state);
        }
    });
}

struct Table {
    const std::int32_t* queries;
    Texts documents;
    std::size_t rows;
};

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// The document that is repeated at the earliest row, whichever thread finds it.
struct Repeated {
    std::int64_t row = kNone;
    std::int64_t first = -1;
};

// Looks every document of a query up among those that were judged. An entry of the hash table is a judgement, or a
// document of the run: places 1 … judged are judgements, the rest documents, 0 is free.
class LookUp {
public:
    LookUp(const Table& run, const Table& judged, const std::int32_t* relevance, std::size_t queries,
           std::int32_t* found)
        : run_(run), judged_(judged), relevance_(relevance), found_(found),
          run_groups_(group(run.queries, run.rows, queries)), judged_groups_(group(judged.queries, judged.rows, queries)) {}

    struct State {
        std::vector<std::uint32_t> table;
        std::vector<std::uint32_t> tags;
        std::vector<std::int64_t> seen;
    };
    State state() const { return {}; }

    void operator()(std::size_t q, State& s) const {
        const auto a = static_cast<std::size_t>(judged_groups_.starts[q]);
        const auto b = static_cast<std::size_t>(run_groups_.starts[q]);
        const std::size_t judged = static_cast<std::size_t>(judged_groups_.starts[q + 1]) - a;
        const std::size_t listed = static_cast<std::size_t>(run_groups_.starts[q + 1]) - b;
        const std::size_t capacity = std::bit_ceil(2 * (judged + listed) + 1);
        s.table.assign(capacity, 0);
        s.tags.resize(capacity);
        s.seen.assign(judged, -1);
        const auto row_at = [&](std::uint32_t entry) {
            return entry <= judged ? judged_groups_.rows[a + entry - 1] : run_groups_.rows[b + entry - 1 - judged];
        };
        // Place of a text: where an equal one stands, or where it would go.
        const auto place = [&](const Texts& texts, std::size_t row, std::uint64_t hash) {
            const auto tag = static_cast<std::uint32_t>(hash >> 32);
            std::size_t at = hash & (capacity - 1);
            while (s.table[at] != 0) {
                const Texts& other = s.table[at] <= judged ? judged_.documents : run_.documents;
                if (s.tags[at] == tag && texts.equal(row, other, static_cast<std::size_t>(row_at(s.table[at])))) break;
                at = (at + 1) & (capacity - 1);
            }
            s.tags[at] = s.table[at] == 0 ? tag : s.tags[at];
            return at;
        };
        for (std::size_t i = 0; i < judged; ++i) {
            const auto row = static_cast<std::size_t>(judged_groups_.rows[a + i]);
            const std::size_t at = place(judged_.documents, row, judged_.documents.hash(row));
            if (s.table[at] != 0) note(judged_twice_, static_cast<std::int64_t>(row), row_at(s.table[at]));
            s.table[at] = static_cast<std::uint32_t>(i + 1);
        }
        for (std::size_t i = 0; i < listed; ++i) {
            const auto row = static_cast<std::size_t>(run_groups_.rows[b + i]);
            const std::size_t at = place(run_.documents, row, run_.documents.hash(row));
            const std::uint32_t entry = s.table[at];
            if (entry == 0) {
                s.table[at] = static_cast<std::uint32_t>(judged + i + 1);
                found_[row] = -1;
            } else if (entry <= judged && s.seen[entry - 1] < 0) {
                s.seen[entry - 1] = static_cast<std::int64_t>(row);
                const std::int32_t value = relevance_[row_at(entry)];
                found_[row] = value < 0 ? -2 : value;
            } else {
                note(listed_twice_, static_cast<std::int64_t>(row), entry <= judged ? s.seen[entry - 1] : row_at(entry));
            }
        }
    }

    // Kind (0 none, 1 listed twice, 2 judged twice), the later row and the earlier one.
    void report(std::int64_t* out) const {
        const Repeated& found = judged_twice_.row != kNone ? judged_twice_ : listed_twice_;
        out[0] = found.row == kNone ? 0 : judged_twice_.row != kNone ? 2 : 1;
        out[1] = found.row;
        out[2] = found.first;
    }

private:
    void note(Repeated& known, std::int64_t row, std::int64_t first) const {
        const std::lock_guard<std::mutex> lock(guard_);
        if (row < known.row) known = {row, first};
    }

    const Table run_, judged_;
    const std::int32_t* relevance_;
    std::int32_t* found_;
    const Groups run_groups_, judged_groups_;
    mutable std::mutex guard_;
    mutable Repeated listed_twice_, judged_twice_;
};

// Orders the rows of every query by falling score, equal scores by falling document, or by row where there are none.
class Order {
public:
    Order(const Table& run, const double* scores, bool single, std::size_t queries, const std::int32_t* relevance,
          std::int64_t* starts, std::int32_t* ranked, std::uint8_t* tied)
        : run_(run), scores_(scores), single_(single), relevance_(relevance), ranked_(ranked), tied_(tied),
          groups_(group(run.queries, run.rows, queries)) {
        std::copy(groups_.starts.begin(), groups_.starts.end(), starts);
    }

    struct Item {
        std::uint64_t key;
        std::int64_t row;
    };
    using State = std::vector<Item>;
    State state() const { return {}; }

    void operator()(std::size_t q, State& items) const {
        const auto from = static_cast<std::size_t>(groups_.starts[q]);
        const std::size_t count = static_cast<std::size_t>(groups_.starts[q + 1]) - from;
        items.resize(count);
        bool sorted = true;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t row = groups_.rows[from + i];
            const double score = scores_[row];
            items[i] = {key_of(single_ ? static_cast<double>(static_cast<float>(score)) : score), row};
            sorted = sorted && (i == 0 || items[i - 1].key < items[i].key);
        }
        if (!sorted) std::sort(items.begin(), items.end(), [&](const Item& x, const Item& y) { return before(x, y); });
        for (std::size_t i = 0; i < count; ++i) {
            ranked_[from + i] = relevance_[items[i].row];
            tied_[from + i] = i > 0 && items[i].key == items[i - 1].key;
        }
    }

private:
    bool before(const Item& x, const Item& y) const {
        if (x.key != y.key) return x.key < y.key;
        if (run_.documents.offsets == nullptr) return x.row < y.row;
        return run_.documents.compare(static_cast<std::size_t>(x.row), static_cast<std::size_t>(y.row)) > 0;
    }

    const Table run_;
    const double* scores_;
    const bool single_;
    const std::int32_t* relevance_;
    std::int32_t* ranked_;
    std::uint8_t* tied_;
    const Groups groups_;
};

}  // namespace
}  // namespace thresher

// `found` gets the judged relevance of every document of the run, −1 where there is none and −2 where it is negative.
// Query codes lie in 0 … queries − 1. `report` gets what is repeated: see LookUp::report.
THRESHER_API std::int32_t thresher_look_up(const std::int32_t* run_queries, const char* run_data,
                                           const std::int64_t* run_offsets, std::int64_t run_rows,
                                           const std::int32_t* judged_queries, const char* judged_data,
                                           const std::int64_t* judged_offsets, const std::int32_t* relevance,
                                           std::int64_t judged_rows, std::int64_t queries, std::int32_t threads,
                                           const std::int32_t* cancel, std::int32_t* found, std::int64_t* report,
                                           std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto size = static_cast<std::size_t>(queries);
        const LookUp work(Table{run_queries, {run_data, run_offsets}, static_cast<std::size_t>(run_rows)},
                          Table{judged_queries, {judged_data, judged_offsets}, static_cast<std::size_t>(judged_rows)},
                          relevance, size, found);
        for_queries(size, threads, Cancel(cancel), work);
        work.report(report);
    });
}

// `ranked` gets the relevance in the order of the lists, `tied` whether a row scores as much as the one before it.
// `single` compares scores as 32-bit floats. `offsets` is null when there are no documents.
THRESHER_API std::int32_t thresher_rank_lists(const std::int32_t* codes, const char* data, const std::int64_t* offsets,
                                              const double* scores, const std::int32_t* relevance, std::int64_t rows,
                                              std::int64_t queries, std::int32_t single, std::int32_t threads,
                                              const std::int32_t* cancel, std::int64_t* starts, std::int32_t* ranked,
                                              std::uint8_t* tied, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto size = static_cast<std::size_t>(queries);
        const Order work(Table{codes, {data, offsets}, static_cast<std::size_t>(rows)}, scores, single != 0, size,
                         relevance, starts, ranked, tied);
        for_queries(size, threads, Cancel(cancel), work);
    });
}
