"""Bins, distances and decompositions against loops over rows."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import calibration_definitions as by_definition
from calibration_definitions import ROWS
from thresher.calibration import (
    adaptive_calibration_error,
    binned_decomposition,
    calibration_curve,
    calibration_error,
    debiased_calibration_error,
    decomposition,
    distances,
    reliability,
    score_histogram,
    smooth_calibration_error,
)
from thresher.counts import ScoreTable
from thresher.counts.groups import condensed, each_score, equal_count, joined, quantiles
from thresher.measures import find

KINDS = st.sampled_from([None, "importance", "frequency"])


def table_of(rows, kind="importance", **options):
    y, s, w = (list(column) for column in zip(*counted(rows, kind), strict=True))
    if kind is None:
        return ScoreTable.from_scores(y, s, **options)
    return ScoreTable.from_scores(y, s, weights=w, weight_kind=kind, **options)


def counted(rows, kind):
    weight = {None: lambda _: 1.0, "importance": float, "frequency": math.ceil}[kind]
    return [(y, s, weight(w)) for y, s, w in rows]


@given(ROWS, KINDS, st.integers(1, 12))
def test_equal_width_bins(rows, kind, bins):
    table, rows = table_of(rows, kind), counted(rows, kind)
    parts = by_definition.width_bins(rows, bins)
    found = reliability(table, method="equal_width", bins=bins)
    # An edge such as 3/10 and the same edge as 0.1·3 may differ in the last bit; then the bins are not comparable.
    assume(not any(0 < abs(s * bins - round(s * bins)) < 1e-9 or s == round(s * bins) / bins for _, s, _ in rows))
    np.testing.assert_allclose(found.share, [by_definition.share(part) for part in parts], atol=1e-12)
    np.testing.assert_allclose(found.score, [by_definition.score(part) for part in parts], atol=1e-12)
    np.testing.assert_allclose(found.weight, [by_definition.weight(part) for part in parts])
    gaps = [abs(by_definition.share(part) - by_definition.score(part)) for part in parts]
    shares = [by_definition.weight(part) / by_definition.weight(rows) for part in parts]
    ece = sum(w * gap for w, gap in zip(shares, gaps, strict=True))
    assert calibration_error(table, bins=bins) == pytest.approx(ece, abs=1e-12)
    assert find("ece")(table, bins=bins) == pytest.approx(ece, abs=1e-12)
    assert find("mce")(table, bins=bins) == pytest.approx(max(gaps), abs=1e-12)
    assert calibration_error(table, bins=bins, norm="max") == pytest.approx(max(gaps), abs=1e-12)
    l2 = math.sqrt(sum(w * gap**2 for w, gap in zip(shares, gaps, strict=True)))
    assert calibration_error(table, bins=bins, norm="l2") == pytest.approx(l2, abs=1e-12)


@given(ROWS, KINDS, st.integers(1, 6))
def test_the_binned_terms_add_up_to_the_brier_score(rows, kind, bins):
    table, rows = table_of(rows, kind), counted(rows, kind)
    for strategy in ("equal_width", "equal_count"):
        found = binned_decomposition(table, bins=bins, strategy=strategy)
        total = found.reliability - found.resolution + found.uncertainty + found.within
        assert total == pytest.approx(found.score, abs=1e-12)
        assert found.score == pytest.approx(by_definition.mean(rows, by_definition.squared), abs=1e-12)
        assert found.uncertainty == pytest.approx(by_definition.share(rows) * (1 - by_definition.share(rows)))
        assert min(found.reliability, found.resolution) >= 0
    parts = by_definition.width_bins(rows, 1)
    inside = sum(
        w
        * ((s - by_definition.score(part)) ** 2 - 2 * (s - by_definition.score(part)) * (y - by_definition.share(part)))
        for part in parts
        for y, s, w in part
    )
    one = binned_decomposition(table, bins=1)
    assert one.within == pytest.approx(inside / by_definition.weight(rows), abs=1e-12)


@given(ROWS, KINDS)
def test_the_exact_decompositions(rows, kind):
    table, rows = table_of(rows, kind), counted(rows, kind)
    for loss, of in (("brier", by_definition.squared), ("log", by_definition.log)):
        found = decomposition(table, loss=loss)
        expected = by_definition.corp(rows, of)
        got = found.score, found.miscalibration, found.discrimination, found.uncertainty
        np.testing.assert_allclose(got, expected, atol=1e-12)
        assert min(got) >= 0
    found = decomposition(table)
    for name, value in (("mcb", found.miscalibration), ("dsc", found.discrimination), ("unc", found.uncertainty)):
        assert find(name)(table) == pytest.approx(value, abs=1e-15)


@given(ROWS, KINDS)
def test_isotonic_blocks_are_the_min_max_fit(rows, kind):
    table, rows = table_of(rows, kind), counted(rows, kind)
    curve, found = calibration_curve(table), reliability(table)
    for _, s, _, fit in by_definition.isotonic(rows):
        assert curve.at(s) == pytest.approx(fit, abs=1e-12)
    assert (np.diff(found.share) > 0).all()
    assert found.weight.sum() == pytest.approx(by_definition.weight(rows))


@pytest.mark.slow
@given(ROWS, st.sampled_from([0.02, 0.1, 0.5]))
def test_smooth_error_at_a_bandwidth(rows, sigma):
    rows = rows[:4]
    found = smooth_calibration_error(table_of(rows), bandwidth=sigma)
    assert found == pytest.approx(by_definition.smooth(rows, sigma, grid=800), abs=2e-3 if sigma < 0.1 else 2e-5)


@given(ROWS)
def test_the_smooth_error_is_its_own_bandwidth(rows):
    table = table_of(rows)
    found = smooth_calibration_error(table)
    assert 0 <= found <= 1
    if found > 1e-4:
        assert smooth_calibration_error(table, bandwidth=min(found, 1.0)) == pytest.approx(found, abs=1e-6)


def test_cosines_by_products_of_few_are_those_of_every_wave_number():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 150), rng.random(150)
    found = distances._cosines(each_score(ScoreTable.from_scores(y, s)), distances.NARROWEST)
    expected = [((y - s) * np.cos(k * np.pi * s)).sum() / 150 for k in range(distances.GRID)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


@given(ROWS, KINDS, st.sampled_from([0.1, 0.5, 0.8]))
def test_a_prevalence_is_a_scaling_of_each_class(rows, kind, prior):
    assume({y for y, _, _ in rows} == {0, 1})
    table, rows = table_of(rows, kind), counted(rows, kind)
    pi = by_definition.share(rows)
    scaled = [(y, s, w * (prior / pi if y else (1 - prior) / (1 - pi))) for y, s, w in rows]
    ours, theirs = table.with_prevalence(prior), table_of(scaled)
    for name in ("ece", "mce", "mcb", "dsc", "unc", "observed_expected_ratio", "calibration_difference"):
        np.testing.assert_allclose(find(name)(ours), find(name)(theirs), rtol=1e-10, atol=1e-12, err_msg=name)
    assert smooth_calibration_error(ours) == pytest.approx(smooth_calibration_error(theirs), abs=1e-9)
    # Blocks of equal shares are one or two, as rounding has it: the line is the same.
    at = np.unique([s for _, s, _ in rows])
    np.testing.assert_allclose(calibration_curve(ours).at(at), calibration_curve(theirs).at(at), atol=1e-12)


@given(ROWS)
def test_frequency_weights_are_repeated_rows(rows):
    rows = [(y, s, float(int(w + 1))) for y, s, w in rows]
    repeated = [(y, s, 1.0) for y, s, w in rows for _ in range(int(w))]
    ours, theirs = table_of(rows, "frequency"), table_of(repeated, None)
    for bins in (2, 5):
        assert adaptive_calibration_error(ours, bins=bins) == adaptive_calibration_error(theirs, bins=bins)
        assert debiased_calibration_error(ours, bins=bins) == debiased_calibration_error(theirs, bins=bins)
    assert decomposition(ours) == decomposition(theirs)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 9))
def test_quantiles_of_a_table_are_numpy_s(scores, bins):
    table = ScoreTable.from_scores([0] * len(scores), scores)
    shares = np.linspace(0, 1, bins + 1)
    np.testing.assert_allclose(quantiles(table, shares), np.quantile(scores, shares), rtol=1e-12, atol=1e-12)


def test_the_debiased_error_by_hand():
    """Bins {0.2: 1 of 4} and {0.8: 2 of 3}: squares less ȳ(1 − ȳ)/(n − 1)."""
    table = ScoreTable.from_scores([1, 0, 0, 0, 1, 1, 0], [0.2] * 4 + [0.8] * 3)
    first = (0.25 - 0.2) ** 2 - 0.25 * 0.75 / 3
    second = (2 / 3 - 0.8) ** 2 - (2 / 9) / 2
    assert first * 4 + second * 3 < 0
    assert debiased_calibration_error(table, bins=2, strategy="equal_width") == 0
    far = ScoreTable.from_scores([1, 1, 0, 1] * 5, [0.1] * 20)
    expected = math.sqrt((0.75 - 0.1) ** 2 - 0.75 * 0.25 / 19)
    assert debiased_calibration_error(far) == pytest.approx(expected)


def test_histogram_counts_every_row_once():
    rng = np.random.default_rng(0)
    s, y = rng.random(500), rng.integers(0, 2, 500)
    found = score_histogram(ScoreTable.from_scores(y, s), bins=7)
    for counts, values in ((found.positive, s[y == 1]), (found.negative, s[y == 0])):
        np.testing.assert_array_equal(counts, np.histogram(values, bins=7, range=(0, 1))[0])
    gap = score_histogram(ScoreTable.from_scores([1, 0], [0.05, 0.95]), bins=10)
    assert gap.positive.tolist() == [1] + [0] * 9


def test_many_scores_are_condensed_without_a_trace_in_bins():
    rng = np.random.default_rng(1)
    s = rng.beta(0.5, 2, 200_000)
    table = ScoreTable.from_scores(rng.random(s.size) < s**1.2, s)
    groups, exact = condensed(table), each_score(table)
    assert len(groups) < 70_000 < len(exact)
    assert groups.total == exact.total
    assert groups.expected == pytest.approx(exact.expected, rel=1e-12)
    edges = np.linspace(0, 1, 11)
    np.testing.assert_allclose(joined(groups, edges).share, joined(exact, edges).share, rtol=1e-13)
    assert len(equal_count(table, 10)) == 10
    # 7 bins do not fit the groups, so the rows themselves are cut.
    assert joined(groups, np.linspace(0, 1, 8)) is None
    by_rows = np.bincount(np.searchsorted(np.linspace(0, 1, 8)[1:-1], s), minlength=7)
    np.testing.assert_array_equal(reliability(table, method="equal_width", bins=7).weight, by_rows)


def test_ranked_scores_have_no_calibration_error():
    for name in ("ece", "mcb", "calibration_difference"):
        assert math.isnan(find(name)(ScoreTable.from_scores([1, 0], [3.0, -1.0])))
