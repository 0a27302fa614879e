"""Rows compared a stretch at a time have the comparisons that all of them have at once."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import conventions
from thresher.inference import strata
from thresher.inference.differences import means

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
    measures = ["auc", "accuracy", "tpr", "fpr", *(["brier_score", "log_loss"] if direction == "higher" else [])]

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
