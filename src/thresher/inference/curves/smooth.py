"""Smooth ROC curves: of a model with normal scores of both classes on some scale, and by kernels on the scores."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, Floats, confidence_level, option
from thresher.counts import ScoreTable
from thresher.curves.curve import Curve, Table, one_table
from thresher.curves.roc_and_precision import DIAGONAL, deviates, roc_curve
from thresher.errors import InputError, Note, OptionError, Reasoned
from thresher.inference.bootstrap.limits import NORMAL
from thresher.inference.curves._binormal_fit import EDGE, fit
from thresher.inference.limits import class_sizes
from thresher.results import Estimate, Shown

Method = Literal["likelihood", "deviates"]
CATEGORIES = 2000
NAME = "binormal_auc"


@dataclass(frozen=True, slots=True, kw_only=True)
class BinormalRoc(Shown, Reasoned):
    """The model TPR = Φ(a + b·Φ⁻¹(FPR)) fitted to a score, its area and its curve.

    a is the distance of the classes' means in standard deviations of the positives, b the negatives' standard deviation
    over the positives'. `covariance` belongs to (a, b), if known. `method` is the one actually used; `notes` explain a
    change. All NaN, with a `reason`, if nothing could be fitted.
    """

    a: float
    b: float
    covariance: tuple[tuple[float, float], tuple[float, float]] | None
    area: Estimate
    method: Method
    categories: int
    log_likelihood: float | None = None
    notes: tuple[Note, ...] = ()
    reason: Note | None = None

    def tpr(self, fpr: ArrayLike) -> Any:
        """True positive rate of the model at a false positive rate.

        >>> model = BinormalRoc(a=1.0, b=1.0, covariance=None, area=Estimate(name="auc", value=0.76),
        ...                     method="deviates", categories=0)
        >>> model.tpr([0.0, 0.5, 1.0]).round(4).tolist()
        [0.0, 0.8413, 1.0]
        """
        from scipy.special import ndtr, ndtri

        found = ndtr(self.a + self.b * ndtri(np.asarray(fpr, dtype=np.float64)))
        return float(found) if np.ndim(found) == 0 else found

    def columns(self) -> dict[str, Any]:
        """Points of the model's curve."""
        return self.curve.columns()

    @property
    def curve(self) -> Curve:
        """Smooth curve through 403 points; its area is the model's."""
        from scipy.special import ndtr

        x = np.concatenate([[0.0], ndtr(np.linspace(-6, 6, 401)), [1.0]])
        y = np.concatenate([[0.0], self.tpr(x[1:-1]), [1.0]])
        y = y if self.reason is None else np.full(x.size, np.nan)
        return model_curve(x, y, np.full(x.size, np.nan), self.area, "a binormal model, not the data", *self.notes)

    def __repr__(self) -> str:
        if self.reason is not None:
            return f"BinormalRoc(undefined: {self.reason})"
        area = self.area.format()
        return f"BinormalRoc(a={self.a:.4g}, b={self.b:.4g}, area {area}, {self.method})"


def model_curve(x: Floats, y: Floats, thresholds: Floats, area: Estimate, text: str, *notes: Note) -> Curve:
    """ROC of a model of the scores, with its area; `text` says that it is one."""
    return Curve(
        name="roc",
        x=x,
        y=y,
        thresholds=thresholds,
        x_name="false_positive_rate",
        y_name="true_positive_rate",
        interpolation="linear",
        references=(DIAGONAL,),
        notes=(Note("model-curve", text), *notes),
        area_name="auc",
        is_thinned=True,
        full_area=area.value,
        summary=area,
    )


