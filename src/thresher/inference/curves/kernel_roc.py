"""The kernel-smoothed ROC: the scores of both classes convolved with normal kernels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats, option
from thresher.curves.curve import Curve
from thresher.curves.points import Table, one_table
from thresher.errors import InputError, Note, OptionError
from thresher.inference.curves.binormal import model_curve
from thresher.inference.limits import class_sizes
from thresher.results import Estimate, Shown

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
    value = _area(parts, widths)
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


def _area(parts: list[Part], widths: tuple[float, float]) -> float:
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
