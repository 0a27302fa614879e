"""Differences of ranking measures of rows that several fits scored: the mean over the folds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.errors import OptionError
from thresher.evaluation.subject import Subject
from thresher.evaluation.within_folds import ONE_CLASS, Measured, error_of_mean, fits_of, folds_used
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
    values = np.array([each.difference for each in found])
    if not found or np.isnan(values).any():
        gap = next((each.reason for each in found if math.isnan(each.difference)), None)
        return undefined_difference("none", gap or ONE_CLASS)
    facts: dict[str, Any] = {
        "bounds": difference_bounds(question.wanted.entry.bounds),
        "assumptions": folds_used(len(found), left_out) or "",
    }
    error, _, how = error_of_mean(values, [each.standard_error for each in found], question.level)
    value = math.fsum(values) / len(found)
    if not error > 0:
        if not values.any():
            return no_difference(method=f"mean of {len(found)} folds", **facts)
        return Difference(value=value, method="none", reason=how, **facts)
    is_spread = not all(each.standard_error for each in found)
    how, df = (how, len(found) - 1.0) if is_spread else (found[0].method, None)
    return normal_difference(value, error, df=df, method=f"{how}, mean of {len(found)} folds", **facts)


def difference_between(a: Subject, b: Subject, question: Question, measured: Measured) -> Difference:
    """Difference of two groups of rows, √(e_a² + e_b²) being its standard error."""
    _check(question)
    one, two = (measured(replace(each, undefined="nan"), question.wanted) for each in (a, b))
    gap = next((each.reason for each in (one, two) if math.isnan(each.value)), None)
    if gap is not None:
        return undefined_difference("none", gap)
    value, bounds = one.value - two.value, difference_bounds(question.wanted.entry.bounds)
    if one.standard_error is None or two.standard_error is None:
        lacking = one.reason if one.standard_error is None else two.reason
        return Difference(value=value, method="none", reason=lacking, bounds=bounds)
    error = math.hypot(one.standard_error, two.standard_error)
    return normal_difference(value, error, bounds=bounds, method=f"unpaired, {one.method}")


def _check(question: Question) -> None:
    if question.test not in SERVED:
        raise OptionError(
            keyword("test", repr(question.test)) + " ranks the rows of all folds together. Leave it out to compare "
            "within folds."
        )
