"""Differences from both values' own intervals: limits by hand, tests that agree with them, unequal groups."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.inference.bootstrap.limits import Draws, limits
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.differences.difference import inverted_p, symmetric_limits, symmetric_p
from thresher.inference.estimates.ranking import equal_error_interval, ks_interval
from thresher.inference.proportions.differences import newcombe_difference
from thresher.inference.proportions.intervals import wilson_interval

MEASURES = ("average_precision", "ks_statistic", "equal_error_rate", "f1", "cohen_kappa", "f_beta:beta=2")


def grouped(seed: int = 0, first: tuple[int, int] = (12, 18), second: tuple[int, int] = (60, 140)) -> th.Evaluation:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0, 1, 0], [*first, *second])
    site = np.repeat(["a", "b"], [sum(first), sum(second)])
    scores = {name: rng.normal(size=y.size) + shift * y for name, shift in (("x", 1.2), ("z", 1.0))}
    return th.evaluate(y, scores, by={"site": site}, threshold=0.6, bootstrap=th.Bootstrap(n=40))


def f1_limits(matrix: ConfusionMatrix) -> tuple[float, float, float]:
    tp, fn, fp = matrix.counts[0, 0], matrix.counts[0, 1], matrix.counts[1, 0]
    jaccard = wilson_interval(tp, tp + fn + fp)
    return tuple(2 * j / (1 + j) for j in (tp / (tp + fn + fp), jaccard.low, jaccard.high))  # type: ignore[return-value]


def test_f1_of_two_groups_combines_the_distances_to_both_limits() -> None:
    evaluation = grouped()
    found = evaluation.compare("x", by="site", measure="f1")[0]
    (a, low, _), (b, _, high) = (f1_limits(evaluation.groups[site]["x"].confusion_matrix) for site in "ab")
    assert found.difference == pytest.approx(a - b)
    assert found.low == pytest.approx(a - b - math.hypot(a - low, high - b))


@pytest.mark.parametrize("by", [None, "site"])
@pytest.mark.parametrize("measure", MEASURES)
def test_interval_and_test_agree(measure: str, by: str | None) -> None:
    """At a level just below 1 − p the interval leaves 0 out, just above it holds it."""
    evaluation = grouped()
    models = ("x", "z") if by is None else ("x",)

    def found(level: float) -> Comparison:
        made = evaluation.compare(*models, by=by, measure=measure, level=level)
        return made if by is None else made[0]

    level = 1 - found(0.95).p_value
    if level == 0:  # no interval of a largest distance is so narrow
        assert found(0.01).low <= 0 <= found(0.01).high
        return
    below, above = (found(level + side * 1e-4) for side in (-1, 1))
    assert not below.low <= 0 <= below.high
    assert above.low <= 0 <= above.high


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_bootstrap_s_interval_and_test_agree(method: str) -> None:
    for seed in range(10):
        evaluation = grouped(seed, (15, 15), (15, 15))
        found = evaluation.compare("x", "z", measure="f1", bootstrap=th.Bootstrap(n=200, method=method))
        assert (found.p_value <= 0.05) == (found.low > 0 or found.high < 0)


@pytest.mark.slow
def test_average_precision_is_compared_at_a_common_prevalence() -> None:
    """Two groups of the same curve, one with three times the negatives, do not differ at the larger prevalence."""
    y, score = np.array([1, 1, 0, 1, 0, 0, 1, 0]), np.array([8, 7, 6, 5, 4, 3, 2, 1])
    site = np.array(["a"] * 8 + ["b"] * 16)
    truth = np.concatenate([y, y, np.zeros(8, dtype=int)])
    scores = np.concatenate([score, score, np.repeat(score[y == 0], 2)])
    evaluation = th.evaluate(truth, {"x": scores}, by={"site": site})
    aps = [evaluation.groups[s]["x"].average_precision.value for s in "ab"]
    assert aps[0] - aps[1] > 0.1
    for test in ("auto", "permutation"):
        found = evaluation.compare("x", by="site", measure="average_precision", test=test)[0]
        assert found.difference == pytest.approx(0, abs=1e-12)
        assert found.p_value == pytest.approx(1)
        assert found.values[0] == pytest.approx(found.values[1])
        assert "common prevalence of 0.5" in found.method


@pytest.mark.slow
def test_a_permutation_of_groups_deals_within_each_class() -> None:
    """A recall of 1 and of 0 among 3 and 3 positives: 2 of the 20 deals are as far apart."""
    truth = [1, 1, 1, 0, 1, 1, 1, 0, 0, 0]
    predicted = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    evaluation = th.evaluate(truth, predicted={"x": predicted}, by={"site": ["a"] * 4 + ["b"] * 6})
    found = evaluation.compare("x", by="site", measure="recall", test="permutation")[0]
    assert found.p_value == pytest.approx(0.1, abs=0.02)
    assert found.low is None


@pytest.mark.parametrize("z", [0.01, 1.0, 2.5, 6.0])
def test_inverted_p_values_are_those_of_a_normal_statistic(z: float) -> None:
    for value in (z, -z):
        p, exact = inverted_p(value, symmetric_limits(value, 1.0, (-math.inf, math.inf))), symmetric_p(value)
        for alternative in ("two-sided", "less", "greater"):
            assert p(alternative) == pytest.approx(exact(alternative), rel=1e-6)


def test_bca_counts_ties_with_the_estimate_by_half() -> None:
    values = np.repeat([0.2, 0.4, 0.6], [300, 400, 300])
    for observed in (0.4, 0.1 + 0.3):
        draws = Draws(observed=observed, sorted=values, bounds=(0, 1), acceleration=0.0)
        assert limits(draws, "bca", 0.31) == limits(draws, "percentile", 0.31)


def table(positives: int, negatives: int, shift: float, seed: int = 0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    return ScoreTable.from_scores(y, rng.normal(size=y.size) + shift * y)


@pytest.mark.parametrize("make", [ks_interval, equal_error_interval])
def test_intervals_of_extremes_hold_their_value_grow_with_the_level_and_shrink_with_rows(make) -> None:  # type: ignore[no-untyped-def]
    for seed, shift in enumerate((0.0, 0.5, 2.0, 9.0)):
        data = table(12, 40, shift, seed)
        found = [make(data, level=level) for level in (0.3, 0.6, 0.9, 0.99)]
        assert all(0 <= e.low <= e.value <= e.high <= 1 for e in found)
        assert sorted(e.low for e in found)[::-1] == [e.low for e in found]
        assert sorted(e.high for e in found) == [e.high for e in found]
    small, large = (make(table(n, n, 1.0)) for n in (20, 2000))
    assert large.high - large.low < (small.high - small.low) / 4


def test_the_equal_error_rate_of_a_symmetric_roc_is_a_share_of_four_harmonic_rows() -> None:
    data = ScoreTable.from_scores([1, 1, 1, 0, 1, 0, 1, 0, 0, 0], [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4])
    found = equal_error_interval(data)
    rows = 4 / (1 / 5 + 1 / 5)
    assert found.standard_error == pytest.approx(math.sqrt(0.2 * 0.8 / rows))


def test_the_interval_of_a_distance_is_newcombe_s_at_its_threshold() -> None:
    """11 of 12 positives and 4 of 20 negatives above the best cut: limits of that difference at 98 and 90 %."""
    data = ScoreTable.from_scores([1] * 11 + [0] * 4 + [1] + [0] * 16, [3] * 15 + [1] * 17)
    found = ks_interval(data)
    assert found.value == pytest.approx(11 / 12 - 4 / 20)
    ends = [newcombe_difference((11, 4), (12, 20), level=level)[i] for i, level in ((0, 0.98), (1, 0.9))]
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [((15, 15), (60, 140)), ((15, 15), (100, 900))])
def test_few_even_rows_against_many_uneven_ones_keep_the_level(sizes) -> None:
    """At the prevalence of both together 7 and 16 % were rejected; 200 samples have a standard error of 1.5 points."""
    rng, rejected = np.random.default_rng(8), 0
    for _ in range(200):
        truth = np.concatenate([np.arange(p + n) < p for p, n in sizes]).astype(int)
        site = np.repeat([0, 1], [p + n for p, n in sizes])
        both = th.evaluate(truth, rng.normal(size=truth.size) + 0.74 * truth, by={"site": site})
        rejected += both.compare(by="site", measure="average_precision")[0].p_value <= 0.05
    assert rejected <= 200 * 0.065


def test_a_margin_goes_with_limits_that_know_no_level_of_0():
    """The least error rate of an interval is looked for up to ½, where a level of 0 has no limits."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    models = th.evaluate(y, {"a": y + rng.normal(size=40), "b": y + rng.normal(size=40)})
    found = models.compare("a", "b", measure="ks_statistic", margin=0.05)
    assert 0 < found.noninferiority_p <= found.equivalence_p < 1
