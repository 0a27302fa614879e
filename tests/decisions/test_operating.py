"""Every criterion against a search over all thresholds, and the range in which a choice stays the cheapest."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curve_definitions import ROWS, at_prevalence, counts, has_both, rates, table_of, total, unweighted
from thresher.conventions import TIE_TOLERANCE, attaining
from thresher.counts import ScoreTable, ThresholdTable
from thresher.counts.rounding import rounded
from thresher.curves.curve import threshold_table
from thresher.decisions import (
    Best,
    Budget,
    ClosestCorner,
    Constraint,
    Costs,
    MatchPrevalence,
    choose,
    non_dominated,
    parse_criterion,
    valid_range,
)
from thresher.errors import InputError, OptionError
from thresher.measures import find

FIVE = ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3])


@given(ROWS, st.integers(0, 4), st.integers(1, 9), st.sampled_from([None, 0.125, 0.5]))
def test_least_cost_with_all_ties(rows, c_fp, c_fn, prevalence):
    rows = unweighted(rows)
    assume(has_both(rows))
    weighed = rows if prevalence is None else at_prevalence(rows, prevalence)
    p = total(weighed, 1)
    costs = [c_fn * (p - tp) + c_fp * fp for tp, fp in counts(weighed)]
    choice = choose(table_of(rows), Costs(fp=c_fp, fn=c_fn), prevalence=prevalence)
    assert choice.rows.tolist() == [i for i, c in enumerate(costs) if c == min(costs)]
    assert choice.value == pytest.approx(float(min(costs) / (p + total(weighed, 0))))
    for point in choice.points:
        assert point.valid is not None
        low, high = point.valid.cost_ratios
        assert low - 1e-9 <= c_fp / c_fn <= high + 1e-9
        share = float(p / (p + total(weighed, 0)))
        low, high = point.valid.prevalences
        assert math.isnan(low) or math.isnan(high) or low - 1e-9 <= share <= high + 1e-9


@given(ROWS)
def test_a_row_is_valid_for_exactly_the_slopes_at_which_it_is_best(rows):
    rows = unweighted(rows)
    assume(has_both(rows))
    table, points = ThresholdTable.from_table(table_of(rows)), rates(rows)
    slopes = sorted({(b - d) / (a - c) for a, b in points for c, d in points if a > c})
    grid = [Fraction(0), *slopes, *((a + b) / 2 for a, b in pairwise(slopes)), slopes[-1] * 2 + 1]
    for row, (x, y) in enumerate(points):
        found = valid_range(table, row)
        best = [s for s in grid if all(y - s * x >= b - s * a for a, b in points)]
        if found is None:
            assert best == []
            continue
        low, high = found.slopes
        assert set(best) == {s for s in grid if low - 1e-9 <= float(s) <= high + 1e-9}


@given(ROWS, st.sampled_from(["f1", "mcc", "g_mean", "kappa", "informedness", "error_rate"]))
def test_best_measure_with_all_ties(rows, name):
    name = {"g_mean": "geometric_mean"}.get(name, name)
    assume(has_both(rows))
    table = ThresholdTable.from_table(table_of(rows, "importance"))
    values = [find(name)(table.row(i)) for i in range(len(table))]
    defined = [v for v in values if not math.isnan(v)]
    if not defined:
        with pytest.raises(InputError, match="undefined at every threshold"):
            choose(table, Best(measure=name))
        return
    best = min(defined) if name == "error_rate" else max(defined)
    choice = choose(table, Best(measure=name))
    assert choice.value == pytest.approx(best)
    assert choice.rows.tolist() == [i for i, v in enumerate(values) if abs(v - best) < 1e-9]
    assert all(point.matrix == table.row(point.row) for point in choice.points)


@given(ROWS, st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_neyman_pearson(rows, most):
    assume(has_both(rows))
    allowed = [(y, i) for i, (x, y) in enumerate(rates(rows)) if x <= most]
    choice = choose(table_of(rows, "importance"), f"max tpr s.t. fpr<={most}")
    assert choice.rows.tolist() == [i for y, i in allowed if y == max(allowed)[0]]


@given(ROWS, st.sampled_from([0.3, 0.5, 0.9, 1.0]))
def test_best_precision_at_a_recall(rows, least):
    assume(has_both(rows))
    p = total(rows, 1)
    found = [(tp / (tp + fp), i) for i, (tp, fp) in enumerate(counts(rows)) if i and tp / p >= Fraction(str(least))]
    choice = choose(table_of(rows, "importance"), f"max precision s.t. recall >= {least}")
    assert choice.rows.tolist() == [i for v, i in found if v == max(found)[0]]


@given(ROWS)
def test_youden_and_the_closest_corner(rows):
    assume(has_both(rows))
    table, points = table_of(rows, "importance"), rates(rows)
    gains = [y - x for x, y in points]
    assert choose(table, "youden").rows.tolist() == [i for i, g in enumerate(gains) if g == max(gains)]
    squares = [(1 - y) ** 2 + x**2 for x, y in points]
    assert choose(table, "closest").rows.tolist() == [i for i, d in enumerate(squares) if d == min(squares)]
    weighted = [(1 - y) ** 2 + 4 * x**2 for x, y in points]
    found = choose(table, ClosestCorner(fpr_weight=4))
    assert found.rows.tolist() == [i for i, d in enumerate(weighted) if d == min(weighted)]
    assert found.value == pytest.approx(math.sqrt(min(weighted)))


@given(ROWS, st.integers(0, 14))
def test_budget_takes_as_many_as_it_may(rows, k):
    rows = unweighted(rows)
    taken = [tp + fp for tp, fp in counts(rows)]
    most = max(t for t in taken if t <= k)
    choice = choose(table_of(rows), f"top {k}")
    assert choice.rows.tolist() == [i for i, t in enumerate(taken) if t == most]
    assert bool(choice.notes) == (most < min(k, len(rows)))
    share = choose(table_of(rows), Budget(share=min(1.0, k / len(rows))))
    assert share.rows.tolist() == choice.rows.tolist()


def test_a_budget_of_rows_is_whole_and_one_of_weight_need_not_be():
    y, scores, weights = [1, 0, 1, 0], [4, 3, 2, 1], [1.25, 1, 1, 1]
    weighted = ScoreTable.from_scores(y, scores, weights=weights)
    assert choose(weighted, Budget(k=2.5)).best.threshold == 3
    assert "2.25 in weight are predicted positive, not 2.5" in str(choose(weighted, Budget(k=2.5)).notes[0])
    repeated = ScoreTable.from_scores(y, scores, weights=[2, 1, 1, 1], weight_kind="frequency")
    assert choose(repeated, Budget(k=3)).best.threshold == 3
    for table in (repeated, ScoreTable.from_scores(y, scores)):
        with pytest.raises(OptionError, match=r"2\.5 rows"):
            choose(table, Budget(k=2.5))


@given(ROWS, st.sampled_from([None, 0.25]))
def test_prevalence_matching(rows, prevalence):
    assume(has_both(rows))
    weighed = rows if prevalence is None else at_prevalence(rows, prevalence)
    off = [abs(tp + fp - total(weighed, 1)) for tp, fp in counts(weighed)]
    choice = choose(table_of(rows, "importance"), MatchPrevalence(), prevalence=prevalence)
    assert choice.rows.tolist() == [i for i, d in enumerate(off) if d == min(off)]


@given(ROWS)
def test_non_dominated_rows(rows):
    assume(has_both(rows))
    points = rates(rows)
    expected = [
        i for i, (x, y) in enumerate(points) if not any(a <= x and b >= y and (a, b) != (x, y) for a, b in points)
    ]
    assert non_dominated(table_of(rows, "importance")).tolist() == expected


def test_a_choice_off_the_hull_has_no_costs():
    table = ScoreTable.from_scores([1, 0, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1])
    off = choose(table, "max tpr s.t. predicted_prevalence <= 0.7 and tpr < 0.9").best
    assert (off.threshold, off.valid) == (3.0, None)


def test_one_class():
    ones = ScoreTable.from_scores([1, 1], [2, 1])
    assert choose(ones, Costs(fp=1, fn=1)).best.valid is None


def test_weights_count_in_a_budget():
    table = ScoreTable.from_scores([1, 0, 1], [3, 2, 1], weights=[2.0, 2.5, 1.0])
    assert choose(table, "top 4").thresholds.tolist() == [3.0]
    assert choose(table, "top 4.5").thresholds.tolist() == [2.0]


def test_constraints_that_cannot_be_kept_say_how_near_it_comes():
    found = choose(FIVE, "max tpr", constraints=(Constraint(measure="fpr", comparison="<", bound=0.5),))
    assert found.criterion == "max tpr s.t. fpr < 0.5"
    assert found.best.threshold == 7.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max f1", Best(measure="f1", lowest=False)),
        (
            "minimize average_cost(cost_fp=1, cost_fn=2.5)",
            Best(measure="average_cost", parameters={"cost_fp": 1, "cost_fn": 2.5}, lowest=True),
        ),
        (
            "MAX hit rate subject to fall-out ≤ 5%",
            Best(
                measure="hit rate",
                lowest=False,
                constraints=(Constraint(measure="fall-out", comparison="<=", bound=0.05),),
            ),
        ),
        (
            "max net_benefit(threshold_probability=0.2) such that f_beta(beta=2) > 1e-1, tnr>=.5",
            Best(
                measure="net_benefit",
                parameters={"threshold_probability": 0.2},
                lowest=False,
                constraints=(
                    Constraint(measure="f_beta", parameters={"beta": 2}, comparison=">", bound=0.1),
                    Constraint(measure="tnr", comparison=">=", bound=0.5),
                ),
            ),
        ),
        ("top 100", Budget(k=100)),
        ("top 2.5 %", Budget(share=0.025)),
        ("Match prevalence", MatchPrevalence()),
        ("closest-corner", ClosestCorner()),
    ],
)
def test_criteria_from_text(text, expected):
    assert parse_criterion(text) == expected


def test_a_thinned_table_chooses_among_the_thresholds_that_it_kept():
    """It lacks the scores between them, which a choice does not need."""
    draws = np.random.default_rng(0)
    scores = ScoreTable.from_scores(draws.integers(0, 2, 400), draws.random(400))
    thinned = threshold_table(scores, 50)
    assert thinned.thinned
    assert choose(thinned, "max mcc").thresholds[0] in thinned.thresholds


@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=2, max_size=40), st.integers(0, 40))
def test_parts_of_rounded_scores_choose_among_thresholds_of_the_rows(rows, cut):
    """Rounding ties scores and turns none around: what is chosen exists among the rows, whose best is no worse."""
    truth, score = (np.array(column) for column in zip(*rows, strict=True))
    assume(0 < truth.sum() < truth.size)
    near = rounded(score, 8)
    exact, whole = ScoreTable.from_scores(truth, score), ScoreTable.from_scores(truth, near)
    parts = ScoreTable.from_scores(truth[:cut], near[:cut]) + ScoreTable.from_scores(truth[cut:], near[cut:])
    chosen = choose(parts, "max accuracy")
    point = chosen.best.matrix.counts.tolist()
    assert chosen.to_dict() == choose(whole, "max accuracy").to_dict()
    assert chosen.value <= choose(exact, "max accuracy").value
    thresholds = threshold_table(exact)
    assert point in [thresholds.row(i).counts.tolist() for i in range(len(thresholds))]


VALUES = st.lists(
    st.one_of(st.sampled_from([math.nan, math.inf, -math.inf, 0.3, 0.1 + 0.2, 0.0]), st.integers(-3, 3)), max_size=9
)


def places(values, lowest, eligible):
    """Eligible values that are best, or as near to it as the tolerance of the largest finite one."""
    counted = [(i, v) for i, v in enumerate(values) if not math.isnan(v) and eligible[i]]
    if not counted:
        return []
    best = (min if lowest else max)(v for _, v in counted)
    if math.isinf(best):
        return [i for i, v in counted if v == best]
    slack = TIE_TOLERANCE * max(abs(v) for _, v in counted if math.isfinite(v))
    return [i for i, v in counted if math.isfinite(v) and abs(v - best) <= slack]


@pytest.mark.parametrize("lowest", [True, False])
@given(VALUES, st.lists(st.booleans(), min_size=9, max_size=9))
def test_ties_by_definition(lowest, values, kept):
    array = np.array(values, dtype=float)
    eligible = kept[: len(values)]
    assert attaining(array, lowest=lowest).tolist() == places(values, lowest, [True] * len(values))
    found = attaining(array, lowest=lowest, eligible=np.array(eligible, dtype=bool))
    assert found.tolist() == places(values, lowest, eligible)


@given(ROWS)
def test_flipped_is_the_table_of_the_other_direction(rows):
    y, s, w = zip(*rows, strict=True)
    table = ScoreTable.from_scores(y, s, weights=w)
    assert table.flipped() == ScoreTable.from_scores(y, s, weights=w, direction="lower")
    assert table.flipped().flipped() == table


@given(ROWS)
def test_the_curve_is_turned_about_its_middle(rows):
    table = table_of(rows)
    there, back = ThresholdTable.from_table(table), ThresholdTable.from_table(table.flipped())
    np.testing.assert_array_equal(back.tp, there.fn[::-1])
    np.testing.assert_array_equal(back.fp, there.tn[::-1])
    assert find("auc")(table.flipped()) == pytest.approx(1 - find("auc")(table), nan_ok=True)
    assert table.with_prevalence(0.5).flipped().prior == 0.5
