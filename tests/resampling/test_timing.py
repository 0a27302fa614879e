"""Speed and size: every number against a clock that the test moves, and a model of known size."""

import pickle

import numpy as np
import pytest

from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.timing import format_seconds, model_bytes, speed

X = np.arange(20.0).reshape(10, 2)
Y = np.array([0, 1] * 5)


class Clock:
    """A clock that an estimator moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Timed(NearestMean):
    """Takes the n-th fit n seconds, and a prediction a quarter of a second and a 64th for each row."""

    clock = Clock()
    fits = 0

    def fit(self, X, y):
        type(self).fits += 1
        self.clock.now += self.fits
        return super().fit(X, y)

    def decision_function(self, X):
        self.clock.now += 0.25 + len(X) / 64
        return super().decision_function(X)


@pytest.fixture
def timed(monkeypatch):
    monkeypatch.setattr(Timed, "clock", Clock())
    monkeypatch.setattr(Timed, "fits", 0)
    return Timed()


def test_times_are_those_of_the_clock_after_one_warm_up(timed):
    found = speed(timed, X, Y, X_test=X[:6], repeats=3, clock=Timed.clock)
    assert found.fit_seconds == (2.0, 3.0, 4.0)
    assert found.fit_time == 3.0
    assert found.predict_seconds == (0.34375,) * 3
    assert found.row_time == 0.265625
    assert (found.fit_rows, found.predict_rows) == (10, 6)
    assert found.fit_rows_per_second == pytest.approx(10 / 3)
    assert found.predict_rows_per_second == pytest.approx(6 / 0.34375)


def test_size_is_that_of_the_pickle_without_keeping_it():
    model = NearestMean().fit(X, Y)
    assert model_bytes(model) == (len(pickle.dumps(model, protocol=5)), None)
    big = NearestMean()
    big.extra = np.zeros(1_000_000)
    assert model_bytes(big)[0] == len(pickle.dumps(big, protocol=5)) > 8_000_000


def test_what_cannot_be_pickled_says_so():
    model = NearestMean().fit(X, Y)
    model.hook = lambda: None
    size, reason = model_bytes(model)
    assert size is None
    assert "cannot be pickled" in reason
    assert "unknown" in str(speed(model, X, Y, repeats=1))


@pytest.mark.peer
def test_frame_has_a_row_for_each_repeat(timed):
    found = speed(timed, X, Y, repeats=2, clock=Timed.clock)
    frame = found.to_frame("pandas")
    assert list(frame["step"]) == ["fit", "fit", "decision_function", "decision_function"]
    assert list(frame["rows_per_second"][:2]) == [5.0, 10 / 3]


@pytest.mark.parametrize("kind", ["list", "sparse", "pandas", "polars"])
@pytest.mark.peer
def test_rows_come_in_any_container(kind):
    import pandas as pd
    import polars as pl
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    data = {"list": X.tolist(), "sparse": sparse.csr_matrix(X), "pandas": pd.DataFrame(X), "polars": pl.DataFrame(X)}
    found = speed(LogisticRegression(), data[kind], Y, repeats=1)
    assert (found.fit_rows, found.predict_rows, found.method) == (10, 10, "predict_proba")


class Quiet:
    """Its fit returns nothing, as `assess` allows too."""

    def fit(self, X, y):  # noqa: ARG002
        self.label = y[0]

    def predict(self, X):
        return np.full(len(X), self.label)


def test_fit_may_return_nothing_and_repeats_may_be_numpys():
    found = speed(Quiet(), X, Y, repeats=np.int64(2))
    assert (found.method, len(found.fit_seconds)) == ("predict", 2)


def test_times_read_well():
    assert [format_seconds(s) for s in (1e-9, 119.96, 120, 1e-3, 0.999e-3)] == [
        "1 ns", "120 s", "2 min 0 s", "1 ms", "999 µs",
    ]  # fmt: skip


def test_forms_hold_the_same_numbers(timed):
    found = speed(timed, X, Y, repeats=2, name="mean", clock=Timed.clock)
    form = found.to_dict()
    assert form["fit_time"] == found.fit_time == 2.5
    assert form["fit_seconds"] == [2.0, 3.0]
    assert form["method"] == "decision_function"
    text = str(found)
    assert text.startswith("mean\n")
    assert "2.5 s for 10 rows (4 rows/s, median of 2)" in text
