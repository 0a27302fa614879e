"""Areas and points of a whole ranking against their definitions, and the laws they obey."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import curve_definitions as by_definition
from curve_definitions import ROWS, at_prevalence, has_both, read_at, table_of, unweighted
from shares import examples
from thresher.counts import ScoreTable
from thresher.curves.regions import Part, part_of
from thresher.measures import find, measures
from thresher.measures.calibration import NOT_PROBABILITIES
from thresher.measures.registry import reason_undefined

TABLE_MEASURES = [entry.name for entry in measures("table")]

DEFINED = {
    "auc": by_definition.auc,
    "average_precision": by_definition.average_precision,
    "pr_auc_trapezoid": by_definition.trapezoid,
    "equal_error_rate": by_definition.equal_error_rate,
    "break_even_point": by_definition.break_even_point,
}
SCORE = st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])
PROBABILITIES = st.lists(st.tuples(st.integers(0, 1), SCORE, st.sampled_from([0.5, 1.0, 2.0])), max_size=10)
OF_PROBABILITIES = ["brier_score", "root_brier_score", "brier_skill_score", "log_loss", "mean_score"]
RANKED = [entry.name for entry in measures("table") if NOT_PROBABILITIES not in entry.undefined]
FEW = settings(max_examples=examples(40))


@pytest.mark.parametrize("name", DEFINED)
@FEW
@given(rows=ROWS.filter(has_both))
def test_measures_are_what_their_definitions_say(name, rows):
    assert find(name)(table_of(rows)) == pytest.approx(float(DEFINED[name](unweighted(rows))), abs=1e-14)
    assert find(name)(table_of(rows, "importance")) == pytest.approx(float(DEFINED[name](rows)), abs=1e-13)
    whole = [(y, s, math.ceil(w)) for y, s, w in rows]
    assert find(name)(table_of(whole, "frequency")) == pytest.approx(float(DEFINED[name](whole)), abs=1e-13)


@pytest.mark.parametrize("name", ["average_precision", "pr_auc_trapezoid", "break_even_point"])
@FEW
@given(rows=ROWS.filter(has_both), prior=st.sampled_from([2**-10, 0.25, 0.875, 1.0]))
def test_precision_measures_at_another_prevalence_are_those_of_rescaled_rows(name, rows, prior):
    scaled = at_prevalence(rows, prior)
    expected = float(DEFINED[name](scaled))
    assert find(name)(table_of(rows, "importance").with_prevalence(prior)) == pytest.approx(expected, abs=1e-13)


@given(rows=ROWS.filter(has_both), prior=st.sampled_from([None, 0.125]))
def test_eleven_point_precision_is_the_mean_of_the_highest_precision_at_each_recall_or_more(rows, prior):
    read, table = read_at(rows, prior)
    levels = [by_definition.Fraction(k, 10) for k in range(11)]
    expected = sum(by_definition.interpolated_precision(read, level) for level in levels) / 11
    assert find("eleven_point_precision")(table) == pytest.approx(float(expected), abs=1e-13)


def test_eleven_point_precision_over_many_chunks():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200_000)
    s = rng.random(200_000) + 0.5 * y
    table = ScoreTable.from_scores(y, s)
    tp, fp = np.cumsum(table.positive), np.cumsum(table.negative)
    precision = tp / (tp + fp)
    expected = [precision[10 * tp >= k * table.P].max() for k in range(11)]
    assert find("eleven_point_precision")(table) == pytest.approx(np.mean(expected), abs=1e-15)


def test_areas_under_precision_recall_differ_with_ties_and_have_names_of_their_own():
    table = ScoreTable.from_scores([1, 0, 1, 1, 0, 0, 1, 0], [5, 5, 4, 3, 3, 2, 1, 0])
    values = {n: find(n)(table) for n in ("average_precision", "pr_auc_trapezoid", "pr_auc_davis_goadrich")}
    assert len({round(v, 3) for v in values.values()}) == 3


def test_break_even_point_between_thresholds_is_interpolated():
    """Two of four rows tied around the break-even: elsewhere the residual of a root search, 0, is reported."""
    table = ScoreTable.from_scores([1, 1, 0, 0, 0], [3, 2, 2, 2, 1])
    assert find("break_even_point")(table) == pytest.approx((1 + 1 / 3) / 2, abs=1e-15)
    assert find("break_even_point")(ScoreTable.from_scores([1, 0, 0], [1, 2, 3])) == 0.0


def test_counts_beyond_32_bits_do_not_overflow():
    big = 3_000_000_000
    table = ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1], weights=[big] * 4, weight_kind="frequency")
    assert table.positive.dtype == np.int64
    assert find("auc")(table) == 0.75
    assert find("equal_error_rate")(table) == 0.5
    assert find("ks_statistic")(table) == 0.5


@pytest.mark.parametrize("prior", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("truth", [[1, 1], [0, 0], [1, 0], []])
def test_undefined_exactly_when_said_so_at_a_prevalence(prior, truth):
    table = ScoreTable.from_scores(np.array(truth, dtype=np.uint8), [0.3, 0.6][: len(truth)]).with_prevalence(prior)
    for entry in map(find, TABLE_MEASURES):
        assert math.isnan(entry(table)) == (reason_undefined(entry, table) is not None), entry.name


@pytest.mark.parametrize("name", RANKED)
@FEW
@given(rows=ROWS.filter(has_both))
def test_a_rising_map_of_the_scores_changes_nothing(name, rows):
    mapped = [(y, math.exp(s / 3) - 7, w) for y, s, w in rows]
    assert find(name)(table_of(mapped)) == find(name)(table_of(rows))
    turned = [(y, -s, w) for y, s, w in rows]
    assert find(name)(table_of(turned, direction="lower")) == find(name)(table_of(rows))


@pytest.mark.parametrize(
    "name", ["auc", "gini", "signed_area", "ks_statistic", "maximum_informedness", "equal_error_rate"]
)
@FEW
@given(rows=ROWS.filter(has_both))
def test_measures_of_the_roc_do_not_depend_on_the_prevalence(name, rows):
    assert find(name)(table_of(rows).with_prevalence(0.01)) == find(name)(table_of(rows))


@given(rows=PROBABILITIES.filter(len), prior=st.sampled_from([None, 0.25]))
def test_losses_are_weighted_means_over_rows(rows, prior):
    assume(prior is None or has_both(rows))
    read, table = read_at(rows, prior)
    w = np.array([float(w) for _, _, w in read])
    y, s = np.array([y for y, _, _ in read]), np.array([s for _, s, _ in read])
    brier = np.average((y - s) ** 2, weights=w)
    with np.errstate(divide="ignore"):
        loss = np.average(-np.log(np.where(y == 1, s, 1 - s)), weights=w)
    assert find("brier_score")(table) == pytest.approx(brier, abs=1e-14)
    assert find("root_brier_score")(table) == pytest.approx(math.sqrt(brier), abs=1e-14)
    assert find("log_loss")(table) == pytest.approx(loss, abs=1e-13)
    assert find("mean_score")(table) == pytest.approx(np.average(s, weights=w), abs=1e-14)


@pytest.mark.parametrize("scores", [[0.5, 1.5], [-0.1, 0.5], [math.inf, 0.5]])
@pytest.mark.parametrize("name", OF_PROBABILITIES)
def test_scores_that_are_no_probabilities_have_no_probability_measures(name, scores):
    table = ScoreTable.from_scores([1, 0], scores)
    assert math.isnan(find(name)(table))
    assert "not probabilities" in reason_undefined(find(name), table)
    lower = ScoreTable.from_scores([1, 0], [0.2, 0.7], direction="lower")
    assert "not probabilities" in reason_undefined(find(name), lower)


def test_skill_is_zero_for_the_prevalence_and_undefined_for_one_class():
    table = ScoreTable.from_scores([1, 0, 0, 0], [0.25] * 4)
    assert find("brier_skill_score")(table) == 0.0
    one = ScoreTable.from_scores([1, 1], [0.25] * 2)
    assert "nothing" not in (reason := reason_undefined(find("brier_skill_score"), one))
    assert "one class" in reason


@pytest.mark.parametrize("prior", [None, 0.2])
def test_measures_that_share_a_sweep_never_see_that_of_another_table(prior):
    first = ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.3, 0.1])
    second = ScoreTable.from_scores([0, 1, 1, 0], [0.9, 0.6, 0.3, 0.1])
    if prior:
        second = first.with_prevalence(prior)
    for name in ("average_precision", "brier_score"):
        value = find(name)(first)
        assert find(name)(second) != value
        assert find(name)(first) == value


RATES = st.integers(0, 100).map(lambda k: k / 100)


@given(st.sampled_from(["fpr", "tpr", "recall"]), RATES, RATES)
def test_text_of_a_part_reads_back(rate, low, high):
    if low < high:
        part = Part(region=f"{rate}_range", low=low, high=high)
        assert part_of(str(part)) == part


@given(RATES, RATES)
def test_text_of_two_bounds_reads_back(low, high):
    if high > 0 and low < 1:
        part = Part(region="two_way", low=low, high=high)
        assert part_of(str(part)) == part
        first, second = str(part).split(",")
        assert part_of(f"{second} , {first}") == part


@pytest.mark.parametrize(("text", "same"), [
    ("specificity>=0.9", "fpr<=0.1"), ("sensitivity ≥ 0.9", "tpr>=0.9"), ("Specificity=0.8:0.95", "fpr=0.05:0.2"),
    ("fpr<=0.1, sensitivity>=0.8", "fpr<=0.1,tpr>=0.8"),
])  # fmt: skip
def test_other_names_of_the_same_part(text, same):
    assert part_of(text) == part_of(same)
