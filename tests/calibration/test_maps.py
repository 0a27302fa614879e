"""Recalibration maps: against their definitions, saved forms, and the refusal to be judged on their own rows."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

import calibration_definitions as by_definition
from calibration_definitions import ROWS
from thresher.calibration import (
    CalibratedClassifier,
    SameRowsWarning,
    apply_map,
    fit_map,
    fit_map_table,
    fit_temperature,
    map_from_json,
    reliability,
)
from thresher.counts import ScoreTable
from thresher.decisions import roc_hull
from thresher.errors import InputError
from thresher.measures import find

METHODS = ("isotonic", "interpolation", "platt", "logistic", "beta")


def sample(n=500, seed=0):
    rng = np.random.default_rng(seed)
    s = rng.beta(1, 2, n).clip(1e-4, 1 - 1e-4)
    y = (rng.random(n) < s**0.6).astype(int)
    return y, s, rng.choice([0.5, 1.0, 2.0], n)


def loss(eta, y, w):
    return (w * (y * np.logaddexp(0, -eta) + (1 - y) * np.logaddexp(0, eta))).sum()


@given(ROWS, st.booleans())
def test_the_isotonic_map_is_the_min_max_fit(rows, weighted):
    assume({y for y, _, _ in rows} == {0, 1})
    rows = rows if weighted else [(y, s, 1.0) for y, s, _ in rows]
    y, s, w = (list(c) for c in zip(*rows, strict=True))
    found = fit_map(y, s, weights=w if weighted else None)
    expected = [fit for *_, fit in by_definition.isotonic(rows)]
    np.testing.assert_allclose(found.transform(s), expected, atol=1e-12)
    assert (np.diff(found.transform(np.linspace(-1, 2, 50))) >= 0).all()


@given(ROWS)
def test_the_hull_s_edges_are_the_isotonic_blocks(rows):
    """Pooling neighbors until the shares rise is cutting corners of the ROC until the slopes fall."""
    assume({y for y, _, _ in rows} == {0, 1})
    y, s, w = (list(c) for c in zip(*rows, strict=True))
    table = ScoreTable.from_scores(y, s, weights=w)
    hull, found = roc_hull(table), reliability(table)
    np.testing.assert_allclose(hull.probabilities[::-1], found.share, atol=1e-12)
    np.testing.assert_array_equal(hull.thresholds[1:][::-1], found.low)


@given(ROWS)
def test_the_isotonic_map_makes_the_roc_its_hull(rows):
    assume({y for y, _, _ in rows} == {0, 1})
    y, s, _ = (list(c) for c in zip(*rows, strict=True))
    table = ScoreTable.from_scores(y, s)
    mapped = apply_map(fit_map_table(table), table, same_rows="ignore")
    assert find("auc")(mapped) == pytest.approx(roc_hull(table).area, abs=1e-12)
    assert find("mcb")(mapped) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_maps_have_the_least_loss(weighted):
    y, s, w = sample()
    w = w if weighted else np.ones_like(w)
    options = {"weights": w if weighted else None}
    x = np.log(s / (1 - s))
    best = optimize.minimize(lambda b: loss(b[0] + b[1] * x, y, w), [0, 1], method="BFGS", options={"gtol": 1e-9})
    found = fit_map(y, s, method="logistic", **options)
    np.testing.assert_allclose([found.intercept, found.slope], best.x, rtol=1e-5)
    best = optimize.minimize(lambda b: loss(b[0] + b[1] * s, y, w), [0, 1], method="BFGS", options={"gtol": 1e-9})
    found = fit_map(y, s, method="platt", smooth=False, **options)
    np.testing.assert_allclose([found.intercept, found.slope], best.x, rtol=1e-5)
    p, n = (w * y).sum(), (w * (1 - y)).sum()
    target = np.where(y == 1, (p + 1) / (p + 2), 1 / (n + 2))
    best = optimize.minimize(lambda b: loss(b[0] + b[1] * s, target, w), [0, 1], method="BFGS", options={"gtol": 1e-9})
    found = fit_map(y, s, method="platt", **options)
    np.testing.assert_allclose([found.intercept, found.slope], best.x, rtol=1e-5)


def test_the_beta_map_has_the_least_loss_and_keeps_its_signs():
    y, s, _ = sample()
    w = np.ones(y.size)

    def of(b):
        return loss(b[0] + b[1] * np.log(s) - b[2] * np.log(1 - s), y, w)

    best = optimize.minimize(of, [0, 1, 1], method="L-BFGS-B", bounds=[(None, None), (0, None), (0, None)], tol=1e-14)
    found = fit_map(y, s, method="beta")
    assert of([found.intercept, found.a, found.b]) <= best.fun + 1e-8
    np.testing.assert_allclose([found.intercept, found.a, found.b], best.x, atol=1e-3)
    # The truth turns down at high scores, which a map that never falls cannot follow.
    bent = (np.random.default_rng(1).random(500) < np.where(s < 0.6, s, 0.2)).astype(int)
    found = fit_map(bent, s, method="beta")
    assert (found.a > 0, found.b) == (True, 0.0)


def test_the_interpolation_map_goes_through_its_bins():
    y, s, _ = sample()
    found = fit_map(y, s, method="interpolation", bins=5)
    bins = reliability(ScoreTable.from_scores(y, s), method="equal_count", bins=5)
    np.testing.assert_allclose(found.transform(bins.score), bins.share)
    middle = (bins.score[1] + bins.score[2]) / 2
    assert found.transform(middle) == pytest.approx((bins.share[1] + bins.share[2]) / 2)
    assert found.transform([-5, 5]).tolist() == [bins.share[0], bins.share[-1]]


def test_temperature_has_the_least_loss():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(300, 4)) * 2
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    true = np.exp(z / 2.5) / np.exp(z / 2.5).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(4, p=row) for row in true])
    w = rng.choice([1.0, 3.0], 300)

    def of(t):
        q = p ** (1 / t)
        q /= q.sum(axis=1, keepdims=True)
        return -(w * np.log(q[np.arange(300), y])).sum()

    best = optimize.minimize_scalar(of, bounds=(0.1, 20), method="bounded", options={"xatol": 1e-10})
    found = fit_temperature(y, p, weights=w)
    assert found.temperature == pytest.approx(best.x, rel=1e-6)
    assert repr(found) == f"TemperatureMap(T = {found.temperature:.4g})"
    for factor in (1, 40):
        found_too = fit_temperature(y, factor * z, weights=w, of="logits")
        assert found_too.temperature == pytest.approx(factor * best.x, rel=1e-6)
    mapped = found.transform(p)
    np.testing.assert_allclose(mapped.sum(axis=1), 1)
    np.testing.assert_array_equal(mapped.argmax(axis=1), p.argmax(axis=1))
    np.testing.assert_allclose(fit_temperature(y, z, of="logits").transform(z), fit_temperature(y, p).transform(p))


@pytest.mark.parametrize("method", METHODS)
def test_saved_and_read_back(method):
    y, s, _ = sample()
    found = fit_map(y, s, method=method)
    again = map_from_json(found.to_json())
    assert again == found
    assert repr(found).startswith(f"{type(found).__name__}(")
    np.testing.assert_array_equal(again.transform(s), found.transform(s))
    saved = json.loads(found.to_json())
    assert {name: value for name, value in saved.items() if name != "checksum"} == found.to_dict()
    shaped = found.transform(s.reshape(50, 10))
    assert shaped.shape == (50, 10)
    assert ((shaped >= 0) & (shaped <= 1)).all()
    assert found.transform(np.zeros(0)).size == 0


@pytest.mark.parametrize("method", METHODS)
def test_frequency_weights_are_repeated_rows(method):
    y, s, _ = sample(120)
    w = np.resize([1, 2, 3], y.size)
    once = fit_map(y, s, method=method, weights=w, weight_kind="frequency")
    twice = fit_map(np.repeat(y, w), np.repeat(s, w), method=method)
    np.testing.assert_allclose(once.transform(s), twice.transform(s), rtol=1e-9)
    assert once.fitted_on == twice.fitted_on


@pytest.mark.parametrize("method", METHODS)
def test_judging_on_the_same_rows_is_noticed(method):
    y, s, _ = sample()
    found, own = fit_map(y, s, method=method), ScoreTable.from_scores(y[::-1], s[::-1])
    with pytest.warns(SameRowsWarning, match="evaluated on the rows that it was fitted to"):
        apply_map(found, own)
    other = ScoreTable.from_scores(*sample(seed=1)[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mapped = apply_map(found, other)
        apply_map(found, own, same_rows="ignore")
    assert mapped.P == other.P
    y1, s1, _ = sample(seed=1)
    assert mapped == ScoreTable.from_scores(y1, found.transform(s1))
    assert find("ece")(mapped) < find("ece")(other)


def test_what_cannot_be_fitted_is_refused():
    for method in ("logistic", "beta"):
        with pytest.raises(InputError, match="so the best map is infinite"):
            fit_map([1, 0], [0.8, 0.2], method=method)
        with pytest.raises(InputError, match="they are not probabilities"):
            fit_map([1, 0], [8, 2], method=method)
    assert fit_map([1, 0], [8, 2], method="platt").slope > 0


class Model:
    """Fitted classifier of two classes by one column."""

    classes_ = np.array(["bad", "good"])

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0]
        return np.stack([1 - p, p], axis=1)


def test_a_classifier_with_a_map_behind_it():
    y, s, _ = sample()
    labels = Model.classes_[y]
    found = CalibratedClassifier.fit(Model(), s[:, None], labels, method="platt")
    direct = fit_map(y, s, method="platt")
    p = found.predict_proba(s[:, None])
    np.testing.assert_allclose(p[:, 1], direct.transform(s))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert set(found.predict(s[:, None])) <= {"bad", "good"}
