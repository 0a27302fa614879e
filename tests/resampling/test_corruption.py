"""Corrupted test sets: what changes, what stays, and how much, for every kind of table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.resampling.corruption import FeatureNoise, HeldOut, LabelNoise, MissingValues, PrevalenceShift
from thresher.resampling.data import features, is_missing

N = 400
RANDOM = np.random.default_rng(0)
X = np.column_stack([RANDOM.normal(5, 2, N), RANDOM.normal(0, 0.1, N), np.full(N, 3.0)])
TRUTH = np.repeat([0, 1], [300, 100]).astype(np.uint8)
PART = HeldOut(X, TRUTH)


def corrupted(corruption, level, *, seed=0, part=PART, learned=X, classes=2):
    return corruption.corrupt(part, learned, level, classes, np.random.default_rng(seed))


def test_noise_has_the_standard_deviation_asked_for_and_grows_from_one_draw():
    one = corrupted(FeatureNoise(), 0.5).X - X
    two = corrupted(FeatureNoise(), 1.0).X - X
    np.testing.assert_allclose(two, 2 * one, atol=1e-12)
    assert one[:, 0].std() == pytest.approx(0.5 * X[:, 0].std(), rel=0.15)
    assert one[:, 1].std() == pytest.approx(0.5 * X[:, 1].std(), rel=0.15)
    assert not one[:, 2].any()  # a constant column has no spread to measure noise in
    assert abs(np.corrcoef(one[:, 0], one[:, 1])[0, 1]) < 0.2


def test_the_unit_of_noise_is_that_of_the_training_rows():
    wide = corrupted(FeatureNoise(), 1.0, learned=10 * X).X - X
    np.testing.assert_allclose(wide, 10 * (corrupted(FeatureNoise(), 1.0).X - X), atol=1e-9)


def test_replaced_values_come_from_the_column_of_the_training_rows():
    learned = X + 1000
    found = corrupted(FeatureNoise(kind="replaced"), 0.3, learned=learned).X
    changed = found != X
    assert changed.mean() == pytest.approx(0.3, abs=0.05)
    for column in range(3):
        assert np.isin(found[changed[:, column], column], learned[:, column]).all()
    more = corrupted(FeatureNoise(kind="replaced"), 0.6, learned=learned).X != X
    assert more[changed].all()
    assert (corrupted(FeatureNoise(kind="replaced"), 1.0, learned=learned).X != X).all()


@given(st.integers(2, 5), st.floats(0, 1), st.integers(0, 2**31))
def test_labels_are_exchanged_for_others_and_wrong_ones_stay_wrong(classes, level, seed):
    truth = np.arange(60) % classes
    found = corrupted(LabelNoise(), level, seed=seed, part=HeldOut(X[:60], truth), classes=classes)
    assert found.X is not None
    wrong = found.truth != truth
    assert set(found.truth.tolist()) <= set(range(classes))
    more = corrupted(LabelNoise(), min(1.0, level + 0.2), seed=seed, part=HeldOut(X[:60], truth), classes=classes)
    assert (more.truth[wrong] == found.truth[wrong]).all()
    assert corrupted(LabelNoise(), 0.0, seed=seed, part=HeldOut(X[:60], truth), classes=classes).truth.tolist() == (
        truth.tolist()
    )
    assert (corrupted(LabelNoise(), 1.0, seed=seed, part=HeldOut(X[:60], truth), classes=classes).truth != truth).all()


def test_share_of_wrong_labels_and_their_new_classes():
    truth = np.arange(9000) % 3
    found = corrupted(LabelNoise(), 0.2, part=HeldOut(None, truth), classes=3).truth
    assert (found != truth).mean() == pytest.approx(0.2, abs=0.015)
    shift = (found - truth)[found != truth] % 3
    assert (shift == 1).mean() == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize(("imputation", "want"), [("median", np.median), ("mean", np.mean), ("zero", lambda _: 0.0)])
def test_missing_values_are_replaced_by_what_is_said(imputation, want):
    learned = X + 7
    found = corrupted(MissingValues(imputation=imputation), 0.25, learned=learned).X
    gone = found != X
    assert gone.mean() == pytest.approx(0.25, abs=0.04)
    for column in range(3):
        assert set(found[gone[:, column], column]) == {float(want(learned[:, column]))}


def test_missing_values_can_be_left_to_the_estimator():
    found = corrupted(MissingValues(imputation="none"), 0.25).X
    assert np.isnan(found).mean() == pytest.approx(0.25, abs=0.04)
    assert (found[~np.isnan(found)] == X[~np.isnan(found)]).all()
    more = np.isnan(corrupted(MissingValues(imputation="none"), 0.5).X)
    assert more[np.isnan(found)].all()


def test_what_was_missing_before_stays_missing():
    holes = X.copy()
    holes[:50, 0] = np.nan
    for corruption in (FeatureNoise(), FeatureNoise(kind="replaced", levels=(1,)), MissingValues()):
        found = corrupted(corruption, 0.5, part=HeldOut(holes, TRUTH), learned=holes).X
        assert np.isnan(found[:50, 0]).all()
        assert not np.isnan(found[50:]).any()


class Midpoint:
    """An imputer that remembers what it was fitted to."""

    def fit(self, X):
        self.fill = (np.nanmin(X, axis=0) + np.nanmax(X, axis=0)) / 2
        return self

    def transform(self, X):
        return np.where(np.isnan(X), self.fill, X)


def test_an_imputer_is_fitted_to_the_training_rows_each_time():
    imputer = Midpoint()
    found = corrupted(MissingValues(imputation=imputer), 0.5, learned=X + 100).X
    gone = found != X
    assert set(found[gone[:, 2], 2]) == {103.0}
    assert not hasattr(imputer, "fill")
    assert "imputed by Midpoint, fitted to the training rows" in MissingValues(imputation=imputer).notes[0]


@given(st.floats(0.01, 0.99), st.booleans())
def test_weights_give_the_prevalence_and_keep_the_rows_of_a_class_alike(level, weighted):
    given_weights = np.arange(1.0, N + 1) if weighted else None
    found = corrupted(PrevalenceShift(), level, part=HeldOut(X, TRUTH, given_weights))
    share = found.weights[TRUTH == 1].sum() / found.weights.sum()
    assert share == pytest.approx(level)
    ratio = found.weights / (np.ones(N) if given_weights is None else given_weights)
    for label in (0, 1):
        assert np.ptp(ratio[label == TRUTH]) < 1e-9
    assert found.weights.sum() == pytest.approx(N if given_weights is None else given_weights.sum())


MIXED = {"n": [1.5, 2.5, None, 4.0] * 50, "whole": [1, 2, 3, 4] * 50, "text": ["a", "b", "a", None] * 50}


def frame_of(kind):
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame({**MIXED, "cat": pd.Categorical(["x", "y"] * 100)}, index=np.arange(1000, 1200))
    import polars as pl

    return pl.DataFrame(MIXED) if kind == "polars" else pl.DataFrame(MIXED).to_arrow()


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_dataframes_stay_what_they_are(kind):
    frame = frame_of(kind)
    table = features(frame)
    assert [list(MIXED)[i] for i in table.numeric] == ["n", "whole"]
    assert is_missing(table.columns[0]).sum() == is_missing(table.columns[2]).sum() == 50
    part = HeldOut(frame, np.zeros(200, dtype=int))
    noisy = corrupted(FeatureNoise(), 1.0, part=part, learned=frame).X
    assert type(noisy) is type(frame)
    after = features(noisy)
    assert list(getattr(noisy, "column_names", noisy.columns)) == list(getattr(frame, "column_names", frame.columns))
    assert after.columns[2].tolist() == table.columns[2].tolist()
    assert (after.columns[1] != table.columns[1]).all()
    replaced = features(corrupted(FeatureNoise(kind="replaced"), 0.5, part=part, learned=frame).X)
    assert set(replaced.columns[2][~is_missing(replaced.columns[2])]) == {"a", "b"}
    imputed = features(corrupted(MissingValues(), 1.0, part=part, learned=frame).X)
    assert set(imputed.columns[1]) == {2.5}
    assert set(imputed.columns[2][~is_missing(imputed.columns[2])]) == {"a"}
    left = features(corrupted(MissingValues(imputation="none"), 1.0, part=part, learned=frame).X)
    assert all(is_missing(column).all() for column in left.columns)
