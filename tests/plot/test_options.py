"""Options of pictures: each changes what is drawn, or is refused."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.curves.kinds import CURVES
from thresher.decisions import Costs
from thresher.errors import OptionError, ThresherError
from thresher.inference import gain_band, roc_band
from thresher.inference.bootstrap.config import Bootstrap
from thresher.plot import PICTURES

colors, pyplot = pytest.importorskip("matplotlib.colors"), pytest.importorskip("matplotlib.pyplot")

pytestmark = pytest.mark.peer

RNG = np.random.default_rng(14)
ROWS = 60
Y = RNG.integers(0, 2, ROWS)
A, B = (np.round(0.3 * Y + 0.7 * RNG.random(ROWS), 2) for _ in range(2))
CLASSES, POSTERIORS = np.array(["ash", "fir", "oak"])[RNG.integers(0, 3, ROWS)], RNG.dirichlet([1, 1, 1], ROWS)

OPTIONS: list[dict[str, Any]] = [
    {"band": True}, {"band": False}, {"histogram": True}, {"label": "other"}, {"color": "red"}, {"references": False},
    {"legend": False}, {"fill": True}, {"at": [0.4]}, {"labels": "thresholds"}, {"labels": "names"}, {"labels": "rows"},
    {"region": "fpr<=0.2"}, {"region": "recall>=0.8"}, {"iso": "f1"}, {"iso": "cost", "costs": Costs(fp=1, fn=5)},
    {"costs": Costs(fp=1, fn=5)}, {"iso": "accuracy", "costs": Costs(fp=1, fn=5)}, {"anti_diagonal": True},
    {"linewidth": 4}, {"alpha": 0.2}, {"measures": ("recall", "mcc")}, {"prevalences": (0.3, 0.2)}, {"threshold": 0.3},
    {"bins": 7}, {"names": ("P", "N")}, {"colors": ("red", "green")}, {"cmap": "Reds"}, {"space": "roc"},
    {"landmarks": True}, {"no_such_option": 3},
]  # fmt: skip

LACKING = {"ks": [{"references": False}], "thresholds": [{"references": False}, {"legend": False}]}
"""What is not there to be left out: a picture of distributions, or of measures, has no reference; one has no legend."""

MODELS = {
    "one model": lambda: th.evaluate(Y, {"a": A}, threshold=0.5),
    "two models": lambda: th.evaluate(Y, {"a": A, "b": B}, threshold=0.5),
    "three classes": lambda: th.evaluate(CLASSES, {"m": POSTERIORS}),
}


def _axes(drawn: Any) -> list[Any]:
    return list(drawn.axes) if hasattr(drawn, "suptitle") else [*np.ravel(drawn)]


def _look(artist: Any) -> list[Any]:
    """What is seen of a line, a shaded area, an image or a text."""
    kind = type(artist).__name__
    seen: list[Any] = [kind, artist.get_alpha(), artist.get_visible()]
    if hasattr(artist, "get_xdata"):
        seen += [np.asarray(v, dtype=float).tolist() for v in (artist.get_xdata(), artist.get_ydata())]
        seen += [artist.get_linewidth(), artist.get_linestyle(), artist.get_marker(), colors.to_hex(artist.get_color())]
    elif hasattr(artist, "get_paths"):
        seen += [path.vertices.tolist() for path in artist.get_paths()]
        seen += [artist.get_facecolor().tolist(), np.asarray(artist.get_linewidth()).tolist()]
    elif hasattr(artist, "get_path"):
        seen += [artist.get_path().vertices.tolist(), artist.get_facecolor(), artist.get_edgecolor()]
        seen += [artist.get_linewidth()]
    elif hasattr(artist, "get_text"):
        seen += [artist.get_text(), artist.get_position()]
    elif hasattr(artist, "get_array"):
        seen += [np.ma.getdata(artist.get_array()).tolist(), artist.cmap.name]
    return seen


def picture(evaluation: th.Evaluation, kind: str, **options: Any) -> str:
    """All that is seen of a picture, as a text."""
    seen = []
    whole = _axes(evaluation.plot(kind, **options))
    for ax in [*whole, *(inner for each in whole for inner in each.child_axes)]:
        parts = (*ax.lines, *ax.collections, *ax.patches, *ax.images, *ax.texts, ax.title)
        legend = ax.get_legend()
        names = [] if legend is None else [text.get_text() for text in legend.get_texts()]
        seen += [[_look(part) for part in parts], names, ax.get_xlim(), ax.get_ylim()]
    pyplot.close("all")
    return repr(seen)


@pytest.mark.parametrize("kind", [*CURVES, *PICTURES])
@pytest.mark.parametrize("models", MODELS)
def test_an_option_changes_the_picture_or_is_refused(models: str, kind: str) -> None:
    evaluation = MODELS[models]()
    try:
        usual = picture(evaluation, kind)
    except ThresherError:
        pytest.skip("this kind is not of such models")
    ignored = []
    for options in OPTIONS:
        try:
            found = picture(evaluation, kind, **options)
        except ThresherError:
            continue
        if found == usual and options not in LACKING.get(kind, []):
            ignored.append(options)
    assert [each for each in ignored if not _is_default(each, kind, models)] == []


def _is_default(options: dict[str, Any], kind: str, models: str) -> bool:
    """Whether the band is as it is without the option."""
    is_drawn = kind in ("roc", "pr") and models == "one model"
    unasked = is_drawn or (kind == "calibration" and models != "three classes")
    return options == {"band": unasked}


def shades(ax: Any) -> list[Any]:
    return [each for each in ax.collections if each.get_gid() == "thresher-band"]


@pytest.mark.parametrize(("kind", "made"), [("roc", roc_band), ("gain", gain_band)])
def test_a_band_has_the_level_and_the_seed_of_the_evaluation(kind: str, made: Any) -> None:
    model = th.evaluate(Y, {"a": A}, level=0.8, rng=5)["a"]
    ax = model.plot(kind, band=True)
    want = made(model.predictions, model="a", level=0.8, config=Bootstrap(rng=5))
    (shade,) = shades(ax)
    drawn = shade.get_paths()[0].vertices
    assert all(any(np.allclose(point, each) for each in drawn) for point in zip(want.x, want.low, strict=True))
    assert "80% simultaneous band" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_each_model_has_its_band() -> None:
    ax = th.evaluate(Y, {"a": A, "b": B}).plot("gain", band=True)
    assert len(shades(ax)) == 2
    assert {"a: band", "b: band"} <= {text.get_text() for text in ax.get_legend().get_texts()}


@pytest.mark.parametrize("kind", sorted({*CURVES, *PICTURES} - {"roc", "pr", "gain", "calibration"}))
def test_a_picture_without_a_band_says_which_have_one(kind: str) -> None:
    ev = th.evaluate(Y, {"a": A}, threshold=0.5)
    with pytest.raises(OptionError, match=rf"^band=True belongs to roc, pr, gain and calibration, not to {kind}\.$"):
        ev.plot(kind, band=True)
    with pytest.raises(OptionError, match="belong to models of two classes"):
        th.evaluate(CLASSES, {"m": POSTERIORS}).plot("roc", band=True)


def test_a_consistency_band_can_be_left_out() -> None:
    ev = th.evaluate(Y, {"a": A})
    assert (len(shades(ev.plot("calibration"))), len(shades(ev.plot("calibration", band=False)))) == (1, 0)


@pytest.mark.parametrize(("kind", "more"), [("roc", {"band": True}), ("calibration", {"histogram": True})])
def test_no_legend_is_put_where_none_is_wanted(kind: str, more: dict[str, bool]) -> None:
    assert th.evaluate(Y, {"a": A}).plot(kind, legend=False, **more).get_legend() is None


def points(ax: Any) -> list[tuple[float, float]]:
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in ax.lines
        if line.get_gid() == "thresher-point"
    ]


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("threshold", [0.3, 0.41, 0.66])
def test_a_threshold_is_marked_where_its_matrix_lies(direction: Any, threshold: float) -> None:
    model = th.evaluate(Y, {"a": A}, direction=direction)["a"]
    m = model.at(threshold)
    tpr, fpr, taken = float(m.recall), float(m.false_positive_rate), float(m.predicted_prevalence)
    places = {
        "roc": [(fpr, tpr)],
        "pr": [(tpr, float(m.precision))],
        "coverage": [(float(m.cells.fp), float(m.cells.tp))],
        "gain": [(taken, tpr)],
        "lift": [(taken, float(m.lift))],
        "ks": [(threshold, tpr), (threshold, fpr)],
    }
    for kind, want in places.items():
        assert points(model.plot(kind, band=False, at=threshold)) == [pytest.approx(each) for each in want], kind


def test_a_score_is_marked_on_its_own_axis() -> None:
    model = th.evaluate(Y, {"a": A})["a"]
    for kind in ("calibration", "decision"):
        curve = model.curve(kind)
        ((x, y),) = points(model.plot(kind, at=0.4))
        assert (x, y) == (0.4, pytest.approx(np.interp(0.4, curve.x, curve.y)))
    with pytest.raises(OptionError, match=r"at=7 is not on the calibration curve, which runs from [\d.]+ to [\d.]+\.$"):
        model.plot("calibration", at=7)
    with pytest.raises(OptionError, match="a threshold is not a point of a cost curve"):
        model.plot("cost", at=0.4)
    assert points(model.plot("pr", at=2.0)) == []  # no row is predicted positive


@pytest.mark.parametrize("space", ["table", "roc", "prevalence", "people"])
def test_options_of_a_matrix_are_drawn_or_refused(space: str) -> None:
    matrix = th.load_example("clinic")
    for options in ({"label": "mine"}, {"color": "red"}, {"cmap": "Reds"}, {"landmarks": True}, {"alpha": 0.1}):
        drawn = []
        for given in ({}, options):
            try:
                ax = matrix.plot(space=space, **given)
            except ThresherError:
                break
            parts = (*ax.lines, *ax.collections, *ax.patches, *ax.images, *ax.texts)
            names = [] if ax.get_legend() is None else [text.get_text() for text in ax.get_legend().get_texts()]
            drawn.append(repr([[_look(part) for part in parts], names]))
        assert len(drawn) == 1 or drawn[0] != drawn[1], options
