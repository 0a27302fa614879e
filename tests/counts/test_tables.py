"""Score and threshold tables against decisions made row by row."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.strategies import tables
from thresher import kernel
from thresher.conventions import is_positive
from thresher.counts import ScoreTable, ThresholdTable
from thresher.errors import InputError, RowsNeededError
from thresher.kernel import backend, reference
from thresher.measures.areas import auc, average_precision, gaps, sweep_areas, sweep_extremes

scores = st.one_of(st.sampled_from([0.0, -0.0, 0.5, np.inf, -np.inf]), st.floats(allow_nan=False, width=16))
rows = st.lists(st.tuples(st.integers(0, 1), scores, st.sampled_from([0.0, 0.5, 1.0, 3.0])), max_size=12)
directions = st.sampled_from(["higher", "lower"])


def arrays(sample: list) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth, score, weight = ([row[i] for row in sample] for i in range(3))
    return np.array(truth, dtype=np.uint8), np.array(score, dtype=float), np.array(weight, dtype=float)


@given(rows, directions, st.sampled_from([None, "importance", "frequency"]), scores)
def test_every_row_of_a_threshold_table_is_counted_by_hand(
    sample: list, direction: str, kind: str, other: float
) -> None:
    truth, score, weight = arrays(sample)
    weight = np.ceil(weight) if kind == "frequency" else weight
    options = {} if kind is None else {"weights": weight, "weight_kind": kind}
    table = ScoreTable.from_scores(truth, score, direction=direction, **options)
    thresholds = ThresholdTable.from_table(table)
    w = weight if kind else np.ones(truth.size)
    for cut in (*thresholds.thresholds.tolist(), other, 0.1):
        chosen = is_positive(score, cut, direction)
        expected = [[w[chosen & (truth == 1)].sum(), w[~chosen & (truth == 1)].sum()],
                    [w[chosen & (truth == 0)].sum(), w[~chosen & (truth == 0)].sum()]]  # fmt: skip
        for matrix in (thresholds.at(cut), table.at(cut)):
            assert matrix.counts.tolist() == expected
            assert matrix.weight_kind == kind
            if kind == "importance":
                assert matrix.squares.sum() == pytest.approx((w**2).sum())
    assert (w[truth == 1].sum(), w[truth == 0].sum()) == (table.P, table.N)
    assert thresholds.tp[0] == thresholds.fp[0] == 0
    assert (thresholds.P, thresholds.N) == (table.P, table.N)


@given(tables())
def test_the_two_tables_are_views_of_each_other(table: ScoreTable) -> None:
    assert ThresholdTable.from_table(table).scores == table


@given(tables(), st.floats(0.05, 0.95))
def test_a_prevalence_moves_every_matrix_alike(table: ScoreTable, prevalence: float) -> None:
    thresholds = ThresholdTable.from_table(table).with_prevalence(prevalence)
    assert ThresholdTable.from_table(table.with_prevalence(prevalence)) == thresholds
    for i in range(len(thresholds)):
        cells, row = thresholds.cells, thresholds.row(i).cells
        np.testing.assert_equal([cells.tp[i], cells.tn[i]], [row.tp, row.tn])
    if table.P and table.N:
        np.testing.assert_allclose(thresholds.prevalence, prevalence)
        np.testing.assert_allclose(thresholds.tpr, ThresholdTable.from_table(table).tpr)


def test_a_score_table_of_nothing() -> None:
    empty = ScoreTable.empty()
    assert len(ThresholdTable.from_table(empty)) == 1
    assert np.isnan(empty.prevalence)
    assert not empty.is_probability
    assert empty == ScoreTable.from_scores([], [])


def test_prevalence_over_a_batch() -> None:
    batch = ScoreTable(
        scores=np.array([2.0, 1.0]), positive=np.array([[1, 0], [3, 1]]), negative=np.array([[1, 0], [0, 0]])
    )
    assert batch.prevalence.tolist() == [0.5, 1.0]
    assert batch.P.tolist() == [1, 4]
    listed = ThresholdTable.from_table(batch).to_dict()
    np.testing.assert_array_equal(listed["true_positive_rate"], [[0, 1, 1], [0, 0.75, 1]])
    np.testing.assert_array_equal(listed["false_positive_rate"], [[0, 1, 1], [np.nan] * 3])


def test_a_thinned_table_does_not_answer_for_what_it_lost() -> None:
    rng = np.random.default_rng(0)
    full = ScoreTable.from_scores(rng.integers(0, 2, 500), rng.normal(size=500))
    thin = ThresholdTable.from_table(full, keep=40)
    assert thin.thinned
    assert len(thin) <= 41
    for cut in thin.thresholds.tolist():
        assert thin.at(cut) == full.at(cut)
    lost = float(np.setdiff1d(full.scores, thin.thresholds)[0])
    with pytest.raises(RowsNeededError, match="a thinned table lacks the counts at"):
        thin.at(lost)
    assert not ThresholdTable.from_table(full, keep=10_000).thinned


def test_frozen_copied_and_pickled() -> None:
    table = ScoreTable.from_scores([1, 0, 1], [0.5, 0.25, 0.5], weights=[1.0, 2.0, 3.0])
    for value in (table, ThresholdTable.from_table(table)):
        for other in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
            assert other == value
            array = other.scores if isinstance(other, ScoreTable) else other.tp
            with pytest.raises((ValueError, AttributeError)):
                array[0] = 1


@pytest.mark.parametrize(("truth", "score", "weights", "said"), [
    ([0, 2], [0.1, 0.2], None, "row 1 (counted from 0): the truth is 2, and neither 0 nor 1."),
    ([0, float("nan")], [0.1, 0.2], None, "row 1 (counted from 0): the truth is nan, and neither 0 nor 1."),
    (np.array([0, 3], dtype=np.uint8), [0.1, 0.2], None, "row 1 (counted from 0): the truth is neither 0 nor 1."),
    (["a", "b"], [0.1, 0.2], None, "y_true is not a column of numbers"),
    ([0, 1], [0.1, float("nan")], None, "row 1 (counted from 0): the score is NaN."),
    ([0, 1], ["x", "y"], None, "y_score is not a column of numbers"),
    ([0, 1], [0.1, None], None, "row 1 (counted from 0): the score is NaN."),
    ([0, 1], [0.1], None, "truth and scores differ in length: 2 and 1."),
    ([0, 1], [[0.1, 0.2]], None, "scores must have one dimension, not 2."),
    ([0, 1], [0.1, 0.2], [1, -1], "row 1 (counted from 0): the weight is negative."),
    ([0, 1], [0.1, 0.2], [float("nan"), 1], "row 0 (counted from 0): the weight is NaN."),
    ([0, 1], [0.1, 0.2], [1, float("inf")], "row 1 (counted from 0): the weight is infinite."),
    ([0, 1], [0.1, 0.2], [1], "truth and weights differ in length: 2 and 1."),
    ([0, 1], np.ma.array([0.1, 0.2], mask=[False, True]), None, "row 1 (counted from 0): y_score is masked."),
])  # fmt: skip
def test_rows_that_cannot_be_counted(truth: object, score: object, weights: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        ScoreTable.from_scores(truth, score, weights=weights)
    assert str(caught.value).startswith(said)
    assert not str(caught.value).endswith("..")


def test_options_and_shapes() -> None:
    for table in (ScoreTable.from_scores([0, 1], [0.1, 0.2]), ThresholdTable.from_scores([0, 1], [0.1, 0.2])):
        with pytest.raises(InputError, match="a threshold is a number, not NaN"):
            table.at(float("nan"))
        for threshold in ("x", [0.1, 0.2], None):
            with pytest.raises(InputError, match=r"a threshold is a number, not ['\[N]"):
                table.at(threshold)
        assert table.at(np.float32(0.15)).counts.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32, np.int64])
def test_truth_of_any_number_type(kind: type) -> None:
    table = ScoreTable.from_scores(np.array([1, 0, 1], dtype=kind), np.array([3, 2, 1], dtype=np.int32))
    assert table.positive.tolist() == [1, 0, 1]
    assert table.positive.dtype == np.int64


def test_probabilities_are_recognized() -> None:
    assert ScoreTable.from_scores([1, 0], [1.0, 0.0]).is_probability
    assert not ScoreTable.from_scores([1, 0], [1.0, -0.001]).is_probability
    assert not ScoreTable.from_scores([1, 0], [1.0, 0.5], direction="lower").is_probability


def long_table(rows: int, share: float, digits: int) -> ScoreTable:
    rng = np.random.default_rng(0)
    truth = rng.random(rows) < share
    return ScoreTable.from_scores(truth, (rng.normal(size=rows) + truth).round(digits))


@pytest.mark.parametrize("share", [0.1, 0.4, 0.9])
@pytest.mark.parametrize("digits", [4, 12])
def test_sweeps_of_corners_are_those_of_the_table(share: float, digits: int) -> None:
    table = long_table(40_000, share, digits)
    whole = table.positive, table.negative
    if share == 0.1:
        assert table.corners[0].size < table.scores.size / 2
    assert kernel.delong_sums(*table.corners) == pytest.approx(kernel.delong_sums(*whole), rel=1e-13)
    assert kernel.pr_areas(*table.corners) == pytest.approx(kernel.pr_areas(*whole), rel=1e-13)
    options = {"value": 0.3, "scales": (1.0, 1.0)}
    squares = None, None
    np.testing.assert_allclose(
        kernel.precision_influence(*table.corners, *squares, **options),
        kernel.precision_influence(*whole, *squares, **options), rtol=1e-12,
    )  # fmt: skip
    assert gaps(table) == kernel.extremes(*whole)
    assert table.hull_rows.tolist() == kernel.hull(*whole).tolist()


@pytest.mark.parametrize("rows", [0, 1, 2, 300])
def test_folding_is_that_of_the_reference(rows: int) -> None:
    rng = np.random.default_rng(rows)
    positive, negative = rng.integers(0, 2, (2, rows)) * rng.integers(0, 3, (2, rows))
    found = [use.fold(positive, negative, 1) for use in (backend.active(), reference)]
    for ours, theirs in zip(*found, strict=True):
        assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())
    assert [column.sum() for column in found[0]] == [positive.sum(), negative.sum()]


def test_a_report_of_a_long_table_keeps_its_sweeps() -> None:
    """What is kept with the table is what its measures would find."""
    table, again = (long_table(40_000, 0.1, 6) for _ in range(2))
    sweep_areas(table)
    sweep_extremes(table)
    known = set(vars(table)) - set(vars(again))
    assert {"corners", "hull_rows"} < known
    assert [auc(table), average_precision(table)] == [auc(again), average_precision(again)]
    assert set(vars(table)) == known | set(vars(again))
