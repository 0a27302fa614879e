"""A frequency counts equal rows: arrays with parts of rows are refused, as rows and files are, with the row."""

import numpy as np
import pytest

import thresher as th
from thresher import calibration, inference, multiclass
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import InputError

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
