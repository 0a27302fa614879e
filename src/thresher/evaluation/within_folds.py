"""Values of measures of a subject, without intervals, and their means over the folds of several fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher.conventions import resolve_undefined
from thresher.errors import Note, with_cause
from thresher.evaluation.subject import Subject
from thresher.inference.estimates.methods import keep_together, ranks_rows
from thresher.inference.limits import limited
from thresher.measures.measure_text import MeasureSpec, parse_measure
from thresher.predictions import Predictions
from thresher.predictions.columns import places_of
from thresher.results import ZERO_BY_ZERO, Estimate

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison


Measured = Callable[[Subject, MeasureSpec], Estimate]

APART = Note("means-over-folds", "scores of different fits are not comparable")
"""Reason why a test of the ranks of all rows is undefined."""

ONE_CLASS = Note("no-rows", f"no fold holds rows of every class, and {APART}")
"""Reason why a ranking measure is undefined if each fold holds one row, or one class."""

NOTE = Note(
    "means-over-folds",
    "scores of different folds come from different fits and are not comparable: ranking measures are means over the "
    "folds, and curves show all rows together",
)
"""Note of an evaluation with folds and scores."""


def has_fits(subject: Subject) -> bool:
    """Whether the rows are in several folds, each scored by another fit."""
    fold = None if subject.task == "labels" else subject.predictions.fold
    return fold is not None and bool((fold.codes != fold.codes[:1]).any())


def within_folds(subject: Subject, found: dict[str, Estimate], measured: Measured) -> dict[str, Estimate]:
    """Estimates; with several folds the ranking measures are means over the folds."""
    ranked = [each for each in map(parse_measure, found) if ranks_rows(each)] if has_fits(subject) else []
    if not ranked or classes_held(subject.rows) < 2:
        return found
    parts, left_out = fits_of([replace(subject, undefined="nan")])
    if subject.task == "binary":
        keep_together([part.scores for (part,) in parts], level=subject.level, losses=len(ranked) > 1)
    of_folds = [[measured(part, each) for (part,) in parts] for each in ranked]
    means = (_mean(values, each, subject, left_out) for each, values in zip(ranked, of_folds, strict=True))
    return found | {mean.name: mean for mean in means}


def fits_of(subjects: Sequence[Subject]) -> tuple[list[list[Subject]], int]:
    """Subjects of the same rows on each fold that holds every class, and how many other folds there are."""
    kept, left_out = whole_folds(subjects[0].rows)
    return [[replace(subject, predictions=part) for subject in subjects] for part in kept], left_out


def whole_folds(rows: Predictions) -> tuple[list[Predictions], int]:
    """Rows of each fold that holds every class, and how many other folds there are."""
    assert rows.fold is not None  # has_fits
    classes, whole = classes_held(rows), replace(rows, fold=None, by={})
    parts = [whole.take(places) for _, places in places_of(rows.fold.codes)]
    kept = [part for part in parts if classes_held(part) == classes]
    return kept, len(parts) - len(kept)


def classes_held(rows: Predictions) -> int:
    """Number of classes that have rows; with several labels a row, each label has two."""
    columns = rows.truth.T if rows.truth.ndim > 1 else [rows.truth]
    return sum(np.unique(column).size for column in columns)


def _mean(values: Sequence[Estimate], asked: MeasureSpec, subject: Subject, left_out: int) -> Estimate:
    """Mean of the folds, v̅ = Σ v_f/k, with limits from its standard error."""
    found = Estimate(name=asked.text, value=math.nan, n=float(subject.rows.effective))
    if (reason := why_no_mean(values)) is not None:
        value = resolve_undefined(math.nan, subject.undefined, asked.title, reason)
        return replace(found, value=value, reason=reason)
    k = len(values)
    found = replace(found, value=math.fsum(each.value for each in values) / k, reason=folds_used(k, left_out))
    error, df, how = error_of_mean([each.value for each in values], [each.standard_error for each in values])
    if not (math.isfinite(found.value) and error > 0):
        return replace(found, reason=with_cause(found.reason, Note("no-spread", how)))
    return limited(found, error, asked.entry.bounds, level=subject.level, method=f"mean of {k} folds, {how}", df=df)


def why_no_mean(values: Sequence[Estimate | Comparison]) -> Note | None:
    """Return why the mean over folds is undefined; None if it is defined."""
    if not values:
        return ONE_CLASS
    numbers = (each.value if isinstance(each, Estimate) else each.difference for each in values)
    gap = next((each for each, number in zip(values, numbers, strict=True) if math.isnan(number)), None)
    return None if gap is None else "undefined in a fold: " + (gap.reason or ZERO_BY_ZERO)


def error_of_mean(values: Sequence[float], errors: Sequence[float | None]) -> tuple[float, float, str]:
    """Standard error of the mean of independent folds, its degrees of freedom, and its method.

    It is √(Σ e_f²)/k where every fold has a standard error e_f, else s/√k with s the standard deviation of the folds,
    which has k − 1 degrees of freedom; NaN, with the reason, where that is unknown or 0.

    >>> error_of_mean([0.5, 0.7], [0.3, 0.4])
    (0.25, inf, 'standard errors combined')
    >>> error_of_mean([0.5], [None])
    (nan, nan, 'no interval, as one fold shows no spread')
    """
    k, known = len(values), [each for each in errors if each]
    if len(known) == k:
        return math.sqrt(math.fsum(each**2 for each in known)) / k, math.inf, "standard errors combined"
    if k < 2:
        return math.nan, math.nan, "no interval, as one fold shows no spread"
    spread = float(np.std(values, ddof=1)) if np.isfinite(values).all() else 0.0
    if not spread > 0:
        return math.nan, math.nan, f"no interval, as all {k} folds have the same value"
    return spread / math.sqrt(k), k - 1.0, "standard deviation of the folds, Student's t"


def folds_used(k: int, left_out: int, what: str = "folds") -> Note | None:
    """Which folds a mean is over, where some lack a class; None where it is over all."""
    return Note("some-folds", f"mean of the {k} of {k + left_out} {what} that hold every class") if left_out else None
