"""Curves of decisions are drawn."""

import pytest

import thresher as th
from example_rows import columns

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
