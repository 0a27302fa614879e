"""What is written on a picture can be read: numbers do not touch, names fit, and the legend says a thing once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import thresher as th
from thresher.plot.differences import plot_comparisons

pytestmark = pytest.mark.peer


def test_numbers_below_a_forest_do_not_touch() -> None:
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    ax = plot_comparisons([ev.compare(a, b) for a in names for b in names if a < b])
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if ax.get_xlim()[0] <= label.get_position()[0]]
    assert len(boxes) > 2
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


@pytest.mark.parametrize(("names", "angle"), [("0123456", 0), ([f"class {i}" for i in range(7)], 90)])
def test_short_names_of_many_classes_stand_upright(names, angle) -> None:
    ax = th.ConfusionMatrix.from_counts(np.eye(7, dtype=int), labels=list(names)).plot()
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {angle}


def test_treating_all_is_one_entry_of_the_legend() -> None:
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    shown = [text.get_text() for text in ev.plot("decision").get_legend().get_texts()]
    assert shown == [
        "treat none",
        f"{names[0]}: net benefit",
        "treat all",
        *(f"{name}: net benefit" for name in names[1:]),
    ]


def test_the_axis_of_slopes_fits_its_figure() -> None:
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    ax = ev.joint_hull.plot(space="slopes")
    ax.figure.draw_without_rendering()
    assert ax.xaxis.label.get_window_extent().x1 <= ax.figure.bbox.x1
