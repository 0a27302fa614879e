"""What is found of a model when it is asked for: partial areas, smooth and mean curves, a reject option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.cached import scoped
from thresher.curves.curve import Curve
from thresher.dataclass import dataclass
from thresher.errors import OptionError, RowsNeededError
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.curves.averaging import How
    from thresher.curves.regions import Part
    from thresher.decisions.reject import RejectOption
    from thresher.evaluation import ModelEvaluation
    from thresher.inference.curves.averaged import AveragedCurve
    from thresher.inference.curves.band import Band
    from thresher.inference.curves.binormal import BinormalRoc
    from thresher.inference.curves.partial_areas import PartialAreaEstimate
    from thresher.inference.estimates.rejected import RejectSummary

DRAWN = 400
"""Points of a mean curve that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanCurve:
    """Mean of the folds' curves, small enough to be kept: at a few hundred points, without the folds' counts."""

    curve: Curve
    band: Band | None
    x_band: Band | None
    area: Estimate
    folds: int
    left_out: int
    reason: str | None

    @classmethod
    def of(cls, found: AveragedCurve) -> MeanCurve:
        """What is shown of an averaged curve."""
        return cls(
            curve=found.curve.thin(DRAWN),
            band=found.band,
            x_band=found.x_band,
            area=found.area,
            folds=len(found.average.tables),
            left_out=found.average.left_out,
            reason=found.reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OptionalFindings:
    """What was asked for of one model; `reject_reason` says why there is no reject option."""

    areas: tuple[PartialAreaEstimate, ...] = ()
    smooth: BinormalRoc | None = None
    means: Mapping[str, MeanCurve] = field(default_factory=dict)
    reject: RejectSummary | None = None
    reject_reason: str | None = None


def optional_findings(
    model: ModelEvaluation,
    *,
    partial: Sequence[Part] = (),
    smooth: str | None = None,
    average: How | None = None,
    reject: Mapping[str, Any] | None = None,
    prevalence: float | None = None,
) -> OptionalFindings | None:
    """What was asked for of one model; None when nothing was, or without the scores of both classes."""
    is_asked = bool(partial or smooth or average or reject)
    if not is_asked or model.task != "binary" or not model.scores.P or not model.scores.N:
        return None
    found, reason = reject_option(model, reject, prevalence) if reject else (None, None)
    return OptionalFindings(
        areas=tuple(model.partial_area(part) for part in partial),
        smooth=model.binormal_roc() if smooth else None,
        means={} if average is None else mean_curves(model, average),
        reject=found,
        reject_reason=reason,
    )


def mean_curves(model: ModelEvaluation, how: How) -> dict[str, MeanCurve]:
    """Mean ROC and precision–recall curve; a pooled one has a band when there is a bootstrap to take it from."""
    options: dict[str, Any] = {}
    if how == "pooled" and model.bootstrap is not None:
        options = {"interval": "bootstrap", "config": model.bootstrap}
    try:
        found = {"roc": model.average_roc(how, **options), "pr": model.average_pr(how, **options)}
    except RowsNeededError:
        # The folds' counts are pooled, and weights that are not whole cannot be drawn from counts.
        reason = "no band: rows with weights cannot be drawn again from the counts of the folds"
        found = {"roc": model.average_roc(how), "pr": model.average_pr(how)}
        found = {name: replace(each, reason=reason) for name, each in found.items()}
    return {name: MeanCurve.of(each) for name, each in found.items()}


def reject_option(
    model: ModelEvaluation, rule: Mapping[str, Any], prevalence: float | None
) -> tuple[RejectSummary | None, str | None]:
    """Reject option that holds no more counts than it needs, or why there is none."""
    try:
        with scoped(model, "table") as read:
            found = read.with_reject(**{"prevalence": prevalence, **rule})
        return replace(found, option=_small(found.option)), None
    except OptionError as error:
        return None, str(error)


def _small(found: RejectOption) -> RejectOption:
    """Same option on a table of its own rows and the ends."""
    table = found.table
    rows = np.unique([0, found.upper_row, found.lower_row, len(table) - 1])
    columns = {name: column[rows] for name in ("thresholds", "tp", "fp", "tp_squares", "fp_squares")
               if (column := getattr(table, name)) is not None}  # fmt: skip
    small = replace(table, **columns, thinned=True)
    upper, lower = np.searchsorted(rows, [found.upper_row, found.lower_row]).tolist()
    return replace(found, table=small, upper_row=upper, lower_row=lower, shown=found.decimals)
