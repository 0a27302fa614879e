"""Curves, areas and the AUC's interval against pROC, ROCR, PRROC, yardstick and base R."""

import math
from itertools import pairwise

import numpy as np
import pytest

import reference_values
from reference_values import MODELS, value
from thresher.counts import ScoreTable, ThresholdTable
from thresher.curves import gain_curve, lift_curve, precision_recall_curve, roc_curve, value_at
from thresher.curves.partial_areas import area_over_fpr, area_over_tpr
from thresher.inference import binormal_roc
from thresher.inference.auc.delong import delong_interval, delong_variance
from thresher.measures import find

pytestmark = [pytest.mark.reference, pytest.mark.parametrize(("name", "score"), MODELS)]

TOLERANCE = 1e-10

BY_CUTOFF = {
    "acc": "accuracy", "err": "error_rate", "fpr": "false_positive_rate", "tpr": "true_positive_rate",
    "fnr": "false_negative_rate", "tnr": "true_negative_rate", "ppv": "positive_predictive_value",
    "npv": "negative_predictive_value", "pcfall": "false_discovery_rate", "pcmiss": "false_omission_rate",
    "rpp": "predicted_prevalence", "phi": "matthews_correlation", "odds": "diagnostic_odds_ratio", "lift": "lift",
}  # fmt: skip
"""ROCR's names and ours."""

COORDS = {
    "specificity": "specificity", "sensitivity": "sensitivity", "accuracy": "accuracy", "npv": "npv", "ppv": "ppv",
    "fdr": "false_discovery_rate", "fpr": "false_positive_rate", "tpr": "true_positive_rate",
    "tnr": "true_negative_rate", "fnr": "false_negative_rate", "precision": "precision", "recall": "recall",
}  # fmt: skip
"""pROC's names and ours."""


@pytest.fixture
def table(name, score):
    """Score table of one score."""
    return ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))


def close(found, expected):
    """Whether two arrays agree to the tolerance, NaN and infinity included."""
    np.testing.assert_allclose(np.asarray(found, dtype=float), np.asarray(expected, dtype=float), 0, TOLERANCE)


def test_roc_points_of_proc(name, score, table):
    expected = value(name, f"proc/{score}/roc")
    curve = roc_curve(table, midpoints=True)
    close(curve.thresholds[::-1], expected["thresholds"])
    close(curve.y[::-1], expected["sensitivities"])
    close(1 - curve.x[::-1], expected["specificities"])


def test_auc_and_its_rank_sum(name, score, table):
    close(find("auc")(table), value(name, f"proc/{score}/auc"))
    close(roc_curve(table).area(), value(name, f"proc/{score}/auc"))
    close(find("auc")(table), value(name, f"base/{score}/wilcox")["W_over_n1n0"])


def test_delong_variance_and_interval(name, score, table):
    found = delong_interval(table, scale="plain")
    close(delong_variance(table).variance, value(name, f"proc/{score}/var_delong"))
    close(found.standard_error, value(name, f"proc/{score}/se_delong"))
    for level in (0.9, 0.95, 0.99):
        found = delong_interval(table, level=level, scale="plain")
        close([found.low, found.value, found.high], value(name, f"proc/{score}/ci_delong_{level}"))
    logit = delong_interval(table, scale="logit")
    expected = value(name, f"base/{score}/ci_logit_delong")
    close([logit.low, logit.high], [expected["lower"], expected["upper"]])


def test_coords_at_every_threshold_of_proc(name, score, table):
    expected = value(name, f"proc/{score}/coords_all")
    rows = ThresholdTable.from_table(table)
    close(roc_curve(table, midpoints=True).thresholds[::-1], expected["threshold"])
    for cell in ("tp", "fp", "fn", "tn"):
        close(getattr(rows, cell)[::-1], expected[cell])
    for theirs, ours in COORDS.items():
        close(find(ours)(rows)[::-1], expected[theirs])
    close(1 + rows.informedness[::-1], expected["youden"])
    close((rows.false_negative_rate**2 + rows.false_positive_rate**2)[::-1], expected["closest.topleft"])


