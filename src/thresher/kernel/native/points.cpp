// The points of the ROC and of the precision–recall curve, thinned on the way, without a table in between.
#include <cstring>

#include "buckets.hpp"

namespace thresher {
namespace {

enum class Curve { kRoc, kPrecisionRecall };

// The counts at one score.
struct Step {
    std::int64_t positives = 0;
    std::int64_t negatives = 0;
};

// Where the points go; every column has room for one point per row and one before them. With `rising` thresholds the
// columns are filled from their ends.
struct Points {
    double* x;
    double* y;
    double* thresholds;
    std::size_t rows;
    double positives;
    double negatives;
    bool drop;
    bool rising;

    std::size_t place(std::size_t at) const { return rising ? rows - at : at; }
};

// Whether the point of one score says nothing that its neighbours do not, given the counts at the score and the next:
// on the ROC it is half-way between them; on the precision–recall curve neither score has a positive.
template <Curve C>
bool redundant(const Step& own, const Step& next) {
    if constexpr (C == Curve::kRoc) return (own.positives == next.positives) & (own.negatives == next.negatives);
    return (own.positives | next.positives) == 0;
}

template <Curve C>
void put(const Points& out, std::size_t place, std::int64_t tp, std::int64_t fp, double threshold) {
    const std::size_t at = out.place(place);
    if constexpr (C == Curve::kRoc) {
        out.x[at] = static_cast<double>(fp) / out.negatives;
        out.y[at] = static_cast<double>(tp) / out.positives;
    } else {
        out.x[at] = static_cast<double>(tp) / out.positives;
        out.y[at] = static_cast<double>(tp) / static_cast<double>(tp + fp);
    }
    out.thresholds[at] = threshold;
}

// What closing up must know of a bucket: how many points it wrote, and the counts at its first and last score.
struct Written {
    std::size_t start = 0;
    std::size_t size = 0;
    Step first;
    Step last;
    bool last_is_first = false;
};

// How far the writing of a bucket has come: where the next point goes, the counts so far, those at the score that goes on
// and at the one before, and how many scores have ended.
struct Progress {
    std::size_t at;
    std::int64_t tp;
    std::int64_t fp;
    Step here;
    Step last;
    std::size_t scores = 0;
};

// A point is written over by the next one when that makes it redundant. The first of all points stays, as does the
// last of a bucket until its neighbour in the next bucket is known.
template <Curve C>
void write_scores(const Bucket<Item>& bucket, std::size_t from, std::size_t to, const Points& out, Progress& progress,
                  Written& written) {
    Progress now = progress;
    const bool first_of_all = bucket.rows_before == 0;
    for (std::size_t i = from; i < to; ++i) {
        const std::uint64_t code = bucket.items[i].code;
        const auto positive = static_cast<std::int64_t>(code & 1);
        now.tp += positive;
        now.fp += 1 - positive;
        now.here.positives += positive;
        now.here.negatives += 1 - positive;
        const bool ends = i + 1 == bucket.count || bucket.items[i + 1].code >> 1 != code >> 1;
        const bool may_drop = out.drop & (now.scores > static_cast<std::size_t>(first_of_all));
        const bool over = ends & may_drop & redundant<C>(now.last, now.here);
        now.at -= static_cast<std::size_t>(over);
        put<C>(out, now.at, now.tp, now.fp, bucket.score(bucket.items[i]));
        now.at += static_cast<std::size_t>(ends);
        if (now.scores == 0 && ends) written.first = now.here;
        now.scores += static_cast<std::size_t>(ends);
        now.last = ends ? now.here : now.last;
        now.here = ends ? Step{} : now.here;
    }
    progress = now;
}

// The same for a stretch in which every item is a score of its own, later than the second of its bucket.
template <Curve C>
void write_untied(const Bucket<Item>& bucket, std::size_t from, std::size_t to, const Points& out, Progress& progress) {
    std::size_t at = progress.at;
    std::int64_t tp = progress.tp;
    const std::int64_t before = tp + progress.fp - static_cast<std::int64_t>(from) + 1;
    // What the class of the item before makes redundant: an equal one on the ROC, else a negative after a negative.
    const bool single = progress.last.positives + progress.last.negatives == 1;
    std::int64_t last = C == Curve::kRoc ? (single ? progress.last.positives : 2) : (progress.last.positives == 0 ? 0 : 1);
    for (std::size_t i = from; i < to; ++i) {
        const auto positive = static_cast<std::int64_t>(bucket.items[i].code & 1);
        const bool over = out.drop & (C == Curve::kRoc ? positive == last : (positive | last) == 0);
        last = positive;
        tp += positive;
        at -= static_cast<std::size_t>(over);
        put<C>(out, at, tp, before + static_cast<std::int64_t>(i) - tp, bucket.score(bucket.items[i]));
        ++at;
    }
    progress = {at, tp, before + static_cast<std::int64_t>(to) - 1 - tp, {}, {last, 1 - last}, progress.scores + to - from};
}

template <Curve C>
Written write_points(const Bucket<Item>& bucket, const Points& out) {
    constexpr std::size_t kStretch = 128;
    Written written;
    written.start = static_cast<std::size_t>(bucket.rows_before) + 1;
    Progress progress{written.start, bucket.positives_before, bucket.rows_before - bucket.positives_before, {}, {}};
    for (std::size_t from = 0; from < bucket.count; from += kStretch) {
        const std::size_t to = std::min(bucket.count, from + kStretch);
        const bool apart = progress.scores > 1 && progress.here.positives + progress.here.negatives == 0;
        if (apart && !any_tied(bucket.items + from, std::min(to, bucket.count - 1) - from)) {
            write_untied<C>(bucket, from, to, out, progress);
        } else {
            write_scores<C>(bucket, from, to, out, progress, written);
        }
    }
    written.size = progress.at - written.start;
    written.last = progress.last;
    written.last_is_first = bucket.rows_before == 0 && progress.scores == 1;
    return written;
}

// Drops the last point of a bucket where the first of the next makes it redundant.
template <Curve C>
void drop_between(std::vector<Written>& buckets) {
    Written* before = nullptr;
    for (Written& bucket : buckets) {
        if (bucket.size == 0) continue;
        if (before != nullptr && !before->last_is_first && redundant<C>(before->last, bucket.first)) --before->size;
        before = &bucket;
    }
}

std::size_t close_up(double* column, const std::vector<Written>& buckets, const Points& out) {
    std::size_t end = 1;
    for (const Written& bucket : buckets) {
        if (end != bucket.start && bucket.size > 0) {
            // The lowest address of a stretch is where its first point is, or its last when the columns run backwards.
            const std::size_t to = out.rising ? out.place(end + bucket.size - 1) : end;
            const std::size_t from = out.rising ? out.place(bucket.start + bucket.size - 1) : bucket.start;
            std::memmove(column + to, column + from, bucket.size * sizeof(double));
        }
        end += bucket.size;
    }
    return end;
}

template <Curve C>
std::size_t write_curve(const RowColumns& rows, int threads, const Cancel& cancel, Points out) {
    std::int64_t positives = 0;
    for (std::int64_t i = 0; i < rows.rows; ++i) positives += rows.truth[i] & 1;
    out.positives = static_cast<double>(positives);
    out.negatives = static_cast<double>(rows.rows - positives);
    std::vector<Written> buckets;
    Buckets<Item>(rows, threads, cancel)
        .run([&](std::size_t count) { buckets.resize(count); },
             [&](const Bucket<Item>& bucket) {
                 if (bucket.count > 0) buckets[bucket.index] = write_points<C>(bucket, out);
             });
    if (out.drop) drop_between<C>(buckets);
    double* const columns[] = {out.x, out.y, out.thresholds};
    std::size_t end = 1;
    run_threads(std::min(threads, 3), [&](int thread) {
        for (int c = thread; c < 3; c += std::min(threads, 3)) {
            const std::size_t reached = close_up(columns[c], buckets, out);
            if (c == 0) end = reached;
        }
    });
    return end;
}

}  // namespace
}  // namespace thresher

// Writes (FPR, TPR) or (recall, precision) at every threshold, falling, after a place that is left for the point at
// which nothing is predicted positive; or the same in the opposite order, ending at the columns' ends. `written` counts
// that place. `curve` is 0 for the ROC, 1 for precision–recall.
THRESHER_API std::int32_t thresher_curve_points(const std::uint8_t* truth, const double* scores, const double* weights,
                                                std::int64_t rows, std::int32_t threads, const std::int32_t* cancel,
                                                std::int32_t curve, std::int32_t drop, std::int32_t rising,
                                                double* x, double* y, double* thresholds, std::int64_t* written,
                                                std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const RowColumns columns{truth, scores, weights, rows};
        const Points out{x, y, thresholds, static_cast<std::size_t>(rows), 0.0, 0.0, drop != 0, rising != 0};
        const std::size_t count = curve == 0
                                      ? write_curve<Curve::kRoc>(columns, threads, Cancel(cancel), out)
                                      : write_curve<Curve::kPrecisionRecall>(columns, threads, Cancel(cancel), out);
        *written = static_cast<std::int64_t>(count);
    });
}
