"""Smoothed curves, areas over folds, Obuchowski's variance and the least area: each from its definition."""

import math
from statistics import NormalDist

import numpy as np
import pytest

import thresher as th
from thresher.counts import ScoreTable
from thresher.curves import least_average_precision, least_pr_area, precision_recall_curve
from thresher.inference import cross_validated_auc, kernel_roc, obuchowski_variance

PHI = NormalDist().cdf
RNG = np.random.default_rng(8)
Y = np.repeat([1, 0], [9, 14])
S = np.round(RNG.normal(size=23) + Y, 1)


def silverman(x: np.ndarray) -> float:
    """bw.nrd0 of R, written out."""
    low, high = np.quantile(x, [0.25, 0.75])
    return 0.9 * min(x.std(ddof=1), (high - low) / 1.34) * x.size**-0.2


def test_the_smoothed_curve_is_that_of_its_definition() -> None:
    found = kernel_roc(ScoreTable.from_scores(Y, S))
    one, two = silverman(S[Y == 1]), silverman(S[Y == 0])
    assert found.bandwidths == pytest.approx((one, two), rel=1e-12)
    scale = math.hypot(one, two)
    pairs = [PHI((a - b) / scale) for a in S[Y == 1] for b in S[Y == 0]]
    assert found.area.value == pytest.approx(float(np.mean(pairs)), abs=1e-13)
    curve = found.curve
    for k in (50, 200, 333):
        cut = curve.thresholds[k]
        assert curve.y[k] == pytest.approx(np.mean([PHI((a - cut) / one) for a in S[Y == 1]]), abs=1e-12)
        assert curve.x[k] == pytest.approx(np.mean([PHI((b - cut) / two) for b in S[Y == 0]]), abs=1e-12)
    assert float(np.trapezoid(curve.y, curve.x)) == pytest.approx(found.area.value, abs=1e-3)
    assert curve.area() == found.area.value


def test_a_narrow_kernel_is_the_roc_and_low_scores_may_be_positive() -> None:
    table = ScoreTable.from_scores(Y, S)
    assert kernel_roc(table, bandwidth=1e-9).area.value == pytest.approx(th.measures.auc(table))
    flipped = kernel_roc(ScoreTable.from_scores(Y, -S, direction="lower"), bandwidth=(0.3, 0.4))
    assert flipped.area.value == pytest.approx(kernel_roc(table, bandwidth=(0.3, 0.4)).area.value)
    assert np.all(np.diff(flipped.curve.thresholds) > 0)


def test_repeated_rows_are_frequency_weights() -> None:
    times = RNG.integers(1, 4, Y.size)
    weighted = kernel_roc(ScoreTable.from_scores(Y, S, weights=times, weight_kind="frequency"))
    repeated = kernel_roc(ScoreTable.from_scores(np.repeat(Y, times), np.repeat(S, times)))
    assert weighted.bandwidths == pytest.approx(repeated.bandwidths)
    assert weighted.area.value == pytest.approx(repeated.area.value)


def test_the_area_over_folds_is_that_of_its_influence_functions() -> None:
    fold = np.arange(23) % 3
    found = cross_validated_auc(Y, S, fold)
    areas, squares = [], []
    for v in range(3):
        y, s = Y[fold == v], S[fold == v]
        beats = [[(a > b) + 0.5 * (a == b) for b in s[y == 0]] for a in s[y == 1]]
        area = np.mean(beats)
        influence = [*((np.mean(beats, axis=1) - area) / Y.mean()), *((np.mean(beats, axis=0) - area) / (1 - Y.mean()))]
        areas.append(area)
        squares.append(np.mean(np.square(influence)))
    error = math.sqrt(np.mean(squares) / 23)
    assert found.value == pytest.approx(np.mean(areas))
    assert found.standard_error == pytest.approx(error)
    assert found.high == pytest.approx(min(1, found.value + NormalDist().inv_cdf(0.975) * error))


