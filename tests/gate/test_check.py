"""Checks: limits from text, what is held against them, drops that count only when they are sure."""

import csv
import json
import math
from xml.etree import ElementTree

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.counts.saved import signed
from thresher.errors import OptionError, UnknownMeasureError
from thresher.inference.auc.score_tests import auc_test
from thresher.results import plus_minus, rounded_up

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
        ("auc=0.8", "auc", 0.8),
        ("AUC=.8", "auc", 0.8),
        ("recall@fpr=0.01:0.6", "true_positive_rate", 0.6),
        ("f_beta:beta=2=0.5", "f_beta", 0.5),
        ("brier_score=1e-2", "brier_score", 0.01),
        ("accuracy=99%", "accuracy", 0.99),
        ("recall@specificity=95%:60%", "true_positive_rate", 0.6),
        ("f_beta:beta=2=50%", "f_beta", 0.5),
        ("recall@specificity=95%,interpolated:60%", "true_positive_rate", 0.6),
    ],
)
def test_limits_from_text(text, measure, value):
    found = gate.limit(text)
    assert (found.wanted.entry.name, found.value) == (measure, value)


@pytest.mark.parametrize("text", ["auc", "auc=", "auc=high", "recall@fpr=0.01", "auc=nan", "=0.8"])
def test_what_is_no_limit_is_refused(text):
    with pytest.raises((OptionError, UnknownMeasureError)):
        gate.limit(text)


@pytest.mark.parametrize("text", ["log_loss=5%", "mcc=50%", "lr_plus=200%", "recall@threshold_youden=1%:0.5"])
def test_only_a_share_has_a_percentage(text):
    with pytest.raises((OptionError, UnknownMeasureError)):
        gate.limit(text)
    with pytest.raises(OptionError, match="Matthews correlation is no share"):
        gate.limit("mcc=50%")
    with pytest.raises(OptionError, match="is no share"):
        gate.limit("recall@mcc=50%:0.5")


def test_a_measure_is_called_as_it_was_written():
    model = th.evaluate(Y, SCORES)["score"]
    found = gate.at_least(model, gate.limit("recall@specificity=80%:0.1"))
    assert found.name == "recall at specificity 0.8 at least 0.1"
    assert found.message.startswith("score: recall at specificity 0.8 is 0.8 (")
    between = gate.at_least(model, gate.limit("recall@specificity=85%,interpolated:0.1"))
    assert between.name == "recall at specificity 0.85 (interpolated) at least 0.1"
    assert between.value == pytest.approx(0.4)
    assert "bootstrap" in between.method
    assert gate.limit("tpr@fpr=0.1:0.1").wanted.title == "recall (sensitivity) at false positive rate 0.1"


@pytest.mark.parametrize("check", [gate.at_least, gate.at_most])
def test_a_number_outside_the_range_of_a_measure_is_refused(check):
    model = th.evaluate(Y, SCORES)["score"]
    with pytest.raises(OptionError, match=r"'auc=90': ROC AUC ranges from 0 to 1.* For 90 percent say 90%\.$"):
        check(model, gate.limit("auc=90"))
    with pytest.raises(OptionError, match=r"'accuracy=101%': .* so this decides nothing\.$"):
        check(model, gate.limit("accuracy=101%"))
    with pytest.raises(OptionError, match=r"'brier_score=-0\.1': .* ranges from 0 to 1"):
        check(model, gate.limit("brier_score=-0.1"))
    for text in ("mcc=-0.5", "lr_plus=20", "auc=1", "auc=0"):
        check(model, gate.limit(text))


def test_the_brier_score_of_several_classes_goes_up_to_2():
    model = th.evaluate(["a", "b", "c"] * 4, [[0.2, 0.5, 0.3]] * 12)["model"]
    assert gate.at_most(model, gate.limit("brier_score=1.5"), on="value").passed


def test_a_floor_holds_for_the_lower_limit_or_the_value():
    model = th.evaluate(Y, SCORES)["score"]
    low = model.auc.low
    assert gate.at_least(model, gate.limit(f"auc={low!r}")).passed
    above = gate.at_least(model, gate.limit(f"auc={math.nextafter(low, 1)!r}"))
    assert not above.passed
    assert "below" in above.message
    assert gate.at_least(model, gate.limit("auc=0.76"), on="value").passed
    assert not gate.at_least(model, gate.limit("auc=0.7601"), on="value").passed
    with pytest.raises(OptionError, match="on="):
        gate.at_least(model, gate.limit("auc=0.5"), on="high")


def test_a_ceiling_holds_for_the_upper_limit():
    model = th.evaluate(Y, SCORES)["score"]
    rate = model.false_positive_rate
    assert gate.at_most(model, gate.limit(f"fpr={rate.high!r}")).passed
    assert not gate.at_most(model, gate.limit(f"fpr={rate.value!r}")).passed
    assert gate.at_most(model, gate.limit(f"fpr={rate.value!r}"), on="value").passed


