"""Displays: scikit-learn's signatures and ours beside them, and bands that are what the results say they are.

That estimators are read and refused as scikit-learn's do is tried by its own tests, in tests/metrics/sklearn_suite.
"""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import ndtr

import thresher as th
import thresher.displays as ours
from thresher.curves.roc_and_precision import deviates
from thresher.errors import OptionError
from thresher.inference import averaged_curve, precision_recall_band, roc_band

pytestmark = pytest.mark.peer

CONSTRUCTORS = ("from_estimator", "from_predictions", "from_cv_results")


@pytest.fixture(autouse=True)
def _canvas():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def rows():
    drawn = np.random.default_rng(5)
    y = drawn.integers(0, 2, 120)
    return y, 1 / (1 + np.exp(-(1.2 * y + drawn.normal(size=120)))), drawn.integers(0, 4, 120) / 2


def limits(shade):
    """Lower and upper limits of what `fill_between` drew, in the order of the abscissas."""
    points = shade.get_paths()[0].vertices
    n = (len(points) - 3) // 2
    return points[1 : n + 1, 1], points[n + 2 : 2 * n + 2, 1][::-1]


def theirs(name):
    module = "sklearn.calibration" if name == "CalibrationDisplay" else "sklearn.metrics"
    return getattr(pytest.importorskip(module), name)


@pytest.mark.parametrize("name", ours.__all__)
def test_signatures_are_scikit_learns_and_a_band(name: str) -> None:
    mine, other = getattr(ours, name), theirs(name)
    seen = 0
    for method in ("__init__", "plot", *CONSTRUCTORS):
        assert hasattr(mine, method) == hasattr(other, method)
        if not hasattr(other, method):
            continue
        has, wanted = (dict(inspect.signature(getattr(each, method)).parameters) for each in (mine, other))
        band = has.pop("band", None)
        assert band is None or band.kind is inspect.Parameter.KEYWORD_ONLY
        assert [(p.name, p.kind, p.default) for p in has.values()] == [
            (p.name, p.kind, p.default) for p in wanted.values()
        ]
        seen += 1
    assert seen >= 4


def test_a_missing_scikit_learn_is_told() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None; import thresher.displays as d\n"
        "try:\n    d.RocCurveDisplay\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "displays need scikit-learn: pip install scikit-learn.\n"


@pytest.mark.parametrize("name", [name for name in ours.__all__ if name != "ConfusionMatrixDisplay"])
def test_any_classifier_is_read(name: str) -> None:
    class Marker:
        classes_ = (0, 1)

        def predict_proba(self, X):
            return [[1 - x, x] for x in X]

    y, s = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9]
    read = getattr(ours, name).from_estimator(Marker(), s, y, band=True)
    given = getattr(ours, name).from_predictions(y, s, band=True)
    assert read.line_.get_label().startswith("Marker")
    assert read.line_.get_xydata().tolist() == given.line_.get_xydata().tolist()
    assert read.band.low.tolist() == given.band.low.tolist()


def test_the_package_loads_no_display_and_no_matplotlib() -> None:
    program = "import sys, thresher.displays as d; assert 'sklearn' not in sys.modules; d.RocCurveDisplay; "
    subprocess.run([sys.executable, "-c", program + "assert 'matplotlib' not in sys.modules"], check=True)


