"""Pictures of results: what stands on the canvas is what the values say."""

import numpy as np
import pytest

import thresher as th
from plot_parts import of, texts
from thresher.decisions import Costs, joint_hull, randomized
from thresher.decisions.isometrics import iso_accuracy
from thresher.errors import InputError, OptionError, TaskError
from thresher.multiclass import conditional_auc
from thresher.plot import plot_splits, style
from thresher.resampling import BootstrapOOB, KFold

pytestmark = pytest.mark.peer

Y = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
S = [0.9, 0.8, 0.7, 0.6, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2]


@pytest.fixture(scope="module")
def small() -> th.Evaluation:
    return th.evaluate(Y, S)


def inside(polygon: np.ndarray) -> float:
    """Area of a polygon by the shoelace formula."""
    x, y = polygon[:, 0], polygon[:, 1]
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


@pytest.mark.parametrize("part", ["fpr<=0.2", "fpr=0.05:0.3", "tpr>=0.8", "specificity>=0.9", "fpr<=0.3,tpr>=0.7"])
def test_a_shaded_part_is_as_large_as_its_partial_area(ev: th.Evaluation, part: str) -> None:
    model = ev["random_forest"]
    found = model.partial_area(part)
    ax = found.plot()
    (region,) = of(ax, "thresher-region")
    assert inside(region.get_paths()[0].vertices) == pytest.approx(found.raw.value)
    assert of(model.roc.plot(region=part), "thresher-region")


def test_a_part_of_precision_belongs_to_its_curve(ev: th.Evaluation) -> None:
    assert of(ev["random_forest"].partial_area("recall>=0.8").plot(), "thresher-region")
    with pytest.raises(OptionError, match="precision"):
        ev["random_forest"].roc.plot(region="recall>=0.8")


@pytest.mark.parametrize("measure", ["accuracy", "precision", "f1", "cost", "mcc"])
def test_lines_of_equal_value_lie_behind_every_curve_once(ev: th.Evaluation, measure: str) -> None:
    ax = ev.plot("roc", iso=measure, costs=Costs(fp=1, fn=5) if measure == "cost" else None)
    assert len(of(ax, "thresher-contours")) == 1


def test_lines_of_equal_accuracy_have_its_slope(ev: th.Evaluation) -> None:
    model = ev["random_forest"]
    (lines,) = of(model.roc.plot(iso="accuracy"), "thresher-contours")
    path = max((path for path in lines.get_paths() if len(path.vertices) > 1), key=lambda path: len(path.vertices))
    segments = [part for part in path.to_polygons(closed_only=False) if len(part) > 2]
    skew = (1 - model.roc.prevalence) / model.roc.prevalence
    for part in segments:
        assert np.ptp(part[:, 1]) / np.ptp(part[:, 0]) == pytest.approx(skew, rel=1e-6)
    level = iso_accuracy(0.9, prevalence=model.roc.prevalence)
    assert level.slope == pytest.approx(skew)


def test_lines_belong_to_curves_with_both_rates(ev: th.Evaluation) -> None:
    assert len(of(ev["random_forest"].pr.plot(iso="f1"), "thresher-contours")) == 5
    for curve, iso in ((ev["random_forest"].pr, "accuracy"), (ev["random_forest"].gain_curve, "accuracy")):
        with pytest.raises(OptionError):
            curve.plot(iso=iso)


def test_steps_are_named(small: th.Evaluation) -> None:
    ax = small.plot("coverage", labels="rows")
    assert [text.get_text() for text in of(ax, "thresher-name")] == ["1", "2", "3", "4, 5, 6", "7", "8", "9", "10"]
    (tie,) = of(ax, "thresher-tie")
    assert (tie.get_xy(), tie.get_width(), tie.get_height()) == ((1, 2), 1, 2)
    named = small.plot("roc", labels="thresholds", band=False)
    assert {text.get_text() for text in of(named, "thresher-name")} <= {f"{score:g}" for score in S}
    with pytest.raises(OptionError, match="one text for each of the 8 thresholds"):
        small.plot("roc", labels=["a"])
    with pytest.raises(OptionError, match="thresholds"):
        small["score"].roc.plot(labels="everything")


def test_pictures_of_one_model_refuse_several(ev: th.Evaluation) -> None:
    for kind in ("thresholds", "pairs", "matrix"):
        with pytest.raises(InputError, match="of one model, and there are 2"):
            ev.plot(kind)
    with pytest.raises(InputError, match="threshold"):
        th.evaluate(Y, {"m": np.array(S) * 9}).plot("matrix")


def test_a_chosen_threshold_shows_its_criterion_and_its_resamples(ev: th.Evaluation) -> None:
    chosen = ev["random_forest"].choose("max f1", bootstrap=50)
    ax = chosen.plot()
    assert of(ax, "thresher-curve")[0].get_ydata().max() == pytest.approx(chosen.value)
    (mark,) = of(ax, "thresher-mark")
    assert mark.get_xdata()[0] == chosen.threshold
    (beside,) = (other for other in ax.figure.axes if other is not ax)
    assert sum(bar.get_height() for bar in beside.patches) == np.isfinite(chosen.resampled.thresholds).sum()
    assert "cheapest" in ax.get_title()


