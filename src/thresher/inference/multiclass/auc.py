"""Intervals of AUCs of several classes: one-vs-rest, their averages, and the volume under the surface."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import to_jsonable
from thresher.conventions import LEVEL, Floats, confidence_level, divide
from thresher.counts.loss_sums import spread_about
from thresher.errors import Note, Reasoned
from thresher.inference.auc.delong import DelongVariance, score_intervals_of
from thresher.inference.auc.score_variance import spread_over, weight_of_supposed
from thresher.inference.estimates.methods import methods_of_posteriors
from thresher.inference.limits import inflation, limited
from thresher.inference.proportions.intervals import wilson_interval
from thresher.inference.strata import Contributions, Stratum, split
from thresher.measures.registry import measures
from thresher.measures.shown import UNASKED
from thresher.multiclass.hand_till import ConditionalAuc, conditional_auc_of_sums
from thresher.multiclass.posteriors import Posteriors, RowOptions, rows_of
from thresher.multiclass.surface import Volume
from thresher.results import Estimate, Shown, estimate_columns

READ = {e.name: e.formula for e in measures("posteriors") if methods_of_posteriors(e.name).of_areas}
"""Averages of AUCs over classes, as functions of the areas of all pairs."""

AVERAGES = tuple(READ)
BY_CLASS = tuple(name for name in READ if methods_of_posteriors(name).of_pairs)
"""Averages over pairs of classes; their rows are drawn class by class."""

WORDS = "structural components"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucEstimates(Shown):
    """AUCs of several classes with intervals: `averages` by name, `one_vs_rest` by label; `auc` has every pair.

    `averages` are "hand_till", "hand_till_weighted", "macro_auc", "weighted_auc" (Provost–Domingos) and "micro_auc".
    """

    auc: ConditionalAuc
    averages: dict[str, Estimate]
    one_vs_rest: dict[Hashable, Estimate]

    def __getitem__(self, name: str) -> Estimate:
        return self.averages[name]

    def __str__(self) -> str:
        """A line for each average, then one for each class against the rest."""
        named = {name.replace("_", " "): each for name, each in self.averages.items()}
        named |= {f"{label} against the rest": each for label, each in self.one_vs_rest.items()}
        width = max(map(len, named))
        return "\n".join(f"{name:<{width}}  {each.format()}" for name, each in named.items())

    def to_dict(self) -> dict[str, Any]:
        """Averages, one-vs-rest, and the areas of all pairs as JSON types; undefined is None."""
        rest = [{"class": label} | each.to_dict() for label, each in self.one_vs_rest.items()]
        found = {"averages": self.averages, "one_vs_rest": rest, "labels": self.auc.labels}
        return to_jsonable(found) | {"auc_of_pairs": to_jsonable(self.auc.matrix)}  # type: ignore[no-any-return]

    def columns(self) -> dict[str, list[Any]]:
        """One row per average, then one per class against the rest."""
        of_classes = [str(label) for label in self.one_vs_rest]
        named = {"measure": [*self.averages, *("auc" for _ in of_classes)]}
        named["class"] = [*("all" for _ in self.averages), *of_classes]
        return named | estimate_columns([*self.averages.values(), *self.one_vs_rest.values()])

    def __repr__(self) -> str:
        first = [name for name in UNASKED if name in self.averages][:2]
        shown = ", ".join(f"{name} {self.averages[name].format()}" for name in first)
        return f"AucEstimates({len(self.one_vs_rest)} classes: {shown})"


def multiclass_auc_estimates(
    y_true: ArrayLike | Posteriors,
    posteriors: ArrayLike | None = None,
    *,
    level: float = LEVEL,
    **rows: Unpack[RowOptions],
) -> AucEstimates:
    """AUC of each class against the rest, and their averages, with score intervals.

    An average Σ c_kl·AUC(k given l) is a U-statistic of one sample per class. A row of class c contributes ψ = Σ_l
    c_cl·Pr(the row above a random one of l) + Σ_k c_kc·Pr(a random one of k above the row). The variance is Σ_c
    Var_c(ψ)/n_c, given the class sizes: DeLong's for two classes. As in `auc_interval` limits are the x with (x − M)² ≤
    z²·V(x), V(x) = x(1 − x)·Σ_c (r_c + λ_c·max(h_c − r_c, 0)), r_c = Var_c(ψ)/(n_c·M(1 − M)), as few rows of a class
    say little about its variance. h_c = ((Σ_l c_cl·√u_cl)² + Σ_k c_kc²·u_ck)/n_c, where u is ½ for the rarer class of a
    pair and (1 − m)/(2 − m) for the other, m = max(M, 1 − M); it is raised if the areas of the class are nearer to ½
    than M. The micro average pairs cells of rows and sums them by row; its limits are symmetric on the logit scale.
    Importance weights enter squared.

    Raises:
        InputError: the rows are not in order (`Posteriors.of`).
        OptionError: the level is not between 0 and 1.

    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 20)
    >>> scores = np.eye(3)[y] + rng.normal(size=(60, 3))
    >>> found = multiclass_auc_estimates(y, scores, scores=True)
    >>> found["hand_till"]
    Estimate(hand_till = 0.735 [0.6522, 0.804], 95% structural components, score limits)
    >>> found.one_vs_rest[2]
    Estimate(auc = 0.6262 [0.4569, 0.7679], 95% DeLong, score limits)

    Hoeffding (1948); DeLong et al. (1988); Hand and Till (2001).
    """
    counted = _counted(rows_of(y_true, posteriors, **rows), BY_CLASS)
    averages = {name: _average_of(counted, name).estimate(level) for name in AVERAGES}
    one_vs_rest = _one_vs_rest(counted.auc, counted.sums, counted.sizes, level)
    return AucEstimates(auc=counted.auc, averages=averages, one_vs_rest=one_vs_rest)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucAverage(Reasoned):
    """An average AUC with the contribution of each row; their spread is its variance.

    `parts` (n,) are the rows' ψ (`multiclass_auc_estimates`). They vary within classes, or among all rows if the
    average `is_pooled`, of all probabilities together. Any other has the `coefficients` c_kl of its AUCs (K, K).
    `smallest` is the number of tuples without a common row. NaN, with a `reason`, if undefined.
    """

    name: str
    value: float
    parts: Floats
    sizes: RowSizes
    n: float
    smallest: float
    coefficients: Floats | None = None
    reason: Note | None = None

    @property
    def is_pooled(self) -> bool:
        """Whether it averages over the probabilities of all classes together."""
        return self.coefficients is None

    @property
    def words(self) -> str:
        """Words for the variance."""
        by_row = " by row" if self.is_pooled else ""
        return WORDS + by_row + (", effective size" if self.sizes.is_effective else "")

    @property
    def too_few(self) -> Note | None:
        """Why the variance is missing; None if it is not."""
        # Equal weights give two effective rows only up to rounding.
        if self.smallest >= 2 - 1e-9:
            return None
        if self.is_pooled:
            return Note("too-few-rows", f"its variance needs four rows, and there are {self.n:.3g}")
        return Note("too-few-rows", f"its variance needs two rows of each class, and there is {self.smallest:.3g}")

    @property
    def rows(self) -> Contributions:
        """Contributions of rows by class, or pooled."""
        if self.is_pooled:
            return Contributions((self.sizes.every,), (self.parts[np.concatenate(self.sizes.places)],))
        return self.sizes.contributions(self.parts)

    def estimate(self, level: float = LEVEL) -> Estimate:
        """Average with its interval."""
        if why := self.reason or (self.too_few and "no interval, as " + self.too_few):
            return Estimate(name=self.name, value=self.value, n=self.n, reason=why)
        variance, words = self.rows.variance, self.words
        if self.coefficients is None:
            facts = {"n": self.n, "smallest": self.smallest, "level": level}
            return bounded_estimate(self.name, self.value, variance, words=words, **facts)
        trials, error = 1 / self._ratio(self.coefficients), math.sqrt(variance)
        found = wilson_interval(min(self.value, 1.0) * trials, trials, level=level)
        return Estimate(
            name=self.name, value=self.value, standard_error=error if error >= NO_WIDTH else None,
            low=min(float(found.low), self.value), high=max(float(found.high), self.value), level=level,
            n=self.n, method=f"{words}, score limits",
        )  # fmt: skip

    def _ratio(self, coefficients: Floats) -> float:
        """V(x)/(x(1 − x)) of an average, as in `multiclass_auc_estimates`."""
        present = self.sizes.totals > 0
        c, rows = coefficients[np.ix_(present, present)], self.sizes.sizes[present]
        most, (means, variances) = (c + c.T).sum(axis=1), self.sizes.means(self.parts)
        areas, known = np.clip(means[present] / most, 0.0, 1.0), variances[present]
        missed, far = np.minimum(areas, 1 - areas), max(self.value, 1 - self.value)
        errors = np.where(missed > 0, spread_over(rows, np.maximum(missed, NO_WIDTH), known / most**2), 0.0)
        rarer = (1 + np.sign(rows - rows[:, None])) / 2
        share = rarer / 2 + (1 - rarer) * (1 - far) / (2 - far)
        supposed = ((c * np.sqrt(share)).sum(axis=1) ** 2 + (c.T**2 * share).sum(axis=1)) / rows
        if (inside := self.value * (1 - self.value)) > NO_WIDTH:
            known, supposed = known / inside, supposed * np.maximum(areas * (1 - areas) / inside, 1.0)
        return float((known + weight_of_supposed(errors, rows * missed) * np.maximum(supposed - known, 0.0)).sum())


def auc_average(given: Posteriors, name: str) -> AucAverage:
    """One of the `AVERAGES` with the rows' contributions."""
    return _average_of(_counted(given, (name,) if name in BY_CLASS else BY_CLASS[:1]), name)


