"""How far a measure of a table of bins may be from that of the rows: certified, whatever the order in each bin.

Most measures of a ranking never fall when a ROC rises, so the two ROCs that bound all that a table may stand for bound
them too; losses fall with every positive that rises and every negative that falls. What is of another kind has a bound
of its own, and what is fitted has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats, divide
from thresher.counts.groups import class_scales
from thresher.counts.hidden import hides_order
from thresher.counts.merging import COLUMNS
from thresher.counts.scores import ScoreTable
from thresher.measures.areas import ONE_BIN, at_prevalence, once_per_table
from thresher.measures.registry import Measure, find
from thresher.results import Estimate

AREAS = {"auc": 1.0, "gini": 2.0, "signed_area": 1.0}
"""Measures that are the AUC, times this."""

LOSSES = ("brier_score", "root_brier_score", "brier_skill_score", "log_loss")
"""Measures that are exact where the losses of the rows were summed."""

MEANS = ("mean_score", "calibration_difference", "observed_expected_ratio")
"""Measures that move one way when all scores do."""

ORDERED = (
    "ks_statistic", "maximum_informedness", "equal_error_rate", "eleven_point_precision",
    "break_even_point", "h_measure", "minimum_weighted_loss", "brier_discrimination", "brier_uncertainty", *LOSSES,
)  # fmt: skip
"""Measures that never get better when a positive falls or a negative rises."""


BY_BINS = frozenset({
    "average_precision", "pr_auc_trapezoid", "pr_auc_davis_goadrich", "ks_statistic", "maximum_informedness",
    "equal_error_rate", "eleven_point_precision", "break_even_point", "h_measure", "minimum_weighted_loss",
    "root_brier_score", "brier_skill_score", "brier_miscalibration", "brier_discrimination", "brier_uncertainty",
    "calibration_difference", "observed_expected_ratio", "calibration_slope", "calibration_intercept",
    "expected_calibration_error", "maximum_calibration_error", "adaptive_calibration_error",
    "debiased_calibration_error", "smooth_calibration_error", "emax", "e90",
    "nagelkerke_r2", "discrimination_index", "quality_index",
})  # fmt: skip
"""Measures of scores without a formula for differences, of which bins of a hundredth of the rows tell the scatter."""

EXACT = frozenset({
    *AREAS, "ks_statistic", "maximum_informedness", "h_measure", "minimum_weighted_loss", "brier_discrimination",
})  # fmt: skip
"""Measures that the rank sums of a table, or the vertices of its hull, tell at any prevalence."""

AT_OWN_PREVALENCE = frozenset({
    "average_precision", "pr_auc_trapezoid", "pr_auc_davis_goadrich", "eleven_point_precision", "break_even_point",
})  # fmt: skip
"""Measures that they tell at the prevalence of the rows."""

AT_VERTICES = frozenset({
    "accuracy", "error_rate", "informedness", "balanced_accuracy", "f1", "f_beta", "jaccard", "cohen_kappa",
    "matthews_correlation", "average_cost", "net_benefit",
})  # fmt: skip
"""Measures of decisions that are best at a vertex of the hull of the ROC's points, unless knowing nothing is better.

