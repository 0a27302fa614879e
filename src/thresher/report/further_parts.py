"""What a report says when it is asked for it: partial areas, a smooth curve, the mean over folds, a reject option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher.conventions import option
from thresher.curves.averaging import How
from thresher.curves.curve import Curve
from thresher.curves.regions import Part, part_of
from thresher.decisions.costs import Costs
from thresher.errors import OptionError, RowsNeededError
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.evaluation.choosing import scored_models
from thresher.results import Estimate
from thresher.sentences import keyword

if TYPE_CHECKING:
    from thresher.decisions.reject import RejectOption
    from thresher.inference.averaged_curves import AveragedCurve
    from thresher.inference.band import Band
    from thresher.inference.binormal import BinormalRoc
    from thresher.inference.partial_areas import PartialAreaEstimate
    from thresher.inference.rejected import RejectSummary

Smooth = Literal["binormal"]
DRAWN = 400
"""Points of a mean curve that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """What a report is asked for beyond what every report has; nothing by default."""

    partial: tuple[Part, ...] = ()
    smooth: Smooth | None = None
    average: How | None = None
    reject: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        costs: Costs | None = None,
        partial: Part | str | Iterable[Part | str] | None = None,
        smooth: Smooth | None = None,
        average: How | None = None,
        reject: str | Mapping[str, Any] | None = None,
    ) -> Further:
        """Parts of a curve ("fpr<=0.1"), a smooth model, a way to average folds, a reject option ("accuracy=0.99").

        Raises:
            OptionError: one of them is not understood, or a cost of deferral has no costs of errors beside it.
        """
        from thresher.decisions.reject_choice import bound_of
        from thresher.decisions.reject_text import reject_rule

        wanted = [partial] if isinstance(partial, str | Part) else list(partial or ())
        parts = tuple(dict.fromkeys(each if isinstance(each, Part) else part_of(each) for each in wanted))
        option("smooth", smooth, (None, "binormal"))
        option("average", average, (None, "vertical", "threshold", "pooled"))
        rule = reject_rule(reject) if isinstance(reject, str) else dict(reject or {})
        for side in ("upper", "lower"):
            if isinstance(rule.get(side), str):
                bound_of(rule[side])
        if "deferral" in rule:
            rule = {"costs": costs, **rule}
            if rule["costs"] is None:
                raise OptionError(
                    "a cost of deferral needs those of the errors to be weighed against: give " + keyword("costs") + "."
                )
        return cls(partial=parts, smooth=smooth, average=average, reject=rule)

    @property
    def is_empty(self) -> bool:
        """Whether nothing more is asked for."""
        return not (self.partial or self.smooth or self.average or self.reject)

    def check(self, evaluation: Evaluation) -> None:
        """Refuse what an evaluation cannot give.

        Raises:
            TaskError: no model has scores of two classes.
            OptionError: the rows have no folds to average over.
        """
        if self.is_empty:
            return
        what = "a reject option" if self.reject else "a mean curve" if self.average else "a partial area or smooth ROC"
        scored_models(evaluation, what)
        if self.average and evaluation.predictions.fold is None:
            raise OptionError("a mean over folds needs folds: name their column with " + keyword("fold") + ".")

    def left_out(self, evaluation: Evaluation) -> tuple[str, ...]:
        """Models that cannot have what was asked for, and why, as notes."""
        if self.is_empty:
            return ()
        asked = {"partial areas": self.partial, "smooth curve": self.smooth, "mean curve": self.average,
                 "reject option": self.reject}  # fmt: skip
        words = " or ".join(name for name, wanted in asked.items() if wanted)
        whole = all(evaluation.class_counts.values())
        why = {
            name: "one class has no rows" if model.task == "binary" else "it has no score of two classes"
            for name, model in evaluation.items()
            if model.task != "binary" or not whole
        }
        return tuple(f"{name}: no {words}, as {reason}" for name, reason in why.items())


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
class FurtherPart:
    """What was asked for of one model; `reject_reason` says why there is no reject option."""

    areas: tuple[PartialAreaEstimate, ...] = ()
    smooth: BinormalRoc | None = None
    means: Mapping[str, MeanCurve] = field(default_factory=dict)
    reject: RejectSummary | None = None
    reject_reason: str | None = None


def further_part(model: ModelEvaluation, asked: Further, prevalence: float | None) -> FurtherPart | None:
    """What was asked for of one model; None when nothing was, or without scores of two classes."""
    if asked.is_empty or model.task != "binary" or not model.scores.P or not model.scores.N:
        return None
    reject, reason = _reject(model, asked.reject, prevalence) if asked.reject else (None, None)
    return FurtherPart(
        areas=tuple(model.partial_area(part) for part in asked.partial),
        smooth=model.binormal_roc() if asked.smooth else None,
        means={} if asked.average is None else _means(model, asked.average),
        reject=reject,
        reject_reason=reason,
    )


def _means(model: ModelEvaluation, how: How) -> dict[str, MeanCurve]:
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


def _reject(
    model: ModelEvaluation, rule: Mapping[str, Any], prevalence: float | None
) -> tuple[RejectSummary | None, str | None]:
    """Reject option that holds no more counts than it needs, or why there is none."""
    kept = "table" in vars(model)
    try:
        found = model.with_reject(**{"prevalence": prevalence, **rule})
        return replace(found, option=_small(found.option)), None
    except OptionError as error:
        return None, str(error)
    finally:
        if not kept:
            vars(model).pop("table", None)


def _small(found: RejectOption) -> RejectOption:
    """Same option on a table of its own rows and the ends."""
    table = found.table
    rows = np.unique([0, found.upper_row, found.lower_row, len(table) - 1])
    columns = {name: column[rows] for name in ("thresholds", "tp", "fp", "tp_squares", "fp_squares")
               if (column := getattr(table, name)) is not None}  # fmt: skip
    small = replace(table, **columns, thinned=True)
    upper, lower = np.searchsorted(rows, [found.upper_row, found.lower_row]).tolist()
    return replace(found, table=small, upper_row=upper, lower_row=lower)
