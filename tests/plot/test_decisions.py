"""Curves of decisions are drawn."""

import pytest

import thresher as th
from example_rows import columns
from thresher.curves import decision_curve

pytestmark = pytest.mark.peer

pytest.importorskip("matplotlib").use("Agg")


def test_hull_cost_and_decision_curve_are_drawn():
    rows = columns("breast_cancer")
    evaluation = th.evaluate(rows["diagnosis"], {"rf": rows["random_forest"]}, positive="malignant")
    model = evaluation["rf"]
    for drawn in (model.hull, model.cost_curve, model.decision_curve, model.pr_at(0.01)):
        ax = drawn.plot()
        assert ax.lines
        ax.figure.clear()
    ax = model.roc.plot()
    lines = len(ax.lines)
    assert model.hull.plot(ax=ax) is ax
    assert len(ax.lines) > lines


@pytest.mark.parametrize("per", [1, 100])
def test_a_decision_curve_shows_its_benefit_and_treating_everyone(per):
    rows = columns("breast_cancer")
    table = th.evaluate(rows["diagnosis"], {"rf": rows["random_forest"]}, positive="malignant")["rf"].table
    curve = decision_curve(table, per=per)
    ax = curve.plot()
    assert ax.get_ylabel() == "Net benefit"
    assert [line.get_label() for line in ax.lines].count("treat none") == 1
    low, high = ax.get_ylim()
    assert low < 0
    assert max(curve.y) < high < 1.1 * max(curve.y)


def test_a_decision_curve_of_one_class_is_drawn_as_undefined():
    ax = decision_curve(th.ScoreTable.from_scores([0, 0], [0.1, 0.2])).plot()
    assert ax.lines or ax.texts
