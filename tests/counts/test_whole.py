"""Whole counts are stored in few bytes and are int64 wherever they are read."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from thresher.counts import ScoreTable

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
