"""A fitted classifier with a rule of decision behind it, in scikit-learn's style."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass
from thresher.decisions.fixed_threshold import FixedThreshold
from thresher.decisions.rules import DecisionRule, ScoreRule
from thresher.errors import InputError
from thresher.fitted_classifier import fitted_classifier


@fitted_classifier
@dataclass(frozen=True, kw_only=True, eq=False)
class RuleClassifier:
    """A fitted classifier whose rows are decided by a rule: two thresholds, a cost matrix, or class weights.

    `predict` gives the labels; what is not decided is `undecided`, and the array is then one of objects. The score is
    that of `evaluate_estimator`, so that it predicts what was evaluated. The classifier is not changed.
    """

    estimator: Any
    rule: DecisionRule
    undecided: Hashable = None

    @classmethod
    def of(cls, estimator: Any, rule: DecisionRule, undecided: Hashable = None) -> RuleClassifier:
        """Classifier with a rule, after checking that it has the rule's classes and gives what the rule reads.

        Raises:
            InputError: it is not fitted, has other classes, or gives no score or no probabilities.
        """
        classes = np.asarray(getattr(estimator, "classes_", ())).tolist()
        if len(classes) != len(rule.labels) or set(classes) != set(rule.labels):
            known, own = (", ".join(map(repr, each)) for each in (classes, rule.labels))
            raise InputError(
                f"the rule is of the classes {own}, and the classifier's are {known or 'none, as it is not fitted'}."
            )
        wanted = ("predict_proba", "decision_function") if isinstance(rule, ScoreRule) else ("predict_proba",)
        if not any(hasattr(estimator, name) for name in wanted):
            raise InputError(f"{type(estimator).__name__} has no {' and no '.join(wanted)}, which the rule reads.")
        return cls(estimator=estimator, rule=rule, undecided=undecided)

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes, as the classifier has them."""
        return np.asarray(self.estimator.classes_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, those of the classifier itself."""
        return np.asarray(self.estimator.predict_proba(X), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row by the rule."""
        found = self.rule.decide(self._read(X))
        if found.dtype == object and self.undecided is not None:
            found[[label is None for label in found]] = self.undecided
        return found

    def _read(self, X: Any) -> NDArray[np.float64]:
        """What the rule reads: the score of its first label, or probabilities in the order of its labels."""
        if isinstance(self.rule, ScoreRule):
            positive = self.rule.labels[0]
            read = FixedThreshold(estimator=self.estimator, threshold=self.rule.upper, positive=positive)
            return read.scores(X)
        places = [self.classes_.tolist().index(label) for label in self.rule.labels]
        return self.predict_proba(X)[:, places]