def test_coords_at_given_thresholds(name, score, table):
    expected = value(name, f"proc/{score}/coords_at_threshold")
    for k, threshold in enumerate(expected["threshold"]):
        matrix = table.at(threshold)
        close(matrix.counts.ravel(), [expected[c][k] for c in ("tp", "fn", "fp", "tn")])
        for theirs in set(COORDS) & set(expected):
            close(find(COORDS[theirs])(matrix), expected[theirs][k])


@pytest.mark.parametrize(("at", "other"), [("specificity", "sensitivity"), ("sensitivity", "specificity")])
def test_coords_between_thresholds(name, score, table, at, other):
    expected = value(name, f"proc/{score}/coords_at_{at}")
    for k, given in enumerate(expected[at]):
        close(value_at(table, other, at=at, value=given).value, expected[other][k])
        if at == "specificity":
            close(roc_curve(table).at(1 - given), expected["sensitivity"][k])


@pytest.mark.parametrize("theirs", BY_CUTOFF)
def test_measures_by_cutoff_of_rocr(name, score, table, theirs):
    expected = value(name, f"rocr/{score}/{theirs}")
    rows = ThresholdTable.from_table(table)
    close(rows.thresholds, expected["x"])
    close(find(BY_CUTOFF[theirs])(rows), expected["y"])


def test_rate_of_negative_predictions_of_rocr(name, score, table):
    rows = ThresholdTable.from_table(table)
    close(1 - rows.predicted_prevalence, value(name, f"rocr/{score}/rnp")["y"])


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_f_of_rocr(name, score, table, alpha):
    """α = 1/(1 + β²); ROCR has NaN where nothing is predicted positive, and F from counts is 0 there."""
    expected = value(name, f"rocr/{score}/f_alpha{alpha}")["y"]
    found = ThresholdTable.from_table(table).f_beta(beta=math.sqrt((1 - alpha) / alpha))
    close(found[0], 0.0)
    known = ~np.isnan(expected)
    close(found[known], np.array(expected)[known])


def test_curves_of_rocr(name, score, table):
    roc, pr = value(name, f"rocr/{score}/roc"), value(name, f"rocr/{score}/prec_rec")
    lift = value(name, f"rocr/{score}/lift_rpp")
    close(roc_curve(table).x, roc["x"])
    close(roc_curve(table).y, roc["y"])
    curve = precision_recall_curve(table)
    close(curve.x, pr["x"][1:])
    close(curve.y, pr["y"][1:])
    close(lift_curve(table).x, lift["x"][1:])
    close(lift_curve(table).y, lift["y"][1:])


def test_areas_under_precision_recall_by_name(name, score, table):
    close(find("pr_auc_davis_goadrich")(table), value(name, f"prroc/{score}")["pr_auc_integral"])
    close(find("average_precision")(table), value(name, f"yardstick/{score}")["average_precision"])


def rocr_aucpr(rows):
    """ROCR's rule on our counts: trapezoids through (0, 1) and the point with the fewest FP at every TP.

    Where TP rises by more than 2 it inserts points on the way, behind the i-th point of a list that grows meanwhile, so
    that from the second such rise on they land in the wrong place. It is neither of the three areas we name.
    """
    fewest = {}
    for tp, fp in zip(rows.tp.tolist(), rows.fp.tolist(), strict=True):
        fewest.setdefault(tp, fp)
    tps, fps = list(fewest), list(fewest.values())
    points = [(tp / rows.P, 1.0 if tp == fp == 0 else tp / (tp + fp)) for tp, fp in fewest.items()]
    for i in range(len(tps) - 1):
        rise, growth = tps[i + 1] - tps[i], fps[i + 1] - fps[i]
        if rise > 2:
            steps = ((tps[i] + x, tps[i] + fps[i] + x + growth / rise * x) for x in range(1, rise + 1))
            points[i + 1 : i + 1] = [(tp / rows.P, tp / size) for tp, size in steps]
    return sum((r1 - r0) * (p0 + p1) / 2 for (r0, p0), (r1, p1) in pairwise(points))


