"""Intervals of functions of the cells of a matrix: means of amounts, means over classes, and the information.

A mean of amounts by cell, such as a cost, is Σ a_c·n_c/n = Σ (a_g − a_0)·s_g + a_0 over the shares s_g of the rows with
amount a_g; a_0 is a reference amount. Each share has a score interval, so an empty share keeps its uncertainty:
Wilson's, with Poisson's limits for a share of one to three rows. The distances from the shares to their limits add up
in squares (Zou & Donner 2008). At another prevalence the shares are within each class. Shares of one sample are
negatively correlated. If two have opposite signs, as in a net benefit, their difference varies more, and the
correlation enters; if the signs are alike it is left out, which covers more often and is hardly wider
(docs/coverage.md).

Derivatives by the cells take K² steps. Formulas use the count C_ij of class i predicted as j. p are the rows of each
class, q the rows predicted as each, n all rows and s the sum of the diagonal, so ∂n = 1, ∂s = [i = j], ∂p_k = [i = k]
and ∂q_k = [j = k].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import Floats, divide
from thresher.counts import Cells, ConfusionMatrix
from thresher.counts.cells import class_cells, sums_of_others
from thresher.design_warnings import DesignWarning, few_of_class, few_rows_per_cell
from thresher.errors import Note
from thresher.inference import limits
from thresher.inference.limits import NO_WIDTH, Bounds, Slopes
from thresher.inference.proportions.intervals import modified_wilson_interval, normal_quantile
from thresher.measures.registry import Measure, find, statistic_of
from thresher.measures.threshold_metrics import mutual_information, relative_classifier_information
from thresher.results import Estimate

OF_CLASS = 60
"""Rows of a class below which modified Wilson limits of its rate alone may cover less than 92 %."""
ALONE = "at another prevalence each rate rests on its class alone; collect more rows of it"


def mean_interval(
    found: Estimate, added: Floats, counts: Floats, squares: Floats, *, prior: float | None, level: float
) -> Estimate | None:
    """Estimate of Σ added·counts/Σ counts with its interval; None if the counts cannot change it.

    `added` is the amount of a row in each cell, (2, decisions) with the positive class first; `squares` is Σw² of each
    cell (the counts without weights).
    """
    own, warnings = [(added, counts, squares, 1.0)], tuple[DesignWarning, ...]()
    is_effective = not np.array_equal(squares, counts)
    if prior is not None:
        shares = [(slice(k, k + 1), share) for k, share in enumerate((prior, 1 - prior)) if share > 0]
        own = [(added[k], counts[k], squares[k], share) for k, share in shares]
        sizes = divide(counts.sum(axis=1) ** 2, squares.sum(axis=1)).tolist()
        by_class = zip(sizes, ("positives", "negatives"), strict=True)
        few = partial(few_of_class, kind="effective " if is_effective else "", least=OF_CLASS, instead=ALONE)
        warnings = tuple(chain.from_iterable(few(*each) for each in by_class))
    squared = [each for part in own if (each := _squared_distances(*part, level=level)) is not None]
    if not squared:
        return None
    down, up = np.sqrt(np.sum(squared, axis=0)).tolist()
    error = math.sqrt(sum(_variance(*each) for each in own))
    rates = "rates" if prior is not None else "shares of the rows"
    return replace(
        found,
        standard_error=error or None,
        low=max(found.value - down, min(float(added.min()), found.value)),
        high=min(found.value + up, max(float(added.max()), found.value)),
        level=float(level),
        method=f"modified Wilson, of {rates}, combined{', effective size' if is_effective else ''}",
        n=float(counts.sum()) ** 2 / float(squares.sum()),
        warnings=warnings,
    )


def _squared_distances(added: Floats, counts: Floats, squares: Floats, scale: float, *, level: float) -> Floats | None:
    """Squared distances below and above the mean to the limits of all shares; None with a single amount."""
    amounts, total = np.unique(added), float(counts.sum())
    reference = max(amounts.tolist(), key=lambda amount: float(counts[added == amount].sum()))
    moves, odds = [], []
    for amount in amounts.tolist():
        chosen = added == amount
        share = min(1.0, float(counts[chosen].sum()) / total)
        of_class = chosen.any(axis=1)
        # Rows of a share are as heavy as those of the classes that they come from.
        size = total * float(divide(counts[of_class].sum(), squares[of_class].sum()))
        if amount == reference or not math.isfinite(size):  # an empty class adds nothing
            continue
        interval, slope = modified_wilson_interval(share * size, size, level=level), scale * (amount - reference)
        moves.append(sorted(slope * (float(limit) - share) for limit in (interval.low, interval.high)))
        odds.append(math.copysign(math.sqrt(share / (1 - share)), slope))
    if not moves:
        return None
    correlations = np.maximum(-np.outer(odds, odds), 0.0)
    np.fill_diagonal(correlations, 1.0)
    return np.array([side @ correlations @ side for side in np.array(moves).T])


def _variance(added: Floats, counts: Floats, squares: Floats, scale: float) -> float:
    mean = float((added * counts).sum() / counts.sum())
    return scale**2 * float(((added - mean) ** 2 * squares).sum()) / float(counts.sum()) ** 2


FIXED = Note("no-spread", "no interval, as the counts cannot change this value")
FIXED_BY_PRIOR = Note("fixed-by-prevalence", "no interval, as the prevalence alone decides this value")


def with_squares(matrix: ConfusionMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts, and the sums of squared weights of each cell (the counts without weights)."""
    counts = matrix.counts.astype(np.float64)
    return counts, counts if matrix.squares is None else matrix.squares


