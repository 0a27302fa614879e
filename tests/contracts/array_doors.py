"""Every public function that takes labels or scores, found by the names of its parameters, with a call that works."""

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from contracts import wrong_calls
from contracts.wrong_calls import SCORE, TRUTH
from thresher import Bootstrap, metrics
from thresher.resampling.nearest_mean import NearestMean

LABELS = {"y_true", "y", "y_a", "y_b", "y_pred", "y1", "y2", "y_test"}
SCORES = {
    "y_score", "y_prob", "y_proba", "pred_decision", "scores", "score", "posteriors", "a", "b", "relevant", "gains",
    "old", "new",
}  # fmt: skip
WEIGHTS = {"weights", "sample_weight"}

BOTH = np.column_stack([SCORE, 1 - SCORE])
TABLE = np.column_stack([TRUTH, 1 - TRUTH])
POINTS = np.column_stack([SCORE, SCORE**2])
ONCE = {"method": "kfold:2", "measures": "auc", "progress": False}
TWO = {"scores": [SCORE, SCORE[::-1]]}
GIVEN: dict[str, Any] = {
    **dict.fromkeys(LABELS, TRUTH), **dict.fromkeys(SCORES, SCORE), "y_pred": TRUTH[::-1], "b": SCORE[::-1],
    "posteriors": BOTH, "estimator": NearestMean(), "estimators": NearestMean(), "X": POINTS, "relevant": TABLE == 1,
    "metric_func": metrics.accuracy_score, "k": 2,
}  # fmt: skip
SPECIAL: dict[str, dict[str, Any]] = {
    "permutation_test": {"n": 9}, "venkatraman_test": {"n": 9}, "fixed_point_test": {"fpr": 0.5},
    "_bootstrap": {"config": Bootstrap(n=20)}, "assess": ONCE, "learning_curve": ONCE | {"sizes": [0.5, 1.0]},
    "scalability": ONCE | {"sizes": [0.5, 1.0], "memory": "traced"}, "robustness": ONCE,
    "multiclass_auc_test": {"a": BOTH, "b": BOTH[:, ::-1]}, "fit_temperature": {"scores": BOTH, "codes": 1 - TRUTH},
    "delong_contrast": TWO | {"contrast": [[1.0, -1.0]]}, "delong_covariance": TWO, "delong_pairwise": TWO,
    "multilabel_": {"y_true": TABLE, "y_pred": TABLE[::-1]}, "multilabel_average": {"measure": "f1"},
    "label_ranking_": {"y_true": TABLE, "y_score": BOTH}, "coverage_error": {"y_true": TABLE, "y_score": BOTH},
    "cg_score": {"y_true": TABLE, "y_score": BOTH}, "thresher.ranking.": {"scores": BOTH, "gains": TABLE * 1.0},
    "assert_at_least": {"at_least": 0.0}, "growth_exponent": {"y": SCORE, "n": SCORE},
    "metrics.auc": {"x": np.arange(8.0)},
    "partial_roc_auc_score": {"max_fpr": 0.5}, "partial_pr_auc_score": {"min_recall": 0.5},
    "cross_validated_auc": {"folds": np.arange(8) // 4}, "roc_surface": {"y_true": np.arange(8) % 3},
    "triples": {"y_true": np.arange(8) % 3},
    "from_counts": {"positive": TRUTH, "negative": 1 - TRUTH},
}  # fmt: skip
"""What else the functions need whose names hold a text."""

APART = (
    "assert_no_drop", "CalibratedClassifier.fit", "top_k_credit", "evaluate_estimator", "robustness_of_fitted",
    "measure_curve", "estimate_of_scores", "summary_of_scores", "Posteriors.of",
)  # fmt: skip
"""Functions whose parameter of such a name is none: a fitted model, codes, counts, the name of a measure."""


@cache
def doors() -> dict[str, tuple[Any, dict[str, Any], list[str]]]:
    """By name: the function, arguments that fit, and the parameters that take labels, scores or weights."""
    found = {}
    for name, function in _functions():
        parameters = inspect.signature(function).parameters
        taken = [name for name in parameters if name in LABELS | SCORES | WEIGHTS]
        if not set(taken) & (LABELS | {"scores"}) or name.endswith(APART):
            continue
        wanted = {p.name for p in parameters.values() if p.default is p.empty and p.kind not in (2, 4)}
        special = {k: v for word, more in SPECIAL.items() if word in name for k, v in more.items() if k in parameters}
        wanted = (wanted | set(taken) | {*special}) - {*WEIGHTS, *({"y_pred"} if "y_proba" in taken else ())}
        given = GIVEN | special
        fitting = {p: given[p] if p in given else wrong_calls.fitting(parameters[p]) for p in sorted(wanted)}
        found[name] = (function, fitting, taken)
    return found


def _functions() -> Iterator[tuple[str, Any]]:
    """Public functions and class methods; the constructors of results take what has been checked."""
    for name, function in wrong_calls.functions():
        if not isinstance(function, type):
            yield name, function
    for name in metrics.__all__:
        if inspect.isfunction(getattr(metrics, name)):
            yield f"thresher.metrics.{name}", getattr(metrics, name)
