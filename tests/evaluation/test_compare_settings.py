"""A comparison that has to resample does it as the evaluation was told to."""

from typing import Any

import pytest

import thresher as th


def _evaluation(**options: Any) -> Any:
    rows = th.load_example("breast_cancer")
    models = {"forest": rows["random_forest"], "bayes": rows["naive_bayes"]}
    return th.evaluate(rows["diagnosis"], models, positive="malignant", **options)


def test_the_evaluations_own_settings_serve_where_no_formula_does() -> None:
    own = th.Bootstrap(n=60, rng=3)
    found = _evaluation(bootstrap=own).compare("forest", "bayes", measure="average_precision")
    assert "60 replicates" in found.method
    assert "seed 3" in found.method
    asked = _evaluation().compare("forest", "bayes", measure="average_precision", bootstrap=own)
    assert (found.low, found.high) == (asked.low, asked.high)


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
    found = evaluation.compare("a", "b", measure="f1", by=by)
    assert "2,000 replicates" in (found if by is None else found[0]).method
