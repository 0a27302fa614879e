"""Cells and estimates of many classes are those of each class by itself, found for all at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.counts.cells import MANY, class_cells
from thresher.inference.estimates import of_matrices


@pytest.mark.parametrize("k", [3, MANY, MANY + 1, 2 * MANY + 5])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_true_negatives_lie_outside_row_and_column(k: int, shape: tuple[int, ...]) -> None:
    counts = np.random.default_rng(k).random((*shape, k, k))
    found = class_cells(counts)
    for place in (0, 1, k // 2, k - 1):
        others = np.delete(np.delete(counts, place, axis=-1), place, axis=-2)
        assert found.tn[..., place] == pytest.approx(others.sum(axis=(-2, -1)), rel=1e-12)
        assert found.fn[..., place] == pytest.approx(np.delete(counts, place, axis=-1)[..., place, :].sum(axis=-1))


@pytest.mark.parametrize("options", [{}, {"interval": "clopper-pearson"}, {"undefined": 0.0}])
def test_estimates_of_the_classes_are_computed_together(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = np.random.default_rng(0)
    counts = np.diag(draws.integers(0, 9, 70)) + draws.integers(0, 2, (70, 70)) * draws.integers(0, 2, (70, 70))
    counts[3] = 0
    matrix = th.ConfusionMatrix.from_counts(counts)
    alone = {
        name: {label: each.estimate(name, **options) for label, each in matrix.each_vs_rest().items()}
        for name in ("recall", "precision", "f1", "kappa", "diagnostic_odds_ratio")
    }
    batches: list[int] = []
    made = of_matrices._estimates
    monkeypatch.setattr(of_matrices, "_estimates", lambda *given: batches.append(1) or made(*given))
    for name, each in alone.items():
        assert str(matrix.average(name, how="none", **options)) == str(each)
    assert len(batches) == len(alone)
