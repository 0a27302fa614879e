"""Any partial area with its interval: by definition on a grid, as one measure in three forms, and by resamples."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from curve_definitions import ROWS, has_both, table_of
from thresher.counts import ScoreTable
from thresher.curves import precision_recall_curve, roc_curve
from thresher.decisions import Costs, reject_option
from thresher.inference import (
    Bootstrap,
    bootstrap_interval,
    calibration_summary,
    delong_test,
    delong_test_unpaired,
    partial_area,
    partial_auc_interval,
    reject_summary,
)

GRID = (np.arange(1000) + 0.5) / 1000
PARTS = ("fpr<=0.25", "fpr=0.1:0.6", "tpr>=0.5", "tpr=0.2:0.9", "fpr<=0.7,tpr>=0.3", "recall>=0.5", "recall=0.1:0.4")


LIMITS = {
    "fpr<=0.25": (0, 0.25), "fpr=0.1:0.6": (0.1, 0.6), "tpr>=0.5": (0.5, 1), "tpr=0.2:0.9": (0.2, 0.9),
    "recall>=0.5": (0.5, 1), "recall=0.1:0.4": (0.1, 0.4),
}  # fmt: skip


def by_definition(table, text):
    """Mean over a grid of one rate; right of the curve in a range of TPR is what the curve reaches of that range."""
    tpr = roc_curve(table).at(GRID)
    if "," in text:
        return (np.maximum(tpr - 0.3, 0) * (GRID < 0.7)).mean()
    low, high = LIMITS[text]
    if text.startswith("tpr"):
        return (np.clip(tpr, low, high) - low).mean()
    heights = precision_recall_curve(table).at(GRID) if text.startswith("recall") else tpr
    return (heights * (low < GRID) * (high > GRID)).mean()


@pytest.mark.parametrize("text", PARTS)
@given(ROWS.filter(has_both))
def test_areas_are_means_over_a_grid(text, rows):
    table = table_of(rows, "importance")
    found = partial_area(table, text)
    assert found.raw.value == pytest.approx(by_definition(table, text), abs=0.01)


@pytest.mark.parametrize("text", PARTS)
def test_chance_is_one_half_corrected_and_perfection_one(text):
    chance = partial_area(ScoreTable.from_scores([1, 0, 0, 1], [3, 3, 3, 3]), text)
    assert chance.raw.value == pytest.approx(chance.least)
    assert chance.corrected.value == pytest.approx(0.5)
    perfect = partial_area(ScoreTable.from_scores([1, 0, 0, 1], [3, 1, 1, 3]), text)
    assert (perfect.normalized.value, perfect.corrected.value) == pytest.approx((1, 1))
    assert perfect.raw.value == pytest.approx(perfect.most)


@given(ROWS.filter(has_both), st.sampled_from(PARTS))
def test_the_three_forms_share_one_interval(rows, text):
    found = partial_area(table_of(rows, "importance"), text)
    for form in (found.normalized, found.corrected):
        assert (form.low is None) == (found.raw.low is None)
        assert form.reason == found.raw.reason
    if found.raw.low is not None:
        assert 0 <= found.raw.low <= found.raw.value <= found.raw.high <= found.most + 1e-12
        assert found.normalized.low == pytest.approx(found.raw.low / found.most)
        share = (found.raw.high - found.least) / (found.most - found.least)
        assert found.corrected.high == pytest.approx((1 + share) / 2)


def rows_of(n=80, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, np.round(rng.normal(size=n) + 1.2 * truth, 1)


def test_ranges_of_one_rate_have_the_interval_of_placements():
    table = ScoreTable.from_scores(*rows_of())
    assert partial_area(table, "fpr<=0.2").raw == partial_auc_interval(table, fpr_range=(0, 0.2))
    own = partial_auc_interval(table, tpr_range=(0.8, 1), corrected=True, level=0.9)
    found = partial_area(table, "tpr>=0.8", level=0.9).corrected
    assert (found.value, found.low, found.high) == pytest.approx((own.value, own.low, own.high))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["recall>=0.8", "fpr<=0.3,tpr>=0.6"])
def test_other_areas_have_an_interval_by_resamples_only(text):
    truth, score = rows_of()
    table = ScoreTable.from_scores(truth, score)
    assert "bootstrap" in partial_area(table, text).raw.reason
    config = Bootstrap(n=200, rng=7)
    found = partial_area(table, text, bootstrap=config)
    own = bootstrap_interval(table, lambda t: partial_area(t, text).raw.value, config)
    assert (found.raw.low, found.raw.high, found.raw.standard_error) == (own.low, own.high, own.standard_error)
    # By the definition of a resample, not by the machinery: the same spread up to chance.
    rng, values = np.random.default_rng(0), []
    for _ in range(200):
        drawn = rng.integers(0, len(truth), len(truth))
        values.append(partial_area(ScoreTable.from_scores(truth[drawn], score[drawn]), text).raw.value)
    assert np.std(values) == pytest.approx(own.standard_error, rel=0.25)


@pytest.mark.parametrize("text", ["recall>=0.8", "fpr<=0.3,tpr>=0.6"])
def test_basic_limits_stay_between_nothing_and_the_largest_area(text):
    """Twice the value less a quantile knows no bounds by itself."""
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], 20)
    table = ScoreTable.from_scores(truth, rng.normal(size=40) + truth)
    found = partial_area(table, text, bootstrap=Bootstrap(n=200, method="basic"))
    assert 0 <= found.raw.low < found.raw.high <= found.most


def test_a_region_that_chance_misses_is_said():
    assert "misses the region" in partial_area(ScoreTable.from_scores(*rows_of()), "fpr<=0.1,tpr>=0.9").notes[0]


def test_of_an_evaluation():
    truth, score = rows_of()
    weights = np.linspace(0.5, 2, truth.size)
    model = th.evaluate(truth, score, weights=weights)["score"]
    assert model.partial_area("fpr<=0.2").raw == partial_area(model.scores, "fpr<=0.2").raw
    found = model.partial_area("recall>=0.5", bootstrap=50)
    assert found.raw.low < found.raw.value < found.raw.high
    assert found.raw.value == pytest.approx(model.pr.area(0.5, 1))
    assert th.evaluate(truth, score, weights=weights, bootstrap=50)["score"].partial_area("recall>=0.5") == found
    assert found.to_dict()["part"] == "recall>=0.5"


@pytest.mark.parametrize("text", PARTS)
@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0], []])
def test_a_class_without_rows_leaves_a_reason(text, truth):
    found = partial_area(ScoreTable.from_scores(truth, [3.0, 2.0, 1.0][: len(truth)]), text)
    only_positives = text.startswith("recall") and bool(truth) and truth[0] == 1
    assert math.isnan(found.raw.value) != only_positives
    assert math.isnan(found.corrected.value)
    assert found.corrected.reason
    if only_positives:
        assert (found.normalized.value, found.corrected.reason) == (
            1,
            "all rows are positive, so chance is already perfect",
        )
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["corrected"]["value"] is None


@pytest.mark.peer
@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_estimates_of_a_result_are_a_row_each(library):
    pytest.importorskip(library)
    table = ScoreTable.from_scores(
        [1, 1, 0, 1, 1, 0, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    )
    area = partial_area(table, "fpr<=0.4")
    frame = area.to_frame(library)
    assert list(frame["form"]) == ["raw", "normalized", "corrected"]
    assert list(frame["low"]) == [area.raw.low, area.normalized.low, area.corrected.low]
    found = calibration_summary(table)
    frame = found.to_frame(library)
    assert list(frame["measure"]) == list(found.estimates)
    assert list(frame["value"]) == [each.value for each in found.estimates.values()]
    option = reject_option(table, lower=0.5, upper=0.7)
    for costs, more in (({}, []), ({"costs": Costs(fp=1, fn=1), "deferral": 0.1}, ["expected_cost"])):
        found = reject_summary(option, **costs)
        shares = ["reportable_rate", "reportable_positives", "reportable_negatives"]
        assert list(found.to_frame(library)["measure"]) == [*shares, *more, *found.measures]


RNG = np.random.default_rng(3)
Y = np.repeat([1, 0], [60, 90])
A = Y + RNG.normal(size=150)
B = 0.5 * Y + 0.5 * A + RNG.normal(size=150)
EV = th.evaluate(Y, {"a": A, "b": B})


@pytest.mark.parametrize("part", ["fpr<=1", "tpr>=0", "fpr=0:1"])
def test_over_the_whole_range_it_is_delong(part: str) -> None:
    found, known = EV.compare("a", "b", measure=part), delong_test(Y, A, B)
    assert found.difference == pytest.approx(known.estimate)
    assert found.statistic == pytest.approx(known.statistic)
    assert found.p_value == pytest.approx(known.p_value)


@pytest.mark.parametrize("part", ["fpr<=0.2", "fpr=0.1:0.3", "specificity>=0.8", "tpr>=0.7"])
def test_values_are_those_of_the_models_and_the_bootstrap_agrees(part: str) -> None:
    found = EV.compare("a", "b", measure=part)
    own = [EV[name].partial_area(part).raw for name in ("a", "b")]
    assert found.values == pytest.approx((own[0].value, own[1].value), rel=1e-13)
    assert found.difference == pytest.approx(own[0].value - own[1].value)
    assert EV["a"].estimate(part).interval == own[0].interval
    drawn = EV.compare("a", "b", measure=part, bootstrap=th.Bootstrap(n=400, rng=1))
    assert drawn.difference == pytest.approx(found.difference)
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.25)


def test_different_rows_and_two_way_areas() -> None:
    groups = np.arange(150) % 2
    ev = th.evaluate(Y, {"a": A}, by=groups)
    found = ev.compare("a", by="group", measure="fpr<=1")[0]
    halves = [(Y[groups == g], A[groups == g]) for g in (0, 1)]
    assert abs(found.statistic) == pytest.approx(abs(delong_test_unpaired(*halves[0], *halves[1]).statistic))
    same = th.evaluate(Y, {"a": A, "b": np.exp(A)}).compare("a", "b", measure="fpr<=0.2")
    assert (same.difference, same.p_value, same.low, same.high) == (0, 1, 0, 0)
    both = EV.compare("a", "b", measure="fpr<=0.3,tpr>=0.5", bootstrap=50)
    own = [EV[name].partial_area("fpr<=0.3,tpr>=0.5").raw.value for name in ("a", "b")]
    assert both.difference == pytest.approx(own[0] - own[1])
    assert EV["a"].estimate("recall>=0.8").value == EV["a"].partial_area("recall>=0.8").raw.value


@pytest.mark.slow
def test_it_errs_as_often_as_it_says() -> None:
    rng, found = np.random.default_rng(8), []
    for _ in range(400):
        common = rng.normal(size=120)
        y = np.repeat([1, 0], [50, 70])
        a, b = (y + common + rng.normal(size=120) for _ in range(2))
        found.append(th.evaluate(y, {"a": a, "b": b}).compare("a", "b", measure="fpr<=0.3").p_value < 0.05)
    assert 0.025 < np.mean(found) < 0.08
