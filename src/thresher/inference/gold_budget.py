"""Which rows to label next, and how many, for an interval of a given width or to show a difference.

Rows are in strata of predicted class, judge's label and score. With k_h labelled rows of the N_h of each, the variance
of a measure is about n/(n − 1)·Σ [N_h·ē_h² + N_h(N_h − 1)·S_h²/k_h] (see `strata`), where S_h is the expected
standard deviation of a row's contribution. Neyman's allocation takes k_h in proportion to N_h·S_h; in whole
rows it is found one by one, each in the stratum where it lowers the variance most, which is optimal as the terms are
convex in k_h.

Neyman 1934; Wright 2012 (exact allocation).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import LEVEL, SEED, Floats, check_seed, check_whole, confidence_level
from thresher.counts.row_columns import number_column
from thresher.errors import InputError, OptionError, keyword
from thresher.inference.comparing.contributions import value_of_cells
from thresher.inference.limits import numeric
from thresher.inference.proportions.intervals import normal_quantile
from thresher.inference.strata import strata_of
from thresher.measures.measure_text import parse_measure
from thresher.results import frame_columns

BINS = 5
ERROR = 0.1
"""Assumed share of each class that a judge mislabels; without a judge, of wrong predictions."""

FEWEST = 5
"""Labels of a stratum that changes the measure: fewer would hardly show how its rows vary."""

ROUNDING = 1e-12
"""Share of the largest variance below which one is the rounding of 0."""

PRIOR = 2.0
"""Labelled rows that the assumed share of positives of a stratum counts for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GoldBudget:
    """Rows to label next: how many of each stratum, which ones, and the expected width of the interval of a `measure`.

    `strata` are names, `rows` all rows of each, `labelled` those with a label, and `to_label` those to add.
    `chosen` are the places of the rows to label (counted from 0), and `probabilities` the chance of every row to be
    labelled, its share of its stratum. A planned `difference` is shown with this `power`. `width_now` is NaN if a
    stratum has fewer than two labelled rows.
    """

    measure: str
    level: float
    models: tuple[str, ...]
    difference: float | None
    power: float
    strata: tuple[str, ...]
    rows: NDArray[np.int64]
    labelled: NDArray[np.int64]
    to_label: NDArray[np.int64]
    chosen: NDArray[np.int64]
    probabilities: Floats
    stratum: NDArray[np.intp]
    width_now: float
    width: float

    @property
    def total(self) -> int:
        """Number of rows to label."""
        return int(self.to_label.sum())

    def columns(self) -> dict[str, Any]:
        """Columns of the plan, a line for each stratum."""
        own = {name: getattr(self, name).tolist() for name in ("rows", "labelled", "to_label")}
        shares = (self.labelled + self.to_label) / self.rows
        return {"stratum": list(self.strata), **own, "sampling_probability": shares.tolist()}

    to_frame = frame_columns

    @property
    def sentence(self) -> str:
        """The plan in words."""
        title, more = parse_measure(self.measure).title, self.total > 0
        start, when = (f"Label {self.total:,} more rows", "then") if more else ("No more labels needed", "already")
        if self.difference is not None:
            chance = f"{100 * self.power:g} %"
            return f"{start}: a difference of {self.difference:g} in {title} is {when} shown with probability {chance}."
        own = title if len(self.models) < 2 else f"the difference in {title}"
        now = f" (now {self.width_now:.3f}, with {self.labelled.sum():,} labels)"
        now = now if more and not math.isnan(self.width_now) else ""
        return f"{start}: the {100 * self.level:g} % interval of {own} is {when} about {self.width:.3f} wide{now}."

    def __repr__(self) -> str:
        return f"GoldBudget({self.sentence})"


