"""Gold rows with a judge's labels: one interface, values by definition, coverage by simulation."""

from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.evaluation.influence import influence, influence_of_all
from thresher.evaluation.intervals import in_task
from thresher.measures.measure_text import parse_measure
from thresher.report.files import render

DECISIONS = ("accuracy", "recall", "precision", "specificity", "f1", "mcc", "kappa", "balanced_accuracy")
SCORES = ("auc", "gini", "average_precision", "brier_score", "log_loss")
SEVERAL = ("accuracy", "macro_f1", "weighted_recall", "kappa", "balanced_accuracy", "log_loss", "brier_score")


def drawn(rows, draws, *, right=0.9, classes=2):
    """Truth, judge's labels and two scores; with more classes posteriors."""
    truth = draws.integers(0, classes, rows) if classes > 2 else (draws.random(rows) < 0.35).astype(int)
    judge = np.where(draws.random(rows) < right, truth, draws.integers(0, classes, rows))
    shared = draws.normal(size=rows)
    scores = {name: 1 / (1 + np.exp(-(shared + draws.normal(size=rows) + 2 * truth - 1))) for name in "ab"}
    raw = draws.dirichlet(np.ones(classes), rows) + 0.5 * np.eye(classes)[truth]
    return truth, judge, scores, raw / raw.sum(axis=1, keepdims=True)


def alone(found):
    """Estimate of gold rows as it is in an evaluation with a judge."""
    return replace(found, method=", ".join(filter(None, [found.method, "gold rows alone"])))


def gold_of(truth, gold):
    """Labels of the first rows only."""
    return [int(label) if place < gold else None for place, label in enumerate(truth)]


@pytest.mark.parametrize("measure", few([*DECISIONS, *SCORES], 5))
def test_influence_is_the_change_of_the_value_with_the_weight_of_the_row(measure):
    truth, _, scores, _ = drawn(30, np.random.default_rng(1))
    weights, step, found = np.linspace(0.5, 2, 30), 1e-6, []
    for row in range(30):
        moved = [weights + side * step * (np.arange(30) == row) for side in (1, -1)]
        values = [th.evaluate(truth, scores["a"], weights=each).estimate(measure).value for each in moved]
        found.append(weights[row] * (values[0] - values[1]) / (2 * step))
    model = th.evaluate(truth, scores["a"], weights=weights)["score"]
    assert influence(model, parse_measure(measure)) == pytest.approx(np.array(found), abs=1e-6)


