"""A comparison that has to resample does it as the evaluation was told to."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher._util.progress import progress_scope


def _evaluation(**options: Any) -> Any:
    rows = th.load_example("breast_cancer")
    models = {"forest": rows["random_forest"], "bayes": rows["naive_bayes"]}
    return th.evaluate(rows["diagnosis"], models, positive="malignant", **options)


def test_the_evaluations_own_settings_serve_where_no_formula_does() -> None:
    own = th.Bootstrap(n=60, rng=3)
    found = _evaluation(bootstrap=own).compare("forest", "bayes", measure="h_measure")
    asked = _evaluation().compare("forest", "bayes", measure="h_measure", bootstrap=own)
    assert asked.method == "paired bootstrap percentile, 60 replicates of rows within classes, seed 3"
    assert (found.method, found.low, found.high) == (asked.method, asked.low, asked.high)


def test_a_formula_is_kept_and_what_is_asked_for_comes_first() -> None:
    evaluation = _evaluation(bootstrap=60)
    assert "DeLong" in evaluation.compare("forest", "bayes").method
    assert "80 replicates" in evaluation.compare("forest", "bayes", bootstrap=80).method
    assert "80 replicates" in evaluation.compare("forest", "bayes", measure="average_precision", bootstrap=80).method


@pytest.mark.parametrize("by", [None, "size"])
def test_without_settings_the_default_stands(by: str | None) -> None:
    rows = th.load_example("breast_cancer")
    frame = {"y": rows["diagnosis"], "a": rows["random_forest"], "b": rows["naive_bayes"], "size": rows["nucleus_size"]}
    evaluation = th.evaluate(frame, label="y", scores=["a", "b"], positive="malignant", by="size")
    found = evaluation.compare("a", "b", measure="expected_calibration_error", by=by)
    assert "2,000 replicates" in (found if by is None else found[0]).method


def _replicates(evaluation: Any, measure: str) -> list[int]:
    """How many replicates each bootstrap of a comparison drew."""
    told: list[int] = []
    with progress_scope(lambda done, wanted: told.append(done) if done == wanted else None):
        evaluation.compare("a", "b", measure=measure)
    return told


def test_replicates_are_drawn_for_the_difference_alone() -> None:
    """The values of both models need no interval, whatever the evaluation was told to resample."""
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 60), rng.random(60)
    two = th.evaluate(truth, {"a": score, "b": score**2}, bootstrap=20)
    assert _replicates(two, "ks_statistic") == _replicates(two, "f1") == [], "intervals of both have formulas"
    assert 20 in _replicates(two, "h_measure")
    labels, scores = rng.integers(0, 2, (60, 3)), rng.random((60, 3))
    several = th.evaluate(labels, {"a": scores, "b": scores**2}, bootstrap=20)
    assert _replicates(several, "macro_f1") == [20], "one for both models"
    classes, posteriors = rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    wine = th.evaluate(classes, probabilities={"a": posteriors, "b": posteriors[::-1]}, bootstrap=20)
    assert _replicates(wine, "top_label_ece") == [20]
