"""`assess` on small rows, against the same thing written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from resampling_definitions import (
    Always,
    Decision,
    Drawing,
    Failing,
    NearestMean,
    NearestNeighbour,
    Remembering,
    fitted_on,
    scored,
    three_classes,
    two_classes,
)
from shares import examples
from thresher.errors import OptionError, TaskError
from thresher.measures.measure_text import parse_measure
from thresher.resampling.estimates import Spread, mean_of_splits
from thresher.resampling.splits import SplitRows


def by_hand(model, X, y, method, rng=0):
    """Accuracy of each split."""
    codes = np.unique(y, return_inverse=True)[1]
    splits = method.splits(SplitRows(truth=codes), rng)
    return [float((fitted_on(model, X, y, s.train, s.test) == y[s.test]).mean()) for s in splits]


@settings(max_examples=examples(25))
@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 2))
def test_fold_values_are_those_of_the_same_folds_by_hand(seed, k, repeats):
    X, y = two_classes(seed=seed)
    method = th.KFold(k, repeats=repeats)
    found = th.assess(NearestMean(), X, y, method=method, rng=seed, progress=False)["NearestMean"]
    expected = by_hand(NearestMean(), X, y, method, seed)
    assert found.values("accuracy").tolist() == pytest.approx(expected)
    assert found.values("error_rate").tolist() == pytest.approx([1 - value for value in expected])
    assert found.fold_mean("accuracy").value == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("method", [th.Holdout(), th.RandomSubsampling(6), th.TimeSplits(4), th.LeaveOneOut()])
def test_other_methods_too(method):
    X, y = two_classes()
    found = th.assess(NearestNeighbour(), X, y, method=method, progress=False)
    expected = by_hand(NearestNeighbour(), X, y, method)
    assert found["NearestNeighbour"].values("accuracy").tolist() == pytest.approx(expected)
    assert found["accuracy"].value == pytest.approx(np.mean(expected))


def test_corrected_interval_of_fold_means_is_nadeau_and_bengios():
    from scipy import stats

    X, y = two_classes(90, shift=0.5)
    a = th.assess(NearestMean(), X, y, method=th.KFold(5), progress=False)
    found, values = a["brier_score"], a["NearestMean"].values("brier_score")
    error = math.sqrt((1 / 5 + 18 / 72) * values.var(ddof=1))
    assert found.standard_error == pytest.approx(error)
    assert (found.low, found.high) == pytest.approx(scored(found.value, error, stats.t.ppf(0.975, 4)))
    assert found.method == "corrected resampled t over 5 folds, score interval"
    wider = a["NearestMean"].estimate("brier_score", level=0.99)
    assert wider.low < found.low < found.value < found.high < wider.high


@pytest.mark.parametrize(
    ("method", "test", "count"), [(th.KFold(5, repeats=2), 18 / 90, 10), (th.RandomSubsampling(6), 1 / 3, 6)]
)
def test_splits_that_judge_the_same_rows_share_what_the_models_owe_to_theirs(method, test, count):
    """ρ = a·f + (1 − a)·(1 − f), a = (1/f)/(1/f + 1): test rows and models vary as 1/(f·n) and 1/n."""
    X, y = two_classes(90, shift=0.5)
    a = th.assess(NearestMean(), X, y, method=method, progress=False)
    found, values = a["brier_score"], a["NearestMean"].values("brier_score")
    part = 1 / test / (1 / test + 1)
    correlation = part * test + (1 - part) * (1 - test)
    error = math.sqrt((1 / count + correlation / (1 - correlation)) * values.var(ddof=1))
    assert found.standard_error == pytest.approx(error)
    assert f"(correlation {correlation:.2g})" in found.method


def test_few_folds_near_the_end_of_a_range_have_an_interval_that_says_something():
    """Where the logit's limits are [0.10, 1]; Wilson's for a share of that variance are the same equation's."""
    values = np.array([0.949, 0.99, 1.0])
    found = mean_of_splits(values, parse_measure("auc"), Spread(ratio=0.5, rows=60), 0.95)
    error = math.sqrt((1 / 3 + 0.5) * values.var(ddof=1))
    assert (found.low, found.high) == pytest.approx(scored(values.mean(), error, 4.302653))
    assert 0.5 < found.low < 0.95 < found.high < 1
    assert found.warnings[0].code == "few-folds"
    whole = mean_of_splits(values * 2 - 1, parse_measure("gini"), Spread(ratio=0.5, rows=60), 0.95)
    assert (whole.low, whole.high) == pytest.approx((2 * found.low - 1, 2 * found.high - 1))


