"""Pictures of splits, folds, triples, rows and prevalences: what stands on the canvas is what the values say."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from plot_parts import of
from thresher.calibration import calibration_curve
from thresher.curves.roc_and_precision import deviates
from thresher.decisions import iso_accuracy
from thresher.errors import InputError, OptionError
from thresher.plot import plot_splits
from thresher.plot.drawing import DRAWERS
from thresher.resampling import Scalability, Series, distinct_rows, split_roles
from thresher.resampling.growth import Usage
from thresher.resampling.nearest_mean import NearestMean

pytestmark = pytest.mark.peer

ROWS = th.load_example("twenty")


@pytest.fixture(scope="module")
def model():
    return th.evaluate(ROWS["truth"], ROWS["score"])["score"]


@pytest.fixture(scope="module")
def assessed() -> th.Assessment:
    X = np.random.default_rng(5).normal(size=(60, 1)) + np.arange(60)[:, None] % 2
    models = {"a": NearestMean(), "b": NearestMean()}
    return th.assess(models, X, np.arange(60) % 2, method="repeated:2x5", measures=["auc"], progress=False)


def test_every_class_that_draws_itself_has_its_function() -> None:
    src = Path(th.__file__).parent
    classes = [node for path in src.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
               if isinstance(node, ast.ClassDef)]  # fmt: skip
    drawing = {node.name for node in classes
               if "Shown" in map(ast.unparse, node.bases)
               or any(re.match(r"\(?plot\b.* = \(?plot_method", ast.unparse(part)) for part in node.body)}  # fmt: skip
    assert len(drawing) > 50
    assert drawing - set(DRAWERS) == {"SavedMap", "Shown"}  # bases


def test_differences_stand_by_split(assessed: th.Assessment) -> None:
    found = assessed.differences("a", "b")
    ax = found.plot()
    (dots,) = of(ax, "thresher-difference")
    frame = found.to_frame(backend="pandas")
    assert dots.get_xdata().tolist() == frame["split"].tolist()
    assert dots.get_ydata().tolist() == frame["difference"].tolist()
    assert of(ax, "thresher-mean")[0].get_ydata()[0] == found.comparison.difference


def test_the_share_of_different_rows_is_drawn() -> None:
    found = distinct_rows([1, 10, 100])
    ax = found.plot()
    frame = found.to_frame(backend="pandas")
    for gid, column in (("thresher-curve", "expected"), ("thresher-sampled", "sampled")):
        assert of(ax, gid)[0].get_ydata().tolist() == frame[column].tolist()
    assert of(ax, "thresher-reference limit")[0].get_ydata()[0] == pytest.approx(0.632, abs=2e-4)


def test_scalability_draws_its_medians() -> None:
    times = np.array([[0.1, 0.3, np.nan], [0.4, 0.6, 0.5], [np.nan] * 3])
    usage = Usage(fit_seconds=times, predict_seconds=times / 10, memory=None, time_growth=None, memory_growth=None)
    curve = Series(title="", x=np.ones(0), x_name="", axis="", lines=(), method="", rng=0, backend="pandas")
    found = Scalability(rows=(10, 20, 40), learning_curve=curve, usage={"a": usage}, memory_method=None, method="m")
    for what in ("fit_seconds", "predict_seconds"):
        (line,) = of(found.plot(what, lw=3), "thresher-series")
        medians = found.to_frame().groupby("train_rows")[what].median()
        assert np.array_equal(line.get_ydata(), medians, equal_nan=True)
        assert line.get_linewidth() == 3
    for what in ("score", "memory"):
        with pytest.raises(OptionError, match="fit_seconds"):
            found.plot(what)


def test_roles_are_drawn_as_they_are() -> None:
    found = split_roles("nested:4x3", ROWS["truth"])
    ax = found.plot()
    (image,) = of(ax, "thresher-splits")
    assert np.array_equal(image.get_array(), found.codes)
    frame = found.to_frame(backend="pandas")
    assert len(frame) == found.codes.size
    assert (frame["role"] == "test inside").sum() == (found.codes == 5).sum()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["train", "test", "test inside"]
    assert plot_splits("holdout:1/4", ROWS["truth"]).get_title().startswith("holdout")


def test_both_rates_are_read_on_the_anti_diagonal(model) -> None:
    ax = model.roc.plot(anti_diagonal=True)
    (mark,) = of(ax, "thresher-equal")
    assert mark.get_ydata()[0] == pytest.approx(1 - model.equal_error_rate.value)
    assert mark.get_xdata()[0] == pytest.approx(model.equal_error_rate.value)
    line = iso_accuracy(0.7, skew=0.5).plot(ax, anti_diagonal=True)
    assert of(line, "thresher-equal")[1].get_ydata()[0] == pytest.approx(0.7)
    assert len(of(line, "thresher-anti-diagonal")) == 1
    with pytest.raises(OptionError, match="belongs to a ROC"):
        model.pr.plot(anti_diagonal=True)


def test_one_point_is_marked_at_every_prevalence(model) -> None:
    axes = model.plot("prevalences", prevalences=(0.5, 0.01), at=0.51)
    cells = model.at(0.51).cells
    tpr, fpr = cells.tp / 10, cells.fp / 10
    assert [len(of(ax, "thresher-point")) for ax in axes] == [1, 2, 2]
    for place, share in enumerate((0.5, 0.01)):
        precision = share * tpr / (share * tpr + (1 - share) * fpr)
        assert of(axes[1], "thresher-point")[place].get_ydata()[0] == pytest.approx(precision)
        assert of(axes[2], "thresher-point")[place].get_ydata()[0] == pytest.approx(precision / share)


def test_axes_of_lift_hold_the_curve_that_comes_last(model) -> None:
    worse = th.evaluate(ROWS["truth"], np.sort(ROWS["score"]))["score"]
    ax = model.lift_curve.plot(worse.lift_curve.plot())
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > max(line.get_ydata().max() for line in ax.lines)


def test_rows_show_what_a_threshold_predicts(model) -> None:
    ax = model.plot("rows", threshold=0.52)
    (image,) = of(ax, "thresher-rows")
    assert image.get_array().tolist() == [[t, s >= 0.52] for t, s in zip(ROWS["truth"], ROWS["score"], strict=True)]
    assert of(ax, "thresher-threshold")[0].get_ydata()[0] == 7.5
    assert "TP 5, FP 3, FN 5, TN 7" in ax.get_title()
    many = th.evaluate([0, 1] * 50, np.arange(100.0))["score"].plot("rows", threshold=40)
    assert of(many, "thresher-threshold")[0].get_ydata()[0] == 29.5
    assert [many.get_yticklabels()[i].get_text() for i in (29, 30)] == ["row 41: 40", "row 40: 39"]
    assert "60 rows around it, of 100" in many.get_title()
    with pytest.raises(InputError, match="takes a threshold"):
        th.evaluate([0, 1] * 3, np.arange(6))["score"].plot("rows")


def test_edges_of_the_hull_are_blocks_of_the_map(model) -> None:
    left, right = model.plot("isotonic")
    edges, blocks = of(left, "thresher-edge"), of(right, "thresher-block")
    assert len(edges) == len(blocks) == len(model.hull.fpr) - 1
    curve = calibration_curve(model.scores)
    for edge, block in zip(edges, blocks, strict=True):
        run, rise = np.ptp(edge.get_xdata()), np.ptp(edge.get_ydata())
        assert block.get_ydata()[0] == pytest.approx(rise / (rise + run))  # as many rows of each class
        assert block.get_ydata()[0] == pytest.approx(curve.at(block.get_xdata()[0]))
        assert block.get_color() == edge.get_color()


def test_a_reliability_diagram_has_its_histogram_at_the_foot(model) -> None:
    ax = th.evaluate(ROWS["truth"], ROWS["score"]).plot("calibration", histogram=True)
    (foot,) = ax.child_axes
    (steps,) = (patch for patch in foot.patches if patch.get_gid() == "thresher-histogram")
    assert steps.get_data().values.sum() == pytest.approx(1)
    assert not model.plot("calibration").child_axes


def test_landmarks_are_named() -> None:
    ax = th.load_example("clinic").plot(space="roc", landmarks=True)
    names = [text.get_text() for text in of(ax, "thresher-landmark-name")]
    assert sorted(names) == ["all negative", "all positive", "all wrong", "ideal", "random", "random"]
    assert len(of(ax, "thresher-landmark")) == 6


@pytest.mark.parametrize("kind", ["roc", "pr", "prg", "coverage", "det", "gain", "lift", "ks", "cost", "decision"])
def test_a_kind_draws_what_its_frame_says(model, kind: str) -> None:
    curve = model.curve(kind)
    ax = model.plot(kind, **({"band": False} if kind in ("roc", "pr") else {}))
    frame = curve.to_frame(backend="pandas")
    points = frame[[curve.x_name, curve.y_name if kind != "ks" else "true_positive_rate"]].to_numpy(dtype=float)
    drawn = np.column_stack([np.asarray(values, dtype=float) for values in of(ax, "thresher-curve")[0].get_data()])
    if kind == "det":
        points = deviates(points[((points > 0) & (points < 1)).all(axis=1)])
    points = points[np.isfinite(points).all(axis=1)]
    if kind == "pr":  # at recall 0 the line begins with the limit
        points = points[points[:, 0] > 0]
    assert len(points) > 3
    assert all(np.isclose(drawn, point, atol=1e-9).all(axis=1).any() for point in points)


def test_the_path_of_a_walk_is_that_of_its_listing() -> None:
    model = th.evaluate(*th.load_example("tied").values())["score"]
    paths = [of(listing.plot(), "thresher-curve")[0].get_xydata() for listing in (model.listing(), model.walk())]
    assert paths[0].tolist() == paths[1].tolist()
    assert [1, 3] in paths[1].tolist()
    assert [1, 4] not in paths[1].tolist()  # a positive that ties waits for the others of its score