def gold_budget(
    predicted: ArrayLike | Mapping[str, ArrayLike],
    *,
    judge: ArrayLike | None = None,
    score: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    measure: str = "accuracy",
    width: float | None = None,
    difference: float | None = None,
    rows: int | None = None,
    power: float = 0.8,
    level: float = LEVEL,
    bins: int = BINS,
    error: float = ERROR,
    rng: int = SEED,
) -> GoldBudget:
    """Plan which rows to label next, for a measure of decisions of one model, or its difference between two.

    The width is for an estimate that uses the strata: `verified` with `strata={"judge": …}`, or `thresher.evaluate`
    with `judge=` and the probabilities as `sampling=`.

    Args:
        predicted: predicted classes, 0 or 1, or a dictionary of two models' whose difference is planned.
        judge: a judge's labels, 0 or 1. Strata follow them, and they show where the truth is uncertain.
        score: scores, for bins within the strata; probabilities also show where the truth is uncertain.
        labels: known labels, 0 or 1, and None or NaN elsewhere; within a stratum, taken as a random sample.
        measure: measure of decisions.
        width: wanted width of the interval; or `difference` to show with the given `power`; or number of `rows`.
        level: confidence level.
        bins: most bins of the score in a stratum; fewer if there are few `rows` to label.
        error: assumed share of positives, and of negatives, that the judge mislabels, until labels show it.
        rng: seed of the sample.

    Raises:
        InputError: columns of different lengths, or values other than 0 and 1.
        OptionError: not one goal, a measure that is not of decisions, or a goal that no number of labels reaches.

    >>> import numpy as np
    >>> judge = np.tile([1, 0, 0, 1], 500)
    >>> plan = gold_budget(np.tile([1, 0], 1000), judge=judge, width=0.1)
    >>> plan.to_label.tolist(), round(plan.width, 3)
    ([39, 40, 39, 40], 0.1)

    Neyman 1934; Cochran 1977, section 5.9; Wright 2012.
    """
    level, seed, models = confidence_level(level), check_seed(rng), _models(predicted)
    check_whole("bins", bins, 1)
    first = next(iter(models.values()))
    known, truth = _labels(labels, first.size)
    columns = dict(models)
    if judge is not None:
        columns["judge" if "judge" not in models else "judge's label"] = judge = _binary(judge, "judge", first.size)
    scores = None if score is None else number_column(score, "score")
    if scores is not None and (scores.shape != first.shape or np.isnan(scores).any()):
        raise InputError("score takes a number for each row.")
    z, unknown = normal_quantile(level), int((~known).sum())
    aim, factor = _goal(width, difference, rows, power, z, len(models))
    if rows is not None and rows > unknown:
        raise OptionError(keyword("rows", str(rows)) + f" is too many: {unknown:,} rows lack a label. Give at most "
                          f"{unknown}.")  # fmt: skip
    named = {name: np.where(values, "positive", "negative") for name, values in columns.items()}
    for most in range(bins if scores is not None else 1, 0, -1):  # few rows to label: fewer bins
        strata = strata_of(named, None, scores, np.ones(first.size, dtype=bool), bins=most)
        codes, k = strata.codes, len(strata.names)
        n, m, s = (np.bincount(codes[x], minlength=k).astype(np.float64) for x in (codes >= 0, known, known & truth))
        share = (s + PRIOR * _assumed(codes, k, first, judge, scores, error)) / (m + PRIOR)
        means, spreads = _terms(measure, list(models.values()), codes, n, share)
        costs = np.where(spreads > ROUNDING * spreads.max(), n * (n - 1) * spreads, 0.0)
        start = np.maximum(m, np.minimum(n, np.where(costs > 0, FEWEST, 2)))
        needed = int((start - m).sum())
        if rows is None or rows >= needed:
            break
    else:
        raise OptionError(
            keyword("rows", str(rows)) + f" is too few: {k} strata need {needed}. Give at least {needed}."
        )
    fixed, total = float((n * means**2).sum()), float(n.sum())

    def deviation(counts: Floats) -> float:
        return math.sqrt(total / (total - 1) * (fixed + float((costs / counts).sum())))

    counts = allocated(costs, start, n, most=None if rows is None else rows + int(m.sum()),
                       enough=None if aim is None else (aim / factor) ** 2 * (total - 1) / total - fixed)  # fmt: skip
    if aim is not None and (least := factor * deviation(counts)) > aim * (1 + 1e-9):
        name = "width" if difference is None else "difference"
        raise OptionError(keyword(name, f"{aim:g}") + f" is too small: labels of all rows reach {least:.3g}. "
                          f"Give a larger {name}, or more rows.")  # fmt: skip
    ready = bool((m >= np.minimum(n, 2)).all())
    whole = [part.astype(np.int64) for part in (n, m, counts - m)]
    return GoldBudget(
        measure=measure, level=level, models=tuple(models), difference=difference, power=power, strata=strata.names,
        rows=whole[0], labelled=whole[1], to_label=whole[2], chosen=_drawn(codes, known, counts - m, seed),
        probabilities=(counts / n)[codes], stratum=codes,
        width_now=2 * z * deviation(m) if ready else math.nan, width=2 * z * deviation(counts),
    )  # fmt: skip


def allocated(costs: Floats, start: Floats, most_of_each: Floats, *, most: int | None, enough: float | None) -> Floats:
    """Counts with the least Σ costs/counts, from `start`, until their sum is `most` or Σ costs/counts is `enough`."""
    counts = start.copy()
    gains = [(-cost / (c * (c + 1)), i) for i, (cost, c) in enumerate(zip(costs, counts, strict=True))
             if cost > 0 and c < most_of_each[i]]  # fmt: skip
    heapq.heapify(gains)
    left, used = float((costs / counts).sum()), float(counts.sum())
    while gains and (most is None or used < most) and (enough is None or left > enough):
        gain, i = heapq.heappop(gains)
        counts[i] += 1
        left, used = left + gain, used + 1
        if counts[i] < most_of_each[i]:
            heapq.heappush(gains, (-costs[i] / (counts[i] * (counts[i] + 1)), i))
    return counts