def binormal_roc(
    table: Table, *, method: Method = "likelihood", categories: int = CATEGORIES, level: float = LEVEL
) -> BinormalRoc:
    """Fit TPR = Φ(a + b·Φ⁻¹(FPR)) to a score: a model, not the data.

    The area is Φ(a/√(1 + b²)). The only assumption is that some rising transform makes both classes normal.

    "likelihood": maximum likelihood of the counts in ordered categories, with estimated cutpoints. Runs of neighboring
    scores of one class are one category, without loss; more than `categories` are joined to about equal sizes, with a
    note. The covariance is the inverse of the observed information; the area's limits are normal on the probit scale,
    Φ(z ± 1.96·SE(z)) with z = a/√(1 + b²), SE by the delta method. "deviates": least squares of Φ⁻¹(specificity) on
    Φ⁻¹(sensitivity) over all thresholds inside (0, 1), as in pROC's `smooth`, without a standard error, as neighboring
    points of a ROC are dependent.

    If the likelihood lacks a maximum (the classes are separated, or the ROC has only vertical and horizontal steps),
    the regression on deviates takes over, with a note; with too few points the model is undefined. Importance weights
    enter as counts, without a standard error.

    Raises:
        InputError: a class is empty, or the table is a batch.
        OptionError: no such method, fewer than 3 categories, or the level is wrong.

    Dorfman and Alf (1969); Metz, Herman and Shen (1998) for continuous scores.

    >>> ratings = ScoreTable(scores=np.arange(5.0, 0, -1), positive=np.array([33, 11, 2, 2, 3]),
    ...                      negative=np.array([2, 11, 6, 6, 33]))
    >>> binormal_roc(ratings)
    BinormalRoc(a=1.657, b=0.713, area 0.9113 [0.8386, 0.9563], likelihood)
    """
    option("method", method, ("likelihood", "deviates"))
    confidence_level(level)
    if categories < 3:
        raise OptionError(f"categories={categories}: the model needs at least 3.")
    scores = one_table(table, "the binormal model")
    missing = " and ".join(name for name, c in (("positives", scores.P), ("negatives", scores.N)) if not c)
    if missing:
        raise InputError(f"there are no {missing}, and the ROC needs rows of both classes.")
    if method == "deviates":
        return _by_deviates(scores, ())
    negative, positive, joined = _grouped(scores, categories)
    notes = (Note("merged-scores", f"neighboring scores joined to {negative.size} categories"),) if joined else ()
    obstacle = _obstacle(negative, positive)
    found = None if obstacle else fit(negative, positive)
    if found is None or not found.is_converged:
        why = obstacle or "its a or b runs off to infinity"
        text = f"the likelihood is without a maximum, as {why}: by regression on the deviates"
        return _by_deviates(scores, (*notes, Note("no-maximum", text)))
    area, known = _area(found.a, found.b, found.covariance, scores, level)
    covariance = tuple(tuple(map(float, row)) for row in found.covariance) if known else None
    return BinormalRoc(
        a=float(found.a),
        b=float(found.b),
        covariance=covariance,  # type: ignore[arg-type]
        area=area,
        method="likelihood",
        categories=negative.size,
        log_likelihood=float(found.log_likelihood),
        notes=(*notes, *_hook(found.a, found.b)),
    )


def _grouped(scores: ScoreTable, most: int) -> tuple[Floats, Floats, bool]:
    """Counts of both classes in categories of rising score, and whether categories were joined with loss."""
    counts = np.stack([scores.negative[::-1], scores.positive[::-1]]).astype(np.float64)
    counts = counts[:, counts.sum(axis=0) > 0]
    kind = np.where(counts[1] == 0, 0, np.where(counts[0] == 0, 1, 2))
    starts = np.append(True, (kind[1:] != kind[:-1]) | (kind[1:] == 2))
    counts = np.add.reduceat(counts, np.flatnonzero(starts), axis=1)
    joined = counts.shape[1] > most
    if joined:
        before = np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0)
        bins = np.floor(before / counts.sum() * most)
        counts = np.add.reduceat(counts, np.flatnonzero(np.append(True, np.diff(bins) > 0)), axis=1)
    return counts[0], counts[1], joined


def _obstacle(negative: Floats, positive: Floats) -> str | None:
    """Why the counts cannot determine a and b; None if nothing is obvious."""
    if negative.size < 3:
        return "there are fewer than three categories of scores"
    fpr, tpr = (np.cumsum(c)[:-1] / c.sum() for c in (negative, positive))
    inside = (fpr > 0) & (fpr < 1) & (tpr > 0) & (tpr < 1)
    return None if inside.any() else "no threshold has both rates inside (0, 1)"


def _by_deviates(scores: ScoreTable, said: tuple[Note, ...]) -> BinormalRoc:
    """Model from a regression of the deviates of specificity on the deviates of sensitivity."""
    curve = roc_curve(scores)
    known = (curve.x > 0) & (curve.x < 1) & (curve.y > 0) & (curve.y < 1)
    specificity, sensitivity = -deviates(curve.x[known]), deviates(curve.y[known])
    count = int(known.sum())
    reason = ""
    if count < 2:
        reason = f"{('no threshold has', 'only one threshold has')[count]} both rates inside (0, 1)"
    elif np.ptp(sensitivity) == 0:
        reason = "all thresholds with rates inside (0, 1) have one sensitivity"
    if not reason:
        apart = sensitivity - sensitivity.mean()
        slope = float(apart @ specificity / (apart @ apart))
        intercept = float(specificity.mean() - slope * sensitivity.mean())
        rises = -EDGE < slope < -1 / EDGE
        reason = "" if rises else "the deviates of both rates do not rise together"
    if reason:
        why = Note("no-fit", reason)
        area = Estimate(name=NAME, value=math.nan, reason=why)
        a = b = math.nan
        return BinormalRoc(
            a=a, b=b, covariance=None, area=area, method="deviates", categories=count, notes=said, reason=why
        )
    a, b = -intercept / slope, -1 / slope
    area = Estimate(
        name=NAME,
        value=NORMAL.cdf(a / math.hypot(1, b)),
        method="binormal model, regression on deviates",
        reason=Note("no-formula", "points of one ROC are dependent, so the regression gives no standard error"),
    )
    return BinormalRoc(
        a=a, b=b, covariance=None, area=area, method="deviates", categories=count, notes=(*said, *_hook(a, b))
    )


