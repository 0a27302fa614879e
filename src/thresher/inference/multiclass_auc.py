"""Intervals of the AUCs of several classes: each class against the rest, and all their means, from one pass."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher.conventions import LEVEL, divide
from thresher.inference.bounded_mean import bounded_estimate
from thresher.inference.delong import DelongVariance, interval_of
from thresher.multiclass.hand_till import ConditionalAuc, conditional_auc_of_sums
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.results import Estimate

Array = NDArray[np.float64]

AVERAGES = ("hand_till", "hand_till_weighted", "macro_auc", "weighted_auc", "micro_auc")
WORDS = "structural components"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucEstimates:
    """AUCs of several classes with intervals: `averages` by name, `one_vs_rest` by label; `auc` has every pair.

    `averages` are "hand_till", "hand_till_weighted", "macro_auc", "weighted_auc" (Provost–Domingos) and "micro_auc".
    """

    auc: ConditionalAuc
    averages: dict[str, Estimate]
    one_vs_rest: dict[Hashable, Estimate]

    def __getitem__(self, name: str) -> Estimate:
        return self.averages[name]


def multiclass_auc_estimates(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    *,
    level: float = LEVEL,
    **rows: Unpack[RowOptions],
) -> AucEstimates:
    """AUC of each class against the rest with DeLong's interval, and their averages with U-statistic intervals.

    An average Σ c_kl·AUC(k given l) is a U-statistic of one sample a class. A row of class c takes part in it with
    ψ = Σ_l c_cl·Pr(the row above a random one of l) + Σ_k c_kc·Pr(a random one of k above the row), and the variance is
    Σ_c Var_c(ψ)/n_c, given the class sizes: DeLong's for two classes. The micro average pairs cells of rows, whose
    parts are added up by row. Limits are symmetric on the logit scale. Importance weights enter squared.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).
        OptionError: the level is not between 0 and 1.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 20)
    >>> scores = np.eye(3)[y] + rng.normal(size=(60, 3))
    >>> found = multiclass_auc_estimates(y, scores, scores=True)
    >>> found["hand_till"]
    Estimate(hand_till = 0.735 [0.6544, 0.8024], 95% structural components, logit scale)
    >>> found.one_vs_rest[2]
    Estimate(auc = 0.6262 [0.4565, 0.7697], 95% DeLong, logit scale)

    Hoeffding (1948); DeLong et al. (1988); Hand and Till (2001).
    """
    given = rows_of(y_true, posteriors, **rows)
    totals = given.totals
    coefficients = np.stack([_coefficients(name, totals) for name in AVERAGES[:-1]])
    squared = given.weight_kind == "importance"
    sums = kernel.conditional_sums(given.codes, given.matrix, given.weights, squared=squared, coefficients=coefficients)
    auc = conditional_auc_of_sums(sums, given.codes, given.weights, given.labels)
    sizes = _Sizes.of(given)
    assert sums.influence is not None
    values = (auc.hand_till, auc.hand_till_weighted, auc.macro, auc.weighted)
    averages = {
        name: _average(name, value, part, sizes, auc, level)
        for name, value, part in zip(AVERAGES[:-1], values, sums.influence, strict=True)
    }
    averages["micro_auc"] = _micro(auc, sums, sizes, level)
    return AucEstimates(auc=auc, averages=averages, one_vs_rest=_one_vs_rest(auc, sums, sizes, level))


@dataclass(frozen=True, slots=True, eq=False)
class _Sizes:
    """Weights of rows, their ω (w² or w), and by class Σw and the number of rows that it is worth."""

    codes: NDArray[np.int64]
    weights: Array
    omega: Array
    totals: Array
    sizes: Array
    is_effective: bool

    @classmethod
    def of(cls, given: Posteriors) -> _Sizes:
        w = np.ones(len(given)) if given.weights is None else given.weights
        effective = given.weights is not None and given.weight_kind == "importance"
        omega = w * w if effective else w
        totals = given.totals
        squares = np.bincount(given.codes, weights=omega, minlength=given.classes)
        return cls(given.codes, w, omega, totals, np.nan_to_num(divide(totals**2, squares)), effective)

    def variance(self, parts: Array) -> float:
        """Σ_c Var_c(ψ)/n_c over the classes that have rows."""
        k = len(self.totals)
        means = divide(np.bincount(self.codes, weights=self.weights * parts, minlength=k), self.totals)
        gaps = np.where(self.weights > 0, parts - means[self.codes], 0.0)
        spread = divide(np.bincount(self.codes, weights=self.omega * gaps**2, minlength=k), self.totals**2)
        inflated = spread * divide(self.sizes, np.where(self.sizes > 1, self.sizes - 1, np.nan))
        return float(inflated[self.totals > 0].sum())


def _coefficients(name: str, totals: Array) -> Array:
    """Weight of AUC(k given l) in an average; 0 for classes without rows."""
    k, every = len(totals), totals.sum()
    other = ~np.eye(k, dtype=bool) & (totals > 0) & (totals > 0)[:, None]
    if name == "hand_till":
        weight = np.full((k, k), 1 / (k * (k - 1)))
    elif name == "hand_till_weighted":
        weight = divide(totals[:, None] + totals, 2 * every * max(1, int((totals > 0).sum()) - 1))
    else:
        share = divide(totals, every) if name == "weighted_auc" else np.full(k, 1 / k)
        weight = share[:, None] * np.nan_to_num(divide(totals, every - totals[:, None]), posinf=0.0)
    return np.where(other, weight, 0.0)


def _average(name: str, value: float, parts: Array, sizes: _Sizes, auc: ConditionalAuc, level: float) -> Estimate:
    n = float(sizes.sizes.sum())
    if math.isnan(value):
        return Estimate(name=name, value=value, n=n, reason=auc.reason or "fewer than two classes have rows")
    smallest = float(sizes.sizes[sizes.totals > 0].min())
    words = WORDS + (", effective size" if sizes.is_effective else "")
    return bounded_estimate(name, value, sizes.variance(parts), n=n, smallest=smallest, words=words, level=level)


def _micro(auc: ConditionalAuc, sums: kernel.ConditionalSums, sizes: _Sizes, level: float) -> Estimate:
    """Rows drawn together, each with all of its cells: ψ is what its true cell beats and what its others lose to."""
    every, cells = float(sizes.totals.sum()), 2 * (len(sizes.totals) - 1)
    assert sums.own is not None
    assert sums.others is not None
    parts = divide(sums.own + sums.others, cells * every)
    n = every**2 / float(sizes.omega.sum()) if every else 0.0
    if math.isnan(auc.micro):
        return Estimate(name="micro_auc", value=auc.micro, n=n, reason="there are no rows")
    gaps = np.where(sizes.weights > 0, parts - 2 * auc.micro, 0.0)
    variance = float(sizes.omega @ gaps**2) / every**2 * n / (n - 1) if n > 1 else math.nan
    words = f"{WORDS} by row" + (", effective size" if sizes.is_effective else "")
    # Rows make n/2 pairs with no row in common.
    return bounded_estimate("micro_auc", auc.micro, variance, n=n, smallest=n / 2, words=words, level=level)


def _one_vs_rest(
    auc: ConditionalAuc, sums: kernel.ConditionalSums, sizes: _Sizes, level: float
) -> dict[Hashable, Estimate]:
    found: dict[Hashable, Estimate] = {}
    every, squares = sizes.totals.sum(), float(sizes.omega.sum())
    for k, (label, value) in enumerate(zip(auc.labels, auc.one_vs_rest.tolist(), strict=True)):
        sides = [float(sizes.totals[k]), float(every - sizes.totals[k])]
        inside = float(sums.moments[k, 0, 0])
        rows = [total**2 / q if q > 0 else 0.0 for total, q in zip(sides, (inside, squares - inside), strict=True)]
        parts = zip(sums.moments[k], sides, rows, strict=True)
        variance = sum(_side(m, 1 - value, total, size) for m, total, size in parts)
        known = DelongVariance(
            auc=value, variance=variance, positives=rows[0], negatives=rows[1], is_effective=sizes.is_effective
        )
        names = (f"of class {label!r}", "of other classes")
        missing = [name for name, total in zip(names, sides, strict=True) if not total]
        found[label] = interval_of(known, f"there are no rows {' and '.join(missing)}" if missing else "", level=level)
    return found


def _side(moments: Array, mean: float, total: float, size: float) -> float:
    """Variance of the mean share missed by the rows of one side."""
    spread = moments[2] - 2 * mean * moments[1] + mean * mean * moments[0]
    return max(float(spread), 0.0) / total**2 * size / (size - 1) if size > 1 and total else math.nan
