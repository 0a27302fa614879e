"""What reports say about decisions: the thresholds of the evaluation, in every form, and curves over all costs."""

import math
import re

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from report_cases import breast_cancer, case, named
from thresher.curves import cost_curve, decision_curve
from thresher.decisions import Costs, roc_hull
from thresher.errors import TaskError
from thresher.report.blocks import PlotLine
from thresher.report.build import build
from thresher.report.numbers import number
from thresher.report.render.html import svg
from thresher.report.render.html.page import document_page
from thresher.report.render.json import document_dict
from thresher.report.request import DecisionOptions
from thresher.report.sections import decisions as sections
from thresher.report.sections.curves import clipped, nice_ticks
from thresher.report.sections.order import sections_of

ASKED = {
    "cost": {"cost_fp": 1, "cost_fn": 20}, "youden": {"criterion": "youden"},
    "closest_corner": {"closest_corner": True}, "f1": {"maximize": "f1"}, "matthews_correlation": {"maximize": "mcc"},
}  # fmt: skip
COSTS = Costs(fp=1, fn=20)


def section(document, key):
    return next((each for each in sections_of(document) if each.key == key), None)


def fits(line, plot):
    """Whether a line, without its gaps, lies in the frame of its plot."""
    ends = (line.x, plot.x_ticks), (line.y, plot.y_ticks)
    return all(ticks[0] - 1e-8 <= np.nanmin(v) <= np.nanmax(v) <= ticks[-1] + 1e-8 for v, ticks in ends)


@pytest.mark.parametrize("prevalence", [None, 0.001])
def test_chosen_thresholds_are_those_of_the_evaluation(prevalence):
    evaluation = breast_cancer()
    document = build(evaluation, deciding=DecisionOptions.of(COSTS, prevalence))
    for part in document.models:
        assert list(part.decisions.chosen) == list(ASKED)
        for key, how in ASKED.items():
            want = evaluation[part.name].choose(**how, prevalence=prevalence)
            got = part.decisions.chosen[key]
            assert (got.threshold, got.value, got.matrix) == (want.threshold, want.value, want.matrix)
            assert got.thresholds.tolist() == want.thresholds.tolist()
            assert got.valid == want.valid
            assert list(map(repr, got.measures.values())) == list(map(repr, want.measures.values()))


def test_chosen_thresholds_of_many_rows():
    rng = np.random.default_rng(4)
    y = rng.random(30_000) < 0.2
    evaluation = th.evaluate(y, {"m": 1 / (1 + np.exp(-rng.normal(size=30_000) - y))}, positive=True)
    (part,) = build(evaluation, points=True, deciding=DecisionOptions.of(COSTS, 0.01)).models
    assert len(part.decisions.table) < 10_000
    for key, how in ASKED.items():
        want = evaluation.choose(**how, prevalence=0.01)
        got = part.decisions.chosen[key]
        assert (got.threshold, got.value, got.valid) == (want.threshold, want.value, want.valid)
        assert got.threshold in part.points.table.thresholds
    table = evaluation["m"].table
    assert cost_curve(part.decisions.table) == cost_curve(table)
    np.testing.assert_array_equal(decision_curve(part.decisions.table).y, decision_curve(table).y)
    np.testing.assert_array_equal(roc_hull(part.decisions.table).tpr, roc_hull(table).tpr)


@pytest.mark.parametrize("name", named())
def test_every_case_has_its_sections_or_none(name):
    evaluation = case(name)
    asked = DecisionOptions.of(COSTS if any(m.task == "binary" for m in evaluation.values()) else None, (0.2, 1.0))
    if len(evaluation.class_counts) != 2:
        with pytest.raises(TaskError, match="no model is of two"):
            build(evaluation, deciding=asked)
        asked = DecisionOptions()
    document = build(evaluation, points=True, deciding=asked)
    # Costs choose a threshold where none was given, of scores of both classes.
    decides = any(m.confusion_matrix is not None for m in evaluation.values()) or (
        asked.costs is not None and all(evaluation.class_counts.values())
    )
    assert (section(document, "prevalences") is not None) == (bool(asked.prevalences) and decides)
    has = [m for m in evaluation.values() if m.task == "binary" and m.scores.P and m.scores.N]
    assert (section(document, "chosen") is not None) == bool(has)
    for part in document.models:
        if part.decisions is not None:
            assert set(part.decisions.chosen) | set(part.decisions.reasons) == set(ASKED)
    assert "Where to put" in document_page(document) or not has


def test_a_criterion_without_a_value_says_why():
    document = build(case("constant"))
    assert section(document, "chosen") is None  # no threshold separates equal scores
    chosen = document_dict(document)["models"]["m"]["chosen"]
    assert chosen["matthews_correlation"]["threshold"] is None
    assert "undefined at every threshold" in chosen["matthews_correlation"]["reason"]


