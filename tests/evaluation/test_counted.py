"""Counts are evaluated as their rows are, of scores as given and of rounded ones."""

import json
import math

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.calibration import fit_map
from thresher.counts.rounding import rounded

N = 600
RNG = np.random.default_rng(17)
TRUTH = (RNG.random(N) < 0.3).astype(int)
SCORE = 1 / (1 + np.exp(-(RNG.normal(size=N) + 1.5 * TRUTH - 1.5)))
ROWS = {"y": TRUTH, "s": SCORE, "t": RNG.random(N), "site": RNG.integers(0, 3, N)}
MORE = ["recall@fpr=0.05", "f1@recall=0.9", "fpr<=0.1", "expected_calibration_error:bins=5"]


@pytest.mark.parametrize("bits", few([None, 8], 1))
def test_counts_have_the_estimates_of_their_rows(bits):
    rows = ROWS if bits is None else ROWS | {"s": rounded(SCORE, bits)}
    exact, counted = (th.evaluate(each, threshold=0.5, **how) for each, how in (
        (rows, {"label": "y", "scores": "s", "by": "site"}),
        (th.count(rows, "s", label="y", by="site", thresholds=[0.5]), {})))  # fmt: skip
    assert counted["s"].scores == exact["s"].scores
    parts = [(exact["s"], counted["s"])] + [(exact.groups[k]["s"], part["s"]) for k, part in counted.groups.items()]
    for one, two in parts:
        assert (one.n, one.confusion_matrix.counts.tolist()) == (two.n, two.confusion_matrix.counts.tolist())
        for name in [*one.measures, *MORE]:
            a, b = one.estimate(name), two.estimate(name)
            for end in ("value", "low", "high"):
                x, y = (math.nan if (each := getattr(e, end)) is None else each for e in (a, b))
                assert x == pytest.approx(y, rel=1e-9, abs=1e-12, nan_ok=True), (name, end)
    assert "error_bound" not in json.dumps(counted.to_dict())


def test_a_threshold_that_is_named_twice_is_the_only_one():
    counts = th.count([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], thresholds=[0.3, 0.3])
    assert th.evaluate(counts)["score"].threshold == 0.3


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_groups_add_up_to_the_table_of_all_rows(direction):
    rows = ROWS | {"site": RNG.integers(0, 40, N)}
    counts, alone = (th.count(rows, "s", label="y", direction=direction, by=by) for by in ("site", None))
    assert (len(counts.groups), counts["s"]) == (40, alone["s"])
    one, two = (th.evaluate(each)["s"] for each in (counts, alone))
    for name in ("recall@fpr=0.1", "average_precision", "ks_statistic"):
        assert one.estimate(name, bootstrap=20) == two.estimate(name, bootstrap=20)
    resampled = [model.choose("youden", bootstrap=20).resampled.thresholds.tolist() for model in (one, two)]
    assert resampled[0] == resampled[1]


def test_a_map_of_counted_scores_moves_them():
    """They stayed as they were, with the Brier score that they had before, which was called exact."""
    found = fit_map(TRUTH[:200], SCORE[:200], method="platt")
    exact, before = (th.evaluate(each, **how)["s"] for each, how in (
        (ROWS, {"label": "y", "scores": "s"}), (th.count(ROWS, "s", label="y"), {})))  # fmt: skip
    after, want = before.recalibrated(found), exact.recalibrated(found)
    assert after.brier_score.value == pytest.approx(want.brier_score.value, rel=1e-12) != before.brier_score.value
    assert after.calibration_slope.value == pytest.approx(want.calibration_slope.value, rel=1e-9)
    assert (after.threshold, after.accuracy.value) == (0.5, want.accuracy.value)
    assert after.auc.value == want.auc.value


def test_exact_counts_beyond_the_memory_say_what_they_take():
    """So many rows take so much, and what to do."""
    data = {"y": np.arange(100_000) % 2, "s": np.random.default_rng(3).random(100_000)}
    assert len(th.count(data, "s", label="y", resolution="exact", memory="3MB")["s"].scores) == 100_000
