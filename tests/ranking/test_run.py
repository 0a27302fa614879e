"""Which queries count, means with intervals, notes, curves and forms of an evaluation."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from shares import examples
from thresher.errors import OptionError
from thresher.ranking.forms import trec

QRELS = {
    "a": {"d1": 1, "d2": 0, "d3": 2}, "b": {"d1": 0}, "c": {"d4": 1}, "d": {"d5": 1, "d6": 1}, "e": {"d7": 1, "d8": 0},
}  # fmt: skip
RUN = {
    "a": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "b": {"d1": 1.0}, "d": {"d9": 2.0, "d5": 1.0}, "e": {"d8": 2.0, "d7": 1.0},
    "x": {"d1": 1.0}, "y": {"d1": 1.0},
}  # fmt: skip
OTHER = {query: {document: -score for document, score in row.items()} for query, row in RUN.items()}
AP = {"a": (1 + 2 / 3) / 2, "b": 0.0, "c": 0.0, "d": 0.25, "e": 0.5}


def test_by_default_queries_with_results_and_judgements_count():
    found = th.rank(QRELS, RUN)
    assert found.queries == ("a", "b", "d", "e")
    assert found.mean("map").value == pytest.approx(np.mean([AP[q] for q in "abde"]))
    assert found.notes == (
        "2 queries with results have no judgements: left out.",
        "1 query has judgements and no results: left out of every mean.",
        "1 query has no relevant documents: 0 in every mean.",
    )


def test_complete_counts_missing_queries_as_trec_eval_does():
    found = th.rank(QRELS, RUN, complete=True, measures=["map", "num_q", "num_rel", "num_ret", "gm_map", "utility"])
    assert found.queries == ("a", "b", "c", "d", "e")
    assert found.mean("map").value == pytest.approx(np.mean(list(AP.values())))
    assert [found.mean(name).value for name in ("num_q", "num_rel", "num_ret")] == [5, 6, 8]
    logs = [math.log(max(value, 1e-5)) for value in AP.values()]
    assert found.mean("gm_map").value == pytest.approx(math.exp(np.mean(logs)))
    assert found.by_query("utility").tolist()[2] == 0.0
    assert "missing-queries" in [note.code for note in found.notes]


def test_queries_without_relevant_documents_can_be_left_out():
    found = th.rank(QRELS, RUN, no_relevant="skip")
    assert found.queries == ("a", "d", "e")
    assert "no-relevant" in [note.code for note in found.notes]
    both = th.rank(QRELS, RUN, no_relevant="skip", complete=True)
    assert both.queries == ("a", "c", "d", "e")


def test_judged_only_and_the_first_few():
    found = th.rank(QRELS, RUN, judged_only=True, measures=["recip_rank", "num_ret"])
    assert found.by_query("recip_rank")[found.queries.index("d")] == 1.0
    found = th.rank(QRELS, RUN, most=1, measures=["num_ret", "map"])
    assert found.mean("num_ret").value == 4
    assert found.by_query("map").tolist() == [0.5, 0.0, 0.0, 0.0]


def test_a_query_whose_results_nobody_judged_counts_as_0_when_those_are_taken_out():
    qrels = {"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 1}}
    found = th.rank(qrels, {"q": {"a": 1.0}, "r": {"z": 1.0}}, judged_only=True, measures=["map", "num_q", "gm_map"])
    assert found.queries == ("q", "r")
    assert found.mean("map").value == 0.5
    assert found.mean("num_q").value == 2
    assert found.mean("gm_map").value == pytest.approx(math.sqrt(1e-5))
    assert found.notes == (
        "1 query has judgements and no results: left out of every mean.",
        "1 query has no judged results: 0 in every mean.",
    )
    assert [line.split("\t")[1] for line in trec(found, per_query=True) if line.startswith("map")] == ["q", "r", "all"]


def test_the_first_few_are_taken_before_those_that_nobody_judged_are_left_out():
    run = {"q": {"z": 3.0, "a": 2.0, "b": 1.0}}
    found = th.rank({"q": {"a": 0, "b": 1}}, run, judged_only=True, most=2, measures=["num_ret", "num_rel_ret"])
    assert [found.mean(name).value for name in found.names] == [1, 0]


TIED = {"a": (0, 2, -1, 1), "b": (1, 0, 0, -1, 2), "c": (2, 2)}
"""Relevance of documents by query; those that score alike are given by a test."""


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("most", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("scores", [(1, 1, 1, 1, 1), (2, 1, 1, 1, 0), (3, 3, 2, 2, 2)])
def test_tied_documents_across_the_first_few_have_every_order(scores, most, judged_only):
    qrels = {q: {f"d{i}": r for i, r in enumerate(rel) if r >= 0} for q, rel in TIED.items()}
    run = {q: {f"d{i}": scores[i] for i in range(len(rel))} for q, rel in TIED.items()}
    names = ["map", "P.3", "ndcg", "recip_rank", "bpref", "err", "rbp.0.5", "set_map", "num_rel_ret", "success.2",
             "judged.3", "Rprec", "F.2", "num_nonjudged_ret", "gm_map"]  # fmt: skip
    options = {"measures": names, "most": most, "judged_only": judged_only}
    found = th.rank(qrels, run, ties="expected", **options)
    orders = {
        (q, order): {f"d{i}": -place for place, i in enumerate(order)}
        for q, rel in TIED.items()
        for order in permutations(range(len(rel)))
        if all(scores[i] >= scores[j] for i, j in pairwise(order))
    }
    every = th.rank({key: qrels[key[0]] for key in orders}, orders, **options)
    for q in TIED:
        mine = [place for place, key in enumerate(orders) if key[0] == q]
        got = [found.by_query(name)[found.queries.index(q)] for name in names]
        want = [every.by_query(name.replace("gm_", ""))[mine].mean() for name in names]
        assert got == pytest.approx([*want[:-1], max(want[-1], 1e-5)], abs=1e-12), q


def test_too_many_selections_of_tied_documents_are_drawn_and_that_is_said():
    rel = np.random.default_rng(1).integers(0, 5, 400)
    qrels = {"q": {f"d{i}": int(r) for i, r in enumerate(rel)}}
    run = {"q": dict.fromkeys(qrels["q"], 1.0)}
    found = th.rank(qrels, run, ties="expected", most=100, measures=["recall.100", "P.100"])
    assert found.mean("P.100").value == pytest.approx(np.mean(rel > 0), abs=0.01)
    assert found.notes == (
        "1 query has tied results across the first 100 of too many kinds to go through: 2,000 selections of them were "
        "drawn.",
    )


def test_intervals_are_students_t_over_queries():
    from scipy import stats

    found = th.rank(QRELS, RUN, measures=["map", "gm_map"], level=0.9)
    values = np.array([AP[q] for q in "abde"])
    want = stats.t.interval(0.9, 3, values.mean(), stats.sem(values))
    mean = found.mean("map")
    assert (mean.low, mean.high) == pytest.approx((max(0, want[0]), min(1, want[1])))
    assert mean.standard_error == pytest.approx(stats.sem(values))
    logs = np.log(np.maximum(values, 1e-5))
    low, high = np.exp(stats.t.interval(0.9, 3, logs.mean(), stats.sem(logs)))
    mean = found.mean("gm_map")
    assert (mean.low, mean.high) == pytest.approx((low, min(1, high)))


def test_intervals_by_the_bootstrap_of_queries():
    rng = np.random.default_rng(0)
    relevance, scores = rng.integers(0, 2, 600), rng.random(600)
    options = {"query": np.repeat(np.arange(60), 10), "measures": ["map"]}
    plain = th.rank(relevance, scores, **options).mean("map")
    for method in ("percentile", "basic", "bca"):
        drawn = th.rank(relevance, scores, bootstrap=th.Bootstrap(n=4000, method=method), **options).mean("map")
        assert drawn.low == pytest.approx(plain.low, abs=0.01), method
        assert drawn.high == pytest.approx(plain.high, abs=0.01), method
        assert "replicates of queries" in drawn.method
    again = th.rank(relevance, scores, bootstrap=th.Bootstrap(n=4000, method="bca"), **options).mean("map")
    assert again == drawn


def test_where_there_is_no_interval_the_reason_says_why():
    one = th.rank({"q": {"d": 1}}, {"q": {"d": 1.0}}).mean("map")
    assert (one.low, one.reason) == (None, "no interval: there is one query")
    same = th.rank({"q": {"d": 1}, "r": {"d": 1}}, {"q": {"d": 1.0}, "r": {"d": 1.0}})
    assert same.mean("map").reason_code == "no-spread"
    assert same.mean("num_ret").reason_code == "no-formula"
    tied = th.rank({"q": {"d": 1, "e": 0}}, {"q": {"d": 1.0, "e": 1.0}}, ties="expected")
    assert tied.mean("map").value == 0.75
    assert not tied.mean("infAP").is_defined
    assert tied.mean("infAP").reason_code == "no-formula"
    assert tied.to_dict()["runs"][0]["name"] == "run"


def test_float32_and_float64_scores():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1 + 1e-9, "b": 1.0}}
    assert th.rank(qrels, run).mean("recip_rank").value == 0.5
    assert th.rank(qrels, run, score_type="float64").mean("recip_rank").value == 1.0


def test_names_from_the_data_cannot_break_the_html():
    found = th.rank(QRELS, {"<script>": RUN})
    assert "<script>" not in found._repr_html_()


def test_curves_of_precision_and_recall():
    found = th.rank(QRELS, {"first": RUN, "second": OTHER})
    curve = found["first"].interpolated
    assert curve.x.tolist() == [i / 10 for i in range(11)]
    want = [found["first"].mean(f"iprec_at_recall.{x}").value for x in curve.x]
    assert curve.y.tolist() == want
    assert (np.diff(curve.y) <= 0).all()
    assert curve.summary.value == pytest.approx(np.mean(want))
    cuts = found["first"].precision_recall
    assert cuts.thresholds.tolist() == [1, 2, 3]
    assert cuts.y[0] == found["first"].mean("P.1").value


@pytest.mark.peer
def test_pictures_of_several_runs():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = th.rank(QRELS, {"first": RUN, "second": OTHER})
    for kind in ("interpolated", "cut-offs"):
        axes = found.plot(kind=kind)
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        assert [text.split()[0] for text in texts] == ["first", "second"]
        assert axes.get_xlabel().startswith("Recall")
        pyplot.close(axes.figure)
    with pytest.raises(OptionError, match="kind"):
        found.plot(kind="roc")


def test_the_example_is_what_its_files_hold(tmp_path):
    from thresher.examples import retrieval_files

    data = th.load_example("digit_search")
    for name, content in retrieval_files("digit_search").items():
        (tmp_path / name).write_bytes(content)
    paths = {run: tmp_path / f"digit_search.{run}.run" for run in data["runs"]}
    read = th.rank(tmp_path / "digit_search.qrels", paths, measures="all")
    found = th.rank(data["qrels"], data["runs"], measures="all")
    assert read.to_dict() == found.to_dict()
    assert {run: len(found[run].queries) for run in found} == {"pixels": 48, "blocks": 46}


def test_lists_are_evaluated_whole_or_in_parts():
    from thresher.counts import RankedLists

    found = th.rank(QRELS, {"first": RUN, "second": OTHER}, measures="all")
    lists = {name: run.lists for name, run in found.items()}
    again = th.rank(lists, measures="all")
    assert again.to_dict() == found.to_dict()
    first = np.array([query < "c" for query in lists["first"].queries])
    parts = lists["first"].only(first) + lists["first"].only(~first)
    assert isinstance(parts, RankedLists)
    assert th.rank(parts, measures="all").run.to_dict()["measures"] == found["first"].to_dict()["measures"]


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3), st.integers(-5, 5)), min_size=1, max_size=30))
def test_a_monotone_transformation_of_the_scores_changes_nothing(rows):
    query, relevance, score = (np.array(column) for column in zip(*rows, strict=True))
    if not (relevance >= 0).any():
        relevance[0] = 0
    document = np.arange(len(rows))
    options = {"query": query, "document": document, "measures": "all", "score_type": "float64"}
    for ties in ("trec_eval", "expected"):
        found = th.rank(relevance, {"a": score, "b": np.exp(score / 3), "c": score**3 + 7}, ties=ties, **options)
        for other in ("b", "c"):
            np.testing.assert_array_equal(found[other].table, found["a"].table)


def test_a_negative_gain_has_no_bounds():
    qrels = {query: {"a": 1, "b": 2} for query in "qrs"}
    run = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0, "b": 2.0}, "s": {"a": 2.0, "b": 1.0}}
    other = {query: {"a": 1.0, "b": 2.0} for query in "qrs"}
    found = th.rank(qrels, {"one": run, "two": other}, measures="ndcg.1=-3")
    worst, best = (-3 + 2 / np.log2(3)) / 2, (2 - 3 / np.log2(3)) / 2  # b alone has a gain in the best list
    assert found["one"].by_query("ndcg.1=-3") == pytest.approx([worst, best, worst])
    mean = found["one"].mean("ndcg.1=-3")
    values = found["one"].by_query("ndcg.1=-3")
    assert mean.value == pytest.approx(values.mean())
    half = 4.302652729911275 * values.std(ddof=1) / np.sqrt(3)
    assert (mean.low, mean.high) == pytest.approx((mean.value - half, mean.value + half))
    difference = found.compare("one", "two", measure="ndcg.1=-3")
    assert difference.low < difference.difference < difference.high


def test_a_number_of_replicates_stands_for_a_bootstrap():
    qrels = {query: {"a": 1, "b": 0} for query in "qrst"}
    runs = {name: {query: {"a": float(query in high), "b": 0.5} for query in "qrst"}
            for name, high in (("one", "qr"), ("two", "s"))}  # fmt: skip
    found = th.rank(qrels, runs, measures="P.1", bootstrap=50)
    assert "50 replicates" in found["one"].mean("P.1").method
    assert "60 replicates" in found.compare("one", "two", measure="P.1", test="bootstrap", bootstrap=60).method
