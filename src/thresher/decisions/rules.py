"""Rules of decision, from one score or from all probabilities, as values saved as JSON, and as classifiers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import dataclass
from thresher._util.fitted_classifier import fitted_classifier
from thresher._util.json_text import json_line
from thresher.conventions import Direction, is_positive, option
from thresher.counts import saved_fields as fields
from thresher.counts.row_columns import known_scores
from thresher.counts.saved import checked_form, json_text, labels_form, labels_from, read_json
from thresher.decisions.costs import OverEstimator, cheapest_labels, weighted_labels
from thresher.decisions.reject import DEFERRED
from thresher.errors import InputError, OptionError
from thresher.predictions.class_tables import class_matrix, class_values
from thresher.readers.arrays import columns_by_class
from thresher.readers.estimator_output import SCORING, fitted_classes, read_probabilities, read_scores, scoring_method

KIND = "thresher.DecisionRule"
SCHEMA = 1
HEAD = {"kind": KIND, "schema": SCHEMA}


def rule_json(rule: Any) -> str:
    """Return the rule as JSON text, which `rule_from_json` reads back."""
    return json_text(rule.to_dict())


@dataclass(frozen=True, kw_only=True)
class ScoreRule:
    """The first of two labels from the `upper` threshold on, the second below the `lower` one, no decision in between.

    One threshold is both. "From … on" is at most where low scores are positive. `score` is the name of the score,
    `criterion` how the rule was found.

    >>> rule = ScoreRule(upper=0.8, lower=0.3, labels=("ill", "well"))
    >>> rule.codes([0.8, 0.5, 0.2]).tolist(), rule.decide([0.8, 0.5, 0.2]).tolist()
    ([0, -1, 1], ['ill', None, 'well'])
    >>> rule_from_json(rule.to_json()) == rule
    True
    """

    upper: float
    lower: float
    labels: tuple[Hashable, Hashable] = (1, 0)
    direction: Direction = "higher"
    score: str = ""
    criterion: str = ""

    def __post_init__(self) -> None:
        option("direction", self.direction, ("higher", "lower"))
        ahead = self.lower <= self.upper if self.direction == "higher" else self.lower >= self.upper
        if not ahead:  # as with NaN
            raise OptionError(f"upper={self.upper!r} and lower={self.lower!r}: the upper threshold comes first.")
        if len(self.labels) != 2 or self.labels[0] == self.labels[1]:
            raise OptionError(f"labels={self.labels!r}: a rule of one score has two labels, the positive one first.")

    @property
    def defers(self) -> bool:
        """Whether some scores are left undecided."""
        return self.upper != self.lower

    def codes(self, scores: ArrayLike) -> NDArray[np.intp]:
        """Return the place of each row's label among the two, −1 where it is not decided.

        Raises:
            InputError: a score is NaN.
        """
        s = known_scores(scores)
        yes, maybe = (is_positive(s, cut, self.direction) for cut in (self.upper, self.lower))
        return np.where(yes, 0, np.where(maybe, DEFERRED, 1)).astype(np.intp)

    def decide(self, scores: ArrayLike) -> NDArray[Any]:
        """Return the label of each row, None where it is not decided."""
        return labels_at(self.labels, self.codes(scores))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON types; an infinite threshold is the text "inf" or "-inf"."""
        cuts = {"upper": float(self.upper), "lower": float(self.lower)}
        ends = {name: cut if math.isfinite(cut) else str(cut) for name, cut in cuts.items()}
        words = {"direction": self.direction, "score": self.score, "criterion": self.criterion}
        return {**HEAD, "of": "score", **ends, "labels": labels_form(self.labels), **words}

    to_json = rule_json


