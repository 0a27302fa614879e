"""Measures of a model by name, of whatever task it is, and what a bootstrap and clusters make of their intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.conventions import stand_in
from thresher.evaluation.subject import TASKS, need_scores, need_two_classes
from thresher.evaluation.tasks import task_module, told_by_task, with_parameters
from thresher.inference.measured import estimate, summary
from thresher.inference.scored import estimate_of_scores, summary_of_scores
from thresher.measures import find, measures
from thresher.measures.averaging import class_averages
from thresher.results import Estimate, about_value

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation

IGNORED = "clusters ignored"
"""What is said of an interval by a formula that takes rows as independent, where clusters of them were named."""

TOO_NARROW = (
    "rows of one cluster are not independent, and intervals and tests by formulas take them as if they were: they are "
    "too narrow; a bootstrap draws whole clusters"
)
"""Note of an evaluation whose rows have clusters that not every model's bootstrap draws."""


def measures_of(model: ModelEvaluation) -> dict[str, Estimate]:
    """Every measure by name: those of the scores first, then those of the confusion matrix."""
    found: dict[str, Estimate] = {}
    if model.task in TASKS:
        return with_clusters(model, task_module(model.task).measures_of(model))
    if model.task == "binary":
        found |= _of_scores(model, summary_of_scores(model.scores, level=model.level, undefined=model.undefined))
    matrix = model.confusion_matrix
    if matrix is None:
        return with_clusters(model, found | {name: no_threshold(model, name) for name in _decision_measures()})
    decided = summary(matrix, **model.matrix_options)
    if len(matrix.labels) > 2:
        decided |= class_averages(matrix, **model.matrix_options)
    return with_clusters(model, found | _of_decisions(model, decided))


def estimate_of(model: ModelEvaluation, name: str) -> Estimate:
    """One measure of a model.

    Raises:
        AttributeError: there is none of this name, or it takes parameters.
        TaskError: it belongs to another task.
    """
    of_task: Estimate | None = told_by_task(model, name)
    if of_task is not None:
        return _alone(model, of_task)
    try:
        entry = find(name)
    except KeyError as error:
        raise AttributeError(f"a model's evaluation has no attribute {name!r}: {error.args[0]}") from None
    if entry.needs == "table":
        need_scores(model, entry.title)
        found = estimate_of_scores(model.scores, entry.name, level=model.level, undefined=model.undefined)
        return _alone(model, _of_scores(model, {entry.name: found})[entry.name])
    if entry.needs_parameters:
        raise AttributeError(with_parameters(model, entry))
    if model.confusion_matrix is None:
        return no_threshold(model, entry.name)
    need_two_classes(model, entry)
    found = estimate(model.confusion_matrix, entry.name, **model.matrix_options)
    return _alone(model, _of_decisions(model, {entry.name: found})[entry.name])


def no_threshold(model: ModelEvaluation, name: str) -> Estimate:
    """A measure of decisions of a model that makes none."""
    return Estimate(name=name, value=math.nan, reason=model.threshold_reason, n=model.n)


def draws_clusters(model: ModelEvaluation) -> bool:
    """Whether a bootstrap was asked for that draws clusters, which no formula does as well."""
    if model.bootstrap is None or model.bootstrap.clusters is False:
        return False
    return model.predictions.cluster is not None or isinstance(model.bootstrap.clusters, str)


def resamples_all(model: ModelEvaluation) -> bool:
    """Whether the bootstrap serves every measure: it was given for the very measure, or draws clusters."""
    return model.bootstrap is not None and (model.is_resampled or draws_clusters(model))


def to_resample(model: ModelEvaluation, found: dict[str, Estimate]) -> list[str]:
    """Names of the estimates that a bootstrap gives an interval.

    Those without one, what several classes have in common, of which formulas are approximate, or all that it serves.
    """
    if model.bootstrap is None:
        return []
    every = resamples_all(model)
    wanted = (name for name, e in found.items() if every or e.low is None or _of_several_classes(model, name))
    return [name for name in wanted if math.isfinite(found[name].value)]


def _of_several_classes(model: ModelEvaluation, name: str) -> bool:
    """Whether a measure is a mean over several classes of decisions, or the information of their matrix."""
    if len(model.predictions.classes) < 3 or model.task == "multilabel" or name.endswith("_auc"):
        return False
    return name.startswith(("macro_", "weighted_")) or name in ("balanced_accuracy", "relative_classifier_information")


def with_clusters(model: ModelEvaluation, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of which those with an interval by a formula say that it takes rows of one cluster as independent."""
    return clusters_ignored(found) if has_clusters(model) else found


def has_clusters(model: ModelEvaluation) -> bool:
    """Whether rows that belong together were named, by the rows or by the bootstrap."""
    return model.predictions.cluster is not None or draws_clusters(model)


def clusters_ignored(found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of rows in clusters: those with an interval by a formula say that it takes rows as independent."""
    return {
        name: replace(e, method=f"{e.method}, {IGNORED}") if e.method and _by_formula(e.method) else e
        for name, e in found.items()
    }


def _by_formula(method: str) -> bool:
    return "bootstrap" not in method and IGNORED not in method


def _alone(model: ModelEvaluation, found: Estimate) -> Estimate:
    return with_clusters(model, {found.name: found})[found.name]


def _of_scores(model: ModelEvaluation, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of measures of scores, those that a bootstrap serves with its interval."""
    names = to_resample(model, found)
    return found | _drawn(model, {n: found[n] for n in names}, model.predictions, model.name) if names else found


def _of_decisions(model: ModelEvaluation, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates of measures of decisions, with intervals from a bootstrap where it serves them."""
    several = len(model.predictions.classes) > 2
    if not (several or resamples_all(model)) or not (names := to_resample(model, found)):
        return found
    wanted = {name: found[name] for name in names}
    if several:
        from thresher.evaluation.class_bootstrap import resampled_estimates

        return found | resampled_estimates(model, wanted)
    from thresher.evaluation.compare import side_of
    from thresher.inference.compare_bootstrap import CUT, decided_rows

    return found | _drawn(model, wanted, decided_rows(side_of(model)), "first", threshold=CUT)


def _drawn(
    model: ModelEvaluation, wanted: dict[str, Estimate], rows: Any, name: str, **options: Any
) -> dict[str, Estimate]:
    """Estimates with intervals from one set of replicates; a reason that is about the value stays."""
    from thresher.inference.bootstrap import bootstrap_replicates, estimates_of

    options["undefined"] = stand_in(model.undefined)
    replicates = bootstrap_replicates(rows, list(wanted), model.bootstrap, models=(name,), **options)
    found = {}
    for (key, before), after in zip(wanted.items(), estimates_of(replicates, level=model.level), strict=True):
        reasons = [*about_value(before.reason), *(() if after.reason is None else (after.reason,))]
        is_worse = after.low is None and before.low is not None
        found[key] = before if is_worse else replace(after, reason="; ".join(reasons) or None)
    return found


def _decision_measures() -> list[str]:
    return [m.name for m in measures("cells", "matrix") if not m.needs_parameters]
