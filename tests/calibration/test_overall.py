"""Indexes of overall fit by their definitions, row by row."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import thresher as th
from thresher.calibration.distances import overall_fit

RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 60)
P = np.round(np.clip(0.25 + 0.4 * Y + 0.2 * RNG.normal(size=60), 0.02, 0.98), 2)


def deviance(y, p) -> float:
    return -2 * sum(math.log(q if t else 1 - q) for t, q in zip(y, p, strict=True))


def recalibrated(y, p):
    x = np.log(p / (1 - p))
    lost = lambda c: np.logaddexp(0, c[0] + c[1] * x).sum() - y @ (c[0] + c[1] * x)  # noqa: E731
    found = optimize.minimize(lost, [0, 1], tol=1e-12)
    return 1 / (1 + np.exp(-(found.x[0] + found.x[1] * x)))


def test_every_index_row_by_row() -> None:
    found, n = overall_fit(th.ScoreTable.from_scores(Y, P)), 60
    fitted = recalibrated(Y, P)
    base, own, best = deviance(Y, np.full(n, Y.mean())), deviance(Y, P), deviance(Y, fitted)
    assert found.r2 == pytest.approx((1 - math.exp((own - base) / n)) / (1 - math.exp(-base / n)))
    assert found.discrimination == pytest.approx((base - best - 1) / n, abs=1e-8)
    assert found.unreliability == pytest.approx((own - best - 2) / n, abs=1e-8)
    assert found.quality == pytest.approx((base - own + 1) / n, abs=1e-8)
    gaps = np.abs(P - fitted)
    expected = gaps.max(), np.quantile(gaps, 0.9, method="inverted_cdf"), gaps.mean()
    assert (found.largest, found.ninth, found.mean) == pytest.approx(expected, abs=1e-5)


def test_they_are_measures_by_name() -> None:
    model, found = th.evaluate(Y, P)["score"], overall_fit(th.ScoreTable.from_scores(Y, P))
    pairs = {"nagelkerke_r2": found.r2, "D index": found.discrimination, "q_index": found.quality,
             "emax": found.largest, "e90": found.ninth, "eavg": found.mean, "ICI": found.mean}  # fmt: skip
    for name, value in pairs.items():
        assert model.estimate(name).value == value
    assert model.emax.reason_code == "no-formula"
    matrix = model.at(0.5)
    assert model.sar.value == pytest.approx(
        (matrix.accuracy + model.auc.value + 1 - math.sqrt(np.mean((Y - P) ** 2))) / 3
    )
    assert "emax" not in model.measures  # computed when asked for
    assert model.estimate("eavg", bootstrap=30).low is not None


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 4)), min_size=2, max_size=8))
def test_weights_repeat_rows(rows: list[tuple[int, int]]) -> None:
    y, times = (np.array(column) for column in zip(*rows, strict=True))
    p = np.linspace(0.1, 0.9, y.size)
    table = th.ScoreTable.from_scores(y, p, weights=times, weight_kind="frequency")
    repeated = th.ScoreTable.from_scores(np.repeat(y, times), np.repeat(p, times))
    if 0 < y.sum() < y.size:
        one, two = overall_fit(table), overall_fit(repeated)
        for name in ("r2", "discrimination", "largest", "ninth", "mean"):
            assert getattr(one, name) == pytest.approx(getattr(two, name), nan_ok=True)
