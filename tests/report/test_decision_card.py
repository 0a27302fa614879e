"""What is shown of chosen thresholds and reject options: one shape in three forms."""

import json

import numpy as np
import pytest

import thresher as th
from thresher.errors import OptionError
from thresher.report.build import build
from thresher.report.render.text import document_text
from thresher.report.render.values import cards_form
from thresher.report.request import DecisionOptions
from thresher.report.sections.chosen import zone_of

COSTS = th.decisions.Costs(fp=1, fn=5)


def model(name="a", shift=0.0):
    rng = np.random.default_rng(7)
    y = (rng.random(300) < 0.4).astype(int)
    return th.evaluate(y, {name: rng.normal(1.2 * y, 1.0).round(2) - shift})[name]


@pytest.mark.parametrize("write", ["choose", "reject"])
def test_a_name_that_no_encoding_can_write(write):
    m = model(name="a\udcff")
    text = (
        cards_form([m.choose(maximize="f1")], "json")
        if write == "choose"
        else cards_form([m.with_reject("deferral=0.2", costs=COSTS)], "json", rejecting=True)
    )
    assert "a?" in text.encode("utf-8").decode("utf-8")
    json.loads(text)


def top_share(c):
    """True positives among all rows."""
    return c.tp / (c.tp + c.fp + c.fn + c.tn)


def max_recall(c):
    """True positives."""
    return c.tp


@pytest.mark.parametrize(("own", "shown"), [(top_share, "top share: 0.50 at"), (max_recall, "max recall: 2.00 at")])
def test_a_criterion_with_the_name_of_another_kind(own, shown):
    with th.decisions.register_criterion(own):
        chosen = th.evaluate([0, 1, 1, 0], [0.1, 0.8, 0.9, 0.3])["score"].choose(own.__name__)
        assert str(chosen).startswith(f"score: {shown}")


def test_the_top_rows_are_all_counted():
    many = th.evaluate([0, 1] * 1000, np.arange(2000.0))["score"]
    assert str(many.choose("top 1234")).startswith("score: top 1234: 1,234 of the rows at threshold 766\n")


def test_undecided_scores_without_an_end_name_the_other():
    assert zone_of(model().with_reject(upper=0.9, lower=0.5)).startswith("0.5 ≤ score < ")
    found = model().with_reject(upper=np.inf, lower=0.5)
    assert zone_of(found) == "0.5 ≤ score"
    assert "Reportable rate of “1”" in str(found)


def test_a_budget_counts_rows_or_weight():
    y, scores = [1, 0, 1, 0], [4, 3, 2, 1]
    for options, unit in (({}, "rows"), ({"weights": [1.0, 2, 1, 1]}, "weight")):
        found = th.evaluate(y, scores, **options)["score"]
        assert f"% of the {unit} at threshold" in str(found.choose(top_share=0.6))
        document = build(th.evaluate(y, scores, **options), deciding=DecisionOptions.of(None, None, top=2))
        assert ("a budget is of the weight" in document_text(document)) == (unit == "weight")
    with pytest.raises(OptionError, match=r"2\.5 rows"):
        build(th.evaluate(y, scores), deciding=DecisionOptions.of(None, None, top=2.5))
