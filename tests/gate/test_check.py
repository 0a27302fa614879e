"""Checks: limits from text, what is held against them, drops that count only when they are sure."""

import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.inference.auc.tests import auc_test

Y = [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]


def rows(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    shared = rng.normal(size=n)
    return y, {
        name: 1 / (1 + np.exp(-(k * (y - 0.5) + 0.9 * shared + 0.4 * rng.normal(size=n))))
        for name, k in (("good", 2.0), ("same", 2.0), ("bad", 1.5))
    }


@pytest.fixture
def models():
    y, scores = rows()
    return th.evaluate(y, scores)


@pytest.mark.parametrize(
    ("text", "measure", "value"),
    [
        ("auc=0.8", "auc", 0.8), ("AUC=.8", "auc", 0.8), ("recall@fpr=0.01:0.6", "true_positive_rate", 0.6),
        ("f_beta:beta=2=0.5", "f_beta", 0.5), ("brier_score=1e-2", "brier_score", 0.01),
        ("accuracy=99%", "accuracy", 0.99), ("recall@specificity=95%:60%", "true_positive_rate", 0.6),
        ("f_beta:beta=2=50%", "f_beta", 0.5), ("recall@specificity=95%,interpolated:60%", "true_positive_rate", 0.6),
    ],
)  # fmt: skip
def test_limits_from_text(text, measure, value):
    found = gate.limit(text)
    assert (found.spec.entry.name, found.value) == (measure, value)


def test_a_measure_is_called_as_it_was_written():
    model = th.evaluate(Y, SCORES)["score"]
    found = gate.at_least(model, gate.limit("recall@specificity=80%:0.1"))
    assert found.name == "recall at specificity 0.8 at least 0.1"
    assert found.message.startswith("score: recall at specificity 0.8 is 0.8 (")
    between = gate.at_least(model, gate.limit("recall@specificity=85%,interpolated:0.1"))
    assert between.name == "recall at specificity 0.85 (interpolated) at least 0.1"
    assert between.value == pytest.approx(0.4)
    assert "bootstrap" in between.method
    assert gate.limit("tpr@fpr=0.1:0.1").spec.title == "recall (sensitivity) at false positive rate 0.1"


def test_the_brier_score_of_several_classes_goes_up_to_2():
    model = th.evaluate(["a", "b", "c"] * 4, [[0.2, 0.5, 0.3]] * 12)["model"]
    assert gate.at_most(model, gate.limit("brier_score=1.5"), on="value").passed


@pytest.mark.parametrize(("test", "text", "instead"), [
    ("at_least", "brier_score=0.1", "Use at_most."), ("at_least", "log_loss=0.5", "Use at_most."),
    ("at_most", "recall=0.99", "Use at_least."), ("at_most", "recall@fpr=0.1:0.9", "Use at_least."),
])  # fmt: skip
def test_a_limit_that_worse_models_pass_more_easily_is_refused(test, text, instead):
    model = th.evaluate(Y, SCORES)["score"]
    with pytest.raises(th.errors.OptionError, match=instead):
        getattr(gate, test)(model, gate.limit(text))
    with pytest.raises(th.errors.OptionError, match="Set limits instead"):
        gate.no_drop(model, model, gate.limit("calibration_slope=0.1"))
    for side in (gate.at_least, gate.at_most):
        assert side(model, gate.limit("prevalence=0.5"), on="value").passed


def test_a_floor_holds_for_the_lower_limit_or_the_value():
    model = th.evaluate(Y, SCORES)["score"]
    low = model.auc.low
    assert gate.at_least(model, gate.limit(f"auc={low!r}")).passed
    above = gate.at_least(model, gate.limit(f"auc={math.nextafter(low, 1)!r}"))
    assert not above.passed
    assert "below" in above.message
    assert gate.at_least(model, gate.limit("auc=0.76"), on="value").passed
    assert not gate.at_least(model, gate.limit("auc=0.7601"), on="value").passed


def test_a_ceiling_holds_for_the_upper_limit():
    model = th.evaluate(Y, SCORES)["score"]
    rate = model.false_positive_rate
    assert gate.at_most(model, gate.limit(f"fpr={rate.high!r}")).passed
    assert not gate.at_most(model, gate.limit(f"fpr={rate.value!r}")).passed
    assert gate.at_most(model, gate.limit(f"fpr={rate.value!r}"), on="value").passed


def test_undefined_values_fail():
    one_class = th.evaluate([1, 1, 1], [0.1, 0.2, 0.3])["score"]
    found = gate.at_least(one_class, gate.limit("auc=0.1"))
    assert not found.passed
    assert "no negatives" in found.message
    without = th.evaluate(Y, [10 * s for s in SCORES])["score"]
    found = gate.at_least(without, gate.limit("recall=0.1"))
    assert not found.passed
    assert "no threshold" in found.message


def test_a_measure_without_a_formula_for_its_interval_is_resampled_unless_its_value_is_asked_for():
    from thresher.inference.bootstrap.intervals import Bootstrap

    model, bound = th.evaluate(Y, SCORES)["score"], gate.limit("precision@recall=0.6:0.5")
    found = gate.at_least(model, bound)
    assert "2,000 replicates" in found.method
    assert found.low is not None
    value = gate.at_least(model, bound, on="value")
    assert value.passed
    assert value.low is None
    assert "100 replicates" in gate.at_least(model, bound, bootstrap=Bootstrap(n=100)).method


def test_a_drop_counts_only_when_all_of_its_interval_is_beyond_the_allowance(models):
    y, scores = rows()
    want = auc_test(y, scores["bad"], scores["good"])
    assert want.high < 0
    sure, edge = -want.high * (1 + 1e-12), -want.high * (1 - 1e-12)
    assert gate.no_drop(models["bad"], models["good"], gate.limit(f"auc={sure!r}")).passed
    failed = gate.no_drop(models["bad"], models["good"], gate.limit(f"auc={edge!r}"))
    assert not failed.passed
    assert (failed.value, failed.low, failed.high) == pytest.approx((want.estimate, want.low, want.high), rel=1e-12)
    assert "paired" in failed.message
    assert gate.no_drop(models["good"], models["bad"], gate.limit("auc=0")).passed
    unsure = gate.no_drop(models["same"], models["good"], gate.limit("auc=0"))
    assert unsure.passed
    assert "would be seen" in unsure.message


def test_a_gain_is_told_as_one(models):
    gain, drop = (
        gate.no_drop(models[a], models[b], gate.limit("auc=1")) for a, b in (("good", "bad"), ("bad", "good"))
    )
    said = gain.message.partition(" interval ")
    assert f"gain {gain.value:.4g}, " in said[0]
    assert said[2].startswith(f"{gain.low:.4g} to {gain.high:.4g} ")
    assert "drop -" not in gain.message
    assert f"drop {-drop.value:.4g}, " in drop.message


def test_less_is_better_for_a_loss(models):
    assert not gate.no_drop(models["bad"], models["good"], gate.limit("brier_score=0")).passed
    assert gate.no_drop(models["good"], models["bad"], gate.limit("brier_score=0")).passed


def test_a_saved_baseline_is_compared_unpaired_and_that_is_said(models, tmp_path):
    path = tmp_path / "main.json"
    path.write_text(th.evaluate(*[rows()[0], {"good": rows()[1]["good"]}]).to_json(), encoding="utf-8")
    old = gate.load_baseline(path)
    bound = gate.limit("auc=0")
    unpaired = gate.no_drop_from_baseline(models["bad"], old, bound)
    paired = gate.no_drop(models["bad"], models["good"], bound)
    assert unpaired.value == pytest.approx(paired.value)
    assert unpaired.high - unpaired.low > 1.5 * (paired.high - paired.low)
    assert "unpaired" in unpaired.message
    assert "on the same rows" in unpaired.message
    one, two = models["bad"].auc, models["good"].auc
    low = one.value - two.value - math.hypot(one.value - one.low, two.high - two.value)
    assert unpaired.low == pytest.approx(low)
    accuracy = gate.no_drop_from_baseline(models["bad"], old, gate.limit("accuracy=0.001"))
    assert accuracy.value == pytest.approx(models["bad"].accuracy.value - models["good"].accuracy.value)


def test_forms_say_the_same(models):
    checks = [gate.at_least(models["good"], gate.limit(text)) for text in ("auc=0.5", "auc=0.99")]
    document = json.loads(gate.FORMS["json"](checks))
    assert [found["passed"] for found in document["checks"]] == [True, False]
    assert document["passed"] is False
    text = gate.FORMS["text"](checks)
    assert text.startswith("passed")
    assert text.endswith("2 checks, 1 failed\n")
    annotations = gate.FORMS["github"](checks).splitlines()
    assert annotations[0].startswith("::notice title=thresher%3A ")
    assert annotations[1].startswith("::error ")
    assert "95 %25" in annotations[1]
    root = ElementTree.fromstring(gate.junit_text(checks))
    assert root.attrib == {"tests": "2", "failures": "1", "errors": "0"}
    cases = root.findall("./testsuite/testcase")
    assert [case.find("failure") is None for case in cases] == [True, False]
    assert cases[1].find("failure").attrib["message"] == checks[1].message


def test_markdown_keeps_a_model_in_its_cell():
    model = th.evaluate(Y, {"a|b\n| c": SCORES})["a|b\n| c"]
    lines = gate.FORMS["markdown"]([gate.at_least(model, gate.limit("auc=0.1"))]).splitlines()
    assert len(lines) == 5
    assert [line.replace("\\|", "").count("|") for line in lines[:3]] == [3, 3, 3]


def test_junit_holds_names_that_xml_does_not():
    y, s = Y, SCORES
    model = th.evaluate(y, {'a<b>&"\x00\x1b': s})['a<b>&"\x00\x1b']
    root = ElementTree.fromstring(gate.junit_text([gate.at_least(model, gate.limit("auc=0.1"))]))
    assert root.find("./testsuite/testcase").attrib["classname"] == r'a<b>&"\x00\x1b'


def test_a_drop_of_rows_in_clusters_has_the_test_of_compare():
    y, scores = rows(300)
    models = th.evaluate(y, {"new": scores["same"], "old": scores["good"]}, cluster=np.arange(300) // 3)
    for measure in ("auc", "accuracy", "brier_score"):
        found = gate.no_drop(models["new"], models["old"], gate.limit(f"{measure}=0.1"))
        assert found.method == models.compare("new", "old", measure=measure).method


def test_bounds_over_all_labels_decide():
    """Two of three positives are found; with both rows without a label positive, two of five."""
    y, called = [1, 1, 1, 0, 0, 0, None, None], [1, 1, 0, 1, 0, 0, 0, 0]
    model = th.evaluate(y, predicted=called, missing="bounds")["predicted"]
    assert tuple(model.bounds("recall")) == (2 / 5, 2 / 3)
    for on in ("low", "value"):
        assert not gate.at_least(model, gate.limit("recall=0.5"), on=on).passed
    assert gate.at_least(model, gate.limit("recall=0.4"), on="value").passed
    assert not gate.at_least(model, gate.limit("recall=0.4")).passed  # its lower confidence limit is below
    assert gate.at_most(model, gate.limit("fnr=0.6"), on="value").passed
    assert not gate.at_most(model, gate.limit("fnr=0.59"), on="value").passed
