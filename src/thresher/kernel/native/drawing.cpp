// From a score table to the rows worth drawing.
#include "table_columns.hpp"

namespace thresher {
namespace {

template <class N>
struct DrawnVertex {
    N tp;
    N fp;
};

// a·b − c·d with the right sign: the rounding errors of both products are kept [Kahan].
inline double cross(double a, double b, double c, double d) {
    const double cd = c * d;
    return std::fma(a, b, -cd) + std::fma(-c, d, cd);
}
inline bool left_of(double a, double b, double c, double d) { return cross(a, b, c, d) > 0.0; }

// Differences of cumulative counts below 2^63 multiply to less than 2^126.
inline bool left_of(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<Wide>(a) * b > static_cast<Wide>(c) * d;
}

// Rows that are sifted for possible vertices of the hull together.
constexpr std::size_t kSifted = 256;

// The upper hull of (0, 0) and all points, which come in order along both axes: each new point takes away those on or
// below the line from the vertex before them. A row without positives, or before one without negatives, is below the
// line from the row before it to the one after, so that it is a vertex only as the last of all.
template <class S, class N = CountOf<S>>
std::int64_t hull(const Table<S>& table, std::int64_t* rows) {
    std::vector<DrawnVertex<N>> stack{{0, 0}};
    std::size_t size = table.rows;
    while (size > 0 && !(table.positive[size - 1] > 0) && !(table.negative[size - 1] > 0)) --size;
    DrawnVertex<N> point{0, 0};
    std::size_t sifted[kSifted];
    DrawnVertex<N> points[kSifted];
    for (std::size_t start = 0; start < size; start += kSifted) {
        std::size_t count = 0;
        for (std::size_t i = start; i < std::min(start + kSifted, size); ++i) {
            point.tp += table.positive[i];
            point.fp += table.negative[i];
            sifted[count] = i;
            points[count] = point;
            const std::size_t next = std::min(i + 1, size - 1);
            const bool rises = (table.positive[next] > 0) & !(table.negative[next] > 0);
            count += static_cast<std::size_t>(((table.positive[i] > 0) & !rises) | (i + 1 == size));
        }
        for (std::size_t k = 0; k < count; ++k) {
            while (stack.size() > 1) {
                const DrawnVertex<N>& from = stack[stack.size() - 2];
                const DrawnVertex<N>& middle = stack.back();
                const DrawnVertex<N>& to = points[k];
                if (left_of(middle.tp - from.tp, to.fp - middle.fp, to.tp - middle.tp, middle.fp - from.fp)) break;
                stack.pop_back();
            }
            rows[stack.size() - 1] = static_cast<std::int64_t>(sifted[k]);
            stack.push_back(points[k]);
        }
    }
    return static_cast<std::int64_t>(stack.size()) - 1;
}

template <class S, class N = CountOf<S>>
void cumulate_at(const Table<S>& table, const std::int64_t* indices, std::int64_t count, N* tp, N* fp) {
    N positives = 0;
    N negatives = 0;
    std::int64_t i = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        for (; i <= indices[k]; ++i) {
            positives += table.positive[i];
            negatives += table.negative[i];
        }
        tp[k] = positives;
        fp[k] = negatives;
    }
}

// Neighbouring rows without positives put together. A row is written by the chunk in which it begins, which reads on into
// the next for the last one.
template <class S>
class Folding {
public:
    Folding(const Table<S>& table, int threads) : table_(table), chunks_(table, threads), starts_(chunks_.count() + 1) {
        chunks_.each([&](std::size_t chunk, std::size_t from, std::size_t to) {
            std::int64_t own = 0;
            for (std::size_t i = std::max(from, std::size_t{1}); i < to; ++i) own += !joins(i);
            starts_[chunk + 1] = own + (from == 0 && to > 0);
        });
        for (std::size_t chunk = 0; chunk < chunks_.count(); ++chunk) starts_[chunk + 1] += starts_[chunk];
    }

