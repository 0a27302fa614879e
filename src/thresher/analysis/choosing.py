"""Choose thresholds for the models of an evaluation, and read their decisions at another prevalence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import check_deciding, check_prevalence
from thresher._util.threads import Progress
from thresher.analysis.chosen import ChosenThreshold, chosen_threshold, four_costs
from thresher.counts import ScoreTable
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import Criterion
from thresher.decisions.dominance import Dominance, dominance
from thresher.decisions.joint_hull import JointHull, OwnedVertex, joint_hull
from thresher.errors import OptionError, TaskError, choice, keyword, listed
from thresher.evaluation.estimate import measured_value
from thresher.evaluation.intervals import draws_clusters, with_bootstrap
from thresher.evaluation.subject import TASKS, Subject, need_scores
from thresher.evaluation.tasks import decision_summaries
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.measures import find
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.shown import MOVED
from thresher.results import Estimate, Shown

S = TypeVar("S", bound=Subject)


def choose_for(
    model: Subject,
    criterion: Criterion | str | None,
    how: Mapping[str, Any],
    *,
    prevalence: float | None = None,
    bootstrap: Bootstrap | int | None = None,
    level: float | None = None,
    progress: Progress | None = None,
) -> ChosenThreshold:
    """Return the threshold of one model by a criterion."""
    _refuse_classes({model.name: model})
    need_scores(model, "a threshold")
    if prevalence is not None:
        check_deciding(prevalence)
    from thresher.decisions.criterion_options import CriterionOptions, criterion_of

    wanted, bounds = criterion_of(CriterionOptions.of(criterion, how))
    level = model.level if level is None else level
    options: dict[str, Any] = {"undefined": model.undefined, "level": level, "bounds": bounds, "prevalence": prevalence}
    found = chosen_threshold(model, model.table, wanted, **options)
    if bootstrap is None:
        return found
    from thresher.inference.bootstrap.resampled_threshold import rechoose

    options = {"prevalence": prevalence, "constraints": bounds, "progress": progress}
    config = as_bootstrap(bootstrap, model.rng)
    resampled = rechoose(model.rows, wanted, config, model=model.name, **options)
    return replace(found, resampled=resampled, clustered=_of_whole_clusters(found, model, config))


def _of_whole_clusters(found: ChosenThreshold, model: Subject, config: Bootstrap) -> dict[str, Estimate]:
    """Estimates at a threshold as an evaluation there draws them from whole clusters; none at a stated prevalence."""
    rows = replace(model.rows, predicted={})
    decided = replace(model, predictions=rows, threshold=found.threshold, bootstrap=config, level=found.level)
    if not draws_clusters(decided) or found.prevalence is not None:
        return {}
    estimates = with_bootstrap(decided, decision_summaries([decided])[0])
    if found.costs is not None:
        cost = MeasureSpec(text="average_cost", entry=find("average_cost"), parameters=four_costs(found.costs))
        estimates["average_cost"] = measured_value(decided, cost, level=found.level, every=True)
    return {name: each for name, each in estimates.items() if each.method is not None and "bootstrap" in each.method}


def _refuse_classes(models: Mapping[str, Subject]) -> None:
    """Refuse to look for one threshold where several classes have a probability each."""
    if models and all(model.task == "multiclass" for model in models.values()):
        raise TaskError(
            f"a threshold cuts one score, and {listed(list(models))} {'has' if len(models) == 1 else 'have'} a "
            "probability of each class: class weights or costs decide, as in model.decide("
            + keyword("maximize", '"macro_f1"')
            + "). For one class against the others give "
            + keyword("positive", "…")
            + " and "
            + choice("rest", "negative")
            + "."
        )


def scored_models(models: Mapping[str, S], what: str) -> dict[str, S]:
    """Models that have scores.

    Raises:
        TaskError: none has.
    """
    found = {name: model for name, model in models.items() if model.task == "binary"}
    if not found:
        _refuse_classes(models)
        raise TaskError(
            f"{what} needs scores of two classes, and no model of this evaluation has them; of several "
            "classes, evaluate the score of one with "
            + keyword("positive", "…")
            + " and "
            + choice("rest", "negative")
            + "."
        )
    return found


def joint_hull_of(models: Mapping[str, Subject]) -> JointHull:
    """Hull over all models with scores, and the points of those with predicted labels."""
    scored_models(models, "a hull")
    return joint_hull({name: model for name, model in models.items() if model.task not in TASKS})


def best_models_of(
    models: Mapping[str, Subject], how: Mapping[str, Any], prevalence: float | None
) -> tuple[OwnedVertex, ...]:
    """Vertices of the joint hull that are the cheapest."""
    if all(value is None for value in how.values()):
        raise OptionError(
            "the cheapest models are those at some costs: give "
            + keyword("cost_fp")
            + " and "
            + keyword("cost_fn")
            + ", or "
            + keyword("costs")
            + "."
        )
    from thresher.decisions.criterion_options import CriterionOptions, criterion_of

    costs, _ = criterion_of(CriterionOptions(**how))
    if not isinstance(costs, Costs):
        raise OptionError(
            keyword("costs", repr(costs)) + ": give " + keyword("costs", "Costs(fp=…, fn=…)") + ", or "
            + keyword("cost_fp") + " and " + keyword("cost_fn") + "."
        )  # fmt: skip
    first = next(iter(scored_models(models, "a hull").values()))
    share = float(first.scores.prevalence) if prevalence is None else check_deciding(prevalence)
    return joint_hull_of(models).best(costs.skew(share))


def dominance_of(models: Mapping[str, Subject], a: str, b: str) -> Dominance:
    """Return whether the ROC of one model dominates another one."""
    if a == b:
        raise OptionError(f"a model is not compared with itself: {a!r} was named twice.")
    for name in (a, b):
        need_scores(models[name], "dominance of a ROC curve")
    return dominance(models[a].scores, models[b].scores, names=(a, b))


def flipped(model: S) -> S:
    """Same model with low instead of high scores as positive, or the other way round."""
    need_scores(model, "flipping")
    rows = model.rows
    if rows.counts is not None:
        from thresher.evaluation.counted_rows import made_over, predictions_of

        return replace(model, predictions=predictions_of(made_over(rows.counts, model.name, ScoreTable.flipped)))
    other = replace(
        rows,
        direction="lower" if rows.direction_of(model.name) == "higher" else "higher",
        scores={model.name: rows.scores[model.name]},
        predicted={},
    )
    return replace(model, predictions=other)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtPrevalence(Shown):
    """Measures that a prevalence changes, by name, at unchanged decisions."""

    prevalence: float
    measures: Mapping[str, Estimate]

    def __getitem__(self, name: str) -> Estimate:
        return self.measures[name]

    def to_dict(self) -> dict[str, Any]:
        """Prevalence and measures as JSON types."""
        return {"prevalence": self.prevalence, "measures": {name: e.to_dict() for name, e in self.measures.items()}}


def at_prevalence(model: Subject, share: float) -> AtPrevalence:
    """Return precision, negative predictive value, accuracy and F1 of a model at another share of positives.

    Raises:
        OptionError: the share is not in [0, 1].
        TaskError: the model decides between more than two classes, or lacks a threshold.

    >>> import thresher as th
    >>> model = th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])["score"]
    >>> round(model.at_prevalence(0.1)["positive_predictive_value"].value, 3)
    0.1
    """
    check_prevalence(share)
    matrix = model.confusion_matrix
    if matrix is None or len(matrix.labels) != 2:
        raise TaskError(f"{model.name!r} does not decide between two classes: it cannot change its prevalence.")
    moved = matrix.with_prevalence(share)
    options: dict[str, Any] = {"level": model.level, "interval": model.rate_interval}
    found = {name: moved.estimate(name, **options) for name in MOVED}
    return AtPrevalence(prevalence=share, measures=found)


def at_prevalences(model: Subject, shares: Iterable[float]) -> tuple[AtPrevalence, ...]:
    """Measures at each share; empty for a model without binary decisions."""
    matrix = model.confusion_matrix
    if matrix is None or len(matrix.labels) != 2:
        return ()
    return tuple(at_prevalence(model, share) for share in shares)
