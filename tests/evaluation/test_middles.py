"""Numbers that read scores as probabilities, of bins so wide that it matters where in them the rows are taken to be."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.counts import Counts, ScoreTable
from thresher.counts.middles import middles
from thresher.evaluation.estimating import estimate
from thresher.evaluation.subject import Subject
from thresher.inference import kernel_roc
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.replicates import bootstrap_replicates
from thresher.inference.estimates.methods import serve
from thresher.measures import register

READ_AS_NUMBERS = {
    "brier_score": 3e-4, "log_loss": 1e-3, "mean_score": 1e-3, "calibration_difference": 1e-3,
    "observed_expected_ratio": 2e-3, "calibration_intercept": 1e-2, "expected_calibration_error": 3e-3,
    "adaptive_calibration_error": 3e-3, "smooth_calibration_error": 3e-3, "emax": 4e-3, "e90": 4e-3,
}  # fmt: skip
"""Numbers of wide bins that are nearly those of the rows, by how far."""


@pytest.mark.parametrize("name", READ_AS_NUMBERS)
def test_bins_are_read_as_numbers_in_their_middle(name):
    """At the lower edge the mean score was off by 4 %, and the log loss of a lowest bin at 0 was infinite."""
    rng = np.random.default_rng(0)
    truth = (rng.random(100_000) < 0.2).astype(int)
    score = 1 / (1 + np.exp(-(rng.normal(size=truth.size) + 1.5 * truth - 1.6)))
    rows = ScoreTable.from_scores(truth, score)
    bins = Counts(groups={(): {"s": rows}}).with_least(150)["s"]
    found, true = (estimate(Subject.of_counts(table), name) for table in (bins, rows))
    assert bins.widths.max() > 0.1
    assert found.value == pytest.approx(true.value, abs=READ_AS_NUMBERS[name])
    assert abs(found.value - true.value) <= found.error_bound


def test_replicates_of_bins_are_of_the_same_numbers_as_their_value():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 2000)
    bins = Counts(groups={(): {"s": ScoreTable.from_scores(truth, rng.random(2000))}}).with_least(50)["s"]
    for name in ("brier_score", "log_loss", "mean_score", "expected_calibration_error", "calibration_slope"):
        values = bootstrap_replicates(bins, name, Bootstrap(n=200)).values
        off = abs(values.mean() - estimate(Subject.of_counts(bins), name).value)
        assert off < 0.3 * values.std()


@pytest.fixture(scope="module")
def counted():
    rng = np.random.default_rng(2)
    truth = (rng.random(4000) < 0.3).astype(int)
    rows = ScoreTable.from_scores(truth, 1 / (1 + np.exp(1.6 - rng.normal(size=truth.size) - 1.5 * truth)))
    return Counts(groups={(): {"s": rows}}).with_least(100)["s"]


def test_kernels_stand_on_the_middles_of_bins(counted):
    """They stood on the lower edges: a curve was smoothed at other scores than the rows have."""
    one, two, three = (
        kernel_roc(table, bandwidth=0.05).area for table in (counted, counted.flipped(), middles(counted))
    )
    assert (one.error_bound, two.error_bound, three.error_bound) == (math.inf, math.inf, None)
    assert one.value == three.value == pytest.approx(1 - two.value)


def test_means_over_rows_are_of_the_middles_of_bins(counted):
    def mean_distance(t):
        "Mean distance of the score from the truth."
        return float((t.positive @ (1 - t.scores) + t.negative @ t.scores) / (t.P + t.N))

    with (
        register(mean_distance, text="mean of |y − s|", needs="table", better="lower", source="here"),
        serve("mean_distance", rows=lambda score, truth: abs(score - truth)),
    ):
        found = estimate(Subject.of_counts(counted), "mean_distance")
    assert found.value == pytest.approx(mean_distance(middles(counted)))
    assert found.error_bound == math.inf


@pytest.fixture(scope="module")
def sites():
    rng = np.random.default_rng(3)
    truth, site = rng.integers(0, 2, 6000), rng.integers(0, 4, 6000)
    score = 1 / (1 + np.exp(0.6 - rng.normal(size=truth.size) - 1.2 * truth))
    return th.count({"y": truth, "s": score, "site": site}, "s", label="y", by="site").with_least(100)


READ_BY_ROWS = ["mean_score", "log_loss", "expected_calibration_error", "calibration_slope"]


@pytest.mark.parametrize("name", READ_BY_ROWS)
def test_a_bootstrap_of_counted_rows_has_the_value_of_the_bins(name, sites):
    """Rows were drawn at the lower edges: the mean score was farther off than its bound, and the log loss infinite."""
    model = th.evaluate(sites)["s"]
    drawn = model.estimate(name, bootstrap=Bootstrap(n=40))
    assert drawn.value == pytest.approx(model.estimate(name).value)
    is_known = drawn.error_bound < np.inf
    assert drawn.interval is not None if is_known else drawn.reason.startswith("no interval, as bins of the counts")
    assert not is_known or drawn.low < drawn.value < drawn.high


@pytest.mark.parametrize("name", ["mean_score", "calibration_intercept", "auc", "average_precision"])
def test_a_bootstrap_of_groups_has_a_bound_from_the_bins_of_groups(name, sites):
    """Groups have wider bins than all rows, whose bound was that of the AUC of these wider ones."""
    model = th.evaluate(sites)["s"]
    drawn, known = model.estimate(name, bootstrap=Bootstrap(n=40, clusters="site")), model.estimate(name)
    assert abs(drawn.value - known.value) < 0.2
    assert drawn.error_bound == pytest.approx(known.error_bound + abs(drawn.value - known.value))


@pytest.mark.parametrize("name", ["mean_score", "log_loss"])
def test_gaps_of_counted_rows_are_those_of_their_values(name, sites):
    """They were those of the lower edges, beside values of the middles."""
    for gap in th.evaluate(sites).groups.gaps(name):
        assert gap.difference == pytest.approx(gap.values[0] - gap.values[1])
