"""Tests of two models of several classes: against pairs counted one by one, the jackknife and DeLong's test."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from thresher.inference import delong_test, delong_test_unpaired, multiclass_auc_test, multiclass_auc_test_unpaired
from thresher.inference.multiclass.auc import AVERAGES
from thresher.multiclass import conditional_auc

READ = {
    "hand_till": lambda auc: auc.hand_till, "hand_till_weighted": lambda auc: auc.hand_till_weighted,
    "macro_auc": lambda auc: auc.macro, "weighted_auc": lambda auc: auc.weighted, "micro_auc": lambda auc: auc.micro,
}  # fmt: skip


def drawn(seed, n=90, classes=3, decimals=1):
    """Truth and two models that share half of their noise, with ties."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    shared = rng.normal(size=(n, classes))
    return y, *((np.eye(classes)[y] + shared + rng.normal(size=(n, classes))).round(decimals) for _ in range(2))


def hand_till(y, scores, classes=3):
    """M and ψ of every row, pair of rows by pair of rows."""
    value, parts = 0.0, np.zeros(len(y))
    for k, other in product(range(classes), repeat=2):
        above, below = np.flatnonzero(y == k), np.flatnonzero(y == other)
        if k == other:
            continue
        for i, j in product(above, below):
            credit = (scores[i, k] > scores[j, k]) + 0.5 * (scores[i, k] == scores[j, k])
            share = credit / (classes * (classes - 1))
            value += share / len(above) / len(below)
            parts[i] += share / len(below)
            parts[j] += share / len(above)
    return value, parts


@given(st.integers(0, 10**6))
def test_m_is_compared_by_what_each_row_adds(seed):
    rng = np.random.default_rng(seed)
    y = np.append(np.repeat([0, 1, 2], 2), rng.integers(0, 3, 6))
    a, b = rng.integers(0, 4, (2, 12, 3)).astype(float)
    (one, first), (two, second) = hand_till(y, a), hand_till(y, b)
    classes = [y == k for k in range(3)]
    paired = sum(np.var((first - second)[k], ddof=1) / k.sum() for k in classes)
    parts = [[np.var(part[k], ddof=1) / k.sum() for part in (first - second, first, second)] for k in classes]
    degrees = [k.sum() - 1 for k in classes]
    apart = sum(one + two for _, one, two in parts)
    for found, variance, squared in (
        (multiclass_auc_test(y, a, b, scores=True), paired, [p[0] ** 2 for p in parts]),
        (multiclass_auc_test_unpaired(y, a, y, b, scores=True), apart, [p[1] ** 2 + p[2] ** 2 for p in parts]),
    ):
        assert found.estimate == pytest.approx(one - two, abs=1e-12)
        if variance > 1e-12:
            z = (one - two) / math.sqrt(variance)
            assert found.statistic == pytest.approx(z, abs=1e-9)
            df = variance**2 / sum(square / f for square, f in zip(squared, degrees, strict=True))
            assert found.p_value == pytest.approx(2 * student.sf(abs(z), df), abs=1e-9)
            half = student.ppf(0.975, df) * math.sqrt(variance)
            assert found.low == pytest.approx(max(-1, one - two - half), abs=1e-9)


def rejected(samples):
    """Share of samples of 12, 300 and 300 rows in which two equal models are told to differ at 5 %."""
    rng, y, count = np.random.default_rng(3), np.repeat([0, 1, 2], [12, 300, 300]), 0
    for _ in range(samples):
        shared = 1.2 * np.eye(3)[y] + rng.normal(size=(612, 3))
        a, b = (shared + rng.normal(size=(612, 3)) for _ in range(2))
        count += multiclass_auc_test(y, a, b, measure="macro_auc", scores=True).p_value < 0.05
    return count / samples


@pytest.mark.long
def test_equal_models_with_a_rare_class_rarely_differ():
    """9.2 % with a normal quantile; 2,000 samples: error 0.5 points."""
    assert 0.035 <= rejected(2000) <= 0.065