The part of the plane where such a measure is no better than some value is convex: if it holds the vertices, it holds
every point. Of Matthews' correlation this is so from 0 on.
"""


def error_bound(name: str, table: ScoreTable, **parameters: Any) -> float | None:
    """Largest distance of a measure of a table of bins from that of the rows; +inf where it is not known.

    None where the table is of distinct scores, so that its measures are exact. As the value of the rows too lies in the
    range of the measure, it is no farther than the end of it.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([2, 1]), negative=np.array([1, 1]), binned=True,
    ...     widths=np.array([0.5, 0.0]),
    ... )
    >>> error_bound("ks_statistic", bins), error_bound("ks_statistic", ScoreTable.from_scores([1, 0], [0.9, 0.1]))
    (0.5, None)
    """
    if not table.binned:
        return None
    entry = find(name)
    is_undefined = ONE_BIN in entry.undefined and hides_order(table)
    if table.widths is None or table.positive.ndim > 1 or entry.needs != "table" or entry.fitted or is_undefined:
        return math.inf
    if entry.name in _summed(table):
        return 0.0
    if entry.name not in BOUNDS and entry.name not in ORDERED:
        return math.inf
    given = entry.name, *sorted(entry.checked(parameters).items())
    kept: dict[Any, float] = vars(table).setdefault("error_bounds", {})
    if given not in kept:
        own = BOUNDS.get(entry.name)
        found = between(partial(entry, **parameters), table) if own is None else own(table, **parameters)
        kept[given] = _within_range(entry, float(entry(table, **parameters)), math.inf if found is None else found)
    return kept[given]


def _within_range(entry: Measure, value: float, bound: float) -> float:
    """Bound that ends where the range of the measure does; one that is not known stays so."""
    return bound if math.isnan(value) or math.isinf(bound) else min(bound, max(abs(value - e) for e in entry.bounds))


def bounded(interval: Callable[..., Estimate]) -> Callable[..., Estimate]:
    """Give the estimates that a function makes of a table of bins their bound; those of distinct scores are exact."""

    @wraps(interval)
    def found(table: ScoreTable, *args: Any, **options: Any) -> Estimate:
        estimate = interval(table, *args, **options)
        return replace(estimate, error_bound=error_bound(estimate.name, table)) if table.binned else estimate

    return found


def _summed(table: ScoreTable) -> frozenset[str]:
    """Measures that sums over the rows tell exactly."""
    summed = frozenset() if table.losses is None else frozenset((*LOSSES, *MEANS))
    if table.rank_sums is None:
        return summed
    return summed | EXACT | (AT_OWN_PREVALENCE if table.prior is None else frozenset())


def between(read: Callable[[ScoreTable], float], table: ScoreTable) -> float | None:
    """Bound of what never falls when the ROC rises, or never rises: the farthest that the ends of it read otherwise.

    None where the table is of distinct scores; +inf where the widths of its bins are not known.
    """
    if not table.binned:
        return None
    if table.widths is None or table.positive.ndim > 1:
        return math.inf
    found = orders(table)
    return _farthest(read, table, found.best, found.worst)


def _farthest(read: Callable[[ScoreTable], float], table: ScoreTable, *others: ScoreTable) -> float:
    """Distance of the value of a table from that of others; 0 where it is undefined of all alike, +inf of some."""
    value, *ends = (float(read(each)) for each in (table, *others))
    if any(math.isnan(each) for each in (value, *ends)):
        return 0.0 if all(math.isnan(each) for each in (value, *ends)) else math.inf
    return max(0.0 if value == end else abs(value - end) for end in ends)


def _of_area(slope: float) -> Callable[[ScoreTable], float]:
    return lambda table: _or_zero(slope * float(table.error_bound))


def _of_mean(name: str) -> Callable[[ScoreTable], float]:
    return lambda table: _farthest(find(name), table, *orders(table)[2:])


@once_per_table
def _of_average_precision(table: ScoreTable) -> float:
    """Σ over bins of p·π and of ∫ x/(x + c) dx over their positives x, with no negative before and all n before.

    All positives of a bin tied and before its negatives give the most; one after the other, after its negatives, the
    least, where the k-th has precision (TP + k)/(TP + k + FP + n).
    """
    positive, negative, tp, fp = _columns(table)
    total = float(positive.sum())
    if not total:
        return 0.0
    rows = _wide(table) & (positive > 0)
    p, n, tp, fp = positive[rows], negative[rows], tp[rows], fp[rows]
    most = p * (tp + p) / (tp + p + fp)
    value = p * (tp + p) / (tp + p + fp + n)
    # x/(x + c) is concave, so that of whole numbers each is at least its mean over half a row on both sides.
    c, start = fp + n, tp + (0.5 if table.positive.dtype.kind == "i" and table.prior is None else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        least = p - np.where(c > 0, c * np.log1p(p / (start + c)), 0.0)
    return float(max((most - value).sum(), (value - least).sum()) / total)


@once_per_table
def joined_points_bound(table: ScoreTable) -> float:
    """Σ over bins of their share of the positives, times the most that precision may change within, however joined.

    So far off is the precision at every recall within, and the area over no part of the recalls is farther off.
    """
    positive, negative, tp, fp = _columns(table)
    total = float(positive.sum())
    rows = _wide(table) & (positive > 0)
    p, n, tp, fp = positive[rows], negative[rows], tp[rows], fp[rows]
    least = np.where(fp + n > 0, divide(tp, tp + fp + n), 1.0)
    return float((p * ((tp + p) / (tp + p + fp) - least)).sum() / total) if total else 0.0


def _of_miscalibration(table: ScoreTable) -> float:
    """Brier score less that of the isotonic fit: the bounds of both together."""
    return sum(error_bound(name, table) or 0.0 for name in ("brier_score", "brier_discrimination"))


def _of_mean_gap(table: ScoreTable, bins: float = 10) -> float:
    """Bound of the expected calibration error: that of the rows lies between sums of what each bin may add."""
    least, most, _ = _gaps(table, int(bins))
    total = float(sum(column.sum() for column in at_prevalence(table)))
    value = find("expected_calibration_error")(table, bins=bins)
    return _or_zero(max(most.sum() / total - value, value - least.sum() / total)) if total else 0.0


def _of_largest_gap(table: ScoreTable, bins: float = 10) -> float:
    """Bound of the maximum calibration error, by the largest gap that each bin may have."""
    least, most, weight = _gaps(table, int(bins))
    if not weight.size:
        return 0.0
    value = float(find("maximum_calibration_error")(table, bins=bins))
    return _or_zero(max(divide(most, weight).max() - value, value - divide(least, weight).max()))


def _gaps(table: ScoreTable, bins: int) -> tuple[Floats, Floats, Floats]:
    """Least and greatest |Σ (y − s)| of each of equally wide bins that may have rows, and the most it may weigh.

    Rows of a bin of scores that an edge cuts may be on either side of it, and each is at most 1 from its truth.
    """
    edges = np.linspace(0.0, 1.0, bins + 1)[1:-1]
    up, down = class_scales(table)
    p, n = table.positive * up, table.negative * down
    both = table.scores, last_scores(table)
    low, high = (np.searchsorted(edges, each) for each in both)
    sure = low == high

    def summed(values: Floats) -> Floats:
        return np.bincount(low[sure], weights=values[sure], minlength=bins).astype(np.float64)

    ends = [summed(p - (p + n) * each) for each in both]
    cut = np.bincount(low[~sure], weights=(p + n)[~sure], minlength=bins)
    cut += np.bincount(high[~sure], weights=(p + n)[~sure], minlength=bins)
    for place in np.flatnonzero(high - low > 1):
        cut[low[place] + 1 : high[place]] += (p + n)[place]
    sizes = np.abs(ends)
    inside = np.where(np.sign(ends[0]) * np.sign(ends[1]) <= 0, 0.0, sizes.min(axis=0))
    weight = summed(p + n) + cut
    some = weight > 0
    return np.maximum(inside - cut, 0.0)[some], (sizes.max(axis=0) + cut)[some], weight[some]


def _columns(table: ScoreTable) -> tuple[Floats, Floats, Floats, Floats]:
    """Counts of both classes at the table's prevalence, and TP and FP before each row."""
    positive, negative = (np.asarray(column, dtype=np.float64) for column in at_prevalence(table))
    return positive, negative, np.cumsum(positive) - positive, np.cumsum(negative) - negative


