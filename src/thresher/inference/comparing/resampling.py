"""Resampling of a measure of one model or two: interval, difference, and permutations of whole curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Direction, Floats, Undefined
from thresher.counts import ScoreTable
from thresher.curves.value_at import value_at, values_at
from thresher.errors import Note, OptionError, choice
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import (
    bootstrap_difference,
    bootstrap_difference_unpaired,
    bootstrap_interval,
)
from thresher.inference.bootstrap.sample import unrolled
from thresher.inference.bootstrap.statistics import RocAt
from thresher.inference.comparing.contributions import common_prevalence
from thresher.inference.comparing.rows import ComparedSample, decisions, missing_threshold
from thresher.inference.curves.partial_areas import Repeated
from thresher.inference.differences.difference import Difference, undefined_difference
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import find
from thresher.predictions import Predictions
from thresher.results import Estimate, TestResult

CUT = 0.5
"""Threshold between the two scores that represent decisions."""
PERMUTATIONS = 2_000
"""Permutations of whole curves; each is ranked anew."""
IS_AREA = "values and their difference are AUCs; the test compares whole curves"


def by_resampling(
    a: ComparedSample, b: ComparedSample, spec: MeasureSpec, config: Bootstrap, *, is_paired: bool
) -> Difference:
    """Difference by the bootstrap of two models on the same rows, or on different ones."""
    if reason := missing_threshold(a, b, spec):
        return undefined_difference("bootstrap", reason)
    statistic, options = _statistic(spec)
    if is_paired:
        return bootstrap_difference(_pair(a, b, spec), *PAIR, statistic, config, **options)
    first, second = _rows(a, spec), _rows(b, spec)
    return bootstrap_difference_unpaired(first, second, statistic, config, models=("first", "first"), **options)


PAIR = ("first", "second")
"""Names of two models with rows drawn together."""


def _pair(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> Predictions:
    scores = dict(zip(PAIR, (_scores(a, spec), _scores(b, spec)), strict=True))
    return replace(a.rows, task="binary", scores=scores, predicted={}, direction=_direction(a, spec))


def by_permutation(a: ComparedSample, b: ComparedSample, spec: MeasureSpec, rng: int, *, is_paired: bool) -> Difference:
    """Difference of two models with the p value of a permutation test, without an interval.

    On the same rows the two scores are swapped. Different rows are dealt anew within each class, so that each group
    keeps its class sizes; average precisions are at a common prevalence. Frequency weights are permuted row by row.
    """
    from thresher.inference.permutation.differences import permutation_difference, scored_rows

    if spec.at is not None or spec.part is not None or spec.entry.fitted:
        raise OptionError(
            choice("test", "permutation") + f" does not serve a difference of {spec.title}: take the bootstrap."
        )
    if reason := missing_threshold(a, b, spec):
        return undefined_difference("permutation", reason)
    options: dict[str, Any] = {"threshold": CUT} if spec.needs_threshold else {}
    options |= {"rng": rng, **spec.parameters}
    if not is_paired:
        return _dealt(a, b, spec, options)
    a, b = (replace(side, rows=unrolled(side.rows)) for side in (a, b))
    scores = {name: _scores(side, spec) for name, side in (("first", a), ("second", b))}
    rows = scored_rows(a.rows.truth, scores, a.rows.weights, _direction(a, spec))
    return permutation_difference(rows, spec.entry.name, **options)


def _dealt(a: ComparedSample, b: ComparedSample, spec: MeasureSpec, options: dict[str, Any]) -> Difference:
    """Difference of two models on different rows, dealt anew within each class."""
    from thresher.inference.permutation.differences import permutation_difference_unpaired, scored_rows

    prevalence = common_prevalence(a, b, spec)
    a, b = (replace(side, rows=unrolled(side.rows)) for side in (a, b))
    if a.rows.weights is not None:
        raise OptionError(
            choice("test", "permutation") + " of different rows takes no importance weights: take the bootstrap."
        )
    samples = [scored_rows(s.rows.truth, {"s": _scores(s, spec)}, None, _direction(s, spec)) for s in (a, b)]
    found = permutation_difference_unpaired(samples[0], samples[1], spec.entry.name, prevalence=prevalence, **options)
    if prevalence is None:
        return found
    values = [float(find(spec.entry.name)(side.table.with_prevalence(prevalence))) for side in (a, b)]
    return replace(found, values=(values[0], values[1]))


def interval_by_resampling(
    side: ComparedSample, spec: MeasureSpec, config: Bootstrap, *, level: float, undefined: Undefined = "nan"
) -> Estimate:
    """Estimate of a measure of one model with its bootstrap interval."""
    statistic, options = _statistic(spec)
    how: dict[str, Any] = {"level": level, "model": "first", "undefined": undefined}
    found = bootstrap_interval(_rows(side, spec), statistic, config, **how, **options)
    is_written_out = not spec.is_plain
    return replace(found, name=spec.text if is_written_out else spec.entry.name)


def decided_rows(side: ComparedSample) -> Predictions:
    """Rows with a side's decisions as scores 1 and 0 of a model "first", for the threshold `CUT`."""
    return _as_first(side, _decided(side), "higher")


