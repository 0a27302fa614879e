"""Rows compared a stretch at a time have the comparisons that all of them have at once."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import conventions
from thresher.inference import strata
from thresher.inference.differences import means
from thresher.inference.differences.tests_of_counts import mcnemar_test

WEIGHTS: dict[str, dict[str, Any]] = {
    "none": {},
    "importance": {"weights": np.random.default_rng(1).random(500) + 0.1, "weight_kind": "importance"},
    "frequency": {"weights": np.random.default_rng(1).integers(0, 4, 500), "weight_kind": "frequency"},
}


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_comparisons_do_not_depend_on_stretches(kind: str, direction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = {name: rng.random(500).round(2) for name in "abc"}
    y = rng.random(500) < scores["a"]
    models = th.evaluate(y, scores, threshold=0.5, direction=direction, **WEIGHTS[kind])
    measures = ["auc", "accuracy"] if direction == "lower" else ["auc", "accuracy", "brier_score", "log_loss"]

    def found() -> list[Any]:
        compared = [c for measure in measures for c in models.compare(measure=measure)]
        return [field for c in compared for field in dataclasses.astuple(c) if isinstance(field, int | float)]

    whole = found()
    monkeypatch.setattr(strata, "CHUNK", 64)
    monkeypatch.setattr(conventions, "BLOCK", 64)
    assert len(whole) > 40
    np.testing.assert_allclose(found(), whole, rtol=1e-12, atol=1e-15, equal_nan=True)


def test_an_infinite_loss_in_any_stretch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strata, "CHUNK", 4)
    y, scores = [1, 0] * 5, {"a": [0.9, 0.1] * 4 + [0.9, 1.0], "b": [0.8, 0.3] * 5}
    compared = th.evaluate(y, scores).compare("a", "b", measure="log_loss")
    assert compared.reason == means.INFINITE


@pytest.mark.parametrize("measure", ["accuracy", "tpr", "fpr"])
def test_decisions_of_more_rows_than_a_block_are_mcnemars(measure: str) -> None:
    rng = np.random.default_rng(3)
    n = 2 * conventions.BLOCK + 1000
    y, a = rng.random(n) < 0.2, rng.random(n)
    b = np.where(rng.random(n) < 0.9, a, rng.random(n))
    weights = rng.integers(0, 3, n)
    right = [(score >= 0.5) == (y if measure != "fpr" else True) for score in (a, b)]
    among = {"accuracy": np.ones(n, dtype=bool), "tpr": y, "fpr": ~y}[measure]
    for counted in (None, weights):
        w = np.ones(n) if counted is None else counted
        table = [[w[among & (right[0] == i) & (right[1] == j)].sum() for j in (True, False)] for i in (True, False)]
        options: dict[str, Any] = {} if counted is None else {"weights": counted, "weight_kind": "frequency"}
        found = th.evaluate(y, {"a": a, "b": b}, threshold=0.5, **options).compare("a", "b", measure=measure)
        want = mcnemar_test(np.array(table, dtype=int), method="mid-p")
        assert found.p_value == pytest.approx(want.p_value, rel=1e-12)
        assert found.difference == pytest.approx(want.estimate, rel=1e-12)