def obstacle(matrix: ConfusionMatrix) -> Note | None:
    """Why the measures of a matrix lack an interval; None if they do not."""
    if matrix.weight_kind == "importance" and matrix.squares is None:
        return Note("unknown-weights", "no interval, as the squared weights are unknown")
    is_unknown = matrix.weight_kind is None and matrix.counts.dtype.kind == "f"
    if is_unknown and not np.array_equal(matrix.counts, np.rint(matrix.counts)):
        return Note("unknown-weights", "no interval, as the counts are not whole and their weight_kind is unknown")
    return None


INFORMED = 0.25
"""Rows added to the diagonal, and to the rest, of every row and column for the variance of an information."""

OF_ROOT = 0.3
"""Share of the greatest information below which limits are on the root scale, above it on the logit scale."""

OF_MARGIN = 15
"""Rows of each class and each decision below which the interval of an information undercovers (docs/coverage.md)."""


def smooth_mean_estimate(
    matrix: ConfusionMatrix, entry: Measure, found: Estimate, slopes: Slopes, *, how: str, level: float,
    parameters: dict[str, Any],
) -> Estimate | None:  # fmt: skip
    """Estimate of a mean of a bounded measure over the classes, by smoothed variances; None without one.

    Its `standard_error` is the delta method's, from the measure's derivatives on the counts as they are.
    """
    counts, squares = with_squares(matrix)
    error, df = spread_of_mean(entry, how, counts, squares, parameters)
    # On the edge of the range no scale is symmetric: there rows are added to the counts themselves.
    if not math.isfinite(error) or error < NO_WIDTH or not entry.bounds[0] < found.value < entry.bounds[1]:
        return None
    (plain,) = _plain_errors(slopes(counts[None])[1], squares[None])
    (rows,), _ = limits.rows_and_weights(counts[None], squares[None])
    method = "smoothed variances of the classes, Student's t"
    mean = limits.limited(found, error, entry.bounds, level=level, method=method, df=df)
    return replace(mean, standard_error=plain, n=rows, reason=None)