def _wide(table: ScoreTable) -> NDArray[np.bool_]:
    return np.zeros(table.scores.size, dtype=np.bool_) if table.widths is None else np.asarray(table.widths > 0)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else max(float(value), 0.0)


BOUNDS: dict[str, Callable[..., float]] = {
    **{name: _of_area(slope) for name, slope in AREAS.items()},
    **{name: _of_mean(name) for name in MEANS},
    "average_precision": _of_average_precision,
    "pr_auc_trapezoid": joined_points_bound,
    "pr_auc_davis_goadrich": joined_points_bound,
    "brier_miscalibration": _of_miscalibration,
    "expected_calibration_error": _of_mean_gap,
    "maximum_calibration_error": _of_largest_gap,
}
"""Bounds of measures that are neither a mean of losses nor better wherever the ROC is higher."""


class Orders(NamedTuple):
    """Tables of distinct scores that a table of bins may stand for, at the ends of what is possible."""

    best: ScoreTable
    worst: ScoreTable
    lowest: ScoreTable
    highest: ScoreTable


@once_per_table
def orders(table: ScoreTable) -> Orders:
    """Positives of every bin before its negatives, after them, and all rows at either end of their bin.

    No order of the rows of a bin has a ROC above that of `best` or below that of `worst`. Probabilities stay below 1.

    >>> bins = ScoreTable(
    ...     scores=np.array([0.5, 0.0]), positive=np.array([2, 1]), negative=np.array([1, 1]), binned=True,
    ...     widths=np.array([0.5, 0.0]),
    ... )
    >>> found = orders(bins)
    >>> found.best.positive.tolist(), found.best.negative.tolist(), found.best.scores.round(6).tolist()
    ([2, 0, 1], [0, 1, 1], [1.0, 0.5, 0.0])
    >>> found.worst.positive.tolist(), found.worst.negative.tolist()
    ([0, 2, 1], [1, 0, 1])
    """
    top = last_scores(table)
    away = 1.0 if table.direction == "higher" else -1.0
    wide = away * top > away * table.scores
    last = np.arange(table.scores.size) + np.cumsum(wide)  # a bin of two rows stands twice, its top first
    first = last - wide
    scores = np.empty(table.scores.size + np.count_nonzero(wide))
    scores[first] = top
    scores[last] = table.scores
    best, worst = (_parted(table, scores, *ends) for ends in ((first, last), (last, first)))
    lowest, highest = (replace(table, scores=s, binned=False, widths=None, losses=None) for s in (table.scores, top))
    return Orders(best, worst, lowest, highest)


def last_scores(table: ScoreTable) -> Floats:
    """Most positive score that each bin can hold; of probabilities 1 at the most."""
    if table.widths is None:
        return table.scores
    top, wide = table.scores.copy(), table.widths > 0
    away = 1.0 if table.direction == "higher" else -1.0
    with np.errstate(over="ignore"):
        edge = np.nextafter(table.scores[wide] + away * table.widths[wide], -away * np.inf)
    most = np.minimum if away > 0 else np.maximum
    top[wide] = most(edge, 1.0) if table.is_probability else edge
    return top


def _parted(table: ScoreTable, scores: Floats, positives: NDArray[Any], negatives: NDArray[Any]) -> ScoreTable:
    """Table in which the positives of every bin have one row, and its negatives another, or the same."""
    columns: dict[str, Any] = {}
    for name in COLUMNS:
        if (column := getattr(table, name)) is not None:
            columns[name] = np.zeros((*column.shape[:-1], scores.size), column.dtype)
            columns[name][..., positives if name.startswith("positive") else negatives] = column
    return replace(table, scores=scores, binned=False, widths=None, losses=None, **columns)
