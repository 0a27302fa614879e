"""Plots: what stands at the axes, in the legend and on the canvas."""

import subprocess
import sys

import numpy as np
import pytest

import example_rows
import thresher as th
from example_rows import columns
from plot_parts import texts as legend
from thresher import curves
from thresher.counts import ScoreTable
from thresher.curves import decision_curve
from thresher.errors import MissingDependencyError
from thresher.inference.auc.delong import delong_interval
from thresher.plot import plot_curve, plot_curves

TABLE = ScoreTable.from_scores([1, 0, 1, 1, 0, 0, 1, 0], [5, 5, 4, 3, 3, 2, 1, 0])
OTHER = ScoreTable.from_scores([1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1])
MAKERS = [
    curves.roc_curve, curves.precision_recall_curve, curves.det_curve, curves.gain_curve, curves.lift_curve,
    curves.lift_chart, curves.ks_curve, curves.rates_by_threshold,
]  # fmt: skip


@pytest.fixture
def draw():
    """`plot_curves` on fresh axes that are closed afterwards."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield plot_curves
    pyplot.close("all")


def lines(ax, gid):
    """Lines of one kind."""
    return [line for line in ax.lines if (line.get_gid() or "").startswith(gid)]


@pytest.mark.peer
def test_roc_has_equal_axes_one_diagonal_and_areas_with_intervals(draw):
    roc = curves.roc_curve(TABLE)
    from dataclasses import replace

    ax = draw({"a": roc, "b": replace(roc, summary=delong_interval(TABLE))})
    assert ax.get_aspect() == 1.0
    assert len(lines(ax, "thresher-reference")) == 1
    texts = legend(ax)
    assert texts[0] == "chance"
    assert texts[1] == "a (ROC AUC 0.625)"
    assert texts[2].startswith("b (ROC AUC 0.625 [")
    assert ax.get_xlabel() == "False positive rate (1 − specificity)"
    line = lines(ax, "thresher-curve")[0]
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == (roc.x.tolist(), roc.y.tolist())


@pytest.mark.peer
def test_det_axes_are_labeled_with_rates(draw):
    y, s = example_rows.truth("breast_cancer"), example_rows.scores("breast_cancer", "logistic_regression")
    ax = draw([curves.det_curve(ScoreTable.from_scores(y, s))])
    ax.figure.canvas.draw()
    labels = [tick.get_text() for tick in ax.get_xticklabels()]
    assert "50%" in labels
    positions = dict(zip(labels, ax.get_xticks(), strict=True))
    assert positions["50%"] == 0.0
    assert positions["95%"] == pytest.approx(1.6449, abs=1e-4)


@pytest.mark.peer
def test_ks_marks_the_gap_between_both_distributions(draw):
    ax = draw([curves.ks_curve(OTHER)])
    found = curves.ks_test(OTHER)
    mark = lines(ax, "thresher-mark")[0]
    assert set(mark.get_xdata()) == {found.threshold}
    assert abs(np.diff(mark.get_ydata())[0]) == pytest.approx(found.statistic)
    assert any(text.startswith("KS = ") for text in legend(ax))


@pytest.mark.peer
@pytest.mark.parametrize("make", [*MAKERS, decision_curve])
def test_an_undefined_curve_says_why_in_place_of_a_line(draw, make):
    ax = draw([make(ScoreTable.from_scores([0, 0], [0.1, 0.2]))])
    assert [text.get_text() for text in ax.texts] in (["undefined: there are no positives"], [])
    assert bool(ax.texts) != bool(lines(ax, "thresher-curve"))


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
        plot_curve(curves.roc_curve(TABLE))


def test_importing_curves_and_plots_loads_no_matplotlib_and_no_scipy():
    code = "import sys, thresher.plot, thresher.curves; print({'matplotlib', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.peer
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


@pytest.mark.peer
@pytest.mark.usefixtures("draw")
def test_a_curve_of_one_point_is_seen():
    """A line of one point draws nothing."""
    ax = plot_curve(th.evaluate([1, 0, 1], [0.5] * 3)["score"].calibration_curve)
    assert [line.get_marker() for line in ax.lines if line.get_xdata().size == 1] == ["."]
