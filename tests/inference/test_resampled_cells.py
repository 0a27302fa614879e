"""Differences of many rows by resamples of cells of rounded scores: as those of rows drawn one by one."""

import numpy as np
import pytest

import thresher as th
from thresher.inference.comparing import resampled_cells
from thresher.watched import watched


def columns(n=4000):
    rng = np.random.default_rng(8)
    y = (rng.random(n) < 0.4).astype(int)
    return {"y": y, "a": 1 / (1 + np.exp(-rng.normal(0.9 * y, 1))), "b": 1 / (1 + np.exp(-rng.normal(y, 1)))}


@pytest.mark.parametrize("is_counted", [False, True])
def test_many_rows_are_compared_as_fewer_are(is_counted, monkeypatch):
    found = columns()
    rows = th.evaluate(found, ["a", "b"], label="y", threshold=0.5)
    models = th.evaluate(th.count(found, ["a", "b"], label="y", pairs=True), threshold=0.5) if is_counted else rows
    told: list[tuple[int, int]] = []
    for measure in ("h_measure", "brier_skill_score"):
        few = rows.compare("a", "b", measure=measure)
        with monkeypatch.context() as patch, watched(lambda *done: told.append(done)):
            patch.setattr(resampled_cells, "MANY", 1000)
            many = models.compare("a", "b", measure=measure)
        assert many.difference == pytest.approx(few.difference, abs=1e-4)
        assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.15)
        assert "replicates of rows of each class, by rounded scores" in many.method
        assert "rounded" not in few.method
    assert told[-1] == (500, 500)
    clustered = th.evaluate(found | {"of": np.arange(4000) // 4}, ["a", "b"], label="y", cluster="of")
    monkeypatch.setattr(resampled_cells, "MANY", 1000)
    assert "rounded" not in clustered.compare("a", "b", measure="average_precision", bootstrap=20).method
