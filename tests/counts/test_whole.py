"""Whole counts are stored in few bytes and are int64 wherever they are read."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from thresher import calibration, inference, multiclass
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import InputError

TRUTH, SCORES = np.array([1] * 100 + [0] * 100 + [1, 0]), np.array([0.5] * 200 + [0.9, 0.1])


def table(times=1):
    return ScoreTable.from_scores(np.tile(TRUTH, times), np.tile(SCORES, times))


@pytest.mark.parametrize(("times", "kind"), [(1, np.int8), (2, np.int32)])
def test_counts_are_stored_small_and_read_as_int64(times, kind):
    found = table(times)
    assert [column.dtype for column in found.columns] == [kind, kind]
    assert found.positive.dtype == found.negative.dtype == np.int64
    assert (found.positive * found.negative).tolist() == [0, 10_000 * times**2, 0]
    assert found.positive is found.positive
    assert not found.positive.flags.writeable
    assert not found.columns[0].flags.writeable


def test_sums_that_need_more_bytes_get_them():
    both = table() + table()
    assert both == table(2)
    assert [column.dtype for column in both.columns] == [np.int64, np.int64]
    apart = ScoreTable.from_scores([1, 0], [0.7, 0.3])
    assert [column.dtype for column in (table() + apart).columns] == [np.int8, np.int8]


def test_a_long_sum_that_needs_more_bytes_for_one_class_keeps_its_counts():
    """The kernel reads both columns by one type; of two types it read beyond one of them."""
    rng = np.random.default_rng(3)
    truth, scores = np.repeat([1, 0, 0], [2_000, 20_000, 100]), np.append(rng.random(22_000), np.full(100, 0.4))
    both = ScoreTable.from_scores(truth, scores) + ScoreTable.from_scores(truth, scores)
    whole = ScoreTable.from_scores(np.tile(truth, 2), np.tile(scores, 2))
    assert len({column.dtype for column in both.columns}) == 1
    assert (both.P, both.N, both.running.totals) == (4_000, 40_200, (4_000, 40_200))
    for cut in (0.2, 0.4, 0.9):
        tp, fp = (2 * int((scores[truth == k] >= cut).sum()) for k in (1, 0))
        assert both.at(cut).counts.tolist() == [[tp, 4_000 - tp], [fp, 40_200 - fp]] == whole.at(cut).counts.tolist()


@pytest.mark.parametrize(
    "same",
    [
        lambda t: pickle.loads(pickle.dumps(t)),
        replace,
        lambda t: t.flipped().flipped(),
        lambda t: t.rows(np.ones(3, dtype=bool)),
        lambda t: replace(t.with_prevalence(0.5), prior=None),
        lambda t: ScoreTable(scores=t.scores, positive=t.positive, negative=t.negative),
        lambda t: ScoreTable(scores=t.scores, positive=t.columns[0], negative=t.negative.astype(np.int32)),
    ],
)
def test_tables_do_not_differ_by_how_counts_are_stored(same):
    assert same(table()) == table()
    assert same(table()).to_dict() == table().to_dict()


def test_small_counts_survive_another_prevalence():
    assert [column.dtype for column in table().with_prevalence(0.1).columns] == [np.int8, np.int8]


Y, S = [0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.4, 0.35, 0.8, 0.2]
K, P = [0, 1, 2, 0, 1, 2], np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]] * 2)


def binned(y, s, weights, weight_kind):
    builder = ScoreTable.builder(weight_kind=weight_kind, exact_rows=2)
    drawn = np.random.default_rng(0)
    builder.update(drawn.integers(0, 2, 100), drawn.random(100), np.ones(100))
    return builder.update(y * 20, s * 20, weights * 20)


CALLS = {
    "rows": lambda **how: th.evaluate(Y, S, **how),
    "counts": lambda **how: th.count(Y, S, **how),
    "score table": lambda **how: ScoreTable.from_scores(Y, S, **how),
    "thresholds": lambda **how: ThresholdTable.from_scores(Y, S, **how),
    "builder": lambda weights, weight_kind: ScoreTable.builder(weight_kind=weight_kind).update(Y, S, weights),
    "bins": lambda **how: binned(Y, S, **how),
    "matrix": lambda **how: ConfusionMatrix.from_predictions(Y, [1, 1, 0, 0, 1, 0], **how),
    "posteriors": lambda **how: multiclass.Posteriors.of(K, P, **how),
    "volume": lambda **how: multiclass.ordinal_volume(K, S, **how),
    "map": lambda **how: calibration.fit_map(Y, S, method="platt", **how),
    "score test": lambda **how: inference.auc_test(Y, S, S[::-1], **how),
    "delong": lambda **how: inference.delong_test(Y, S, S[::-1], **how),
    "covariance": lambda **how: inference.delong_covariance(Y, [S, S[::-1]], **how),
    "pairs": lambda **how: inference.delong_pairwise_tests(Y, {"a": S, "b": S[::-1]}, **how),
    "fixed point": lambda **how: inference.fixed_point_test(Y, S, S[::-1], fpr=0.5, **how),
    "bootstrap": lambda **how: inference.ordinal_volume_bootstrap(K, S, config=th.Bootstrap(n=20), **how),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_a_part_of_a_row_is_no_frequency(call):
    row = r"frequency weight .*(row 2 \(counted from 0\)|row 3)"
    with pytest.raises(InputError, match=rf"{row}.* A frequency counts equal rows, so it is a whole number"):
        call(weights=[1, 2, 0.5, 1, 1, 1], weight_kind="frequency")
    call(weights=[1.0, 2.0, 3.0, 1.0, 1.0, 1.0], weight_kind="frequency")
    if call is not CALLS["counts"]:  # refused, whatever the weights are
        call(weights=[1, 2, 0.5, 1, 1, 1], weight_kind="importance")
