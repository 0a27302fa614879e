"""The ROC AUC of held-out scores with ties: elsewhere its standard error counts a tie as 0, here as one half."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import thresher as th


class Rounded:
    """Scores rows by their first feature, in tenths, so that many tie."""

    def fit(self, X: Any, y: Any) -> Rounded:  # noqa: ARG002
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Any) -> Any:
        score = np.clip(np.asarray(X)[:, 0], 0, 1).round(1)
        return np.column_stack([1 - score, score])

    def predict(self, X: Any) -> Any:
        return (self.predict_proba(X)[:, 1] >= 0.5).astype(int)


def brute(truth: Any, score: Any, tie: float) -> tuple[float, float]:
    """AUC and DeLong's standard error from every pair, a tie counting so much."""
    positive, negative = score[truth == 1][:, None], score[truth == 0]
    wins = (positive > negative) + tie * (positive == negative)
    parts = wins.mean(axis=1), wins.mean(axis=0)
    return float(wins.mean()), math.sqrt(sum(part.var(ddof=1) / part.size for part in parts))


def test_aucs_of_folds_count_a_tie_as_one_half() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    X = (rng.normal(0.4 + 0.2 * y, 0.3))[:, None]
    score = Rounded().predict_proba(X)[:, 1]
    a = th.assess(Rounded(), X, y, method=th.KFold(4), progress=False)["Rounded"]
    splits = a.source.splits
    folds = [splits.row[(splits.split == fold) & splits.is_out] for fold in range(4)]
    assert sorted(np.concatenate(folds)) == list(range(80))
    areas, errors = zip(*(brute(y[rows], score[rows], 0.5) for rows in folds), strict=True)
    assert a.values("auc").tolist() == pytest.approx(areas)
    pooled = a.pooled("auc")
    assert (pooled.value, pooled.standard_error) == pytest.approx((np.mean(areas), math.hypot(*errors) / 4))
    assert pooled.standard_error != pytest.approx(
        math.hypot(*(brute(y[rows], score[rows], 0.0)[1] for rows in folds)) / 4, rel=0.01
    )
