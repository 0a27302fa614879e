"""Options of a report: costs and prevalences for decisions, and the optional sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, fields
from thresher._util.frozen_values import check_deciding, check_prevalence
from thresher._util.parse_number import parse_share_or_number
from thresher.analysis.thresholds import usual_criteria
from thresher.conventions import option
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Budget, Criterion
from thresher.errors import Note, OptionError, TaskError, choice, keyword
from thresher.evaluation import Evaluation
from thresher.predictions.class_tables import class_table

if TYPE_CHECKING:
    from thresher.curves.averaging import How
    from thresher.curves.regions import Part

Smooth = Literal["binormal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionalSections:
    """Optional sections of a report; none by default."""

    partial: tuple[Part, ...] = ()
    smooth: Smooth | None = None
    average: How | None = None
    reject: Mapping[str, Any] = field(default_factory=dict)
    top: tuple[Budget, ...] = ()
    style: Literal["paper"] | None = None

    @classmethod
    def of(
        cls,
        *,
        costs: Costs | None = None,
        partial: Part | str | Iterable[Part | str] | None = None,
        smooth: Smooth | None = None,
        average: How | None = None,
        reject: str | Mapping[str, Any] | None = None,
        top: Any = None,
        style: Literal["paper"] | None = None,
    ) -> OptionalSections:
        """Read parts of a curve ("fpr<=0.1"), a smooth model, a way to average folds, a reject option, budgets ("5%").

        Raises:
            OptionError: one of them is not understood, or a cost of deferral comes without costs of errors.
        """
        parts = () if partial is None or partial == () else _parts(partial)
        option("smooth", smooth, (None, "binormal"))
        option("average", average, (None, "vertical", "threshold", "pooled"))
        option("style", style, (None, "paper"))
        rule = {} if reject is None else _rejection(reject)
        if "deferral" in rule:
            rule = {"costs": costs, **rule}
            if rule["costs"] is None:
                raise OptionError(
                    "a cost of deferral is weighed against the costs of errors: give " + keyword("costs") + "."
                )
        several = top if isinstance(top, list | tuple) else () if top is None else (top,)
        budgets = tuple(dict.fromkeys(map(_budget, several)))
        return cls(partial=parts, smooth=smooth, average=average, reject=rule, top=budgets, style=style)

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `thresher.analysis.roc_findings.optional_findings`."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "style"}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is requested."""
        return not (self.partial or self.smooth or self.average or self.reject or self.top)

    def check(self, evaluation: Evaluation) -> None:
        """Refuse options that an evaluation cannot serve."""
        if self.style is not None and evaluation.positive is None:
            raise TaskError(choice("style", "paper") + " is of two classes, and these rows have more.")
        if self.is_empty:
            return
        what = "a reject option" if self.reject else "a mean curve" if self.average else "a partial area or smooth ROC"
        what = "a budget" if self.top and not (self.reject or self.average or self.partial or self.smooth) else what
        from thresher.analysis.thresholds import scored_models

        scored_models(evaluation, what)
        if self.average and evaluation.predictions.fold is None:
            raise OptionError("a mean over folds needs folds: name their column with " + keyword("fold") + ".")

    def left_out(self, evaluation: Evaluation) -> tuple[Note, ...]:
        """Return notes on models that cannot meet the request, and why."""
        if self.is_empty:
            return ()
        asked = {"partial areas": self.partial, "smooth curve": self.smooth, "mean curve": self.average,
                 "reject option": self.reject, "highest scores": self.top}  # fmt: skip
        words = " or ".join(name for name, wanted in asked.items() if wanted)
        whole = all(evaluation.class_counts.values())
        why = {
            name: "one class is empty" if model.task == "binary" else "it is without a score of two classes"
            for name, model in evaluation.items()
            if model.task != "binary" or not whole
        }
        return tuple(Note("left-out", f"{name}: no {words}, as {reason}") for name, reason in why.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOptions:
    """Costs, prevalences and other options of a report; thresholds are chosen at the first prevalence.

    `cost_matrix` is for several classes, with gains if `gains`.
    """

    costs: Costs | None = None
    prevalences: tuple[float, ...] = ()
    optional: OptionalSections = field(default_factory=OptionalSections)
    cost_matrix: Any = None
    gains: bool = False

    @property
    def prevalence(self) -> float | None:
        """Share of positives for choosing thresholds; None for the observed one."""
        return self.prevalences[0] if self.prevalences else None

    @classmethod
    def of(
        cls,
        costs: Any,
        prevalence: float | tuple[float, ...] | list[float] | None,
        *,
        gains: bool = False,
        **optional: Any,
    ) -> DecisionOptions:
        """Costs (or a cost matrix of several classes), one prevalence or several; more as for `OptionalSections.of`.

        A prevalence that is given twice is shown once.
        """
        given = () if prevalence is None else prevalence if isinstance(prevalence, tuple | list) else (prevalence,)
        shares = tuple(dict.fromkeys(check_prevalence(each) for each in given))
        for first in shares[:1]:
            check_deciding(first)
        several = None if costs is None or isinstance(costs, Costs) else table_of_costs(costs)
        if gains and several is None:
            raise OptionError("benefit=True is of a cost matrix; of one score Costs(…, benefit=True) are gains.")
        pair = costs if several is None else None
        asked = OptionalSections.of(costs=pair, **optional)
        return cls(costs=pair, prevalences=shares, optional=asked, cost_matrix=several, gains=gains)

    def check(self, evaluation: Evaluation) -> None:
        """Refuse options that an evaluation cannot serve."""
        self.optional.check(evaluation)
        models = list(evaluation.values())
        if self.cost_matrix is not None and all(model.task != "multiclass" for model in models):
            raise TaskError(
                "a cost matrix decides by the posteriors of several classes, and no model has them; "
                + keyword("costs", "Costs(fp=…, fn=…)")
                + " need scores of two classes."
            )
        if self.costs is not None and all(model.task != "binary" for model in models):
            raise TaskError(
                "costs of a false positive and a false negative choose a threshold on the scores of two classes, and "
                "no model has such scores; of several classes a cost matrix decides."
            )
        is_of_two = any(
            model.task == "binary" or len(getattr(model.confusion_matrix, "labels", ())) == 2 for model in models
        )
        if self.prevalences and not is_of_two:
            raise TaskError("a prevalence is the share of the positive one of two classes, and no model is of two.")

    @property
    def criteria(self) -> dict[str, Criterion]:
        """Criteria by key."""
        return usual_criteria(self.costs)


def _rejection(reject: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a parsed reject rule with valid bounds."""
    from thresher.decisions.reject import bound_of, reject_rule

    rule = reject_rule(reject) if isinstance(reject, str) else dict(reject)
    for side in ("upper", "lower"):
        if isinstance(rule.get(side), str):
            bound_of(rule[side])
    return rule


def _budget(given: Any) -> Budget:
    """Return the budget of 100 rows, of "5%" of the rows, or as it is."""
    if isinstance(given, Budget):
        return given
    try:
        number = parse_share_or_number(str(given))
    except ValueError:
        raise OptionError(keyword("top", repr(given)) + ": give a number of rows, or a share such as 5%.") from None
    return Budget(share=number) if str(given).rstrip().endswith("%") or 0 < number < 1 else Budget(k=number)


def _parts(partial: Part | str | Iterable[Part | str]) -> tuple[Part, ...]:
    from thresher.curves.regions import Part, part_of

    wanted = [partial] if isinstance(partial, str | Part) else list(partial)
    return tuple(dict.fromkeys(each if isinstance(each, Part) else part_of(each) for each in wanted))


def table_of_costs(costs: Any) -> Any:
    """Cost matrix as a value that compares: costs by truth and decision, or tuples of numbers."""
    if isinstance(costs, Mapping):
        return costs
    if (table := class_table(costs, "costs")).is_named:
        return table.by_name()
    try:
        return tuple(map(tuple, table.values.astype(np.float64).tolist()))
    except (TypeError, ValueError):
        raise OptionError(
            keyword("costs", repr(costs))
            + ": they are Costs(fp=…, fn=…) for scores of two classes, and of several a matrix, rows the truth "
            "and columns the decision."
        ) from None
