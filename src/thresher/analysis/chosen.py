"""The threshold of a model that a criterion prefers, with everything that follows from it, and another prevalence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, cached_property, check_deciding, check_prevalence
from thresher._util.json_values import plain_text
from thresher._util.threads import Progress
from thresher.conventions import LEVEL, Direction, Floats, Undefined
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.counts.thresholds import decimal_cuts, threshold_text
from thresher.curves.curve import Table
from thresher.decisions.costs import Costs, FixedThreshold
from thresher.decisions.criteria import Constraint, Criterion
from thresher.decisions.hull import ValidRange
from thresher.decisions.operating import Choice, OperatingPoint, choose
from thresher.errors import Note, TaskError, choice, keyword, listed
from thresher.evaluation.estimate import measured_value
from thresher.evaluation.intervals import draws_clusters, with_bootstrap
from thresher.evaluation.subject import Subject, need_scores
from thresher.evaluation.tasks import decision_summaries
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.inference.estimates.forms import as_benefit
from thresher.inference.estimates.of_matrices import estimate, summary
from thresher.measures import find
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.shown import MOVED
from thresher.results import Estimate, Shown
from thresher.upward_import import as_html, as_text, form_dict, plot_method

if TYPE_CHECKING:
    from thresher.decisions.rules import ScoreRule
    from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold

S = TypeVar("S", bound=Subject)

SAME_ROWS = Note(
    "chosen-on-same-rows",
    "the threshold was chosen on the same rows: its values are optimistic, and their intervals do not allow for the "
    "choice",
)


TIES = 8
"""Thresholds that tie which are listed."""


@guarded
@dataclass(frozen=True, eq=False, kw_only=True)
class ChosenThreshold(ByFields):
    """One model's threshold by a criterion: its matrix, its measures with intervals, and where it stays the cheapest.

    Every measure of decisions is an attribute that gives an `Estimate`: `chosen.recall`. `thresholds` are all that tie,
    the most conservative first, which is `threshold`. `prevalence` is the stated share of positives, at which
    everything is read; None for the observed share. `resampled` is the result of choosing again on resamples; None
    without `bootstrap=`. `group` names the rows when they are a subset. Intervals come from `matrix` and allow for
    clusters. `clustered` are the estimates from resamples of whole clusters, which a bootstrap gives in
    their place. `choice` is the result of `decisions.choose`: every point that ties,
    and the criterion over all thresholds, which `plot()` draws.

    >>> import thresher as th
    >>> chosen = th.evaluate([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]).choose(cost_fp=1, cost_fn=20)
    >>> chosen
    ChosenThreshold('score', least expected cost: 0.2 at threshold 1)
    >>> chosen.matrix.counts.tolist(), chosen.recall.value, [round(end, 3) for end in chosen.valid.cost_ratios]
    ([[3, 0], [1, 1]], 1.0, [0.0, 1.0])
    """

    model: str
    criterion: str
    value: float
    thresholds: Floats
    point: OperatingPoint
    choice: Choice = field(compare=False)
    costs: Costs | None = None
    prevalence: float | None = None
    direction: Direction = "higher"
    level: float = LEVEL
    undefined: Undefined = "nan"
    rate_interval: str = "wilson"
    resampled: ResampledThreshold | None = None
    group: str | None = None
    said: tuple[Note, ...] = ()
    clustered: Mapping[str, Estimate] = field(default_factory=dict)
    decimals: tuple[float, ...] = field(default=(), compare=False)

    @property
    def threshold(self) -> float:
        """Most conservative of the thresholds that tie; infinite where nothing should be predicted positive."""
        return self.point.threshold

    @property
    def decimal(self) -> float:
        """Threshold as the shortest decimal that decides the same rows, as texts show it."""
        return self.decimals[0] if self.decimals else self.threshold

    @property
    def matrix(self) -> ConfusionMatrix:
        """Confusion matrix at the threshold; its counts are observed, its measures hold at the prevalence."""
        return self.point.matrix

    @property
    def valid(self) -> ValidRange | None:
        """Slopes, cost ratios and prevalences for which the threshold is the cheapest; None off the hull."""
        return self.point.valid

    @property
    def is_on_hull(self) -> bool:
        """Whether some ratio of costs makes this threshold the cheapest."""
        return self.point.valid is not None

    plot = plot_method

    def to_frame(self, backend: str | None = None) -> Any:
        """Criterion at every threshold as a dataframe of the library named, else the first installed.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        return self.choice.curve.to_frame(backend)

    @cached_property
    def measures(self) -> Mapping[str, Estimate]:
        """Every measure of the decisions with its interval, by name; the expected cost too when costs were given.

        When the costs are gains the expected benefit comes first, minus the expected cost.
        """
        found = summary(self.matrix, level=self.level, undefined=self.undefined, interval=self.rate_interval)
        found = {name: self.clustered.get(name) or each for name, each in found.items()}
        if self.costs is None:
            return found
        cost = self.expected_cost(self.costs)
        gained = {"expected_benefit": as_benefit(cost)} if self.costs.benefit else {}
        return {**gained, "expected_cost": cost, **found}

    def summary(self) -> Mapping[str, Estimate]:
        """Every measure of the decisions with its interval, by name."""
        return self.measures

    def expected_cost(self, costs: Costs) -> Estimate:
        """Expected cost of a decision at this threshold, with its interval; a gain is a negative cost."""
        drawn = self.clustered.get("average_cost") if costs == self.costs else None
        found = drawn or estimate(self.matrix, "average_cost", level=self.level, **four_costs(costs))
        ends = {end: getattr(found, end) for end in ("value", "low", "high")}
        fixed = costs.sign * costs.fixed
        moved: dict[str, Any] = {end: None if number is None else number + fixed for end, number in ends.items()}
        return replace(found, name="expected_cost", **moved)

    @property
    def decision_rule(self) -> ScoreRule:
        """The threshold alone, as a value that decides scores and is saved as JSON."""
        labels = self.matrix.positive, next(each for each in self.matrix.labels if each != self.matrix.positive)
        ends = {"upper": self.threshold, "lower": self.threshold}
        said = {"score": plain_text(self.model), "criterion": self.criterion}
        from thresher.decisions.rules import ScoreRule

        return ScoreRule(labels=labels, direction=self.direction, **ends, **said)  # type: ignore[arg-type]

    def classifier(self, estimator: Any) -> FixedThreshold:
        """Fitted classifier that predicts by this threshold, in scikit-learn's style: see `decisions.FixedThreshold`.

        Raises:
            InputError: the classifier is not fitted, has other classes, or gives no score.
        """
        return FixedThreshold.of(estimator, self.threshold, self.matrix.positive, self.direction)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Caveats: choosing and estimating on the same rows, the used part of a budget, approximations."""
        if self.resampled is None:
            return (SAME_ROWS + "; a bootstrap says by how much", *self.said)
        return (SAME_ROWS, *self.said, *self.resampled.notes)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            entry = find(name)
        except KeyError as error:
            raise AttributeError(f"a chosen threshold has no attribute {name!r}: {error.args[0]}") from None
        if entry.needs == "table" or entry.needs_parameters:
            raise AttributeError(f"{entry.title} needs more than one threshold: read it from the model or the matrix.")
        return self.measures[entry.name]

    def __repr__(self) -> str:
        more = f" and {self.thresholds.size - 1:,} that tie" if self.thresholds.size > 1 else ""
        found = f"{self.criterion}: {self.value:.4g} at threshold {threshold_text(self.decimal)}{more}"
        return f"ChosenThreshold({self.model!r}, {found})"

    __str__, _repr_html_, to_dict = as_text, as_html, form_dict


def four_costs(costs: Costs) -> dict[str, Any]:
    """Costs of the four cells as arguments of the mean cost; a gain is a negative cost."""
    return {f"cost_{name}": costs.sign * getattr(costs, name) for name in ("fp", "fn", "tp", "tn")}


def chosen_threshold(
    model: Subject, table: Table, criterion: Criterion, *, undefined: Undefined, level: float,
    bounds: tuple[Constraint, ...] = (), prevalence: float | None = None,
) -> ChosenThreshold:  # fmt: skip
    """Threshold of one table of a model by a criterion, with a matrix that allows for clusters.

    Raises:
        OptionError, InputError: as for `thresher.decisions.choose`.
    """
    found = choose(table, criterion, prevalence=prevalence, constraints=bounds)
    best, (negative, positive) = found.best, model.labels
    matrix = model.in_clusters(replace(best.matrix, labels=(positive, negative)), best.threshold)
    return ChosenThreshold(
        model=model.name,
        criterion=found.criterion,
        value=found.value,
        thresholds=found.thresholds,
        point=replace(best, matrix=matrix),
        costs=criterion if isinstance(criterion, Costs) else None,
        prevalence=found.table.prior,
        direction=found.table.direction,
        level=level,
        undefined=undefined,
        rate_interval=model.rate_interval,
        said=found.notes,
        choice=found,
        decimals=tuple(decimal_cuts(model.scores, found.thresholds[:TIES]).tolist()),
    )


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
    refuse_classes({model.name: model})
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


def refuse_classes(models: Mapping[str, Subject]) -> None:
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
    is_binary = matrix is not None and len(matrix.labels) == 2
    return tuple(at_prevalence(model, share) for share in shares) if is_binary else ()
