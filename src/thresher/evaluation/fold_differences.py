"""Differences of ranking measures of rows that several fits scored: the mean over the folds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from thresher.errors import OptionError
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import Measured, error_of_mean, fits_of, folds_used, why_no_mean
from thresher.inference.comparing.compare import Question
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.differences.difference import (
    Difference,
    difference_bounds,
    no_difference,
    normal_difference,
    undefined_difference,
)
from thresher.sentences import keyword

SERVED = ("auto", "bootstrap", "delong")
"""Tests that compare two models on one fold, so that their differences have a mean."""


def difference_of_folds(
    a: Subject, b: Subject, question: Question, difference: Callable[..., Comparison]
) -> Difference:
    """Difference of two models on the same rows, d̅ = Σ d_f/k; `difference` compares them on one fold.

    The standard error is that of `error_of_mean`.

    Raises:
        OptionError: a test was asked for that ranks the rows of all folds together.
    """
    _check(question)
    parts, left_out = fits_of([a, b])
    asked = replace(question, alternative="two-sided", margin=None)
    found = [difference(one, two, asked) for one, two in parts]
    if (reason := why_no_mean(found)) is not None:
        return undefined_difference("none", reason)
    values, k = [each.difference for each in found], len(found)
    facts: dict[str, Any] = {"bounds": _bounds(question), "assumptions": folds_used(k, left_out) or ""}
    error, df, how = error_of_mean(values, [each.standard_error for each in found])
    if error > 0:
        how = found[0].method if math.isinf(df) else how
        return _of_error(math.fsum(values) / k, error, df, method=f"{how}, mean of {k} folds", **facts)
    if any(values):
        return Difference(value=math.fsum(values) / k, method="none", reason=how, **facts)
    return no_difference(method=f"mean of {k} folds", **facts)


def difference_between(a: Subject, b: Subject, question: Question, measured: Measured) -> Difference:
    """Difference of two groups of rows, with the standard error √(e_a² + e_b²) and Welch's degrees of freedom."""
    _check(question)
    sides = [
        [measured(part, question.wanted) for (part,) in fits_of([replace(each, undefined="nan")])[0]] for each in (a, b)
    ]
    if (reason := next(filter(None, map(why_no_mean, sides)), None)) is not None:
        return undefined_difference("none", reason)
    one, two = (math.fsum(each.value for each in side) / len(side) for side in sides)
    errors = [error_of_mean([e.value for e in side], [e.standard_error for e in side]) for side in sides]
    if (lacking := next((how for error, _, how in errors if not error > 0), None)) is not None:
        return Difference(value=one - two, method="none", reason=lacking, bounds=_bounds(question))
    squares = [error**2 for error, _, _ in errors]
    rates = [square**2 / df for square, (_, df, _) in zip(squares, errors, strict=True)]
    df = sum(squares) ** 2 / sum(rates) if sum(rates) > 0 else math.inf
    method = f"unpaired, means of {len(sides[0])} and {len(sides[1])} folds, {errors[0][2]}"
    return _of_error(one - two, math.sqrt(sum(squares)), df, method=method, bounds=_bounds(question))


def _bounds(question: Question) -> tuple[float, float]:
    return difference_bounds(question.wanted.entry.bounds)


def _of_error(value: float, error: float, df: float, **facts: Any) -> Difference:
    """Normal difference, or Student's where the standard error has degrees of freedom."""
    return normal_difference(value, error, df=df if math.isfinite(df) else None, **facts)


def _check(question: Question) -> None:
    if question.test not in SERVED:
        raise OptionError(
            keyword("test", repr(question.test)) + " ranks the rows of all folds together. Leave it out to compare "
            "within folds."
        )
