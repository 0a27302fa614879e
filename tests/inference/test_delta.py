"""The delta method: slopes against differences, variances against the definition, widths on every edge, coverage."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

from thresher.counts import ConfusionMatrix
from thresher.inference.estimates.cells import average_slopes
from thresher.inference.estimates.methods import METHODS, methods_of
from thresher.inference.estimates.of_matrices import _least_agreement
from thresher.inference.limits import delta_intervals, limits, numeric
from thresher.inference.proportions.intervals import normal_quantile
from thresher.measures import find, measures
from thresher.measures.averaging import average
from thresher.results import Estimate

Z = normal_quantile(0.95)
SLOPES = {name: own.slopes for name, own in METHODS.items() if own.slopes is not None}
square = st.integers(3, 4).flatmap(lambda k: st.lists(st.integers(1, 60), min_size=k * k, max_size=k * k))


def as_matrix(cells: list[int]) -> np.ndarray:
    k = math.isqrt(len(cells))
    return np.array(cells, dtype=float).reshape(k, k)


@given(square, st.sampled_from([*SLOPES, "quadratic"]))
def test_slopes_of_k_classes_are_those_of_the_formula(cells: list[int], name: str) -> None:
    m = as_matrix(cells)
    entry = find("weighted_kappa" if name == "quadratic" else name)
    options = {"weighted_kappa": {"weights": "linear"}, "quadratic": {"weights": "quadratic"}}.get(name, {})
    value, found = SLOPES[entry.name](m, **options)
    expected_value, expected = numeric(lambda counts: entry.on(counts, **options))(m)
    assert value == pytest.approx(expected_value, rel=1e-12, abs=1e-14)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * np.abs(expected).max() + 1e-10)
    assert (m * found).sum() == pytest.approx(0, abs=1e-10)


@given(square, st.sampled_from(["macro", "micro", "weighted"]), st.sampled_from(["f1", "precision", "mcc", "npv"]))
def test_slopes_of_averages_are_those_of_the_average(cells: list[int], how: str, measure: str) -> None:
    m = as_matrix(cells)
    matrix = ConfusionMatrix.from_counts(m.astype(int))
    value, found = average_slopes(find(measure), how, {})(m)
    batch = numeric(lambda counts: average(replace(matrix, counts=counts), measure, how=how))
    expected_value, expected = batch(m)
    assert value == pytest.approx(expected_value, rel=1e-12)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8 * np.abs(expected).max() + 1e-11)


def test_a_proportion_has_its_binomial_error() -> None:
    """PPV by the delta method is a share of random size: its variance is p(1 − p)/n as for a fixed one."""
    counts = np.array([[30.0, 12.0], [10.0, 48.0]])
    slopes = numeric(lambda m: m[..., 0, 0] / (m[..., 0, 0] + m[..., 1, 0]))
    share = [Estimate(name="ppv", value=0.75)]
    (found,) = delta_intervals(share, counts[None], counts[None], slopes, bounds=[(0, 1)], level=0.95)
    assert found is not None
    assert found.standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 40), rel=1e-8)
    half = Z * found.standard_error / (0.75 * 0.25)
    ends = [1 / (1 + math.exp(-(math.log(3) + side * half))) for side in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-8)
    assert found.method == "delta method, logit scale"


def test_kappa_has_the_error_of_fleiss_cohen_and_everitt() -> None:
    """Σ p_ii[1 − (p_i. + p_.i)(1 − κ)]² + (1 − κ)² Σ_{i≠j} p_ij(p_.i + p_j.)² − [κ − p_e(1 − κ)]², over n(1 − p_e)²."""
    m = np.array([[44, 5, 1], [7, 20, 3], [9, 5, 6]], dtype=float)
    p, n = m / m.sum(), m.sum()
    row, column = p.sum(axis=1), p.sum(axis=0)
    expected = row @ column
    kappa = (np.trace(p) - expected) / (1 - expected)
    one = sum(p[i, i] * (1 - (row[i] + column[i]) * (1 - kappa)) ** 2 for i in range(3))
    two = sum(p[i, j] * (column[i] + row[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    variance = (one + (1 - kappa) ** 2 * two - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2)
    estimate = ConfusionMatrix.from_counts(m.astype(int)).estimate("kappa")
    assert estimate.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)


def test_macro_f1_has_the_error_of_takahashi() -> None:
    """Var = (Σ p·g² − (Σ p·g)²)/(9n) with g_ii = 2(1 − F_i)/s_i and g_ij = −(F_i/s_i + F_j/s_j)."""
    m = np.array([[50, 6, 4], [8, 30, 2], [6, 4, 20]], dtype=float)
    p, n = m / m.sum(), m.sum()
    s = p.sum(axis=0) + p.sum(axis=1)
    f = 2 * np.diagonal(p) / s
    slope = -(f / s)[:, None] - (f / s)[None, :]
    slope[np.diag_indices(3)] = 2 * (1 - f) / s
    variance = ((p * slope**2).sum() - (p * slope).sum() ** 2) / 9 / n
    assert ConfusionMatrix.from_counts(m.astype(int)).average("f1").standard_error == pytest.approx(
        math.sqrt(variance), rel=1e-8
    )


@pytest.mark.parametrize("name", ["recall", "precision", "f1"])
def test_micro_averages_that_are_the_accuracy_have_its_interval(name: str) -> None:
    matrix = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 4], [1, 1, 7]])
    micro, accuracy = matrix.average(name, how="micro"), matrix.estimate("accuracy")
    assert (micro.value, micro.low, micro.high) == (accuracy.value, accuracy.low, accuracy.high)
    assert micro.name == f"micro_{name}"


@pytest.mark.slow
def test_importance_weights_enter_squared_row_by_row() -> None:
    rng = np.random.default_rng(1)
    truth, predicted, weights = rng.integers(0, 2, 80), rng.integers(0, 2, 80), rng.exponential(size=80)
    matrix = ConfusionMatrix.from_predictions(truth, predicted, weights=weights)
    for name in ("mcc", "kappa", "lift", "fowlkes_mallows", "positive_likelihood_ratio"):

        def value(w: np.ndarray, name: str = name) -> float:
            return float(getattr(ConfusionMatrix.from_predictions(truth, predicted, weights=w), name))

        steps = np.eye(80) * 1e-6
        slope = np.array([(value(weights + h) - value(weights - h)) / 2e-6 for h in steps])
        error = math.sqrt(((slope * weights) ** 2).sum())
        assert matrix.estimate(name).standard_error == pytest.approx(error, rel=1e-6), name
        tenfold = ConfusionMatrix.from_predictions(truth, predicted, weights=10 * weights)
        assert tenfold.estimate(name).high == pytest.approx(matrix.estimate(name).high, rel=1e-9)


EDGES = [
    [[10, 0], [0, 20]], [[0, 10], [20, 0]], [[0, 3], [0, 5]], [[3, 0], [5, 0]], [[1, 0], [0, 0]], [[0, 0], [1, 0]],
    [[0, 1], [0, 0]], [[5, 0], [2, 7]], [[0, 6], [1, 9]], [[1, 0], [0, 1]],
]  # fmt: skip


def test_what_is_added_on_an_edge_is_said() -> None:
    three = ConfusionMatrix.from_counts(np.diag([5, 6, 7])).estimate("mcc")
    assert three.method == "delta method, 2/9 added to each cell, logit scale from the attainable minimum"
    assert 0.5 < three.low < 1 == three.high


def with_margins(p: tuple[int, ...], q: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Every table of whole numbers with these row and column sums."""
    if len(p) == 1:
        yield np.array([q])
        return
    for row in product(*(range(most + 1) for most in q)):
        if sum(row) == p[0]:
            for rest in with_margins(p[1:], tuple(most - one for most, one in zip(q, row, strict=True))):
                yield np.vstack([row, rest])


