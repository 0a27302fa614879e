"""Curves, hulls and areas of a table of bins against every placement of its rows."""

from dataclasses import replace

import numpy as np
import pytest

import thresher as th
from bin_placements import REFINED, TABLES, placements
from thresher.counts import Counts, ScoreTable
from thresher.curves import precision_recall_curve, roc_curve
from thresher.decisions import concavities, dominance
from thresher.inference import partial_area
from thresher.measures.error_bounds import orders


def _rates(table):
    curve = roc_curve(table)
    return curve.x, curve.y


def test_no_placement_has_a_curve_or_a_concavity_beyond_the_bounds_of_those_of_edges():
    """They were told as if they were those of the rows."""
    fpr = np.linspace(0, 1, 41)
    seen = 0
    for seed, table in TABLES.items():
        other = replace(table, positive=table.positive[::-1], negative=table.negative[::-1])
        others = list(placements(other))
        found = dominance(table, other)
        lead = roc_curve(table).at(fpr) - roc_curve(other).at(fpr)
        for rows, beside in zip(REFINED[seed], others, strict=False):
            assert dominance(rows, beside).error_bound is None
            assert np.abs(roc_curve(rows).at(fpr) - roc_curve(beside).at(fpr) - lead).max() <= found.error_bound + 1e-12
        for gap in concavities(table):
            (x0, x1), (y0, y1) = gap.fpr, gap.tpr
            for rows in REFINED[seed]:
                x, y = _rates(rows)
                inside = (x >= x0 - 1e-12) & (x <= x1 + 1e-12) & (y >= y0 - 1e-12) & (y <= y1 + 1e-12)
                x, y = x[inside], y[inside]
                below = y0 + (x - x0) * (y1 - y0) / (x1 - x0) - y
                assert abs(below.max() - gap.depth) <= gap.error_bound + 1e-12
                assert abs(np.trapezoid(below, x) - gap.area) <= gap.area_bound + 1e-12
                seen += abs(below.max() - gap.depth) > 1e-9
        assert all((gap.error_bound, gap.area_bound) == (None, None) for gap in concavities(REFINED[seed][0]))
    assert seen > 50


def test_the_bound_of_a_lead_is_reached():
    """Two bins that hold all rows of both models: their curves may be as far apart as the whole of a bin."""
    table = ScoreTable(
        scores=np.array([0.5, 0.0]), positive=np.array([3, 1]), negative=np.array([2, 2]), binned=True,
        widths=np.array([0.5, 0.5]),
    )  # fmt: skip
    found = dominance(table, table)
    best, worst = orders(table)[:2]
    assert found.is_one_curve
    assert found.error_bound == 1.5
    gaps = [roc_curve(best).at(x) - roc_curve(worst).at(x) for x in (0.01, 0.25, 0.49)]
    assert found.error_bound / 2 >= max(gaps) >= found.error_bound / 2 - 0.05


def test_limits_of_a_partial_area_are_moved_apart_alike_however_it_is_asked_for():
    """Those of `partial_area` and of the text of a part were those of the bins as they are."""
    for table in TABLES.values():
        model = th.evaluate(Counts(groups={(): {"s": table}}))["s"]
        bare = partial_area(table, "fpr<=0.3")
        of_none = 0.5 - bare.least / (2 * (bare.most - bare.least))
        own, asked = model.partial_area("fpr<=0.3"), model.estimate("fpr<=0.3")
        assert own.raw.interval == asked.interval
        for form in ("raw", "normalized", "corrected"):
            one, two = getattr(bare, form), getattr(own, form)
            off = two.error_bound
            if "wider by what bins hide" in two.method:
                ends = {
                    "raw": (0.0, own.most),
                    "normalized": (0.0, 1.0),
                    "corrected": (of_none, 1.0),
                }
                least, most = ends[form]
                assert two.low == pytest.approx(max(one.low - off, least))
                assert two.high == pytest.approx(min(one.high + off, most))
            else:
                assert (two.interval, off) == (one.interval, pytest.approx(0, abs=0.005))
        scale = 1 / own.most
        assert own.normalized.interval == pytest.approx(tuple(scale * end for end in own.raw.interval))


def test_precision_at_recall_1_is_known_at_every_prevalence():
    """Rounding put the last recall below 1, where there was no precision then."""
    for share in np.linspace(0.01, 0.99, 99):
        table = ScoreTable.from_scores([1, 1, 0, 1, 0, 1, 1], [7, 6, 5, 4, 3, 2, 1])
        assert precision_recall_curve(replace(table, prior=float(share))).at(1.0) > 0