@pytest.mark.parametrize("measure", AVERAGES)
def test_the_error_of_a_difference_is_the_jackknifes(measure):
    y, a, b = drawn(3, n=150)
    found = multiclass_auc_test(y, a, b, measure=measure, scores=True)
    read = READ[measure]

    def gap(kept):
        one, two = (conditional_auc(y[kept], s[kept], scores=True, labels=[0, 1, 2]) for s in (a, b))
        return read(one) - read(two)

    left = np.array([gap(np.delete(np.arange(150), i)) for i in range(150)])
    every = np.arange(150)
    groups = [every] if measure == "micro_auc" else [every[y == k] for k in range(3)]
    variance = sum((len(g) - 1) / len(g) * ((left[g] - left[g].mean()) ** 2).sum() for g in groups)
    z = gap(every) / math.sqrt(variance)
    assert found.estimate == pytest.approx(gap(every))
    assert found.statistic == pytest.approx(z, rel=1e-9 if measure == "hand_till" else 0.03)


@pytest.mark.parametrize("measure", AVERAGES[:-1])
@pytest.mark.parametrize("kind", [None, "importance", "frequency"])
def test_two_mirrored_classes_are_compared_by_delongs_tests(measure, kind):
    y, a, b = drawn(4, classes=2)
    weights = None if kind is None else np.random.default_rng(5).integers(0, 4, 90).astype(float)
    one, two = (np.column_stack([-s[:, 1], s[:, 1]]) for s in (a, b))
    rows = {"weights": weights, "weight_kind": kind or "importance"}
    got = multiclass_auc_test(y, one, two, measure=measure, scores=True, **rows)
    want = delong_test(y, a[:, 1], b[:, 1], **rows)
    for name in ("estimate", "statistic"):
        assert getattr(got, name) == pytest.approx(getattr(want, name), rel=1e-9)
    assert want.p_value < got.p_value == pytest.approx(want.p_value, rel=0.1, abs=1e-3)  # Student's t, not normal
    both = None if weights is None else (weights, weights)
    rows = {"weights": both, "weight_kind": kind or "importance"}
    got = multiclass_auc_test_unpaired(y, one, y, two, measure=measure, scores=True, **rows)
    want = delong_test_unpaired(y, a[:, 1], y, b[:, 1], **rows)
    assert got.statistic == pytest.approx(want.statistic, rel=1e-9)


def test_each_column_may_have_its_own_transform_but_not_for_the_micro_average():
    y, a, _ = drawn(8)
    other = a * [1.0, 2, 3]
    assert multiclass_auc_test(y, a, other, scores=True).p_value == 1
    assert multiclass_auc_test(y, a, other, measure="micro_auc", scores=True).p_value < 1


def test_without_variance_an_interval_but_no_p_value():
    y = np.repeat([0, 1, 2], 5)
    right, wrong = np.eye(3)[y], np.eye(3)[(y + 1) % 3]
    found = multiclass_auc_test(y, right, wrong)
    assert found.estimate == pytest.approx(0.75)
    assert math.isnan(found.p_value)
    assert found.reason_code == "no-spread"
    assert "MOVER" in found.method
    assert found.low < 0.75 < found.high <= 1
    other = np.eye(3)[y] * 0.8 + 0.1 * np.arange(15)[:, None] / 15
    perfect = multiclass_auc_test(y, right, other, scores=True)
    assert (perfect.estimate, perfect.p_value) == (0, 1)
    assert perfect.low < 0 < perfect.high


def test_what_is_undefined_says_why():
    y, a, b = drawn(9)
    wide = [np.column_stack([s, np.zeros(90)]) for s in (a, b)]
    found = multiclass_auc_test(y, *wide, labels=range(4), scores=True)
    assert "class 3 is empty" in found.reason
    assert math.isnan(found.p_value)
    assert not math.isnan(multiclass_auc_test(y, *wide, labels=range(4), scores=True, measure="weighted_auc").p_value)
    single = np.append(np.zeros(5, int), np.append(np.ones(5, int), 2))
    found = multiclass_auc_test(single, a[:11], b[:11], scores=True)
    assert "two rows of each class" in found.reason
    assert found.low is None
