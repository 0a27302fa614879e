// From rows to sorted buckets: the way every function of rows goes.
//
// Another thread may write to the rows while they are read. So nothing that is read says where something is written,
// unless it is held to its bounds where it is used; what is read twice may differ.
#pragma once

#include <cstring>
#include <limits>

#include "extent.hpp"
#include "lanes.hpp"
#include "piles.hpp"
#include "sorter.hpp"

namespace thresher {

// The faults of one row, in the order in which they are named.
inline Status fault_of(const RowColumns& rows, std::int64_t i) {
    if (rows.truth[i] > 1) return kTruth;
    if (std::isnan(rows.scores[i])) return kScoreNan;
    if (rows.weights == nullptr) return kOk;
    const double weight = rows.weights[i];
    if (std::isnan(weight)) return kWeightNan;
    if (weight < 0.0) return kWeightNegative;
    return std::isinf(weight) ? kWeightInfinite : kOk;
}

[[noreturn]] inline void throw_first_fault(const RowColumns& rows) {
    for (std::int64_t i = 0; i < rows.rows; ++i) {
        if (const Status status = fault_of(rows, i); status != kOk) throw BadRow{status, i};
    }
    throw BadRow{kChanged, 0};
}

// One bucket, sorted: its items, the sign of its scores, and what comes before it.
template <class T>
struct Bucket {
    const T* items;
    std::size_t count;
    bool negative_scores;
    std::size_t index;
    std::int64_t rows_before;
    std::int64_t positives_before;

    double score(const T& item) const {
        return score_of((item.code >> 1) | (negative_scores ? kTop : 0));
    }
};

// Whether two neighbours of some items have equal scores; no branch, so that several are compared at once.
THRESHER_INLINED bool any_tied(const Item* items, std::size_t neighbours) {
    std::uint64_t below_zero = 0;
    for (std::size_t i = 0; i < neighbours; ++i) below_zero |= ((items[i].code ^ items[i + 1].code) >> 1) - 1;
    return below_zero >> 63 != 0;
}

// Items of many rows, that hold a part of the key only.
template <class T>
concept Narrow = requires { T::kNarrow; };

// Reads rows as items and notes whether any was at fault.
template <class T>
class Reader {
public:
    explicit Reader(const RowColumns& rows) : rows_(rows) {}

    // Calls use(key, item) for the rows of a stretch that weigh anything.
    template <class Use>
    bool read(std::int64_t from, std::int64_t to, const Use& use) const {
        bool fault = false;
        for (std::int64_t i = from; i < to; ++i) {
            const double score = rows_.scores[i];
            const std::uint8_t truth = rows_.truth[i];
            // Only NaN is unequal to itself.
            fault |= (truth > 1) | (score != score);
            const std::uint64_t key = key_of(score);
            if constexpr (requires(T item) { item.place; }) {
                use(key, T{pack(key, truth & 1U), static_cast<std::uint64_t>(i)});
            } else if constexpr (Narrow<T>) {
                use(key, T{static_cast<std::uint64_t>(i) << 1 | (truth & 1U)});
            } else if constexpr (T::kWeighted) {
                const double weight = rows_.weights[i];
                fault |= !(weight >= 0.0 && weight <= std::numeric_limits<double>::max());
                if (weight > 0.0) use(key, T{pack(key, truth & 1U), weight});
            } else {
                use(key, T{pack(key, truth & 1U)});
            }
        }
        return fault;
    }

private:
    RowColumns rows_;
};

struct Share {
    std::int64_t rows = 0;
    std::int64_t positives = 0;
};

// Sorts rows into buckets of falling scores and hands each to `consume(bucket)`, buckets in any order and on several
// threads. `prepare(count)` gets the number of buckets beforehand. The buckets depend on the rows alone, not on the
// number of threads, so that a consumer that adds bucket by bucket gets the same sums from any number.
template <class T>
class Buckets {
public:
    // Rows that are made items of two halves in one pass; more are cut into buckets.
    static constexpr std::int64_t kFew = 32767;

    Buckets(const RowColumns& rows, int threads, const Cancel& cancel)
        : rows_(rows), threads_(threads), cancel_(cancel) {}

    template <class Prepare, class Consume>
    Share run(const Prepare& prepare, const Consume& consume) {
        return run_by(prepare, consume, [&](const Partition& part) { return run_piles(part, prepare, consume); });
    }

    // The same in memory of the caller, which has room for as many items as rows: they are put there in the order of their
    // buckets, so that a sorted bucket may be written over by what is made of it.
    template <class Prepare, class Consume>
    Share run_in(T* room, const Prepare& prepare, const Consume& consume) {
        static_assert(!T::kWeighted, "rows of weight 0 are no items");
        return run_by(prepare, consume, [&](const Partition& part) { return run_room(part, room, prepare, consume); });
    }

private:
    static constexpr std::int64_t kStretch = std::int64_t{1} << 18;
    static constexpr std::size_t kMostSampled = std::size_t{1} << 16;
    static constexpr std::size_t kRowsPerBucket = 2048;
    static constexpr std::size_t kMostBuckets = 4096;

