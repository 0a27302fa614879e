"""Squared errors: against NumPy's own words, with every fault named at its row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import kernel
from thresher.kernel import backend, reference

BACKENDS = [backend.active(), reference]


@pytest.mark.parametrize("use", BACKENDS)
@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 4095, 4097, 65_535, 200_003])
def test_both_equal_their_definitions(use, rows):
    rng = np.random.default_rng(rows)
    truth, p = rng.integers(0, 2, rows), rng.random(rows)
    p[: rows // 3] = np.round(p[: rows // 3])
    with backend.using(use):
        expected = float(np.sum((p.astype(np.longdouble) - truth) ** 2))
        for column in (truth.astype(np.uint8), truth.astype(np.bool_)):
            assert kernel.squared_error(column, p, threads=2) == pytest.approx(expected, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("use", BACKENDS)
@given(value=st.sampled_from([2, 3, 128, 255]), row=st.integers(0, 99_999))
def test_the_first_truth_that_is_neither_is_named(use, value, row):
    truth = np.zeros(100_000, dtype=np.uint8)
    truth[row:] = value
    with backend.using(use):
        with pytest.raises(kernel.KernelInputError) as caught:
            kernel.squared_error(truth, np.zeros(truth.size))
        assert (caught.value.kind, caught.value.row) == ("truth", row)


@pytest.mark.parametrize("use", BACKENDS)
@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.nan, "score_nan"), (-1e-300, "score_range"), (np.nextafter(1.0, 2.0), "score_range"), (np.inf, "score_range")],
)
@pytest.mark.parametrize("row", [0, 5, 70_001])
def test_the_first_probability_that_is_none_is_named(use, value, kind, row):
    p = np.full(70_003, 0.5)
    p[row:] = value
    with backend.using(use):
        with pytest.raises(kernel.KernelInputError) as caught:
            kernel.squared_error(np.ones(p.size, dtype=np.uint8), p)
        assert (caught.value.kind, caught.value.row) == (kind, row)


def test_columns_with_gaps_are_read_as_they_look():
    truth, p = np.tile(np.array([0, 1], dtype=np.uint8), 50), np.linspace(0, 1, 100)
    assert kernel.squared_error(truth[::2], p[::2]) == pytest.approx(float(np.sum(p[::2] ** 2)))
