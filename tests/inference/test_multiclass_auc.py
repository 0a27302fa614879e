"""Intervals of the AUCs of several classes: against DeLong's, the jackknife, and repeated rows."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from thresher.counts import ScoreTable
from thresher.inference import auc_interval, loss_sums_interval, multiclass_auc_estimates
from thresher.inference.multiclass.auc import AVERAGES
from thresher.multiclass import Posteriors, conditional_auc, loss_sums, posterior_volume


def rows(n, classes, seed=0, decimals=2):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    rng.shuffle(codes)
    return codes, (np.eye(classes)[codes] + rng.normal(size=(n, classes))).round(decimals)


@pytest.mark.parametrize("kind", [None, "importance", "frequency"])
def test_each_class_against_the_rest_has_the_interval_of_two_classes(kind):
    codes, scores = rows(120, 4)
    weights = None if kind is None else np.random.default_rng(1).integers(0, 4, 120).astype(float)
    options = {"weights": weights, "weight_kind": kind or "importance"}
    found = multiclass_auc_estimates(codes, scores, scores=True, **options)
    for k in range(4):
        want = auc_interval(ScoreTable.from_scores(codes == k, scores[:, k], **options))
        got = found.one_vs_rest[k]
        assert got.value == pytest.approx(want.value, rel=1e-12)
        assert got.standard_error == pytest.approx(want.standard_error, rel=1e-9)
        assert (got.low, got.high, got.n) == pytest.approx((want.low, want.high, want.n), rel=1e-9)
        assert got.method == want.method


def test_perfect_and_one_row_classes_have_an_interval_too():
    codes = np.array([0, 0, 0, 1, 1, 1, 2])
    scores = np.eye(3)[codes]
    found = multiclass_auc_estimates(codes, scores)
    assert 0.3 < found.one_vs_rest[2].low < found.one_vs_rest[0].low < found.one_vs_rest[0].high == 1
    assert "two rows of each class" in found["hand_till"].reason
    full = multiclass_auc_estimates(codes[:6], scores[:6, :2])
    assert full["hand_till"].method == "structural components, score limits"
    assert full["hand_till"].high == 1
    assert full["hand_till"].low < 0.8


def test_the_limits_of_an_average_are_where_its_statistic_is_z():
    """Macro average of the areas of each pair, with a rare class: V(x) as the docstring has it, class by class."""
    y, (a, b, c) = np.repeat([0, 1, 2], (4, 9, 9)), np.split(np.random.default_rng(2).normal(size=66).round(1), 3)
    scores = np.column_stack([a, b, c]) + 1.3 * np.eye(3)[y]
    found = multiclass_auc_estimates(y, scores, scores=True)["hand_till"]
    m, ratio = found.value, 0.0
    for k in range(3):
        parts = np.zeros((y == k).sum())
        own, apart, others = 0.0, 0.0, [k_ for k_ in range(3) if k_ != k]
        for other in others:
            own_gaps = scores[y == k, k, None] - scores[y == other, k]
            other_gaps = scores[y == other, other] - scores[y == k, other, None]
            parts += sum(((gaps > 0) + 0.5 * (gaps == 0)).mean(axis=1) for gaps in (own_gaps, other_gaps)) / 6
            end = (1 - m) / (2 - m)
            rank = np.sign((y == other).sum() - len(parts))
            u = {1: 0.5, 0: (0.5 + end) / 2, -1: end}[rank]
            own, apart = own + math.sqrt(u) / 6, apart + u / 36
        n, area = len(parts), parts.mean() / (4 / 6)
        missed, variance = min(area, 1 - area), parts.var(ddof=1)
        errors = min(n * missed**2 / (missed**2 + variance / (4 / 6) ** 2), 2 * n * missed)
        r = variance / n / (m * (1 - m))
        h = (own**2 + apart) / n * max(area * (1 - area) / (m * (1 - m)), 1)
        ratio += r + 4 / (4 + errors) * max(h - r, 0)
    for limit in (found.low, found.high):
        assert (m - limit) ** 2 == pytest.approx(1.959963984540054**2 * ratio * limit * (1 - limit), rel=1e-9)


def share_held(name, sizes, strength, samples):
    """Share of intervals that hold an average of the population's areas, which are all equal."""
    rng, y = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes)
    truth, held = NormalDist().cdf(strength / math.sqrt(5)), 0
    for _ in range(samples):
        scores = rng.normal(size=(len(y), len(sizes)))
        scores[np.arange(len(y)), y] = strength + 2 * scores[np.arange(len(y)), y]
        found = multiclass_auc_estimates(y, scores, scores=True)[name]
        held += found.low <= truth <= found.high
    return held / samples


@pytest.mark.slow
def test_an_average_allows_for_a_rare_class():
    """Held 76 % of the time by the observed variance alone; 150 samples: error 1.8 points."""
    assert share_held("macro_auc", (12, 300, 300), 4.2, 150) >= 0.92


