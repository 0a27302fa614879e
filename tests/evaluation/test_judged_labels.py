"""Several labels a row with a judge: exact cases, averages by definition, every reader and view, coverage."""

import json
from functools import partial

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.evaluation.estimate import plain_value
from thresher.evaluation.judged_labels import read_labels
from thresher.inference import judged as formulas
from thresher.measures.measure_text import parse_measure
from thresher.report.files import render

LABELS, SHARES = ("news", "sport", "art"), (0.3, 0.5, 0.2)
AVERAGES = [f"{how}_{of}" for how in ("macro", "micro", "weighted") for of in ("f1", "recall", "precision", "auc")]
ROW_MEANS = ["subset_accuracy", "hamming_loss"]


def drawn(rows, draws, *, right=0.9):
    """Truth, judge's labels, and scores of two models of three labels, with rows whose labels are alike."""
    truth = (draws.random((rows, 3)) + 0.1 * draws.normal(size=(rows, 1)) < SHARES).astype(float)
    judge = np.where(draws.random((rows, 3)) < right, truth, 1 - truth)
    common = draws.normal(size=(rows, 1))
    scores = {m: 1 / (1 + np.exp(1 - 2 * truth - 0.6 * common - draws.normal(size=(rows, 3)))) for m in "ab"}
    return truth, judge, scores


def gold_of(truth, gold):
    """Labels of the first rows only, or of a mask of entries."""
    known = np.arange(len(truth))[:, None] < gold if np.ndim(gold) == 0 else gold
    return np.where(known, truth, np.nan)


@pytest.mark.parametrize("measure", few([*AVERAGES, *ROW_MEANS], 6))
def test_a_judge_who_is_right_gives_the_evaluation_of_all_rows(measure):
    truth, _, scores = drawn(900, np.random.default_rng(1))
    found = th.evaluate(gold_of(truth, 300), scores, judge=truth)["a"].estimate(measure)
    assert found.value == pytest.approx(th.evaluate(truth, scores)["a"].estimate(measure).value, abs=1e-9)
    assert found.method.startswith("prediction-powered")
    assert 300 < found.n < 1200


@pytest.mark.parametrize("measure", few([*(each for each in AVERAGES if "micro" not in each), *ROW_MEANS], 4))
def test_without_a_judge_of_use_the_gold_rows_stand_alone(measure):
    """Micro averages are left out: a row's other labels are some use even where the judge is always wrong."""
    truth, _, scores = drawn(400, np.random.default_rng(2))
    found = th.evaluate(gold_of(truth, 150), scores, judge=1 - truth)["a"].estimate(measure)
    gold = th.evaluate(truth[:150], {name: each[:150] for name, each in scores.items()})["a"].estimate(measure)
    assert found.value == pytest.approx(gold.value, abs=1e-12)
    assert "gold rows alone" in found.method


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize("measure", few([each for each in AVERAGES if "weighted" not in each], 5))
def test_the_weights_0_and_1_are_the_gold_rows_alone_and_the_plain_correction(measure, weight, monkeypatch):
    truth, judge, scores = drawn(600, np.random.default_rng(3))
    ev = th.evaluate(gold_of(truth, 200), scores, judge=judge)
    monkeypatch.setattr("thresher.evaluation.judged.powered", partial(formulas.powered, weight=weight))
    found = read_labels(ev["a"], parse_measure(measure), plain_value)[0].value
    parts = ((truth, 200), (judge, 200), (judge, 600))
    gold, of_gold, every = (th.evaluate(t[:n], scores["a"][:n])["model"].estimate(measure).value for t, n in parts)
    # λ = 1 is a slope of 1/(1 − share of gold rows): mean + λ·(mean of the others − mean of the gold rows).
    assert found == pytest.approx(gold + weight * 1.5 * (every - of_gold), abs=1e-9)


def test_the_macro_average_is_the_mean_of_the_labels():
    truth, judge, scores = drawn(600, np.random.default_rng(4))
    ev = th.evaluate(gold_of(truth, 200), scores, judge=judge)["a"]
    for measure in ("f1", "auc", "precision"):
        each = [view.estimate(measure).value for view in ev.classes.values()]
        assert ev.estimate(f"macro_{measure}").value == pytest.approx(np.mean(each), abs=1e-12)
        assert all("prediction-powered" in view.estimate(measure).method for view in ev.classes.values())


