"""Evaluations that are hard to show: every task, option and degenerate input, and text that tries to break out."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pytest

import thresher as th
from example_rows import columns

TRUTH = np.array([1, 0, 1, 0, 1, 0, 0, 0])
SCORE = np.array([0.9, 0.6, 0.8, 0.1, 0.4, 0.3, 0.2, 0.5])
EVIL = "</script><script>alert(1)</script>"
EVIL_TOO = "a|b*\"'&\n<img src=x onerror=alert(1)>\x1b[31m"
LABELS = np.where(TRUTH == 1, EVIL, EVIL_TOO)

POSTERIORS = np.random.default_rng(4).dirichlet(np.ones(3), 9)
"""Posteriors of three classes, of which each has three rows in `THREE`."""
THREE = np.array(list("abc" * 3))

CASES: dict[str, dict[str, Any]] = {
    "plain": {"data": TRUTH, "scores": {"m": SCORE}},
    "one_class": {"data": np.ones(5, dtype=int), "scores": {"m": SCORE[:5]}},
    "no_threshold": {"data": TRUTH, "scores": {"m": 10 * SCORE, "k": SCORE}},
    "infinite_scores": {
        "data": TRUTH,
        "scores": {"m": np.where(SCORE > 0.7, np.inf, np.where(SCORE < 0.3, -np.inf, SCORE))},
    },
    "lower": {"data": TRUTH, "scores": {"m": 10 - SCORE}, "direction": "lower", "threshold": 9.5},
    "directions": {
        "data": TRUTH,
        "scores": {"m": 10 - SCORE, "k": 10 * SCORE},
        "direction": {"m": "lower", "k": "higher"},
        "threshold": {"m": 9.5, "k": 5},
    },
    "infinite_threshold": {"data": TRUTH, "scores": {"m": SCORE}, "threshold": np.inf},
    "everything_positive": {"data": TRUTH, "scores": {"m": SCORE}, "threshold": -np.inf},
    "importance": {"data": TRUTH, "scores": {"m": SCORE}, "weights": np.linspace(0.5, 2, 8)},
    "frequency": {"data": TRUTH, "scores": {"m": SCORE}, "weights": np.arange(1, 9), "weight_kind": "frequency"},
    "agresti_coull": {"data": TRUTH, "scores": {"m": SCORE}, "rate_interval": "agresti-coull", "level": 0.9},
    "jeffreys": {
        "data": TRUTH,
        "scores": {"m": SCORE},
        "weights": np.linspace(0.5, 2, 8),
        "rate_interval": "jeffreys",
    },
    "clopper_pearson": {"data": TRUTH, "scores": {"m": SCORE}, "rate_interval": "clopper-pearson"},
    "clopper_pearson_of_many": {
        "data": TRUTH,
        "scores": {"m": SCORE},
        "weights": 100_000 * np.arange(1, 9),
        "weight_kind": "frequency",
        "rate_interval": "clopper-pearson",
        "level": 0.99,
    },
    "stand_in": {"data": TRUTH, "scores": {"m": SCORE}, "undefined": 0.25, "threshold": 0.95},
    "constant": {"data": TRUTH, "scores": {"m": np.full(8, 0.3)}},
    "evil": {
        "data": LABELS,
        "positive": EVIL,
        "scores": {"<b>m</b>\"' onclick=x": SCORE, "__proto__": 1 - SCORE},
        "by": {'g<i>"': np.array(list("aabb<<dd"))},
    },
    "labels": {"data": TRUTH, "predicted": {"p": (SCORE > 0.5).astype(int)}},
    "labels_and_scores": {"data": TRUTH, "scores": {"m": SCORE}, "predicted": {"m": (SCORE > 0.35).astype(int)}},
    "three_classes": {"data": np.array(list("abcabcab")), "predicted": {"p": np.array(list("abcabbca"))}},
    "posteriors": {"data": THREE, "scores": {"m": POSTERIORS, "k": POSTERIORS[:, [1, 2, 0]]}, "bootstrap": 10},
    "posteriors_in_parts": {
        "data": THREE,
        "scores": {"m": POSTERIORS},
        "by": {"g": np.array(list("xxxxxyyyy"))},
        "fold": np.arange(9) % 3,
        "weights": np.linspace(0.5, 2, 9),
    },
    "posteriors_without_a_class": {
        "data": THREE,
        "scores": {"m": np.column_stack([POSTERIORS, np.zeros(9)])},
        "labels": [*"abc", EVIL],
    },
    "certain_posteriors": {"data": THREE, "scores": {"m": np.eye(3)[[0, 1, 2, 0, 1, 2, 1, 1, 2]]}},
    "many_classes": {
        "data": np.arange(120) % 40,
        "scores": {"m": np.full((120, 40), 0.01) + 0.6 * np.eye(40)[(np.arange(120) * 7) % 40]},
    },
    "multilabel": {
        "data": np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]]),
        "scores": {"m": np.array([[0.9, 0.2, 0.6], [0.4, 0.7, 0.1], [0.3, 0.8, 0.6], [0.2, 0.5, 0.9]])},
        "labels": ["x", "y", EVIL_TOO],
        "by": {"g": np.array(list("aabb"))},
    },
    "group_of_one_class": {"data": TRUTH, "scores": {"m": SCORE}, "by": {"g": np.array(list("abaababc"))}},
    "two_columns": {
        "data": TRUTH,
        "scores": {"m": SCORE, "k": SCORE**2},
        "by": {"g": np.array([0, 1] * 4), "h": np.array(list("xxyyxxyy"))},
        "fold": np.array([1, 1, 1, 1, 2, 2, 2, 2]),
    },
    "unicode": {
        "data": np.where(TRUTH == 1, "良性 🩺", "naïve\u202eabc"),
        "positive": "良性 🩺",
        "scores": {"模型": SCORE},
    },
    "many_models": {"data": TRUTH, "scores": {f"model_{i}": SCORE + i / 1000 for i in range(12)}},
}
"""Arguments of `thresher.evaluate` by case."""

QUICK = {"plain", "one_class", "no_threshold", "importance", "evil", "labels", "three_classes", "posteriors_in_parts",
         "multilabel"}  # fmt: skip


def named(names: Iterable[str] = CASES) -> list[Any]:
    """Names of cases for `parametrize`: of each kind one by default, the others as `slow`."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@cache
def case(name: str) -> Any:
    """Evaluation of one case, shared by all tests, as what it has computed stays with it."""
    arguments = dict(CASES[name])
    return th.evaluate(arguments.pop("data"), arguments.pop("scores", None), **arguments)


@cache
def breast_cancer() -> Any:
    """Evaluation of the three models of the bundled example, shared by all tests."""
    return fresh_breast_cancer()


def fresh_breast_cancer(**options: Any) -> Any:
    """The same for one test only, which has computed nothing yet."""
    rows = columns("breast_cancer")
    models = {name: rows[name] for name in ("logistic_regression", "random_forest", "naive_bayes")}
    return th.evaluate(rows["diagnosis"], models, positive="malignant", **options)


@cache
def breast_cancer_in_parts() -> Any:
    """The same with groups and folds, shared by all tests: a report keeps what was computed before it."""
    evaluation = fresh_breast_cancer_in_parts()
    assert evaluation.groups
    assert evaluation.folds
    return evaluation


def fresh_breast_cancer_in_parts() -> Any:
    """The same with groups and folds, for one test only."""
    rows = columns("breast_cancer")
    return fresh_breast_cancer(by={"nucleus_size": rows["nucleus_size"]}, fold=rows["fold"])
