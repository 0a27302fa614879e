"""Bands of averaged curves against the formulas written out, and against what they should cover."""

import numpy as np
import pytest
from scipy import stats

import thresher as th
from thresher.counts import ScoreTable
from thresher.inference import Bootstrap, averaged_curve, roc_band


def folds(k=5, n=60, seed=0):
    """Tables of k samples of one population."""
    rng = np.random.default_rng(seed)
    truth = [rng.permutation(np.arange(n) < n // 3).astype(int) for _ in range(k)]
    return [ScoreTable.from_scores(y, rng.normal(size=n) + y) for y in truth]


def test_t_and_normal_limits():
    tables = folds()
    for spread, multiple in (("t", stats.t.ppf(0.95, 4)), ("normal", stats.norm.ppf(0.95))):
        found = averaged_curve(tables, interval=spread, level=0.9)
        y = found.average.y
        low, high = y.mean(axis=0) - multiple * stats.sem(y), y.mean(axis=0) + multiple * stats.sem(y)
        moving = np.ptp(y, axis=0) > 0
        np.testing.assert_allclose(found.band.low[moving], np.maximum(low, 0)[moving])
        np.testing.assert_allclose(found.band.high[moving], np.minimum(high, 1)[moving])
        areas = [table_auc(t) for t in tables]
        assert found.area.value == pytest.approx(np.mean(areas))
        assert found.area.low == pytest.approx(np.mean(areas) - multiple * stats.sem(areas))


def test_dependent_curves_have_the_corrected_error():
    tables = folds()
    plain, wider = averaged_curve(tables, level=0.9), averaged_curve(tables, level=0.9, dependence=0.25)
    moving = (np.ptp(plain.average.y, axis=0) > 0) & (wider.band.low > 0) & (wider.band.high < 1)
    ratio = (wider.band.high - wider.band.low)[moving] / (plain.band.high - plain.band.low)[moving]
    assert moving.any()
    assert ratio[plain.band.high[moving] < 1] == pytest.approx(np.sqrt((1 / 5 + 0.25) * 5))
    assert wider.area.standard_error == pytest.approx(plain.area.standard_error * 1.5)
    assert wider.band.method == "corrected resampled t over 5 curves"


def table_auc(table):
    return th.measures.find("auc")(table)


def test_quantiles_over_resamples():
    tables = folds(k=199, n=30)
    found = averaged_curve(tables, interval="quantile", level=0.9)
    ordered = np.sort(found.average.y, axis=0)
    np.testing.assert_allclose(found.band.low[50], ordered[9, 50])
    np.testing.assert_allclose(found.band.high[50], ordered[189, 50])


def test_by_threshold_both_rates_have_a_band():
    found = averaged_curve(folds(), how="threshold")
    assert found.band.y.shape == found.x_band.y.shape
    np.testing.assert_allclose(found.band.x, found.x_band.y)
    np.testing.assert_allclose(found.band.y, found.average.y.mean(axis=0))
    inside = (found.x_band.low <= found.x_band.y) & (found.x_band.y <= found.x_band.high)
    assert inside.all()


def test_where_folds_agree_the_band_has_width():
    tables = [ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1])] * 3
    found = averaged_curve(tables, x=[0, 0.5, 1])
    assert found.band.low[0] == pytest.approx(0.6097, abs=1e-4)  # Wilson's lower limit of 6 out of 6
    assert (found.band.low[2], found.band.high[2]) == (1, 1)


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_pooled_bands_are_those_of_the_rows(kind):
    tables, config = folds(k=3), Bootstrap(n=50)
    options = {"simultaneous": kind == "simultaneous", "config": config}
    found = averaged_curve(tables, how="pooled", interval="bootstrap", **options)
    np.testing.assert_array_equal(found.band.low, roc_band(sum(tables[1:], tables[0]), kind=kind, config=config).low)
    assert found.band.is_simultaneous == options["simultaneous"]
    bare = averaged_curve(tables, how="pooled")
    assert bare.band is None
    assert bare.reason_code == "no-spread"


