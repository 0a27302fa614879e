"""How much better a threshold inside of a bin may be: never less than the best of the rows themselves is."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from decisions.tables_of_bins import tables
from thresher.counts import Cells, ScoreTable, ThresholdTable
from thresher.curves import cost_curve
from thresher.decisions import Costs, choose, dominance, joint_hull, roc_hull, slide, valid_range
from thresher.decisions.criteria import Best, register_criterion
from thresher.decisions.inside_bins import _best, _corners
from thresher.decisions.objective import seeks_lowest
from thresher.errors import InputError, OptionError
from thresher.measures import measures
from thresher.measures.error_bounds import AT_VERTICES

CRITERIA = [
    Costs(fp=1, fn=5), Costs(fp=-1, fn=-3, tp=4, tn=0.5, benefit=True),
    "youden", "closest", "max f1", "max mcc", "max kappa", "max precision", "max npv", "max markedness", "min lr-",
    "max geometric_mean", "min number_needed_to_diagnose", "max mutual_information", "min mutual_information",
    "min mcc", "min precision", "min fowlkes_mallows", "max dor",
    "max tpr s.t. fpr<=0.2", "min fpr s.t. tpr>=0.7", "max tpr s.t. precision>=0.6", "max precision s.t. tpr>=0.4",
    "max fpr s.t. mcc>=-0.2", "max tpr s.t. precision>=0.6 and fpr>=0.1", "max accuracy s.t. mutual_information<=0.01",
    "max markedness s.t. specificity<=0.7", "max npv s.t. fpr<=0.9 and fpr>=0.1", "max precision s.t. fnr<=0.6",
    "top 5", "top 33%", "match_prevalence", "equal_rates", "max_min",
]  # fmt: skip

rows = st.lists(
    st.tuples(st.integers(0, 1), st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([1.0, 2.5])),
    min_size=3, max_size=40,
)  # fmt: skip


def check(exact, table, prevalence):
    for criterion in CRITERIA:
        try:
            found = choose(table, criterion, prevalence=prevalence)
        except (InputError, OptionError):  # no edge keeps the constraints, or one bin has all rows
            continue
        bound = found.error_bound
        best = choose(exact, criterion, prevalence=prevalence)
        if not table.binned:
            assert bound is None
            continue
        sign = -1 if seeks_lowest(found.wanted) else 1
        better = 0.0 if best.value == found.value else sign * (best.value - found.value)
        assert -1e-9 <= better <= bound * (1 + 1e-9) + 1e-9, (criterion, found, best, bound)
        check_range(exact, found)


def check_range(exact, found):
    """A threshold is the cheapest of the rows for no costs for which it is not the cheapest of the edges."""
    point, rows = found.best, ThresholdTable.from_table(replace(exact, prior=found.table.prior))
    same = np.flatnonzero((rows.tp == found.table.tp[point.row]) & (rows.fp == found.table.fp[point.row]))
    if not same.size or (inner := valid_range(rows, int(same[0]))) is None:
        return
    assert point.valid.slopes[0] <= inner.slopes[0] * (1 + 1e-9) + 1e-12
    assert inner.slopes[1] <= point.valid.slopes[1] * (1 + 1e-9) + 1e-12
    assert point.valid.is_outer == (found.table.rank_sums is None)


@given(rows, st.sampled_from(["higher", "lower"]), st.none() | st.floats(0.01, 0.99), st.booleans())
def test_no_threshold_of_the_rows_is_better_by_more(found, direction, prevalence, weighted):
    check(*tables(found, direction, weighted=weighted), prevalence)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=2, max_size=5),
    st.none() | st.floats(0.01, 0.99), st.integers(0, 2**32),
)  # fmt: skip
def test_nor_in_bins_of_few_rows(bins, prevalence, seed):
    """Nothing is positive, or negative, at an edge next to which a bin has rows of one class only, or none."""
    positive, negative, wide = map(np.array, zip(*bins, strict=True))
    scores = np.arange(len(bins), 0.0, -1)
    table = ScoreTable(scores=scores, positive=positive, negative=negative, binned=True, widths=wide.astype(np.float64))
    truth = np.repeat([1, 0], [positive.sum(), negative.sum()])
    place = np.concatenate([np.repeat(np.arange(len(bins)), counts) for counts in (positive, negative)])
    rng = np.random.default_rng(seed)
    for _ in range(3):
        score = scores[place] + wide[place] * rng.integers(0, 4, truth.size) / 4
        check(ScoreTable.from_scores(truth, score), table, prevalence)


def test_the_strip_next_to_nothing_is_of_its_bin():
    """What is undefined where nothing is positive was bounded by a strip that breaks what the rest of the bin keeps."""
    positive, negative = np.array([0, 3]), np.array([2, 1])
    table = ScoreTable(
        scores=np.array([0.8125, 0.25]), positive=positive, negative=negative, binned=True, widths=np.array([0.0625, 0])
    )
    exact = ScoreTable.from_scores([0, 0, 1, 1, 1, 0], [0.84375, 0.828125, 0.25, 0.25, 0.25, 0.25])
    for bins in (table, replace(table, scores=np.array([0.9, 0.8125, 0.25]), positive=np.array([0, 0, 3]),
                                negative=np.array([0, 2, 1]), widths=np.array([0.0625, 0.0625, 0]))):  # fmt: skip
        check(exact, bins, None)
        assert choose(bins, "max markedness s.t. specificity<=0.7").error_bound >= 0.15


@given(st.integers(0, 2**32), st.sampled_from(["higher", "lower"]), st.none() | st.floats(0.01, 0.99))
def test_nor_where_the_table_knows_the_hull(seed, direction, prevalence):
    rng = np.random.default_rng(seed)
    scores, slope = rng.random(150), rng.uniform(-1, 1)
    found = [(int(rng.random() < 0.5 + slope * (s - 0.5)), s, rng.choice([1.0, 2.5])) for s in scores.tolist()]
    exact, table = tables(found, direction, weighted=seed % 2 == 0, step=25)
    assert table.rank_sums is not None
    check(exact, table, prevalence)


def test_the_bound_is_what_the_rows_of_a_bin_can_reach():
    rng = np.random.default_rng(3)
    score = rng.beta(1, 4, 20_000)
    truth = (rng.random(score.size) < score).astype(np.uint8)
    table = ScoreTable.builder(exact_rows=1000, bins=512, tolerance=1e-6).update(truth, score).table()
    width = float(table.widths.max())
    low = np.floor(score / width) * width
    # All positives of a bin at its top.
    best = ScoreTable.from_scores(truth, np.where(truth == 1, np.nextafter(low + width, 0), low))
    for criterion in ("youden", "max f1", "closest", Costs(fp=1, fn=3), "max tpr s.t. fpr<=0.1"):
        found = choose(table, criterion)
        bound = found.error_bound
        assert 0 < bound < 0.02
        assert abs(choose(best, criterion).value - found.value) == pytest.approx(bound, rel=1e-9)


def test_costs_are_exact_where_the_hull_is_known():
    rng = np.random.default_rng(0)
    found = [(int(rng.random() < s), s, 1.0) for s in rng.random(300)]
    exact, table = tables(found, "higher", step=20)
    assert table.rank_sums is not None
    for criterion in (Costs(fp=1, fn=3), "youden", "max f1", "max mcc", "max accuracy"):
        chosen = choose(table, criterion)
        assert (chosen.error_bound, chosen.value) == (0.0, choose(exact, criterion).value)
        assert "better" not in repr(chosen)
    hull, curve, touch = roc_hull(table), cost_curve(table), slide(joint_hull({"a": table}), "f1")
    assert (hull.error_bound, hull.area) == (None, roc_hull(exact).area)
    assert (curve.error_bound, curve.area()) == (None, cost_curve(exact).area())
    assert (touch.error_bound, touch.value) == (None, slide(roc_hull(exact), "f1").value)
    assert dominance(table, table).error_bound > 0
    found = choose(table, "max tpr s.t. fpr<=0.123")
    assert found.to_dict()["error_bound"] == found.error_bound > 0
    assert "no other threshold is better by more than" in repr(found)


def test_nothing_is_certain_of_what_is_not_known():
    _, table = tables([(i % 2, i / 40, 1.0) for i in range(40)], "higher")

    def even(c):
        "Whether TP is even."
        return 1.0 - c.tp % 2

    with register_criterion(even):
        assert choose(table, "even").error_bound == math.inf

    def hit_share(c):
        "TP/(TP + FN), of one's own."
        return c.tp / (c.tp + c.fn)

    for facts in ({}, {"by_corners": True}):
        with th.measures.register(hit_share, text="TP/P", source="here", **facts):
            bounds = [choose(table, f"max {text}").error_bound
                      for text in ("hit_share s.t. fpr<=0.4", "tpr s.t. hit_share<=0.4")]  # fmt: skip
        assert all(map(math.isfinite, bounds)) == bool(facts)
    widthless = replace(table, widths=None)
    assert choose(widthless, "youden").error_bound == math.inf
    with pytest.raises(OptionError, match="as far as bins of scores tell"):
        choose(table, "max tpr s.t. precision>=0.99")


@pytest.mark.parametrize("ends", [(0, 5, 0, 6), (2, 5, 0, 6), (0, 0, 0, 6), (0, 4, 3, 3), (3, 7, 4, 9), (7, 7, 2, 9)])
def test_no_measure_is_beyond_its_corners(ends):
    """Every (TP, FP) between two edges, of 7 positives and 9 negatives, for both sides of every measure."""
    low_tp, high_tp, low_fp, high_fp = ends
    columns = (np.array([low, high - low, total - high]) for low, high, total in ((*ends[:2], 7), (*ends[2:], 9)))
    before, bin_, after = zip(*columns, strict=True)
    kept = [counts for counts in ((*before, 0.0), (*bin_, 1.0), (*after, 0.0)) if any(counts)]
    positive, negative, widths = (np.array(column) for column in zip(*kept, strict=True))
    table = ScoreTable(
        scores=np.arange(len(kept), 0.0, -1), positive=positive, negative=negative, binned=True, widths=widths,
    )  # fmt: skip
    tp, fp = np.meshgrid(np.arange(low_tp, high_tp + 1.0), np.arange(low_fp, high_fp + 1.0))
    inside = Cells(tp=tp, fp=fp, fn=7 - tp, tn=9 - fp)
    for entry in measures("cells", "matrix"):
        if entry.needs_parameters:
            continue
        values = entry.on(inside if entry.needs == "cells" else inside.matrix())
        for lowest, end in ((True, np.fmin), (False, np.fmax)):
            best = end.reduce(_best(_corners(table), Best(measure=entry.name, lowest=lowest)))
            found = end.reduce(values, axis=None)
            assert np.isnan(found) or end(found, best) == pytest.approx(best, abs=1e-12), (entry.name, lowest)


def test_measures_whose_best_is_at_a_vertex_are_known():
    assert {entry.name for entry in measures("cells", "matrix")} >= AT_VERTICES
