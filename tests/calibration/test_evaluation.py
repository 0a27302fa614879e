"""Calibration on an evaluation: attributes, intervals, bands, maps."""

import math
import pickle

import numpy as np
import pytest
from scipy import stats

import thresher as th
from thresher.calibration import SameRowsWarning, cox_calibration, fit_map, smooth_calibration_error
from thresher.counts import ScoreTable
from thresher.inference import Bootstrap, calibration_band, calibration_summary, difference_interval, ratio_interval
from thresher.inference.calibration import NAMES, isotonic, neighbors
from thresher.measures.calibration import isotonic_blocks, sums


def sample(n=400, seed=0, power=1.0):
    rng = np.random.default_rng(seed)
    s = rng.beta(1, 2, n).clip(1e-3, 1 - 1e-3)
    return (rng.random(n) < s**power).astype(int), s


def table_of(n=400, seed=0, power=1.0, **options):
    return ScoreTable.from_scores(*sample(n, seed, power), **options)


def test_attributes_of_a_model():
    y, s = sample()
    model = th.evaluate(y, {"a": s})["a"]
    found = model.calibration
    assert list(found.estimates) == list(NAMES)
    cox = cox_calibration(model.scores)
    assert found.calibration_slope.value == cox.slope
    assert found.calibration_slope.low == pytest.approx(cox.slope - stats.t.ppf(0.975, cox.df) * cox.slope_error)
    assert found.calibration_intercept.value == cox.in_the_large
    assert found.brier.score == pytest.approx(model.brier_score.value)
    assert found.tests["recalibration"].p_value == pytest.approx(cox.p_value)
    assert model.expected_calibration_error.value == found.expected_calibration_error.value
    assert found.expected_calibration_error.reason_code == "no-formula"
    assert found.smooth_calibration_error.value == smooth_calibration_error(model.scores)
    assert "calibration_slope" in dir(found)
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()
    assert pickle.loads(pickle.dumps(model)).calibration.to_dict() == found.to_dict()


def test_ranked_scores_have_a_summary_that_says_why_it_is_empty():
    y, s = sample()
    model = th.evaluate(y, {"a": 10 * s})["a"]
    assert model.calibration.reason_code == "not-probabilities"
    assert all(
        math.isnan(e.value) and "they are not probabilities" in e.reason for e in model.calibration.estimates.values()
    )
    assert str(model.calibration).startswith("Calibration is undefined")


def test_the_curve_has_its_band():
    y, s = sample()
    curve = th.evaluate(y, {"a": s})["a"].calibration_curve
    low, high = curve.series["consistency_low"], curve.series["consistency_high"]
    assert (low <= high).all()
    assert np.mean((low <= curve.y) & (curve.y <= high)) > 0.7
    assert "consistency-band" in [note.code for note in curve.notes]
    binned = th.evaluate(y, {"a": s})["a"].reliability(method="equal_count", bins=4)
    assert (len(binned), list(binned.series)) == (4, ["weight"])
    assert th.evaluate(y, {"a": s}).murphy_curve.name == "murphy"


def test_a_map_from_other_rows_on_a_model():
    y, s = sample(power=2.0)
    y1, s1 = sample(seed=1, power=2.0)
    found = fit_map(y1, s1, method="beta")
    model = th.evaluate(y, {"a": s})["a"]
    mapped = model.recalibrated(found)
    np.testing.assert_allclose(mapped.predictions.scores["a"], found.transform(s))
    assert mapped.threshold == 0.5
    assert mapped.auc.value == pytest.approx(model.auc.value)
    assert mapped.brier_score.value < model.brier_score.value
    assert abs(mapped.calibration.calibration_slope.value - 1) < abs(model.calibration.calibration_slope.value - 1)
    with pytest.warns(SameRowsWarning):
        model.recalibrated(fit_map(y, s))