def test_pooled_predictions_are_those_of_the_evaluation():
    X, y = two_classes(97, shift=0.8)
    a = th.assess({"m": NearestMean()}, X, y, method=th.KFold(7), progress=False)
    predictions = np.full(97, -1)
    for split in th.KFold(7).splits(SplitRows(truth=y), 0):
        predictions[split.test] = fitted_on(NearestMean(), X, y, split.train, split.test)
    assert a["m"].pooled("accuracy").value == pytest.approx((predictions == y).mean())
    assert a.evaluation["m"].accuracy.value == pytest.approx((predictions == y).mean())
    assert a["m"].pooled("auc").value == a.evaluation.auc.value
    assert a["m"].pooled("auc").value == pytest.approx(a["m"].fold_mean("auc").value)
    pooled, plain = a["m"].pooled("accuracy"), a.evaluation["m"].accuracy
    assert (pooled.low, pooled.high) == (plain.low, plain.high)
    assert pooled.method == "Wilson, pooled predictions of 7 folds"


def test_pooled_estimates_of_repeats_are_averaged_not_narrowed():
    X, y = two_classes(80, shift=0.8)
    a = th.assess({"m": NearestMean()}, X, y, method=th.KFold(4, repeats=3), progress=False)["m"]
    each = []
    for repeat in range(3):
        hits = np.zeros(80)
        for split in th.KFold(4, repeats=3).splits(SplitRows(truth=y), 0):
            if split.repeat == repeat:
                hits[split.test] = fitted_on(NearestMean(), X, y, split.train, split.test) == y[split.test]
        each.append(th.inference.wilson_interval(hits.sum(), 80))
    found = a.pooled("accuracy")
    assert found.low == pytest.approx(np.mean([i.low for i in each]))
    assert found.high == pytest.approx(np.mean([i.high for i in each]))
    assert found.n == 80
    assert "averaged over 3 repeats" in found.method
    assert any("3 times on average" in note for note in a.evaluation.notes)
    assert a.evaluation.n == 80


def test_no_model_has_met_the_rows_that_it_judges():
    X = np.arange(60.0)[:, None]
    y = np.arange(60) % 2
    for method in ("kfold:5", "632plus:20", "oob:20", "repeated:2x4", "holdout", "optimism:5"):
        a = th.assess(Remembering(), X, y, method=method, progress=False)["Remembering"]
        known = np.asarray(a.source.judged.predicted) == 1
        assert not known[a.source.splits.is_out].any()
        assert known[~a.source.splits.is_out].all()
    again = th.assess(Remembering(), X, y, method="resubstitution", progress=False)
    assert again["recall"].value == 1
    assert "optimistic" in again["recall"].method
    assert "resubstitution" in [note.code for note in again.evaluation.notes]
    one = th.assess({"one": NearestMean()}, X, y, method="holdout", progress=False)
    assert "held-out-rows" in [note.code for note in one.evaluation.notes]
    assert (repr(one)[:17], repr(one["one"])[:22]) == ("Assessment('one';", "ModelAssessment('one',")


def test_scores_are_probabilities_else_decision_values_else_labels():
    X, y = two_classes(50, shift=0.7)
    a = th.assess({"p": NearestMean(), "d": Decision(), "l": NearestNeighbour()}, X, y, progress=False)
    assert [model.source for model in a.judged.values()] == ["predict_proba", "decision_function", None]
    # The decision value is an increasing function of the probability, so the ROC is the same.
    assert a["p"].values("auc").tolist() == pytest.approx(a["d"].values("auc").tolist())
    assert a["p"]["accuracy"] == a["d"]["accuracy"]
    assert math.isnan(a["l"]["auc"].value)
    assert a["l"]["auc"].reason_code == "undefined"


