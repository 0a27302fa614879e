"""`scorers`: scikit-learn scorers of the metrics here, by name, for `cross_validate`, `GridSearchCV` and their like.

Names are scikit-learn's own; those it lacks follow its pattern (`neg_` where less is better).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher.errors import MissingDependencyError
from thresher.metrics import class_scores, confusion, curves, losses, ranking_beyond, rates

PROBABILITIES = "predict_proba"
SCORES = ("decision_function", "predict_proba")
BINARY = {"average": "binary"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Arguments of a scorer: metric, response methods, sign, options, and options filled from the fitted estimator.

    An estimator gives `labels`, its classes, as a test fold can lack one; and `pos_label`, the second of two classes,
    where the value does not depend on which class is positive.
    """

    metric: Callable[..., Any]
    methods: str | tuple[str, ...] = "predict"
    sign: int = 1
    options: Mapping[str, Any] | None = None
    from_estimator: tuple[str, ...] = ()


def positive_likelihood_ratio(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the positive likelihood ratio, 1 where it is undefined, as scikit-learn's scorer does."""
    return confusion.class_likelihood_ratios(y_true, y_pred, sample_weight=sample_weight, replace_undefined_by=1.0)[0]


def negative_likelihood_ratio(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the negative likelihood ratio, 1 where it is undefined, as scikit-learn's scorer does."""
    return confusion.class_likelihood_ratios(y_true, y_pred, sample_weight=sample_weight, replace_undefined_by=1.0)[1]


def _averaged() -> dict[str, Recipe]:
    """Return recipes of precision, recall and other rates, binary and for each average."""
    metrics = {
        "precision": rates.precision_score, "recall": rates.recall_score, "f1": rates.f1_score,
        "jaccard": rates.jaccard_score, "specificity": rates.specificity_score, "npv": rates.npv_score,
        "lift": rates.lift_score,
    }  # fmt: skip
    found = {name: Recipe(metric, options=BINARY) for name, metric in metrics.items()}
    return found | {
        f"{name}_{average}": Recipe(metric, options={"pos_label": None, "average": average})
        for name, metric in metrics.items()
        for average in ("macro", "micro", "samples", "weighted")
    }


def _ranked() -> dict[str, Recipe]:
    """Return recipes of metrics that read scores or probabilities."""
    labels, either = ("labels",), ("labels", "pos_label")
    auc = curves.roc_auc_score
    return {
        "roc_auc": Recipe(auc, SCORES),
        "roc_auc_ovr": Recipe(auc, PROBABILITIES, options={"multi_class": "ovr"}),
        "roc_auc_ovo": Recipe(auc, PROBABILITIES, options={"multi_class": "ovo"}),
        "roc_auc_ovr_weighted": Recipe(auc, PROBABILITIES, options={"multi_class": "ovr", "average": "weighted"}),
        "roc_auc_ovo_weighted": Recipe(auc, PROBABILITIES, options={"multi_class": "ovo", "average": "weighted"}),
        "average_precision": Recipe(curves.average_precision_score, SCORES),
        "top_k_accuracy": Recipe(class_scores.top_k_accuracy_score, SCORES),
        "neg_log_loss": Recipe(losses.log_loss, PROBABILITIES, -1, from_estimator=labels),
        "neg_brier_score": Recipe(losses.brier_score_loss, PROBABILITIES, -1, from_estimator=either),
        "neg_expected_calibration_error": Recipe(
            losses.expected_calibration_error, PROBABILITIES, -1, from_estimator=labels
        ),
        "d2_log_loss_score": Recipe(losses.d2_log_loss_score, PROBABILITIES, from_estimator=labels),
        "d2_brier_score": Recipe(losses.d2_brier_score, PROBABILITIES, from_estimator=either),
        "gini": Recipe(ranking_beyond.gini_score, SCORES, from_estimator=("pos_label",)),
        "ks": Recipe(ranking_beyond.ks_score, SCORES, from_estimator=("pos_label",)),
        "h_measure": Recipe(ranking_beyond.h_measure_score, SCORES),
        "hand_till": Recipe(ranking_beyond.hand_till_score, PROBABILITIES, from_estimator=labels),
        "neg_hinge_loss": Recipe(losses.hinge_loss, "decision_function", -1, from_estimator=labels),
    }


RECIPES = {
    "accuracy": Recipe(confusion.accuracy_score),
    "balanced_accuracy": Recipe(confusion.balanced_accuracy_score),
    "matthews_corrcoef": Recipe(confusion.matthews_corrcoef),
    "cohen_kappa": Recipe(confusion.cohen_kappa_score),
    "positive_likelihood_ratio": Recipe(positive_likelihood_ratio),
    "neg_negative_likelihood_ratio": Recipe(negative_likelihood_ratio, sign=-1),
    "neg_false_positive_rate": Recipe(rates.false_positive_rate, sign=-1),
    "neg_false_negative_rate": Recipe(rates.false_negative_rate, sign=-1),
    "neg_hamming_loss": Recipe(confusion.hamming_loss, sign=-1),
    "neg_zero_one_loss": Recipe(confusion.zero_one_loss, sign=-1),
    **_averaged(),
    **_ranked(),
}


class Scorers(Mapping[str, Any]):
    """Scorers by name, made anew whenever one is read, so that a metadata request stays with that scorer."""

    def __getitem__(self, name: str) -> Any:
        """Return a new scorer.

        Raises:
            KeyError: no scorer has this name.
            MissingDependencyError: scikit-learn is not installed.
        """
        recipe = RECIPES[name]
        try:
            from thresher.metrics.scorer import Scorer
        except ImportError as error:
            raise MissingDependencyError("scorers need scikit-learn: pip install scikit-learn.") from error
        return Scorer(recipe.metric, recipe.sign, dict(recipe.options or {}), recipe.methods, recipe.from_estimator)

    def __contains__(self, name: object) -> bool:
        return name in RECIPES

    def __iter__(self) -> Iterator[str]:
        return iter(RECIPES)

    def __len__(self) -> int:
        return len(RECIPES)

    def __repr__(self) -> str:
        return f"<{len(self)} scorers: {', '.join(self)}>"


scorers = Scorers()
"""Scorers by name; `scoring=scorers["roc_auc"]`, or several in a dictionary."""
