"""Numbers that a careless formula gets wrong: huge counts, tiny weights, long tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures.definitions import defined, parameter_sets
from thresher.counts import ConfusionMatrix, ThresholdTable
from thresher.counts.cells import class_cells
from thresher.measures import measures

HUGE = [[2**61, 2**58], [2**57, 2**61 - 1]]


def test_huge_counts_do_not_overflow() -> None:
    matrix = ConfusionMatrix.from_counts(HUGE, labels=(1, 0))
    (tp, fn), (fp, tn) = HUGE
    p, n, pp, pn = tp + fn, fp + tn, tp + fp, fn + tn
    assert matrix.mcc == pytest.approx((tp * tn - fp * fn) / (p * n * pp * pn) ** 0.5, rel=1e-15)
    agreed, chance = (tp + tn) * (p + n), p * pp + n * pn
    assert matrix.kappa == pytest.approx((agreed - chance) / ((p + n) ** 2 - chance), rel=1e-15)
    assert matrix.f_beta(beta=2) == pytest.approx(5 * tp / (5 * tp + 4 * fn + fp), rel=1e-15)
    assert matrix.diagnostic_odds_ratio == pytest.approx(tp * tn / (fp * fn), rel=1e-15)


@pytest.mark.parametrize("size", [1e-100, 1e-30, 1.0, 1e30, 1e100])
def test_the_size_of_weights_does_not_matter(size: float) -> None:
    plain = ConfusionMatrix.from_counts([[0.9, 0.4], [0.2, 3.5]], labels=(1, 0))
    scaled = ConfusionMatrix.from_counts(size * plain.counts, labels=(1, 0))
    for entry in measures("cells", "matrix"):
        parameters = parameter_sets(entry.name)[0]
        expected = (size if entry.grows else 1) * entry(plain, **parameters)
        assert entry(scaled, **parameters) == pytest.approx(expected, rel=1e-12), entry.name


def test_a_correlation_near_zero_is_not_lost_in_rounding() -> None:
    n = 10**8
    matrix = ConfusionMatrix.from_counts([[n, n], [n, n + 1]], labels=(1, 0))
    # TP·TN − FP·FN = n exactly, over a denominator of about 4n².
    assert matrix.mcc == pytest.approx(n / ((2 * n) * (2 * n + 1)), rel=1e-8)
    assert matrix.kappa == pytest.approx(2 * n / ((2 * n) * (2 * n + 1) * 2), rel=1e-8)


def test_a_correlation_of_weights_whose_products_overflow() -> None:
    matrix = ConfusionMatrix.from_counts(np.array([[3.0, 1.0], [2.0, 5.0]]) * 1e100, labels=(1, 0))
    assert matrix.mcc == pytest.approx(defined("matthews_correlation", [[3, 1], [2, 5]]), rel=1e-14)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.7, 1e-9, 1e9]), min_size=16, max_size=16))
def test_a_cell_against_the_rest_is_zero_exactly_when_no_row_is_in_it(weights: list[float]) -> None:
    counts = np.array(weights).reshape(4, 4)
    cells = class_cells(counts)
    for i in range(4):
        rest = np.delete(np.delete(counts, i, 0), i, 1)
        parts = [counts[i, i], np.delete(counts[:, i], i).sum(), np.delete(counts[i], i).sum(), rest.sum()]
        got = [cells.tp[i], cells.fp[i], cells.fn[i], cells.tn[i]]
        np.testing.assert_allclose(got, parts, rtol=1e-14)
        assert [cell == 0 for cell in got] == [part == 0 for part in parts]


@given(st.lists(st.integers(0, 9), min_size=18, max_size=18))
def test_whole_cells_against_the_rest_are_exact(cells: list[int]) -> None:
    counts = np.array(cells).reshape(2, 3, 3)
    found = class_cells(counts)
    total = found.tp + found.fp + found.fn + found.tn
    assert total.tolist() == np.repeat(counts.sum(axis=(-2, -1))[:, None], 3, axis=1).tolist()
    assert (found.tn == np.array([[np.delete(np.delete(m, i, 0), i, 1).sum() for i in range(3)] for m in counts])).all()
    assert found.tn.dtype == np.int64


@pytest.mark.slow
def test_a_measure_at_a_million_thresholds_is_that_of_each_matrix() -> None:
    rng = np.random.default_rng(0)
    table = ThresholdTable.from_scores(rng.integers(0, 2, 10**6), rng.normal(size=10**6))
    assert len(table) == 10**6 + 1
    places = rng.integers(0, len(table), 20).tolist()
    for entry in measures("cells", "matrix"):
        parameters = parameter_sets(entry.name)[0]
        found = entry(table, **parameters)
        assert found.shape == (10**6 + 1,)
        alone = [float(entry(table.row(place, labels=(1, 0)), **parameters)) for place in places]
        assert found[places] == pytest.approx(alone, rel=1e-9, abs=1e-12, nan_ok=True), entry.name