def information_estimates(
    matrix: ConfusionMatrix, name: str, values: Sequence[float], slopes: Slopes, *, bounds: Bounds, level: float
) -> list[Estimate]:
    """Estimates of the information of decisions, in bits or as a share of the entropy, with its bias removed.

    Independent labels and decisions of r and c occurring classes share (r − 1)(c − 1)/(2n·ln 2) bits by chance, to
    first order (Miller 1955). This is the mean of a scaled χ², which adds its variance; the rest of the variance comes
    from counts with rows added to empty cells. A small information is itself near a χ², so its limits are on the scale
    of its root.
    """
    counts, squares = with_squares(matrix)
    k, (rows, weights) = matrix.counts.shape[-1], limits.rows_and_weights(counts, squares)
    weight = np.array(weights)[:, None, None]
    added = weight * INFORMED * (np.eye(k) + (1 - np.eye(k)) / (k - 1))
    told, slope = slopes(counts + added)
    variances = (slope**2 * (squares + added * weight)).reshape(len(rows), -1).sum(axis=1)
    plain = _plain_errors(slopes(counts)[1], squares)
    in_bits = not math.isfinite(bounds[1])  # not a share of the entropy
    bounds = (0.0, math.log2(k)) if in_bits else bounds
    occur = ((counts.sum(axis=axis) > 0).sum(axis=-1) - 1 for axis in (-1, -2))
    columns = values, told.tolist(), variances.tolist(), np.prod([*occur], axis=0).tolist(), plain, rows
    scaled, found = matrix.scaled, []
    for i, (value, known, variance, chance, error, n) in enumerate(zip(*columns, strict=True)):
        entropy, bare = 1.0 if in_bits else _entropy(scaled[i]), Estimate(name=name, value=value)
        interval = _of_information(bare, known, variance, chance, entropy, n, bounds, level)
        if interval is None:
            found.append(replace(bare, reason=FIXED if matrix.prior is None else FIXED_BY_PRIOR))
            continue
        warnings = few_rows_per_cell(n, chance) + _few_of_margin(counts[i], squares[i])
        found.append(replace(interval, standard_error=error, n=n, warnings=warnings))
    return found


def _of_information(
    found: Estimate, told: float, variance: float, chance: int, entropy: float, rows: float, bounds: Bounds,
    level: float,
) -> Estimate | None:  # fmt: skip
    """Estimate of an information with limits, from its smoothed value with the variance."""
    unit = 1 / (2 * rows * math.log(2) * entropy)
    error = math.sqrt(variance + 2 * chance * unit**2)
    if not math.isfinite(error) or error < NO_WIDTH:
        return None
    method = "delta method, ¼ added to each row and column, less the bias"
    center = max(found.value - chance * unit, 0.0)
    if center >= max(2 * error, OF_ROOT * bounds[1]):
        return limits.limited(found, error, bounds, level=level, method=method, center=center)
    more = variance / (4 * unit * max(told, NO_WIDTH))
    ends = root_limits(found.value / unit, max(chance, 1), more, normal_quantile(level))
    low, high = (min(unit * end, bounds[1]) for end in ends)
    known: dict[str, Any] = {"low": min(low, found.value), "high": max(high, found.value), "level": float(level)}
    return replace(found, method=f"{method}, square root scale", **known)


def root_limits(statistic: float, free: int, more: float, z: float) -> tuple[float, float]:
    """Limits of the noncentrality of a χ² with `free` degrees of freedom.

    On the scale √(x − a), a = (free − 1)/2, it is nearly normal, with a variance of 1 (Sankaran 1959) near 0 and of
    `more`, the delta method's variance, far away. Below a/2 the root is uninformative.
    """
    shift, away = (free - 1) / 2, max(statistic - free, 0.0)
    half = z * math.sqrt((free + 2 * more * away) / (free + 2 * away))
    root = math.sqrt(max(statistic - shift, shift / 2))
    return tuple(max(max(root + side * half, 0.0) ** 2 - shift, 0.0) for side in (-1, 1))  # type: ignore[return-value]


def _entropy(counts: Floats) -> float:
    shares = counts.sum(axis=1) / counts.sum()
    return -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum())


def _few_of_margin(counts: Floats, squares: Floats) -> tuple[DesignWarning, ...]:
    """Warning of few (effective) rows of a true or predicted class."""
    least = min(float(np.nanmin(divide(counts.sum(axis) ** 2, squares.sum(axis)))) for axis in (1, 0))
    kind = "" if np.array_equal(squares, counts) else "effective "
    instead = "use balanced_accuracy, or collect more rows of that class"
    return few_of_class(least, "rows of a class or of a decision", kind=kind, least=OF_MARGIN, instead=instead)


def _plain_errors(slopes: Floats, squares: Floats) -> list[float | None]:
    """The delta method's standard error of each of a batch; None if it vanishes."""
    found = limits.errors_of(slopes, squares)
    return [error if math.isfinite(error) and error >= NO_WIDTH else None for error in found]


ADDED = 0.5
"""Rows spread over the cells of each class for the correlations."""


