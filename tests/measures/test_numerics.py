"""Numbers that a careless formula gets wrong: huge counts, tiny weights, long tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from measures.definitions import defined, parameter_sets
from thresher import kernel
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.counts.cells import class_cells
from thresher.inference.bootstrap.intervals import Bootstrap, bootstrap_replicates
from thresher.measures import find, measures, registry

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


RNG = np.random.default_rng(4)
TABLE = ThresholdTable.from_scores(RNG.integers(0, 2, 40), RNG.integers(0, 25, 40), weights=RNG.random(40))


@pytest.mark.parametrize("prior", [None, 0.2])
@pytest.mark.parametrize("entry", list(measures("cells", "matrix")), ids=lambda entry: entry.name)
def test_blocks_change_nothing(entry, prior, monkeypatch):
    table = TABLE if prior is None else TABLE.with_prevalence(prior)
    required = [name for name, default in entry.parameters.items() if default is registry.REQUIRED]
    needed = {name: "linear" if name == "weights" else 0.3 for name in required}
    whole = entry(table, **needed)
    monkeypatch.setattr(registry, "BLOCK", 7)
    np.testing.assert_array_equal(entry(table, **needed), whole)


def test_a_parameter_of_every_threshold_is_not_cut(monkeypatch):
    entry = registry.find("net_benefit")
    name = next(iter(entry.parameters))
    given = {name: np.linspace(0, 0.9, len(TABLE))}
    whole = entry(TABLE, **given)
    monkeypatch.setattr(registry, "BLOCK", 7)
    np.testing.assert_array_equal(entry(TABLE, **given), whole)


EER = find("equal_error_rate")


def one_by_one(positive, negative):
    scores = np.arange(positive.shape[1], 0.0, -1)
    return [EER(ScoreTable(scores=scores, positive=a, negative=b)) for a, b in zip(positive, negative, strict=True)]


@pytest.mark.parametrize(("m", "most"), [(1, 3), (2, 1), (7, 2), (60, 1), (60, 40)])
def test_a_batch_has_the_same_numbers(m, most):
    rng = np.random.default_rng([m, most])
    positive, negative = rng.integers(0, most + 1, (2, 200, m))
    positive[:3], negative[2:5] = 0, 0
    table = ScoreTable(scores=np.arange(m, 0.0, -1), positive=positive, negative=negative)
    found = EER(table)
    assert np.isnan(found[:5]).all()
    np.testing.assert_array_equal(found, one_by_one(positive, negative))


def test_counts_whose_product_is_too_large_are_taken_one_by_one():
    huge = np.array([[3, 2**31, 1], [5, 1, 2**31]])
    scores = np.array([3.0, 2.0, 1.0])
    table = ScoreTable(scores=scores, positive=huge, negative=huge[:, ::-1].copy())
    np.testing.assert_array_equal(EER(table), one_by_one(huge, huge[:, ::-1].copy()))


def test_replicates_are_those_of_the_tables_drawn():
    rng = np.random.default_rng(1)
    y = (np.arange(40) < 12).astype(int)
    table = ScoreTable.from_scores(y, rng.normal(size=40).round(1) + y)
    found = bootstrap_replicates(table, "equal_error_rate", Bootstrap(n=50))
    sample = found.sample.models[0]
    drawn = sample.tables(kernel.draws(found.sample.sizes, 50, seed=0, first=0))
    np.testing.assert_array_equal(found.values[:, 0, 0], one_by_one(drawn.positive, drawn.negative))


def test_rounded_sums_of_weights_leave_the_rates_of_separated_classes_whole():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        y = np.append([1, 0], rng.integers(0, 2, 40))
        s, weights = y + rng.random(y.size) / 2, rng.gamma(0.5, size=y.size) + 1e-3
        right, wrong = (th.evaluate(y, sign * s, weights=weights)["score"] for sign in (1, -1))
        error = right.equal_error_rate
        assert (error.value, error.standard_error, error.low) == (0, None, 0)
        assert (wrong.equal_error_rate.value, right.break_even_point.value) == (1, 1)
