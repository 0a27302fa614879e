"""The difference of a measure from an interval of each value: MOVER, for one model in two groups and for paired models.

Limits are those of Zou and Donner: the distances from each value to its own limits add up in squares, less what the two
values have in common when they are of the same rows. The p value is the error rate at which the interval reaches 0, so
that interval and test never disagree. Small groups keep the asymmetry and the width of their own intervals, which a
normal statistic and the percentiles of a bootstrap lose (docs/comparing.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.inference.comparing.contributions import correlation_of, words_of
from thresher.inference.comparing.rows import ComparedSample, decisions, missing_threshold
from thresher.inference.differences.difference import (
    Difference,
    apart,
    combined_limits,
    difference_bounds,
    ends_of,
    inverted_p,
    no_difference,
    undefined_difference,
)
from thresher.inference.estimates.forms import Combined
from thresher.inference.estimates.methods import methods_of
from thresher.inference.estimates.of_matrices import estimate
from thresher.inference.estimates.of_scores import estimate_of_scores
from thresher.measures.measure_text import MeasureSpec
from thresher.results import Estimate

SOURCE = "Zou & Donner 2008"

Own = Callable[[float], Estimate]
"""Estimate of one side at a confidence level."""


def by_intervals(a: ComparedSample, b: ComparedSample, spec: MeasureSpec, *, is_paired: bool) -> Difference | None:
    """Difference from both sides' own intervals; None where one has none.

    Values of the same rows have their correlation by influence functions.
    """
    if not serves(a, spec):
        return None
    if reason := missing_threshold(a, b, spec):
        return undefined_difference("intervals of both", reason)
    prevalence = None if is_paired else common_prevalence(a, b, spec)
    own = _own(a, spec, prevalence), _own(b, spec, prevalence)
    first, second = (each(0.95) for each in own)
    if math.isnan(first.value) or math.isnan(second.value):
        return undefined_difference("intervals of both", _why(spec, first, second))
    if first.low is None or second.low is None:
        return None
    shared = correlation_of(a, b, spec) if is_paired else None
    return _combined(own, first, second, spec, prevalence, shared)


def serves(side: ComparedSample, spec: MeasureSpec) -> bool:
    """Whether the measure has an interval of its own that is combined."""
    if spec.at is not None or len(side.rows.classes) != 2:
        return False
    entry = spec.entry
    return entry.needs in ("cells", "matrix") or (
        entry.needs == "table" and methods_of(entry.name).difference is not None
    )


def _combined(
    own: tuple[Own, Own], first: Estimate, second: Estimate, spec: MeasureSpec, prevalence: float | None,
    correlation: float | None,
) -> Difference:  # fmt: skip
    value = apart(first.value, second.value)
    shared = 0.0 if correlation is None else correlation
    facts = {"value": value, "bounds": difference_bounds(spec.entry.bounds), "source": SOURCE}
    words = f"intervals of both combined ({first.method})"
    words += f", at a common prevalence of {prevalence:.3g}" if prevalence is not None else ""
    words += "" if correlation is None else f", correlation {shared:.2f} {words_of(spec)}"
    if shared >= 1 and value == 0:
        return no_difference(method=words, **facts)
    both = first.value, second.value
    limits = combined_limits(both, lambda level: ends_of(each(level) for each in own), shared)
    return Difference(
        method=words,
        limits=limits,
        p_value=inverted_p(value, limits),
        values=None if prevalence is None else both,
        is_for_unequal=(methods_of(spec.entry.name).difference or Combined()).simulated,
        assumptions="different rows" if correlation is None else f"correlation of the two values {words_of(spec)}",
        **facts,  # type: ignore[arg-type]
    )


def _own(side: ComparedSample, spec: MeasureSpec, prevalence: float | None) -> Own:
    """How one side is estimated at a level; computed once for all comparisons of a model."""
    name, known = spec.entry.name, side.kept.setdefault(("estimates", spec.text, prevalence), {})
    if spec.entry.needs == "table":
        table: ScoreTable = side.table
        if prevalence is not None and not math.isclose(_share(table), prevalence, rel_tol=1e-12):
            table = table.with_prevalence(prevalence)
        make = partial(estimate_of_scores, table, name)
    else:
        make = partial(estimate, _matrix(side), name, **spec.parameters)

    def at(level: float) -> Estimate:
        # A search for the p value of each pair of models begins at the same levels.
        if level not in known:
            known[level] = make(level=level)
        found: Estimate = known[level]
        return found

    return at


def _matrix(side: ComparedSample) -> ConfusionMatrix:
    """Confusion matrix of what a side decides."""
    if "matrix" not in side.kept:
        rows = replace(side.rows, predicted={side.model: decisions(side).astype(np.uint8)})
        side.kept["matrix"] = ConfusionMatrix.of_rows(rows, side.model)
    found: ConfusionMatrix = side.kept["matrix"]
    return found


def common_prevalence(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> float | None:
    """Share of positives at which precisions of different prevalences are compared, the larger of both; None if equal.

    At a smaller one the few negatives of a group stand for many, and its interval is too narrow: a group of 15
    positives and 15 negatives brought to the prevalence of 100 and 900 rejected 16 % of equal groups, and 1 % so.
    """
    if not (methods_of(spec.entry.name).difference or Combined()).by_prevalence:
        return None
    tables = a.table, b.table
    if not all(float(t.P) and float(t.N) for t in tables):
        return None
    one, two = map(_share, tables)
    return None if math.isclose(one, two, rel_tol=1e-12) else max(one, two)


def _share(table: ScoreTable) -> float:
    """Share of positives."""
    return float(table.P) / float(table.P + table.N)


def _why(spec: MeasureSpec, first: Estimate, second: Estimate) -> str:
    reason = first.reason if math.isnan(first.value) else second.reason
    return f"{spec.title} is undefined for one of the two: {reason}"
