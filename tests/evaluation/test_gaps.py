"""Gaps of groups: each against the rest of the rows, as one family, in the value, the frame and the report."""

import math

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.analysis.subsets import MOST_VALUES
from thresher.inference import adjust_p_values
from thresher.inference.differences.means import mean_of, unpaired_mean_difference
from thresher.report.build import build
from thresher.report.files import render

RNG = np.random.default_rng(11)
N = 400
GROUP = RNG.integers(0, 4, N)
SIDE = np.where(RNG.random(N) < 0.5, "l", "r")
Y = RNG.integers(0, 2, N)
# In group 3 the score says nothing.
S = np.clip(0.5 + 0.35 * (2 * Y - 1) * (GROUP != 3) + 0.25 * RNG.normal(size=N), 0, 1)
EVALUATION = th.evaluate(Y, {"a": S, "b": np.clip(S + 0.1 * RNG.normal(size=N), 0, 1)}, by={"g": GROUP, "side": SIDE})


def test_a_gap_is_the_group_s_value_less_that_of_all_other_rows():
    found = EVALUATION.groups.gaps("recall", "auc")
    assert len(found) == 2 * 2 * (4 + 2)
    values = [("g", GROUP, g) for g in range(4)] + [("side", SIDE, side) for side in "lr"]
    for gap in found:
        column, codes, value = next(each for each in values if gap.groups == (f"{each[0]} {each[2]}", "the rest"))
        inside = codes == value
        scores = EVALUATION.predictions.scores[gap.models[0]]
        for side, rows in enumerate((inside, ~inside)):
            one = th.evaluate(Y[rows], scores[rows])
            expected = one.recall.value if gap.measure in ("recall", "true_positive_rate") else one.auc.value
            assert gap.values[side] == pytest.approx(expected, abs=1e-12), (column, gap.measure)
        assert gap.difference == pytest.approx(gap.values[0] - gap.values[1], abs=1e-12)


def test_gaps_are_one_family():
    found = EVALUATION.groups.gaps()
    assert {gap.measure for gap in found} == {"auc", "true_positive_rate", "true_negative_rate"}
    assert {gap.family for gap in found} == {len(found)} == {36}
    expected = adjust_p_values([gap.p_value for gap in found])
    assert [gap.adjusted_p_value for gap in found] == pytest.approx(expected.tolist())


def test_the_group_that_falls_behind_is_found():
    (finding,) = [each for each in EVALUATION.findings if each.code == "group-falls-behind"]
    assert finding.severity == "warning"
    assert finding.evidence == "gaps"
    assert finding.text.startswith("a does worse for g = 3: ROC AUC ")
    assert 'id="about-gaps"' in full(render(EVALUATION, "html"))


def test_several_classes_have_the_accuracy_s():
    found = th.evaluate(list("abcabc"), predicted={"p": list("abcacb")}, by=list("xxxyyy")).groups.gaps()
    assert [(gap.measure, gap.difference) for gap in found] == [("accuracy", pytest.approx(2 / 3))] * 1 + [
        ("accuracy", pytest.approx(-2 / 3))
    ]


def test_a_group_without_a_class_has_no_test_and_counts_for_nothing():
    found = th.evaluate([1, 1, 0, 1, 0], [0.9, 0.2, 0.4, 0.7, 0.1], by=list("xxyyy")).groups.gaps("auc")
    assert all(np.isnan(gap.p_value) and gap.reason for gap in found)


COLUMNS = {"y": Y, "g": GROUP, "side": SIDE} | {name: EVALUATION.predictions.scores[name] for name in EVALUATION}


def test_counts_have_the_gaps_of_their_rows():
    counted = th.evaluate(th.count(COLUMNS, ["a", "b"], label="y", by=["g", "side"]))
    for one, two in zip(EVALUATION.groups.gaps(), counted.groups.gaps(), strict=True):
        assert (one.models, one.groups, one.measure) == (two.models, two.groups, two.measure)
        assert (two.values, two.p_value) == (pytest.approx(one.values), pytest.approx(one.p_value))
    document = build(th.evaluate(th.count(COLUMNS, "a", label="y", by=["side"])))
    assert (len(document.groups), len(document.gaps)) == (2, 6)


@pytest.mark.peer
def test_a_frame_of_all_groups():
    frame = EVALUATION.to_frame(groups=True)
    assert len(frame) == len(EVALUATION.groups.to_frame())
    assert {"g", "side", "model", "measure", "value"} <= set(frame.columns)


@pytest.mark.slow
def test_no_group_is_accused_more_often_than_the_level_says():
    rng, wrong, times = np.random.default_rng(5), 0, 300
    for _ in range(times):
        y, group = rng.integers(0, 2, 240), rng.integers(0, 4, 240)
        predicted = np.where(rng.random(240) < 0.8, y, 1 - y)
        found = th.evaluate(y, predicted={"p": predicted}, by=group).groups.gaps()
        wrong += any(gap.is_significant for gap in found)
    assert wrong / times < 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)