def _area(a: float, b: float, covariance: Floats, scores: ScoreTable, level: float) -> tuple[Estimate, bool]:
    root = math.hypot(1, b)
    z, slopes = a / root, np.array([1 / root, -a * b / root**3])
    variance = float(slopes @ covariance @ slopes)
    value, words = NORMAL.cdf(z), "binormal model, maximum likelihood, probit scale"
    bare = Estimate(name=NAME, value=value, method="binormal model, maximum likelihood")
    if scores.weight_kind == "importance":
        return replace(
            bare, reason=Note("no-formula", "importance weights lack an information matrix; use a bootstrap")
        ), False
    if not variance > 0:
        return replace(bare, reason=Note("no-formula", "the information at the maximum is not positive")), False
    error = math.sqrt(variance)
    width = NORMAL.inv_cdf((1 + level) / 2) * error
    estimate = Estimate(
        name=NAME,
        value=value,
        standard_error=NORMAL.pdf(z) * error,
        low=NORMAL.cdf(z - width),
        high=NORMAL.cdf(z + width),
        level=level,
        method=words,
        n=float(scores.P + scores.N),
    )
    return estimate, True


def _hook(a: float, b: float) -> tuple[Note, ...]:
    """Note on the point where a model of unequal spreads crosses the chance line, if visible."""
    if b == 1:
        return ()
    crossing = NORMAL.cdf(a / (1 - b))
    if not 1e-3 < crossing < 1 - 1e-3:
        return ()
    side = "above" if b < 1 else "below"
    text = f"unequal spreads: the model's curve falls below the chance line {side} an FPR of {crossing:.3g}"
    return (Note("hook", text),)


Bandwidth = Literal["nrd0", "nrd"]
FACTORS = {"nrd0": 0.9, "nrd": 1.06}
PAIRS = 1 << 22
POINTS = 401
NO_INTERVAL = Note("no-formula", "smoothing lacks a standard error; the unsmoothed area has an interval")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KernelRoc(Shown):
    """ROC of smoothed scores: a positive's by N(0, h₁²), a negative's by N(0, h₀²), h the `bandwidths`.

    `area` is the area of the smoothed curve, the exact mean of Φ((s₁ − s₀)/√(h₁² + h₀²)) over all pairs. It is nearer
    to ½ than the area of the rows, as smoothing confuses neighbors. `rule` names the source of the bandwidths.
    """

    area: Estimate
    bandwidths: tuple[float, float]
    rule: str
    curve: Curve

    def columns(self) -> dict[str, Any]:
        """Points of the smoothed curve."""
        return self.curve.columns()

    def __repr__(self) -> str:
        h = " and ".join(f"{each:.4g}" for each in self.bandwidths)
        return f"KernelRoc(area {self.area.value:.4g}, bandwidths {h}, {self.rule})"


def kernel_roc(table: Table, *, bandwidth: Bandwidth | float | tuple[float, float] = "nrd0") -> KernelRoc:
    """Smooth a ROC by normal kernels on the scores, with one bandwidth per class.

    "nrd0" is Silverman's rule h = 0.9·min(s, IQR/1.34)·m^(−1/5) for each class, s its standard deviation, IQR the range
    of its quartiles and m its rows (with importance weights their effective number); "nrd" is Scott's, with 1.06. One
    number is the bandwidth of both, a pair the bandwidths of positives and negatives. TPR(t) = Σ Φ((s − t)/h₁)/P over
    the positives, FPR(t) alike over the negatives. Unlike the ROC, it depends on the scale of the scores: smooth them
    on a scale with similar spreads, such as logits. R's pROC smooths densities by the same rule, cut off at the ends of
    the scores and summed on a grid.

    Raises:
        InputError: a class is empty, a score is infinite, the table is a batch, or a rule finds no spread.
        OptionError: no such rule, or a bandwidth that is not a finite number > 0.

    Zou, Hall & Shapiro (1997); Lloyd (1998); Silverman (1986) for the rule.

    >>> from thresher.counts import ScoreTable
    >>> kernel_roc(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    KernelRoc(area 0.7755, bandwidths 2.426 and 2.339, nrd0)
    """
    scores = one_table(table, "a smoothed ROC")
    sign = 1.0 if scores.direction == "higher" else -1.0
    parts, sizes = [], class_sizes(scores)
    for name in ("positive", "negative"):
        w = np.asarray(getattr(scores, name), dtype=np.float64)
        parts.append((sign * scores.scores[w > 0], w[w > 0] / max(w.sum(), 1e-300), getattr(sizes, name + "s")))
        if not w.any():
            raise InputError(f"there are no {name}s, and the ROC needs rows of both classes.")
    if not all(np.isfinite(s).all() for s, _, _ in parts):
        raise InputError("a score is infinite and cannot be smoothed.")
    widths, rule = _bandwidths(parts, bandwidth)
    value = _mean_area(parts, widths)
    area = Estimate(name="kernel_auc", value=value, reason=NO_INTERVAL, method=f"normal kernels, {rule}")
    return KernelRoc(area=area, bandwidths=widths, rule=rule, curve=_curve(parts, widths, area, sign))


