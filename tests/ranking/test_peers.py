"""trec_eval's arithmetic (through pytrec_eval) and ir-measures on generated runs: ties, unjudged documents, missing
queries, graded and negative judgements.
"""

import math
import random

import numpy as np
import pytest

import thresher as th
from thresher.measures.ranked_lists import GROUPS

pytestmark = pytest.mark.peer

pytrec_eval = pytest.importorskip("pytrec_eval")

EXACT = 1e-12
# What pytrec_eval cannot give: texts, and a family that it refuses by this name.
LEFT_OUT = {"relstring", "runid"}


def generated(seed, *, grades, negative, queries=40, documents=60):
    """Judgements and a run, which share most of their queries; about half the scores are tied.

    pytrec_eval crashes on a query whose judgements are all negative, so each has one that is 0.
    """
    rng = random.Random(seed)
    values = [*range(grades + 1), 0, 0, *([-1, -2] if negative else [])]
    qrels, run = {}, {}
    for q in range(queries):
        judged = rng.sample(range(documents), rng.randint(1, documents // 2))
        qrels[f"q{q}"] = {f"d{d}": rng.choice(values) for d in judged} | {"d0": 0}
        listed = rng.sample(range(documents), rng.randint(1, documents))
        run[f"q{q + 3}"] = {f"d{d}": rng.choice([rng.random(), 0.5, 0.25, -1.0, 0.5 + 1e-9]) for d in listed}
    for q in range(5):  # nothing relevant at all
        qrels[f"q{q + 6}"] = dict.fromkeys(qrels[f"q{q + 6}"], 0)
    return qrels, run


CASES = [
    pytest.param(seed, grades, negative, id=f"{grades} grades{', negative' * negative}, seed {seed}")
    for seed in range(4)
    for grades, negative in ((1, False), (3, False), (1, True), (4, True))
]


def peers(qrels, run, names, level=1):
    return pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level).evaluate(run)


@pytest.mark.parametrize(("seed", "grades", "negative"), CASES)
def test_every_measure_of_trec_eval_for_every_query(seed, grades, negative):
    qrels, run = generated(seed, grades=grades, negative=negative)
    names = set(pytrec_eval.supported_measures) - LEFT_OUT
    theirs = peers(qrels, run, names)
    ours = th.rank(qrels, run, measures="all_trec").run
    assert set(ours.queries) == set(theirs)
    compared = 0
    for name in ours.names:
        values = dict(zip(ours.queries, ours.by_query(name).tolist(), strict=True))
        for query, row in theirs.items():
            value = math.log(values[query]) if name.startswith("gm_") else values[query]
            assert value == pytest.approx(row[name], abs=EXACT, rel=EXACT), (name, query)
            compared += 1
    assert compared > 2_500


@pytest.mark.parametrize("level", [2, 3])
def test_other_levels_of_relevance(level):
    qrels, run = generated(9, grades=4, negative=True)
    names = {"map", "P", "recall", "bpref", "recip_rank", "Rprec", "success", "num_rel", "infAP", "ndcg", "set_F"}
    theirs = peers(qrels, run, names, level)
    ours = th.rank(qrels, run, measures=sorted(names), relevance_level=level).run
    for name in ours.names:
        for query, value in zip(ours.queries, ours.by_query(name).tolist(), strict=True):
            assert value == pytest.approx(theirs[query][name], abs=EXACT), (name, query)


def test_only_judged_documents():
    qrels, run = generated(5, grades=3, negative=True)
    run["q8"] = {"nobody": 1.0, "judged": 0.5}
    names = {"map", "P", "bpref", "num_ret", "ndcg", "recip_rank"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names, judged_docs_only_flag=True).evaluate(run)
    ours = th.rank(qrels, run, measures=sorted(names), judged_only=True).run
    assert set(ours.queries) == set(theirs)
    for name in ours.names:
        for query, value in zip(ours.queries, ours.by_query(name).tolist(), strict=True):
            assert value == pytest.approx(theirs[query][name], abs=EXACT), (name, query)


def test_means_are_those_of_trec_eval():
    qrels, run = generated(3, grades=2, negative=False)
    names = ("map", "gm_map", "P_10", "ndcg", "num_rel", "num_q", "num_ret", "bpref", "gm_bpref", "utility")
    theirs = peers(qrels, run, set(pytrec_eval.supported_measures) - LEFT_OUT)
    ours = th.rank(qrels, run, measures=list(names)).run
    for name in names:
        want = pytrec_eval.compute_aggregated_measure(name, [row[name] for row in theirs.values()])
        assert ours.mean(name).value == pytest.approx(want, rel=EXACT), name


def test_all_scores_tied_and_all_in_float32_only():
    qrels = {"q": {"a": 1, "b": 0, "c": 2, "é": 1, "ab": 1}}
    for scores in (dict.fromkeys("abcdé", 1.0), {"a": 1.0, "b": 1 + 1e-9, "c": 1 + 2e-9, "é": 1 - 1e-9, "ab": 1.0}):
        theirs = peers(qrels, {"q": scores}, {"map", "ndcg", "recip_rank"})["q"]
        ours = th.rank(qrels, {"q": scores}, measures=list(theirs)).run
        for name, value in theirs.items():
            assert ours.mean(name).value == pytest.approx(value, abs=EXACT), name


def test_trec_evals_own_groups_hold_every_measure_that_it_has():
    ours = {name for group in ("all_trec", "official", "set") for name in GROUPS[group]}
    assert ours == set(pytrec_eval.supported_measures) - LEFT_OUT


# Their name, ours, and how exact the provider is that ir-measures takes: gdeval prints five decimals. Providers other
# than trec_eval break ties in ways of their own, so those see none.
IR_MEASURES = [
    ("AP", "map", EXACT, True), ("AP@5", "map_cut.5", EXACT, True), ("nDCG", "ndcg", EXACT, True),
    ("nDCG@10", "ndcg_cut.10", EXACT, True), ("RR", "recip_rank", EXACT, True), ("P@5", "P.5", EXACT, True),
    ("R@5", "recall.5", EXACT, True), ("Bpref", "bpref", EXACT, True), ("Rprec", "Rprec", EXACT, True),
    ("infAP", "infAP", EXACT, True), ("IPrec@0.1", "iprec_at_recall.0.1", EXACT, True),
    ("SetP", "set_P", EXACT, True), ("SetR", "set_recall", EXACT, True), ("SetF", "set_F", EXACT, True),
    ("SetAP", "set_map", EXACT, True), ("Success@5", "success.5", EXACT, True), ("NumRet", "num_ret", EXACT, True),
    ("RR@10", "recip_rank_cut.10", EXACT, False), ("Judged@10", "judged.10", EXACT, False),
    ("ERR@20", "err_cut.20", 6e-6, False),
    ("nDCG(dcg='exp-log2')@10", "ndcg_exp_cut.10", 6e-6, False),
]  # fmt: skip


@pytest.mark.parametrize(("theirs", "ours", "exact", "tied"), IR_MEASURES)
def test_ir_measures_as_a_second_opinion(theirs, ours, exact, tied):
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = generated(5, grades=4, negative=False)
    qrels, run = ({query[1:]: row for query, row in data.items()} for data in (qrels, run))  # gdeval takes numbers
    if not tied:
        rng = random.Random(1)
        run = {query: {document: rng.random() for document in row} for query, row in run.items()}
    rows = list(ir_measures.iter_calc([ir_measures.parse_measure(theirs)], qrels, run))
    known = {row.query_id: row.value for row in rows}
    found = th.rank(qrels, run, measures=[ours]).run
    for query, value in zip(found.queries, found.by_query(ours).tolist(), strict=True):
        if query in known:  # gdeval leaves queries without relevant documents out
            assert value == pytest.approx(known[query], abs=exact), query
    assert sum(query in known for query in found.queries) >= 30


@pytest.mark.parametrize(("theirs", "ours"), [row[:2] for row in IR_MEASURES if "dcg=" not in row[0]])
def test_names_of_ir_measures_are_known(theirs, ours):
    from thresher.ranking.list_measures import list_measures

    assert [one.name for one in list_measures(theirs.replace(",rel=1", ""))] == [
        one.name for one in list_measures(ours)
    ]


def test_expected_ties_against_scikit_learn():
    """Its NDCG and DCG average tied gains (McSherry & Najork); its gains are linear and nothing is unjudged."""
    from sklearn.metrics import dcg_score, ndcg_score

    rng = np.random.default_rng(0)
    relevance, scores = rng.integers(0, 4, (30, 15)), rng.integers(0, 5, (30, 15)).astype(float)
    queries = np.repeat(np.arange(30), 15)
    found = th.rank(relevance.ravel(), scores.ravel(), query=queries, measures=["dcg_cut.5", "ndcg", "ndcg_cut.5"])
    assert found.mean("dcg_cut.5").value == pytest.approx(dcg_score(relevance, scores, k=5), abs=EXACT)
    assert found.mean("ndcg").value == pytest.approx(ndcg_score(relevance, scores), abs=EXACT)
    assert found.mean("ndcg_cut.5").value == pytest.approx(ndcg_score(relevance, scores, k=5), abs=EXACT)
