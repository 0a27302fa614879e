"""DeLong's variance and interval against the structural components, and what holds at the edges."""

import math
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import curve_definitions as by_definition
import example_rows
import thresher as th
from curve_definitions import ROWS, table_of, unweighted
from golden_values import load
from thresher.counts import ScoreTable
from thresher.inference.auc.delong import delong_interval, delong_variance, hanley_mcneil_interval, newcombe5
from thresher.inference.auc.delong_rows import placed_rows
from thresher.inference.auc.tests import delong_pairwise_tests, delong_test

Z = NormalDist().inv_cdf(0.975)


def has_two_of_each(rows):
    """Whether each class has two rows or more."""
    return min(sum(y == c for y, _, _ in rows) for c in (0, 1)) >= 2


TWO_OF_EACH = ROWS.filter(has_two_of_each)
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.997]


@given(rows=TWO_OF_EACH)
def test_variance_is_that_of_the_structural_components(rows):
    found = delong_variance(table_of(rows))
    assert found.variance == pytest.approx(by_definition.delong_variance(rows), abs=1e-14)
    assert found.auc == pytest.approx(float(by_definition.auc(unweighted(rows))), abs=1e-15)


@given(rows=TWO_OF_EACH)
def test_weighted_variance_is_that_of_weighted_means(rows):
    found = delong_variance(table_of(rows, "importance"))
    assert found.variance == pytest.approx(by_definition.weighted_delong_variance(rows), abs=1e-13)
    assert found.is_effective


@given(rows=TWO_OF_EACH, weight=st.sampled_from([0.1, 1.0, 7.0]))
def test_equal_importance_weights_give_the_interval_of_none(rows, weight):
    plain = delong_interval(table_of(rows))
    weighted = delong_interval(table_of([(y, s, weight) for y, s, _ in rows], "importance"))
    assert weighted.low == pytest.approx(plain.low, abs=1e-12)
    assert weighted.high == pytest.approx(plain.high, abs=1e-12)
    assert weighted.n == pytest.approx(plain.n)
    assert "effective size" in weighted.method
    assert "effective size" not in plain.method


@given(rows=TWO_OF_EACH, cut=st.integers(0, 14))
def test_merged_is_whole_and_the_scale_of_the_scores_does_not_matter(rows, cut):
    whole = delong_interval(table_of(rows))
    parts = [table_of(part) if part else ScoreTable.empty() for part in (rows[:cut], rows[cut:])]
    assert delong_interval(parts[0] + parts[1]) == whole
    assert delong_interval(table_of([(y, math.exp(s), w) for y, s, w in rows])) == whole
    assert delong_interval(table_of(rows).with_prevalence(0.01)) == whole


@given(rows=TWO_OF_EACH, scale=st.sampled_from(["auto", "plain", "logit"]))
def test_intervals_hold_the_value_and_have_width_inside_0_and_1(rows, scale):
    table = table_of(rows)
    found = [delong_interval(table, level=level, scale=scale) for level in LEVELS]
    for one in found:
        assert 0 <= one.low <= one.value <= one.high <= 1
        assert one.low < one.high
    for narrow, wide in pairwise(found):
        assert narrow.method == wide.method
        assert wide.low <= narrow.low + 1e-15
        assert wide.high >= narrow.high - 1e-15


