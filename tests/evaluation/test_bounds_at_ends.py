"""Bounds of decisions where a threshold or a class comes to its end: infinite scores, and bins that have all rows."""

import math

import numpy as np
import pytest

from thresher.counts import ScoreTable
from thresher.evaluation.estimating import estimate
from thresher.evaluation.subject import Subject


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr("thresher.counts.hidden.FEW", 1.0)


@pytest.mark.parametrize("text", ["mutual_information@k=5", "recall@k=4", "precision@top=50%"])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_budget_begins_after_the_rows_of_infinite_scores(text, direction):
    """The bound was that of nothing predicted positive, as the cut at an infinite score was read as the sentinel."""
    sign = 1.0 if direction == "higher" else -1.0
    bins = ScoreTable(
        scores=sign * np.array([np.inf, 0.25]), positive=np.array([2, 3]), negative=np.array([0, 5]), binned=True,
        widths=np.array([0.0, 0.5]), direction=direction,
    )  # fmt: skip
    found = estimate(Subject.of_counts(bins), text)
    for first in (0, 1):
        truth = [1, 1, *[first] * (5 - 2 * first), *[1 - first] * (3 + 2 * first)]
        score = np.array([np.inf, np.inf, *np.linspace(0.7, 0.3, 8)])
        rows = ScoreTable.from_scores(truth, sign * score, direction=direction)
        true = estimate(Subject.of_counts(rows), text).value
        assert abs(true - found.value) <= found.error_bound + 1e-12


def test_what_is_defined_within_a_bin_only_is_not_known():
    """A markedness that is undefined at both edges was said to be exactly so, while between them it is 0."""
    bins = ScoreTable(
        scores=np.array([0.5]), positive=np.array([0]), negative=np.array([2]), binned=True, widths=np.array([0.5])
    )
    rows = ScoreTable.from_scores(np.array([0, 0]), np.array([0.5, 0.6]))
    found, true = (estimate(Subject.of_counts(table, threshold=0.55), "markedness") for table in (bins, rows))
    assert (math.isnan(found.value), found.error_bound, true.value) == (True, math.inf, 0.0)