    std::int64_t rows() const { return starts_.back(); }

    // Writes the folded rows; false where a count is beyond F, and what is written is of no use.
    template <class F>
    bool write(F* positive, F* negative) const {
        std::atomic<bool> fits{true};
        chunks_.each([&](std::size_t chunk, std::size_t from, std::size_t to) {
            if (fits && !write(chunk, from, to, positive, negative)) fits = false;
        });
        return fits;
    }

private:
    using N = CountOf<S>;

    bool joins(std::size_t i) const { return !(table_.positive[i - 1] > 0) & !(table_.positive[i] > 0); }

    // A row of the table is written where it may end up, so that there is no branch to mispredict. What another thread
    // changes meanwhile cannot lead beyond the rows of the table: none is written after its own place.
    template <class F>
    bool write(std::size_t chunk, std::size_t from, std::size_t to, F* positive, F* negative) const {
        while (from > 0 && from < to && joins(from)) ++from;
        std::int64_t row = starts_[chunk] - 1;
        N negatives = 0;
        N most = 0;
        const auto add = [&](std::size_t i, bool is_joined) {
            if constexpr (Whole<S>) {
                negatives &= -static_cast<N>(is_joined);
            } else {
                negatives *= static_cast<N>(is_joined);
            }
            negatives += table_.negative[i];
            row += static_cast<std::int64_t>(!is_joined);
            positive[row] = static_cast<F>(table_.positive[i]);
            negative[row] = static_cast<F>(negatives);
            most = std::max(most, std::max<N>(table_.positive[i], negatives));
        };
        if (from == to) return true;
        add(from, false);
        std::size_t i = from + 1;
        for (; i < to; ++i) add(i, joins(i));
        for (; i < table_.rows && joins(i); ++i) add(i, true);
        return sizeof(F) == sizeof(N) || most <= static_cast<N>(std::numeric_limits<F>::max());
    }

    const Table<S>& table_;
    Chunks<S> chunks_;
    std::vector<std::int64_t> starts_;
};

}  // namespace
}  // namespace thresher

// `out` has room for every row; *count is how many were written.
THRESHER_API std::int32_t thresher_hull(const void* positive, const void* negative, std::int64_t rows,
                                        std::int32_t whole, std::int64_t* out, std::int64_t* count,
                                        std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&](const auto& table) {
            checked_totals(table);
            *count = hull(table, out);
        });
    });
}

// Both columns have room for every row in 8 bytes; count: how many rows were written, and the bytes of a whole number.
THRESHER_API std::int32_t thresher_fold(const void* positive, const void* negative, std::int64_t rows, std::int32_t whole,
                                        std::int32_t threads, void* folded_positive, void* folded_negative,
                                        std::int64_t* count, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&]<class S>(const Table<S>& table) {
            const Folding<S> folding(table, threads);
            count[0] = folding.rows();
            const auto fits = [&]<class F>(F) {
                count[1] = sizeof(F);
                return folding.write(static_cast<F*>(folded_positive), static_cast<F*>(folded_negative));
            };
            if constexpr (Whole<S>) {
                if (fits(std::int8_t{}) || fits(std::int32_t{})) return;
            }
            fits(CountOf<S>{});
        });
    });
}

// `indices` do not fall and are rows of the table; tp and fp are of its type.
THRESHER_API std::int32_t thresher_cumulate_at(const void* positive, const void* negative, std::int64_t rows,
                                               std::int32_t whole, const std::int64_t* indices, std::int64_t count,
                                               void* tp, void* fp, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        with_table(TableColumns{positive, negative, rows, whole}, [&](const auto& table) {
            using N = typename std::decay_t<decltype(table)>::Count;
            checked_totals(table);
            cumulate_at(table, indices, count, static_cast<N*>(tp), static_cast<N*>(fp));
        });
    });
}