@pytest.mark.long
@pytest.mark.parametrize("name", ["macro_auc", "hand_till"])
@pytest.mark.parametrize("sizes", [(5, 50, 50), (8, 100, 200), (12, 300, 300), (10, 10, 100, 500)])
@pytest.mark.parametrize("strength", [1.2, 2.9, 4.2])
def test_averages_with_a_rare_class_are_covered(name, sizes, strength):
    assert share_held(name, sizes, strength, 1000) >= (0.90 if min(sizes) < 10 else 0.93)


def test_two_mirrored_classes_have_delongs_variance():
    codes, scores = rows(80, 2)
    p = 1 / (1 + np.exp(-scores[:, 1]))
    both = np.column_stack([1 - p, p]).round(3)
    found = multiclass_auc_estimates(codes, both)
    want = auc_interval(ScoreTable.from_scores(codes == 1, both[:, 1]))
    for name in ("hand_till", "hand_till_weighted", "macro_auc", "weighted_auc"):
        assert found[name].value == pytest.approx(want.value)
        assert found[name].standard_error == pytest.approx(want.standard_error, rel=1e-9)


def left_out(codes, scores, read):
    """Jackknife standard error, stratified by class: Σ_c (n_c − 1)/n_c·Σ(θ_i − mean_c)²."""
    values = np.array([
        read(conditional_auc(np.delete(codes, i), np.delete(scores, i, axis=0), scores=True, labels=[0, 1, 2]))
        for i in range(len(codes))
    ])  # fmt: skip
    parts = [values[codes == c] for c in range(3)]
    return math.sqrt(sum((len(v) - 1) / len(v) * ((v - v.mean()) ** 2).sum() for v in parts))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("hand_till", lambda auc: auc.hand_till),
        ("macro_auc", lambda auc: auc.macro),
    ],
)
def test_averages_have_the_jackknifes_error(name, read):
    codes, scores = rows(150, 3, seed=3)
    found = multiclass_auc_estimates(codes, scores, scores=True)[name]
    assert found.value == read(conditional_auc(codes, scores, scores=True))
    # Leaving out a row moves a mean of each class exactly; the class sizes in the coefficients move a little too.
    assert found.standard_error == pytest.approx(
        left_out(codes, scores, read), rel=0.01 if name == "macro_auc" else 1e-9
    )


def test_micro_average_has_the_jackknifes_error_by_row():
    codes, scores = rows(150, 3, seed=4)
    found = multiclass_auc_estimates(codes, scores, scores=True)["micro_auc"]
    values = np.array([
        conditional_auc(np.delete(codes, i), np.delete(scores, i, axis=0), scores=True).micro for i in range(150)
    ])  # fmt: skip
    want = math.sqrt(149 / 150 * ((values - values.mean()) ** 2).sum())
    assert found.standard_error == pytest.approx(want, rel=0.02)


def test_absent_classes_follow_one_rule():
    codes, scores = rows(60, 3, seed=7)
    wide = np.column_stack([scores, np.zeros(60)])
    found = multiclass_auc_estimates(codes, wide, scores=True, labels=[0, 1, 2, 3])
    narrow = multiclass_auc_estimates(codes, scores, scores=True)
    for name in ("hand_till", "macro_auc"):
        assert not found[name].is_defined
        assert "class 3 is empty" in found[name].reason
    for name in ("hand_till_weighted", "weighted_auc"):
        assert found[name].value == pytest.approx(narrow[name].value)
        assert found[name].standard_error == pytest.approx(narrow[name].standard_error, rel=1e-9)
    assert "no rows of class 3" in found.one_vs_rest[3].reason
    assert found.one_vs_rest[0].value == narrow.one_vs_rest[0].value


@pytest.mark.parametrize("codes", [[], [0, 0, 0]])
def test_too_few_classes_are_said_without_warnings(codes):
    given = Posteriors.of(np.array(codes, dtype=int), np.full((len(codes), 3), 1 / 3), labels=[0, 1, 2])
    found = multiclass_auc_estimates(given)
    for name in AVERAGES:
        if name != "micro_auc" or not codes:
            assert not found[name].is_defined
            assert found[name].reason
    assert all(not estimate.is_defined and estimate.reason for estimate in found.one_vs_rest.values())
    assert math.isnan(posterior_volume(given).value)
    assert not loss_sums_interval(loss_sums(given)["brier_score"], "brier_score").is_defined or codes


def test_the_text_lists_averages_and_classes():
    found = multiclass_auc_estimates(*rows(60, 3), scores=True)
    assert repr(found).startswith("AucEstimates(3 classes: hand_till ")
    assert "2 against the rest" in str(found)
    assert str(found).count("\n") == 7