def spread_of_mean(
    entry: Measure, how: str, counts: Floats, squares: Floats, parameters: dict[str, Any]
) -> tuple[float, float]:
    """Standard error of a macro or weighted mean over the classes of K×K counts, and Satterthwaite's df.

    `squares` are Σw² of each cell. The error is NaN if the measure is undefined for a class.
    """
    weight = float(squares.sum() / counts.sum())
    extra = ADDED / len(counts) * weight
    smooth, smooth_squares = counts + extra, squares + extra * weight
    of_each, of_squares = class_cells(smooth), class_cells(smooth_squares)
    by_cell = slopes_by_cell(entry, np.stack([of_each.tp, of_each.fp, of_each.fn, of_each.tn]), parameters)[1]
    by_class = np.stack([of_squares.tp, of_squares.fp, of_squares.fn, of_squares.tn])
    own = np.sqrt((by_cell**2 * by_class).sum(axis=0))
    is_share = entry.proportion or entry.doubled is not None
    spread = np.sqrt(_of_shares(entry, counts, squares, parameters)) if is_share else own
    cells = class_cells(counts)
    rows, total = cells.tp + cells.fn, float(counts.sum())
    part = np.full(len(counts), 1 / len(counts)) if how == "macro" else rows / total
    spread = np.where(part > 0, spread, 0.0)
    factor = part * divide(spread, own)  # what makes each class as uncertain as its `spread`
    has_slopes = np.isfinite(factor)
    moved = slopes_of_matrix(np.where(has_slopes, factor, 0.0) * by_cell)
    own_parts = (part * spread) ** 2
    degrees = np.fmax(divide(rows**2, squares.sum(axis=1)) - 1, 1.0)
    df = limits.satterthwaite(own_parts.tolist(), degrees.tolist()) if own_parts.sum() > 0 else math.inf
    variance = float((moved**2 * smooth_squares).sum() + own_parts[~has_slopes].sum())
    if how == "weighted":
        # The shares of the classes are as random as their values, and rows of a rare class that are predicted as a
        # frequent one lower its precision with its share.
        values = entry.on(statistic_of(entry, cells), **parameters)
        away = np.where(part > 0, values, 0.0)
        away = (away - float(part @ away)) / total
        variance += float(squares.sum(axis=1) @ away**2) + 2 * float(away @ (smooth_squares * moved).sum(axis=1))
    return math.sqrt(variance) if variance >= 0 else math.nan, df


def _of_shares(entry: Measure, counts: Floats, squares: Floats, parameters: dict[str, Any]) -> Floats:
    """Variance of every class's share with one success and one failure added."""
    doubled = entry.doubled
    share = entry if doubled is None else find(doubled)
    parameters = parameters if doubled is None else {}
    successes, trials = share.ratio(statistic_of(share, class_cells(counts)), **parameters)
    size = divide(trials**2, share.ratio(statistic_of(share, class_cells(squares)), **parameters)[1])
    p = (divide(successes, trials) * size + 1) / (size + 2)
    slope = 1.0 if doubled is None else 2 / (1 + p) ** 2
    return np.asarray(slope**2 * divide(p * (1 - p), size))


def kappa_slopes(m: Floats) -> tuple[float, Floats]:
    """Kappa is A/B with A = n·s − Σ p_k·q_k and B = n² − Σ p_k·q_k = Σ p_k·(n − q_k)."""
    a, da, p, q, n = _beyond_chance(m)
    b = float(p @ sums_of_others(q))
    kappa = float(divide(a, b))
    return kappa, divide(da - kappa * (2 * n - q[:, None] - p[None, :]), b)


def correlation_slopes(m: Floats) -> tuple[float, Floats]:
    """R_K is A/√(U·V) with A as in kappa, U = n² − Σ p_k² and V = n² − Σ q_k²."""
    a, da, p, q, _ = _beyond_chance(m)
    rest_p, rest_q = sums_of_others(p), sums_of_others(q)
    u, v = float(p @ rest_p), float(q @ rest_q)
    found = float(divide(a, np.sqrt(u) * np.sqrt(v)))
    relative = divide(rest_p, u)[:, None] + divide(rest_q, v)[None, :]
    return found, divide(da, np.sqrt(u) * np.sqrt(v)) - found * relative


def weighted_kappa_slopes(m: Floats, *, weights: str) -> tuple[float, Floats]:
    """Weighted kappa is 1 − n·A/E with A = Σ w·C and E = Σ w_kl·p_k·q_l."""
    i = np.arange(len(m))
    w = np.abs(i[:, None] - i[None, :]) ** {"linear": 1.0, "quadratic": 2.0}[weights]
    p, q, n = m.sum(axis=1), m.sum(axis=0), float(m.sum())
    a, e = float((w * m).sum()), float(p @ w @ q)
    de = (w @ q)[:, None] + (p @ w)[None, :]
    return float(1 - divide(n * a, e)), -divide(a + n * w - divide(n * a, e) * de, e)


