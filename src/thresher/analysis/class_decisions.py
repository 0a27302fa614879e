"""`ClassDecision`: the classes that K posteriors are decided for by costs, by weights, or by a measure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher import decisions, inference, multiclass
from thresher._util.fast_dataclass import dataclass
from thresher._util.frozen_values import cached_property
from thresher._util.json_values import plain_text, to_jsonable
from thresher.conventions import LEVEL, Floats, Undefined
from thresher.counts import ConfusionMatrix
from thresher.errors import InputError, Note, OptionError, keyword, note_forms
from thresher.evaluation.intervals import jackknife_intervals
from thresher.evaluation.subject import Subject, need
from thresher.inference.estimates.of_matrices import summary
from thresher.measures.measure_text import title_of
from thresher.measures.shown import OF_CLASS_DECISIONS
from thresher.predictions.class_tables import class_matrix, class_values
from thresher.results import Estimate, Shown, estimate_columns

if TYPE_CHECKING:
    from thresher.decisions.rules import ClassRule, RuleClassifier
    from thresher.multiclass import Posteriors
    from thresher.multiclass.class_weights import ClassWeights


RULES = keyword("costs") + ", " + keyword("weights") + ", " + keyword("maximize") + " or " + keyword("minimize")


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassDecision(Shown):
    """Decisions of one model by another rule than its largest posterior, with their cost.

    `rule` says in words how was decided, `codes` the column of each row's class, `matrix` the K×K matrix. `weights` are
    the class weights: a row goes to the class of largest p_k/w_k; None with costs. `changed` is the weight of
    the rows that the largest posterior decides otherwise. `cost` and `cost_before` are mean costs by this rule and by
    the largest posterior; None without costs, as are their `cost_matrix` and the matrix `before`. `chosen` has the
    weights chosen by a measure, with their optimism. Every measure of the matrix is an attribute, an `Estimate`.

    >>> import thresher as th
    >>> wine = th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]
    >>> wine.decide(costs=[[0, 1, 1], [5, 0, 1], [5, 1, 0]])
    ClassDecision('bayes', least expected cost: 0.3146, 0.5674 before)
    """

    model: str
    rule: str
    labels: tuple[Hashable, ...]
    codes: NDArray[np.integer]
    matrix: ConfusionMatrix
    changed: float
    weights: Floats | None = None
    cost: Estimate | None = None
    cost_before: Estimate | None = None
    chosen: ClassWeights | None = None
    cost_matrix: Floats | None = None
    benefit: bool = False
    before: ConfusionMatrix | None = None
    level: float = LEVEL
    undefined: Undefined = "nan"
    rate_interval: str = "wilson"

    @cached_property
    def measures(self) -> Mapping[str, Estimate]:
        """Every measure of the decisions with its interval, by name."""
        options: dict[str, Any] = {"level": self.level, "undefined": self.undefined, "interval": self.rate_interval}
        from thresher.measures.averaging import class_averages

        return summary(self.matrix, **options) | class_averages(self.matrix, **options)

    @property
    def decision_rule(self) -> ClassRule:
        """The costs or class weights alone, as a value that decides rows of probabilities and is saved as JSON."""
        costs = None if self.cost_matrix is None else tuple(map(tuple, self.cost_matrix.tolist()))
        weights = None if self.weights is None or costs else tuple(self.weights.tolist())
        said = {"name": plain_text(self.model), "criterion": self.rule}
        from thresher.decisions.rules import ClassRule

        return ClassRule(labels=self.labels, costs=costs, weights=weights, benefit=self.benefit, **said)

    def classifier(self, estimator: Any) -> RuleClassifier:
        """Fitted classifier that predicts by this rule, in scikit-learn's style.

        Raises:
            InputError: the classifier is not fitted, has other classes, or gives no probabilities.
        """
        from thresher.decisions.rules import RuleClassifier

        return RuleClassifier.of(estimator, self.decision_rule)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Caveats about the numbers."""
        if self.chosen is None:
            return ()
        said = Note(
            "chosen-on-same-rows",
            "the class weights were chosen on the same rows: the values are optimistic, and their intervals do not "
            "allow for the choice",
        )
        if self.chosen.cross_fitted is None:
            return (said,)
        name = title_of(self.chosen.measure)
        text = f"; with weights from the other folds, {name} is {self.chosen.cross_fitted:.4g} over {self.chosen.folds}"
        return (said + f"{text} folds",)

    def __getattr__(self, name: str) -> Estimate:
        if name.startswith("_") or name not in self.measures:
            raise AttributeError(
                f"a decision has no {name!r}; its measures are {', '.join(OF_CLASS_DECISIONS)} and others."
            )
        return self.measures[name]

    def to_dict(self) -> dict[str, Any]:
        """Rule, weights, costs, matrix and measures as JSON types."""
        own = ("model", "rule", "labels", "weights", "changed", "cost", "cost_before")
        chosen = {name: getattr(self.chosen, name, None) for name in ("unweighted", "apparent", "cross_fitted")}
        more = {"counts": self.matrix.counts, "measures": self.measures, "notes": note_forms(self.notes)}
        return to_jsonable({name: getattr(self, name) for name in own} | chosen | more)  # type: ignore[no-any-return]

    def columns(self) -> dict[str, Any]:
        """One row per measure."""
        return {"measure": list(self.measures)} | estimate_columns(self.measures.values())

    def __str__(self) -> str:
        total = float(self.matrix.counts.sum())
        lines = [f"{self.model}, {self.rule}: {self.changed:,.6g} of {total:,.6g} rows get another class than the most "
                 "probable"]  # fmt: skip
        if self.weights is not None:
            pairs = zip(self.labels, self.weights.tolist(), strict=True)
            listed = ", ".join(f"{label}: {weight:.4g}" for label, weight in pairs)
            lines.append(f"class weights, which divide the probabilities: {listed}")
        if self.cost is not None and self.cost_before is not None:
            lines.append(f"mean cost {self.cost.format()}; {self.cost_before.format()} for the most probable class")
        lines += [f"{title_of(name)}: {self.measures[name].format()}" for name in OF_CLASS_DECISIONS]
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes), str(self.matrix)])

    def __repr__(self) -> str:
        if self.cost is not None and self.cost_before is not None:
            gain = f"{self.cost.value:.4g}, {self.cost_before.value:.4g} before"
            return f"ClassDecision({self.model!r}, {self.rule}: {gain})"
        if self.chosen is None:
            return f"ClassDecision({self.model!r}, {self.rule}: accuracy {self.measures['accuracy'].value:.4g})"
        chosen, honest = self.chosen, self.chosen.cross_fitted
        text = "" if honest is None else f", cross-fitted {honest:.4g}"
        return f"ClassDecision({self.model!r}, {self.rule}: {chosen.apparent:.4g} on the same rows{text})"