@dataclass(frozen=True, slots=True, eq=False)
class RowSizes:
    """Weighted rows: each class as a stratum with the places of its rows, and `every` row as one stratum."""

    places: tuple[NDArray[np.intp], ...]
    strata: tuple[Stratum, ...]
    every: Stratum
    is_effective: bool

    @classmethod
    def of(cls, given: Posteriors) -> RowSizes:
        kept = np.arange(len(given)) if given.weights is None else np.flatnonzero(given.weights > 0)
        order = kept[np.argsort(given.codes[kept], kind="stable")]
        places = tuple(np.split(order, np.searchsorted(given.codes[order], np.arange(1, given.classes))))
        *strata, every = split((*places, order), given.weights, given.weight_kind)
        is_effective = given.weights is not None and given.weight_kind == "importance"
        return cls(places, tuple(strata), every, is_effective)

    @property
    def totals(self) -> Floats:
        """Weight of the rows of each class."""
        return np.array([stratum.total for stratum in self.strata])

    @property
    def sizes(self) -> Floats:
        """Effective number of rows of each class."""
        return np.array([stratum.size for stratum in self.strata])

    def means(self, parts: Floats) -> tuple[Floats, Floats]:
        """Mean part of the rows of each class, NaN without rows, and its variance, NaN with fewer than two."""
        found = [stratum.mean(parts[place]) for stratum, place in zip(self.strata, self.places, strict=True)]
        return np.array([each.value for each in found]), np.array([each.variance for each in found])

    def contributions(self, parts: Floats) -> Contributions:
        """Contributions of rows, for classes with rows."""
        some = [(stratum, parts[place]) for stratum, place in zip(self.strata, self.places, strict=True) if place.size]
        return Contributions(tuple(stratum for stratum, _ in some), tuple(part for _, part in some))


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """Counts of pairs: `sums` with the influence of the `named` averages."""

    auc: ConditionalAuc
    sums: kernel.ConditionalSums
    sizes: RowSizes
    named: tuple[str, ...]


