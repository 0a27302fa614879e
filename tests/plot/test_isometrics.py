"""Lines of equal value are drawn where they lie in ROC space."""

import numpy as np
import pytest

import thresher as th
from thresher.decisions import contours, iso_accuracy, iso_precision, roc_hull, slide
from thresher.decisions.isometrics import IsoLine

pytestmark = pytest.mark.peer

pytest.importorskip("matplotlib").use("Agg")

TABLE = th.ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])


@pytest.fixture(autouse=True)
def closed():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


def drawn(ax, gid="thresher-isometric"):
    return [line for line in ax.lines if line.get_gid() == gid]


@pytest.mark.parametrize("slope", [0.0, 0.25, 1.0, 4.0])
@pytest.mark.parametrize("intercept", [-5.0, -1.0, -0.5, 0.0, 0.5, 0.999, 1.5])
def test_a_line_ends_where_it_leaves_the_square(slope, intercept):
    line = IsoLine(measure="accuracy", value=0.5, slope=slope, intercept=intercept)
    grid = np.linspace(0, 1, 2001)
    inside = grid[(line.tpr(grid) >= 0) & (line.tpr(grid) <= 1)]
    found = drawn(line.plot())
    if not inside.size:
        assert not found
    if inside.size > 1:
        (each,) = found
        x, y = each.get_data()
        np.testing.assert_allclose(x, [inside.min(), inside.max()], atol=6e-4)
        np.testing.assert_allclose(y, line.tpr(np.asarray(x)), atol=1e-12)


def test_an_upright_line():
    x, y = drawn(iso_precision(1.0, skew=3).plot())[0].get_data()
    assert (list(x), list(y)) == ([0, 0], [0, 1])


def test_a_touch_is_drawn_on_the_roc():
    curve = th.curves.roc_curve(TABLE)
    ax = curve.plot()
    touch = slide(roc_hull(TABLE), "accuracy")
    assert touch.plot(ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "accuracy 0.8"
    (marks,) = drawn(ax, "thresher-touch")
    np.testing.assert_array_equal(marks.get_xdata(), touch.fpr)
    np.testing.assert_array_equal(marks.get_ydata(), touch.tpr)
    for x, y in zip(*drawn(ax)[0].get_data(), strict=True):
        assert y == pytest.approx(float(touch.line.tpr(x)))
    assert ax.get_ylabel() == "True positive rate (sensitivity)"


def test_contours_of_accuracy_are_the_iso_lines():
    ax = contours("accuracy", prevalence=0.25).plot(levels=[0.5, 0.8])
    assert ax.get_xlabel() == "False positive rate (1 − specificity)"
    (lines,) = [each for each in ax.collections if each.get_gid() == "thresher-contours"]
    for value, path in zip([0.5, 0.8], lines.get_paths(), strict=True):
        fpr, tpr = path.vertices.T
        np.testing.assert_allclose(iso_accuracy(value, prevalence=0.25).tpr(fpr), tpr, atol=1e-9)


def test_contours_where_nothing_is_to_be_drawn_say_so():
    said = [text.get_text() for text in contours("f1", prevalence=0.0, points=3).plot().texts]
    assert any("f1: " in text for text in said)


def test_styles_and_labels():
    ax = iso_accuracy(0.8, skew=1).plot(label="ours", color="red", legend=False)
    (line,) = drawn(ax)
    assert (line.get_label(), line.get_color(), ax.get_legend()) == ("ours", "red", None)