def test_models_own_the_costs_that_the_joint_hull_says():
    evaluation = breast_cancer()
    document = build(evaluation)
    table = section(document, "owners")
    share = evaluation["random_forest"].scores.prevalence
    runs: list[list] = []
    for vertex in evaluation.joint_hull.vertices:
        if vertex.slope_low < vertex.slope_high:
            if runs and runs[-1][-1].models == vertex.models:
                runs[-1].append(vertex)
            else:
                runs.append([vertex])
    assert len(table.rows) == len(runs) < len(evaluation.joint_hull.vertices)
    for row, run in zip(table.rows, runs, strict=True):
        low, high = (slope * share / (1 - share) for slope in (run[-1].slope_low, run[0].slope_high))
        assert row[0] == sections.span_text(1 / high, 1 / low if low else math.inf)
        assert row[1] == ", ".join(run[0].models)
        for cell, rate in zip(row[3:], ("tpr", "fpr"), strict=True):
            ends = [number(getattr(vertex, rate), 3) for vertex in (run[0], run[-1])]
            assert cell.text == (" to ".join(ends) if len(run) > 1 else ends[0])
    assert table.remarks == ("Never cheaper than the others, whatever the costs: naive_bayes.",)
    assert section(build(case("plain")), "owners") is None


def test_decisions_at_other_prevalences():
    evaluation = breast_cancer()
    document = build(evaluation, points=True, deciding=DecisionOptions.of(None, (0.001, 0.5)))
    table = section(document, "prevalences")
    assert [(row[0], row[1]) for row in table.rows[:3]] == [
        ("logistic_regression", "0.1 %"), ("logistic_regression", "50.0 %"), ("random_forest", "0.1 %"),
    ]  # fmt: skip
    matrix = evaluation["random_forest"].confusion_matrix.with_prevalence(0.001)
    assert table.rows[2][3] == matrix.estimate("precision")
    plots = section(document, "pr-prevalences").plots
    assert [plot.key for plot in plots] == ["pr-0", "pr-1"]
    line = next(each for each in plots[0].lines if each.name == "random_forest")
    curve = evaluation["random_forest"].pr_at(0.001)
    np.testing.assert_allclose(np.interp(0.9, line.x, line.y), curve.at(0.9), atol=2e-3)
    assert section(build(evaluation), "prevalences") is None


def test_plots_hold_the_curves():
    evaluation = breast_cancer()
    document = build(evaluation, points=True)
    cost, decision = section(document, "all-costs").plots
    curve = evaluation["naive_bayes"].cost_curve
    line = next(each for each in cost.lines if each.name == "naive_bayes")
    np.testing.assert_array_equal(line.x, curve.x)
    np.testing.assert_array_equal(line.y, curve.y)
    line = next(each for each in decision.lines if each.name == "random_forest")
    whole = evaluation["random_forest"].decision_curve
    np.testing.assert_array_equal(line.y[:-1], whole.y[: len(line.y) - 1])
    assert all(fits(each, decision) for each in decision.lines)
    odd = build(th.evaluate([1, 0, 1], {"m": [3, 2, 1]}), points=True)
    assert [plot.key for plot in section(odd, "all-costs").plots] == ["cost"]
    assert section(odd, "all-costs").lead.endswith("every mix of prevalence and costs.")
    assert section(build(evaluation), "all-costs") is None
    rare = section(build(evaluation, points=True, deciding=DecisionOptions.of(None, (0.2, 0.0001))), "all-costs")
    assert [plot.key for plot in rare.plots] == ["cost", "decision", "decision-0_2"]
    assert "At 0.01 % prevalence these probabilities gain nothing" in rare.lead
    line = next(each for each in rare.plots[2].lines if each.name == "random_forest")
    whole = decision_curve(evaluation["random_forest"].table, prevalence=0.2)
    np.testing.assert_allclose(line.y[:-1], whole.y[: len(line.y) - 1], atol=1e-12)


def test_a_decision_curve_of_rare_positives_fills_its_frame():
    evaluation = breast_cancer()
    document = build(evaluation, points=True, deciding=DecisionOptions.of(None, (0.02,)))
    _, whole, rare = section(document, "all-costs").plots
    assert (whole.y_title, whole.x_ticks[-1]) == ("Net benefit", 1.0)
    assert (rare.y_title, rare.x_ticks[-1] < 0.4) == ("Net benefit in 100 cases", True)
    assert "in true positives per 100 cases" in rare.caption
    assert all(fits(each, rare) for each in rare.lines)
    assert max(each.x[-1] for each in rare.lines if each.model is not None) > rare.x_ticks[-2]
    line = next(each for each in rare.lines if each.name == "random_forest")
    curve = decision_curve(evaluation["random_forest"].table, prevalence=0.02)
    assert line.y[1] == pytest.approx(100 * float(np.interp(line.x[1], curve.x, curve.y)))
    assert len(f"{rare.y_ticks[0]:g}") <= 5


RARE = {"data": [0, 0, 0, 1, 1], "scores": {"p": [0.02, 0.1, 0.2, 0.9, 0.97]}}
"""A model that gains nothing at low threshold probabilities, where its line lies below the drawing, and much later."""


