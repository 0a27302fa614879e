"""The most positive bin of scores: where it ends is not where it begins."""

import numpy as np
import pytest

import thresher as th
from thresher.counts import Counts, ScoreTable
from thresher.evaluation.assumed import beyond
from thresher.evaluation.estimating import estimate
from thresher.evaluation.subject import Subject


def _bins(truth, score, cell):
    return Counts(groups={(): {"s": ScoreTable.from_scores(truth, score)}}).with_least(cell)


@pytest.mark.parametrize("cell", [400, 1000])
@pytest.mark.parametrize("most", [1.5, 3.0])
def test_bins_of_scores_beyond_1_are_no_probabilities(most, cell):
    """A bin that begins at 1 or below was read as if it ended at 1: there was a Brier score, and a threshold of ½."""
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 3000), rng.random(3000) * most
    counts = _bins(truth, score, cell)
    inside = _bins(truth, score / most, cell)
    assert (counts["s"].is_probability, inside["s"].is_probability) == (False, True)
    assert not (counts + counts)["s"].is_probability
    for one, two in ((counts, inside), (inside, counts)):
        assert not (one + two)["s"].is_probability
    model = th.evaluate(counts)["s"]
    assert (np.isnan(model.brier_score.value), model.threshold) == (True, None)


def test_bins_of_groups_are_no_probabilities_either():
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, 3000), rng.random(3000) * 1.5
    rows = [ScoreTable.from_scores(truth[part], score[part]) for part in (slice(1500), slice(1500, None))]
    counts = Counts(by=("site",), groups={("a",): {"s": rows[0]}, ("b",): {"s": rows[1]}}).with_least(300)
    assert not any(tables["s"].is_probability for tables in counts.groups.values())


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_scores_go_to_the_end_of_the_last_bin(direction):
    """“No score reaches the threshold”, it was said of one inside of the bin that has them, “as they go to 1.25”."""
    sign = 1.0 if direction == "higher" else -1.0
    bins = ScoreTable(
        scores=sign * np.array([1.25, 0.0]), positive=np.array([2, 1]), negative=np.array([1, 1]), binned=True,
        widths=np.array([0.75, 1.25]), direction=direction,
    )  # fmt: skip
    assert beyond(bins, sign * 1.5, (0, 1)) == []
    (said,) = beyond(bins, sign * 2.5, (0, 1))
    assert ("go from 0 to 2" if sign > 0 else "go from -2 to") in said
    assert beyond(bins, sign * -0.5, (0, 1))[0].startswith("every score reaches")


def test_bounds_are_of_the_bins_that_have_rows():
    """An empty bin beyond 1 made the Brier score of the others exact: it is none of what is read."""
    bins = ScoreTable(
        scores=np.array([2.0, 0.5, 0.25]), positive=np.array([0, 2, 1]), negative=np.array([0, 1, 3]), binned=True,
        widths=np.array([1.0, 0.25, 0.25]),
    )  # fmt: skip
    found = estimate(Subject.of_counts(bins), "brier_score")
    assert found.value == pytest.approx((2 * 0.375**2 + 0.625**2 + 0.625**2 + 3 * 0.375**2) / 7)
    assert found.error_bound > 0.1
