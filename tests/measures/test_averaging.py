"""Averages over classes against rows counted one by one; an undefined class is named, never dropped."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.strategies import matrices
from measures.definitions import BINARY, defined, parameter_sets, rows_of
from shares import examples
from thresher.counts import ConfusionMatrix
from thresher.errors import UndefinedMeasureWarning
from thresher.measures.averaging import average

# Class "c" is never predicted.
BLIND = ConfusionMatrix.from_counts([[5, 1, 0], [2, 3, 0], [1, 1, 0]], labels=["a", "b", "c"])
ABSENT = ConfusionMatrix.from_counts([[5, 1, 1], [2, 3, 0], [0, 0, 0]], labels=["a", "b", "c"])


def by_rows(matrix: list[list[int]], c: int) -> list[list[int]]:
    """Matrix [[TP, FN], [FP, TN]] of one class against the rest, counted row by row."""
    cells = [[0, 0], [0, 0]]
    for truth, predicted in rows_of(matrix):
        cells[truth != c][predicted != c] += 1
    return cells


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(cells=st.lists(st.integers(0, 4), min_size=9, max_size=9))
def test_averages_equal_their_definition(cells: list[int]) -> None:
    counts = np.array(cells).reshape(3, 3).tolist()
    matrix = ConfusionMatrix.from_counts(counts)
    parts = [by_rows(counts, c) for c in range(3)]
    support = [sum(row) for row in counts]
    for name in BINARY:
        parameters = parameter_sets(name)[0]
        values = [defined(name, part, **parameters) for part in parts]
        weighted = math.nan
        if sum(support):
            used = [(s, v) for s, v in zip(support, values, strict=True) if s]
            weighted = sum(s * v for s, v in used) / sum(support)
        expected = {
            "macro": sum(values) / 3,
            "weighted": weighted,
            "micro": defined(name, np.sum(parts, axis=0).tolist(), **parameters),
        }
        for how, value in expected.items():
            got = average(matrix, name, how=how, **parameters).value
            np.testing.assert_allclose(got, value, rtol=1e-12, atol=1e-14, err_msg=f"{how} {name}")
        each = average(matrix, name, how="none", **parameters)
        np.testing.assert_allclose([each[c].value for c in range(3)], values, rtol=1e-12, atol=1e-14)


def test_an_undefined_class_makes_the_mean_undefined_and_is_named() -> None:
    estimate = BLIND.average("precision")
    assert math.isnan(estimate.value)
    assert estimate.name == "macro_precision"
    assert estimate.reason == "precision is undefined for class 'c' (nothing is predicted positive)"
    assert math.isnan(ABSENT.average("recall").value)
    assert ABSENT.average("recall").reason == "recall is undefined for class 'c' (there are no positives)"


def test_a_number_stands_for_the_undefined_class() -> None:
    assert BLIND.average("precision", undefined=0).value == pytest.approx((5 / 8 + 3 / 5) / 3)
    assert BLIND.average("precision", undefined=1).value == pytest.approx((5 / 8 + 3 / 5 + 1) / 3)
    assert BLIND.average("precision", undefined=0).reason_code == "stand-in"


def test_a_class_without_rows_has_no_part_in_the_weighted_mean() -> None:
    weighted = ABSENT.average("recall", how="weighted")
    assert weighted.value == pytest.approx(ABSENT.accuracy)
    assert weighted.reason is None
    # Mean recall by the rows of each class is the accuracy, so its delta interval is that of the accuracy.
    assert weighted.standard_error == pytest.approx(ABSENT.estimate("accuracy").standard_error)
    assert math.isnan(BLIND.average("precision", how="weighted").value)


def test_the_policy_for_undefined() -> None:
    with pytest.warns(UndefinedMeasureWarning, match="class 'c'"):
        assert math.isnan(BLIND.average("precision", undefined="warn").value)


def test_no_rows_at_all() -> None:
    empty = ConfusionMatrix.empty(["a", "b", "c"])
    for how in ("macro", "micro", "weighted"):
        for name in ("f1", "recall", "accuracy"):
            estimate = empty.average(name, how=how)
            assert math.isnan(estimate.value)
            assert estimate.reason


def test_a_batch_gives_arrays() -> None:
    batch = ConfusionMatrix(counts=np.stack([BLIND.counts, ABSENT.counts, BLIND.counts.T]), labels=BLIND.labels)
    assert batch.average("f1").shape == (3,)
    assert batch.average("f1", how="none").shape == (3, 3)
    macro = batch.average("precision")
    assert np.isnan(macro).tolist() == [True, False, False]
    assert macro[1] == pytest.approx((5 / 7 + 3 / 4 + 0) / 3)
    assert batch.average("precision", undefined=0)[0] == pytest.approx(BLIND.average("precision", undefined=0).value)
    with pytest.warns(UndefinedMeasureWarning, match="class 'c'"):
        batch.average("precision", undefined="warn")


@given(matrices(k=3))
def test_a_batch_is_a_loop(matrix: ConfusionMatrix) -> None:
    batch = ConfusionMatrix(counts=np.stack([matrix.counts] * 2), labels=matrix.labels)
    for how in ("macro", "micro", "weighted"):
        np.testing.assert_equal(batch.average("f1", how=how)[1], matrix.average("f1", how=how).value)


@given(matrices(k=3))
def test_identities(matrix: ConfusionMatrix) -> None:
    """Micro recall, precision and F1 and the weighted recall are the accuracy; macro recall is balanced accuracy."""
    for name in ("recall", "precision", "f1"):
        np.testing.assert_allclose(average(matrix, name, how="micro").value, matrix.accuracy, rtol=1e-12)
    np.testing.assert_allclose(average(matrix, "recall", how="weighted").value, matrix.accuracy, rtol=1e-12)
    np.testing.assert_allclose(average(matrix, "recall").value, matrix.balanced_accuracy, rtol=1e-12)


def test_two_classes_are_averaged_over_both_and_the_prior_counts() -> None:
    matrix = ConfusionMatrix.from_counts([[90, 10], [30, 70]], labels=[1, 0])
    assert matrix.average("recall").value == pytest.approx(0.8)
    at_prior = matrix.with_prevalence(0.25)
    expected = 0.25 * 0.9 + 0.75 * 0.7
    assert at_prior.average("recall", how="weighted").value == pytest.approx(expected)
    each = at_prior.average("precision", how="none")
    assert each[1].value == pytest.approx(0.225 / (0.225 + 0.225))
    assert each[0].value == pytest.approx(0.525 / (0.525 + 0.025))
    assert at_prior.average("precision").value == pytest.approx((each[0].value + each[1].value) / 2)


def test_wrong_options() -> None:
    assert BLIND.average("f-beta", beta=1).value == BLIND.average("f1").value