def test_who_leads_where(ev: th.Evaluation) -> None:
    found = ev.dominance("logistic_regression", "random_forest")
    for ax in (found.plot(), found.plot(ev.plot("roc"))):
        spans = of(ax, "thresher-lead")
        assert len(spans) == len(found.leads)
        assert len(of(ax, "thresher-crossing")) == len(found.crossings)
    hull = joint_hull({name: model.scores for name, model in ev.items()})
    bars = of(hull.plot(space="slopes"), "thresher-best")
    assert len(bars) == sum(len(hull.intervals(name)) for name in hull.models)
    with pytest.raises(OptionError, match="slopes"):
        hull.plot(space="pr")


def test_lots_reach_a_point(ev: th.Evaluation) -> None:
    found = randomized(ev["random_forest"].hull, fpr=0.02)
    (point,) = of(found.plot(), "thresher-point")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (found.fpr, found.tpr)


def test_splits_are_drawn() -> None:
    ax = plot_splits(KFold(k=5), [0, 1] * 20)
    (image,) = of(ax, "thresher-splits")
    assert image.get_array().shape == (5, 40)
    assert texts(ax) == ["train", "test"]
    many = plot_splits(BootstrapOOB(100), [0, 1] * 20)
    assert "the first 40 of 100 splits" in many.get_title()
    assert "train, drawn more than once" in texts(many)
    with pytest.raises(InputError, match="one entry"):
        plot_splits(KFold(k=2), [0, 1, 0, 1], groups=[1, 2])


def test_a_rule_elsewhere_and_as_people() -> None:
    matrix = th.load_example("cancer")
    ax = matrix.plot(space="prevalence", measures=("precision", "recall"))
    precision, recall = of(ax, "thresher-curve")
    at = int(np.argmin(np.abs(precision.get_xdata() - 0.5)))
    tpr, fpr = matrix.recall, 1 - matrix.specificity
    assert precision.get_ydata()[at] == pytest.approx(tpr / (tpr + fpr))
    assert np.ptp(recall.get_ydata()) == pytest.approx(0)
    assert sum(len(dots.get_xdata()) for dots in of(matrix.plot(space="people", people=200), "thresher-people")) == 200
    with pytest.raises(TaskError, match="one class is empty"):
        th.evaluate([1, 1], predicted={"m": [1, 0]})["m"].confusion_matrix.plot(space="people")


def test_classes_have_a_curve_each_or_a_picture_each() -> None:
    ev = th.evaluate(
        th.load_example("wine"), label="cultivar", probabilities={"logistic": "logistic_", "bayes": "bayes_"}
    )
    axes = ev.plot("roc")
    assert len(axes) == 2
    assert len(of(axes[0], "thresher-curve")) == 3
    ax = ev["bayes"].plot("pairs")
    found = conditional_auc(ev["bayes"].posteriors)
    shown = {text.get_text() for text in of(ax, "thresher-auc")}
    assert shown == {f"{value:.3f}" for value in found.matrix[~np.isnan(found.matrix)]}
    many = th.evaluate(th.load_example("digits"), label="digit", probabilities="forest_").plot("roc")
    assert sum(ax.axison for ax in np.ravel(many)) == 10


def test_styles_are_as_wide_as_they_say(ev: th.Evaluation) -> None:
    from matplotlib import rcParams

    before = rcParams["font.size"]
    with style("paper"):
        for drawn in (ev["random_forest"].roc.plot(), ev["random_forest"].plot("thresholds")):
            assert drawn.figure.get_figwidth() == pytest.approx(3.45)
        assert rcParams["font.size"] == 8
    assert rcParams["font.size"] == before
    with pytest.raises(OptionError, match="paper"), style("poster"):
        pass


def test_a_test_is_drawn_by_the_distribution_that_gives_its_p_value(ev: th.Evaluation) -> None:
    from thresher.inference import delong_test, paired_t_test

    found = paired_t_test([0.9, 0.8, 0.85, 0.7, 0.9], [0.8, 0.75, 0.8, 0.72, 0.7])
    ax = found.plot()
    (line,) = of(ax, "thresher-statistic")
    assert line.get_xdata()[0] == found.statistic
    assert "Student's t with 4 degrees of freedom" in texts(ax)
    assert np.trapezoid(of(ax, "thresher-density")[0].get_ydata(), of(ax, "thresher-density")[0].get_xdata()) > 0.95
    rows = th.load_example("breast_cancer")
    scores = rows["naive_bayes"], rows["random_forest"]
    assert "normal" in texts(delong_test(rows["diagnosis"] == "malignant", *scores).plot())[0]
    # U is not standard normal: only its z value is.
    with pytest.raises(InputError, match="p value of this test"):
        ev["random_forest"].mann_whitney_test().plot()
    with pytest.raises(InputError, match="exact tests"):
        th.evaluate([1, 0, 1, 0], [4, 3, 2, 1])["score"].mann_whitney_test().plot()
