"""Differences of many rows without groups of them: as by resamples, and as by the formula where there is one."""

import numpy as np
import pytest

import thresher as th
from thresher.evaluation.intervals import side_of
from thresher.inference.comparing import without_groups
from thresher.measures.measure_text import wanted


def columns(n=2000):
    rng = np.random.default_rng(8)
    y = (rng.random(n) < 0.4).astype(int)
    return {"y": y, "a": 1 / (1 + np.exp(-rng.normal(0.9 * y, 1))), "b": 1 / (1 + np.exp(-rng.normal(y, 1)))}


@pytest.mark.parametrize("is_counted", [False, True])
def test_many_rows_are_compared_as_fewer_are(is_counted, monkeypatch):
    found = columns()
    rows = th.evaluate(found, ["a", "b"], label="y", threshold=0.5)
    models = th.evaluate(th.count(found, ["a", "b"], label="y", pairs=True), threshold=0.5) if is_counted else rows
    measures = ("h_measure", "brier_skill_score")
    few = {measure: rows.compare("a", "b", measure=measure, bootstrap=200) for measure in measures}
    monkeypatch.setattr(without_groups, "MANY", 1000)
    for measure, want in few.items():
        many = models.compare("a", "b", measure=measure)
        assert many.difference == pytest.approx(want.difference, abs=1e-4)
        assert many.high - many.low == pytest.approx(want.high - want.low, rel=0.25)
        assert "jackknife over 2,000 rows in 400 groups" in many.method
        assert "200 replicates" in want.method
    assert "by influence functions" in rows.compare("a", "b", measure="f1").method


@pytest.mark.parametrize("kind", [None, "importance", "frequency"])
def test_values_without_groups_are_those_of_the_other_rows(kind):
    found, weights = columns(900), np.random.default_rng(1).integers(1, 4, 900)
    options = {} if kind is None else {"weights": weights, "weight_kind": kind}
    model = th.evaluate(found["y"], {"a": found["a"].round(2)}, **options)["a"]
    left = without_groups.without_groups(side_of(model), wanted("average_precision"))
    assert left.observed == model.average_precision.value
    assert left.values.size == 400
    error = model.average_precision.standard_error
    assert left.standard_error == pytest.approx(error, rel=0.25)
