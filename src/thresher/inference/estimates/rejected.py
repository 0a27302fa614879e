"""Costs and gains of a reject option with intervals: the reportable rate, and measures of the decided rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import plain_text
from thresher.conventions import LEVEL, Undefined
from thresher.counts import ConfusionMatrix
from thresher.decisions.costs import Costs
from thresher.decisions.operating import choose
from thresher.decisions.reject import RejectOption
from thresher.decisions.rules import RuleClassifier, ScoreRule
from thresher.errors import Note
from thresher.inference.estimates.cells import FIXED, mean_interval, obstacle
from thresher.inference.estimates.of_matrices import estimate, summary
from thresher.measures.registry import find
from thresher.results import Estimate, Shown, estimate_columns
from thresher.upward_import import as_html, as_text, form_dict

SHARES = ("reportable_rate", "reportable_positives", "reportable_negatives", "expected_cost")
NO_ROWS = Note("no-rows", "there are no rows")
NO_CLASS = Note("no-rows", "at another prevalence the cost needs rows of both classes")


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectSummary(Shown):
    """A reject option with estimates: shares of decided rows, and every measure among them.

    `reportable_rate` is the share of all rows, `reportable_positives` and `reportable_negatives` the shares of each
    class: if they differ, deferred rows differ from decided ones. `expected_cost` includes deferred rows, and
    `undeferred_cost` is the least cost with a single threshold, without deferral; None without costs. `model` and
    `group` name the source of the scores, `labels` the positive and the negative class.
    """

    option: RejectOption
    reportable_rate: Estimate
    reportable_positives: Estimate
    reportable_negatives: Estimate
    measures: Mapping[str, Estimate]
    notes: tuple[Note, ...] = ()
    expected_cost: Estimate | None = None
    undeferred_cost: float | None = None
    costs: Costs | None = None
    deferral: float | None = None
    model: str | None = None
    group: str | None = None
    labels: tuple[Any, Any] = (1, 0)

    def bounds_of(self, name: str) -> tuple[float, float]:
        """Range of an estimate by its name; of the expected cost, the range of the costs of one row."""
        cost = self.expected_cost
        if cost is not None and name == cost.name and self.costs is not None and self.deferral is not None:
            given = self.costs
            ends = [given.sign * each for each in (given.fp, given.fn, given.tp, given.tn)]
            return min(*ends, self.deferral), max(*ends, self.deferral)
        return (0.0, 1.0) if name in SHARES else find(name).bounds

    @property
    def matrix(self) -> ConfusionMatrix:
        """Confusion matrix of the decided rows."""
        return replace(self.option.matrix, labels=self.labels)

    @property
    def decision_rule(self) -> ScoreRule:
        """The two thresholds as a value that decides scores and saves as JSON."""
        ends = {"upper": self.option.upper, "lower": self.option.lower}
        said = {"score": plain_text(self.model or ""), "criterion": self.option.criterion}
        return ScoreRule(labels=self.labels, direction=self.option.direction, **ends, **said)  # type: ignore[arg-type]

    def classifier(self, estimator: Any, *, undecided: Hashable = None) -> RuleClassifier:
        """Fitted classifier that predicts by both thresholds, `undecided` if it defers, in scikit-learn's style.

        Raises:
            InputError: the classifier is not fitted, has other classes, or gives no score.
        """
        return RuleClassifier.of(estimator, self.decision_rule, undecided)

    def columns(self) -> dict[str, Any]:
        """One row for each estimate: the shares, the cost (if any), then the measures."""
        rows = estimates_of(self)
        return {"measure": [each.name for each in rows]} | estimate_columns(rows)

    __str__, _repr_html_, to_dict = as_text, as_html, form_dict

    def __repr__(self) -> str:
        rate, accuracy = self.reportable_rate.format(), self.measures["accuracy"].format()
        return f"RejectSummary({self.option.zone}: reportable rate {rate}; decided rows: accuracy {accuracy})"


def reject_summary(
    option: RejectOption,
    *,
    costs: Costs | None = None,
    deferral: float | None = None,
    level: float = LEVEL,
    undefined: Undefined = "nan",
    interval: str = "wilson",
) -> RejectSummary:
    """Estimates of a reject option at its thresholds, by the methods of the confusion matrix.

    The intervals treat the thresholds as fixed in advance; if they were chosen on these rows, the values are optimistic
    (`notes`). `interval` is the method for proportions, as in `thresher.inference.estimate`. `costs` and `deferral` add
    the expected cost of a row.

    >>> from thresher.counts import ScoreTable
    >>> from thresher.decisions import reject_option
    >>> table = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    >>> found = reject_summary(reject_option(table, lower=0.4, upper=0.8))
    >>> found.reportable_rate
    Estimate(reportable_rate = 0.6667 [0.3, 0.9032], 95% Wilson)
    """
    deferrals = option.deferrals
    named = {
        "reportable_rate": "predicted_prevalence",
        "reportable_positives": "true_positive_rate",
        "reportable_negatives": "false_positive_rate",
    }
    options: dict[str, Any] = {"level": level, "undefined": undefined, "interval": interval}
    shares: dict[str, Any] = {
        name: replace(estimate(deferrals, measure, **options), name=name) for name, measure in named.items()
    }
    text = "thresholds were chosen on these rows, so their values are optimistic"
    notes = (Note("chosen-on-same-rows", text),) if option.is_chosen else ()
    found = RejectSummary(option=option, **shares, measures=summary(option.matrix, **options), notes=notes)
    if costs is None or deferral is None:
        return found
    return replace(
        found,
        expected_cost=rejected_cost(option, costs, deferral=deferral, level=level),
        undeferred_cost=costs.sign * float(choose(option.table, costs).value),
        costs=costs,
        deferral=deferral,
    )


def estimates_of(found: RejectSummary) -> list[Estimate]:
    """Every estimate of a summary, the shares first."""
    shares = [each for name in SHARES if (each := getattr(found, name)) is not None]
    return [*shares, *found.measures.values()]


def with_estimates(found: RejectSummary, estimates: Mapping[str, Estimate]) -> RejectSummary:
    """Summary with other estimates, by name."""
    shares: dict[str, Any] = {name: estimates[name] for name in SHARES if name in estimates}
    return replace(found, **shares, measures={name: estimates.get(name, old) for name, old in found.measures.items()})


def rejected_cost(option: RejectOption, costs: Costs, *, deferral: float, level: float = LEVEL) -> Estimate:
    """Estimate of the mean cost per row: the cost of each decision, and `deferral` for a deferred row.

    C = Σ c·w/Σw over truth (2) by decision (positive, negative, none); at another prevalence the mean of the classes'
    means, undefined without rows of a class. The interval combines score intervals of the shares of the rows with each
    cost, within the least and the largest cost. A gain is a negative cost.

    >>> from thresher.counts import ThresholdTable
    >>> table = ThresholdTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    >>> option = RejectOption(table=table, upper_row=2, lower_row=4)
    >>> rejected_cost(option, Costs(fp=1, fn=1), deferral=0.3)
    Estimate(expected_cost = 0.1 [0.01777, 0.5055], 95% modified Wilson, of shares of the rows, combined)

    Source: Chow 1970 for the cost; Zou & Donner 2008 for the interval.
    """
    # Of each truth (positive, negative) and decision (positive, negative, none).
    of_decided = costs.sign * np.array([[costs.tp, costs.fn], [costs.fp, costs.tn]], dtype=np.float64)
    cells = np.hstack([of_decided, np.full((2, 1), float(deferral))]) + costs.sign * costs.fixed
    counts = np.hstack([option.matrix.counts, option.deferrals.counts[:, 1:]]).astype(np.float64)
    value = option.expected_cost(costs, deferral=deferral)
    found = Estimate(name="expected_cost", value=value, n=float(counts.sum()))
    if math.isnan(value):
        return replace(found, reason=NO_CLASS if counts.any() else NO_ROWS)
    if reason := obstacle(option.deferrals):
        return replace(found, reason=reason)
    own, known = option.matrix.squares, option.deferrals.squares
    squares = counts if own is None or known is None else np.hstack([own, known[:, 1:]])
    interval = mean_interval(found, cells, counts, squares, prior=option.table.prior, level=level)
    return interval or replace(found, reason=FIXED)
