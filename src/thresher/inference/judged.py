"""Prediction-powered estimates: few gold rows, and a judge's labels of all rows.

A measure is read three times: from the human labels of the gold rows, θ, and from the judge's labels of the gold rows,
θ̃, and of all rows, θ̃ₐ. The estimate is θ + s·(θ̃ₐ − θ̃). With the influence of row i on each, e, ẽ and a, its error is
the sum over all rows of E = g·(e − s·ẽ) + s·a, where g is 1 in the gold rows and 0 elsewhere: so Var = ΣE². For a mean
these are (t − θ)/n, (t̃ − θ̃)/n and (t̃ − θ̃ₐ)/(n + N), and with λ = s·N/(n + N) the estimate is
mean(t) + λ·(mean of t̃ in the N others − mean of t̃ in the gold rows), with Var(t − λt̃)/n + λ²·Var(t̃)/N.

The slope s = Σe·ẽ/Σẽ² has the least variance, and is exactly 1 where the judge is right in every gold row: the
estimate is then the value of all rows. λ lies in [0, 1]: 0 is the gold rows alone, 1 the plain correction. Rows of one
cluster are added up before they are squared; gold rows of unequal probability are weighted by its inverse.

Angelopoulos et al. 2023; Angelopoulos, Duchi & Zrnic 2023 (PPI++), whose λ is the same for a mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats
from thresher.inference.limits import LARGEST, Bounds, inflation

LEAST = 1e-20
"""Share of the square of a value below which a variance is the rounding of 0."""


@dataclass(frozen=True, slots=True, eq=False)
class AllRows:
    """Influence of all rows: of the gold rows, the sum of its squares, and of each row where that is needed."""

    gold: Floats
    square: float
    of_rows: Callable[[], Floats]

    @classmethod
    def of(cls, rows: Floats, gold: NDArray[np.intp]) -> AllRows:
        """Influence of rows, some of them gold."""
        return cls(rows[gold], _square(rows), lambda: rows)

    @classmethod
    def of_mean(cls, values: Floats, parts: Floats, gold: NDArray[np.intp]) -> tuple[float, AllRows]:
        """Mean of all rows, whose `parts` add up to 1, and their influence on it."""
        mean = float((values * parts).sum())
        return mean, cls.of(parts * (values - mean), gold)


class Influence(NamedTuple):
    """Values of a measure (by human labels, by the judge's of the gold rows, of all rows) and the influence of rows.

    `unlike` is the influence of each gold row if the judge gave it another label; a row for each other label.
    """

    values: tuple[float, float, float]
    gold: Floats
    judged: Floats
    every: AllRows
    unlike: Floats


def influence_of_means(
    values: Sequence[NDArray[Any]], parts: Floats, every: tuple[float, AllRows], unlike: NDArray[Any]
) -> Influence:
    """Influence of rows on means of human and judged values of the gold rows, whose `parts` add up to 1."""
    human, judge = (float((value * parts).sum()) for value in values)
    of_human, of_judge = (parts * (value - mean) for value, mean in zip(values, (human, judge), strict=True))
    return Influence((human, judge, every[0]), of_human, of_judge, every[1], parts * (unlike - judge))


def share_influence(own: NDArray[np.bool_], weights: Floats | None, gold: NDArray[np.intp]) -> tuple[float, AllRows]:
    """Return the share of a class, `own` of all rows, and the influence of rows on it."""
    total = float(own.size if weights is None else weights.sum())
    parts = np.broadcast_to(1 / total, own.shape) if weights is None else weights / total
    share = float(np.count_nonzero(own) if weights is None else weights[own].sum()) / total
    squares = [share / total, (1 - share) / total]
    if weights is not None:
        squares = [_square(parts[own]), _square(parts[~own])]
    square = squares[0] * (1 - share) ** 2 + squares[1] * share**2
    return share, AllRows(parts[gold] * (own[gold] - share), square, lambda: parts * (own - share))


@dataclass(frozen=True, slots=True, eq=False)
class Labelling:
    """Gold rows among all rows, weight share of the others, cluster of each row, and wrong labels of each gold row."""

    gold: NDArray[np.intp]
    others: float
    clusters: NDArray[np.intp] | None = None
    wrong: NDArray[Any] | None = None

    def totals(self, of_gold: Floats, of_every: Floats | None = None) -> Floats:
        """Sum of each independent unit over its gold rows, and over all of its rows."""
        if self.clusters is None:
            return of_gold
        many = int(self.clusters.max(initial=-1)) + 1
        found: Floats = np.bincount(self.clusters[self.gold], of_gold, many).astype(np.float64)
        return found if of_every is None else found + np.bincount(self.clusters, of_every, many)


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Errors of an estimate: terms of the gold rows, and the slope of the judge's terms of all rows."""

    gold: Floats
    every: AllRows
    slope: float
    labelling: Labelling
    unlike: Floats | None = None

    @property
    def variance(self) -> float:
        """Variance of the estimate; the part of the gold rows is larger by k/(k − 1), with k units.

        A judge who errs rarely may err in none of the gold rows that matter, so `doubt` is added.
        """
        own = self.labelling
        if own.clusters is not None:
            totals, is_gold = self.totals, own.totals(np.ones(own.gold.size)) > 0
            within, beyond = _square(totals[is_gold]), _square(totals[~is_gold])
        else:
            of_gold = self.slope * self.every.gold
            within = _square(self.gold + of_gold)
            beyond = max(self.slope**2 * self.every.square - _square(of_gold), 0.0)
        return inflation(self.units) * within + beyond + self.doubt

    @property
    def totals(self) -> Floats:
        """Sum of the terms of each cluster."""
        return self.labelling.totals(self.gold, self.slope * self.every.of_rows())

    @property
    def doubt(self) -> float:
        """Variance of errors expected from the judge's error rate in all gold rows, but not seen: one row at most.

        Without `wrong` it is one row. Rows of a cluster err together as often as those seen and one more row, with
        which its whole cluster errs.
        """
        if self.unlike is None or not self.unlike.size:
            return 0.0
        own = self.labelling
        units = np.stack([own.totals(each) for each in self.unlike])
        size = _effective(np.abs(units).sum(axis=0))
        together, apart = (_square(each.ravel()) / len(units) / size for each in (units, self.unlike))
        wrong = self.gold if own.wrong is None else np.where(own.wrong > 0, self.gold, 0.0)
        seen, most = _square(own.totals(wrong)), together
        if own.clusters is not None and together > apart:
            together = apart * (seen + apart) / (_square(wrong) + apart**2 / most)
            most = together**2 / most
        if own.wrong is None:
            return most
        error_rate = (1 + float(own.wrong.sum())) / (own.gold.size + 2)  # Laplace's rule, as it may be 0
        return max(min(error_rate * size * together - seen, most), 0.0)

    @property
    def units(self) -> float:
        """Independent units among the gold rows to which the measure pays attention, two at the least."""
        own = np.abs(self.gold) if self.unlike is None else np.abs(self.unlike).sum(axis=0)
        return max(_effective(self.labelling.totals(own)), 2.0)

    def minus(self, other: Errors) -> Errors:
        """Errors of the difference of two estimates on the same rows."""
        every = self.slope * self.every.of_rows()
        every -= other.slope * other.every.of_rows()
        unlike = None
        if self.unlike is not None or other.unlike is not None:
            one, two = (each.gold[None] if each.unlike is None else each.unlike for each in (self, other))
            unlike = one - two
        return Errors(self.gold - other.gold, AllRows.of(every, self.labelling.gold), 1.0, self.labelling, unlike)


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """Prediction-powered estimate: the weight λ of the judge, its variance and units, and both simple estimates.

    `worth` is the number of gold rows of the same precision without the judge.
    """

    value: float
    weight: float
    variance: float
    units: float
    gold: float
    judge: float
    worth: float


def powered(influence: Influence, labelling: Labelling, *, weight: float | None = None) -> Powered:
    """Return the estimate with the weight λ of the least variance, or with a given one."""
    alone = errors_at(influence, labelling, 0.0).variance
    asked = _weight(influence, labelling) if weight is None else weight
    errors = errors_at(influence, labelling, asked)
    variance = errors.variance
    if weight is None and asked and not 0 < variance < alone:
        return powered(influence, labelling, weight=0.0)
    (gold, judged, every), size = influence.values, labelling.gold.size
    value = gold + errors.slope * (every - judged) if asked else gold
    worth = size * alone / variance if asked and variance > 0 else float(size)
    return Powered(
        value=value, weight=asked, variance=variance, units=errors.units, gold=gold, judge=every, worth=worth
    )  # fmt: skip


def errors_at(influence: Influence, labelling: Labelling, weight: float) -> Errors:
    """Return the errors of the estimate with this weight λ."""
    if not weight:
        return Errors(influence.gold, influence.every, 0.0, labelling)
    slope = weight / labelling.others
    of_gold, unlike = (influence.gold - slope * each for each in (influence.judged, influence.unlike))
    return Errors(of_gold, influence.every, slope, labelling, unlike)


def _weight(influence: Influence, labelling: Labelling) -> float:
    """Weight λ of the least variance, in [0, 1]; 0 where the judge's labels cannot help."""
    if not all(map(math.isfinite, influence.values)) or labelling.others <= 0:
        return 0.0
    one, two = labelling.totals(influence.gold), labelling.totals(influence.judged)
    common, spread = float(np.einsum("i,i->", one, two)), _square(two)
    least = LEAST * max(1.0, influence.values[1] ** 2)
    if not (math.isfinite(common) and spread > least and common > 0):
        return 0.0
    return min(common / spread * labelling.others, 1.0)


def _effective(squares: Floats) -> float:
    """Effective number of rows, (Σx)²/Σx²; 1 where all are 0."""
    spread = _square(squares)
    return float(squares.sum()) ** 2 / spread if spread > 0 else 1.0


def narrowed(low: float, value: float, high: float, center: float, share: float, bounds: Bounds) -> tuple[float, float]:
    """Limits about another center, as far away as those of a value times a share, on the scale without edges."""
    found = []
    for limit in (low, high):
        on = tuple(_on_scale(x, bounds) for x in (limit, value, center))
        if all(map(math.isfinite, on)):
            found.append(_off_scale(on[2] + share * (on[0] - on[1]), bounds))
        else:
            found.append(min(max(center + share * (limit - value), bounds[0]), bounds[1]))
    return found[0], found[1]


def _on_scale(x: float, bounds: Bounds) -> float:
    """Logit in a finite range, logarithm above 0, else the number itself."""
    low, high = bounds
    if not math.isfinite(low):
        return x
    if not low < x < high:
        return math.nan
    return math.log(x - low) - (math.log(high - x) if math.isfinite(high) else 0.0)


def _off_scale(x: float, bounds: Bounds) -> float:
    low, high = bounds
    if not math.isfinite(low):
        return x
    if not math.isfinite(high):
        return low + math.exp(min(x, LARGEST))
    return low + (high - low) / (1 + math.exp(-x)) if x > -LARGEST else low


def _square(values: Floats) -> float:
    """Sum of squares, for which BLAS would start threads."""
    return float(np.einsum("i,i->", values, values))