def test_a_positive_label_of_three_is_refused():
    X, y = np.arange(9.0)[:, None], np.tile(["a", "b", "c"], 3)
    with pytest.raises(OptionError, match="there are 3 labels, while positive='a' names one of two"):
        th.assess(NearestMean(), X, y, positive="a")
    with pytest.raises(OptionError, match="positive='d' is not among the labels 'a', 'b', 'c'"):
        th.assess(NearestMean(), X, y, positive="d")
    with pytest.raises(OptionError, match="positive='d' is not among the labels 'a', 'b', 'c'"):
        th.evaluate(y, np.arange(9.0), positive="d")


@pytest.mark.parametrize("positive", ["sick", "well"])
@pytest.mark.parametrize("model", [NearestMean(), Decision()])
def test_the_positive_class_is_the_one_named(positive, model):
    X, codes = two_classes(60)
    y = np.array(["sick", "well"])[codes]
    a = th.assess({"m": model}, X, y, positive=positive, progress=False)
    numbers = th.assess({"m": model}, X, (y == positive).astype(int), progress=False)
    for measure in ("recall", "precision", "auc", "accuracy"):
        assert a["m"][measure].value == pytest.approx(numbers["m"][measure].value)


def test_three_classes_with_posteriors():
    X, y = three_classes()
    a = th.assess(NearestMean(), X, y, method="kfold:5", progress=False)
    assert a.classes == ("ant", "bee", "cat")
    hits = by_hand(NearestMean(), X, y, th.KFold(5))
    assert a["accuracy"].value == pytest.approx(np.mean(hits))
    model = a.evaluation["NearestMean"]
    assert model.task == "multiclass"
    assert a["NearestMean"].pooled("hand_till").value == pytest.approx(model.hand_till.value)
    assert a["NearestMean"].pooled("macro_f1").value == pytest.approx(model.macro_f1.value)
    matrix = a.evaluation["NearestMean"].confusion_matrix
    predicted = np.full(len(y), "", dtype=object)
    for split in th.KFold(5).splits(SplitRows(truth=np.unique(y, return_inverse=True)[1]), 0):
        predicted[split.test] = fitted_on(NearestMean(), X, y, split.train, split.test)
    assert matrix.counts[0].tolist() == [int(((y == "ant") & (predicted == c)).sum()) for c in a.classes]


def test_measures_are_checked_before_the_first_fit():
    model = Failing({1})
    for labels, wrong in ((two_classes()[1], "hand_till"), (three_classes(60)[1], "f1"), (two_classes()[1], "accurcy")):
        with pytest.raises(th.ThresherError, match=r"classes|no measure"):
            th.assess(model, two_classes()[0], labels, measures=[wrong], progress=False)
    with pytest.raises(TaskError, match="macro_f1"):
        th.assess(model, two_classes()[0], three_classes(60)[1], measures="recall@fpr=0.1", progress=False)
    with pytest.raises(OptionError, match="empty"):
        th.assess(model, *two_classes(), measures=[], progress=False)
    assert model.count == [0]


def test_a_class_that_a_model_never_met_has_probability_0():
    X = np.arange(20.0)[:, None]
    y = np.array([0] * 18 + [1] * 2)
    a = th.assess(NearestMean(), X, y, method=[(np.arange(10), np.arange(10, 20))], progress=False)
    assert a.judged["NearestMean"].scores.tolist() == [0.0] * 10
    assert a["recall"].value == 0


