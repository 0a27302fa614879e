// Two ROC curves walked side by side: which is above the other, from (0, 0) to (1, 1).
#include <numeric>

#include "table_columns.hpp"

namespace thresher {
namespace {

// Distance in rates below which two curves of weighted sums count as touching.
constexpr double kTie = 1e-12;

// Counts as coordinates that both curves share: x of nn for the negatives, y of pp for the positives. V holds products
// of two of them.
template <class V>
struct Plane {
    V nn;
    V pp;

    // TPR + FPR, which rises along both curves, in units of 1/(nn·pp).
    V along(V x, V y) const { return x * pp + y * nn; }
    double rate_x(V x) const { return static_cast<double>(x) / static_cast<double>(nn); }
    double rate_y(V y) const { return static_cast<double>(y) / static_cast<double>(pp); }
};

template <class V>
struct Vertex {
    V x = 0;
    V y = 0;
    V u = 0;
};

// One curve, with the segment that the walk has come to.
template <class N, class V>
class Walker {
public:
    Walker(const Table<N>& table, const Plane<V>& plane, V scale_x, V scale_y, const Totals<N>& totals)
        : table_(table), plane_(plane), scale_x_(scale_x), scale_y_(scale_y), totals_(totals) {
        advance();
    }
    const Vertex<V>& from() const { return from_; }
    const Vertex<V>& to() const { return to_; }
    bool done() const { return done_; }

    void advance() {
        from_ = to_;
        while (row_ < table_.rows && !(table_.positive[row_] > 0) && !(table_.negative[row_] > 0)) ++row_;
        if (row_ == table_.rows) {
            done_ = true;
            return;
        }
        tp_ += table_.positive[row_];
        fp_ += table_.negative[row_];
        ++row_;
        if constexpr (std::is_floating_point_v<V>) {
            to_.x = fp_ / totals_.negative;
            to_.y = tp_ / totals_.positive;
        } else {
            to_.x = static_cast<V>(fp_) * scale_x_;
            to_.y = static_cast<V>(tp_) * scale_y_;
        }
        to_.u = plane_.along(to_.x, to_.y);
    }

private:
    const Table<N> table_;
    const Plane<V> plane_;
    const V scale_x_;
    const V scale_y_;
    const Totals<N> totals_;
    N tp_ = 0;
    N fp_ = 0;
    std::size_t row_ = 0;
    bool done_ = false;
    Vertex<V> from_;
    Vertex<V> to_;
};

// How far a point is above a segment that holds its u, along the anti-diagonal: the sign, exact for whole numbers, and
// the distance in TPR − FPR.
struct Gap {
    int sign;
    double size;
};

Gap toward(double size) {
    if (std::fabs(size) <= kTie) return {0, 0.0};
    return {size > 0.0 ? 1 : -1, size};
}

template <class V>
Gap gap_above(const Plane<V>& plane, const Vertex<V>& point, const Vertex<V>& a, const Vertex<V>& b) {
    const V dx = b.x - a.x;
    const V dy = b.y - a.y;
    const V qx = point.x - a.x;
    const V qy = point.y - a.y;
    const double length = plane.rate_x(dx) + plane.rate_y(dy);
    if constexpr (std::is_floating_point_v<V>) {
        // Weights too small to move a rate make a segment without length.
        if (!(length > 0.0)) return toward((point.y - point.x) - (b.y - b.x));
        const double share = std::min((qx + qy) / length, 1.0);
        return toward((point.y - point.x) - ((a.y - a.x) + share * (dy - dx)));
    } else {
        const V cross = dx * qy - dy * qx;
        const double area = static_cast<double>(cross) / static_cast<double>(plane.nn) / static_cast<double>(plane.pp);
        return {(cross > 0) - (cross < 0), 2.0 * area / length};
    }
}

template <class V>
Gap gap_between(const Plane<V>& plane, const Vertex<V>& first, const Vertex<V>& second) {
    const double size = plane.rate_y(first.y - second.y) - plane.rate_x(first.x - second.x);
    if constexpr (std::is_floating_point_v<V>) {
        return toward(size);
    } else {
        // At equal u the one with more true positives has fewer false ones.
        return {(first.y > second.y) - (first.y < second.y), size};
    }
}

// Stretches of one sign, neighbors of the same sign joined, with the points between them.
struct Stretches {
    std::int8_t* kinds;
    double* fpr;
    double* tpr;
    std::int64_t count = 0;