def _terms(
    measure: str, models: list[NDArray[np.bool_]], codes: NDArray[np.intp], n: Floats, share: Floats
) -> tuple[Floats, Floats]:
    """Mean contribution of a row of each stratum to a measure or a difference, and its variance in the stratum."""
    asked = parse_measure(measure)
    if asked.at is not None or asked.part is not None or asked.entry.needs not in ("cells", "matrix"):
        raise OptionError(f"{measure!r} is not a threshold metric. Give one, such as accuracy or f1.")
    added = np.zeros((2, len(n)))
    first = np.unique(codes, return_index=True)[1]
    for sign, decided in zip((1.0, -1.0), models, strict=False):
        sides, totals = decided[first], np.stack([n * share, n * (1 - share)])
        cells = np.array([[[row[side].sum() for side in (sides, ~sides)] for row in totals]])
        slopes = numeric(partial(value_of_cells, asked))(cells)[1][0]
        added += sign * np.where(sides, slopes[:, :1], slopes[:, 1:])
    return share * added[0] + (1 - share) * added[1], share * (1 - share) * (added[0] - added[1]) ** 2


def _assumed(
    codes: NDArray[np.intp], k: int, decided: NDArray[np.bool_], judge: NDArray[np.bool_] | None,
    scores: Floats | None, error: float,
) -> Floats:  # fmt: skip
    """Share of positives of each stratum before labels: of the judge by Bayes' theorem, of probabilities, or of labels.

    The judge mislabels as large a share of the positives as of the negatives; at most half of either label is wrong.
    """
    if isinstance(error, bool) or not isinstance(error, int | float) or not 0 < error < 1:
        raise OptionError(keyword("error", repr(error)) + " is not a share between 0 and 1.")
    if judge is not None:
        seen = min(max(float(judge.mean()), 0.01), 0.99)
        raised, missed = min(error, seen / 2), min(error, (1 - seen) / 2)
        positives = (seen - raised) / (1 - raised - missed)
        own = np.where(judge, (1 - missed) * positives / seen, missed * positives / (1 - seen))
    elif scores is not None and (scores >= 0).all() and (scores <= 1).all():
        own = np.clip(scores, 0.01, 0.99)
    else:
        own = np.where(decided, 1 - error, error)
    return np.asarray(np.bincount(codes, own, k) / np.bincount(codes, minlength=k))


def _goal(
    width: float | None, difference: float | None, rows: int | None, power: float, z: float, models: int
) -> tuple[float | None, float]:
    """Width or difference to reach, and how many standard errors it has; None where the number of rows is given."""
    if sum(value is not None for value in (width, difference, rows)) != 1:
        raise OptionError("give one goal: " + keyword("width", "0.1") + ", " + keyword("difference", "0.05") + " or "
                          + keyword("rows", "200") + ".")  # fmt: skip
    if rows is not None:
        check_whole("rows", rows, 1)
        return None, 1.0
    if difference is not None and models < 2:
        raise OptionError(keyword("difference", "…") + " compares two models: name the predictions of both.")
    aim, name = (width, "width") if width is not None else (difference, "difference")
    if isinstance(aim, bool) or not isinstance(aim, int | float) or not 0 < aim < 1:
        raise OptionError(keyword(name, repr(aim)) + " is not a number between 0 and 1.")
    if not 0 < power < 1:
        raise OptionError(keyword("power", repr(power)) + " is not a share between 0 and 1.")
    return aim, 2 * z if width is not None else z + (normal_quantile(2 * power - 1) if power > 0.5 else 0.0)


def _models(predicted: Any) -> dict[str, NDArray[np.bool_]]:
    given = dict(predicted) if isinstance(predicted, Mapping) else {"predicted": predicted}
    if not 1 <= len(given) <= 2:
        raise InputError(f"predictions of one or two models are planned for, not of {len(given)}.")
    first = np.asarray(next(iter(given.values()))).size
    if first < 2:
        raise InputError("a plan needs at least two rows.")
    return {str(name): _binary(values, str(name), first) for name, values in given.items()}


def _binary(values: Any, name: str, size: int) -> NDArray[np.bool_]:
    found = number_column(values, name)
    if found.shape != (size,):
        raise InputError(f"{name} has {found.size:,} rows, and there are {size:,} predictions.")
    if not np.isin(found, (0, 1)).all():
        row = int(np.argmin(np.isin(found, (0, 1))))
        raise InputError(f"row {row + 1:,} of {name} is {found[row]:g}, not 0 or 1.")
    return np.asarray(found == 1)


def _labels(labels: Any, size: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows have a label, and which of them are positive."""
    if labels is None:
        return np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    listed = number_column(labels, "labels")
    known = ~np.isnan(listed)
    return known, _binary(np.where(known, listed, 0.0), "labels", size)


def _drawn(codes: NDArray[np.intp], known: NDArray[np.bool_], counts: Floats, seed: int) -> NDArray[np.int64]:
    """Rows drawn at random from the rows of each stratum without a label."""
    rng, found = np.random.default_rng(seed), []
    for code, count in enumerate(counts.astype(np.int64).tolist()):
        found.append(rng.choice(np.flatnonzero((codes == code) & ~known), count, replace=False))
    return np.sort(np.concatenate(found)).astype(np.int64)
