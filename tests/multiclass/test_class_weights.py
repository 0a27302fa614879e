"""Class weights: every step of the search against matrices counted anew, and what is found against grids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.decisions import choose, weighted_labels
from thresher.inference.bootstrap.statistics import BestF1
from thresher.measures import find
from thresher.multiclass import Posteriors, optimize_class_weights
from thresher.multiclass.class_objective import Moves, objective_of
from thresher.multiclass.class_weights import TopTwo, decided

AVERAGED = ["macro_f1", "weighted_precision", "macro_recall", "micro_f1", "macro_specificity", "macro_fdr"]
MEASURES = [*AVERAGED, "accuracy", "kappa", "mcc", "balanced_accuracy"]


def confusion(truth, predicted, weights, k):
    counts = np.zeros((k, k))
    np.add.at(counts, (truth, predicted), weights)
    return counts


def by_definition(measure, counts):
    """Value of a measure of a K×K matrix, classes in which it is 0/0 counting as 0."""
    matrix = ConfusionMatrix.from_counts(counts, labels=list("abcd")[: len(counts)], positive=None)
    how, _, rest = measure.partition("_")
    if measure == "accuracy":
        return np.trace(counts) / counts.sum()
    if how in ("macro", "weighted", "micro"):
        return matrix.average(rest, how=how, undefined=0.0).value
    return find(measure)(matrix)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([1.0, 0.5, 3.0])), min_size=1, max_size=12
    ),
    st.sampled_from(MEASURES),
)
@settings(max_examples=examples(120))
def test_values_along_moves_are_those_of_matrices(rows, measure):
    truth, leaves, weights = (np.array(column) for column in zip(*rows, strict=True))
    keep = leaves != 1
    truth, leaves, weights = truth[keep], leaves[keep], weights[keep].astype(float)
    if not truth.size:
        return
    objective = objective_of(measure, None, 3)
    cuts = np.arange(truth.size + 1)
    moves = Moves(1, truth, leaves, weights, 3)
    found = objective.along(moves, cuts)
    assert len(found) == cuts.size
    for cut, value in zip(cuts, found, strict=True):
        counts = confusion(truth, np.where(np.arange(truth.size) < cut, 1, leaves), weights, 3)
        want = by_definition(measure, counts)
        assert value == pytest.approx(want, rel=1e-9, abs=1e-12, nan_ok=True)
        assert objective.of(counts) == pytest.approx(want, rel=1e-12, abs=1e-12, nan_ok=True)


def test_costs_along_moves():
    rng = np.random.default_rng(0)
    truth, leaves, weights = rng.integers(0, 3, 40), rng.integers(0, 2, 40), rng.random(40)
    costs = rng.normal(size=(3, 3))
    objective = objective_of("", costs, 3)
    found = objective.along(Moves(2, truth, leaves, weights, 3), np.arange(41))
    for cut in range(41):
        predicted = np.where(np.arange(40) < cut, 2, leaves)
        assert found[cut] == pytest.approx((weights * costs[truth, predicted]).sum() / weights.sum())
    assert objective.sign == -1


def rows(n=150, k=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(k), np.linspace(1, 4, k).astype(int) * n // (3 * k))
    logits = np.eye(k)[codes] * 1.2 + rng.normal(size=(codes.size, k)) + np.arange(k)
    p = np.exp(logits)
    return codes, p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "measure",
    [
        "macro_f1",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("accuracy", "kappa", "macro_recall", "mcc")),
    ],
)
def test_no_change_of_one_weight_is_better(measure):
    codes, p = rows()
    found = optimize_class_weights(codes, p, measure=measure, folds=None)
    assert found.converged
    assert found.apparent == pytest.approx(by_definition(measure, found.matrix.counts), rel=1e-12)
    assert found.apparent >= found.unweighted
    assert np.exp(np.log(found.weights).mean()) == pytest.approx(1)
    for k in range(3):
        for factor in np.geomspace(0.01, 100, 301):
            weights = found.weights.copy()
            weights[k] *= factor
            other = confusion(codes, decided(p, weights), np.ones(codes.size), 3)
            assert np.nan_to_num(by_definition(measure, other), nan=-1) <= found.apparent + 1e-12


@pytest.mark.slow
def test_search_comes_near_to_the_best_of_a_grid():
    codes, p = rows(90, seed=3)
    found = optimize_class_weights(codes, p, folds=None)
    grid = np.geomspace(0.05, 20, 31)
    best = max(
        by_definition("macro_f1", confusion(codes, decided(p, np.array([1.0, a, b])), np.ones(codes.size), 3))
        for a in grid
        for b in grid
    )
    assert found.apparent >= best - 0.01


def test_two_classes_are_a_threshold():
    codes, p = rows(200, 2, seed=5)
    codes = 1 - codes
    found = optimize_class_weights(codes, p, measure="macro_recall", folds=None)
    table = ScoreTable.from_scores(codes == 1, p[:, 1])
    assert 2 * found.apparent - 1 == pytest.approx(choose(table, "youden").best.value)
    found = optimize_class_weights(codes, p, measure="accuracy", folds=None)
    assert found.apparent == pytest.approx(choose(table, "max accuracy").best.value)
    assert BestF1()(table) >= found.matrix.f1


def test_decisions_are_those_of_weighted_labels():
    codes, p = rows()
    found = optimize_class_weights(codes, p, folds=None)
    assert np.array_equal(found.decide(p), weighted_labels(p, found.weights))
    assert np.array_equal(found.matrix.counts, confusion(codes, found.decide(p), np.ones(codes.size), 3))


def test_costs_that_are_calibrated_ask_for_cheapest_labels():
    """With calibrated posteriors and costs of a true class alone, w_k = 1/cost_k is the best decision."""
    rng = np.random.default_rng(9)
    p = rng.dirichlet(np.ones(3), 20_000)
    codes = (rng.random(20_000)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    price = np.array([1.0, 4.0, 2.0])
    costs = price[:, None] * (1 - np.eye(3))
    found = optimize_class_weights(codes, p, costs=costs, folds=None)
    want = 1 / price / np.exp(np.log(1 / price).mean())
    assert found.weights == pytest.approx(want, rel=0.12)
    assert found.measure == "expected cost"
    assert found.apparent <= found.unweighted


def test_cross_fitting_decides_every_row_without_its_fold():
    codes, p = rows(120, seed=7)
    folds = np.random.default_rng(0).integers(0, 3, codes.size)
    found = optimize_class_weights(codes, p, folds=folds)
    predicted = np.empty(codes.size, dtype=int)
    for fold in range(3):
        out = folds == fold
        chosen = optimize_class_weights(codes[~out], p[~out], folds=None, labels=[0, 1, 2])
        predicted[out] = decided(p[out], chosen.weights)
    want = by_definition("macro_f1", confusion(codes, predicted, np.ones(codes.size), 3))
    assert found.cross_fitted == pytest.approx(want, rel=1e-12)
    assert found.folds == 3
    assert found.optimism == found.apparent - found.cross_fitted


@pytest.mark.slow
def test_apparent_values_flatter_and_cross_fitted_ones_do_not():
    """On pure noise, weights gain nothing on new rows; the apparent value says otherwise."""
    rng = np.random.default_rng(1)
    apparent, honest = [], []
    for seed in range(12):
        codes, p = rng.integers(0, 3, 90), rng.dirichlet(np.ones(3), 90)
        found = optimize_class_weights(codes, p, measure="macro_recall", rng=seed)
        apparent.append(found.apparent)
        honest.append(found.cross_fitted)
    assert np.mean(apparent) > 0.37
    assert np.mean(honest) == pytest.approx(1 / 3, abs=0.04)


def test_weights_of_rows_repeat_them():
    codes, p = rows(60)
    times = np.random.default_rng(2).integers(1, 4, codes.size)
    index = np.repeat(np.arange(codes.size), times)
    weighted = optimize_class_weights(codes, p, weights=times, weight_kind="frequency", folds=None)
    repeated = optimize_class_weights(codes[index], p[index], folds=None)
    assert weighted.apparent == pytest.approx(repeated.apparent)
    assert weighted.weights == pytest.approx(repeated.weights)
    assert np.array_equal(weighted.matrix.counts, repeated.matrix.counts)


def test_a_grid_that_is_refined_finds_a_peak():
    codes, _ = rows(600, seed=11)
    objective = objective_of("kappa", None, 3)
    rng = np.random.default_rng(0)
    moves = Moves(0, codes, 1 + rng.integers(0, 2, codes.size), np.ones(codes.size), 3)
    cuts = np.arange(codes.size + 1)
    values = objective.best(moves, cuts)
    assert np.nanmax(values) == pytest.approx(np.nanmax(objective.along(moves, cuts)))


@given(st.integers(2, 5), st.integers(0, 1000))
@settings(max_examples=examples(40))
def test_two_largest_are_kept_up_to_date(k, seed):
    rng = np.random.default_rng(seed)
    table, weights = rng.integers(0, 4, (20, k)) / 4.0, rng.integers(1, 4, k).astype(float)
    state = TopTwo.of(table, weights)
    for _ in range(6):
        j = int(rng.integers(0, k))
        weights[j] = rng.integers(1, 5) / 2
        state.change(table, weights, j)
        values = table / weights
        assert np.array_equal(state.first, values.argmax(axis=1))
        for c in range(k):
            others = values.copy()
            others[:, c] = -1
            rival, leaves = state.without(c)
            assert rival == pytest.approx(others.max(axis=1))
            assert (others[np.arange(20), leaves] == rival).all()


def test_absent_classes_and_given_posteriors():
    codes, p = rows(60)
    wide = np.column_stack([p * 0.9, np.full(codes.size, 0.1)])
    found = optimize_class_weights(Posteriors.of(codes, wide, labels=range(4)))
    assert found.weights.size == 4
    assert np.isfinite(found.weights).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_rows_that_no_weight_moves_are_decided(measure):
    """A search of one-hot rows was an error of NumPy, about arrays of other shapes."""
    codes = np.arange(30) % 3
    found = optimize_class_weights(codes, np.tile([1.0, 0, 0], (30, 1)), measure=measure)
    assert found.matrix.counts[:, 0].tolist() == [10, 10, 10]
    own = optimize_class_weights(codes, np.eye(3)[np.roll(codes, 1)], measure=measure)
    assert own.apparent == own.unweighted