def test_one_fold_has_no_spread():
    found = averaged_curve(folds(k=1))
    assert (found.band, found.area.low) == (None, None)
    assert found.reason_code == "no-spread"
    assert found.area.reason_code == "no-spread"


@pytest.mark.parametrize("how", ["vertical", "threshold"])
def test_a_simultaneous_band_shares_its_level_over_all_points(how):
    tables = folds()
    found, single = (averaged_curve(tables, how=how, simultaneous=many) for many in (True, False))
    y = found.average.y
    limits = y.shape[1] * (2 if how == "threshold" else 1)
    wide = stats.t.ppf(1 - 0.05 / limits / 2, 4) * stats.sem(y)
    moving = np.ptp(y, axis=0) > 0
    np.testing.assert_allclose(found.band.high[moving], np.minimum(y.mean(axis=0) + wide, 1)[moving])
    assert (found.band.low <= single.band.low).all()
    assert (found.band.is_simultaneous, single.band.is_simultaneous) == (True, False)
    assert found.band.method.endswith(f"Bonferroni over {limits} limits")
    assert found.area == single.area
    if how == "threshold":
        assert found.x_band.is_simultaneous


@pytest.mark.slow
def test_a_simultaneous_band_holds_the_whole_curve_of_independent_samples():
    grid = np.linspace(0.05, 0.85, 9)
    truth = stats.norm.cdf(1 + stats.norm.ppf(grid))
    held = []
    for seed in range(300):
        found = averaged_curve(folds(k=10, n=600, seed=seed), x=[0, *grid, 1], simultaneous=True).band
        held.append(((found.low[1:-1] <= truth) & (truth <= found.high[1:-1])).all())
    assert np.mean(held) > 0.92


def test_a_models_folds_are_averaged():
    rows = th.load_example("breast_cancer")
    evaluation = th.evaluate(rows, label="diagnosis", scores=["random_forest"], fold="fold", positive="malignant")
    model = evaluation["random_forest"]
    found = model.average_roc()
    each = [part["random_forest"].auc.value for part in evaluation.folds.values()]
    assert found.area.value == pytest.approx(np.mean(each))
    assert model.auc.value == pytest.approx(np.mean(each))
    assert model.average_roc("pooled").curve.area() == pytest.approx(model.roc.area())
    assert model.average_pr().area.value == pytest.approx(
        np.mean([part["random_forest"].pr_auc_davis_goadrich.value for part in evaluation.folds.values()])
    )
    assert found.to_dict()["curves"] == len(each)


@pytest.mark.peer
@pytest.mark.parametrize("how", ["vertical", "threshold", "pooled"])
def test_the_frame_has_the_points_with_their_limits(how):
    pandas = pytest.importorskip("pandas")
    found = averaged_curve(folds(), how=how)
    frame = found.to_frame("pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["x", "y", "low", "high", *(["x_low", "x_high"] if how == "threshold" else [])]
    if found.band is None:
        assert frame["low"].isna().all()
        assert frame["y"].tolist() == found.curve.y.tolist()
    else:
        assert frame[["x", "y", "low", "high"]].equals(found.band.to_frame("pandas"))
        assert frame["high"].tolist() == found.band.high.tolist()


def test_a_horizontal_mean_has_a_band_of_the_abscissas():
    tables = folds()
    found = averaged_curve(tables, how="horizontal", level=0.9)
    x, multiple = found.average.x, stats.t.ppf(0.95, 4)
    moving = np.ptp(x, axis=0) > 0
    assert found.band is None
    np.testing.assert_allclose(
        found.x_band.low[moving], np.maximum(x.mean(axis=0) - multiple * stats.sem(x), 0)[moving]
    )
    np.testing.assert_allclose(found.x_band.x, found.average.y[0])
    assert found.area.value == pytest.approx(averaged_curve(tables).area.value)
    # Where the vertical mean rises steeply both means are one curve.
    rising = ScoreTable.from_scores(np.arange(40) % 2, np.arange(40))
    twice = averaged_curve([rising, rising], how="horizontal")
    assert twice.curve.at(0.5) == pytest.approx(averaged_curve([rising, rising]).curve.at(0.5), abs=0.05)
    assert set(twice.to_dict()) == set(found.to_dict())