def decide(
    model: Subject,
    *,
    costs: Any = None,
    benefit: bool = False,
    weights: Any = None,
    maximize: str | None = None,
    minimize: str | None = None,
    folds: Any = 5,
    rng: int | None = None,
) -> ClassDecision:
    """Decide each row's class from its posteriors: by costs, by class weights, or by weights that a measure prefers.

    Args:
        costs: (K, K), rows the truth and columns the decision: an array in the order of the classes, a dataframe with
            the classes as names, or {"a": {"b": 5}}, 0 where none is given. The class of least expected cost is decided
            for.
        benefit: the costs are gains.
        weights: one number for every class, in order, or by label as a dictionary or series: the class of largest
            p_k/w_k, so that a larger weight takes fewer rows. Weights are class thresholds.
        maximize, minimize: a measure of the decisions, such as "macro_f1", "balanced_accuracy" or "error_rate"; the
            weights that make it best are searched for.
        folds: how many to make, or the fold of each row, for the value that is not optimistic; None for none.
        rng: seed of the folds; by default the evaluation's.

    Raises:
        TaskError: the model lacks posteriors of several classes.
        OptionError: none or several of the ways, or a measure that weights cannot be chosen by.
        InputError: costs or weights that do not fit the classes.

    Elkan (2001) for costs; Lipton et al. (2014) for weights by a measure.

    >>> import thresher as th
    >>> model = th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]
    >>> model.decide(maximize="macro_f1")
    ClassDecision('bayes', highest macro F1: 0.8378 on the same rows, cross-fitted 0.8154)
    >>> model.decide(weights=[0.4, 0.3, 0.3]).accuracy.value.__round__(3)
    0.787
    """
    need(model, "multiclass", ".decide()")
    ways = {"costs": costs, "weights": weights, "maximize": maximize, "minimize": minimize}
    given = {way: value for way, value in ways.items() if value is not None}
    if len(given) != 1:
        raise OptionError("say in one way how to decide: " + RULES + ".")
    rows, [(way, value)] = model.posteriors, given.items()
    if way == "costs":
        return _by_costs(model, rows, class_matrix(value, rows.labels, way), benefit)
    if benefit:
        raise OptionError("benefit=True says that " + keyword("costs") + " are gains, and none were given.")
    if way == "weights":
        weights = class_values(value, rows.labels, way)
        codes = decisions.weighted_labels(rows.probabilities("a decision"), weights)
        return _decision(model, rows, codes, rule="given class weights", weights=weights)
    name, sign = str(value), 1.0 if way == "maximize" else -1.0
    from thresher.multiclass.class_objective import objective_of

    if objective_of(name, None, rows.classes).sign != sign:
        other = "minimize" if sign > 0 else "maximize"
        raise OptionError(
            f"{name} is better when it is {'lower' if sign > 0 else 'higher'}: say " + keyword(other, repr(name)) + "."
        )
    found = multiclass.optimize_class_weights(rows, measure=name, folds=folds, rng=model.rng if rng is None else rng)
    rule = f"{'highest' if sign > 0 else 'lowest'} {title_of(found.measure)}"
    codes = found.decide(rows.matrix)
    return _decision(model, rows, codes, rule=rule, weights=found.weights, chosen=found)


