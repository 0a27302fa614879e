"""Intercept and slope by one fit are those of the whole recalibration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thresher.calibration.cox import cox_calibration, line_of_logits
from thresher.counts import ScoreTable


@pytest.mark.parametrize("kind", [None, "importance", "frequency"])
def test_they_are_those_of_the_whole(kind: Any) -> None:
    for seed in range(30):
        draws = np.random.default_rng(seed)
        n = int(draws.integers(2, 25))
        y, score = draws.integers(0, 2, n), draws.integers(0, 11, n) / 10
        weights = None if kind is None else draws.integers(1, 4, n).astype(float)
        table = ScoreTable.from_scores(y, score, weights=weights, weight_kind=kind or "importance")
        whole = cox_calibration(table, clip=1e-6)
        assert np.array_equal(line_of_logits(table, clip=1e-6), (whole.intercept, whole.slope), equal_nan=True), seed
