"""A number that stands for 0/0 stands for it in the replicates of a bootstrap too, as in the estimate."""

import math

import numpy as np
import pytest

import thresher as th
from thresher import Bootstrap
from thresher.evaluation.several_classes import statistic
from thresher.inference.multiclass.bootstrap import ClassUnits
from thresher.measures import find

RNG = np.random.default_rng(5)
TRUTH = np.repeat([0, 1, 2], [12, 12, 6])
DECIDED = np.where(RNG.random(30) < 0.7, TRUTH, (TRUTH + 1) % 2)
DECIDED[TRUTH == 2] = [2, 0, 1, 0, 1, 0]  # one row alone is decided for the class 2, so that resamples may have none
POSTERIORS = np.eye(3)[DECIDED] * 0.7 + 0.1
STRATIFIED = Bootstrap(n=300, stratified=True)


def percentiles(values):
    return np.quantile(values, [0.025, 0.975])


def drawn_precisions(number):
    """Macro precision of every resample by its definition; a class that no row is decided for counts as the number."""
    found = []
    for times in next(ClassUnits.of(TRUTH).resamples(300, 0)):
        pairs = [(int(t), int(d)) for t, d, n in zip(TRUTH, DECIDED, times, strict=True) for _ in range(n)]
        each = []
        for k in range(3):
            right = [t == d for t, d in pairs if d == k]
            each.append(np.mean(right) if right else number)
        found.append(np.mean(each))
    return np.array(found)


@pytest.mark.parametrize("number", [0, 1])
def test_a_class_that_a_replicate_does_not_decide_for_counts_as_the_number_in_the_mean(number):
    from thresher.evaluation.several_classes import resampled_estimates

    model = th.evaluate(TRUTH, {"m": POSTERIORS}, bootstrap=STRATIFIED, undefined=number)["m"]
    found = resampled_estimates(model, {"macro_precision": model.macro_precision})["macro_precision"]
    assert (found.low, found.high) == pytest.approx(percentiles(drawn_precisions(number)), abs=0.02)
    assert "undefined in" not in found.method
    without = th.evaluate(TRUTH, {"m": POSTERIORS}, bootstrap=STRATIFIED)["m"]
    left_out = resampled_estimates(without, {"macro_precision": without.macro_precision})["macro_precision"]
    assert "undefined in" in left_out.method


def test_what_stands_in_for_a_class_is_still_said_beside_the_interval():
    decided = np.where(TRUTH == 2, 0, DECIDED)
    model = th.evaluate(TRUTH, {"m": np.eye(3)[decided] * 0.7 + 0.1}, bootstrap=100, undefined=0)["m"]
    found = model.macro_precision
    assert found.low is not None
    assert found.low <= found.value <= found.high
    assert found.reason.startswith("a number replaces an undefined class: precision is undefined for class 2")


@pytest.mark.slow
def test_rows_without_labels_count_as_the_number_in_replicates_of_several_labels():
    truth = np.array([[1, 0], [0, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 0], [0, 0]])
    decided = np.array([[1, 0], [0, 0], [1, 0], [0, 0], [0, 0], [1, 0], [1, 0], [0, 1]])
    options = {"predicted": {"m": decided}, "bootstrap": Bootstrap(n=200)}
    model = th.evaluate(truth, undefined=0, **options)["m"]
    assert "undefined in" not in model.macro_precision.method
    assert "undefined in" in th.evaluate(truth, **options)["m"].macro_precision.method


def test_replicates_of_one_class_count_as_the_number():
    y = np.array([1, 0, 0, 0, 0, 0, 0, 0])
    scores = np.array([0.65, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.4])
    config = Bootstrap(n=400, stratified=False)
    options = {"undefined": 0, "bootstrap": config}
    found = th.evaluate(y, scores, **options)["score"].maximum_informedness
    assert "undefined in" not in found.method
    left_out = th.evaluate(y, scores, bootstrap=config)["score"].maximum_informedness
    assert "undefined in" in left_out.method
    assert found.low == 0
    assert left_out.low > 0
    asked = th.evaluate(y, scores, undefined=0)["score"].estimate("maximum_informedness", bootstrap=config)
    assert (asked.low, asked.high) == (found.low, found.high)


def test_a_bootstrap_leaves_the_number_that_stands_for_an_undefined_value():
    model = th.evaluate([1, 1, 1], [0.2, 0.6, 0.9], undefined=0, bootstrap=50)["score"]
    assert model.ks_statistic.value == 0
    assert model.ks_statistic.reason_code == "no-rows"
    assert math.isnan(th.evaluate([1, 1, 1], [0.2, 0.6, 0.9], bootstrap=50)["score"].ks_statistic.value)


@pytest.mark.parametrize("measure", ["macro_precision", "macro_f1", "weighted_precision"])
def test_one_measure_by_name_is_the_mean_with_the_number_in_it(measure):
    """The number stood for the whole mean, 0, where a class was undefined."""
    rows = [0, 0, 1, 1, 2, 2, 0, 1]
    model = th.evaluate(rows, predicted={"m": [0, 0, 1, 1, 0, 1, 0, 1]}, undefined=0)["m"]
    assert model.estimate(measure).value == getattr(model, measure).value > 0


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
