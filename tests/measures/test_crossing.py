"""Equal error rates of a batch of tables against those of one table after the other."""

import numpy as np
import pytest

from thresher import kernel
from thresher.counts import ScoreTable
from thresher.inference.bootstrap.intervals import Bootstrap, bootstrap_replicates
from thresher.measures import find

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