    template <class Prepare, class Consume, class Large>
    Share run_by(const Prepare& prepare, const Consume& consume, const Large& run_large) {
        if constexpr (!Narrow<T> && !T::kWeighted) {
            Share total;
            if (static_cast<std::size_t>(rows_.rows) <= ByValue<T>::kMost && run_direct(prepare, consume, total)) return total;
        }
        if constexpr (!Narrow<T>) {
            if (rows_.rows <= kFew) return run_small(prepare, consume);
        }
        return run_large(partition());
    }

    // Two buckets: scores from +inf to 0, and below.
    template <class Prepare, class Consume>
    Share run_small(const Prepare& prepare, const Consume& consume) {
        const auto rows = static_cast<std::size_t>(rows_.rows);
        Sorter<T> sorter(cancel_);
        const Block<T> items(2 * rows);
        // Each item is written to both halves and counted in one: no store has to wait for the place of the one before.
        T* const halves[2] = {items.get(), items.get() + rows};
        std::size_t above = 0;
        std::size_t below = 0;
        std::int64_t positives = 0;
        std::int64_t positives_below = 0;
        const bool fault = Reader<T>(rows_).read(0, rows_.rows, [&](std::uint64_t key, const T& item) {
            const std::size_t sign = key >> 63;
            const auto positive = static_cast<std::int64_t>(item.code & 1);
            halves[0][above] = item;
            halves[1][below] = item;
            above += 1 - sign;
            below += sign;
            positives += positive;
            positives_below += positive & static_cast<std::int64_t>(sign);
        });
        if (fault) throw_first_fault(rows_);
        cancel_.check();
        prepare(2);
        const Share first{static_cast<std::int64_t>(above), positives - positives_below};
        consume(Bucket<T>{sorter.sort(halves[0], above, false), above, false, 0, 0, 0});
        consume(Bucket<T>{sorter.sort(halves[1], below, true), below, true, 1, first.rows, first.positives});
        return Share{first.rows + static_cast<std::int64_t>(below), positives};
    }

    // Scores that are spread evenly, sorted in place, into the same two buckets. False for other scores, with nothing
    // done.
    template <class Prepare, class Consume>
    bool run_direct(const Prepare& prepare, const Consume& consume, Share& total) {
        const auto rows = static_cast<std::size_t>(rows_.rows);
        const double* const scores = rows_.scores;
        const std::uint8_t* const truth = rows_.truth;
        const Extent extent = extent_of(scores, rows);
        if (!extent.finite) return false;
        std::uint8_t codes = 0;
        for (std::size_t i = 0; i < rows; ++i) codes |= truth[i];
        if (codes > 1) return false;
        cancel_.check();
        Sorter<T> sorter(cancel_);
        const auto sorted = sorter.sort_rows(
            rows, extent.highest, extent.lowest, [scores](std::size_t i) { return scores[i]; },
            [scores, truth](std::size_t i) { return T{pack(key_of(scores[i]), truth[i] & 1U)}; });
        if (sorted.items == nullptr) return false;
        prepare(2);
        const T* const below = sorted.items + sorted.above;
        const Share first{static_cast<std::int64_t>(sorted.above), positives_of(sorted.items, sorted.above)};
        consume(Bucket<T>{sorted.items, sorted.above, false, 0, 0, 0});
        consume(Bucket<T>{below, rows - sorted.above, true, 1, first.rows, first.positives});
        total = Share{rows_.rows, first.positives + positives_of(below, rows - sorted.above)};
        return true;
    }

    static std::int64_t positives_of(const T* items, std::size_t count) {
        std::uint64_t positives = 0;
        for (std::size_t i = 0; i < count; ++i) positives += items[i].code & 1;
        return static_cast<std::int64_t>(positives);
    }

    Partition partition() const {
        const auto rows = static_cast<std::size_t>(rows_.rows);
        const std::size_t wanted = std::min(kMostBuckets, rows / kRowsPerBucket + 1);
        const std::size_t sampled = std::min({kMostSampled, rows / 8, 16 * wanted + 1024});
        return Partition(sample_of(rows, sampled, [&](std::size_t i) { return key_of(rows_.scores[i]); }), wanted);
    }

    template <class Prepare, class Consume>
    Share run_piles(const Partition& part, const Prepare& prepare, const Consume& consume) {
        std::vector<Piles<T>> piles;
        piles.reserve(static_cast<std::size_t>(threads_));
        for (int t = 0; t < threads_; ++t) {
            piles.emplace_back(part.buckets(), static_cast<std::size_t>(bound(t + 1) - bound(t)));
        }
        spread(part, piles);
        std::vector<Share> starts(part.buckets() + 1);
        Share total;
        for (std::size_t b = 0; b < part.buckets(); ++b) {
            starts[b] = total;
            for (const Piles<T>& mine : piles) {
                total.rows += static_cast<std::int64_t>(mine.count(b));
                total.positives += mine.positives(b);
            }
        }
        starts.back() = total;
        prepare(part.buckets());
        sort(part, starts, consume, [&](std::size_t b, std::size_t count, Block<T>& room, std::size_t& most) {
            if (count > most) {
                most = std::max(count, 2 * kRowsPerBucket);
                room = Block<T>(most);
            }
            T* end = room.get();
            for (const Piles<T>& mine : piles) end = mine.gather(b, end);
            return room.get();
        });
        return total;
    }

