"""Version 10 of trec_eval: its own expected output, and what it adds by definition."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from kernel import brute
from ranking.ranking_definitions import precision
from ranking.test_list_measures import HIGHEST, LISTS, MORE, lists_of
from thresher.ranking.forms import trec
from thresher.ranking.list_measures import list_measures
from thresher.ranking.values import ListReading, values_of

FILES = Path(__file__).parent / "trec_eval_10"
both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)

PARAMETERS = [
    "iprec_at_recall.0.10,0.20,0.25,0.75,0.50", "P.5,7,3", "recall.20,2000", "Rprec_mult.5.0,0.2,0.35",
    "utility.2,-1,0,0", "11pt_avg.0.25,0.5,0.75", "ndcg.1=3,2=9,4=4.5", "ndcg_cut.10,20,23", "success.2,5,20",
]  # fmt: skip


def lines(text):
    """(measure, query) → value; texts of relevance are not numbers, and a name has its numbers in one spelling."""
    rows = (line.split("\t") for line in text.splitlines())
    found = {(name.strip().replace("_.25,.5", "_0.25,0.5").replace(",.75", ",0.75"), q): v for name, q, v in rows}
    return {key: value.strip() for key, value in found.items() if not key[0].startswith(("relstring", "runid"))}


@pytest.mark.parametrize(
    ("expected", "qrels", "run", "options"),
    [
        ("out.test.aq", "qrels.test", "results.test", {}),
        ("out.test.aqc", "qrels.test", "results.trunc", {"complete": True}),
        ("out.test.aqcM", "qrels.test", "results.trunc", {"complete": True, "most": 100}),
        ("out.test.aql", "qrels.rel_level", "results.test", {"relevance_level": 2}),
        ("out.test.meas_params", "qrels.test", "results.test", {"measures": PARAMETERS}),
    ],
)
def test_every_line_of_its_own_expected_output(expected, qrels, run, options):
    theirs = lines(gzip.decompress((FILES / f"{expected}.gz").read_bytes()).decode())
    found = th.rank(
        FILES / f"{qrels}.gz", FILES / f"{run}.gz", trec_eval=10, **({"measures": "all_trec"} | options)
    )  # fmt: skip
    ours = lines("".join(trec(found, per_query=True, run_names=False)))
    assert ours == theirs


QRELS = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 1, "b": 2, "c": -1}, "q3": {"x": 0}, "q4": dict.fromkeys("xyz", 1)}
RUN = {"q1": {"b": 9, "u": 8, "a": 7, "c": 6}, "q2": {"b": 5, "c": 4}, "q3": {"x": 1}, "q4": {"x": 3, "z": 2}}


def test_persistence_over_grades_and_what_nobody_judged():
    # trec_eval 10.0-rc3 -q -m rbp -m rbp_resid -m unj on these judgements and results.
    found = th.rank(QRELS, RUN, measures="rbp rbp_resid unj.5", trec_eval=10).run
    assert found.by_query("rbp").round(4).tolist() == [0.1143, 0.1, 0.0, 0.19]
    assert found.by_query("rbp_resid").round(4).tolist() == [0.7461, 0.9, 0.0, 0.0]
    assert found.by_query("unj.5").round(4).tolist() == [0.2, 0.2, 0.0, 0.0]
    # Version 9 has no rbp: the name is this package's own.
    assert th.rank(QRELS, RUN).run.by_query("rbp")[0] == pytest.approx(0.2 * (1 + 0.8**2))


@both
@given(rows=LISTS, more=MORE)
def test_what_version_10_adds_is_its_definition(use, rows, more):
    rel, _, judged, lists = lists_of(rows, more)
    relevant, n, top = sum(r >= 1 for r in judged), len(rel), max([1, *judged])
    names = [
        "rbp.p=0.7",
        "rbp_resid.p=0.7",
        "unj.1",
        "unj.4",
        "iprec_at_recall.0.35",
        "iprec_at_recall.0.5",
        "11pt_avg",
    ]
    with brute.using(use):
        measures = [one for name in names for one in list_measures(name, 10)]
        found = values_of(lists, measures, ListReading(highest=HIGHEST))[:, 0]

    def interpolated(x):
        least = max(1, int(x * relevant + 0.5))
        at = [precision(rel, i + 1) for i in range(n) if rel[i] >= 1]
        return max(at[least - 1 :], default=0.0)

    unjudged = [0.7**i * 0.3 for i in range(n) if rel[i] < 0]
    want = [
        sum(0.3 * 0.7**i * r / top for i, r in enumerate(rel) if r > 0),
        0.7**n + sum(unjudged) if unjudged else 0.0,
        *(sum(r < 0 for r in rel[:k]) / k for k in (1, 4)),
        interpolated(0.35), interpolated(0.5),
        np.mean([interpolated(i / 10) for i in range(11)]),
    ]  # fmt: skip
    assert found == pytest.approx(want, rel=1e-12, abs=1e-12)


@both
@given(rows=LISTS, more=MORE, level=st.integers(1, HIGHEST))
def test_a_level_of_its_own_is_the_level_of_all(use, rows, more, level):
    lists = lists_of(rows, more)[-1]
    names = [
        "P{}@2",
        "AP{}",
        "RR{}",
        "RBP{}",
        "set_F.4{}",
        "bpref{}",
        "iprec_at_recall.0.3{}",
        "recall{}@3",
        "num_rel{}",
    ]
    own = [list_measures(name.format(f"(rel={level})"))[0] for name in names]
    plain = [list_measures(name.format(""))[0] for name in names]
    with brute.using(use):
        found = values_of(lists, own, ListReading(highest=HIGHEST))
        want = values_of(lists, plain, ListReading(highest=HIGHEST, level=level))
    assert found.tolist() == want.tolist()


def test_gains_and_a_cut_off_go_together():
    found = th.rank(QRELS, RUN, measures="nDCG(gains={1: 3, 3: 9})@2 ndcg.1=3,3=9").run
    gains = np.array([3.0, 0.0])
    assert found.by_query("nDCG(gains={1:3,3:9})@2")[0] == pytest.approx(gains[0] / (9 + 3 / np.log2(3)))
    assert found.names[0] in found.to_dict()["measures"]