def test_what_cannot_be_decided_fails():
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
    sure, edge = -want.high, math.nextafter(-want.high, 0)
    assert gate.no_drop(models["bad"], models["good"], gate.limit(f"auc={sure!r}")).passed
    failed = gate.no_drop(models["bad"], models["good"], gate.limit(f"auc={edge!r}"))
    assert not failed.passed
    assert (failed.value, failed.low, failed.high) == (want.estimate, want.low, want.high)
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
    with pytest.raises(OptionError, match="not negative"):
        gate.no_drop(models["good"], models["bad"], gate.limit("auc=-0.1"))


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
    assert "95%25" in annotations[1]
    root = ElementTree.fromstring(gate.junit_text(checks))
    assert root.attrib == {"tests": "2", "failures": "1", "errors": "0"}
    cases = root.findall("./testsuite/testcase")
    assert [case.find("failure") is None for case in cases] == [True, False]
    assert cases[1].find("failure").attrib["message"] == checks[1].message


def test_every_form_says_how_far_bins_put_a_number_off(models, in_bins):
    """The sentence of a check that was decided said nothing of it, and no form had the bound."""
    auc, slope, exact = (
        gate.at_least(model, gate.limit(text), on="value")
        for model, text in ((in_bins, "auc=0.5"), (in_bins, "calibration_slope=0.1"), (models["good"], "auc=0.5"))
    )
    bound = in_bins.auc.error_bound
    assert (auc.passed, auc.error_bound, slope.error_bound, exact.error_bound) == (True, bound, math.inf, None)
    told = [f"{auc.value:.4g}{plus_minus(bound)} (95% interval", "how far bins of scores put it off is not known"]
    checks = [auc, slope, exact]
    for form in (*(gate.FORMS[name] for name in ("text", "github", "markdown")), gate.junit_text):
        assert all(words in form(checks).replace("95%25", "95%") for words in told)
        assert form([exact]) == form([exact]).replace("±", "").replace("bins", "")
    found = json.loads(gate.FORMS["json"](checks))["checks"]
    assert [each.get("error_bound", "exact") for each in found] == [bound, None, "exact"]
    lines = list(csv.DictReader(gate.FORMS["csv"](checks).splitlines()))
    assert [line["error_bound"] for line in lines] == [repr(bound), "inf", ""]


def test_markdown_keeps_a_model_in_its_cell():
    model = th.evaluate(Y, {"a|b\n| c": SCORES})["a|b\n| c"]
    lines = gate.FORMS["markdown"]([gate.at_least(model, gate.limit("auc=0.1"))]).splitlines()
    assert len(lines) == 5
    assert [line.replace("\\|", "").count("|") for line in lines[:3]] == [4, 4, 4]


def test_junit_holds_names_that_xml_does_not():
    y, s = Y, SCORES
    model = th.evaluate(y, {'a<b>&"\x00\x1b': s})['a<b>&"\x00\x1b']
    root = ElementTree.fromstring(gate.junit_text([gate.at_least(model, gate.limit("auc=0.1"))]))
    assert root.find("./testsuite/testcase").attrib["classname"] == r'a<b>&"\x00\x1b'


@pytest.fixture(scope="module")
def in_bins():
    """A model known by a few bins of its scores."""
    from thresher.counts import Counts, ScoreTable

    y, scores = rows(3000)
    builder = ScoreTable.builder(exact_rows=16, bins=64).update(y, scores["good"])
    return th.evaluate(Counts(groups={(): {"score": builder.table()}}), threshold=0.5)["score"]


@pytest.mark.parametrize("on", gate.check.ON)
@pytest.mark.parametrize("text", ["auc", "ks", "average_precision", "recall@fpr=0.2"])
def test_a_limit_within_the_bound_of_bins_is_not_decided(in_bins, text, on):
    measure = gate.limit(f"{text}{':' if '@' in text else '='}0.5").wanted
    found = in_bins.estimate(measure.text)
    held, bound = (found.value if on == "value" else found.low), found.error_bound
    assert 0 < bound < 0.1
    # A limit that was moved by the bound already is moved back; that of the rows is within twice the bound of it.
    shift, reach = (0.0, 1.0) if on == "value" else (float("wider by what bins hide" in found.method), 2.0)
    for step, outcome in ((-1.01, (True, True)), (-0.9, (False, False)), (0.9, (False, False)), (1.01, (False, True))):
        move = step * reach + shift
        limit = gate.Limit(text=text, wanted=measure, value=held + move * bound)
        check = gate.at_least(in_bins, limit, on=on)
        assert (check.passed, check.decided) == outcome, move
        assert ("cannot be decided at this tolerance" in check.message) == (not check.decided)
        assert check.message.endswith("as far as bins of scores tell") == (check.decided and on == "low")
        assert check.to_dict()["decided"] is check.decided
    over = gate.at_most(in_bins, gate.Limit(text=text, wanted=measure, value=found.value + 0.5 * bound), on="value")
    assert (over.passed, over.decided) == (False, False)