@pytest.mark.parametrize("share", [1e-6, 1e-4, 1e-3, 0.01, 0.3, 0.999])
def test_a_line_that_begins_below_the_frame_is_drawn_from_where_it_enters_it(share):
    evaluation = th.evaluate(RARE["data"], RARE["scores"])
    document = build(evaluation, points=True, deciding=DecisionOptions.of(None, (share,)))
    plot = section(document, "all-costs").plots[2]
    line = next(each for each in plot.lines if each.name == "p")
    curve = decision_curve(evaluation["p"].table, prevalence=share)
    per = float(plot.y_title.split()[-2].replace(",", "")) if "cases" in plot.y_title else 1.0
    for x, y in zip(curve.x, per * curve.y, strict=True):
        inside = plot.y_ticks[0] <= y <= plot.y_ticks[-1]
        assert (np.isclose(line.x, x, rtol=0, atol=1e-12) & np.isclose(line.y, y)).any() == inside
    assert max(curve.x[curve.y > 0]) in line.x.tolist()
    assert 'id="plot-decision-' in full(document_page(document))


def test_rows_with_rare_positives_whose_model_only_harms_have_no_decision_curve():
    truth = np.arange(1000) < 2
    document = build(th.evaluate(truth.astype(int), {"m": np.where(truth, 0.001, 0.9)}), points=True)
    found = section(document, "all-costs")
    assert [plot.key for plot in found.plots] == ["cost"]
    assert "At the prevalence of the rows these probabilities gain nothing over treating no one" in found.lead
    assert 'id="plot-cost"' in full(document_page(document))


def test_treating_all_is_drawn_from_0_however_rare_positives_are():
    document = build(th.evaluate(**RARE), points=True, deciding=DecisionOptions.of(None, (1e-4,)))
    plot = section(document, "all-costs").plots[2]
    rule = next(each for each in plot.lines if each.name == "treat all")
    assert (rule.x[0], rule.y[0]) == (0.0, pytest.approx(1e-4 * 10_000))
    assert rule.y[-1] == pytest.approx(plot.y_ticks[0])
    p = rule.x
    np.testing.assert_allclose(rule.y, 10_000 * (1e-4 - (1 - 1e-4) * p / (1 - p)), rtol=0, atol=5e-3)


def test_lines_are_clipped_on_both_sides_and_drawn_in_pieces():
    line = PlotLine(name="m", x=np.arange(6.0), y=np.array([2.0, 0.0, -2.0, 0.0, 0.0, np.nan]))
    found = clipped(line, (-1.0, 0.0, 1.0))
    np.testing.assert_allclose(found.x, [0.5, 1.0, 1.5, np.nan, 2.5, 3.0, 4.0], atol=1e-8)
    np.testing.assert_allclose(found.y, [1.0, 0.0, -1.0, np.nan, -1.0, 0.0, 0.0], atol=1e-8)
    assert svg.path(found.x / 6, found.y).count("M") == 2
    assert "n" not in svg.path(found.x / 6, found.y)
    assert clipped(line, (3.0, 4.0)).x.size == 0


def test_a_model_that_only_harms_is_not_drawn_outside_the_frame():
    truth = np.repeat([1, 0], [20, 980])
    good, bad = np.where(truth == 1, 0.9, 0.01), np.where(truth == 1, 0.001, 0.9)
    document = build(th.evaluate(truth, {"good": good, "bad": bad}), points=True)
    decision = section(document, "all-costs").plots[1]
    good, bad = (next(each for each in decision.lines if each.name == name) for name in ("good", "bad"))
    assert good.x[0] < 0.02
    # It treats no one from 0.9 on, which is no harm.
    assert (bad.x[0] > 0.89, bad.y[-1]) == (True, 0.0)
    assert all(fits(each, decision) for each in decision.lines)
    assert 'id="plot-decision"' in full(document_page(document))


def test_ticks_take_in_the_range():
    rng = np.random.default_rng(0)
    for high in 10 ** rng.uniform(-6, 1, 200):
        ticks = nice_ticks(-0.15 * high, high)
        assert ticks[0] <= -0.15 * high
        assert ticks[-1] >= high * (1 - 1e-9)
        assert 0.0 in ticks
        assert 3 <= len(ticks) <= 9


def test_a_prevalence_that_is_given_twice_is_shown_once():
    page = document_page(build(breast_cancer(), points=True, deciding=DecisionOptions.of(None, (0.1, 0.3, 0.1))))
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert DecisionOptions.of(None, (0.1, 0.3, 0.1)).prevalences == (0.1, 0.3)


def test_a_straight_stretch_of_a_path_is_one_step():
    x, y = np.array([0, 0, 0, 1, 2, 3, 3, 2, 4]) / 6, np.array([0, 1, 2, 2, 2, 2, 4, 4, 5]) / 6
    assert svg.path(x, y) == "M54 384v-124h186v-124h-62l124-62"


def test_a_stretch_that_turns_back_keeps_its_end():
    assert svg.path(np.array([0, 1, 0.5]), np.zeros(3)) == "M54 384h372h-186"
    assert svg.path(np.array([0.5]), np.array([0.5])) == "M240 198"
