"""Measures to expect of rows without labels, if the scores are calibrated: each row is positive with probability p.

Of a row with probability p, the share p counts as positive. With U predicted positives, the true positives are the
sum of U independent decisions, and so are the false negatives: the expectation of any measure of decisions is exact,
over the distributions of both numbers. A mean over rows has the mean of its expectations. The AUC has the ratio
of the expected pairs. None of this evaluates a model: it repeats the claim of the scores.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.calibration.fitting import fit_map
from thresher.conventions import (
    DEFAULT_THRESHOLD,
    LEVEL,
    SEED,
    Direction,
    Floats,
    check_seed,
    check_whole,
    confidence_level,
    in_precision,
    is_positive,
    option,
)
from thresher.counts.row_columns import number_column
from thresher.errors import InputError, Note, OptionError, capital, keyword
from thresher.inference.comparing.contributions import value_of_cells
from thresher.inference.estimates.forms import AreaLine, RowMean
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits import NO_WIDTH, limited
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.measures.shown import EXPECTED
from thresher.predictions.probabilities import are_probabilities
from thresher.results import Estimate, estimate_columns, frame_columns

NORMAL_FROM = 100.0
"""Variance of a number of positives from which its distribution is taken as normal, in 64 points."""

NODES = 64
REFITS = 200
DRIFT = 0.01
"""p value of a Kolmogorov–Smirnov test below which scores differ from those that the map was fitted on."""

HEADING = "Expected if the scores are calibrated. This is not an evaluation: no label of these rows was read."


@dataclass(frozen=True, kw_only=True, eq=False)
class Expected:
    """Measures to expect of rows without labels.

    `probabilities` of the positive class are the map's for the `scores`. `refitted` are the probabilities by
    maps fitted on resampled rows. `groups` hold the rows of each group. `notes` tell assumptions and drift.
    """

    scores: Floats
    probabilities: Floats
    threshold: float | None
    direction: Direction
    level: float
    refitted: tuple[Floats, ...] = ()
    groups: Mapping[Hashable, Expected] | None = None
    notes: tuple[Note, ...] = ()

    def estimate(self, measure: str) -> Estimate:
        """Expected value of a measure of decisions, of the AUC and its lines, or of a mean over rows.

        The interval is for the value that these rows will have once they are labelled. It allows for the chance of the
        labels and, if `fitted_on` was given, for the error of the calibration map.

        Raises:
            UnknownMeasureError: there is no such measure.
        """
        asked = parse_measure(measure)
        value, variance = self._moments(asked, self.probabilities)
        name, bounds, n = asked.entry.name, asked.entry.bounds, float(len(self.scores))
        if math.isnan(value):
            reason = Note("undefined", "it is undefined, or not available without labels")
            if asked.entry.needs != "table" and self.threshold is None:
                reason = Note("no-threshold", "it needs ", keyword("threshold", "…"))
            return Estimate(name=name, value=value, reason=reason, n=n)
        if self.refitted:
            variance += float(np.nanvar([self._value(asked, p) for p in self.refitted], ddof=1))
        error = math.sqrt(variance)
        if not error * math.sqrt(n) > NO_WIDTH:
            sure = Note("certain-probabilities", "no interval, as every probability is 0 or 1")
            return Estimate(name=name, value=value, reason=sure, n=n)
        method = "expected under calibration" + (", map refitted" if self.refitted else "")
        return limited(Estimate(name=name, value=value, n=n), error, bounds, level=self.level, method=method)

    def at(self, threshold: float) -> Expected:
        """Return the same at another threshold of the scores."""
        groups = self.groups and {name: each.at(threshold) for name, each in self.groups.items()}
        return replace(self, threshold=float(threshold), groups=groups)

    def summary(self) -> dict[str, Estimate]:
        """Estimates of the usual measures by name."""
        found = map(self.estimate, EXPECTED)
        return {each.name: each for each in found if self.threshold is not None or each.is_defined}

    def columns(self) -> dict[str, Any]:
        """Columns of the summary, of each group after all rows."""
        parts = {"(all)": self, **(self.groups or {})}
        found = [(group, each) for group, part in parts.items() for each in part.summary().values()]
        own = {"group": [str(group) for group, _ in found]} if self.groups else {}
        return own | {"measure": [each.name for _, each in found]} | estimate_columns(each for _, each in found)

    to_frame = frame_columns

    def to_text(self) -> str:
        """Return the summary as text, under a line that says that this is not an evaluation."""
        columns = {name: self.columns().get(name) for name in ("group", "measure", "value", "low", "high")}
        lines = [HEADING]
        for i, measure in enumerate(columns["measure"] or ()):
            group = "" if columns["group"] is None else f"{columns['group'][i]}  "
            low, high, value = (columns[key][i] for key in ("low", "high", "value"))  # type: ignore[index]
            interval = "" if low is None else f" [{low:.4f}, {high:.4f}]"
            shown = "undefined" if math.isnan(value) else f"{value:.4f}{interval}"
            lines.append(f"{group}{capital(parse_measure(measure).title):28} {shown}")
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes if note.code != "expected")])

    __str__ = to_text

    def __repr__(self) -> str:
        return f"Expected({len(self.scores):,} rows without labels, prevalence {self.probabilities.mean():.3g})"

    def _moments(self, asked: MeasureSpec, p: Floats) -> tuple[float, float]:
        """Expected value and variance over the labels."""
        nothing = math.nan, math.nan
        if asked.at is not None or asked.part is not None:
            return nothing
        if asked.entry.needs in ("cells", "matrix"):
            if self.threshold is not None:
                return moments_of_decisions(asked, p, self._decided())
            ends = [moments_of_decisions(asked, p, np.full(p.shape, end)) for end in (True, False)]
            return ends[0] if np.allclose(ends[0], ends[1]) else nothing  # the same whatever is decided
        adds = methods_of(asked.entry.name).adds
        if isinstance(adds, AreaLine):
            area, variance = moments_of_area(self.scores if self.direction == "higher" else -self.scores, p)
            return adds.scale * area + adds.shift, adds.scale**2 * variance
        if not isinstance(adds, RowMean):
            return nothing
        weights, terms = np.stack([p, 1 - p]), np.stack([adds.of(p, np.full(p.shape, end)) for end in (True, False)])
        terms = np.where(weights > 0, terms, 0.0)
        variance = (p * (1 - p) * np.diff(terms, axis=0) ** 2).sum() / p.size**2
        return float((weights * terms).sum() / p.size), float(variance)

    def _value(self, asked: MeasureSpec, p: Floats) -> float:
        """Value for other probabilities; of decisions the value of the expected matrix, which is faster."""
        if asked.entry.needs not in ("cells", "matrix"):
            return self._moments(asked, p)[0]
        rows = np.stack([p, 1 - p])
        return float(value_of_cells(asked, (rows[:, None] * [self._decided(), ~self._decided()]).sum(axis=-1)))

    def _decided(self) -> NDArray[np.bool_]:
        if self.threshold is None:
            return np.ones(self.scores.shape, dtype=bool)
        return is_positive(self.scores, in_precision(self.scores, self.threshold, self.direction), self.direction)


def moments_of_decisions(asked: MeasureSpec, p: Floats, decided: NDArray[np.bool_]) -> tuple[float, float]:
    """Mean and variance of a measure of the confusion matrix over all truths for which it is defined."""
    (a, chance), (b, other) = (_number_of_positives(p[side]) for side in (decided, ~decided))
    up, down = float(decided.sum()), float((~decided).sum())
    tables = np.empty((a.size, b.size, 2, 2))
    tables[..., 0, 0], tables[..., 0, 1] = a[:, None], b
    tables[..., 1, 0], tables[..., 1, 1] = up - a[:, None], down - b
    values, weights = value_of_cells(asked, tables), np.outer(chance, other)
    weights = np.where(np.isfinite(values), weights, 0.0)
    if not weights.sum() > 0:
        return math.nan, math.nan
    values = np.where(weights > 0, values, 0.0)
    mean = float((weights * values).sum() / weights.sum())
    return mean, float((weights * (values - mean) ** 2).sum() / weights.sum())


def moments_of_area(scores: Floats, p: Floats) -> tuple[float, float]:
    """Expected pairs in order over expected pairs, and the variance by the influence of each label."""
    place = np.unique(scores, return_inverse=True)[1]
    sums = [np.bincount(place, share) for share in (p, 1 - p)]
    below = [(each.cumsum() - each / 2)[place] for each in sums]
    positives, negatives = float(p.sum()), float((1 - p).sum())
    own = p * (1 - p)  # a row makes no pair with itself
    total = positives * negatives - float(own.sum())
    ordered = float((p * (below[1] - (1 - p) / 2)).sum())
    if not total > 0:
        return math.nan, math.nan
    area = ordered / total
    beaten, beating = below[1] - (1 - p) / 2, positives - below[0] - p / 2
    slope = (beaten - beating - area * (negatives - (1 - p) - positives + p)) / total
    return area, float((own * slope**2).sum())


def _number_of_positives(p: Floats) -> tuple[Floats, Floats]:
    """Possible numbers of positives among independent rows with their chances, or points of a normal distribution.

    Chances are the coefficients of Π (1 − p + p·x), multiplied pair by pair.
    """
    variance = float((p * (1 - p)).sum())
    if variance > NORMAL_FROM:
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        return np.clip(p.sum() + math.sqrt(variance) * nodes, 0, p.size), weights / weights.sum()
    padded = np.zeros(1 << max(p.size - 1, 0).bit_length())
    padded[: p.size] = p
    found = np.stack([1 - padded, padded], axis=-1)
    while len(found) > 1:
        size = 2 * found.shape[1]
        spectrum = np.fft.rfft(found, size)
        found = np.fft.irfft(spectrum[::2] * spectrum[1::2], size)[:, : size - 1]
    kept = np.flatnonzero(found[0] > 1e-14)
    return kept.astype(np.float64), found[0][kept]


def expected(
    scores: ArrayLike,
    *,
    map: Any = None,
    fitted_on: tuple[ArrayLike, ArrayLike] | None = None,
    threshold: float | None = None,
    by: ArrayLike | None = None,
    direction: Direction = "higher",
    level: float = LEVEL,
    refits: int = REFITS,
    rng: int = SEED,
) -> Expected:
    """Return the measures to expect of rows without labels, if the scores, or the scores by `map`, are calibrated.

    Args:
        scores: one score for each row, (n,); probabilities of the positive class unless a map is given.
        map: calibration map from scores to probabilities, such as the one of `thresher.calibration.fit_map`.
        fitted_on: truth (0 and 1) and scores of the rows that the map was fitted on: then intervals allow for the error
            of the map, which is refitted on resampled rows, and scores that drifted since are noted.
        threshold: cut of the scores; 0.5 if all are in [0, 1].
        by: group of each row.
        direction: "higher" when a high score means positive, "lower" when a low one does.
        level: confidence level of the intervals.
        refits: number of refitted maps.
        rng: seed of the resampled rows.

    Raises:
        InputError: a score is missing, or is not a probability and there is no map.
        OptionError: an option has a value that it does not take.

    >>> found = expected([0.9, 0.8, 0.4, 0.2, 0.1])
    >>> found.estimate("precision")
    Estimate(positive_predictive_value = 0.85 [0.1083, 0.9962], 95% expected under calibration, logit scale)
    >>> round(found.estimate("recall").value, 3)
    0.755

    Guo et al. 2017 on calibration; Garg et al. 2022 on accuracy without labels.
    """
    option("direction", direction, ("higher", "lower"))
    check_whole("refits", refits, 2)
    seed, level, column = check_seed(rng), confidence_level(level), number_column(scores, "score")
    if not column.size or column.ndim != 1:
        raise InputError("scores take one number for each row, of at least one.")
    if np.isnan(column).any():
        raise InputError(
            f"row {int(np.argmax(np.isnan(column))) + 1:,}: the score is missing. Fill it in, or leave the row out."
        )
    if map is None and fitted_on is not None:
        raise OptionError(keyword("fitted_on", "…") + " belongs to a map: give " + keyword("map", "…") + " too.")
    if map is None and direction == "lower":
        raise OptionError(keyword("direction", "lower") + " needs a map to probabilities, " + keyword("map", "…") + ".")
    p = column if map is None else np.asarray(map.transform(column), dtype=np.float64)
    if p.shape != column.shape or not are_probabilities(p):
        raise InputError(
            "the scores are not probabilities (0 to 1). Give " + keyword("map", "…") + ", a calibration map."
        )
    cut = threshold if threshold is not None else DEFAULT_THRESHOLD if are_probabilities(column) else None
    refitted = () if fitted_on is None else tuple(_refitted(map, fitted_on, column, refits, seed))
    notes = [Note("expected", "Values rest on the calibration of the scores; no label of these rows was read.")]
    if threshold is None and cut is not None:
        notes.append(Note("assumed-threshold", f"Threshold {cut:g}, the default when every score is in [0, 1]."))
    if np.isin(p, (0, 1)).all():
        notes.append(Note("certain-probabilities", "Every probability is 0 or 1, so no error is expected. If these are "
                          "predicted labels, give probabilities instead."))  # fmt: skip
    notes += [] if fitted_on is None else _drift(column, number_column(fitted_on[1], "score"))
    found = Expected(scores=column, probabilities=p, threshold=None if cut is None else float(cut), direction=direction,
                     level=level, refitted=refitted, notes=tuple(notes))  # fmt: skip
    return found if by is None else replace(found, groups=_groups(found, np.asarray(by)))


def _groups(whole: Expected, by: NDArray[Any]) -> dict[Hashable, Expected]:
    if by.shape != whole.scores.shape:
        raise InputError(f"by has {by.size:,} rows, and there are {whole.scores.size:,} scores.")
    found: dict[Hashable, Expected] = {}
    for group in np.unique(by):
        own = by == group
        refitted = tuple(p[own] for p in whole.refitted)
        found[group.item() if hasattr(group, "item") else group] = replace(
            whole, scores=whole.scores[own], probabilities=whole.probabilities[own], refitted=refitted, notes=()
        )
    return found


def _refitted(
    found: Any, fitted_on: tuple[ArrayLike, ArrayLike], scores: Floats, refits: int, seed: int
) -> list[Floats]:
    """Probabilities by maps of the same kind, each fitted on resampled rows of both classes."""
    truth, own = np.asarray(fitted_on[0]), number_column(fitted_on[1], "score")
    if truth.shape != own.shape or not np.isin(truth, (0, 1)).all() or len(np.unique(truth)) < 2:
        raise InputError("fitted_on takes the truth, 0 and 1 with both of them, and as many scores.")
    made: list[Floats] = []
    draws = np.random.default_rng(seed)
    while len(made) < refits:
        rows = draws.integers(0, own.size, own.size)
        if truth[rows].min() < truth[rows].max():
            made.append(np.asarray(fit_map(truth[rows], own[rows], method=found.method).transform(scores)))
    return made


def _drift(scores: Floats, then: Floats) -> list[Note]:
    """Note that the scores differ from the scores that the map was fitted on."""
    from scipy.special import kolmogorov

    one, two = np.sort(scores), np.sort(then)
    places = np.concatenate([one, two])
    apart = np.searchsorted(one, places, "right") / one.size - np.searchsorted(two, places, "right") / two.size
    distance = float(np.abs(apart).max())
    p_value = float(kolmogorov(distance * math.sqrt(one.size * two.size / (one.size + two.size))))
    if p_value >= DRIFT:
        return []
    return [Note("drift", f"The scores differ from those the map was fitted on (Kolmogorov–Smirnov distance "
                          f"{distance:.3f}, p = {p_value:.2g}): the map may no longer hold.")]  # fmt: skip