def test_the_micro_average_is_the_value_of_all_entries_in_clusters():
    truth, judge, scores = drawn(600, np.random.default_rng(5))
    ev = th.evaluate(gold_of(truth, 200), scores, judge=judge)["a"]
    entries = {name: each.ravel() for name, each in scores.items()}
    flat = th.evaluate(gold_of(truth, 200).ravel(), entries, judge=judge.ravel(), cluster=np.arange(1800) // 3)["a"]
    for measure in ("f1", "recall", "auc"):
        one, two = ev.estimate(f"micro_{measure}"), flat.estimate(measure)
        assert (one.value, one.standard_error) == pytest.approx((two.value, two.standard_error), rel=1e-9)


def test_each_label_has_its_own_gold_rows():
    draws = np.random.default_rng(6)
    truth, judge, scores = drawn(900, draws)
    known = draws.random((900, 3)) < (0.3, 0.5, 0.2)
    known[:40] = True
    ev = th.evaluate(gold_of(truth, known), scores, judge=judge)["a"]
    for code, view in ev.classes.items():
        label = gold_of(truth, known)[:, code]
        alone = th.evaluate(label, scores["a"][:, code], judge=judge[:, code])
        assert view.f1.value == pytest.approx(alone.f1.value, abs=1e-12)
        assert view.auc.n == alone.auc.n
    right = th.evaluate(gold_of(truth, known), scores, judge=truth)["a"]
    every = th.evaluate(truth, scores)["a"]
    for measure in ("macro_f1", "micro_f1", "weighted_recall", "subset_accuracy"):
        assert right.estimate(measure).value == pytest.approx(every.estimate(measure).value, abs=1e-9)


@pytest.mark.parametrize("measure", few(["macro_f1", "micro_f1", "weighted_f1", "hamming_loss"], 2))
def test_comparisons_mirror_each_other_and_groups_stand_alone(measure):
    truth, judge, scores = drawn(800, np.random.default_rng(7))
    site = np.where(np.arange(800) % 3, "x", "y")
    ev = th.evaluate(gold_of(truth, 300), scores, judge=judge, by={"site": site})
    one, two = (ev.compare(*pair, measure=measure) for pair in ("ab", "ba"))
    assert one.difference == pytest.approx(ev["a"].estimate(measure).value - ev["b"].estimate(measure).value, abs=1e-12)
    assert (one.difference, one.p_value) == pytest.approx((-two.difference, two.p_value))
    assert "paired, prediction-powered" in one.method
    here = site == "x"
    alone = th.evaluate(gold_of(truth, 300)[here], {m: s[here] for m, s in scores.items()}, judge=judge[here])
    assert ev.groups["x"]["a"].estimate(measure) == alone["a"].estimate(measure)
    (apart,) = ev.compare("a", by="site", measure=measure)
    assert "unpaired, prediction-powered" in apart.method


def test_rows_with_human_labels_in_part_are_counted_apart():
    truth, judge, scores = drawn(400, np.random.default_rng(5))
    known = np.repeat(np.arange(400)[:, None] < 100, 3, axis=1)
    known[60:100, 1] = False
    ev = th.evaluate(gold_of(truth, known), {"a": scores["a"]}, judge=judge)
    quality = ev.judge_quality
    assert (quality.gold, quality.in_part, quality.others) == (60, 40, 300)
    text = " ".join(render(ev, "text").split())
    for rows in ("400 rows: 60 gold, 40 gold in part, 300 judged", "40 with human labels in part, 300 with"):
        assert rows in text
    table = text.partition("Each label")[2]
    assert "Gold positives" in table
    assert f" 1 {int(truth[:60, 1].sum())} " in table


def test_judges_vote_and_their_quality_is_known():
    draws = np.random.default_rng(8)
    truth, _, scores = drawn(500, draws)
    judges = {f"j{i}": np.where(draws.random(truth.shape) < 0.8, truth, 1 - truth) for i in range(3)}
    vote = (np.stack(list(judges.values())).mean(axis=0) > 0.5).astype(float)
    ev, one = (th.evaluate(gold_of(truth, 150), scores, judge=each) for each in (judges, vote))
    assert ev["a"].macro_f1 == one["a"].macro_f1
    assert list(ev.judge) == [*judges, "majority vote"]
    quality = one.judge_quality
    assert quality.agreement["hamming_loss"].value == pytest.approx((vote != truth)[:150].mean())
    decided = scores["a"][:150] >= 0.5
    off = (decided == vote[:150]).all(axis=1).astype(float) - (decided == truth[:150]).all(axis=1)
    assert quality.bias["a"].value == pytest.approx(off.mean())
    assert not quality.findings
    useless = np.where(np.arange(3) == 1, draws.integers(0, 2, truth.shape), truth)
    found = th.evaluate(gold_of(truth, 150), scores, judge=useless).judge_quality.findings
    assert "judge-no-better-than-chance" in {each.code for each in found}


def test_sampled_gold_rows_and_clusters():
    draws = np.random.default_rng(9)
    truth, judge, scores = drawn(1500, draws)
    chance = np.where(judge[:, 0] == 1, 0.5, 0.15)
    label = gold_of(truth, np.repeat((draws.random(1500) < chance)[:, None], 3, axis=1))
    right = th.evaluate(label, scores, judge=truth, sampling=chance)["a"]
    assert right.macro_f1.value == pytest.approx(th.evaluate(truth, scores)["a"].macro_f1.value, abs=1e-9)
    twice = [np.repeat(each, 2, axis=0) for each in (gold_of(truth, 300), judge, scores["a"])]
    plain, clustered = (
        th.evaluate(twice[0], twice[2], judge=twice[1], cluster=unit)["model"].macro_f1
        for unit in (None, np.arange(3000) // 2)
    )
    assert clustered.value == pytest.approx(plain.value, abs=1e-12)
    assert clustered.standard_error > 1.3 * plain.standard_error


def test_columns_of_a_table_are_arrays(tmp_path):
    truth, judge, scores = drawn(300, np.random.default_rng(10))
    label = gold_of(truth, 100)
    columns = {f"{what}_{name}": values[:, code] for what, values in
               (("is", label), ("net", scores["a"]), ("llm", judge)) for code, name in enumerate(LABELS)}  # fmt: skip
    named = {"label": ["is_*"], "scores": "net_*", "judge": "llm_*"}
    plain = th.evaluate(label, scores["a"], judge=judge)["model"]
    frame = th.evaluate(columns, **named)
    assert frame["net"].macro_f1 == plain.macro_f1
    assert frame.judge_quality.name == "llm"
    path = tmp_path / "labels.csv"
    rows = zip(*columns.values(), strict=True)
    cells = [",".join("" if np.isnan(x) else repr(float(x)) for x in row) for row in rows]
    path.write_text("\n".join([",".join(columns), *cells]) + "\n", "utf-8")
    assert th.evaluate(str(path), **named)["net"].macro_f1 == plain.macro_f1
    found = json.loads(frame.to_json())
    assert "judge" in found["sections"]
    assert "gold rows alone" not in str(found["models"]["net"]["measures"]["macro_f1"])
    assert "Gold rows and llm" in render(frame, "text")


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["macro_f1", "micro_f1", "subset_accuracy", "macro_auc"])
def test_intervals_and_tests_keep_their_level(measure):
    """300 samples: 95 % ± 4 standard errors, and as many wrong rejections of equal models."""
    draws = np.random.default_rng(12)
    truth, _, scores = drawn(200_000, draws)
    every = th.evaluate(truth, scores, threshold=0.5)
    known = np.mean([every[name].estimate(measure).value for name in "ab"])
    held = rejected = 0
    for _ in range(300):
        truth, judge, scores = drawn(800, draws, right=0.85)
        found = th.evaluate(gold_of(truth, 125), scores, judge=judge, threshold=0.5)
        one = found["a"].estimate(measure)
        held += one.low <= known <= one.high
        rejected += found.compare("a", "b", measure=measure).p_value <= 0.05
    assert 0.9 <= held / 300 <= 0.99, held
    assert rejected / 300 <= 0.1, rejected


def test_a_judge_of_no_help_leaves_a_formula_for_the_difference():
    draws = np.random.default_rng(4)
    truth, scores = draws.integers(0, 2, (200, 2)), {name: draws.random((200, 2)) for name in "ab"}
    label = np.where(np.arange(200)[:, None] < 60, truth, np.nan)
    ev = th.evaluate(label, scores, judge=1 - truth, by=np.arange(200) % 2)
    found, (apart,) = (
        ev.compare(*of, measure="subset_accuracy", **by) for of, by in (("ab", {}), ("a", {"by": "group"}))
    )
    right = [((each >= 0.5) == truth).all(axis=1)[:60] for each in scores.values()]
    assert found.difference == pytest.approx(right[0].mean() - right[1].mean(), abs=1e-12)
    assert found.method == "paired, gold rows alone"
    assert apart.method == "unpaired, gold rows alone, MOVER interval"
