"""What a reject option costs and gains, with intervals: the reportable rate, and measures of the decided rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from thresher.conventions import LEVEL, Undefined
from thresher.decisions.reject import RejectOption
from thresher.inference.measured import estimate, summary
from thresher.results import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectSummary:
    """A reject option with estimates: of the shares that are decided, and of every measure among the decided rows.

    `reportable_rate` is of all rows, `reportable_positives` and `reportable_negatives` of those of one class: where
    they differ, what is deferred is not like what is decided.
    """

    option: RejectOption
    reportable_rate: Estimate
    reportable_positives: Estimate
    reportable_negatives: Estimate
    measures: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {self.measures[name].format()}" for name in ("accuracy",))
        return (
            f"RejectSummary({self.option.zone}: reportable rate {self.reportable_rate.format()}; decided rows: {shown})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Thresholds, shares and measures as JSON types."""
        shares = ("reportable_rate", "reportable_positives", "reportable_negatives")
        known = {name: getattr(self, name).to_dict() for name in shares}
        measures = {name: value.to_dict() for name, value in self.measures.items()}
        return {**self.option.to_dict(), **known, "measures": measures, "notes": list(self.notes)}


def reject_summary(option: RejectOption, *, level: float = LEVEL, undefined: Undefined = "nan") -> RejectSummary:
    """Estimates of a reject option at its thresholds as they are, by the methods of the confusion matrix.

    The intervals take the thresholds as given in advance; where they were chosen on these rows the values are
    optimistic, which `notes` says.

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
    shares = {
        name: replace(estimate(deferrals, measure, level=level, undefined=undefined), name=name)
        for name, measure in named.items()
    }
    notes: tuple[str, ...] = ()
    if option.is_chosen:
        notes = ("thresholds were chosen on these rows, so that what is measured at them is optimistic",)
    measures = summary(option.matrix, level=level, undefined=undefined)
    return RejectSummary(option=option, **shares, measures=measures, notes=notes)
