"""`missing="weight"`: rows with a label stand for those without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, OptionError, SavedFormError
from thresher.inference import verified

RNG = np.random.default_rng(1)
TRUTH = (RNG.random(1500) < 0.3).astype(int)
SCORE = RNG.normal(size=1500) + 1.5 * TRUTH
KNOWN = RNG.random(1500) < np.where(SCORE > 1, 0.9, 0.25)
LABELS = [int(y) if known else None for y, known in zip(TRUTH, KNOWN, strict=True)]


@pytest.mark.parametrize("measure", ["auc", "recall", "specificity", "precision", "f1", "average_precision"])
def test_values_are_those_of_partly_verified_rows(measure: str) -> None:
    ev = th.evaluate(LABELS, SCORE, missing="weight", threshold=1)
    found = verified(LABELS, SCORE, threshold=1)
    assert ev.estimate(measure).value == pytest.approx(found.estimate(measure).value)
    assert ev.estimate(measure).standard_error is None or ev.estimate(measure).high > found.estimate(measure).value
    assert "weighted-rows" in [note.code for note in ev.notes]


def test_predicted_labels_frames_and_files(tmp_path: Any) -> None:
    test = (SCORE > 1).astype(int)
    weights = {0: (test == 0).sum() / (KNOWN & (test == 0)).sum(), 1: (test == 1).sum() / (KNOWN & (test == 1)).sum()}
    ev = th.evaluate(LABELS, predicted=test, missing="weight")
    np.testing.assert_allclose(ev.predictions.weights, [weights[t] for t in test[KNOWN].tolist()])
    path = tmp_path / "rows.csv"
    lines = [f"{'' if y is None else y},{t}" for y, t in zip(LABELS, test.tolist(), strict=True)]
    path.write_text("\n".join(["y,t", *lines]), encoding="utf-8")
    read = th.evaluate(str(path), label="y", predicted="t", missing="weight")
    assert read.estimate("recall").value == ev.estimate("recall").value


def test_several_models_are_compared() -> None:
    both = {"a": SCORE, "b": SCORE + RNG.normal(size=1500)}
    ev = th.evaluate(LABELS, both, missing="weight", threshold=1)
    truth = th.evaluate(TRUTH, both, threshold=1)
    found = ev.compare("a", "b", measure="auc")
    assert found.low < truth["a"].auc.value - truth["b"].auc.value < found.high


def test_classes_and_complete_labels() -> None:
    posteriors = RNG.dirichlet(np.ones(3), 300)
    codes = np.array([RNG.choice(3, p=p) for p in posteriors])
    labels = [int(k) if i % 3 else None for i, k in enumerate(codes)]
    assert 0 < th.evaluate(labels, posteriors, labels=[0, 1, 2], missing="weight")["model"].accuracy.value < 1
    whole = th.evaluate(TRUTH, SCORE, missing="weight")
    assert whole.auc == th.evaluate(TRUTH, SCORE).auc


def test_refusals(tmp_path: Any) -> None:
    with pytest.raises(OptionError):
        th.evaluate(LABELS, SCORE, missing="weight", weights=np.ones(1500))
    with pytest.raises(InputError):
        th.evaluate([1, 0, None, None], predicted=[1, 1, 0, 0], missing="weight")
    with pytest.raises(InputError):
        th.evaluate([1, 0, None], [0.1, np.nan, 0.3], missing="weight")
    with pytest.raises(OptionError):
        th.count(LABELS, SCORE, missing="weight")  # type: ignore[arg-type]
    with pytest.raises(OptionError):
        th.evaluate([[1, 0], [0, 1]], [[0.2, 0.4], [0.3, 0.5]], missing="weight")
    with pytest.raises(SavedFormError):
        th.readers.load(LABELS, SCORE, missing="weight").save(tmp_path / "rows.parquet")
