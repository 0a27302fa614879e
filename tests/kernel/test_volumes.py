"""Volumes under the ROC surface: every implementation against all tuples of rows, and all assignments."""

from itertools import pairwise, permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import brute
from shares import examples
from thresher import kernel
from thresher.kernel import backend, reference

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


def in_order(scores):
    """1/∏m! of a tuple whose scores never fall, m being the sizes of its groups of ties; else 0."""
    if any(a > b for a, b in pairwise(scores)):
        return 0.0
    _, sizes = np.unique(scores, return_counts=True)
    return 1 / np.prod([factorial(m) for m in sizes])


def by_tuples(codes, scores, weights, classes):
    """Volume, and each row's part in it, by every tuple of one row of each class."""
    members = [np.flatnonzero((codes == k) & (weights > 0)) for k in range(classes)]
    total, parts, tops = 0.0, np.zeros(len(codes)), np.zeros(len(codes))
    for rows in product(*members):
        weight, credit = np.prod(weights[list(rows)]), in_order(scores[list(rows)])
        total += weight * credit
        for row in rows:
            parts[row] += weight / weights[row] * credit
            tops[row] += weight / weights[row]
    every = np.prod([weights[rows].sum() for rows in members])
    with np.errstate(invalid="ignore"):
        return np.divide(total, every), np.divide(parts, tops)


@st.composite
def ordered_rows(draw):
    classes = draw(st.integers(2, 4))
    table = draw(
        st.lists(
            st.tuples(st.integers(0, classes - 1), st.integers(0, 4), st.sampled_from([1.0, 0.5, 3.0])),
            min_size=classes,
            max_size=14,
        )
    )
    rows = np.array(table)
    codes, scores = rows[:, 0].astype(np.int64), rows[:, 1]
    return classes, codes, scores, rows[:, 2] if draw(st.booleans()) else None


@both
@given(case=ordered_rows())
def test_ordinal_volume_is_that_of_all_tuples(use, case):
    classes, codes, scores, weights = case
    with backend.using(use):
        value, parts = kernel.ordinal_volume(codes, scores, classes, weights)
    want, influence = by_tuples(codes, scores, np.ones(len(codes)) if weights is None else weights, classes)
    assert value[0] == pytest.approx(want, rel=1e-12, abs=1e-15, nan_ok=True)
    if np.isfinite(want):
        assert parts == pytest.approx(influence, rel=1e-11, abs=1e-14)
    else:
        assert np.isnan(value[0])


@both
def test_ties_of_all_classes_count_one_in_all_orders(use):
    with backend.using(use):
        for classes in (2, 3, 5, 9):
            value, parts = kernel.ordinal_volume(np.arange(classes), np.zeros(classes), classes)
            assert value[0] == pytest.approx(1 / factorial(classes), rel=1e-14)
            assert parts == pytest.approx(np.full(classes, 1 / factorial(classes)), rel=1e-12)


@both
def test_two_classes_have_the_auc(use):
    rng = np.random.default_rng(0)
    codes, scores = rng.integers(0, 2, 200), rng.normal(size=200).round(1)
    found = kernel.concordance(codes.astype(bool), scores)
    with backend.using(use):
        value, _ = kernel.ordinal_volume(codes, scores, 2)
    assert value[0] == pytest.approx(found.twice_u / (2 * found.positives * found.negatives), rel=1e-13)


@both
@given(case=ordered_rows(), seed=st.integers(0, 99))
@settings(max_examples=examples(40))
def test_resamples_are_rows_repeated(use, case, seed):
    classes, codes, scores, weights = case
    drawn = np.random.default_rng(seed).integers(0, 3, (5, codes.size)).astype(np.uint8)
    with backend.using(use):
        values, none = kernel.ordinal_volume(codes, scores, classes, weights, drawn=drawn)
        for value, times in zip(values, drawn, strict=True):
            rows = np.repeat(np.arange(codes.size), times)
            again, _ = kernel.ordinal_volume(
                codes[rows], scores[rows], classes, None if weights is None else weights[rows]
            )
            assert value == pytest.approx(again[0], rel=1e-12, nan_ok=True)
    assert none is None


def test_many_rows_and_threads():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 5, 20_000)
    scores = (codes + rng.normal(size=codes.size) * 2).round(1)
    want = reference.ordinal_volume(codes, scores, 5, None, None, 1)
    found = kernel.ordinal_volume(codes, scores, 5)
    assert found[0] == pytest.approx(want[0], rel=1e-11)
    assert found[1] == pytest.approx(want[1], rel=1e-9)
    # A part is linear in the shares, so that those of each class average to the volume.
    for k in range(5):
        assert found[1][codes == k].mean() == pytest.approx(found[0][0], rel=1e-11)
    drawn = rng.integers(0, 3, (40, codes.size)).astype(np.uint8)
    one, many = (kernel.ordinal_volume(codes, scores, 5, drawn=drawn, threads=t)[0] for t in (1, 3))
    assert np.array_equal(one, many)


def by_assignments(matrix, rows, tolerance):
    """1/m when the identity is among m best of all K! assignments."""
    orders = list(permutations(range(matrix.shape[1])))
    sums = np.array([matrix[rows, order].sum() for order in orders])
    best = sums >= sums.max() - tolerance
    return best[0] / best.sum()


@both
@given(
    st.integers(2, 4),
    st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=3, max_size=6),
    st.booleans(),
)
def test_assignments_are_compared_with_all_others(use, classes, table, thirds):
    matrix = np.array(table, dtype=float)[:, :classes] / (3 if thirds else 10)
    tuples = np.array(list(product(range(len(matrix)), repeat=classes)))[:200]
    with backend.using(use):
        found = kernel.assignment_credit(matrix, tuples)
    want = [by_assignments(matrix, rows, 1e-12) for rows in tuples]
    assert found == pytest.approx(np.array(want), rel=1e-14)


def test_native_and_reference_agree_on_many_classes():
    rng = np.random.default_rng(5)
    matrix = rng.dirichlet(np.full(9, 0.3), 60).round(1)
    matrix += np.eye(9)[rng.integers(0, 9, 60)] * 0.3
    tuples = rng.integers(0, 60, (300, 9))
    want = reference.assignment(matrix, tuples, 1e-12, 1)
    for threads in (1, 3):
        assert np.array_equal(kernel.assignment_credit(matrix, tuples, threads=threads), want)
    assert np.array_equal(kernel.assignment_credit(np.asfortranarray(matrix), tuples), want)


@both
def test_bad_rows_are_named(use):
    with backend.using(use):
        for bad, kind in (([0, 3], "truth_code"), ([0, -1], "truth_code")):
            with pytest.raises(kernel.KernelInputError) as error:
                kernel.ordinal_volume(bad, [1.0, 2.0], 2)
            assert (error.value.kind, error.value.row) == (kind, 1)
        with pytest.raises(kernel.KernelInputError) as error:
            kernel.ordinal_volume([0, 1], [1.0, np.nan], 2)
        assert (error.value.kind, error.value.row) == ("score_nan", 1)
    for classes in (0, -1):
        with pytest.raises(ValueError, match=f"classes must be at least 1, not {classes}"):
            kernel.ordinal_volume([], [], classes)
    with pytest.raises(ValueError, match="drawn must be uint8"):
        kernel.ordinal_volume([0, 1], [1.0, 2.0], 2, drawn=np.ones((2, 3), dtype=np.uint8))
