"""The difference of a measure between two models, on the same rows or on different ones: the method that serves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, field, replace
from thresher.conventions import Direction, is_positive
from thresher.counts import Cells, ScoreTable
from thresher.design_warnings import few_beyond_cut
from thresher.errors import Note, OptionError, TaskError
from thresher.inference.auc.delong_rows import PlacedRows, delong_difference, placed_rows, score_difference
from thresher.inference.auc.tests import unpaired_delong_difference, unpaired_score_difference
from thresher.inference.differences.difference import (
    Difference,
    difference_bounds,
    normal_difference,
    rank_alike,
    scaled,
    undefined_difference,
)
from thresher.inference.differences.means import (
    mean_of,
    paired_mean_difference,
    unpaired_mean_difference,
    unpaired_share_difference,
)
from thresher.inference.differences.tests_of_counts import mcnemar_difference
from thresher.inference.estimates.methods import methods_of, right_and_wrong
from thresher.inference.strata import Mean
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import statistic_of
from thresher.predictions import Predictions
from thresher.predictions.probabilities import are_probabilities
from thresher.registration import Registration, check_functions, put

if TYPE_CHECKING:
    from thresher.inference.differences.fixed_point import CodesOfBoth, OperatingRate

P = ParamSpec("P")
T = TypeVar("T")
OwnTest = Callable[[Any, Any, bool], tuple[float, float]]
Test = Literal["auto", "delong", "mcnemar", "mcnemar-exact", "means", "bootstrap", "permutation", "venkatraman"]
TESTS = ("auto", "delong", "mcnemar", "mcnemar-exact", "means", "bootstrap", "permutation", "venkatraman")

OWN_TESTS: dict[str, OwnTest] = {}
"""Registered tests by name."""

PlacedPair = tuple[PlacedRows, int, int]


def once_per_sample(compute: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """Keep the result for the next comparison of the same sample, by the measure if it takes one."""

    @wraps(compute)
    def kept(side: Any, /, *args: P.args, **named: P.kwargs) -> T:
        key = compute.__name__, *(getattr(arg, "text", None) for arg in args)
        if key not in side.kept:
            side.kept[key] = compute(side, *args, **named)
        found: T = side.kept[key]
        return found

    return kept


NOT_GIVEN = Note("no-threshold", "no threshold was given")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSample:
    """One model on some rows, with the threshold of its confusion matrix and its reason.

    With `is_turned` its scores and its threshold were negated, so that high scores are positive. `kept` caches values
    for the next comparison.
    """

    rows: Predictions
    model: str
    threshold: float | None = None
    threshold_reason: Note = NOT_GIVEN
    is_turned: bool = False
    kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def score(self) -> NDArray[np.float64]:
        """Scores of the model.

        Raises:
            TaskError: it has predicted labels only.
        """
        if self.model not in self.rows.scores:
            raise TaskError(f"this needs scores, and {self.model!r} has predicted labels only.")
        return self.rows.scores[self.model]

    @property
    def direction(self) -> Direction:
        """Direction of its scores; "higher" without scores."""
        return self.rows.direction_of(self.model) if self.model in self.rows.scores else "higher"

    @property
    def options(self) -> dict[str, Any]:
        """Weights and direction, as every test takes them."""
        kind = self.rows.weight_kind or "importance"
        return {"weights": self.rows.weights, "weight_kind": kind, "direction": self.direction}

    @property
    @once_per_sample
    def table(self) -> ScoreTable:
        """Score table of the model."""
        return ScoreTable.from_scores(self.rows.truth, self.score, **self.options)

    @property
    @once_per_sample
    def places(self) -> NDArray[np.intp]:
        """Place of each row among the scores of its table."""
        # The kernel sorts rows among numbers between the scores of the table in half the time of `argsort`.
        sign = 1.0 if self.direction == "higher" else -1.0
        above, below = sign * self.table.scores[:-1], sign * self.table.scores[1:]
        with np.errstate(invalid="ignore"):
            middle = np.fmax(above / 2 + below / 2, below)
        between = np.fmin(middle, np.nextafter(above, -np.inf))  # a number equal to a score is above it
        is_row = np.repeat(np.array([1, 0], dtype=np.uint8), [len(self.rows), between.size])
        missed = kernel.placements(is_row, np.concatenate([sign * self.score, between])[None]).positive[0]
        return np.asarray((missed + 1) // 2, dtype=np.intp)


def turned_alike(sides: Sequence[ComparedSample]) -> list[ComparedSample]:
    """Sides with high scores positive, if the models differ in their directions."""
    if len({side.direction for side in sides if side.model in side.rows.scores}) < 2:
        return list(sides)
    return [_turned(side) if side.direction == "lower" else side for side in sides]


def _turned(side: ComparedSample) -> ComparedSample:
    rows = replace(side.rows, scores={side.model: 0.0 - side.score}, direction="higher")
    cut = None if side.threshold is None else 0.0 - side.threshold
    return replace(side, rows=rows, threshold=cut, is_turned=True, kept={})


def by_formula(
    a: ComparedSample,
    b: ComparedSample,
    spec: MeasureSpec,
    test: Test = "auto",
    placed: PlacedPair | None = None,
    *,
    is_paired: bool,
) -> Difference | None:
    """Difference of two models on the same rows, or on different ones, by a formula; None without one.

    `placed` are known placements of the rows by several models, with the places of these two.
    """
    methods = methods_of(spec.entry.name)
    if spec.at is not None:
        if spec.fixed is None or test != "auto":
            return None
        from thresher.inference.differences.fixed_point import rate_difference

        return scaled(rate_difference(_rate(a, spec), _rate(b, spec), is_paired=is_paired), spec.fixed[2])
    if methods.linear_in_auc and test in ("auto", "delong"):
        return scaled(
            _of_areas(a, b, placed, is_paired=is_paired, by_delong=test == "delong"), methods.linear_in_auc[0]
        )
    if methods.rows and test in ("auto", "means"):
        bounds = difference_bounds(spec.entry.bounds)
        return mean_difference(_losses(a, spec), _losses(b, spec), a.rows, b.rows, bounds, is_paired=is_paired)
    return _of_shares(a, b, spec, test, is_paired=is_paired)


def _of_shares(
    a: ComparedSample, b: ComparedSample, spec: MeasureSpec, test: Test, *, is_paired: bool
) -> Difference | None:
    if not is_paired:
        if not spec.entry.proportion or test not in ("auto", "means"):
            return None
        if reason := missing_threshold(a, b, spec):
            return undefined_difference("z test of two shares", reason)
        one, two = (_share(side, spec) for side in (a, b))
        return unpaired_share_difference(one, two, effective=a.rows.weight_kind == "importance")
    shares = Shares.of(spec, a.rows)
    if shares is None or not shares.has_same_rows or test == "delong":
        return None
    reason = missing_threshold(a, b, spec)
    return undefined_difference("McNemar's test", reason) if reason else _paired_shares(a, b, spec, shares, test)


def _of_areas(
    a: ComparedSample, b: ComparedSample, placed: PlacedPair | None, *, is_paired: bool, by_delong: bool
) -> Difference:
    if not is_paired:
        return (unpaired_delong_difference if by_delong else unpaired_score_difference)(a.table, b.table)
    rows, *places = placed or (placed_rows(a.rows.truth, [a.score, b.score], **a.options), 0, 1)
    return (delong_difference if by_delong else score_difference)(rows, *places)


def mean_difference(
    one: NDArray[np.float64], two: NDArray[np.float64], rows: Predictions, others: Predictions,
    bounds: tuple[float, float], *, is_paired: bool,
) -> Difference:  # fmt: skip
    """Difference of the mean contributions of two models, on the same rows or different ones."""
    if is_paired:
        return paired_mean_difference(one, two, rows.weights, rows.weight_kind, bounds=bounds)
    first = mean_of(one, rows.weights, rows.weight_kind)
    second = mean_of(two, others.weights, others.weight_kind)
    return unpaired_mean_difference(first, second, bounds=bounds, effective=rows.weight_kind == "importance")


def register_test(name: str, difference: OwnTest) -> Registration[OwnTest]:
    """Add a test of a difference of your own, by name for `compare(test=…)`.

    `difference` takes both sides (`.rows`, `.score`, `.table`, `.threshold` of each model) and whether they are of the
    same rows; it returns the difference, first minus second, and its standard error. Limits and p value are normal. If
    low scores of only one model are positive, its scores and threshold come negated.

    Raises:
        ValueError: the name is taken.

    >>> import thresher as th
    >>> ev = th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.4], "b": [0.8, 0.6, 0.5, 0.5]})
    >>> with register_test("means apart", lambda a, b, is_paired: (float(a.score.mean() - b.score.mean()), 0.1)):
    ...     ev.compare("a", "b", measure="mean_score", test="means apart")
    Comparison(mean_score of a − b = -0.075 [-0.271, 0.121], p = 0.45, means apart)
    """
    check_functions(difference=difference)
    if name in TESTS:
        raise OptionError(f"{name!r} is a test already: choose another name.")
    return put(OWN_TESTS, name, difference)


def by_own_test(a: ComparedSample, b: ComparedSample, spec: MeasureSpec, test: str, *, is_paired: bool) -> Difference:
    """Difference by a registered test."""
    value, error = OWN_TESTS[test](a, b, is_paired)
    if not error > 0:
        return undefined_difference(test, Note("no-spread", "its standard error is not above 0"))
    return normal_difference(value, error, bounds=difference_bounds(spec.entry.bounds), method=test)


def placed_samples(sides: Sequence[ComparedSample], spec: MeasureSpec) -> PlacedRows | None:
    """Placements of the same rows by several models, if the measure uses them."""
    if spec.at is not None or methods_of(spec.entry.name).linear_in_auc is None:
        return None
    sides = turned_alike(sides)
    return placed_rows(sides[0].rows.truth, [side.score for side in sides], **sides[0].options)


def missing_threshold(a: ComparedSample, b: ComparedSample, spec: MeasureSpec) -> Note | None:
    """Why a threshold metric lacks decisions; None if both models decide, or it needs none."""
    lacking = [s for s in (a, b) if spec.needs_threshold and s.model not in s.rows.predicted and s.threshold is None]
    return f"{lacking[0].model}: " + lacking[0].threshold_reason if lacking else None


def decisions(side: ComparedSample) -> NDArray[np.bool_]:
    """Whether each row is predicted positive (correct, with more than two classes)."""
    if side.model in side.rows.predicted:
        codes = side.rows.predicted[side.model]
        return np.asarray(codes == 1 if len(side.rows.classes) == 2 else codes == side.rows.truth)
    return is_positive(side.score, float(side.threshold or 0), side.direction)


def _rate(side: ComparedSample, spec: MeasureSpec) -> OperatingRate | None:
    fixed = spec.fixed
    if fixed is None:
        raise OptionError(f"{spec.text!r} is not a rate at a fixed rate.")
    from thresher.inference.differences.fixed_point import operating_rate

    where: dict[str, Any] = {fixed[0]: fixed[1]}
    return operating_rate(side.rows.truth, side.score, **where, **side.options)


def rate_of_clusters(
    a: ComparedSample, b: ComparedSample, spec: MeasureSpec, codes: CodesOfBoth, *, is_paired: bool
) -> Difference:
    """Difference of rates at a fixed rate, of clustered rows; `codes` number the clusters of both sides alike."""
    from thresher.inference.differences.fixed_point import clustered_rate_difference

    a, b = turned_alike((a, b))
    found = clustered_rate_difference(_rate(a, spec), _rate(b, spec), codes, is_paired=is_paired)
    return found if spec.fixed is None else scaled(found, spec.fixed[2])


BY_JACKKNIFE = 10.0
"""Rows beyond the cut from which a jackknife over clusters keeps its level: at 3 to 7 tests of 5 % reject up to 8 %."""


def refused_beyond_cut(
    found: Difference, a: ComparedSample, b: ComparedSample, spec: MeasureSpec, *, is_paired: bool, least: float = 0.0
) -> Difference:
    """Difference without interval and test if it is of rates at a fixed rate with few rows beyond the cut.

    Resamples and jackknife values then repeat the same few rows: their spread misses how uncertain the cut is.
    """
    if spec.rates is None:
        return found
    from thresher.inference.differences.fixed_point import FEW, FEW_CLUSTERED, few_to_test

    own, scarce = (0, "negatives") if spec.rates[0] == "fpr" else (1, "positives")
    rows = min(float(side.rows.class_effective[own]) for side in (a, b))
    least = least or (FEW if a.rows.cluster is None else FEW_CLUSTERED)
    few = few_beyond_cut(min(spec.rates[1], 1 - spec.rates[1]) * rows, scarce, least=least)
    if not few or (is_paired and rank_alike(a.score, b.score)):
        return found
    untested: dict[str, Any] = dict.fromkeys(("limits", "p_value", "standard_error", "critical", "replicates"))
    reason = few_to_test(scarce)
    return replace(found, statistic=math.nan, reason=reason, warnings=(*found.warnings, *few), **untested)


@once_per_sample
def _losses(side: ComparedSample, spec: MeasureSpec) -> NDArray[np.float64]:
    """Contribution of each row to a mean."""
    rows = methods_of(spec.entry.name).rows
    if side.is_turned or side.direction != "higher" or not are_probabilities(side.score):
        raise TaskError(f"{spec.title} needs probabilities of the positive class, in [0, 1].")
    return side.score if rows is None else rows(side.score, side.rows.truth == 1)


class Shares(NamedTuple):
    """Successes and trials of one row in each cell: TP, FN, FP, TN; with more than two classes right, wrong."""

    successes: NDArray[np.float64]
    trials: NDArray[np.float64]

    @classmethod
    def of(cls, spec: MeasureSpec, rows: Predictions) -> Shares | None:
        """Return the cells of a proportion; None for another measure, or for subsets of several classes."""
        entry = spec.entry
        if not entry.proportion:
            return None
        if len(rows.classes) != 2:
            added = right_and_wrong(entry)
            return None if added is None else cls(np.array(added), np.ones(2))
        tp, fn, fp, tn = np.eye(4)
        found = entry.ratio(statistic_of(entry, Cells(tp=tp, fn=fn, fp=fp, tn=tn)), **spec.parameters)
        return cls(*(np.array(np.broadcast_to(part, 4)) for part in found))

    @property
    def has_same_rows(self) -> bool:
        """Whether every model has the same rows as trials."""
        return all(one == two for one, two in self.trials.reshape(-1, 2))


@once_per_sample
def cells_of_rows(side: ComparedSample) -> NDArray[np.uint8]:
    """Cell of every row, as in `Shares`."""
    wrong = (~decisions(side)).view(np.uint8)
    is_negative = side.rows.truth == 0 if len(side.rows.classes) == 2 else False
    return np.where(is_negative, 2 + wrong, wrong).astype(np.uint8)


@once_per_sample
def _outcomes(side: ComparedSample, _spec: MeasureSpec, shares: Shares) -> NDArray[np.bool_]:
    """Whether each trial of a share is a success."""
    cells = cells_of_rows(side)
    return np.asarray((shares.successes > 0)[cells[(shares.trials > 0)[cells]]])


def _paired_shares(a: ComparedSample, b: ComparedSample, spec: MeasureSpec, shares: Shares, test: Test) -> Difference:
    """McNemar's test of two shares of the same rows; the means' test with importance weights."""
    first, second = (_outcomes(side, spec, shares) for side in (a, b))
    kind, weights = a.rows.weight_kind, a.rows.weights
    weights = None if weights is None else weights[(shares.trials > 0)[cells_of_rows(a)]]
    is_counted = weights is None or (kind == "frequency" and np.array_equal(weights, np.rint(weights)))
    if test == "means" or not is_counted:
        return paired_mean_difference(first, second, weights, kind, bounds=(-1.0, 1.0))
    table = kernel.confusion((~first).view(np.uint8), (~second).view(np.uint8), 2, weights)
    return mcnemar_difference(table, method="exact" if test == "mcnemar-exact" else "mid-p")


def _share(side: ComparedSample, spec: MeasureSpec) -> Mean:
    shares = Shares.of(spec, side.rows)
    if shares is None:
        raise TaskError(f"{spec.entry.title} of subsets is compared for two classes.")
    cells, weights = cells_of_rows(side), side.rows.weights
    among = (shares.trials > 0)[cells]
    return mean_of(shares.successes[cells[among]], None if weights is None else weights[among], side.rows.weight_kind)
