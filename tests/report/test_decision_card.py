"""What is shown of chosen thresholds and reject options: one shape in three forms."""

import json
import re

import numpy as np
import pytest

import thresher as th
from thresher.report.files import render
from thresher.report.render.values import cards_form
from thresher.report.sections.rejected import zone_of

COSTS = th.decisions.Costs(fp=1, fn=5)


def model(name="a", shift=0.0):
    rng = np.random.default_rng(7)
    y = (rng.random(300) < 0.4).astype(int)
    return th.evaluate(y, {name: rng.normal(1.2 * y, 1.0).round(2) - shift})[name]


def test_negative_numbers_have_true_minus_signs_in_html_and_plain_ones_in_text():
    found = model(shift=5).choose(maximize="f1")
    assert found.threshold < 0
    html = found._repr_html_()
    assert f"at threshold −{-found.threshold:g}. " in html
    assert f"when the score is ≥ −{-found.threshold:g}." in html
    assert f"at threshold {found.threshold:g}\n" in str(found)
    assert f"at threshold {found.threshold:g}\n" in cards_form([found], "markdown")
    rejected = model(shift=5).with_reject("deferral=0.2", costs=COSTS)
    assert " −" in rejected._repr_html_()
    assert " -" not in rejected._repr_html_().partition("</style>")[2].replace(" --", "")


def test_counts_beside_a_share_at_another_prevalence_are_said_to_be_counts():
    said = "The prevalence was set to 0.001: cells are as counted"
    for found in (model().choose(costs=COSTS, prevalence=0.001),
                  model().with_reject("deferral=0.2", costs=COSTS, prevalence=0.001)):  # fmt: skip
        html = found._repr_html_()
        assert html.count(said) == 1
        assert said in html.partition("<caption")[2].partition("</caption>")[0]
        assert f"\n{said}" in str(found)
    table = cards_form([model().choose(costs=COSTS, prevalence=0.001)], "markdown")
    assert re.search(rf"\n\| total \|.*\n\n- {said}", table)
    assert ">Confusion matrix</caption>" in model().choose(costs=COSTS)._repr_html_()


def test_a_matrix_of_weights_says_so_in_markdown():
    ev = th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.7]}, weights=[1, 2, 3, 4.5], threshold=0.5)
    assert "- Cells are sums of weights." in render(ev, "markdown")


def test_decided_rows_are_named_in_every_form():
    found = model().with_reject("deferral=0.2", costs=COSTS)
    assert "\n\nDecided rows\ntruth" in str(found)
    assert "\n\nDecided rows:\n\n|" in cards_form([found], "markdown", rejecting=True)
    assert "<p>Decided rows:</p>" in found._repr_html_()


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


def test_undecided_scores_without_an_end_are_said_with_the_sign_of_infinity():
    found = model().with_reject(upper=np.inf, lower=0.5)
    assert zone_of(found) == "0.5 ≤ score < ∞"
    assert "Reportable rate of “1”" in str(found)
