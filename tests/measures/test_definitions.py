"""Every measure equals its definition, on all small matrices and on random larger ones."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures.definitions import BINARY, MATRIX, defined, parameter_sets
from thresher.counts import ConfusionMatrix
from thresher.measures import find, measures

NAMES = [entry.name for entry in measures("cells", "matrix")]
CASES = [(name, parameters) for name in NAMES for parameters in parameter_sets(name)]
ALL_SMALL = np.array(list(product(range(4), repeat=4))).reshape(-1, 2, 2)
ALL_SMALL_OF_THREE = np.array(list(product(range(2), repeat=9))).reshape(-1, 3, 3)

counts = st.one_of(st.integers(0, 3), st.integers(0, 60))


def test_every_measure_has_a_definition_of_its_own() -> None:
    assert set(NAMES) == BINARY.keys() | MATRIX.keys()


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_all_matrices_of_cells_up_to_three(name: str, parameters: dict) -> None:
    got = find(name)(ConfusionMatrix.from_counts(ALL_SMALL, labels=(1, 0)), **parameters)
    expected = [defined(name, matrix.tolist(), **parameters) for matrix in ALL_SMALL]
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("name", "parameters"), [case for case in CASES if case[0] in MATRIX])
def test_all_three_class_matrices_of_zeros_and_ones(name: str, parameters: dict) -> None:
    got = find(name)(ConfusionMatrix.from_counts(ALL_SMALL_OF_THREE), **parameters)
    expected = [defined(name, matrix.tolist(), **parameters) for matrix in ALL_SMALL_OF_THREE]
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)


@given(st.lists(counts, min_size=4, max_size=4))
def test_larger_matrices(cells: list[int]) -> None:
    matrix = np.array(cells).reshape(2, 2)
    table = ConfusionMatrix.from_counts(matrix, labels=(1, 0))
    for name, parameters in CASES:
        if name in BINARY:
            expected = defined(name, matrix.tolist(), **parameters)
            np.testing.assert_allclose(find(name)(table, **parameters), expected, rtol=1e-12, atol=1e-14, err_msg=name)


@given(st.integers(2, 5).flatmap(lambda k: st.lists(st.integers(0, 5), min_size=k * k, max_size=k * k)))
def test_matrices_of_any_number_of_classes(cells: list[int]) -> None:
    k = int(len(cells) ** 0.5)
    matrix = np.array(cells).reshape(k, k)
    table = ConfusionMatrix.from_counts(matrix, labels=[f"class {i}" for i in range(k)], positive=_first(k))
    for name, parameters in CASES:
        if name in MATRIX:
            expected = defined(name, matrix.tolist(), **parameters)
            np.testing.assert_allclose(find(name)(table, **parameters), expected, rtol=1e-12, atol=1e-13, err_msg=name)


def _first(k: int) -> str | None:
    return "class 0" if k == 2 else None
