"""Measures of decisions of several classes on replicates, averages of classes for all replicates at once."""

import numpy as np
import pytest

import thresher as th
from thresher.evaluation.several_classes import statistic
from thresher.measures import find

NAMES = ["accuracy", "macro_f1", "weighted_precision", "micro_recall", "cohen_kappa", "macro_specificity"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("undefined", ["nan", 0])
def test_they_are_those_of_the_rows_that_are_drawn(weighted, undefined):
    rng = np.random.default_rng(0)
    y, told = rng.integers(0, 4, 30), rng.integers(0, 4, 30)
    weights = rng.exponential(size=30) if weighted else None
    model = th.evaluate(y, predicted={"p": told}, weights=weights, undefined=undefined)["p"]
    drawn = rng.multinomial(30, np.full(30, 1 / 30), size=5).astype(np.uint8)
    drawn[:, y == 3] = 0  # a class that no replicate has
    found = statistic(model, NAMES)(drawn)
    for times, values in zip(drawn, found, strict=True):
        w = times if weights is None else times * weights
        counts = np.array([[w[(y == k) & (told == j)].sum() for j in range(4)] for k in range(4)])
        matrix = th.ConfusionMatrix.from_counts(counts)
        for name, value in zip(NAMES, values, strict=True):
            how, _, rest = name.partition("_")
            is_average = how in ("macro", "micro", "weighted")
            one = matrix.average(rest, how=how, undefined=undefined).value if is_average else find(name)(matrix)
            assert value == pytest.approx(float(one), nan_ok=True), name
