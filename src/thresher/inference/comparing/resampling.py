"""Resampling of one model or two: intervals and differences of a measure, and Venkatraman's tests of whole ROC curves.

In these tests ties count by expectation: a tied group spreads its classes evenly over its ranks, the straight segment
of ROC space. The order of rows does not matter, and no ties are broken at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.threads import Progress, current_progress
from thresher.conventions import SEED, Direction, Floats, Undefined
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
from thresher.inference.comparing.permutation import bits, check_replicates, generator, mid_ranks, scored_rows
from thresher.inference.comparing.rows import ComparedSample, decisions, missing_threshold
from thresher.inference.curves.partial_areas import Repeated
from thresher.inference.differences.difference import Difference, least_tail, undefined_difference
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
    from thresher.inference.comparing.permutation import permutation_difference

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
    from thresher.inference.comparing.permutation import permutation_difference_unpaired

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
    from thresher.inference.comparing.resampling import venkatraman_test, venkatraman_test_unpaired

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
    if math.isnan(found.p_value):
        return undefined_difference(found.method, found.reason or Note("no-rows", "a class is empty"))
    return Difference(
        value=float(find("auc")(a.table)) - float(find("auc")(b.table)),
        method=found.method,
        p_value=lambda _: found.p_value,
        statistic=found.statistic,
        assumptions=f"{found.assumptions}; {IS_AREA}",
        source=found.source,
        replicates=PERMUTATIONS,
        is_signed=False,
    )


ROUNDING = 1e-9


def venkatraman_test(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    n: int = 2_000,
    direction: Direction = "higher",
    rng: int = SEED,
    progress: Progress | None = None,
) -> TestResult:
    """Test that two scores of the same rows have the same ROC curve.

    The statistic is E = Σₖ |eₐ(k) − e_b(k)| over k = 1 … n − 1, where e(k) is the number of errors if the k rows with
    the lowest ranks are called negative; it is 2·Σ |difference of positives among them|. Permutations swap the two
    ranks of each row with probability ½ and rank again. p = (1 + #{E* ≥ E})/(1 + n). A score against itself or a
    monotone transform has E = 0 and p = 1. E does not say which is better. Undefined without both classes.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN score.
        OptionError: `n` or `rng` is not a whole number in its range.

    >>> y, a, b = [1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], [1, 6, 5, 2, 4, 3]
    >>> venkatraman_test(y, a, b, n=500).statistic
    10.0

    Source: Venkatraman & Begg 1996, Biometrika 83, 835–848.
    """
    check_replicates(n, rng)
    rows = scored_rows(y_true, {"a": a, "b": b}, None, direction)
    method = f"Venkatraman, paired, ties by expectation, {n:,} permutations, seed {rng}"
    source = "Venkatraman & Begg 1996"
    sign = 1.0 if direction == "higher" else -1.0
    positive = rows.truth == 1
    if positive.all() or not positive.any():
        return _undefined(method, source)
    first, second = (mid_ranks(sign * s) for s in rows.scores)
    observed = rank_errors(first, second, positive)
    values = np.empty(n)
    for r in range(n):
        swap = bits(positive.size, rng, r)
        values[r] = rank_errors(np.where(swap, second, first), np.where(swap, first, second), positive)
        if (r + 1) % 100 == 0:
            current_progress(progress)(r + 1, n)
    return _result(method, observed, values, source, "the ranks of a row are exchangeable under the null hypothesis")


def venkatraman_test_unpaired(
    y_a: ArrayLike,
    a: ArrayLike,
    y_b: ArrayLike,
    b: ArrayLike,
    *,
    n: int = 2_000,
    direction: Direction = "higher",
    rng: int = SEED,
    progress: Progress | None = None,
) -> TestResult:
    """Test that scores of two samples of different rows have the same ROC curve.

    With κ = (P₁ + P₂)/(n₁ + n₂), the curves are compared at equal shares p = κ·TPR + (1 − κ)·FPR called positive. The
    error rate there is κ(1 − TPR) + (1 − κ)FPR: the statistic is ∫ |error₁(p) − error₂(p)| dp = 2κ ∫ |TPR₁ − TPR₂| dp,
    exactly integrated. Permutations give every row its p and deal these anew to the samples, within each class. p value
    and ties as in `venkatraman_test`; a sample against itself has p = 1.

    Raises:
        InputError, OptionError: as for `venkatraman_test`.

    >>> y = [1, 1, 0, 1, 0, 0]
    >>> found = venkatraman_test_unpaired(y, [6, 5, 4, 3, 2, 1], y, [60, 50, 40, 30, 20, 10], n=200)
    >>> found.statistic, found.p_value
    (0.0, 1.0)

    Source: Venkatraman 2000, Biometrics 56, 1134–1138.
    """
    check_replicates(n, rng)
    samples = [scored_rows(y, {"s": s}, None, direction) for y, s in ((y_a, a), (y_b, b))]
    method, source = f"Venkatraman, unpaired, ties by expectation, {n:,} permutations, seed {rng}", "Venkatraman 2000"
    sign = 1.0 if direction == "higher" else -1.0
    positives = [rows.truth == 1 for rows in samples]
    if any(positive.all() or not positive.any() for positive in positives):
        return _undefined(method, source)
    share = sum(int(x.sum()) for x in positives) / sum(x.size for x in positives)
    scores = [sign * rows.scores[0] for rows in samples]
    one, two = ((s[x], s[~x]) for s, x in zip(scores, positives, strict=True))
    observed = curve_errors(one, two, share)
    # Called positive first means a small p, so −p orders the rows as the scores do.
    places = [-shares_called(s, x, share) for s, x in zip(scores, positives, strict=True)]
    pools = [np.concatenate([p[x if own else ~x] for p, x in zip(places, positives, strict=True)]) for own in (1, 0)]
    sizes = int(positives[0].sum()), int((~positives[0]).sum())
    values = np.empty(n)
    for r in range(n):
        random = generator(rng, r)
        dealt = [random.permutation(pool) for pool in pools]
        one, two = (dealt[0][: sizes[0]], dealt[1][: sizes[1]]), (dealt[0][sizes[0] :], dealt[1][sizes[1] :])
        values[r] = curve_errors(one, two, share)
        if (r + 1) % 100 == 0:
            current_progress(progress)(r + 1, n)
    return _result(method, observed, values, source, "within a class, rows are exchangeable under the null hypothesis")


def rank_errors(first: Floats, second: Floats, positive: NDArray[np.bool_]) -> float:
    """Σₖ |errors of the first − errors of the second| if the k rows with the lowest ranks are called negative."""
    places = np.arange(1.0, positive.size)
    one, two = (_positives_below(ranks, positive, places) for ranks in (first, second))
    return float(2 * np.abs(one - two).sum())


def curve_errors(first: tuple[Floats, Floats], second: tuple[Floats, Floats], share: float) -> float:
    """2κ ∫ |TPR₁(p) − TPR₂(p)| dp over the share p called positive, for (positive, negative) scores of two samples."""
    curves = [_tpr_by_share(*scores, share) for scores in (first, second)]
    p = np.unique(np.concatenate([x for x, _ in curves]))
    gap = np.interp(p, *curves[0]) - np.interp(p, *curves[1])
    a, b, width = gap[:-1], gap[1:], np.diff(p)
    # A straight piece that changes its sign is two triangles.
    total = np.abs(a) + np.abs(b)
    crossed = np.divide(a * a + b * b, 2 * total, out=np.zeros_like(total), where=total > 0)
    return float(2 * share * (width * np.where(a * b < 0, crossed, total / 2)).sum())


def shares_called(scores: Floats, positive: NDArray[np.bool_], share: float) -> Floats:
    """Share called positive of the mixture at each row's score: the middle of its step on its own curve."""
    distinct, codes = np.unique(-scores, return_inverse=True)
    step = [np.bincount(codes[rows], minlength=distinct.size) / rows.sum() for rows in (positive, ~positive)]
    width = share * step[0] + (1 - share) * step[1]
    return np.asarray((np.cumsum(width) - width / 2)[codes])


def _positives_below(ranks: Floats, positive: NDArray[np.bool_], places: Floats) -> Floats:
    """Expected number of positives among the k lowest rows, tied ones in any order."""
    codes = np.rint(2 * ranks).astype(np.int64)
    size = 2 * ranks.size + 1
    rows, own = (np.cumsum(np.bincount(part, minlength=size)) for part in (codes, codes[positive]))
    return np.asarray(np.interp(places, np.append(0, rows), np.append(0, own)))


def _tpr_by_share(positive: Floats, negative: Floats, share: float) -> tuple[Floats, Floats]:
    """Points of a ROC curve as TPR against the share called positive; straight in between."""
    cuts = -np.unique(-np.concatenate([positive, negative]))
    tpr, fpr = (1 - np.searchsorted(np.sort(s), cuts, side="left") / s.size for s in (positive, negative))
    return np.append(0.0, share * tpr + (1 - share) * fpr), np.append(0.0, tpr)


def _result(method: str, observed: float, values: Floats, source: str, assumptions: str) -> TestResult:
    extreme = int((values >= observed - ROUNDING * max(1.0, observed)).sum())
    p = (1 + extreme) / (1 + values.size)
    return TestResult(method=method, statistic=observed, p_value=p, p_floor=least_tail(values.size),
                      assumptions=assumptions, source=source)  # fmt: skip


def _undefined(method: str, source: str) -> TestResult:
    reason = Note("no-rows", "a ROC curve needs positives and negatives")
    return TestResult(method=method, statistic=np.nan, p_value=np.nan, source=source, reason=reason)