def test_a_map_turns_scores_of_which_low_ones_are_positive():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 400)
    s = rng.normal(size=400) - y
    model = th.evaluate(y, {"a": s, "b": -s}, direction="lower")["a"]
    mapped = model.recalibrated(fit_map(y[:200], s[:200], method="platt"))
    assert dict(mapped.predictions.direction) == {"a": "higher", "b": "lower"}
    assert mapped.auc.value == pytest.approx(model.auc.value)
    assert mapped.brier_score.value < 0.25
    assert np.array_equal(mapped.predictions.scores["b"], -s)
    with pytest.warns(SameRowsWarning):
        model.recalibrated(fit_map(y, s, method="platt"))


@pytest.mark.slow
def test_bootstrap_intervals_of_the_distances():
    y, s = sample()
    found = th.evaluate(y, {"a": s}, bootstrap=Bootstrap(n=50))["a"].calibration
    for name in ("expected_calibration_error", "smooth_calibration_error", "debiased_calibration_error"):
        estimate = found.estimates[name]
        assert estimate.low <= estimate.high
        assert "50 replicates" in estimate.method


@pytest.mark.slow
@pytest.mark.parametrize("how", ["weights", "clusters"])
def test_a_summary_draws_what_the_measures_of_the_model_draw(how):
    """Weighted rows and clusters are not known from counts: the rows are drawn, as for `model.auc`."""
    y, s = sample()
    given = {"weights": np.resize([1.0, 2.5, 0.5], y.size)} if how == "weights" else {"cluster": np.arange(y.size) // 5}
    model = th.evaluate(y, {"a": s}, bootstrap=Bootstrap(n=50), **given)["a"]
    for name in ("expected_calibration_error", "maximum_calibration_error"):
        assert model.calibration.estimates[name] == getattr(model, name)
    for name in ("adaptive_calibration_error", "debiased_calibration_error", "smooth_calibration_error"):
        estimate = getattr(model, name)
        assert estimate.low < estimate.high
        assert ("clusters" in estimate.method) == (how == "clusters")


@pytest.mark.parametrize("kind", [None, "importance", "frequency"])
def test_means_of_rows(kind):
    y, s = sample()
    w = np.ones(y.size) if kind is None else np.resize([1.0, 2.0, 3.0], y.size)
    table = ScoreTable.from_scores(y, s) if kind is None else ScoreTable.from_scores(y, s, weights=w, weight_kind=kind)
    if kind == "frequency":
        y, s, w = np.repeat(y, w.astype(int)), np.repeat(s, w.astype(int)), np.ones(int(w.sum()))
    n = w.sum() ** 2 / (w**2).sum()
    parts = y - s
    mean = np.average(parts, weights=w)
    error = math.sqrt((w**2 * (parts - mean) ** 2).sum() / w.sum() ** 2 * n / (n - 1))
    found = difference_interval(table)
    assert (found.value, found.standard_error) == (pytest.approx(mean), pytest.approx(error))
    assert found.low < mean < found.high
    ratio = np.average(y, weights=w) / np.average(s, weights=w)
    parts = y / np.average(y, weights=w) - s / np.average(s, weights=w)
    error = math.sqrt((w**2 * parts**2).sum() / w.sum() ** 2 * n / (n - 1))
    found = ratio_interval(table)
    assert (found.value, found.standard_error) == (pytest.approx(ratio), pytest.approx(ratio * error))
    z = stats.norm.ppf(0.975)
    assert (found.low, found.high) == (
        pytest.approx(ratio * math.exp(-z * error)),
        pytest.approx(ratio * math.exp(z * error)),
    )


@pytest.mark.slow
def test_intervals_cover_the_truth():
    slopes, ratios = [], []
    for seed in range(300):
        found = calibration_summary(table_of(300, seed))
        slopes.append(found.calibration_slope.low <= 1 <= found.calibration_slope.high)
        ratios.append(found.observed_expected_ratio.low <= 1 <= found.observed_expected_ratio.high)
    assert np.mean(slopes) == pytest.approx(0.95, abs=0.035)
    assert np.mean(ratios) == pytest.approx(0.95, abs=0.035)


def test_the_ratio_without_an_interval_says_why():
    none = ratio_interval(ScoreTable.from_scores([0, 0], [0.2, 0.3]))
    assert (none.value, none.low) == (0.0, None)
    assert none.reason_code == "infinite"
    alike = difference_interval(ScoreTable.from_scores([0, 0], [0.2, 0.2]))
    assert alike.reason_code == "no-spread"
    assert difference_interval(ScoreTable.from_scores([1], [0.2])).reason_code == "too-few-rows"


@pytest.mark.slow
def test_a_calibrated_score_stays_in_its_consistency_band():
    """Pointwise, so a share of points, over samples."""
    inside = []
    for seed in range(60):
        band = calibration_band(table_of(250, seed), n=200)
        inside.append(np.mean((band.low <= band.y) & (band.y <= band.high)))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
    crooked = calibration_band(table_of(2000, 0, power=2.0), n=200)
    assert np.mean(crooked.y < crooked.low) > 0.5


def test_a_consistency_band_is_the_quantiles_of_drawn_fits():
    """One score: the fit is the drawn share, whose quantiles are binomial."""
    table = ScoreTable.from_scores([1] * 30 + [0] * 70, [0.3] * 100)
    band = calibration_band(table, n=4000)
    expected = stats.binom(100, 0.3).ppf([0.025, 0.975]) / 100
    np.testing.assert_allclose([band.low[0], band.high[0]], expected, atol=0.0101)
    around = calibration_band(ScoreTable.from_scores([1] * 50 + [0] * 50, [0.3] * 100), kind="confidence")
    assert around.low[0] < 0.5 < around.high[0]
    assert around.low[0] > 0.3


def test_bands_are_the_same_every_time_and_none_at_a_prevalence():
    table = table_of()
    one, two = calibration_band(table, n=50), calibration_band(table, n=50)
    np.testing.assert_array_equal(one.low, two.low)
    assert (calibration_band(table, n=50, rng=1).low != one.low).any()
    none = calibration_band(table.with_prevalence(0.1), n=50)
    assert np.isnan(none.low).all()
    assert none.reason_code == "other-prevalence"


@pytest.mark.slow
@pytest.mark.parametrize("largest", [0.9, 0.5, 0.2])
def test_calibrated_curves_lie_in_the_band_at_the_highest_score(largest):
    """Where the curve may be the outcome of a single row: in 90 to 100 of 100 samples."""
    inside = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        score = largest * rng.beta(1, 2, 10_000)
        band = calibration_band(ScoreTable.from_scores(rng.random(10_000) < score, score), n=400)
        inside.append(band.low[-1] <= band.y[-1] <= band.high[-1])
    assert np.mean(inside) >= 0.9


def test_many_scores_are_drawn_for_in_groups():
    table = table_of(20_000)
    band = calibration_band(table, n=2)
    assert (band.x[0], band.x[-1]) == (table.scores.min(), table.scores.max())
    found = neighbors(sums(table))
    assert 800 < len(found) <= 1024
    assert np.median(found.size) < 31
    assert found.total == 20_000
    fit = isotonic(sums(table).positive, sums(table).negative)
    pooled = isotonic_blocks(table)
    np.testing.assert_allclose(np.unique(fit.round(12)), np.unique(pooled.share.round(12)))


def test_names_of_a_short_form_are_attributes():
    model = th.evaluate([0, 0, 1, 0, 1, 1] * 9, [0.1, 0.2, 0.3, 0.6, 0.7, 0.9] * 9)["score"]
    found = model.calibration
    assert len(str(found).splitlines()) == 17
    assert found.spiegelhalter is found.tests["spiegelhalter"]
    assert found.brier_score is found.brier
    short = [part.split()[0].lower() for part in repr(found).partition("(")[2].split(", ") if part[0].isalpha()]
    assert [getattr(found, name).name for name in short] == [
        "calibration_intercept", "calibration_slope", "expected_calibration_error",
    ]  # fmt: skip
    assert found.intercept == model.calibration_intercept
