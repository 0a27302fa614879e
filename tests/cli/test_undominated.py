"""The listing of `thresher threshold --non-dominated` where one class is never met."""

import csv
import json

import numpy as np
import pytest

import thresher as th
from thresher.cli.rows import WRITERS
from thresher.cli.threshold import _of_edges, undominated
from thresher.counts import ScoreTable


@pytest.mark.parametrize(
    ("prevalence", "low", "high"),
    [(0.0, [0.0, 0.0], [np.nan, 0.0]), (1.0, [np.inf, np.nan], [np.inf, np.inf])],
)
def test_cost_ratios_at_a_prevalence_of_0_or_1(prevalence, low, high):
    model = th.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.3, 0.6, 0.7, 0.1])["score"]
    found = undominated(model, prevalence)
    shown = found.columns(0, found.length)
    np.testing.assert_array_equal(shown["cost_ratio_low"], low)
    np.testing.assert_array_equal(shown["cost_ratio_high"], high)


def in_bins():
    y, s = [1, 1, 0, 1, 0, 0] * 100, np.linspace(0.99, 0.01, 600)
    counts = th.Counts(groups={(): {"s": ScoreTable.builder(exact_rows=16, bins=16).update(y, s).table()}})
    return th.evaluate(counts)


def test_ranges_of_costs_of_edges_of_bins_say_so():
    """They were shown as those of the rows, which lie inside of them."""
    bins, rows = in_bins()["s"], th.evaluate([1, 0, 1, 0], {"r": [0.9, 0.2, 0.3, 0.1]})["r"]
    listings = [undominated(model, None) for model in (rows, bins)]
    assert bins.non_dominated()["is_outer"].all()
    assert "is_outer" not in rows.non_dominated()
    lines = list(csv.DictReader("".join(WRITERS["csv"](listings)).splitlines()))
    assert {(line["model"], line["is_outer"]) for line in lines} == {("r", ""), ("s", "True")}
    records = json.loads("".join(WRITERS["json"](listings)))
    assert {(line["model"], line.get("is_outer")) for line in records} == {("r", None), ("s", True)}


def test_the_command_and_the_page_say_so(tmp_path):
    evaluation = in_bins()
    assert [*_of_edges(evaluation)] == [
        "s: thresholds between edges of bins may beat these; cost ratios hold at the most, as only edges of bins were "
        "compared."
    ]
    assert not [*_of_edges(th.evaluate([1, 0, 1, 0], [0.9, 0.2, 0.3, 0.1]))]
    evaluation.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert '"edges":"at the most, as only edges of bins were compared"' in page