def _counted(given: Posteriors, named: tuple[str, ...]) -> _Counted:
    weights = [of_pairs for name in named if (of_pairs := methods_of_posteriors(name).of_pairs)]
    coefficients = np.stack([of_pairs(given.totals) for of_pairs in weights])
    squared = given.weight_kind == "importance"
    sums = kernel.conditional_sums(given.codes, given.matrix, given.weights, squared=squared, coefficients=coefficients)
    auc = conditional_auc_of_sums(sums, given.codes, given.weights, given.labels)
    return _Counted(auc, sums, RowSizes.of(given), named)


def _average_of(counted: _Counted, name: str) -> AucAverage:
    auc, sums, sizes = counted.auc, counted.sums, counted.sizes
    assert sums.influence is not None
    of_pairs = methods_of_posteriors(name).of_pairs
    if of_pairs is None:
        assert sums.own is not None
        assert sums.others is not None
        # Rows are drawn with all of their cells: those below the true cell and those above the others.
        parts = divide(sums.own + sums.others, 2 * (len(sizes.totals) - 1) * float(sizes.totals.sum()))
        # Rows make n/2 pairs without a common row.
        n, smallest, reason = sizes.every.size, sizes.every.size / 2, "there are no rows"
    else:
        parts, n = sums.influence[counted.named.index(name)], float(sizes.sizes.sum())
        smallest = float(sizes.sizes[sizes.totals > 0].min(initial=math.inf))
        reason = auc.reason or "fewer than two classes have rows"
    value = READ[name](auc)
    said = Note("no-rows", reason) if math.isnan(value) else None
    facts: dict[str, Any] = {"n": n, "smallest": smallest, "reason": said}
    facts["coefficients"] = None if of_pairs is None else of_pairs(sizes.totals)
    return AucAverage(name=name, value=value, parts=parts, sizes=sizes, **facts)


