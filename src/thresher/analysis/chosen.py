"""`ChosenThreshold`: a threshold that a criterion prefers, with everything that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ByFields, cached_property
from thresher._util.json_values import plain_text
from thresher.conventions import LEVEL, Direction, Floats, Undefined
from thresher.counts import ConfusionMatrix
from thresher.counts.thresholds import decimal_cuts, threshold_text
from thresher.curves.curve import Table
from thresher.decisions.costs import Costs, FixedThreshold
from thresher.decisions.criteria import Constraint, Criterion
from thresher.decisions.hull import ValidRange
from thresher.decisions.operating import Choice, OperatingPoint, choose
from thresher.errors import Note
from thresher.inference.estimates.forms import as_benefit
from thresher.inference.estimates.of_matrices import estimate, summary
from thresher.measures import find
from thresher.results import Estimate
from thresher.upward_import import as_html, as_text, form_dict, plot_method

if TYPE_CHECKING:
    from thresher.decisions.rules import ScoreRule
    from thresher.evaluation.subject import Subject
    from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold

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
