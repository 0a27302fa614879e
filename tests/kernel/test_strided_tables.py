"""Tables whose columns have gaps between their values give what columns without gaps give."""

from __future__ import annotations

import numpy as np
import pytest

from thresher.counts import ScoreTable, ThresholdTable
from thresher.measures import find

N = 20_000


@pytest.mark.parametrize("name", ["h_measure", "minimum_weighted_loss", "brier_miscalibration", "auc"])
def test_measures_of_long_tables(name):
    scores = np.arange(N)[::-1] / N
    both = np.random.default_rng(0).binomial(20, scores)[:, None] * [1, -1] + [0, 20]
    found = find(name)(ScoreTable(scores=scores, positive=both[:, 0], negative=both[:, 1]))
    assert found == find(name)(ScoreTable(scores=scores, positive=both[:, 0].copy(), negative=both[:, 1].copy()))
    turned = ScoreTable.from_counts(scores[::-1], both[::-1, 0], both[::-1, 1])
    assert find(name)(turned) == found


def test_thinned_tables():
    draws = np.random.default_rng(1)
    scores, positive, negative = np.arange(300) / 300, 1 + draws.poisson(1, 300), draws.poisson(1, 300)
    found = ThresholdTable.from_table(ScoreTable.from_counts(scores, positive, negative), keep=200)
    falling = (scores[::-1].copy(), positive[::-1].copy(), negative[::-1].copy())
    want = ThresholdTable.from_table(
        ScoreTable(**dict(zip(("scores", "positive", "negative"), falling, strict=False))), keep=200
    )
    assert found == want