    void add(int kind, double x, double y) {
        if (count > 0 && kinds[count - 1] == kind) --count;
        kinds[count++] = static_cast<std::int8_t>(kind);
        fpr[count] = x;
        tpr[count] = y;
    }
};

template <class N, class V>
std::int64_t walk(const Plane<V>& plane, Walker<N, V> first, Walker<N, V> second, Stretches out) {
    out.fpr[0] = out.tpr[0] = 0.0;
    Gap before{0, 0.0};
    double x0 = 0.0;
    double y0 = 0.0;
    while (!first.done() || !second.done()) {
        const Vertex<V> a = first.to();
        const Vertex<V> b = second.to();
        Gap gap{0, 0.0};
        double x = plane.rate_x(a.x);
        double y = plane.rate_y(a.y);
        if (a.u == b.u) {
            gap = gap_between(plane, a, b);
            if (!first.done()) first.advance();
            if (!second.done()) second.advance();
        } else if (second.done() || (!first.done() && a.u < b.u)) {
            gap = gap_above(plane, a, second.from(), b);
            first.advance();
        } else {
            const Vertex<V> from = first.from();
            gap = gap_above(plane, b, from, a);
            gap = {-gap.sign, -gap.size};
            const double length = x - plane.rate_x(from.x) + y - plane.rate_y(from.y);
            const double done = plane.rate_x(b.x - from.x) + plane.rate_y(b.y - from.y);
            const double rest = length > 0.0 ? std::max(1.0 - done / length, 0.0) : 0.0;
            x -= rest * plane.rate_x(a.x - from.x);
            y -= rest * plane.rate_y(a.y - from.y);
            second.advance();
        }
        if (before.sign * gap.sign < 0) {
            const double share = before.size / (before.size - gap.size);
            out.add(before.sign, x0 + share * (x - x0), y0 + share * (y - y0));
            out.add(gap.sign, x, y);
        } else {
            out.add(before.sign != 0 ? before.sign : gap.sign, x, y);
        }
        before = gap;
        x0 = x;
        y0 = y;
    }
    return out.count;
}

}  // namespace
}  // namespace thresher

// Both tables have rows of both classes; whole ones multiply to less than 2^125 (kernel/tables.py). `kinds` has room for
// 2·(rows + rows) + 1 stretches, fpr and tpr for one more.
THRESHER_API std::int32_t thresher_leads(const void* positive, const void* negative, std::int64_t rows,
                                         std::int32_t whole, const void* positive2, const void* negative2,
                                         std::int64_t rows2, std::int8_t* kinds, double* fpr, double* tpr,
                                         std::int64_t* count, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const TableColumns a{positive, negative, rows, whole};
        const TableColumns b{positive2, negative2, rows2, whole};
        const Stretches out{kinds, fpr, tpr};
        if (whole != 0) {
            const Table<std::int64_t> first(a);
            const Table<std::int64_t> second(b);
            const auto p = checked_totals(first);
            const auto q = checked_totals(second);
            // The caller has looked, and another thread may have written since.
            if (!p.positive || !p.negative || !q.positive || !q.negative) throw BadRow{kChanged, 0};
            const std::int64_t gcd_p = std::gcd(p.positive, q.positive);
            const std::int64_t gcd_n = std::gcd(p.negative, q.negative);
            const Wide of_first_x = q.negative / gcd_n;
            const Wide of_first_y = q.positive / gcd_p;
            const Plane<Wide> plane{p.negative * of_first_x, p.positive * of_first_y};
            *count = walk(plane, Walker<std::int64_t, Wide>(first, plane, of_first_x, of_first_y, p),
                          Walker<std::int64_t, Wide>(second, plane, p.negative / gcd_n, p.positive / gcd_p, q), out);
        } else {
            const Table<double> first(a);
            const Table<double> second(b);
            const auto p = checked_totals(first);
            const auto q = checked_totals(second);
            const Plane<double> plane{1.0, 1.0};
            *count = walk(plane, Walker<double, double>(first, plane, 1.0, 1.0, p),
                          Walker<double, double>(second, plane, 1.0, 1.0, q), out);
        }
    });
}
