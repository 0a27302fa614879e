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

struct Listing {
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

// The documents of one query in a hash table: places 1 … judged are its judgements, the rest its results, 0 is free.
class Pool {
public:
    void start(const Texts& judged, const std::int64_t* judged_rows, std::size_t judgements, const Texts& listed,
               const std::int64_t* listed_rows, std::size_t results) {
        judged_ = judged;
        listed_ = listed;
        judged_rows_ = judged_rows;
        listed_rows_ = listed_rows;
        judgements_ = judgements;
        const std::size_t capacity = std::bit_ceil(2 * (judgements + results) + 1);
        mask_ = capacity - 1;
        entries_.assign(capacity, 0);
        tags_.resize(capacity);
        seen_.assign(judgements, -1);
    }

    // The earlier judgement of the same document, or −1.
    std::int64_t add_judgement(std::size_t i) {
        const auto row = static_cast<std::size_t>(judged_rows_[i]);
        const std::size_t at = place(judged_, row);
        const std::int64_t known = entries_[at] == 0 ? -1 : row_of(entries_[at]);
        entries_[at] = static_cast<std::uint32_t>(i + 1);
        return known;
    }

    // The judgement of a result (−1 without one), and the earlier result of the same document (−1 without one).
    struct Match {
        std::int64_t judgement;
        std::int64_t earlier;
    };
    Match add_result(std::size_t i) {
        const std::int64_t row = listed_rows_[i];
        const std::size_t at = place(listed_, static_cast<std::size_t>(row));
        const std::uint32_t entry = entries_[at];
        if (entry == 0) {
            entries_[at] = static_cast<std::uint32_t>(judgements_ + i + 1);
            return {-1, -1};
        }
        if (entry > judgements_) return {-1, row_of(entry)};
        const std::int64_t earlier = seen_[entry - 1];
        if (earlier < 0) seen_[entry - 1] = row;
        return {row_of(entry), earlier};
    }

private:
    std::int64_t row_of(std::uint32_t entry) const {
        return entry <= judgements_ ? judged_rows_[entry - 1] : listed_rows_[entry - 1 - judgements_];
    }

    // Place of an equal text, or where it would go.
    std::size_t place(const Texts& texts, std::size_t row) {
        const std::uint64_t hash = texts.hash(row);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t at = hash & mask_;
        for (; entries_[at] != 0; at = (at + 1) & mask_) {
            const Texts& other = entries_[at] <= judgements_ ? judged_ : listed_;
            if (tags_[at] == tag && texts.equal(row, other, static_cast<std::size_t>(row_of(entries_[at])))) return at;
        }
        tags_[at] = tag;
        return at;
    }

    Texts judged_{}, listed_{};
    const std::int64_t* judged_rows_ = nullptr;
    const std::int64_t* listed_rows_ = nullptr;
    std::size_t judgements_ = 0;
    std::size_t mask_ = 0;
    std::vector<std::uint32_t> entries_, tags_;
    std::vector<std::int64_t> seen_;
};

// Looks every document of a run up among those that were judged for its query.
class LookUp {
public:
    LookUp(const Listing& run, const Listing& judged, const std::int32_t* relevance, std::size_t queries,
           std::int32_t* found)
        : run_(run), judged_(judged), relevance_(relevance), found_(found),
          run_groups_(group(run.queries, run.rows, queries)), judged_groups_(group(judged.queries, judged.rows, queries)) {}

    using State = Pool;
    State state() const { return {}; }

    void operator()(std::size_t q, State& pool) const {
        const auto a = static_cast<std::size_t>(judged_groups_.starts[q]);
        const auto b = static_cast<std::size_t>(run_groups_.starts[q]);
        const std::size_t judged = static_cast<std::size_t>(judged_groups_.starts[q + 1]) - a;
        const std::size_t listed = static_cast<std::size_t>(run_groups_.starts[q + 1]) - b;
        const std::int64_t* judged_rows = judged_groups_.rows.get() + a;
        const std::int64_t* listed_rows = run_groups_.rows.get() + b;
        pool.start(judged_.documents, judged_rows, judged, run_.documents, listed_rows, listed);
        for (std::size_t i = 0; i < judged; ++i) {
            const std::int64_t known = pool.add_judgement(i);
            if (known >= 0) note(judged_twice_, judged_rows[i], known);
        }
        for (std::size_t i = 0; i < listed; ++i) {
            const Pool::Match match = pool.add_result(i);
            if (match.earlier >= 0) note(listed_twice_, listed_rows[i], match.earlier);
            const std::int32_t value = match.judgement < 0 ? -1 : relevance_[match.judgement];
            found_[listed_rows[i]] = match.judgement >= 0 && value < 0 ? -2 : value;
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

    const Listing run_, judged_;
    const std::int32_t* relevance_;
    std::int32_t* found_;
    const Groups run_groups_, judged_groups_;
    mutable std::mutex guard_;
    mutable Repeated listed_twice_, judged_twice_;
};

// Orders the rows of every query by falling score, equal scores by falling document, or by row where there are none.
class Order {
public:
    Order(const Listing& run, const double* scores, bool single, std::size_t queries, const std::int32_t* relevance,
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

    const Listing run_;
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
// Query codes are 0 … queries − 1. `report` gets a repeated document: see LookUp::report.
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
        const LookUp work(Listing{run_queries, {run_data, run_offsets}, static_cast<std::size_t>(run_rows)},
                          Listing{judged_queries, {judged_data, judged_offsets}, static_cast<std::size_t>(judged_rows)},
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
        const Order work(Listing{codes, {data, offsets}, static_cast<std::size_t>(rows)}, scores, single != 0, size,
                         relevance, starts, ranked, tied);
        for_queries(size, threads, Cancel(cancel), work);
    });
}