def test_what_bins_tell_exactly_is_decided(in_bins):
    assert in_bins.estimate("brier_score").error_bound == in_bins.estimate("accuracy").error_bound == 0
    for text in ("brier_score", "accuracy"):
        value = in_bins.estimate(text).value
        check = gate.at_most(
            in_bins, gate.Limit(text=text, wanted=gate.limit(f"{text}=1").wanted, value=value), on="value"
        )
        assert (check.passed, check.decided) == (True, True)


def test_limits_that_no_bound_is_proven_of_are_said_to_be_those_of_bins(in_bins, models):
    """A limit may be off where the value is exact: that of a rate at a rate depends on how dense the scores are."""
    wanted = {"auc=0.1": True, "accuracy=0.1": False, "recall=0.1": False, "recall@fpr=0.2:0.1": True}
    for text, is_of_bins in wanted.items():
        for model, is_binned in ((in_bins, True), (models["good"], False)):
            said = gate.at_least(model, gate.limit(text)).message
            assert ("as far as bins of scores tell" in said) == (is_of_bins and is_binned), said
    assert "bins" not in gate.at_most(in_bins, gate.limit("brier_score=0.9")).message
    assert "as far as bins" not in gate.at_least(in_bins, gate.limit("auc=0.1"), on="value").message


def test_what_is_fitted_to_bins_is_not_decided(in_bins):
    check = gate.at_least(in_bins, gate.limit("calibration_slope=0.1"))
    assert (check.passed, check.decided) == (False, False)
    assert "how far bins of scores put it off is not known" in check.message
    assert check.message.endswith(
        "rows counted anew with a smaller one may decide it, and a tolerance of 0 without a least count does"
    )


def test_a_drop_that_takes_rows_of_clusters_as_independent_says_so():
    """`compare` said it of the same tests, and the check of a drop did not."""
    y, scores = rows(300)
    models = th.evaluate(y, {"new": scores["same"], "old": scores["good"]}, cluster=np.arange(300) // 3)
    for text, is_ignored in (("auc=0.1", False), ("accuracy=0.1", True), ("brier_score=0.1", True)):
        found = gate.no_drop(models["new"], models["old"], gate.limit(text))
        want = models.compare("new", "old", measure=text.partition("=")[0])
        assert (found.method, "clusters ignored" in found.message) == (want.method, is_ignored)
    drawn = gate.no_drop(models["new"], models["old"], gate.limit("accuracy=0.1"), bootstrap=th.Bootstrap(n=50))
    assert "clusters ignored" not in drawn.message


def test_a_drop_within_the_bound_of_bins_is_not_decided(in_bins, tmp_path):
    old = tmp_path / "old.json"

    def saved(bound):
        estimate = {**in_bins.auc.to_dict(), "error_bound": bound}
        model = {"measures": {"auc": estimate}, "threshold": None, "direction": "higher"}
        judged = {"positive": 1, "class_counts": {"1": 1, "0": 1}}
        old.write_text(json.dumps(signed({"schema": 1, "models": {"score": model}, **judged})))

    saved(0.05)
    least = gate.no_drop_from_baseline(in_bins, gate.load_baseline(old), gate.limit("auc=0")).high
    outcomes = [
        gate.no_drop_from_baseline(in_bins, gate.load_baseline(old), gate.limit(f"auc={allowed}"))
        for allowed in (0, 0.5)
    ]
    assert [(check.passed, check.decided) for check in outcomes] == [(least > 0.06, least > 0.06), (True, True)]
    saved(None)
    check = gate.no_drop_from_baseline(in_bins, gate.load_baseline(old), gate.limit("auc=0.5"))
    assert (check.passed, check.decided) == (False, False)


def test_a_drop_of_what_is_read_off_bins_is_not_decided(monkeypatch):
    """Of areas only was it known that bins put a difference off; that of an average precision was called exact."""
    for name, few in (("EXACT_ROWS", 64), ("BINS", 256), ("LEAST", 32)):
        monkeypatch.setattr(f"thresher.evaluation.group_tables.{name}", few)
    y, scores = rows(3000)
    table = {"y": y, "new": scores["same"], "old": scores["good"]}
    models = th.evaluate(th.count(table, ["new", "old"], label="y", pairs=True), threshold=0.5)
    new, old = models["new"], models["old"]
    for text in ("average_precision", "h_measure", "auc"):
        off = new.estimate(text).error_bound + old.estimate(text).error_bound
        worst = gate.no_drop(new, old, gate.limit(f"{text}=1"))
        least = min(-worst.low, -worst.high)
        assert worst.message.endswith("as far as bins of scores tell") == (off > 0)
        if off and least - off / 2 >= 0:
            check = gate.no_drop(new, old, gate.limit(f"{text}={least - off / 2}"))
            assert (check.passed, check.decided) == (False, False), text
        assert (
            f"put the difference off by {rounded_up(off)}" in models.compare("new", "old", measure=text).assumptions
        ) == (off > 0)
    assert "off" not in models.compare("new", "old", measure="brier_score").assumptions