@pytest.mark.parametrize(
    ("name", "curve"), [("RocCurveDisplay", roc_band), ("PrecisionRecallDisplay", precision_recall_band)]
)
@pytest.mark.parametrize("kind", [True, "pointwise"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_band_is_that_of_the_evaluated_rows(rows, name, curve, kind, weighted) -> None:
    y, scores, weights = rows
    weights = weights if weighted else None
    shown = getattr(ours, name).from_predictions(y, scores, sample_weight=weights, band=kind)
    data = th.evaluate(y, scores, weights=weights)["score"].predictions
    wanted = curve(data, kind="simultaneous" if kind is True else kind)
    assert np.array_equal(shown.band.low, wanted.low)
    assert np.array_equal(shown.band.high, wanted.high)
    low, high = limits(shown.band_)
    assert np.allclose(low, wanted.low)
    assert np.allclose(high, wanted.high)
    assert shown.band_.get_label() in [text.get_text() for text in shown.ax_.get_legend().get_texts()]


def test_the_band_of_misses_is_that_of_hits_upside_down(rows) -> None:
    y, scores, _ = rows
    shown = ours.DetCurveDisplay.from_predictions(y, scores, band=True)
    roc = roc_band(th.evaluate(y, scores)["score"].predictions, x=ndtr(np.linspace(-3, 3, 101)))
    assert np.array_equal(shown.band.low, 1 - roc.high)
    low, high = limits(shown.band_)
    within = (roc.x > 0) & (roc.x < 1)
    for drawn, rates in ((low, 1 - roc.high), (high, 1 - roc.low)):
        inside = within & (rates > 0) & (rates < 1)
        assert inside.sum() > 9
        assert np.allclose(drawn[inside], deviates(rates)[inside])


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_band_of_bins_is_wilsons(rows, strategy) -> None:
    y, scores, _ = rows
    shown = ours.CalibrationDisplay.from_predictions(y, scores, n_bins=4, strategy=strategy, band=True)
    edges = np.linspace(0, 1, 5) if strategy == "uniform" else np.quantile(scores, np.linspace(0, 1, 5))
    from scipy.stats import binomtest

    for i, (share, low, high) in enumerate(zip(shown.prob_true, shown.band.low, shown.band.high, strict=True)):
        held = (scores > edges[i] if i else scores >= edges[0]) & (scores <= edges[i + 1])
        wanted = binomtest(int(y[held].sum()), int(held.sum())).proportion_ci(method="wilson")
        assert share == pytest.approx(y[held].mean())
        assert (low, high) == pytest.approx((wanted.low, wanted.high))


@pytest.mark.parametrize(
    ("name", "curve"), [("RocCurveDisplay", "roc"), ("PrecisionRecallDisplay", "precision_recall")]
)
def test_folds_have_the_band_of_their_mean(rows, name, curve) -> None:
    y, scores, _ = rows
    every = np.arange(len(y))
    tests = [every[i::3] for i in range(3)]

    from sklearn.base import BaseEstimator, ClassifierMixin

    class Column(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])
        fit = None

        def __sklearn_is_fitted__(self):
            return True

        def decision_function(self, X):
            return X[:, 0]

    indices = {"test": tests, "train": [np.setdiff1d(every, test) for test in tests]}
    shown = getattr(ours, name).from_cv_results(
        {"estimator": [Column()] * 3, "indices": indices}, scores[:, None], y, band=True
    )
    tables = [th.evaluate(y[test], scores[test])["score"].scores for test in tests]
    wanted = averaged_curve(tables, curve=curve).band
    assert np.array_equal(shown.band.low, wanted.low)
    assert np.array_equal(shown.band.high, wanted.high)
    assert "of the mean" in shown.band_.get_label()
    assert len(shown.line_) == 3


def test_nothing_is_shaded_unasked(rows) -> None:
    y, scores, _ = rows
    for name in ("RocCurveDisplay", "PrecisionRecallDisplay", "DetCurveDisplay", "CalibrationDisplay"):
        shown = getattr(ours, name).from_predictions(y, scores)
        assert (shown.band, shown.band_) == (None, None)


def test_an_unknown_band_is_told(rows) -> None:
    y, scores, _ = rows
    with pytest.raises(OptionError, match="simultaneous"):
        ours.RocCurveDisplay.from_predictions(y, scores, band="wide")


def test_precision_of_chance_is_that_of_the_weighted_rows(rows) -> None:
    y, scores, weights = rows
    shown = ours.PrecisionRecallDisplay.from_predictions(y, scores, sample_weight=weights, plot_chance_level=True)
    assert shown.prevalence_pos_label == pytest.approx(weights[y == 1].sum() / weights.sum())
    assert shown.precision[0] == pytest.approx(shown.prevalence_pos_label)
    assert shown.chance_level_.get_ydata()[0] == shown.prevalence_pos_label
    assert f"Chance level (AP = {shown.prevalence_pos_label:.2f})" in [
        t.get_text() for t in shown.ax_.get_legend().texts
    ]


def test_columns_of_text_and_frames_are_read(rows) -> None:
    pandas = pytest.importorskip("pandas")
    y, scores, _ = rows
    text = pandas.Series(np.array(["well", "ill"])[y], index=range(5, 5 + len(y)))
    shown = ours.RocCurveDisplay.from_predictions(text, pandas.Series(scores), pos_label="ill")
    assert shown.roc_auc == pytest.approx(th.metrics.roc_auc_score(y, scores))
    assert shown.pos_label == "ill"
