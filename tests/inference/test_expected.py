"""Expected measures: brute force over all truths, prediction intervals by simulation, drift and groups."""

import math
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.calibration import fit_map
from thresher.inference.expected import NORMAL_FROM, Expected, expected, moments_of_decisions
from thresher.measures.measure_text import parse_measure

P = np.array([0.95, 0.8, 0.8, 0.55, 0.4, 0.4, 0.3, 0.05])
DECISIONS = ["prevalence", "accuracy", "recall", "precision", "specificity", "npv", "f1", "balanced_accuracy", "mcc"]


def over_all_truths(measure: str, p: Any) -> tuple[float, float]:
    """Mean and variance of a measure over all truths for which it is defined."""
    chances, values = [], []
    for truth in product([0, 1], repeat=len(p)):
        matrix = th.ConfusionMatrix.from_predictions(truth, (p >= 0.5).astype(int), labels=[0, 1], positive=1)
        value = float(parse_measure(measure).entry(matrix))
        if not math.isnan(value):
            chances.append(math.prod(q if y else 1 - q for y, q in zip(truth, p, strict=True)))
            values.append(value)
    mean = float(np.average(values, weights=chances))
    return mean, float(np.average((np.array(values) - mean) ** 2, weights=chances))


@pytest.mark.parametrize("measure", DECISIONS)
def test_decisions_equal_brute_force_over_all_truths(measure: str) -> None:
    mean, variance = over_all_truths(measure, P)
    found = expected(P).estimate(measure)
    assert found.value == pytest.approx(mean, rel=1e-10)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-6)


def test_losses_and_pairs_equal_brute_force_over_all_truths() -> None:
    losses, ordered, pairs = 0.0, 0.0, 0.0
    for truth in product([0, 1], repeat=len(P)):
        chance = math.prod(q if y else 1 - q for y, q in zip(truth, P, strict=True))
        y = np.array(truth)
        losses += chance * float(np.mean((y - P) ** 2))
        apart = P[y == 1][:, None] - P[y == 0]
        ordered += chance * float(((apart > 0) + (apart == 0) / 2).sum())
        pairs += chance * apart.size
    assert expected(P).estimate("brier_score").value == pytest.approx(losses, rel=1e-12)
    assert expected(P).estimate("auc").value == pytest.approx(ordered / pairs, rel=1e-12)
    assert expected(P).estimate("gini").value == pytest.approx(2 * ordered / pairs - 1, rel=1e-12)
    assert expected(P).estimate("log_loss").value == pytest.approx(-np.mean(P * np.log(P) + (1 - P) * np.log1p(-P)))


def test_many_rows_are_close_to_the_exact_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    p = np.random.default_rng(1).beta(1, 3, 1500)
    assert (p * (1 - p)).sum() > NORMAL_FROM
    near = [moments_of_decisions(parse_measure(name), p, p >= 0.3) for name in DECISIONS]
    monkeypatch.setattr(sys.modules["thresher.inference.expected"], "NORMAL_FROM", math.inf)
    exact = [moments_of_decisions(parse_measure(name), p, p >= 0.3) for name in DECISIONS]
    np.testing.assert_allclose(near, exact, rtol=5e-3)
    np.testing.assert_allclose([mean for mean, _ in near], [mean for mean, _ in exact], rtol=2e-5)


def simulated(repeats: int, *, seed: int, with_map: bool) -> dict[str, float]:
    """Share of intervals that hold the value once the rows are labelled."""
    rng, names = np.random.default_rng(seed), ("prevalence", "recall", "precision", "f1", "auc", "brier_score")
    inside = dict.fromkeys(names, 0)

    def draw(n: int) -> tuple[Any, Any]:
        x = rng.normal(-1, 1.5, n)
        return (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int), x

    for _ in range(repeats):
        (y_old, x_old), (y, x) = draw(300), draw(600)
        if with_map:
            found = fit_map(y_old, x_old, method="platt", smooth=False)
            said = expected(x, map=found, fitted_on=(y_old, x_old), threshold=0.0, refits=30)
            truth = th.evaluate(y, {"m": found.transform(x)}, threshold=float(found.transform([0.0])[0]))
        else:
            p = 1 / (1 + np.exp(-x))
            said, truth = expected(p), th.evaluate(y, {"m": p}, threshold=0.5)
        for name in names:
            low, high = said.estimate(name).interval or (math.nan, math.nan)
            inside[name] += low <= truth.estimate(name).value <= high
    return {name: count / repeats for name, count in inside.items()}


@pytest.mark.slow
@pytest.mark.parametrize("with_map", [False, True])
def test_intervals_hold_the_values_of_the_labels(with_map: bool) -> None:
    found = simulated(40 if with_map else 100, seed=2, with_map=with_map)
    assert all(share >= 0.88 for share in found.values()), found


@pytest.mark.long
@pytest.mark.parametrize("with_map", [False, True])
def test_coverage_of_expected_measures(with_map: bool) -> None:
    found = simulated(1000, seed=3, with_map=with_map)
    assert all(0.925 <= share <= 0.98 for share in found.values()), found


def test_a_map_its_error_and_drift() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-2 * x))).astype(int)
    found = fit_map(y, x, method="platt")
    plain, whole = expected(x, map=found, threshold=0), expected(x, map=found, fitted_on=(y, x), threshold=0, refits=40)
    assert plain.estimate("recall").value == whole.estimate("recall").value
    assert plain.estimate("recall").standard_error < whole.estimate("recall").standard_error
    assert [note.code for note in whole.notes] == ["expected"]
    moved = expected(x + 1, map=found, fitted_on=(y, x), threshold=0, refits=2)
    assert [note.code for note in moved.notes] == ["expected", "drift"]


def test_groups_thresholds_and_text() -> None:
    found = expected(P, by=list("aabbaabb"))
    assert found.groups is not None
    assert found.groups["a"].estimate("prevalence").value == pytest.approx(P[[0, 1, 4, 5]].mean())
    assert found.at(0.35).groups["b"].threshold == 0.35  # type: ignore[index]
    assert "not an evaluation" in str(found)
    assert isinstance(found, Expected)
    assert len(found.columns()["measure"]) == 3 * len(found.summary())


def test_notes_of_an_assumed_threshold_and_of_labels_as_scores() -> None:
    assert [note.code for note in expected(P).notes] == ["expected", "assumed-threshold"]
    assert [note.code for note in expected(P, threshold=0.5).notes] == ["expected"]
    assert [note.code for note in expected([1, 0, 1], threshold=0.5).notes] == ["expected", "certain-probabilities"]


def test_low_scores_that_are_positive() -> None:
    class Falling:
        """A map of which low scores are positive."""

        def transform(self, scores: Any) -> Any:
            return 1 - np.asarray(scores)

    low = expected(1 - P, map=Falling(), threshold=0.5, direction="lower")
    for name, each in expected(P).summary().items():
        assert low.estimate(name).value == pytest.approx(each.value), name


def test_without_a_threshold_decisions_are_undefined() -> None:
    found = expected([3.0, -1.0], map=th.calibration.LogisticMap(method="platt", intercept=0.0, slope=1.0))
    assert math.isnan(found.estimate("recall").value)
    assert not math.isnan(found.estimate("prevalence").value)
    assert math.isnan(found.estimate("recall@fpr=0.1").value)