def _rows(side: ComparedSample, spec: MeasureSpec) -> Predictions:
    return _as_first(side, _scores(side, spec), _direction(side, spec))


def _as_first(side: ComparedSample, scores: Floats, direction: Direction) -> Predictions:
    return replace(side.rows, task="binary", scores={"first": scores}, predicted={}, direction=direction)


def _scores(side: ComparedSample, spec: MeasureSpec) -> Floats:
    """Scores; for a threshold metric the decisions as scores 1 and 0, so that each model has its own cut."""
    if not spec.needs_threshold:
        return side.score
    if len(side.rows.classes) != 2:
        raise OptionError(f"the bootstrap of {spec.title} takes two classes.")
    return _decided(side)


def _direction(side: ComparedSample, spec: MeasureSpec) -> Direction:
    return "higher" if spec.needs_threshold else side.direction


def _decided(side: ComparedSample) -> Floats:
    return np.where(decisions(side), 1.0, 0.0)


def _statistic(spec: MeasureSpec) -> tuple[str | RocAt | Callable[[ScoreTable], float], dict[str, Any]]:
    at, part = spec.at, spec.part
    if part is not None:
        return Repeated(part, spec.entry.bounds), {}
    if at is not None:
        rates = spec.rates
        if spec.rule == "interpolated" and rates is not None and rates[0] == "fpr" and rates[2] > 0:
            return RocAt(rates[1]), {}
        return _Reading(spec), {}
    cut = {"threshold": CUT} if spec.needs_threshold else {}
    return spec.entry.name, {**cut, **spec.parameters}


@dataclass(frozen=True)
class _Reading:
    """Measure at a fixed value of another, as a statistic of a table or a batch of tables."""

    spec: MeasureSpec

    def __call__(self, table: ScoreTable) -> float:
        return value_at(table, self.spec.entry.name, **self._options).value

    def of_batch(self, tables: ScoreTable) -> Floats:
        """Values of every table."""
        return values_at(tables, self.spec.entry.name, **self._options)

    @property
    def name(self) -> str:
        """Title of the measure."""
        return self.spec.title

    @property
    def _options(self) -> dict[str, Any]:
        spec = self.spec
        assert spec.at is not None
        return {"at": spec.at.name, "value": spec.at_value, "rule": spec.rule, **spec.parameters}


def by_curves(a: ComparedSample, b: ComparedSample, rng: int, *, is_paired: bool) -> Difference:
    """Difference of the AUCs beside the p value of Venkatraman's test that the curves are the same; no interval.

    Rows that represent several equal ones are permuted one by one.
    """
    from thresher.inference.permutation.venkatraman import venkatraman_test, venkatraman_test_unpaired

    a, b = (replace(side, rows=unrolled(side.rows)) for side in (a, b))
    if a.rows.weights is not None:
        raise OptionError(
            choice("test", "venkatraman") + " permutes rows that count alike: it takes no importance weights."
        )
    options: dict[str, Any] = {"direction": a.direction, "rng": rng, "n": PERMUTATIONS}
    if is_paired:
        found = venkatraman_test(a.rows.truth, a.score, b.score, **options)
    else:
        found = venkatraman_test_unpaired(a.rows.truth, a.score, b.rows.truth, b.score, **options)
    return _beside_areas(found, float(find("auc")(a.table)) - float(find("auc")(b.table)))


def _beside_areas(found: TestResult, value: float) -> Difference:
    if math.isnan(found.p_value):
        return undefined_difference(found.method, found.reason or Note("no-rows", "a class is empty"))
    return Difference(
        value=value,
        method=found.method,
        p_value=lambda _: found.p_value,
        statistic=found.statistic,
        assumptions=f"{found.assumptions}; {IS_AREA}",
        source=found.source,
        replicates=PERMUTATIONS,
        is_signed=False,
    )