def information_slopes(m: Floats) -> tuple[float, Floats]:
    """Mutual information is Σ C·log₂(C·n/(p_k·q_l))/n; the slopes of its logarithms cancel."""
    p, q, n = m.sum(axis=1), m.sum(axis=0), float(m.sum())
    bits = np.log2(divide(m * n, p[:, None] * q[None, :]), out=np.zeros(m.shape), where=m > 0)
    found = float(mutual_information.on(m))
    return found, np.where(m > 0, divide(bits - found, n), 0.0)


def relative_information_slopes(m: Floats) -> tuple[float, Floats]:
    """Relative information is I/H with H = −Σ p_k·log₂(p_k/n)/n."""
    p, n = m.sum(axis=1), float(m.sum())
    information, slopes = information_slopes(m)
    bits = -np.log2(divide(p, n), out=np.zeros(p.shape), where=p > 0)
    entropy = divide(p @ bits, n)
    found = float(relative_classifier_information.on(m))
    return found, divide(slopes - divide(information, entropy) * divide(bits - entropy, n)[:, None], entropy)


def average_slopes(entry: Measure, how: str, parameters: dict[str, Any]) -> Slopes:
    """Slopes of a macro, micro or weighted average over the classes, each against the rest.

    The count C_ij is a true positive of i if i = j, else a false negative of i and a false positive of j, and a true
    negative of every other class. So four derivatives by the cells of each class give all of them.
    """

    def slopes(m: Floats) -> tuple[float, Floats]:
        classes = class_cells(m)
        cells, k, total = np.stack([classes.tp, classes.fp, classes.fn, classes.tn]), len(m), float(m.sum())
        # If a value is infinite in a class, so is the mean, and the rest does not matter.
        with np.errstate(invalid="ignore"):
            if how == "micro":
                values, by_cell = slopes_by_cell(entry, cells.sum(axis=1, keepdims=True), parameters)
                # The one set of summed cells changes by what any class's cells change by.
                return float(values[0]), slopes_of_matrix(np.tile(by_cell, (1, k)))
            values, by_cell = slopes_by_cell(entry, cells, parameters)
            share = np.full(k, 1 / k) if how == "macro" else divide(cells[0] + cells[2], total)
            part = np.where(share > 0, values, 0.0)
            mean = float((share * part).sum())
            found = slopes_of_matrix(np.where(share > 0, share * by_cell, 0.0))
            return mean, found if how == "macro" else found + divide((part - mean)[:, None], total)

    return slopes


def slopes_by_cell(entry: Measure, cells: Floats, parameters: dict[str, Any]) -> tuple[Floats, Floats]:
    """Value for every class, and its derivatives by TP, FP, FN and TN, shape (4, classes), by central differences."""

    def formula(tables: Floats) -> Floats:
        (tp, fp), (fn, tn) = np.moveaxis(tables, (-2, -1), (0, 1))
        return entry.on(statistic_of(entry, Cells(tp, fp, fn, tn)), **parameters)

    values, slopes = limits.numeric(formula)(np.ascontiguousarray(np.moveaxis(cells.reshape(2, 2, -1), -1, 0)))
    return values, np.moveaxis(slopes, 0, -1).reshape(4, -1)


def slopes_of_matrix(by_cell: Floats) -> Floats:
    """Derivatives by every cell of the matrix from those by the four cells of each class."""
    tp, fp, fn, tn = by_cell
    found = tn.sum() + (fn - tn)[:, None] + (fp - tn)[None, :]
    np.fill_diagonal(found, tn.sum() + tp - tn)
    return np.asarray(found)


def _beyond_chance(m: Floats) -> tuple[float, Floats, Floats, Floats, float]:
    """A = n·s − Σ p_k·q_k and its slopes, without cancellation in A; with p, q and n."""
    p, q, n, s = m.sum(axis=1), m.sum(axis=0), float(m.sum()), float(np.trace(m))
    c = class_cells(m)
    a = float((c.tp * c.tn - c.fp * c.fn).sum())
    return a, s + n * np.eye(len(m)) - q[:, None] - p[None, :], p, q, n
