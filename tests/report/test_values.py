"""Values as print and a notebook show them: subgroups with what differs, curves with axes, estimates, baselines."""

import html

import numpy as np

import thresher as th
from report_cases import breast_cancer, breast_cancer_in_parts
from thresher.report.numbers import number, p_text

Y = np.tile([1, 0, 1, 0], 60)
SITE = np.repeat(["north", "south"], 120)
SCORE = np.where((SITE == "south") & (Y == 1), np.tile([0.1, 0.1, 0.9, 0.9], 60), 0.2 + 0.6 * Y)


def test_subgroups_print_their_measures_and_gaps():
    groups = th.evaluate(Y, {"m": SCORE}, by={"site": SITE}).groups
    printed = str(groups)
    assert "ROC AUC" in printed
    assert "Recall (sensitivity) -0.500" in " ".join(printed.split())
    assert repr(groups) == "Subgroups(2 groups: 'north' (120 rows), 'south' (120 rows))"
    shown = groups._repr_html_()
    assert shown.count("<tr>") == 3
    assert number(groups["south"].auc.value) in shown
    assert max(map(len, printed.splitlines())) <= 120


def test_groups_without_gaps_or_columns_print_too():
    assert "lengths" not in str(th.evaluate([1, 0], [0.9, 0.1]).groups)
    crossed = th.evaluate(Y, SCORE, by={"site": SITE, "half": np.arange(240) % 2}).groups
    assert "Gaps" not in str(crossed)
    assert str(crossed).count("north") == 2
    assert len(str(breast_cancer_in_parts().groups).splitlines()) < 40


def test_a_curve_has_axes_and_an_estimate_its_method():
    model = breast_cancer()["random_forest"]
    drawn = model.roc._repr_html_()
    assert "False positive rate</text>" in drawn
    assert drawn.count('class="curve"') == 1
    assert "ROC AUC 0.981 [0.967, 0.990]" in drawn
    assert len(drawn) < 8000
    assert (
        model.auc._repr_html_() == "<p>ROC AUC <b>0.981 [0.967, 0.990]</b><small> 95 % DeLong, score limits</small></p>"
    )
    empty = th.evaluate([1, 1], [0.9, 0.2]).auc._repr_html_()
    assert empty == "<p>ROC AUC <b>undefined</b><small> there are no negatives</small></p>"


def test_baselines_print_in_words():
    lines = str(breast_cancer()["random_forest"].baselines).splitlines()
    assert lines[0] == "No-information rate 0.6274: the accuracy of always predicting “benign”."
    assert lines[1] == "Accuracy 0.9385 (one-sided exact binomial test, p < 0.0001)."
    assert lines[2] == "Always negative: Accuracy 0.6274, Balanced accuracy 0.5000, F1 0.0000."
    three = th.evaluate(["a", "b", "c"], predicted=["a", "b", "b"])
    assert str(three["predicted"].baselines).startswith("No-information rate 0.3333")


def test_comparisons_and_calibration_are_tables_in_a_notebook() -> None:
    names = ["random_forest", "naive_bayes"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    found = ev.compare(*names, measure="auc")
    for shown in (found, ev.compare()):
        drawn = shown._repr_html_()
        assert "<table" in drawn
        assert "random_forest − naive_bayes" in drawn
        assert "random_forest has a significantly higher ROC AUC" in drawn
    summary = ev[names[0]].calibration
    drawn = summary._repr_html_()
    assert drawn.count("<tr") == 1 + len(summary.estimates) + len(summary.tests)
    assert all(p_text(test.p_value).removeprefix("p ") in html.unescape(drawn) for test in summary.tests.values())
    assert "undefined" in th.evaluate([1, 0], [3.0, 2.0])["score"].calibration._repr_html_()
