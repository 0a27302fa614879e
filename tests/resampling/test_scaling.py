"""Learning curves and scalability: subsets, values counted by hand, times by a clock that the test moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.resampling import fitting
from thresher.resampling.methods import Holdout, KFold
from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.scaling import learning_curve, nested_rows, scalability

RANDOM = np.random.default_rng(2)
Y = np.repeat([0, 1], [120, 60])
X = RANDOM.normal(size=(180, 20)) + 0.4 * Y[:, None]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 2**31), st.data())
def test_subsets_are_nested_and_stratified(counts, seed, data):
    truth = np.repeat(np.arange(len(counts)), counts)
    small = data.draw(st.integers(1, len(truth)))
    large = data.draw(st.integers(small, len(truth)))
    one, two = (nested_rows(truth, size, np.random.default_rng(seed)) for size in (small, large))
    assert len(set(one.tolist())) == small
    assert set(one) <= set(two)
    for code, count in enumerate(counts):
        rounding = 1 + len(counts) * count / len(truth) / 2
        assert abs((truth[one] == code).sum() - count * small / len(truth)) <= rounding


def test_values_are_those_of_fits_on_the_subsets():
    curve = learning_curve(NearestMean(), X, Y, sizes=[10, 40, 120], method=KFold(3), measures=["accuracy"])
    from thresher.resampling.data import checked_data
    from thresher.resampling.scaling import NESTED
    from thresher.resampling.splits import stream

    rows = checked_data(X, Y, positive=None, groups=None, weights=None, weight_kind="importance").drawable
    for place, split in enumerate(KFold(3).splits(rows, 0)):
        for i, size in enumerate((10, 40, 120)):
            taken = split.train[nested_rows(Y[split.train], size, stream(0, NESTED, place))]
            model = NearestMean().fit(X[taken], Y[taken])
            assert curve["accuracy"].by_split[i, place] == np.mean(model.predict(X[split.test]) == Y[split.test])


def test_all_rows_are_the_assessment_itself():
    curve = learning_curve(NearestMean(), X, Y, sizes=[0.3, 1.0], method=KFold(5), measures=["auc", "f1"])
    found = th.assess(NearestMean(), X, Y, method=KFold(5), measures=["auc", "f1"], progress=False)
    for measure in ("auc", "f1"):
        last = curve[measure].estimates[-1]
        want = found[measure]
        assert (last.value, last.low, last.high) == pytest.approx((want.value, want.low, want.high))


def test_a_single_split_has_the_measure_s_own_interval():
    curve = learning_curve(NearestMean(), X, Y, method=Holdout())
    assert curve["auc"].estimates[-1].method == "DeLong, score limits"
    assert curve.x.tolist() == [12, 24, 48, 84, 120]


class Clock:
    now = 0.0

    @classmethod
    def perf_counter(cls):
        return cls.now


class Quadratic(NearestMean):
    """A fit of n rows takes n² milliseconds, a prediction of m rows m."""

    def fit(self, X, y):
        Clock.now += len(X) ** 2 / 1000
        self.block = np.ones((len(X), 20_000))
        return super().fit(X, y)

    def predict(self, X):
        Clock.now += len(X) / 1000
        return super().predict(X)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_collections")
def test_times_and_memory_grow_as_they_do(monkeypatch):
    monkeypatch.setattr(fitting, "time", Clock)
    found = scalability(Quadratic(), X, Y, sizes=[15, 30, 60, 120], method=KFold(3), memory="traced")
    usage = found.usage["Quadratic"]
    np.testing.assert_allclose(usage.fit_time, [0.225, 0.9, 3.6, 14.4])
    np.testing.assert_allclose(usage.predict_seconds, 0.06)
    assert usage.time_growth.exponent == pytest.approx(2)
    np.testing.assert_allclose(usage.peak_memory, [n * 160_000 for n in (15, 30, 60, 120)], rtol=0.15)
    assert usage.memory_growth.exponent == pytest.approx(1, abs=0.1)
    assert found.learning_curve["auc"].by_split.shape == (4, 3)
    text = str(found)
    assert "fit time grows as n^2 [2, 2]" in text
    assert "14.4 s" in text
    assert "what Python and NumPy allocated while fitting" in text
    assert repr(found).startswith("Scalability(15 to 120 rows; fit time of Quadratic n^2")


@pytest.mark.peer
def test_frame_has_a_row_for_each_fit():
    found = scalability(
        {"a": NearestMean(), "b": NearestMean()}, X, Y, sizes=[20, 60], method=KFold(3), memory="traced"
    )
    frame = found.to_frame("pandas")
    assert len(frame) == 2 * 2 * 3
    assert list(frame.columns) == ["model", "train_rows", "split", "fit_seconds", "predict_seconds", "memory"]
    assert frame["split"].tolist()[:3] == [1, 2, 3]


@pytest.mark.peer
def test_plot_has_an_axis_of_rows():
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    ax = learning_curve(NearestMean(), X, Y, sizes=[10, 40, 120], method=KFold(3)).plot()
    assert ax.get_xscale() == "log"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["10", "40", "120"]
    assert ax.get_xlabel() == "Training rows"
    assert ax.get_ylabel() == "ROC AUC"
    pyplot.close("all")