Part = tuple[Floats, Floats, float]
"""Scores of one class, their shares, and the (effective) number of rows."""


def _bandwidths(parts: list[Part], given: Any) -> tuple[tuple[float, float], str]:
    if isinstance(given, str):
        option("bandwidth", given, tuple(FACTORS))
        one, two = (FACTORS[given] * _spread(*part) for part in parts)
        return (one, two), given
    pair = np.broadcast_to(np.asarray(given, dtype=np.float64), 2)
    if not (np.isfinite(pair) & (pair > 0)).all():
        raise OptionError(f"bandwidth={given!r}: a bandwidth is a finite number > 0, or one for each class.")
    return (float(pair[0]), float(pair[1])), "given"


def _spread(scores: Floats, shares: Floats, size: float) -> float:
    """min(s, IQR/1.34)·m^(−1/5), or s for equal quartiles; scores of a table fall."""
    order = np.argsort(scores)
    s, w = scores[order], shares[order]
    deviation = float(np.sqrt(w @ (s - w @ s) ** 2 * size / max(size - 1, 1e-300)))
    ranks = np.cumsum(w) * size
    low, high = (_quantile(s, ranks, share * (size - 1)) for share in (0.25, 0.75))
    quartiles = (high - low) / 1.34
    spread = min(deviation, quartiles) if quartiles > 0 else deviation
    if not spread > 0 or size <= 1:
        raise InputError("all scores of a class are equal, so rules find no bandwidth: give bandwidth=….")
    return float(spread * size**-0.2)


def _quantile(s: Floats, ranks: Floats, place: float) -> float:
    """Value at a place among the rows counted from 0, linear between neighbors (R's type 7)."""
    at = [s[min(int(np.searchsorted(ranks, whole + 1e-9, side="right")), s.size - 1)]
          for whole in (np.floor(place), np.ceil(place))]  # fmt: skip
    return float(at[0] + (place - np.floor(place)) * (at[1] - at[0]))


def _mean_area(parts: list[Part], widths: tuple[float, float]) -> float:
    """Mean of Φ((s₁ − s₀)/√(h₁² + h₀²)) over all pairs, a block of positives at a time."""
    from scipy.special import ndtr

    (a, p, _), (b, q, _) = parts
    step, scale, total = max(1, PAIRS // b.size), float(np.hypot(*widths)), 0.0
    for start in range(0, a.size, step):
        block = slice(start, start + step)
        total += float(p[block] @ (ndtr((a[block, None] - b) / scale) @ q))
    return total


def _curve(parts: list[Part], widths: tuple[float, float], area: Estimate, sign: float) -> Curve:
    """Points at even thresholds, from above all smoothed scores to below them."""
    ends = [(s.min() - 5 * h, s.max() + 5 * h) for (s, _, _), h in zip(parts, widths, strict=True)]
    cuts = np.linspace(max(high for _, high in ends), min(low for low, _ in ends), POINTS)
    tpr, fpr = (_share_above(part, h, cuts) for part, h in zip(parts, widths, strict=True))
    x, y = (np.concatenate([[0.0], rates, [1.0]]) for rates in (fpr, tpr))
    thresholds = sign * np.concatenate([[np.inf], cuts, [-np.inf]])
    return model_curve(x, y, thresholds, area, "smoothed by normal kernels on the scores, not the data")


def _share_above(part: Part, width: float, cuts: ArrayLike) -> Floats:
    from scipy.special import ndtr

    scores, shares, _ = part
    found = np.zeros(np.size(cuts))
    step = max(1, PAIRS // found.size)
    for start in range(0, scores.size, step):
        block = slice(start, start + step)
        found += ndtr((scores[block] - np.asarray(cuts)[:, None]) / width) @ shares[block]
    return np.clip(found, 0.0, 1.0)
