"""Pictures of evaluations, matrices, comparisons, bands and hulls: what stands on the canvas is what the values say."""

import numpy as np
import pytest

import thresher as th
from plot_parts import of
from thresher.curves.kinds import CURVES
from thresher.errors import InputError, OptionError, TaskError
from thresher.inference import roc_band

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("kind", list(CURVES))
def test_a_picture_has_a_line_for_every_model(ev: th.Evaluation, kind: str) -> None:
    ax = ev.plot(kind)
    assert len(of(ax, "thresher-curve")) == 2
    assert all(any(name in text.get_text() for text in ax.get_legend().get_texts()) for name in ev)


def test_the_line_of_a_roc_is_its_points_and_one_model_has_a_band(ev: th.Evaluation) -> None:
    model = ev["random_forest"]
    ax = model.plot("roc")
    (line,) = of(ax, "thresher-curve")
    assert np.array_equal(line.get_xdata(), model.roc.x)
    assert np.array_equal(line.get_ydata(), model.roc.y)
    band = roc_band(model.predictions, model="random_forest")
    (shade,) = (c for c in ax.collections if c.get_gid() == "thresher-band")
    assert shade.get_paths()[0].vertices[:, 1].min() == pytest.approx(band.low.min())
    assert not model.plot("roc", band=False).collections


def test_scores_are_shares_of_each_class(ev: th.Evaluation) -> None:
    assert len(ev.plot("scores")) == 2
    ax = ev["random_forest"].plot("scores")
    for patch in ax.patches:
        if patch.get_gid() == "thresher-scores":
            assert np.nansum(patch.get_data().values) == pytest.approx(1)
    assert any("threshold 0.5" in text.get_text() for text in ax.get_legend().get_texts())


def test_nothing_to_compare_has_no_picture() -> None:
    one = th.evaluate([1, 0] * 4, [0.9, 0.2] * 4, by=["x"] * 8)
    found = one.compare(by="group")
    assert str(found) == "Nothing to compare: a comparison takes two models or two groups."
    with pytest.raises(InputError, match="Nothing to compare"):
        found.plot()


def test_a_matrix_shows_counts_and_shares_recognized() -> None:
    ax = th.load_example("cancer").plot()
    texts = {text.get_gid(): [] for text in ax.texts}
    for text in ax.texts:
        texts[text.get_gid()].append(text.get_text())
    assert texts["thresher-count"] == ["90", "210", "140", "9,560"]
    assert texts["thresher-recognized"] == ["30.0 %", "98.6 %"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["yes", "no"]


def test_a_rule_is_a_point_in_roc_space(ev: th.Evaluation) -> None:
    matrix = th.load_example("clinic")
    ax = matrix.plot(space="roc", label="clinic")
    (point,) = of(ax, "thresher-point")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (0.3, 0.9)
    assert matrix.plot(ax=ev.plot("roc"), space="roc") is not None
    with pytest.raises(TaskError):
        th.ConfusionMatrix.from_counts(np.eye(3)).plot(space="roc")


def test_comparisons_are_a_forest(ev: th.Evaluation) -> None:
    found = ev.compare("logistic_regression", "random_forest")
    ax = found.plot()
    (line,) = of(ax, "thresher-interval")
    assert line.get_xdata().tolist() == [found.low, found.high]
    (dot,) = of(ax, "thresher-difference")
    assert dot.get_xdata()[0] == found.difference
    rows = th.load_example("breast_cancer")
    three = th.evaluate(
        rows["diagnosis"], {n: rows[n] for n in ev} | {"bayes": rows["naive_bayes"]}, positive="malignant"
    )
    assert len(of(three.compare().plot(), "thresher-difference")) == 3


def test_hulls_show_slopes_and_owners(ev: th.Evaluation) -> None:
    hull = ev["random_forest"].hull
    ax = hull.plot()
    (line,) = of(ax, "thresher-hull")
    assert line.get_xdata().tolist() == hull.fpr.tolist()
    joint = ev.joint_hull.plot()
    owners = {line.get_label() for line in of(joint, "thresher-vertex")}
    assert owners == {name for vertex in ev.joint_hull.vertices for name in vertex.thresholds}


def test_points_of_thresholds_and_the_area_are_drawn(ev: th.Evaluation) -> None:
    model = ev["random_forest"]
    ax = model.roc.plot(fill=True, at=[0.5])
    (point,) = of(ax, "thresher-point")
    matrix = model.at(0.5)
    assert point.get_xdata()[0] == pytest.approx(float(matrix.false_positive_rate))
    assert point.get_ydata()[0] == pytest.approx(float(matrix.recall))
    assert any(collection.get_gid() == "thresher-area" for collection in ax.collections)
    low = th.evaluate([1, 1, 0], [1.0, 3.0, 2.0], direction="lower")["score"]
    (point,) = of(low.roc.plot(at=2.0), "thresher-point")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (1.0, 0.5)


def test_groups_are_a_forest_of_their_estimates() -> None:
    rows = th.load_example("breast_cancer")
    models = {name: rows[name] for name in ("logistic_regression", "random_forest")}
    groups = th.evaluate(rows["diagnosis"], models, positive="malignant", by=rows["nucleus_size"]).groups
    ax = groups.plot(measure="recall")
    values = sorted(line.get_xdata()[0] for line in of(ax, "thresher-value"))
    assert values == sorted(estimate.value for estimate in groups.estimates("recall").values())
    lacking = th.evaluate([1, 1, 0, 1], [4.0, 3.0, 2.0, 1.0], by=["a", "a", "b", "b"]).groups
    assert any("there are no negatives" in text.get_text() for text in lacking.plot().texts)


def test_pictures_that_there_are_not(ev: th.Evaluation) -> None:
    with pytest.raises(OptionError, match="roc"):
        ev.plot("pie")
    with pytest.raises(TaskError, match="scores"):
        th.evaluate([1, 0], predicted={"m": [1, 1]}).plot()
