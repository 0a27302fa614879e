"""Differences of many rows without groups of them: as by resamples, and as by the formula where there is one."""

import numpy as np
import pytest

import thresher as th
from thresher.evaluation.intervals import sample_of
from thresher.inference.comparing import contributions
from thresher.inference.comparing.contributions import correlation_of
from thresher.measures import find
from thresher.measures.measure_text import parse_measure


def columns(n=2000):
    rng = np.random.default_rng(8)
    y = (rng.random(n) < 0.4).astype(int)
    return {"y": y, "a": 1 / (1 + np.exp(-rng.normal(0.9 * y, 1))), "b": 1 / (1 + np.exp(-rng.normal(y, 1)))}


@pytest.mark.parametrize("is_counted", [False, True])
def test_many_rows_are_compared_as_fewer_are(is_counted, monkeypatch):
    found = columns()
    rows = th.evaluate(found, ["a", "b"], label="y", threshold=0.5)
    models = th.evaluate(th.count(found, ["a", "b"], label="y", pairs=True), threshold=0.5) if is_counted else rows
    want = rows.compare("a", "b", measure="brier_skill_score", bootstrap=200)
    monkeypatch.setattr(contributions, "MANY", 1000)
    many = models.compare("a", "b", measure="brier_skill_score")
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
    left = contributions.without_groups(sample_of(model), parse_measure("average_precision"))
    assert left.observed == model.average_precision.value
    assert left.values.size == 400
    error = model.average_precision.standard_error
    assert left.standard_error == pytest.approx(error, rel=0.25)


def test_the_correlation_of_weighted_rows_is_that_of_the_changes_without_each():
    found, weights = columns(90), np.exp(np.random.default_rng(2).normal(size=90))
    models = th.evaluate(found["y"], {"a": found["a"], "b": found["b"]}, weights=weights)
    changes = []
    for name in ("a", "b"):
        kept = [np.arange(90) != i for i in range(90)]
        tables = [th.ScoreTable.from_scores(found["y"][k], found[name][k], weights=weights[k]) for k in kept]
        changes.append([float(find("h_measure")(table)) for table in tables])
    sides = [sample_of(models[name]) for name in ("a", "b")]
    expected = np.corrcoef(changes)[0, 1] * (1 - 1 / np.bincount(found["y"]).min())
    assert correlation_of(*sides, parse_measure("h_measure")) == pytest.approx(expected, abs=0.01)  # scores are rounded


def test_few_rows_of_a_class_among_many_carry_a_warning(monkeypatch):
    monkeypatch.setattr(contributions, "MANY", 400)
    y = (np.arange(500) < 30).astype(int)
    scores = np.random.default_rng(0).normal(size=(2, 500)) + 2 * y
    found = th.evaluate(y, dict(zip("ab", scores, strict=True))).compare("a", "b", measure="maximum_informedness")
    assert "jackknife" in found.method
    assert [warning.code for warning in found.warnings] == ["few-for-bootstrap"]


def test_frequencies_are_equal_rows(monkeypatch):
    monkeypatch.setattr(contributions, "MANY", 400)
    found, weights = columns(500), np.random.default_rng(1).integers(1, 4, 500)
    rows = np.repeat(np.arange(500), weights)
    weighted = th.evaluate(found["y"], {m: found[m] for m in "ab"}, weights=weights, weight_kind="frequency")
    repeated = th.evaluate(found["y"][rows], {m: found[m][rows] for m in "ab"})
    one, two = (each.compare("a", "b", measure="brier_skill_score") for each in (weighted, repeated))
    assert one.standard_error == pytest.approx(two.standard_error, rel=1e-12)
