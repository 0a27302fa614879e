"""What is written on a picture can be read: numbers do not touch, names fit, and the legend says a thing once."""

from itertools import pairwise

import numpy as np
import pytest

import thresher as th
from thresher.plot.forests import plot_comparisons

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
        names[0],
        "treat all",
        *names[1:],
    ]


def test_the_axis_of_slopes_fits_its_figure() -> None:
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    ax = ev.joint_hull.plot(space="slopes")
    ax.figure.draw_without_rendering()
    assert ax.xaxis.label.get_window_extent().x1 <= ax.figure.bbox.x1


def test_names_stand_at_their_own_lines_where_there_is_room() -> None:
    names = ["logistic_regression", "random_forest"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    ax = ev.plot("cost", labels="names")
    assert ax.get_legend() is None
    written = {text.get_text(): text for text in ax.texts if text.get_gid() == "thresher-line-name"}
    assert list(written) == names
    ax.figure.draw_without_rendering()
    lines = [line for line in ax.lines if line.get_gid() == "thresher-curve"]
    paths = [line.get_transform().transform_path(line.get_path()).interpolated(50).vertices for line in lines]
    for place, name in enumerate(names):
        box = written[name].get_window_extent()
        middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
        apart = [np.hypot(*(path - middle).T).min() for path in paths]
        assert np.argmin(apart) == place
        assert written[name].get_color() == lines[place].get_color()
        assert not any(((path > box.min) & (path < box.max)).all(axis=1).any() for path in paths)


def test_names_without_room_stand_in_the_legend() -> None:
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    ev = th.evaluate(th.load_example("breast_cancer"), label="diagnosis", positive="malignant", scores=names)
    same = th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1], "b": [0.9, 0.6, 0.4, 0.1]})
    assert not [text for text in same.plot("roc", labels="names").texts if text.get_gid() == "thresher-line-name"]
    assert same.plot("roc", labels="names").get_legend() is not None
    shown = [text.get_text() for text in ev.plot("roc").get_legend().get_texts()]
    assert shown[1].startswith("logistic_regression (ROC AUC 0.948 [0.927, 0.963])")