    // Places for items; `next` is taken first.
    struct Stretch {
        T* next;
        T* end;
    };

    // Counts the rows of every bucket and then puts each at its place: a second reading, and no memory but the caller's.
    template <class Prepare, class Consume>
    Share run_room(const Partition& part, T* room, const Prepare& prepare, const Consume& consume) {
        const std::size_t buckets = part.buckets();
        std::vector<std::vector<Share>> counts(static_cast<std::size_t>(threads_), std::vector<Share>(buckets));
        read_all([&](std::size_t thread) {
            return [&part, mine = counts[thread].data()](std::uint64_t key, const T& item) {
                Share& share = mine[part(key)];
                ++share.rows;
                share.positives += static_cast<std::int64_t>(item.code & 1);
            };
        });
        std::vector<Share> starts(buckets + 1);
        std::vector<std::vector<Stretch>> places(counts.size(), std::vector<Stretch>(buckets));
        Share total;
        for (std::size_t b = 0; b < buckets; ++b) {
            starts[b] = total;
            for (std::size_t thread = 0; thread < counts.size(); ++thread) {
                const Share& share = counts[thread][b];
                places[thread][b] = {room + total.rows, room + total.rows + share.rows};
                total.rows += share.rows;
                total.positives += share.positives;
            }
        }
        starts.back() = total;
        read_all([&](std::size_t thread) {
            return [&part, mine = places[thread].data()](std::uint64_t key, const T& item) {
                Stretch& stretch = mine[part(key)];
                if (stretch.next == stretch.end) [[unlikely]] throw BadRow{kChanged, 0};
                *stretch.next++ = item;
            };
        });
        for (const auto& mine : places) {
            for (const Stretch& stretch : mine) {
                if (stretch.next != stretch.end) throw BadRow{kChanged, 0};
            }
        }
        prepare(buckets);
        sort(part, starts, consume,
             [&](std::size_t b, std::size_t, Block<T>&, std::size_t&) { return room + starts[b].rows; });
        return total;
    }

    std::int64_t bound(int thread) const {
        return static_cast<std::int64_t>(static_cast<Wide>(rows_.rows) * thread / threads_);
    }

    // Reads a thread's rows in stretches, between which the caller may cancel.
    template <class Use>
    bool read(int thread, const Use& use) const {
        bool fault = false;
        for (std::int64_t from = bound(thread); from < bound(thread + 1); from += kStretch) {
            cancel_.check();
            fault |= Reader<T>(rows_).read(from, std::min(from + kStretch, bound(thread + 1)), use);
        }
        return fault;
    }

    // Reads all rows on all threads, each with the function that `user(thread)` gives it.
    template <class User>
    void read_all(const User& user) const {
        std::atomic<bool> fault{false};
        run_threads(threads_, [&](int thread) {
            if (read(thread, user(static_cast<std::size_t>(thread)))) fault = true;
        });
        if (fault) throw_first_fault(rows_);
    }

    void spread(const Partition& part, std::vector<Piles<T>>& piles) const {
        read_all([&](std::size_t thread) {
            return [&part, &mine = piles[thread]](std::uint64_t key, T item) {
                if constexpr (Narrow<T>) item.code |= std::uint64_t{part.prefix(key)} << 32;
                mine.put(part(key), item);
            };
        });
    }

    // Sorts the items of every bucket, which `items_of(bucket, count, room, most)` finds, or brings into a room that it
    // makes larger where it is for fewer.
    template <class Consume, class Items>
    void sort(const Partition& part, const std::vector<Share>& starts, const Consume& consume, const Items& items_of) const {
        std::atomic<std::size_t> next{0};
        run_threads(threads_, [&](int) {
            Sorter<T> sorter(cancel_);
            Block<T> room;
            std::size_t most = 0;
            for (std::size_t b = next++; b < part.buckets(); b = next++) {
                const auto count = static_cast<std::size_t>(starts[b + 1].rows - starts[b].rows);
                if (count == 0) continue;
                cancel_.check();
                T* const items = items_of(b, count, room, most);
                const bool negative = part.negative(b);
                const T* sorted = nullptr;
                if constexpr (Narrow<T>) {
                    sorted = sorter.sort(items, count);
                } else {
                    sorted = sorter.sort(items, count, negative);
                }
                consume(Bucket<T>{sorted, count, negative, b, starts[b].rows, starts[b].positives});
            }
        });
    }

    RowColumns rows_;
    int threads_;
    Cancel cancel_;
};

}  // namespace thresher