@pytest.mark.parametrize("rows", [60, pytest.param(40_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_influence_of_all_rows_comes_from_counts(rows, direction, is_weighted):
    truth, _, scores, _ = drawn(rows, np.random.default_rng(40))
    score = scores["a"].round(2) if rows < 100 else scores["a"]
    options = {"direction": direction, "threshold": 0.5, "weights": np.linspace(0.5, 2, rows) if is_weighted else None}
    model = th.evaluate(truth, score, **options)["score"]
    gold = np.random.default_rng(0).permutation(rows)[:30]
    of_gold = replace(model, predictions=model.rows.take(gold))
    measures = ["recall", "mcc", "auc", "gini", "average_precision", "ks_statistic", "equal_error_rate"]
    measures += ["brier_score", "log_loss", "mean_score"] if direction == "higher" else []
    for spec in map(parse_measure, measures):
        found, every = influence_of_all(model, spec, gold, of_gold), influence(model, spec)
        assert found.gold == pytest.approx(every[gold], rel=1e-9, abs=1e-15), spec.text
        assert found.square == pytest.approx((every**2).sum(), rel=1e-9), spec.text
        assert every.sum() == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("measure", few(SEVERAL, 3))
def test_influence_of_several_classes(measure):
    truth, _, _, posteriors = drawn(40, np.random.default_rng(2), classes=3)
    weights, step, found = np.linspace(0.5, 2, 40), 1e-6, []
    for row in range(40):
        moved = [weights + side * step * (np.arange(40) == row) for side in (1, -1)]
        every = [th.evaluate(truth, probabilities=posteriors, weights=each) for each in moved]
        values = [each.estimate(measure).value for each in every]
        found.append(weights[row] * (values[0] - values[1]) / (2 * step))
    model = next(iter(th.evaluate(truth, probabilities=posteriors, weights=weights).values()))
    assert influence(model, in_task(model, parse_measure(measure))) == pytest.approx(np.array(found), abs=1e-6)


@pytest.mark.parametrize("measure", [*DECISIONS, *SCORES])
def test_a_judge_who_is_right_gives_the_evaluation_of_all_rows(measure):
    truth, _, scores, _ = drawn(400, np.random.default_rng(3))
    found = th.evaluate(gold_of(truth, 80), scores["a"], judge=truth).estimate(measure)
    every, gold = (th.evaluate(truth[:n], scores["a"][:n]).estimate(measure) for n in (400, 80))
    assert found.value == pytest.approx(every.value, abs=1e-9)
    assert found.high - found.low < gold.high - gold.low
    assert found.method.startswith("prediction-powered, ")
    assert 80 < found.n < 400


@pytest.mark.parametrize("measure", SEVERAL)
def test_a_judge_of_several_classes_who_is_right(measure):
    truth, _, _, posteriors = drawn(2000, np.random.default_rng(4), classes=3)
    found = th.evaluate(gold_of(truth, 500), probabilities=posteriors, judge=truth).estimate(measure)
    every = th.evaluate(truth, probabilities=posteriors).estimate(measure)
    assert found.value == pytest.approx(every.value, abs=1e-9)


def test_the_accuracy_is_the_prediction_powered_mean_of_right_rows():
    truth, judge, scores, _ = drawn(500, np.random.default_rng(5))
    found = th.evaluate(gold_of(truth, 100), scores["a"], judge=judge).accuracy
    decided = scores["a"] >= 0.5
    right, said = (decided[:100] == truth[:100]).astype(float), (decided == judge).astype(float)
    slope = np.cov(right, said[:100])[0, 1] / said[:100].var(ddof=1)
    assert found.value == pytest.approx(right.mean() + slope * (said.mean() - said[:100].mean()), abs=1e-12)


def test_without_a_judge_of_use_the_gold_rows_stand_alone():
    truth, _, scores, _ = drawn(300, np.random.default_rng(6))
    gold = th.evaluate(truth[:60], scores["a"][:60])
    for judge in (np.ones(300, int), 1 - truth):
        found = th.evaluate(gold_of(truth, 60), scores["a"], judge=judge)
        for measure in ("accuracy", "auc"):
            assert found.estimate(measure) == alone(gold.estimate(measure))


def test_a_measure_without_a_formula_rests_on_the_gold_rows():
    truth, judge, scores, _ = drawn(300, np.random.default_rng(7))
    found = th.evaluate(gold_of(truth, 60), scores["a"], judge=judge)
    gold = th.evaluate(truth[:60], scores["a"][:60])
    for measure in ("recall@fpr=0.2", "expected_calibration_error", "calibration_slope"):
        assert found.estimate(measure) == alone(gold.estimate(measure))


def test_scores_that_are_not_probabilities_have_no_loss():
    truth, judge, scores, _ = drawn(300, np.random.default_rng(7))
    found = th.evaluate(gold_of(truth, 60), {name: 9 * each for name, each in scores.items()}, judge=judge)
    with pytest.raises(th.errors.TaskError):
        found.compare("a", "b", measure="log_loss")


def test_every_measure_at_once_is_every_measure_alone():
    truth, judge, scores, _ = drawn(300, np.random.default_rng(8))
    model = th.evaluate(gold_of(truth, 80), scores["a"], judge=judge)["score"]
    assert all(model.estimate(name) == each for name, each in model.measures.items() if not np.isnan(each.value))


def test_rows_may_stand_in_any_order_and_labels_be_text():
    truth, judge, scores, _ = drawn(300, np.random.default_rng(9))
    names = np.array(["well", "ill"])
    order = np.random.default_rng(0).permutation(300)
    label = [None if place >= 80 else names[each] for place, each in enumerate(truth)]
    frame = {"human": np.array(label, object)[order], "model": names[judge][order], "s": scores["a"][order]}
    found = th.evaluate(frame, label="human", judge="model", scores="s", positive="ill")
    plain = th.evaluate(gold_of(truth, 80), scores["a"], judge=judge)
    for measure in ("auc", "f1", "accuracy"):
        one, two = found.estimate(measure), plain.estimate(measure)
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), abs=1e-12)
    assert "judged-rows" in {note.code for note in found.notes}


def test_few_gold_rows_are_warned_of():
    truth, judge, scores, _ = drawn(300, np.random.default_rng(10))

    def of(positive, negative):
        some = np.union1d(np.flatnonzero(truth == 1)[:positive], np.flatnonzero(truth == 0)[:negative])
        return th.evaluate(np.where(np.isin(np.arange(300), some), truth, None), scores, judge=judge)

    assert [warning.code for warning in of(24, 25)["a"].accuracy.warnings] == ["few-gold"]
    assert not of(25, 25)["a"].accuracy.warnings
    pair = th.evaluate(gold_of(truth, 200), scores, judge=judge, cluster=np.arange(300) // 2).compare("a", "b")
    assert [each.text.split(",")[0] for each in pair.warnings] == ["100 clusters with gold rows"]
    for n, measure, codes in ((149, "f1", ["few-gold"]), (150, "f1", []), (199, "ap", ["few-gold"]), (200, "ap", [])):
        pair = th.evaluate(gold_of(truth, n), scores, judge=judge).compare("a", "b", measure=measure)
        assert [warning.code for warning in pair.warnings] == codes
    for n, *codes in ((19, ["few-gold"], ["few-gold"]), (20, [], ["few-gold"]), (24, [], ["few-gold"]), (25, [], [])):
        ev = of(n, 135)
        assert [[warning.code for warning in each.warnings] for each in (ev["a"].f1, ev.compare("a", "b"))] == codes
    chances = np.where(judge == 1, 0.9, 0.6)
    for n, measure, is_few in ((120, "f1", True), (140, "f1", False), (140, "ap", True), (220, "ap", False)):
        sampled = th.evaluate(gold_of(truth, n), scores["a"], judge=judge, sampling=chances).estimate(measure)
        assert ("few-gold" in {warning.code for warning in sampled.warnings}) == is_few
    site = np.repeat(["x", "y"], 150)
    ev = th.evaluate(gold_of(truth, 180), scores["a"], judge=judge, by=site)
    assert "few-gold" not in {note.code for note in ev.notes}
    assert "Few gold rows, so" in render(ev, "text")


def truths(measures):
    truth, _, scores, _ = drawn(400_000, np.random.default_rng(99))
    every = th.evaluate(truth, scores, threshold=0.5)
    return {m: tuple(every[name].estimate(m).value for name in "ab") for m in measures}


def coverage(gold, rows, right, times, measures):
    """Share of intervals that hold the truth, for values and paired differences; their width by that of gold rows."""
    known, draws = truths(measures), np.random.default_rng(int(1000 * right) + gold)
    held = {m: np.zeros(2) for m in measures}
    for _ in range(times):
        truth, judge, scores, _ = drawn(rows, draws, right=right)
        found = th.evaluate(gold_of(truth, gold), scores, judge=judge, threshold=0.5)
        for m in measures:
            one, apart = found["a"].estimate(m), found.compare("a", "b", measure=m)
            held[m] += one.low <= known[m][0] <= one.high, apart.low <= known[m][0] - known[m][1] <= apart.high
    return {m: each / times for m, each in held.items()}


@pytest.mark.slow
def test_intervals_hold_the_truth():
    found = coverage(125, 1000, 0.85, 150, ("accuracy", "f1", "auc"))
    assert all((each > 0.9).all() for each in found.values()), found


def test_comparisons_groups_and_names():
    truth, judge, scores, _ = drawn(1200, np.random.default_rng(11))
    site = np.where(np.arange(1200) % 3, "x", "y")
    found = th.evaluate(gold_of(truth, 300), scores, judge=judge, by={"site": site})
    for measure in ("accuracy", "auc", "f1"):
        one, two = (found[name].estimate(measure).value for name in "ab")
        both = [found.compare(*pair, measure=measure) for pair in ("ab", "ba")]
        assert both[0].difference == pytest.approx(one - two, abs=1e-12)
        assert both[1].difference == -both[0].difference
        assert both[0].p_value == both[1].p_value
        assert "prediction-powered" in both[0].method
    for key in ("x", "y"):
        here = site == key
        label = [each for each, kept in zip(gold_of(truth, 300), here, strict=True) if kept]
        alone = th.evaluate(label, {name: s[here] for name, s in scores.items()}, judge=judge[here])
        assert found.groups[key]["a"].measures == alone["a"].measures
    for pair in found.compare("a", by="site", measure="recall"):
        assert pair.difference == pytest.approx(
            found.groups["x"]["a"].recall.value - found.groups["y"]["a"].recall.value, abs=1e-12
        )


def test_gold_rows_of_known_probability_have_its_inverse_as_weights():
    truth, judge, scores, _ = drawn(2000, np.random.default_rng(13))
    draws, chance = np.random.default_rng(0), np.where(judge == 1, 0.3, 0.1)
    is_gold = draws.random(2000) < chance
    label = [int(each) if kept else None for each, kept in zip(truth, is_gold, strict=True)]
    found = th.evaluate(label, scores["a"], judge=judge, sampling=chance)
    gold = th.evaluate(truth[is_gold], scores["a"][is_gold], weights=1 / chance[is_gold])
    right, said = ((scores["a"] >= 0.5) == each for each in (truth, judge))
    w = 1 / chance[is_gold]
    mean = [np.average(each[is_gold], weights=w) for each in (right, said)]
    errors = [w * (each[is_gold] - middle) for each, middle in zip((right, said), mean, strict=True)]
    slope = errors[0] @ errors[1] / (errors[1] @ errors[1])
    assert found.accuracy.value == pytest.approx(mean[0] + slope * (said.mean() - mean[1]), abs=1e-12)
    assert found.auc.standard_error < gold.auc.standard_error
    assert found.estimate("expected_calibration_error") == alone(gold.estimate("expected_calibration_error"))


@pytest.mark.parametrize("many", [1, 2, 3, 4])
def test_an_even_number_of_judges_has_a_note(many):
    truth, judge, scores, _ = drawn(100, np.random.default_rng(33))
    found = th.evaluate(gold_of(truth, 60), scores["a"], judge={f"j{i}": judge for i in range(many)})
    assert ("tied-judges" in {note.code for note in found.notes}) == (many % 2 == 0)


@pytest.mark.parametrize("last", ["b", "c"])
def test_a_group_without_a_gold_row_is_named(last):
    truth, judge, scores, _ = drawn(100, np.random.default_rng(34))
    group = np.repeat(["a", "b", last], [20, 40, 40])
    found = th.evaluate(gold_of(truth, 60), scores["a"], judge=judge, by={"site": group})
    said = [note for note in found.notes if note.code == "no-gold-rows"]
    assert list(found.groups) == ["a", "b"]
    assert len(said) == (last == "c")
    assert not said or "site = c" in said[0]


def test_several_judges_vote():
    draws = np.random.default_rng(14)
    truth, _, scores, _ = drawn(600, draws)
    judges = {f"j{i}": np.where(draws.random(600) < 0.8, truth, 1 - truth) for i in range(3)}
    vote = (np.stack(list(judges.values())).sum(axis=0) >= 2).astype(int)
    label = gold_of(truth, 100)
    found, one = (th.evaluate(label, scores["a"], judge=each) for each in (judges, vote))
    assert found["score"].measures == one["score"].measures
    frame = {"y": label, "s": scores["a"], **judges}
    again = th.evaluate(frame, label="y", scores="s", judge=list(judges))
    assert again["s"].estimate("auc") == one["score"].estimate("auc")


def test_clusters_are_allowed_for():
    draws = np.random.default_rng(15)
    truth, judge, scores, _ = (
        np.repeat(each, 4) if isinstance(each, np.ndarray) else each for each in drawn(200, draws)
    )
    score, unit = np.repeat(scores["a"], 4), np.repeat(np.arange(200), 4)
    plain, clustered = (th.evaluate(gold_of(truth, 240), score, judge=judge, cluster=of) for of in (None, unit))
    for measure in ("accuracy", "auc", "f1"):
        one, two = plain.estimate(measure), clustered.estimate(measure)
        assert two.value == pytest.approx(one.value, abs=1e-12)
        assert two.standard_error > 1.6 * one.standard_error


def test_rows_without_a_label_may_have_any_sampling_probability():
    truth, judge, scores, _ = drawn(40, np.random.default_rng(16))
    chance = np.full(40, 0.5)
    found = [th.evaluate(gold_of(truth, 20), scores["a"], judge=judge, sampling=chance)]
    chance[-3:] = np.nan, -0.1, 1.2
    found.append(th.evaluate(gold_of(truth, 20), scores["a"], judge=judge, sampling=chance))
    assert found[0].accuracy == found[1].accuracy


def test_other_scores_of_the_gold_rows_stand_alone():
    """Recalibrated and flipped scores are no longer those of all judged rows."""
    truth, judge, scores, _ = drawn(300, np.random.default_rng(18))
    found = th.evaluate(gold_of(truth, 80), scores["a"], judge=judge)["score"]
    assert "prediction-powered" in found.auc.method
    assert "prediction-powered" not in found.flipped().auc.method


@pytest.mark.parametrize("measure", few(["ks_statistic", *SCORES, "recall", "f1"], 4))
def test_influence_of_another_label_is_that_of_a_new_row(measure):
    """By the weight of a row that is added with the other label."""
    truth, _, scores, _ = drawn(40, np.random.default_rng(21))
    model = th.evaluate(truth, scores["a"])["score"]
    found = influence(model, parse_measure(measure), 1 - truth)
    for row in range(0, 40, 5):
        labels, score = np.r_[truth, 1 - truth[row]], np.r_[scores["a"], scores["a"][row]]
        step = 1e-6
        added = th.evaluate(labels, score, weights=np.r_[np.ones(40), step]).estimate(measure).value
        assert found[row] == pytest.approx((added - model.estimate(measure).value) / step, abs=2e-3)


def test_a_comparison_of_the_gold_rows_alone_names_them():
    truth, judge, scores, _ = drawn(300, np.random.default_rng(22))
    found = th.evaluate(gold_of(truth, 80), scores, judge=judge)
    gold = th.evaluate(truth[:80], {name: each[:80] for name, each in scores.items()})
    for measure in ("recall@fpr=0.1", "expected_calibration_error"):
        one, two = (each.compare("a", "b", measure=measure) for each in (found, gold))
        assert (one.difference, one.low, one.p_value) == (two.difference, two.low, two.p_value)
        assert one.method == f"{two.method}, gold rows alone"
        assert "gold rows alone" in one.sentence
    assert "gold rows alone" not in found.compare("a", "b", measure="f1").method


def test_a_judge_may_have_one_label_or_more_than_people():
    score = np.linspace(0.1, 0.9, 6)
    assert len(th.evaluate([1, 1, None, None, None, None], score, judge=[0, 0, 0, 0, 0, 0])) == 1
    label = ["b", "a", "a", "b", None, None]
    every = th.evaluate(label, predicted=["a", "b"] * 3, judge=["a", "b", "c", "c", "b", "a"])
    assert len(every.labels) == 3


@pytest.mark.parametrize("undefined", few(["nan", 0.0], 1))
@pytest.mark.parametrize("of_gold", few([1, 0], 1))
def test_a_judge_with_one_label_in_all_gold_rows(of_gold, undefined):
    """Measures that need both classes use the gold rows alone, and every view is made."""
    scores = {"a": [0.9, 0.4, 0.7, 0.2, 0.3, 0.8, 0.6, 0.1], "b": [0.8, 0.5, 0.3, 0.6, 0.2, 0.9, 0.7, 0.4]}
    judge, truth = [of_gold] * 4 + [0, 1, 0, 0], [1, 0, 1, 0]
    options = {"undefined": undefined, "by": list("xyxyxyxy")}
    ev = th.evaluate([*truth, *[None] * 4], scores, judge=judge, **options)
    gold = th.evaluate(truth, {name: each[:4] for name, each in scores.items()}, undefined=undefined)
    for measure in ("auc", "ks_statistic", "equal_error_rate", "average_precision", "f1", "mcc"):
        assert ev["a"].estimate(measure).is_defined == gold["a"].estimate(measure).is_defined
        assert ev.compare("a", "b", measure=measure).measure
    assert ev["a"].estimate("ks_statistic").value == gold["a"].estimate("ks_statistic").value
    assert str(ev)
    assert str(ev.judge)
    assert ev.to_json()


@pytest.mark.parametrize("cluster", [None, np.arange(600) // 4])
def test_gaps_of_groups_use_the_judge_as_comparisons_do(cluster):
    truth, judge, scores, _ = drawn(600, np.random.default_rng(5), right=0.85)
    by, options = np.array(["x", "y"])[np.random.default_rng(6).integers(0, 2, 600)], {}
    if cluster is not None:
        options["cluster"] = cluster
    ev = th.evaluate(gold_of(truth, 150), scores["a"], judge=judge, by=by, **options)
    for measure in ("auc", "recall"):
        (gap, _), (pair,) = ev.groups.gaps(measure), ev.compare(by="group", measure=measure)
        assert (gap.difference, gap.p_value) == pytest.approx((pair.difference, pair.p_value), rel=1e-9)
        assert gap.values[0] == pytest.approx(ev.groups["x"].estimate(measure).value, rel=1e-9)
        assert "prediction-powered" in gap.method


def test_trivial_rules_use_the_judge_as_the_accuracy_does():
    """Gold rows drawn more often among one label: the rate is the estimated share, not the share in gold rows."""
    truth, judge, scores, _ = drawn(2000, np.random.default_rng(8))
    order = np.argsort(np.random.default_rng(9).random(2000) - 0.1 * judge, kind="stable")
    ev = th.evaluate(gold_of(truth[order], 200), scores["a"][order], judge=judge[order])
    model = ev["score"]
    found, share = model.baselines, model.estimate("prevalence").value
    assert (found.no_information_rate, found.most_frequent) == (pytest.approx(1 - share, rel=1e-9), 0)
    assert found.accuracy == model.accuracy.value
    assert found.p_value is None
    assert found.reason
    assert found.always_positive["f1"] == pytest.approx(2 * share / (1 + share), rel=1e-9)


def test_trivial_rules_of_several_classes_use_the_judge():
    truth, judge, _, posteriors = drawn(400, np.random.default_rng(10), right=1.0, classes=3)
    found = th.evaluate(gold_of(truth, 100), probabilities=posteriors, judge=judge)
    (model,) = found.values()
    counts = np.bincount(truth)
    assert model.baselines.no_information_rate == pytest.approx(counts.max() / 400, rel=1e-9)
    assert model.baselines.most_frequent == counts.argmax()


def test_one_class_of_several_is_two_classes_with_the_judge():
    truth, judge, _, posteriors = drawn(400, np.random.default_rng(10), classes=3)
    (model,) = th.evaluate(gold_of(truth, 100), probabilities=posteriors, judge=judge).values()
    label, decided = gold_of(truth == 2, 100), (posteriors.argmax(axis=1) == 2).astype(int)
    own = {"scores": {"m": posteriors[:, 2]}, "predicted": {"m": decided}, "judge": (judge == 2).astype(int)}
    alone_ = th.evaluate(label, **own)["m"]
    for measure in ("recall", "precision", "f1", "auc"):
        assert model.classes[2].estimate(measure) == alone_.estimate(measure)
    assert model.classes[2].f1.method.startswith("prediction-powered")


@pytest.mark.peer
def test_a_frame_of_classes_has_the_judges_values():
    truth, judge, _, posteriors = drawn(400, np.random.default_rng(10), classes=3)
    (model,) = th.evaluate(gold_of(truth, 100), probabilities=posteriors, judge=judge).values()
    frame = model.classes.to_frame()
    shown = dict(zip(zip(frame["class"], frame["measure"], strict=True), frame["value"], strict=True))
    assert shown == {
        (str(k), m): view.estimate(m).value
        for k, view in model.classes.items()
        for m in ("recall", "precision", "f1", "auc")
    }


@pytest.mark.parametrize("measure", ["auc", "average_precision", "accuracy"])
def test_folds_of_a_judge_who_is_right_are_those_of_all_rows(measure):
    truth, judge, scores, _ = drawn(600, np.random.default_rng(21))
    fold = np.arange(600) % 3
    right, every = (
        th.evaluate(label, scores, fold=fold, **options)
        for label, options in ((gold_of(truth, 150), {"judge": truth}), (truth, {}))
    )
    assert right["a"].estimate(measure).value == pytest.approx(every["a"].estimate(measure).value, abs=1e-9)
    one, two = (each.compare("a", "b", measure=measure) for each in (right, every))
    assert one.difference == pytest.approx(two.difference, abs=1e-9)
    assert "prediction-powered" in one.method
    found = th.evaluate(gold_of(truth, 150), scores["a"], fold=fold, judge=judge)
    for key, part in found.folds.items():
        here = fold == key
        label = [each for each, kept in zip(gold_of(truth, 150), here, strict=True) if kept]
        alone_ = th.evaluate(label, scores["a"][here], judge=judge[here])
        assert part["score"].estimate(measure) == alone_["score"].estimate(measure)


def test_a_ranking_measure_has_one_weight_for_all_folds():
    truth, judge, scores, _ = drawn(600, np.random.default_rng(22), right=0.85)
    fold = np.arange(600) % 3
    found = th.evaluate(gold_of(truth, 150), scores["a"], fold=fold, judge=judge)
    (known,) = (each for each in found.judge_quality.estimates if each.powered.name == "auc")
    slope, readings = known.weight / (1 - 150 / 600), []
    for label, rows in ((truth, 150), (judge, 150), (judge, 600)):
        parts = [th.evaluate(label[:rows][fold[:rows] == k], scores["a"][:rows][fold[:rows] == k]) for k in range(3)]
        readings.append(np.mean([part.auc.value for part in parts]))
    assert found.auc.value == pytest.approx(readings[0] + slope * (readings[2] - readings[1]), abs=1e-12)
    assert 0 < known.weight < 0.75


@pytest.mark.slow
def test_intervals_over_folds_hold_the_truth():
    draws, held = np.random.default_rng(23), 0
    truth, _, scores, _ = drawn(200_000, np.random.default_rng(99))
    known = th.evaluate(truth, scores["a"]).auc.value
    for _ in range(200):
        truth, judge, scores, _ = drawn(800, draws, right=0.85)
        auc = th.evaluate(gold_of(truth, 160), scores["a"], judge=judge, fold=np.arange(800) % 4).auc
        held += auc.low <= known <= auc.high
    assert held >= 183, held


def test_scores_of_0_and_1_give_an_infinite_loss_without_a_warning_of_numpy():
    truth, judge, scores, _ = drawn(200, np.random.default_rng(32))
    with np.errstate(all="raise"):
        found = th.evaluate(gold_of(truth, 100), np.rint(scores["a"]), judge=judge)
        assert found.log_loss.value == np.inf
        assert "gold rows alone" in found.log_loss.method


def gap_of_specificity(draws):
    """Difference between two groups of equal specificity, of which one has few gold negatives."""
    site = np.where(np.arange(600) % 3, "y", "x")
    truth = (draws.random(600) < np.where(site == "x", 0.8, 0.4)).astype(int)
    judge, predicted = (np.where(draws.random(600) < 0.9, truth, 1 - truth) for _ in range(2))
    found = th.evaluate(gold_of(truth, 90), predicted={"m": predicted}, judge=judge, by=site)
    return found, *found.compare("m", by="group", measure="specificity")


def test_a_group_at_the_edge_keeps_its_own_interval_in_a_difference():
    draws = np.random.default_rng(31)
    found, pair = next(each for _ in range(50) if (each := gap_of_specificity(draws))[1].values[0] == 1.0)
    one, two = (found.groups[key]["m"].specificity for key in "xy")
    away = np.hypot(1 - one.low, two.high - two.value)
    assert pair.low == pytest.approx(1 - two.value - away, abs=1e-9)
    assert pair.p_value > 0.05
    assert "MOVER" in pair.method


@pytest.mark.slow
def test_groups_with_equal_values_are_rarely_told_apart():
    draws = np.random.default_rng(31)
    assert sum(gap_of_specificity(draws)[1].p_value < 0.05 for _ in range(150)) <= 14