@dataclass(frozen=True, kw_only=True)
class ClassRule:
    """The class of least expected cost, or of the largest probability over its weight, from K probabilities.

    `costs` are K rows, one for each true class, with the cost of each decision; with `benefit` they are gains. Or
    `weights` are one for each class. Both go by name where they have names. `name` is the model's.

    >>> ClassRule(labels=("a", "b"), costs=((0, 1), (5, 0))).decide([[0.9, 0.1], [0.6, 0.4]]).tolist()
    ['a', 'b']
    """

    labels: tuple[Hashable, ...]
    costs: tuple[tuple[float, ...], ...] | None = None
    weights: tuple[float, ...] | None = None
    benefit: bool = False
    name: str = ""
    criterion: str = ""

    def __post_init__(self) -> None:
        if (self.costs is None) == (self.weights is None) or len(set(self.labels)) < max(2, len(self.labels)):
            raise OptionError("a rule of K ≥ 2 classes that are all different has either costs or weights.")
        if self.costs is not None:
            table = class_matrix(self.costs, self.labels, "costs")
            object.__setattr__(self, "costs", tuple(map(tuple, table.tolist())))
        if self.weights is not None:
            object.__setattr__(self, "weights", tuple(class_values(self.weights, self.labels, "weights").tolist()))
        self.codes(np.full((1, len(self.labels)), 1 / len(self.labels)))  # shapes and numbers are checked there

    def codes(self, probabilities: Any) -> NDArray[np.intp]:
        """Return the place of each row's label among the classes, from probabilities (n, K) in their order, or by name.

        Raises:
            InputError: shapes that do not fit, or a probability that is negative or missing.
        """
        probabilities = columns_by_class(probabilities, self.labels)
        if self.weights is not None:
            return weighted_labels(probabilities, self.weights)
        return cheapest_labels(probabilities, self.costs or (), benefit=self.benefit).codes

    def decide(self, probabilities: Any) -> NDArray[Any]:
        """Return the label of each row."""
        return labels_at(self.labels, self.codes(probabilities))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as JSON types."""
        costs = None if self.costs is None else [list(row) for row in self.costs]
        numbers = {"costs": costs, "weights": None if self.weights is None else list(self.weights)}
        words = {"benefit": self.benefit, "name": self.name, "criterion": self.criterion}
        return {**HEAD, "of": "probabilities", "labels": labels_form(self.labels), **numbers, **words}

    to_json = rule_json


DecisionRule = ScoreRule | ClassRule


def rule_from_json(text: str) -> DecisionRule:
    """Read a rule from the text that `to_json` wrote.

    Raises:
        SavedFormError: it is not JSON, not a saved rule, damaged, or of an unknown version.
    """
    form = read_json(text, KIND, SCHEMA)
    with checked_form(KIND):
        return _rule(form)


def rule_from_dict(form: Any) -> DecisionRule:
    """Read a rule from JSON types; a checksum may be missing, and must fit otherwise; see `rule_from_json`."""
    is_bare = isinstance(form, Mapping) and "checksum" not in form
    return rule_from_json(json_text(form) if is_bare else json_line(form))


def labels_at(labels: tuple[Hashable, ...], codes: NDArray[np.intp]) -> NDArray[Any]:
    """Return the label of each code in their own type, or as objects with None for an undecided row.

    >>> labels_at((1, 0), np.array([0, 1])).dtype.kind, labels_at((1, 0), np.array([0, -1])).tolist()
    ('i', [1, None])
    """
    if (codes != DEFERRED).all() and len(set(map(type, labels))) == 1:
        return np.asarray(labels)[codes]
    held = np.empty(len(labels) + 1, dtype=object)
    held[: len(labels)] = labels
    return held[codes]


def _rule(form: Mapping[str, Any]) -> DecisionRule:
    labels = labels_from(fields.mapping(form, "labels"))
    if fields.one_of(form, "of", ("score", "probabilities")) == "score":
        wanted = ("upper", "lower", "direction", "score", "criterion")
        fields.check_fields(form, ("kind", "schema", "of", "labels", *wanted))
        ends = {name: fields.number(form, name, infinite=True) for name in ("upper", "lower")}
        words = {name: fields.text(form, name) for name in ("score", "criterion")}
        direction: Any = fields.one_of(form, "direction", ("higher", "lower"))
        return ScoreRule(labels=labels, direction=direction, **ends, **words)  # type: ignore[arg-type]
    wanted = ("costs", "weights", "benefit", "name", "criterion")
    fields.check_fields(form, ("kind", "schema", "of", "labels", *wanted))
    words = {name: fields.text(form, name) for name in ("name", "criterion")}
    costs = None if form["costs"] is None else tuple(map(_numbers, fields.items(form, "costs")))
    weights = None if form["weights"] is None else _numbers(fields.items(form, "weights"))
    return ClassRule(labels=labels, costs=costs, weights=weights, benefit=fields.flag(form, "benefit"), **words)


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(fields.number({"a cost or weight": value}, "a cost or weight") for value in list(values))


@fitted_classifier
@dataclass(frozen=True, kw_only=True, eq=False)
class RuleClassifier(OverEstimator):
    """A fitted classifier that decides by a rule: two thresholds, a cost matrix, or class weights.

    `predict` gives the labels; an undecided row is `undecided`, and the array is then one of objects. It reads
    the score of `evaluate_estimator`, so that its predictions are the evaluated ones. The classifier is not changed.
    """

    estimator: Any
    rule: DecisionRule
    undecided: Hashable = None

    @classmethod
    def of(cls, estimator: Any, rule: DecisionRule, undecided: Hashable = None) -> RuleClassifier:
        """Return a classifier with a rule, after checking its classes and outputs.

        Raises:
            InputError: it is not fitted, has other classes, or gives no score or no probabilities.
        """
        classes = fitted_classes(estimator)
        if len(classes) != len(rule.labels) or set(classes) != set(rule.labels):
            known, own = (", ".join(map(repr, each)) for each in (classes, rule.labels))
            known = known or "none, as it is not fitted"
            raise InputError(f"the rule has the classes {own}; the classifier has {known}.")
        wanted = SCORING if isinstance(rule, ScoreRule) else SCORING[:1]
        if scoring_method(estimator, wanted) is None:
            raise InputError(f"{type(estimator).__name__} lacks {' and '.join(wanted)}, which the rule reads.")
        return cls(estimator=estimator, rule=rule, undecided=undecided)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row by the rule."""
        found = self.rule.decide(self._read(X))
        if found.dtype == object and self.undecided is not None:
            found[[label is None for label in found]] = self.undecided
        return found

    def _read(self, X: Any) -> NDArray[np.float64]:
        """Read the rule's input: the score of its first label, or probabilities in the order of its labels."""
        if isinstance(self.rule, ScoreRule):
            return read_scores(self.estimator, X, self.rule.labels[0])
        return read_probabilities(self.estimator, X, self.rule.labels)
