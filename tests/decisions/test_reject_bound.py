"""How much better a pair of thresholds inside of bins may be: never less than the best pair of the rows is."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from decisions.tables_of_bins import tables
from thresher.counts import ScoreTable
from thresher.decisions import Costs, reject_option
from thresher.errors import InputError, OptionError

COSTS = [Costs(fp=1, fn=1), Costs(fp=1, fn=6, tp=0.3), Costs(fp=-1, fn=-3, tp=4, tn=0.5, benefit=True)]
WAYS = [
    *({"costs": costs, "deferral": deferral} for costs in COSTS for deferral in (0.05, 0.2, -0.1)),
    {"accuracy": 0.75}, {"accuracy": 0.9}, {"accuracy": 1.0},
    {"upper": "precision>=0.7", "lower": "npv>=0.8"}, {"upper": "fpr<=0.2"}, {"lower": "tpr>=0.7"},
    {"upper": "mcc>=0.2", "lower": "mutual_information>=0.01"},
]  # fmt: skip

rows = st.lists(
    st.tuples(st.integers(0, 1), st.floats(0, 1) | st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([1.0, 2.5])),
    min_size=3, max_size=30,
)  # fmt: skip


def check(exact, table, prevalence, ways=WAYS):
    for way in ways:
        try:
            found, best = (reject_option(each, **way, prevalence=prevalence) for each in (table, exact))
        except (InputError, OptionError):  # no pair of edges keeps the bounds, or one class has no rows
            continue
        if not table.binned:
            assert found.error_bound is None
            continue
        if "costs" in way:
            better = found.expected_cost(**way) - best.expected_cost(**way)
        else:
            better = best.reportable_rate - found.reportable_rate
        assert -1e-9 <= better <= found.error_bound * (1 + 1e-9) + 1e-9, (way, found, best)


@given(rows, st.sampled_from(["higher", "lower"]), st.none() | st.floats(0.01, 0.99), st.booleans())
def test_no_pair_of_the_rows_is_better_by_more(found, direction, prevalence, weighted):
    check(*tables(found, direction, weighted=weighted), prevalence)


@given(rows, st.integers(0, 8))
def test_nor_where_one_threshold_is_given(found, place):
    exact, table = tables(found)
    if table.binned and place < table.scores.size:
        end = float(table.scores[place])
        check(exact, table, None, [{"upper": end, "lower": "npv>=0.7"}, {"lower": end, "upper": "precision>=0.6"}])


@given(st.integers(0, 2**32), st.none() | st.floats(0.01, 0.99))
def test_nor_where_the_table_knows_the_hull(seed, prevalence):
    rng = np.random.default_rng(seed)
    scores, slope = rng.random(150), rng.uniform(-1, 1)
    found = [(int(rng.random() < 0.5 + slope * (s - 0.5)), s, 1.0) for s in scores.tolist()]
    exact, table = tables(found, step=25)
    assert table.rank_sums is not None
    check(exact, table, prevalence)


def test_costs_are_exact_where_the_hull_is_known():
    rng = np.random.default_rng(0)
    exact, table = tables([(int(rng.random() < s), s, 1.0) for s in rng.random(300)], step=20)
    way = {"costs": Costs(fp=1, fn=3), "deferral": 0.2}
    found = reject_option(table, **way)
    assert (found.error_bound, found.expected_cost(**way)) == (0.0, reject_option(exact, **way).expected_cost(**way))


def test_the_bound_is_of_the_order_of_a_bin():
    rng = np.random.default_rng(3)
    score = rng.beta(1, 2, 20_000)
    truth = (rng.random(score.size) < score).astype(np.uint8)
    table = ScoreTable.builder(exact_rows=1000, bins=512, tolerance=1e-6).update(truth, score).table()
    for way in ({"costs": Costs(fp=1, fn=1), "deferral": 0.2}, {"accuracy": 0.9}, {"upper": "precision>=0.7"}):
        assert 0 < reject_option(table, **way).error_bound < 0.02


def test_what_is_not_known_is_said_to_be_so():
    _, table = tables([(i % 2, i / 40, 1.0) for i in range(40)])
    way = {"costs": Costs(fp=1, fn=1), "deferral": 0.2}
    assert reject_option(replace(table, widths=None), **way).error_bound == math.inf
    assert reject_option(table, lower=float(table.scores[3])).error_bound is None
    with pytest.raises(InputError, match="lies inside of a bin of the counts"):
        reject_option(table, lower=float(table.scores[3]) + 1e-3)
    with pytest.raises(OptionError, match="as far as bins of scores tell"):
        reject_option(table, upper="precision>=1", lower="npv>=1")


def test_every_view_says_the_bound_of_a_reject_option():
    rng = np.random.default_rng(0)
    score = rng.random(3000)
    counts = th.count(rng.random(3000) < score, score).with_least(50)
    found = th.evaluate(counts)["score"].with_reject(costs=Costs(fp=1, fn=1), deferral=0.2)
    bound = found.option.error_bound
    assert 0 < bound < 0.2
    form = json.loads(json.dumps(found.to_dict()))
    assert form["error_bound"] == found.option.to_dict()["error_bound"] == bound
    for text in (str(found), found._repr_html_(), " ".join(form["sentences"])):
        said = " ".join(text.split())
        assert "no other pair of thresholds is better by more than" in said
        assert "of one threshold alone no other threshold is better" in said.lower()
