"""DeLong's tests against the structural components, R's values, and what must hold exactly."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import comparison_definitions as by_definition
import example_rows
from golden_values import load
from thresher.inference.auc.delong_rows import delong_contrast_test, delong_covariance
from thresher.inference.auc.tests import delong_test, delong_test_unpaired

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 3.0])),
    min_size=4,
    max_size=25,
).filter(lambda rows: 2 <= sum(y for y, *_ in rows) <= len(rows) - 2)
GOLDEN = [
    (name, key.split("/")[1])
    for name in ("breast_cancer", "digit_eight")
    for key in load(name)["results"]
    if key.endswith("/delong")
]


def columns(rows):
    table = np.array(rows, dtype=np.float64)
    return table[:, 0], table[:, 1], table[:, 2], table[:, 3]


@given(ROWS, st.sampled_from(["none", "importance", "frequency"]))
def test_paired_test_is_that_of_the_components(rows, kind):
    y, a, b, w = columns(rows)
    w = w * 2 if kind == "frequency" else w
    options = {} if kind == "none" else {"weights": w, "weight_kind": kind}
    found = delong_test(y, a, b, **options)
    value, variance = by_definition.paired_delong(y, a, b, None if kind == "none" else w, kind == "frequency")
    assert found.estimate == pytest.approx(value, abs=1e-13)
    classes = [w[y == c] for c in (0, 1)]
    few = kind == "importance" and min(x.sum() ** 2 / (x**2).sum() for x in classes) < 2 - 1e-9
    if few and found.p_value != 1:
        assert math.isnan(found.p_value)
        assert found.reason_code == "too-few-rows"
    elif variance > 1e-20:
        z = value / math.sqrt(variance)
        assert found.statistic == pytest.approx(z, rel=1e-7, abs=1e-7)
        assert found.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-6)
        half = 1.959963984540054 * math.sqrt(variance)
        assert found.low == pytest.approx(max(-1, value - half), abs=1e-12)
        assert found.high == pytest.approx(min(1, value + half), abs=1e-12)


@given(ROWS)
def test_rows_of_weight_zero_count_for_nothing(rows):
    y, a, b, w = columns(rows)
    more = [np.append(y, [0, 1]), np.append(a, [9, -9]), np.append(b, [-9, 9])]
    one, two = delong_test(y, a, b, weights=w), delong_test(*more, weights=np.append(w, [0, 0]))
    assert (one.estimate, one.p_value) == pytest.approx((two.estimate, two.p_value), rel=1e-6, nan_ok=True)


@given(ROWS)
def test_exchange_of_the_models_and_of_the_direction_changes_the_sign(rows):
    y, a, b, _ = columns(rows)
    found, other = delong_test(y, a, b, alternative="greater"), delong_test(y, b, a, alternative="less")
    assert found.estimate == -other.estimate
    assert found.p_value == pytest.approx(other.p_value, nan_ok=True)
    assert found.low == -other.high
    lower = delong_test(y, -a, -b, direction="lower")
    assert lower.estimate == found.estimate


def test_two_perfect_scores_do_not_have_an_interval_without_width():
    y = [1, 1, 1, 0, 0, 0]
    found = delong_test(y, [6, 5, 4, 3, 2, 1], [4, 5, 6, 1, 2, 3])
    assert (found.estimate, found.p_value) == (0, 1)
    assert found.low < -0.3
    assert found.high > 0.3


def test_a_difference_without_variance_has_a_reason_and_no_p_value():
    y = [1, 1, 0, 0]
    found = delong_test(y, [4, 3, 2, 1], [1, 2, 3, 4])
    assert found.estimate == 1
    assert math.isnan(found.p_value)
    assert found.reason_code == "no-spread"
    assert found.low < 1


@pytest.mark.parametrize(("y", "words"), [([1, 1, 1], "no negatives"), ([1, 0, 0], "two rows")])
def test_too_few_rows_of_a_class_are_a_reason(y, words):
    found = delong_test(y, [1, 2, 3], [3, 1, 2])
    assert math.isnan(found.p_value)
    assert words in found.reason


@pytest.mark.parametrize(("name", "pair"), GOLDEN)
def test_golden_values_of_proc(name, pair):
    results = load(name)["results"]
    a, b = (example_rows.scores(name, model) for model in pair.split("_vs_"))
    y = example_rows.truth(name)
    want = results[f"proc/{pair}/delong"]["value"]
    found = delong_test(y, a, b)
    assert found.statistic == pytest.approx(want["statistic"]["Z"], rel=1e-9)
    assert found.p_value == pytest.approx(want["p.value"], rel=1e-8)
    assert [found.low, found.high] == pytest.approx(want["conf.int"], abs=1e-10)
    greater = results[f"proc/{pair}/delong_greater"]["value"]
    greater = greater["p.value"] if isinstance(greater, dict) else greater
    assert delong_test(y, a, b, alternative="greater").p_value == pytest.approx(greater, rel=1e-8)
    cov = results[f"proc/{pair}/cov_delong"]["value"]
    assert delong_covariance(y, [a, b]).covariance[0, 1] == pytest.approx(cov, rel=1e-9)


@given(ROWS)
def test_covariance_is_that_of_the_components(rows):
    y, a, b, _ = columns(rows)
    found = delong_covariance(y, {"a": a, "b": b, "sum": a + b})
    assert np.allclose(found.covariance, by_definition.covariance(y, [a, b, a + b]), atol=1e-14)
    assert found.models == ("a", "b", "sum")


@given(ROWS)
def test_contrast_of_two_is_the_square_of_the_paired_test(rows):
    y, a, b, _ = columns(rows)
    pair = delong_test(y, a, b)
    assume(abs(pair.statistic) > 1e-6)
    found = delong_contrast_test(y, [a, b])
    assert found.statistic == pytest.approx(pair.statistic**2, rel=1e-6)
    assert found.p_value == pytest.approx(pair.p_value, rel=1e-5)
    assert found.df == 1
    assert found.estimate == pytest.approx(pair.estimate, abs=1e-13)


def test_a_model_given_twice_adds_no_degree_of_freedom():
    rng = np.random.default_rng(2)
    y = rng.random(200) < 0.4
    a, b = rng.normal(size=200) + y, rng.normal(size=200) + y
    found, pair = delong_contrast_test(y, [a, b, a]), delong_test(y, a, b)
    assert found.df == 1
    assert found.p_value == pytest.approx(pair.p_value, rel=1e-9)
    same = delong_contrast_test(y, [a, a, np.exp(a)])
    assert (same.statistic, same.p_value, same.df) == (0, 1, 0)


def test_contrasts_of_four_models_are_the_wald_form():
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    scores = [rng.normal(size=300) + k * y for k in (0.5, 0.8, 1.0, 1.5)]
    matrix = np.array([[1, -1, 0, 0], [0.5, 0.5, -0.5, -0.5]])
    found, known = delong_contrast_test(y, scores, matrix), delong_covariance(y, scores)
    value, spread = matrix @ known.aucs, matrix @ known.covariance @ matrix.T
    assert found.statistic == pytest.approx(value @ np.linalg.solve(spread, value), rel=1e-9)
    assert found.df == 2


@given(ROWS, ROWS)
def test_unpaired_test_adds_the_variances(first, second):
    (y, a, *_), (z, b, *_) = columns(first), columns(second)
    found = delong_test_unpaired(y, a, z, b)
    parts = [by_definition.covariance(t, [s, s])[0, 0] for t, s in ((y, a), (z, b))]
    assume(sum(parts) > 1e-12)
    aucs = [by_definition.components(t, s).mean() for t, s in ((y, a), (z, b))]
    assert found.estimate == pytest.approx(aucs[0] - aucs[1], abs=1e-13)
    assert found.statistic == pytest.approx((aucs[0] - aucs[1]) / math.sqrt(sum(parts)), rel=1e-6, abs=1e-9)
    by_t = delong_test_unpaired(y, a, z, b, distribution="t")
    assert by_t.p_value >= found.p_value - 1e-12
    assert by_t.high - by_t.low >= found.high - found.low - 1e-12