def test_weights_are_learned_with_and_counted():
    X, y = two_classes(40, shift=0.5)
    weights = np.random.default_rng(2).integers(0, 4, 40).astype(float)
    kept = np.repeat(np.arange(40), weights.astype(int))
    splits = [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    a = th.assess(
        {"m": NearestMean(), "plain": NearestNeighbour()}, X[weights > 0], y[weights > 0],
        weights=weights[weights > 0], weight_kind="frequency", progress=False,
        method=[tuple(np.flatnonzero(np.isin(np.flatnonzero(weights > 0), part)) for part in pair) for pair in splits],
    )  # fmt: skip
    repeated = [tuple(np.flatnonzero(np.isin(kept, part)) for part in pair) for pair in splits]
    b = th.assess(NearestMean(), X[kept], y[kept], method=repeated, progress=False)
    for measure in ("accuracy", "auc", "brier_score", "f1"):
        assert a["m"].values(measure).tolist() == pytest.approx(b["NearestMean"].values(measure).tolist())
        assert a["m"].pooled(measure).value == pytest.approx(b["NearestMean"].pooled(measure).value)
    assert any(note.startswith("plain: fit takes no sample_weight") for note in a.notes)
    assert [note.code for note in a.notes].count("unweighted-fit") == 1


def test_rows_of_weight_0_are_left_out_and_said():
    X, y = two_classes(40)
    weights = np.ones(40)
    weights[:5] = 0
    a = th.assess(NearestMean(), X, y, weights=weights, method="kfold:5", progress=False)
    b = th.assess(NearestMean(), X[5:], y[5:], method="kfold:5", progress=False)
    assert a["accuracy"].value == pytest.approx(b["accuracy"].value)
    assert any("5 rows of weight 0" in note for note in a.notes)


def test_a_measure_that_is_undefined_in_a_fold_is_read_from_the_pooled_predictions_and_that_is_said():
    X, y = two_classes(40)
    y = np.zeros(40, dtype=int)
    y[:3] = 1
    a = th.assess(NearestMean(), X, y, method="kfold:5", progress=False)
    found = a["recall"]
    assert found.value == a["NearestMean"].pooled("recall").value
    assert "undefined in 2 of 5 folds" in found.reason
    assert found.reason_code == "pooled-value"
    assert math.isnan(a["NearestMean"].fold_mean("recall").value)
    assert np.isnan(a["NearestMean"].values("recall")).sum() == 2
    assert any("Class 1 has 3 rows for 5 folds" in note for note in a.notes)


def test_any_measure_is_read_later_without_fitting_again():
    X, y = two_classes(60, shift=0.7)
    a = th.assess({"m": NearestMean()}, X, y, method="kfold:4", measures=["accuracy"], progress=False)
    assert list(a.estimates()["m"]) == ["accuracy"]
    scores, hits = a.judged["m"].scores, {}
    for split in range(4):
        part = a.splits.part(split)
        model = th.evaluate(y[a.splits.row[part]], scores[part])
        for measure in ("f1", "matthews_correlation", "auc", "log_loss", "ks_statistic"):
            hits.setdefault(measure, []).append(getattr(model, measure).value)
    for measure, expected in hits.items():
        assert a["m"].values(measure).tolist() == pytest.approx(expected)
        assert a["m"][measure].value == pytest.approx(np.mean(expected))
    assert 0 <= a["m"]["recall@fpr=0.2"].value <= 1
    assert a["m"]["f_beta:beta=1"].value == pytest.approx(a["m"]["f1"].value)


def test_with_one_model_a_measure_serves_as_key_and_with_several_the_name_comes_first():
    X, y = two_classes()
    one = th.assess(NearestMean(), X, y, method="kfold:3", progress=False)
    assert one["accuracy"] == one["NearestMean"]["accuracy"]
    two = th.assess({"a": NearestMean(), "b": Always()}, X, y, method="kfold:3", progress=False)
    assert list(two) == ["a", "b"]
    with pytest.raises(KeyError, match="the models are 'a', 'b'"):
        two["accuracy"]


def test_random_states_that_are_none_are_seeded_and_others_kept():
    X, y = two_classes()
    once = th.assess(Drawing(), X, y, method="kfold:3", progress=False)
    again = th.assess(Drawing(), X, y, method="kfold:3", progress=False)
    assert np.array_equal(once.judged["Drawing"].predicted, again.judged["Drawing"].predicted)
    other = th.assess(Drawing(), X, y, method="kfold:3", rng=1, progress=False)
    assert not np.array_equal(once.judged["Drawing"].predicted, other.judged["Drawing"].predicted)
    folds = [once.judged["Drawing"].predicted[once.splits.part(s)].tolist() for s in range(3)]
    assert folds[0] != folds[1]
    fixed = th.assess(Drawing(7), X, y, method="kfold:3", progress=False)
    folds = [fixed.judged["Drawing"].predicted[fixed.splits.part(s)].tolist() for s in range(3)]
    assert folds[0] == folds[1] == np.random.default_rng(7).integers(0, 2, 20).tolist()


def test_lists_are_taken_and_rows_are_matched_by_position():
    X, y = two_classes()
    a = th.assess(NearestMean(), X.tolist(), y.tolist(), method="kfold:3", progress=False)
    b = th.assess(NearestMean(), X, y, method="kfold:3", progress=False)
    assert a["accuracy"] == b["accuracy"]
