"""Options of matplotlib under their short names, and where legends stand."""

import numpy as np
import pytest

import thresher as th
from thresher.calibration import fit_map, score_histogram
from thresher.decisions import contours, iso_accuracy, joint_hull, randomized, slide
from thresher.inference import critical_difference, gain_band, paired_t_test
from thresher.plot import plot_curves, plot_pair_grid, style
from thresher.plot.legends import place_legend

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def ev() -> th.Evaluation:
    rows = th.load_example("breast_cancer")
    size = np.where(rows["naive_bayes"] > 0.5, "large", "small")
    models = {name: rows[name] for name in ("logistic_regression", "random_forest")}
    return th.evaluate(rows["diagnosis"], models, positive="malignant", by=size)


RESULTS = {
    "curve": lambda ev: ev["random_forest"].roc,
    "evaluation": lambda ev: ev,
    "comparison": lambda ev: ev.compare(*ev),
    "groups": lambda ev: ev.groups,
    "choice": lambda ev: ev["random_forest"].choose("max f1").choice,
    "chosen": lambda ev: ev["random_forest"].choose("max f1"),
    "partial area": lambda ev: ev["random_forest"].partial_area("fpr<=0.1"),
    "hull": lambda ev: ev["random_forest"].hull,
    "joint hull": lambda ev: joint_hull({name: model.scores for name, model in ev.items()}),
    "dominance": lambda ev: ev.dominance(*ev),
    "randomized": lambda ev: randomized(ev["random_forest"].hull, fpr=0.02),
    "band": lambda ev: gain_band(ev["random_forest"].predictions, model="random_forest"),
    "binormal": lambda ev: ev["random_forest"].binormal_roc(),
    "iso line": lambda _: iso_accuracy(0.9, prevalence=0.3),
    "touch": lambda ev: slide(ev["random_forest"].hull, "accuracy", skew=1),
    "contours": lambda _: contours("f1", prevalence=0.3),
    "map": lambda _: fit_map([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1], method="isotonic"),
    "histogram": lambda ev: score_histogram(ev["random_forest"].scores),
    "test": lambda _: paired_t_test([0.9, 0.8, 0.85, 0.7], [0.8, 0.75, 0.8, 0.72]),
    "ranks": lambda _: critical_difference(np.array([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]]), models=list("abc")),
}


@pytest.mark.parametrize("name", RESULTS)
def test_short_names_of_options_are_taken(ev: th.Evaluation, name: str) -> None:
    ax = RESULTS[name](ev).plot(c="#123456", lw=3.25, ls="-.")
    from matplotlib.colors import to_hex

    artists = [*ax.lines, *ax.collections, *ax.patches]
    assert any("#123456" in map(to_hex, np.atleast_1d(color_of(artist))) for artist in artists)
    assert any(np.isclose(np.ravel(artist.get_linewidth()), 3.25).any() for artist in artists)


def color_of(artist):
    """Colors of a line, or the face of a shade and the edges where there is none."""
    if hasattr(artist, "get_color"):
        return [artist.get_color()]
    face = np.atleast_2d(artist.get_facecolor())
    return list(face if face.size else artist.get_edgecolor())


def test_an_option_is_given_once(ev: th.Evaluation) -> None:
    with pytest.raises((TypeError, th.ThresherError), match="lw"):
        ev["random_forest"].roc.plot(lw=1, linewidth=2)
    assert plot_curves([ev["random_forest"].roc], ls=":").lines[-1].get_linestyle() == ":"
    assert plot_pair_grid(th.ScoreTable.from_scores([1, 0], [0.2, 0.1]), alpha=0.5) is not None


def hidden(ax) -> int:
    """Points of lines behind the legend, as they are drawn."""
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    points = np.concatenate([line.get_transform().transform_path(line.get_path()).interpolated(50).vertices
                             for line in ax.lines])  # fmt: skip
    inside = (points > np.maximum(box.min, ax.bbox.min)) & (points < np.minimum(box.max, ax.bbox.max))
    return int(inside.all(axis=1).sum())


@pytest.mark.parametrize("kind", ["roc", "pr", "cost", "decision", "lift", "gain", "det", "calibration"])
def test_a_legend_hides_no_line(ev: th.Evaluation, kind: str) -> None:
    assert hidden(ev.plot(kind)) == 0


