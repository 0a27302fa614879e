"""Drops of counts that were added up, or are in bins: decided only as far as these tell."""

import re

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.evaluation.differing import off_by_bins
from thresher.inference.auc.clustered import error_of_clusters


def halves(**names):
    """Counts of the halves of 4,000 rows of two scores that have much in common, which are added up."""
    draws = np.random.default_rng(1)
    y = draws.integers(0, 2, 4000)
    old = 1.5 * y + draws.normal(size=4000)
    table = {"y": y, "old": old, "new": old / 2 + 0.7 * y + draws.normal(size=4000), "who": np.arange(4000) // 4}
    parts = ({name: values[k] for name, values in table.items()} for k in (slice(2000), slice(2000, None)))
    first, second = (th.count(part, ["old", "new"], label="y", **names) for part in parts)
    return th.evaluate(first + second, threshold=0.5)


@pytest.mark.parametrize("names", [{"pairs": True}, {"cluster": "who"}], ids=lambda names: next(iter(names)))
def test_a_drop_within_what_cells_leave_open_of_its_error_is_not_decided(names):
    """Decided were drops whose interval may end on the other side: sums tell the standard error to ±1 % only."""
    models = halves(**names)
    (share,) = re.findall(r"standard errors of .* are known to ±(\S+) %", " ".join(models.notes))
    share = float(share)
    assert 0 < share < 50
    whole = gate.no_drop(models["new"], models["old"], gate.limit("auc=1"))
    drop, least = -whole.value, -whole.high
    for move, outcome in ((-1.3, (False, True)), (-0.7, (False, False)), (0.7, (False, False)), (1.3, (True, True))):
        allowed = least + move * share / 100 * (drop - least)
        check = gate.no_drop(models["new"], models["old"], gate.limit(f"auc={allowed}"))
        assert (check.passed, check.decided) == outcome, move
        assert ("all rows counted at once decide it" in check.message) == (not check.decided)
        assert check.message.endswith("as far as bins of scores tell") == check.decided
        assert check.error_bound is None  # of the value, which is exact


def test_the_bound_of_a_drop_is_that_of_the_measure_as_it_was_asked_for():
    """Asked for by its name alone it was that of other parameters, and F-beta an error."""
    draws = np.random.default_rng(0)
    y = draws.integers(0, 2, 3000)
    scores = 1 / (1 + np.exp(-2 * y - draws.normal(size=3000)))
    in_bins = th.evaluate(th.count(y, {"score": scores}).with_least(40), threshold=0.5)["score"]
    pair = in_bins, in_bins
    for text in ("precision@recall=0.8", "recall@fpr=0.2"):
        assert off_by_bins(*pair, text) == 2 * in_bins.estimate(text).error_bound > 0
    few, many = (off_by_bins(*pair, f"expected_calibration_error:bins={bins}") for bins in (3, 40))
    assert few != many
    models = halves(pairs=True)
    found = gate.no_drop(models["new"], models["old"], gate.limit("f_beta:beta=2=0.5"))
    assert (found.passed, found.error_bound) == (True, None)


def test_a_limit_of_clusters_within_what_cells_leave_open_of_its_error_is_not_decided():
    model = halves(cluster="who")["new"]
    share, found = error_of_clusters(model.cluster_sums), model.auc
    assert 0 < share < 0.5
    moves = (-1.3, (True, True)), (-0.7, (False, False)), (0.7, (False, False)), (1.3, (False, True))
    for check, end in ((gate.at_least, found.low), (gate.at_most, found.high)):
        for move, outcome in moves:
            limit = gate.limit(f"auc={end + move * share * (found.value - end)}")
            done = check(model, limit)
            assert (done.passed, done.decided) == outcome, move
            assert done.message.endswith("as far as bins of scores tell") == done.decided
            assert ("all rows counted at once decide it" in done.message) == (not done.decided)
            assert check(model, limit, on="value").decided
