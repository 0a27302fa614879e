"""Rows that may have several labels: each label, averages, rows, against loops and scikit-learn."""

import json
import math

import jsonschema
import numpy as np
import pytest

import thresher as th
from thresher.measures import register
from thresher.report.files import render
from thresher.report.render.json import schema

RNG = np.random.default_rng(11)
L = ["news", "sport", "arts"]
Y = (RNG.random((80, 3)) < [0.6, 0.4, 0.3]).astype(int)
Y[Y.sum(1) == 0, 0] = 1
S = np.clip(0.5 * Y + 0.6 * RNG.random((80, 3)), 0, 1).round(2)
D = (S >= 0.5).astype(int)
MODEL = th.evaluate(Y, {"net": S}, labels=L)["net"]


def ratio(a, b):
    return a / b if b else math.nan


def f1(truth, decided):
    both = sum(t and d for t, d in zip(truth, decided, strict=True))
    return ratio(2 * both, sum(truth) + sum(decided))


def test_values_are_those_of_loops_over_labels_and_rows():
    assert MODEL.task == "multilabel"
    assert MODEL.macro_f1.value == pytest.approx(np.mean([f1(Y[:, k], D[:, k]) for k in range(3)]))
    assert MODEL.samples_f1.value == pytest.approx(np.mean([f1(Y[i], D[i]) for i in range(80)]))
    assert MODEL.micro_f1.value == pytest.approx(f1(Y.ravel(), D.ravel()))
    assert MODEL.subset_accuracy.value == np.mean([list(Y[i]) == list(D[i]) for i in range(80)])
    assert MODEL.hamming_loss.value == pytest.approx((Y != D).mean())
    recalls = [ratio((Y[:, k] & D[:, k]).sum(), Y[:, k].sum()) for k in range(3)]
    assert MODEL.weighted_recall.value == pytest.approx(np.average(recalls, weights=Y.sum(0)))
    assert MODEL.macro_auc.value == pytest.approx(np.mean([th.evaluate(Y[:, k], S[:, k]).auc.value for k in range(3)]))
    assert MODEL.micro_auc.value == pytest.approx(th.evaluate(Y.ravel(), S.ravel()).auc.value)


def test_each_label_is_a_binary_model():
    view = MODEL.classes["sport"]
    alone = th.evaluate(Y[:, 1], S[:, 1])["score"]
    assert view.auc == alone.auc
    assert view.confusion_matrix.counts.tolist() == alone.confusion_matrix.counts.tolist()


def test_a_threshold_is_assumed_only_for_scores_in_0_1_and_said():
    ev = th.evaluate(Y, {"net": S})
    assert "assumed-threshold" in [note.code for note in ev.notes]
    bare = th.evaluate(Y, {"net": 10 * S})["net"]
    assert bare.macro_f1.reason_code == "no-threshold"
    assert bare.macro_auc == MODEL.macro_auc
    assert th.evaluate(Y, {"net": 10 * S}, threshold=5)["net"].macro_f1.value == MODEL.macro_f1.value


def test_predicted_labels_alone():
    model = th.evaluate(Y, predicted=D, labels=L)["predicted"]
    assert model.macro_f1.value == MODEL.macro_f1.value


def test_rows_that_make_a_mean_undefined_are_counted():
    truth = Y.copy()
    truth[:4] = 0
    model = th.evaluate(truth, {"net": S}, labels=L)["net"]
    assert "0/0 in 4 rows" in model.samples_recall.reason
    weighted = th.evaluate(truth, {"net": S}, labels=L, weights=np.full(len(Y), 3), weight_kind="frequency")["net"]
    assert "0/0 in 12 rows" in weighted.samples_recall.reason
    zero = th.evaluate(truth, {"net": S}, labels=L, undefined=0)["net"]
    assert zero.samples_recall.is_defined
    never = truth.copy()
    never[:, 2] = 0
    lacking = th.evaluate(never, {"net": S}, labels=L)
    assert lacking["net"].macro_auc.reason_code == "undefined"
    assert "one-class" in [note.code for note in lacking.notes]


