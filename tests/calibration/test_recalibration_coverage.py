"""How often the intervals of calibration intercept and slope hold the truth, also where the scores are wrong."""

import numpy as np
import pytest

from shares import few
from thresher.calibration import cox_calibration
from thresher.counts import ScoreTable
from thresher.inference.estimates.row_means import LOGITS, logit_estimates

DESIGNS = [  # mean of the true logits, how far the scores put them, rows, deviation of the logarithm of the weights
    (0.0, 2.0, 200, 0.0),
    (0.0, 3.0, 200, 0.0),
    (-2.0, 3.0, 200, 0.0),
    (0.0, 1.0, 300, 1.5),
    (-2.0, 2.0, 1000, 1.5),
]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def true_shift(center, times):
    """Shift of the logits that is best at slope 1 for a whole population."""
    x = center + 1.5 * np.random.default_rng(0).normal(size=200_000)
    shift = 0.0
    for _ in range(100):
        p = sigmoid(shift + times * x)
        shift += (sigmoid(x) - p).sum() / (p * (1 - p)).sum()
    return shift


def covered(center, times, n, uneven, samples):
    """Shares of samples in which the intervals hold the truth, of the intercept and of the slope."""
    truth, held = dict(zip(LOGITS, (true_shift(center, times), 1 / times), strict=True)), []
    for seed in range(samples):
        rng = np.random.default_rng([seed, n])
        x = center + 1.5 * rng.normal(size=n)
        y = (rng.random(n) < sigmoid(x)).astype(int)
        weights = rng.lognormal(0, uneven, n) if uneven else None
        table = ScoreTable.from_scores(y, sigmoid(times * x), weights=weights)
        found = logit_estimates(table, cox_calibration(table))
        held.append([found[name].low <= truth[name] <= found[name].high for name in LOGITS])
    return np.mean(held, axis=0)


@pytest.mark.parametrize("design", few(DESIGNS[1:4:2], 1))
def test_intervals_of_wrong_scores_and_of_uneven_weights_hold_the_truth(design):
    """Standard error of 200 samples: 1.5 points; the intercept by the model's information 74 %, the slope by z 90 %."""
    assert (covered(*design, 200) >= 0.91).all()


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS)
def test_coverage_of_the_recalibration(design):
    assert (np.abs(covered(*design, 4000) - 0.95) <= 0.025).all()