@pytest.mark.slow
@given(
    st.integers(2, 3).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=k, max_size=k)
    )
)
def test_kappa_and_matthews_correlation_stay_above_the_least_value_of_their_margins(counts: list[list[int]]) -> None:
    m = np.array(counts)
    assume(m.sum() > 0)
    matrix = ConfusionMatrix.from_counts(m, labels=range(len(m)))
    for name in ("cohen_kappa", "matthews_correlation"):
        found = matrix.estimate(name)
        if found.low is None:
            continue
        tables = with_margins(tuple(m.sum(axis=1).tolist()), tuple(m.sum(axis=0).tolist()))
        least = min(float(getattr(ConfusionMatrix.from_counts(t, labels=range(len(m))), name)) for t in tables)
        assert -1 <= found.low <= found.value <= found.high <= 1
        assert len(m) == 2 or found.low >= least - 1e-9 or found.value < least + 1e-9
        over = methods_of(name).limits.over
        assert _least_agreement(over, matrix.scaled) == pytest.approx(least, abs=1e-11)


def test_limits_of_kappa_are_symmetric_on_the_scale_of_its_margins() -> None:
    matrix = ConfusionMatrix.from_counts([[7, 3, 0], [10, 9980, 0], [0, 0, 5]])
    found = matrix.estimate("kappa")
    # Without a correct row of the first and the third class: 10 and 17 rows, 5 and 5, none in common.
    chance = (10 * 17 + 9990 * 9983 + 5 * 5) / 10_005**2
    least = ((9990 + 9983 - 10_005) / 10_005 - chance) / (1 - chance)
    share = (found.value - least) / (1 - least)
    half = Z * found.standard_error / (1 - least) / (share * (1 - share))
    ends = [least + (1 - least) / (1 + math.exp(-(math.log(share / (1 - share)) + s * half))) for s in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize("name", ["cohen_kappa", "matthews_correlation"])
def test_kappa_of_few_positives_is_held(name: str) -> None:
    """Independent truth and decision, three positives of each expected among 300: on a scale from −1 half is missed."""
    tables, times = np.unique(
        np.random.default_rng(2).multinomial(300, [1e-4, 0.0099, 0.0099, 0.9801], size=1000), axis=0, return_counts=True
    )
    held = known = 0
    for row, count in zip(tables, times.tolist(), strict=True):
        found = ConfusionMatrix.from_counts(row.reshape(2, 2), labels=(1, 0)).estimate(name)
        if found.low is not None and found.high is not None:
            known += count
            held += count * (found.low <= 0 <= found.high)
    assert held / known > 0.9


def test_parameters_decide_the_range_of_a_mean() -> None:
    matrix = ConfusionMatrix.from_counts([[1, 0], [0, 30]], labels=(1, 0))
    cost = matrix.estimate("average_cost", cost_fp=1, cost_fn=5)
    assert 0 == cost.value == cost.low < cost.high < 5
    benefit = matrix.estimate("net_benefit", threshold_probability=0.5)
    assert -1 < benefit.low < benefit.value < benefit.high < 1
    free = matrix.estimate("average_cost", cost_fp=0, cost_fn=0)
    assert free.low is None
    assert free.reason_code == "no-spread"


@given(st.floats(0.001, 0.999), st.floats(1e-4, 1), st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, math.inf)]))
def test_limits_stay_in_the_range(share: float, error: float, bounds: tuple[float, float]) -> None:
    center = bounds[0] + share * (min(bounds[1], 5.0) - bounds[0])
    assume(center != 0 or bounds[0] < 0)
    low, high = limits(center, error, bounds, Z)
    assert bounds[0] <= low <= center <= high <= bounds[1]


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 200])
def test_coverage_of_every_measure_is_near_the_level(n: int) -> None:
    shares = np.array([0.27, 0.06, 0.08, 0.59])
    truth = ConfusionMatrix.from_cells(**dict(zip(("tp", "fp", "fn", "tn"), 1e6 * shares, strict=True)))
    names = [m.name for m in measures("cells", "matrix") if m.shown_by_default]
    held, defined = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for tp, fp, fn, tn in np.random.default_rng(n).multinomial(n, shares, size=400):
        for name, estimate in ConfusionMatrix.from_cells(tp=tp, fp=fp, fn=fn, tn=tn).summary().items():
            if estimate.low is not None:
                defined[name] += 1
                held[name] += estimate.low <= float(getattr(truth, name)) <= estimate.high
    for name in names:
        # 400 samples: three standard errors below 94 %.
        assert held[name] / defined[name] > 0.905, name


@pytest.mark.parametrize(("measure", "true_positive_rate"), [("kappa", 0.0), ("kappa", 0.01), ("mcc", 0.01)])
def test_agreement_where_nothing_right_is_found(measure: str, true_positive_rate: float) -> None:
    """Of 10 positives and 40 negatives: the limits at margins without a true positive came from these margins alone.

    They had the value as the lower limit, so they covered 33 to 68 % of the time.
    """
    right, wrong = binom.pmf(np.arange(11), 10, true_positive_rate), binom.pmf(np.arange(41), 40, 0.05)
    ones = 10 * true_positive_rate
    value = getattr(ConfusionMatrix.from_counts([[ones, 10 - ones], [2, 38]], labels=(1, 0)), measure)
    covered = defined = 0.0
    for tp, fp in ((tp, fp) for tp in range(4) for fp in range(9)):
        found = ConfusionMatrix.from_counts([[tp, 10 - tp], [fp, 40 - fp]], labels=(1, 0)).estimate(measure)
        if found.low is not None and found.high is not None:
            defined += right[tp] * wrong[fp]
            covered += right[tp] * wrong[fp] * (found.low <= value <= found.high)
    assert covered / defined > 0.93