@pytest.mark.slow
def test_groups_bootstrap_comparison_and_json():
    ev = th.evaluate(Y, {"net": S, "coin": RNG.random((80, 3))}, labels=L, by=np.arange(80) % 2, bootstrap=20)
    assert list(ev.groups) == [0, 1]
    assert ev["net"].macro_f1.low < ev["net"].macro_f1.value < ev["net"].macro_f1.high
    found = ev.compare("net", "coin", measure="macro_f1", bootstrap=20)
    assert found.difference == pytest.approx(ev["net"].macro_f1.value - ev["coin"].macro_f1.value)
    result = json.loads(ev.to_json())
    jsonschema.Draft202012Validator(schema()).validate(result)
    assert result["models"]["net"]["task"] == "multilabel"
    assert result["class_counts"] == {name: int(Y[:, k].sum()) for k, name in enumerate(L)}
    row = result["models"]["net"]["classes"]["one_vs_rest"]["news"]
    assert row["measures"]["auc"]["value"] == ev["net"].classes["news"].auc.value
    assert "Each label: net" in render(ev, "text")


def test_columns_of_a_dictionary_of_arrays():
    columns = {**{n: Y[:, k] for k, n in enumerate(L)}, **{f"p_{n}": S[:, k] for k, n in reversed(list(enumerate(L)))}}
    ev = th.evaluate(columns, label=L, probabilities="p_")
    assert list(ev) == ["p"]
    assert ev["p"].macro_f1 == MODEL.macro_f1
    assert ev.predictions.classes == tuple(L)


def test_the_accuracy_is_the_share_of_whole_sets():
    assert MODEL.accuracy == MODEL.subset_accuracy


@pytest.mark.peer
def test_labels_that_were_predicted_have_no_areas_in_the_dataframe_of_the_labels():
    found = th.evaluate(Y, predicted={"net": D}, labels=L)["net"].classes.to_frame()
    assert list(dict.fromkeys(found["measure"])) == ["recall", "precision", "f1"]
    assert list(found["value"])[2::3] == pytest.approx([f1(Y[:, k], D[:, k]) for k in range(3)])


class PerLabel:
    """An estimator of several labels as scikit-learn's forests are: a matrix and the classes for each label."""

    def __init__(self):
        self.classes_ = [np.array([0, 1]), np.array([0]), np.array([0, 1])]

    def predict_proba(self, _rows):
        return [np.stack([1 - S[:, 0], S[:, 0]], 1), np.ones((80, 1)), np.stack([1 - S[:, 2], S[:, 2]], 1)]


class OneMatrix:
    """As scikit-learn's one-vs-rest classifiers are: a column for each label."""

    classes_ = np.arange(3)

    def predict_proba(self, _rows):
        return S


class Decided:
    def predict(self, _rows):
        return D


def test_an_estimator_of_several_labels():
    found = th.evaluate_estimator(OneMatrix(), S, Y, labels=L)
    assert found["OneMatrix"].measures == th.evaluate(Y, {"net": S}, labels=L)["net"].measures
    each = th.evaluate_estimator(PerLabel(), S, Y, labels=L)["PerLabel"]
    assert each.classes["news"].auc == MODEL.classes["news"].auc
    assert each.classes["sport"].auc.value == 0.5
    decided = th.evaluate_estimator(Decided(), S, Y, labels=L)["Decided"]
    assert decided.macro_f1.value == MODEL.macro_f1.value


@pytest.mark.slow
def test_a_measure_of_ones_own_is_resampled_and_compared_like_the_others():
    def false_labels(s):
        "Labels that a row is decided to have and has not."
        return float(np.average((s.decided > s.truth).sum(axis=1), weights=s.weights))

    rng = np.random.default_rng(3)
    truth = rng.random((40, 4)) < 0.3
    scores = {"a": 0.2 * truth + 0.8 * rng.random(truth.shape), "b": rng.random(truth.shape)}
    facts = {"text": "mean of FP", "needs": "label sets", "bounds": (0.0, 4.0), "better": "lower", "source": "here"}
    with register(false_labels, **facts):
        plain = th.evaluate(truth.astype(int), scores, threshold=0.2)
        drawn = th.evaluate(truth.astype(int), scores, threshold=0.2, bootstrap=100)["b"].estimate("false_labels")
        difference = plain.compare("b", "a", measure="false_labels", bootstrap=100)
    each = [((given >= 0.2) & ~truth).sum(axis=1) for given in scores.values()]
    assert drawn.value == pytest.approx(each[1].mean())
    assert drawn.value > 1, "a value that a range of 0 to 1 would cut"
    assert drawn.low < drawn.value < drawn.high
    error = each[1].std() / np.sqrt(40)
    assert (drawn.high - drawn.low) / error == pytest.approx(2 * 1.96, rel=0.3)
    apart = each[1] - each[0]
    assert difference.difference == pytest.approx(apart.mean())
    assert (difference.high - difference.low) / (apart.std() / np.sqrt(40)) == pytest.approx(2 * 1.96, rel=0.3)
