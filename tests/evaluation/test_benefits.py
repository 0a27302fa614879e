"""Gains are spoken of as gains: the largest expected benefit and its value, in every form that says it."""

import csv
import io
import json

import pytest

import thresher as th
from thresher.decisions import Costs, reject_option
from thresher.report.build import build
from thresher.report.numbers import decimals, number
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_dict, schema
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.report.render.values import cards_form
from thresher.report.request import DecisionOptions

GAINS = Costs(tp=5, tn=1, fp=-1, fn=-5, fixed=-0.25, benefit=True)
COSTS = Costs(tp=-5, tn=-1, fp=1, fn=5, fixed=0.25)


def model():
    rows = th.load_example("breast_cancer")
    return th.evaluate(rows, label="diagnosis", positive="malignant", scores=["random_forest"])["random_forest"]


def test_chosen_thresholds_say_the_benefit_in_every_form():
    chosen = model().choose(costs=GAINS)
    benefit = chosen.measures["expected_benefit"]
    assert benefit.value == pytest.approx(chosen.value)
    assert 0 < benefit.low < benefit.value < benefit.high < 5
    cost = chosen.measures["expected_cost"]
    assert (cost.value, cost.low, cost.high) == (-benefit.value, -benefit.high, -benefit.low)
    for text in (str(chosen), cards_form([chosen], "markdown"), chosen._repr_html_()):
        assert f"largest expected benefit: {number(chosen.value, 3)} at threshold" in text
        assert "Expected benefit" in text
        assert "xpected cost" not in text
    found = json.loads(cards_form([chosen], "json"))["thresholds"][0]
    assert found["criterion"] == "largest expected benefit"
    assert (
        found["value"] == found["measures"]["expected_benefit"]["value"] == -found["measures"]["expected_cost"]["value"]
    )
    values = {row["measure"]: row["value"] for row in csv.DictReader(io.StringIO(cards_form([chosen], "csv")))}
    assert float(values["criterion"]) == pytest.approx(float(values["expected_benefit"]))
    assert float(values["expected_cost"]) == -float(values["expected_benefit"])


@pytest.mark.parametrize(("deferral", "lost"), [(0.2, "costs 0.2"), (-1.9, "1.9")])
def test_a_reject_option_of_gains(deferral, lost):
    m = model()
    option = reject_option(m.table, costs=GAINS, deferral=deferral)
    assert option.criterion == f"largest expected benefit with deferral at {deferral}"
    found = m.with_reject(f"deferral={deferral}", costs=GAINS)
    assert found.undeferred_cost == pytest.approx(-m.choose(costs=GAINS).value)
    said, digits = " ".join(str(found).split()), decimals(found.expected_cost)
    assert "Expected benefit" in said
    assert "xpected cost" not in said
    assert f"A row gains {number(-found.expected_cost.value, digits)}" in said
    assert f"an undecided one {lost}; " in said
    alone = f"the best single threshold, which decides all, gains {number(-found.undeferred_cost, digits)}."
    assert (alone in said) == (found.reportable_rate.value < 1) == (deferral < 0)


def test_optimism_of_a_gain_lowers_it():
    m = model()
    gain = m.choose(costs=GAINS, bootstrap=200).resampled
    cost = m.choose(costs=COSTS, bootstrap=200).resampled
    assert gain.thresholds.tolist() == cost.thresholds.tolist()
    for name in ("apparent", "optimism", "corrected", "out_of_bag"):
        assert getattr(gain, name) == pytest.approx(-getattr(cost, name))
    assert gain.corrected < gain.apparent


def test_reports_say_the_benefit():
    m = model()
    evaluation = th.evaluate(m.predictions.truth, {"rf": m.predictions.scores["random_forest"]}, positive=1)
    document = build(evaluation, points=True, deciding=DecisionOptions.of(GAINS, None, reject="deferral=0.2"))
    want = number(m.choose(costs=GAINS).value)
    for text in (document_text(document, width=200), document_markdown(document), document_page(document)):
        assert "Expected benefit" in text
        assert want in text
        lost = "an error loses 2 a false positive, 10 a false negative against the correct decision"
        assert lost in " ".join(text.split())
    assert "Expected cost" not in document_text(document, width=200)
    found = document_dict(document)
    pytest.importorskip("jsonschema").validate(json.loads(json.dumps(found)), schema())
    brief = found["models"]["rf"]["chosen"]["cost"]
    assert brief["criterion"] == "largest expected benefit"
    assert (
        brief["value"] == brief["measures"]["expected_benefit"]["value"] == -brief["measures"]["expected_cost"]["value"]
    )