def test_logit_scale_near_the_ends_and_only_there():
    near = delong_interval(ScoreTable.from_scores([1, 1, 1, 0, 1, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]))
    assert near.method == "DeLong, logit scale"
    assert near.high < 1
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    far = delong_interval(ScoreTable.from_scores(y, rng.normal(size=2000) + y))
    assert far.method == "DeLong"
    assert (far.low, far.high) == pytest.approx(
        (far.value - Z * far.standard_error, far.value + Z * far.standard_error)
    )


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_newcombes_method_5_at_perfect_order(level):
    """The limit θ solves 1 − θ = z·√V(θ); the interval has width, and ends at 1."""
    found = delong_interval(ScoreTable.from_scores([1] * 12 + [0] * 30, [2] * 12 + [1] * 30), level=level)
    assert (found.value, found.high, found.standard_error) == (1.0, 1.0, None)
    assert "Newcombe" in found.method
    z, theta, p, n = NormalDist().inv_cdf((1 + level) / 2), found.low, 12, 30
    m = (p + n) / 2 - 1
    variance = theta * (1 - theta) / (p * n) * (1 + m * (1 - theta) / (2 - theta) + m * theta / (1 + theta))
    assert 1 - theta == pytest.approx(z * math.sqrt(variance), rel=1e-12)
    turned = delong_interval(ScoreTable.from_scores([0] * 12 + [1] * 30, [2] * 12 + [1] * 30), level=level)
    assert (turned.value, turned.low) == (0.0, 0.0)
    assert turned.high == pytest.approx(1 - found.low, abs=1e-12)


def test_newcombes_method_5_is_the_root_of_his_quartic():
    """Both limits solve (θ̂ − θ)² = z²·V(θ), multiplied through by the denominators of V."""
    poly = np.polynomial.Polynomial
    theta, p, n, z, value = poly([0, 1]), 20, 35, 1.96, 0.83
    m = (p + n) / 2 - 1
    bracket = (2 - theta) * (1 + theta) + m * ((1 - theta) * (1 + theta) + theta * (2 - theta))
    roots = ((value - theta) ** 2 * p * n * (2 - theta) * (1 + theta) - z**2 * theta * (1 - theta) * bracket).roots()
    inside = sorted(r.real for r in roots if abs(r.imag) < 1e-12 and 0 < r.real < 1)
    assert newcombe5(value, p, n, z) == pytest.approx(inside, abs=1e-10)


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ([1, 0, 1], "is 1 negative"),
        ([0, 1, 0], "is 1 positive"),
    ],
)
def test_fewer_than_two_of_a_class_give_a_value_and_a_reason(truth, words):
    found = delong_interval(ScoreTable.from_scores(truth, [3, 2, 1][: len(truth)]))
    assert found.is_defined
    assert (found.low, found.high, found.standard_error, found.level) == (None, None, None, None)
    assert words in found.reason


@pytest.mark.parametrize(
    ("truth", "words"), [([1, 1], "no negatives"), ([0], "no positives"), ([], "no positives and")]
)
def test_a_missing_class_leaves_the_auc_undefined_with_the_reason(truth, words):
    found = delong_interval(ScoreTable.from_scores(np.array(truth, dtype=np.uint8), list(range(len(truth)))))
    assert not found.is_defined
    assert words in found.reason


@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 0.9, 20)])
def test_equal_scores_have_an_interval_with_width_around_one_half(weights):
    found = delong_interval(ScoreTable.from_scores([1, 0] * 10, [3.0] * 20, weights=weights))
    assert found.value == pytest.approx(0.5, abs=1e-15)
    assert found.low < 0.4
    assert found.high > 0.6
    assert "Newcombe" in found.method


def test_few_effective_rows_are_few_rows():
    table = ScoreTable.from_scores([1, 1, 0, 0], [4, 2, 3, 1], weights=[1000, 1, 1, 1])
    assert delong_interval(table).reason_code == "too-few-rows"
    assert delong_interval(ScoreTable.from_scores([1, 1, 0, 0], [4, 2, 3, 1], weights=[0.1] * 4)).low is not None


