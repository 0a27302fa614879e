"""`scorers`: a metric of an estimator on data, for `cross_validate`, `GridSearchCV` and their like, by name.

Each is a plain callable `(estimator, X, y, sample_weight=None)`, larger being better; nothing of scikit-learn is
needed to make one. Names are scikit-learn's own; those it lacks follow its pattern (`neg_` for what is better small).
"""

from __future__ import annotations

from dataclasses import field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.dataclass import dataclass

PREDICT = ("predict",)
PROBABILITIES = ("predict_proba",)
SCORES = ("decision_function", "predict_proba")


@dataclass(frozen=True, slots=True)
class Scorer:
    """A metric of `thresher.metrics`, the estimator's methods that give what it reads, and its options.

    `sign` is −1 for what is better small; `needs_classes` passes the estimator's classes as `labels`, because a test
    fold may lack one; `symmetric` passes the second of two classes, whose score is read, as `pos_label`: only where
    the value does not depend on which class is called positive.
    """

    metric: str
    methods: tuple[str, ...] = PREDICT
    sign: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    needs_classes: bool = False
    symmetric: bool = False
    part: int | None = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Value of the metric for an estimator on data.

        Raises:
            AttributeError: the estimator has none of the methods that the metric needs.
        """
        function = getattr(import_module("thresher.metrics"), self.metric)
        options = dict(self.options)
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        classes = getattr(estimator, "classes_", None)
        if isinstance(classes, np.ndarray):
            options |= {"labels": classes} if self.needs_classes else {}
            options |= {"pos_label": classes[1]} if self.symmetric and len(classes) == 2 else {}
        value = function(y, response(estimator, X, self.methods), **options)
        return float(self.sign * (value if self.part is None else value[self.part]))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Scorer({self.metric}, {' or '.join(self.methods)}{options})"


def response(estimator: Any, X: Any, methods: tuple[str, ...]) -> NDArray[Any]:
    """What the first method that the estimator has says of the rows; of two classes, the column of the second.

    Raises:
        AttributeError: the estimator has none of the methods.
    """
    for method in methods:
        if hasattr(estimator, method):
            return _one_column(getattr(estimator, method)(X), method)
    if methods is SCORES and hasattr(estimator, "predict") and not hasattr(estimator, "classes_"):
        return np.asarray(estimator.predict(X))
    raise AttributeError(
        f"{type(estimator).__name__} has none of the following attributes: {', '.join(methods)}; the metric needs one."
    )


def _one_column(values: Any, method: str) -> NDArray[Any]:
    if method == "predict":
        return values  # type: ignore[no-any-return]  # whatever it is, the metric checks it
    if isinstance(values, list):
        # One table per label, as multilabel estimators give: the probability that the label is set.
        return np.stack([np.asarray(table)[:, -1] for table in values], axis=1)
    array = np.asarray(values)
    return array[:, 1] if method == "predict_proba" and array.ndim == 2 and array.shape[1] == 2 else array


def _averaged() -> dict[str, Scorer]:
    """Precision, recall, F1, Jaccard and the rates beside them, by average."""
    names = {
        "precision": "precision_score",
        "recall": "recall_score",
        "f1": "f1_score",
        "jaccard": "jaccard_score",
        "specificity": "specificity_score",
        "npv": "npv_score",
        "lift": "lift_score",
    }
    found = {}
    for name, metric in names.items():
        found[name] = Scorer(metric, options={"average": "binary"})
        for average in ("macro", "micro", "samples", "weighted"):
            found[f"{name}_{average}"] = Scorer(metric, options={"average": average, "pos_label": None})
    return found


def _ranked() -> dict[str, Scorer]:
    """Metrics of scores and of probabilities."""
    found = {"roc_auc": Scorer("roc_auc_score", SCORES), "average_precision": Scorer("average_precision_score", SCORES)}
    for how in ("ovr", "ovo"):
        for average, suffix in (("macro", ""), ("weighted", "_weighted")):
            options = {"multi_class": how, "average": average}
            found[f"roc_auc_{how}{suffix}"] = Scorer("roc_auc_score", PROBABILITIES, options=options)
    return found | {
        "top_k_accuracy": Scorer("top_k_accuracy_score", SCORES),
        "neg_log_loss": Scorer("log_loss", PROBABILITIES, -1, needs_classes=True),
        "neg_brier_score": Scorer("brier_score_loss", PROBABILITIES, -1, needs_classes=True, symmetric=True),
        "neg_expected_calibration_error": Scorer("expected_calibration_error", PROBABILITIES, -1, needs_classes=True),
        "d2_log_loss_score": Scorer("d2_log_loss_score", PROBABILITIES, needs_classes=True),
        "d2_brier_score": Scorer("d2_brier_score", PROBABILITIES, needs_classes=True, symmetric=True),
        "gini": Scorer("gini_score", SCORES, symmetric=True),
        "ks": Scorer("ks_score", SCORES, symmetric=True),
        "h_measure": Scorer("h_measure_score", SCORES),
        "hand_till": Scorer("hand_till_score", PROBABILITIES, needs_classes=True),
        "neg_hinge_loss": Scorer("hinge_loss", ("decision_function",), -1, needs_classes=True),
    }


scorers: dict[str, Scorer] = {
    "accuracy": Scorer("accuracy_score"),
    "balanced_accuracy": Scorer("balanced_accuracy_score"),
    "matthews_corrcoef": Scorer("matthews_corrcoef"),
    "cohen_kappa": Scorer("cohen_kappa_score"),
    "positive_likelihood_ratio": Scorer("class_likelihood_ratios", part=0),
    "neg_negative_likelihood_ratio": Scorer("class_likelihood_ratios", sign=-1, part=1),
    "neg_false_positive_rate": Scorer("false_positive_rate", sign=-1),
    "neg_false_negative_rate": Scorer("false_negative_rate", sign=-1),
    "neg_hamming_loss": Scorer("hamming_loss", sign=-1),
    "neg_zero_one_loss": Scorer("zero_one_loss", sign=-1),
    **_averaged(),
    **_ranked(),
}
"""Scorers by name; `scoring=scorers["roc_auc"]`, or several in a dictionary."""