def test_the_model_has_it_where_its_rows_have_folds() -> None:
    rows = {"y": Y.tolist(), "s": S.tolist(), "fold": [f"f{k % 3}" for k in range(23)]}
    model = th.evaluate(rows, label="y", scores="s", fold="fold")["s"]
    assert model.cross_validated_auc() == cross_validated_auc(Y, S, np.arange(23) % 3)
    lower = th.evaluate(rows | {"s": (-S).tolist()}, label="y", scores="s", fold="fold", direction="lower")["s"]
    assert lower.cross_validated_auc().value == model.cross_validated_auc().value


@pytest.mark.slow
def test_the_interval_over_folds_holds_the_area() -> None:
    rng = np.random.default_rng(1)
    truth, fold = np.repeat([1, 0], [60, 140]), np.arange(200) % 5
    area, inside = PHI(1 / math.sqrt(2)), 0
    for _ in range(2000):
        found = cross_validated_auc(truth, rng.normal(size=200) + truth, fold)
        inside += found.low <= area <= found.high
    assert 0.92 < inside / 2000 < 0.97


@pytest.mark.parametrize("b", [0.5, 1.0, 1.7])
def test_obuchowskis_variance_is_the_delta_method_of_the_area(b: float) -> None:
    p, n, a, step = 40, 70, 0.9, 1e-5

    def area(a: float, b: float) -> float:
        return PHI(a / math.hypot(1, b))

    f = (area(a + step, b) - area(a - step, b)) / (2 * step)
    g = (area(a, b + step) - area(a, b - step)) / (2 * step)
    ratio = n / p
    expected = f**2 * (1 + b**2 / ratio + a**2 / 2) / p + g**2 * b**2 * (1 + ratio) / (2 * ratio) / p
    assert obuchowski_variance(area(a, b), p, n, b=b) == pytest.approx(expected, rel=1e-6)
    # Of normal scores a and b move together, which the formula leaves out: it is on the safe side.
    rng = np.random.default_rng(3)
    pos, neg = rng.normal(a, 1, (4000, p)), rng.normal(0, b, (4000, n))
    s1, s0 = pos.std(axis=1), neg.std(axis=1)
    drawn = [area(*pair) for pair in zip((pos.mean(axis=1) - neg.mean(axis=1)) / s1, s0 / s1, strict=True)]
    assert 0.95 < obuchowski_variance(area(a, b), p, n, b=b) / np.var(drawn) < 1.6


def test_obuchowskis_variance_as_it_is_printed() -> None:
    for auc in (0.6, 0.8, 0.95):
        a2 = 2 * NormalDist().inv_cdf(auc) ** 2
        printed = 0.0099 * math.exp(-a2 / 2) * (5 * a2 + 8 + (a2 + 8) / 2) / 30
        assert obuchowski_variance(auc, 30, 60) == pytest.approx(printed, rel=0.005)
    assert obuchowski_variance(1.0, 30, 60) == 0


@pytest.mark.parametrize(("p", "n"), [(1, 1), (3, 7), (40, 10)])
def test_no_order_of_the_rows_has_less_average_precision(p: int, n: int) -> None:
    worst = ScoreTable.from_scores(np.repeat([0, 1], [n, p]), -np.arange(p + n))
    assert least_average_precision(p, n) == pytest.approx(th.measures.average_precision(worst), abs=1e-14)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.003])
def test_the_least_area_is_the_limit_of_many_rows(share: float) -> None:
    p = 3000
    n = round(p * (1 - share) / share)
    worst = ScoreTable(scores=np.arange(2.0, 0, -1), positive=np.array([0, p]), negative=np.array([n, 0]))
    assert least_pr_area(share) == pytest.approx(least_average_precision(p, n), abs=1e-3)
    assert precision_recall_curve(worst).area() >= least_pr_area(share) - 1e-12
    # Where precision runs from 0 at recall 0: ∫ πr/(πr + 1 − π) dr, by Simpson's rule.
    r = np.linspace(0, 1, 2001)
    y = share * r / (share * r + 1 - share)
    simpson = (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()) / 6000
    assert least_pr_area(share) == pytest.approx(simpson, rel=1e-9)


def test_the_least_area_at_its_ends() -> None:
    assert (least_pr_area(0), least_pr_area(1)) == (0, 1)
    assert least_pr_area(9.9e-5) == pytest.approx(1 + (1 - 9.9e-5) * math.log1p(-9.9e-5) / 9.9e-5, rel=1e-6)