def _one_vs_rest(
    auc: ConditionalAuc, sums: kernel.ConditionalSums, sizes: RowSizes, level: float
) -> dict[Hashable, Estimate]:
    of_each: list[tuple[DelongVariance, Note | None]] = []
    every, squares = sizes.every.total, sizes.every.total**2 / sizes.every.size if sizes.every.size else 0.0
    for k, (label, value) in enumerate(zip(auc.labels, auc.one_vs_rest.tolist(), strict=True)):
        sides = [float(sizes.totals[k]), float(every - sizes.totals[k])]
        inside = float(sums.moments[k, 0, 0])
        rows = [total**2 / q if q > 0 else 0.0 for total, q in zip(sides, (inside, squares - inside), strict=True)]
        own, others = (  # variance of the mean share missed by the rows of one side
            spread_about(1 - value, *moments.tolist()) / total**2 * inflation(size) if total else math.nan
            for moments, total, size in zip(sums.moments[k], sides, rows, strict=True)
        )
        known = DelongVariance(auc=value, of_positives=own, of_negatives=others, positives=rows[0], negatives=rows[1],
                               is_effective=sizes.is_effective)  # fmt: skip
        names = (f"of class {label!r}", "of other classes")
        missing = [name for name, total in zip(names, sides, strict=True) if not total]
        lacking = Note("no-rows", f"there are no rows {' and '.join(missing)}") if missing else None
        of_each.append((known, lacking))
    return dict(zip(auc.labels, score_intervals_of(of_each, level=level), strict=True))


NO_WIDTH = 1e-12
"""A smaller standard error is rounding error."""


def bounded_estimate(
    name: str, value: float, variance: float, *, n: float, smallest: float, words: str, level: float = LEVEL
) -> Estimate:
    """Estimate of a mean over tuples of one row of each class, symmetric on the logit scale.

    If the variance is 0, the interval is Wilson's for `smallest` trials: rows make that many tuples without a common
    row, so such a mean varies at most as much as that many independent values in [0, 1]. `words` name the variance.
    """
    confidence_level(level)
    found = Estimate(name=name, value=value, n=n)
    if smallest < 2 - 1e-9 or math.isnan(variance):
        text = f"no interval, as its variance needs two rows of each class, not {smallest:.3g}"
        return replace(found, reason=Note("too-few-rows", text))
    error = math.sqrt(variance)
    if error < NO_WIDTH or value in (0, 1):
        wilson = wilson_interval(min(max(value, 0.0), 1.0) * smallest, smallest, level=level)
        method = f"Wilson, {smallest:.4g} tuples without a common row, as {words} have zero width here"
        return replace(found, low=float(wilson.low), high=float(wilson.high), level=level, method=method)
    return limited(found, error, (0.0, 1.0), level=level, method=words)


def volume_interval(volume: Volume, *, level: float = LEVEL) -> Estimate:
    """Estimate of a volume with the interval of a U-statistic, symmetric on the logit scale.

    The variance is Σ_k Var_k(h)/n_k, where h is a row's chance of a correct order in a random tuple, plus the variance
    of random tuples if the value was sampled. If it is 0, the interval is Wilson's with the rows of the smallest class
    as trials.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> from thresher.multiclass import ordinal_volume
    >>> volume_interval(ordinal_volume([1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.6, 0.6, 0.9]))
    Estimate(ordinal_volume = 0.625 [0.1141, 0.9557], 95% structural components, logit scale)

    Dreiseitl et al. (2000); Nakas and Yiannoutsos (2004).
    """
    confidence_level(level)
    name = f"{volume.kind}_volume"
    if volume.reason is not None:
        return Estimate(name=name, value=math.nan, reason=volume.reason)
    words = "structural components"
    if not volume.exact:
        words = f"structural components and {volume.tuples:,} random tuples"
    variance = volume.variance + volume.sampling_error**2
    sizes = {"n": volume.rows, "smallest": volume.smallest}
    return bounded_estimate(name, volume.value, variance, **sizes, words=words, level=level)