def test_several_counted_thresholds_name_their_models():
    columns = {"y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.6, 0.4], "b": [0.8, 0.1, 0.3, 0.5]}
    counts = th.count(columns, ["a", "b"], label="y", thresholds={"a": [0.3], "b": [0.4]})
    notes = th.evaluate(counts).notes
    said = [note for note in notes if note.code == "counted-threshold"]
    assert [(note.split(",")[0], note.split("taken for ")[1][0]) for note in said] == [
        ("threshold 0.3", "a"),
        ("threshold 0.4", "b"),
    ]
    other = th.count(columns, ["a", "b"], label="y", thresholds={"a": [0.3], "b": [0.6]})
    assert (counts + other).thresholds == {"a": (0.3,), "b": (0.4, 0.6)}  # of exact scores every one is exact


def test_gaps_that_are_not_tested_say_why():
    y, g = np.tile([1, 0], 60), np.array(["a", "b", "b"] * 40)
    rows = {"y": y, "s": np.tile([0.9, 0.2, 0.4, 0.6], 30), "g": g}
    rows["c"] = np.where((g == "a") & (y == 1), 99, np.arange(120) % 20)
    found = th.evaluate(rows, "s", label="y", by="g", cluster="c")
    assert "variance needs two clusters" in found.groups.gaps("auc")[0].reason


def test_large_reports_do_without(monkeypatch):
    monkeypatch.setattr("thresher.analysis.subsets.MOST_VALUES", 10)
    assert MOST_VALUES > 10
    document = build(EVALUATION)
    assert document.gaps == ()
    (said,) = [note for note in document.notes if note.code == "no-gaps"]
    assert "6 groups of 400 rows" in said
    assert said not in build(th.evaluate(Y, S)).notes


def small_group(rng, rows, positives, others=390):
    """Rows of equal models in clusters of two or three, in a small group and a large one."""
    parts = []
    for size, of_class, group in ((rows, positives, "small"), (others, round(0.3 * others), "large")):
        cluster = np.repeat(np.arange(size), rng.integers(2, 4, size))[:size]
        y = rng.permutation(np.arange(size) < of_class).astype(int)
        latent = y + math.sqrt(0.3) * rng.normal(size=size)[cluster] + math.sqrt(0.7) * rng.normal(size=size)
        parts.append((y, 1 / (1 + np.exp(-latent)), [f"{group} {code}" for code in cluster], [group] * size))
    y, s, cluster, group = (np.concatenate(column) for column in zip(*parts, strict=True))
    return th.evaluate(y, s, by=group, cluster=cluster, threshold=0.5)


def test_a_group_of_few_clusters_without_an_error_is_as_uncertain_as_its_own_interval():
    y = [1, 1, 1, *[0] * 7, *[1, 0] * 40]
    s = [0.9, 0.8, 0.7, *np.linspace(0.1, 0.4, 7), *np.tile([0.9, 0.1, 0.7, 0.3, 0.2, 0.6, 0.8, 0.4], 10)]
    cluster = [0, 1, 2, *[3, 4, 5] * 2, 3, *np.repeat(np.arange(6, 46), 2)]
    ev = th.evaluate(y, s, by=["small"] * 10 + ["large"] * 80, cluster=cluster, threshold=0.5)
    for measure in ("auc", "recall", "specificity", "precision", "f1", "average_precision"):
        gap = next(gap for gap in ev.groups.gaps(measure) if gap.groups[0].endswith("small"))
        own, rest = (getattr(ev.groups[group], measure) for group in ("small", "large"))
        below = math.hypot(own.value - own.low, rest.high - rest.value)
        assert gap.low == pytest.approx(gap.difference - below, abs=0.01)
        assert gap.low < 0 < gap.high
        assert 0.05 < gap.p_value < 1


@pytest.mark.slow
def test_gaps_of_a_small_group_in_clusters_are_significant_as_seldom_as_they_say():
    rng, measures, draws = np.random.default_rng(0), ("auc", "recall"), 100
    every = [[small_group(rng, 10, 3).groups.gaps(measure)[0] for measure in measures] for _ in range(draws)]
    for gaps in zip(*every, strict=True):
        tested = [gap for gap in gaps if not math.isnan(gap.p_value)]
        assert len(tested) > 0.9 * draws
        assert sum(gap.p_value < 0.05 for gap in tested) <= 0.065 * len(tested)
        assert sum(gap.low <= 0 <= gap.high for gap in tested) >= 0.92 * len(tested)


@pytest.mark.parametrize("rows", [10, 20, 40])
def test_a_small_group_s_loss_differs_from_its_like_as_often_as_the_level_says(rows):
    """With their own variances, z called 22, 12 and 8 % of such groups different, as most rows have a small loss."""
    rng, rejected = np.random.default_rng(rows), 0
    for _ in range(1500):
        p = 1 / (1 + np.exp(-rng.normal(np.log(1 / 9), 1.5, rows + 390)))
        loss = (p - (rng.random(p.size) < p)) ** 2
        rejected += unpaired_mean_difference(mean_of(loss[:rows]), mean_of(loss[rows:])).p() <= 0.05
    assert 0.03 <= rejected / 1500 <= 0.065