def test_aucpr_of_rocr_is_a_rule_of_its_own(name, score, table):
    expected = value(name, f"rocr/{score}/aucpr")
    close(rocr_aucpr(ThresholdTable.from_table(table)), expected)
    assert abs(find("pr_auc_trapezoid")(table) - expected) < 0.02


def test_interpolated_points_of_precrec(name, score, table):
    expected = value(name, f"precrec/{score}/prc_points")
    curve = precision_recall_curve(table)
    x, y = np.array(expected["x"]), np.array(expected["y"])
    # Where recall stands still it lists all points; at a recall the curve reads the highest.
    highest = np.array([y[x == at].max() for at in x])
    close(curve.at(np.minimum(x, 1.0)), highest)


def test_break_even_point_of_rocr(name, score, table):
    """Where it lies between cut-offs ROCR's value is the residual of a root search, about 0."""
    expected = value(name, f"rocr/{score}/prbe")
    if abs(expected["y"]) > 1e-6:
        close(find("break_even_point")(table), expected["y"])
        rows = ThresholdTable.from_table(table)
        row = rows.index(expected["x"])
        assert rows.tp[row] + rows.fp[row] == rows.P
    else:
        assert 0 < find("break_even_point")(table) < 1


def test_gain_and_lift_of_yardstick(name, score, table):
    expected = value(name, f"yardstick/{score}/gain_lift")
    gain, lift = gain_curve(table), lift_curve(table)
    close(100 * gain.x, expected["percent_tested"])
    close(100 * gain.y, expected["percent_found"])
    close(lift.y, expected["lift"][1:])


def test_losses(name, score, table):
    close(find("root_brier_score")(table), value(name, f"rocr/{score}/rmse"))
    close(find("log_loss")(table), value(name, f"rocr/{score}/mxe"))
    close(find("log_loss")(table), value(name, f"yardstick/{score}/prob")["mn_log_loss"])


def test_sar_of_rocr(name, score, table):
    """(accuracy + AUC + 1 − RMSE)/3."""
    expected = value(name, f"rocr/{score}/sar")
    rows = ThresholdTable.from_table(table)
    close((rows.accuracy + find("auc")(table) + 1 - find("root_brier_score")(table)) / 3, expected["y"])


def test_smooth_of_proc(name, score):
    expected = value(name, f"proc/{score}/smooth_binormal")
    table = ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))
    found = binormal_roc(table, method="deviates")
    assert found.a == pytest.approx(-expected["intercept"] / expected["slope"], rel=1e-8)
    assert found.b == pytest.approx(-1 / expected["slope"], rel=1e-8)
    assert found.area.value == pytest.approx(expected["auc"], rel=1e-8)
    # The likelihood's area is another estimate of the same: near it, not equal to it.
    assert binormal_roc(table).area.value == pytest.approx(expected["auc"], abs=0.05)


LIMITS = ["1,0.9", "1,0.8", "1,0.5", "0.9,0.8", "0.95,0.7", "0.5,0.1", "1,0"]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("focus", ["specificity", "sensitivity"])
@pytest.mark.filterwarnings("ignore")
def test_partial_areas_of_proc(name, score, focus, limits):
    table = ScoreTable.from_scores(reference_values.truth(name), reference_values.scores(name, score))
    curve = roc_curve(table)
    high, low = (float(limit) for limit in limits.split(","))
    if focus == "specificity":
        found = area_over_fpr(curve.x, curve.y, round(1 - high, 12), round(1 - low, 12))
    else:
        found = area_over_tpr(curve.x, curve.y, low, high)
    raw = value(name, f"proc/{score}/pauc/{focus}/{limits}/correct_FALSE")
    assert found.raw == pytest.approx(raw, abs=1e-8)
    corrected = np.asarray(value(name, f"proc/{score}/pauc/{focus}/{limits}/correct_TRUE"), dtype=float)
    if math.isnan(corrected):
        # pROC corrects nothing that lies below the diagonal; here it is below one half.
        assert found.corrected < 0.5
    else:
        assert found.corrected == pytest.approx(float(corrected), abs=1e-8)