def test_many_rows_do_not_overflow():
    """Elsewhere 144,720 rows give a count that wraps around, and an interval of 1 to 1."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 144_720)
    s = np.round(rng.normal(size=y.size) + y, 2)
    found = delong_interval(ScoreTable.from_scores(y, s))
    sizes = (y == 1).sum(), (y == 0).sum()
    ranks = {c: np.searchsorted(np.sort(s[y == c]), s[y != c], "left") for c in (0, 1)}
    upper = {c: np.searchsorted(np.sort(s[y == c]), s[y != c], "right") for c in (0, 1)}
    below = (ranks[0] + upper[0]) / 2 / sizes[1]
    variance = np.var(below, ddof=1) / sizes[0] + np.var((ranks[1] + upper[1]) / 2 / sizes[0], ddof=1) / sizes[1]
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)
    assert found.low < found.value < found.high < 1


@pytest.mark.parametrize(("name", "model"), example_rows.MODELS)
def test_as_proc_says_on_the_examples(name, model):
    golden = load(name)["results"]
    y, scores = example_rows.truth(name), example_rows.scores(name, model)
    table = ScoreTable.from_scores(y, scores)
    assert delong_variance(table).variance == pytest.approx(golden[f"proc/{model}/var_delong"]["value"], rel=1e-12)
    for level in (0.9, 0.95):
        found = delong_interval(table, level=level, scale="plain")
        expected = golden[f"proc/{model}/ci_delong_{level}"]["value"]
        assert (found.low, found.value, found.high) == pytest.approx(expected, abs=1e-13)
    logit = delong_interval(table, scale="logit")
    assert (logit.low, logit.high) == pytest.approx(golden[f"base/{model}/ci_delong_logit_0.95"]["value"], abs=1e-13)
    turned = golden[f"proc/{model}/lower_is_positive"]["value"]
    lower = delong_interval(ScoreTable.from_scores(y, scores, direction="lower"), scale="plain")
    assert lower.standard_error**2 == pytest.approx(turned["var_delong"], rel=1e-12)
    assert (lower.low, lower.value, lower.high) == pytest.approx(turned["ci_delong_0.95"], abs=1e-13)


@pytest.mark.parametrize(
    ("truth", "auc", "sizes"), [([1, 0, 0, 0], 1, (1, 3)), ([0, 1, 1, 1], 0, (3, 1)), ([1, 0], 1, (1, 1))]
)
def test_an_area_at_its_end_has_newcombe_s_interval_also_with_one_row_of_a_class(truth, auc, sizes):
    found = delong_interval(ScoreTable.from_scores(truth, range(len(truth), 0, -1)))
    known = hanley_mcneil_interval(auc, *sizes)
    assert (found.low, found.high) == (known.low, known.high) == newcombe5(auc, *sizes, Z)
    assert found.method == "Newcombe's method 5, as DeLong's is undefined here"
    assert found.standard_error is None


def test_pairwise_tests_are_those_of_two():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    scores = {name: rng.normal(size=200).round(1) + y for name in "abcd"}
    found = delong_pairwise_tests(y, scores)
    assert list(found) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert all(found[i, j] == delong_test(y, scores[i], scores[j]) for i, j in found)
    compared = th.evaluate(y, scores).compare(test="delong")
    assert [c.p_value for c in compared] == [result.p_value for result in found.values()]


tied = st.integers(-3, 6).map(lambda i: i / 4)


@given(st.lists(st.tuples(st.integers(0, 1), tied, tied), min_size=4, max_size=30))
def test_covariances_are_those_of_exact_fractions(found):
    table = np.array(found)
    truth, scores = table[:, 0].astype(np.uint8), [table[:, 1], table[:, 2]]
    rows = placed_rows(truth, scores)
    if rows.reason() is not None:
        return
    ranks = [[Fraction(0)] * truth.size for _ in scores]
    for k, score in enumerate(scores):
        for i in range(truth.size):
            others = np.flatnonzero(truth != truth[i])
            over = [Fraction(2 * int(score[i] > score[j]) + int(score[i] == score[j]), 2) for j in others]
            share = sum(over) / len(others)
            ranks[k][i] = share if truth[i] else 1 - share
    for side, covariances in zip((1, 0), rows.covariances(0, 1), strict=True):
        members = np.flatnonzero(truth == side)
        n = len(members)
        means = [sum(rank[i] for i in members) / n for rank in ranks]
        for k in range(2):
            for m in range(2):
                products = sum((ranks[k][i] - means[k]) * (ranks[m][i] - means[m]) for i in members)
                assert covariances[k, m] == pytest.approx(float(products / n / (n - 1)), rel=1e-12, abs=1e-16)