def _decision(model: Subject, rows: Posteriors, codes: NDArray[np.integer], *, rule: str, **more: Any) -> ClassDecision:
    otherwise = codes != rows.most_probable
    changed = float(otherwise.sum() if rows.weights is None else rows.weights[otherwise].sum())
    facts = {name: getattr(model, name) for name in ("level", "undefined", "rate_interval")}
    matrix = model.with_cells(rows.confusion(codes), codes)
    return ClassDecision(
        model=model.name, rule=rule, labels=rows.labels, codes=codes, matrix=matrix, changed=changed, **more, **facts
    )


def _by_costs(model: Subject, rows: Posteriors, table: Floats, benefit: bool) -> ClassDecision:
    """Least expected cost by the posteriors, and the mean cost that the rows had."""
    from thresher.counts.loss_sums import LossSums

    codes = decisions.cheapest_labels(rows.probabilities("a decision by costs"), table, benefit=benefit).codes
    ends = float(table.min()), float(table.max())
    if ends[0] == ends[1]:
        raise InputError("every cost is the same, so every decision is equally good.")
    name, frequency = ("mean_gain" if benefit else "mean_cost"), rows.weight_kind == "frequency"
    means = [
        inference.loss_sums_interval(
            LossSums.of(table[rows.codes, decided], rows.weights, frequency=frequency),
            name, bounds=ends, level=model.level,
        )
        for decided in (codes, rows.most_probable)
    ]  # fmt: skip
    rule = "largest expected gain" if benefit else "least expected cost"

    def costs_of(part: Subject) -> list[float]:
        own = part.posteriors
        cheapest = decisions.cheapest_labels(own.probabilities("a decision by costs"), table, benefit=benefit).codes
        decided = cheapest, own.most_probable
        return [float(np.average(table[own.codes, labels], weights=own.weights)) for labels in decided]

    by_rule = dict(zip(("cheapest", "most probable"), means, strict=True))
    means = list(jackknife_intervals(model, by_rule, costs_of, [ends] * 2, level=model.level).values())
    facts = {"cost_matrix": table, "benefit": benefit, "before": rows.confusion(rows.most_probable)}
    return _decision(model, rows, codes, rule=rule, cost=means[0], cost_before=means[1], **facts)


def costed_decisions(model: Subject, costs: Any, *, benefit: bool) -> ClassDecision | None:
    """Classes by a cost matrix, of gains with `benefit`; None without one, or without posteriors."""
    return None if costs is None or model.task != "multiclass" else decide(model, costs=costs, benefit=benefit)