def test_a_legend_that_fits_nowhere_stands_below_the_axes() -> None:
    from matplotlib import pyplot

    for layout in ("constrained", None):
        ax = pyplot.subplots(layout=layout)[1]
        ax.plot([0, 1], np.tile(np.linspace(0, 1, 30), (2, 1)), label=["everywhere", *["_"] * 29])
        ax.set_xlabel("x")
        place_legend(ax)
        ax.figure.draw_without_rendering()
        is_below = ax.get_legend().get_window_extent().y1 < ax.xaxis.label.get_window_extent().y0
        assert is_below == (layout is not None)
        assert ax.get_legend().get_window_extent().y0 >= 0
    assert place_legend(pyplot.subplots()[1]).get_legend() is None


def many(letters: int, models: int) -> th.Evaluation:
    y, scores = np.arange(120) % 2, np.random.default_rng(0).random((models, 120))
    return th.evaluate(y, {f"{place:02d} {'abcdefghi ' * letters}"[:letters]: s for place, s in enumerate(scores)})


def size_of_axes(ax) -> np.ndarray:
    ax.figure.draw_without_rendering()
    return ax.get_window_extent().size / ax.figure.dpi


@pytest.mark.parametrize("kind", ["roc", "decision"])
def test_axes_keep_their_size_whatever_the_legend(kind: str) -> None:
    bare = size_of_axes(many(5, 1).plot(kind, legend=False))
    for letters, models in ((50, 12), (50, 4), (5, 12)):
        ax = many(letters, models).plot(kind)
        assert size_of_axes(ax) == pytest.approx(bare, rel=0.08)
        box = ax.get_legend().get_window_extent()
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= ax.figure.bbox.x1
        assert box.y1 <= ax.figure.bbox.y1


def test_a_second_curve_takes_the_room_of_the_first_legend_again() -> None:
    ev = many(50, 8)
    ax = None
    for name, model in ev.items():
        ax = model.roc.plot(ax=ax, label=name)
    assert ax.figure.get_size_inches() == pytest.approx(ev.plot("roc", band=False).figure.get_size_inches())


def test_figures_of_others_keep_their_size() -> None:
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(4, 4), layout="constrained")
    many(50, 12).plot("roc", ax=ax)
    assert figure.get_size_inches().tolist() == [4, 4]
    assert min(size_of_axes(ax)) > 2.5


@pytest.mark.parametrize("kind", ["roc", "decision", "panel", "scores"])
def test_slides_are_16_to_9(ev: th.Evaluation, kind: str) -> None:
    with style("slides"):
        figure = np.ravel(np.array(ev.plot(kind), dtype=object))[0].figure
    assert figure.get_figwidth() / figure.get_figheight() == pytest.approx(16 / 9, rel=0.01)


def test_an_error_of_one_is_visible_among_thousands() -> None:
    for k in (3, 30):
        counts = 10_000 * np.eye(k, dtype=int) + np.eye(k, k=1, dtype=int)
        ax = th.ConfusionMatrix.from_counts(counts, labels=list(range(k))).plot()
        image = ax.images[0]
        right, error, none = (image.cmap(image.norm(image.get_array()[cell])) for cell in ((0, 0), (0, 1), (1, 0)))
        assert np.abs(np.subtract(error, none)).max() > 0.1
        assert np.abs(np.subtract(error, right)).max() > 0.4


def test_letters_have_a_fallback_font_or_a_warning() -> None:
    from thresher.plot.looks import FALLBACK, fallback_fonts

    counts = np.eye(3, dtype=int)
    ax = th.ConfusionMatrix.from_counts(counts, labels=["Ж", "β", "c"]).plot()  # matplotlib's own font has these
    assert ax.get_xticklabels()[0].get_fontfamily()[-1] == FALLBACK
    with pytest.warns(UserWarning, match="fonts-noto-core"):
        th.ConfusionMatrix.from_counts(counts, labels=["\U00013000", "b", "c"]).plot()  # a hieroglyph
    if any("CJK" in name for name in fallback_fonts()):
        th.ConfusionMatrix.from_counts(counts, labels=["模型", "モデル", "모델"]).plot().figure.draw_without_rendering()
