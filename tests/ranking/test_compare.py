"""Tests over queries: against scipy, against all assignments, and for a run against itself."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inference.differences.p_values import OTHER_NAMES
from thresher.ranking import query_difference
from thresher.ranking.evaluation import IN_BOTH

VALUES = st.lists(st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0])] * 2), min_size=2, max_size=8)


@given(VALUES)
def test_paired_t_is_scipys(rows):
    from scipy import stats

    a, b = np.array(rows).T
    found = query_difference(a, b)
    d = a - b
    if d.min() == d.max():
        assert (found.p() == 1.0) if d[0] == 0 else (np.isnan(found.p()) and "same amount" in found.reason)
        return
    want = stats.ttest_rel(a, b)
    assert found.p() == pytest.approx(want.pvalue, rel=1e-9)
    assert found.p("greater") == pytest.approx(stats.ttest_rel(a, b, alternative="greater").pvalue, rel=1e-9)
    low, high = want.confidence_interval(0.95)
    assert found.interval(0.95) == pytest.approx((max(-1, low), min(1, high)))


@given(VALUES)
def test_few_queries_go_through_all_assignments(rows):
    a, b = np.array(rows).T
    d = a - b
    means = np.array([np.mean(d * signs) for signs in itertools.product((1, -1), repeat=d.size)])
    found = query_difference(a, b, test="randomization")
    assert found.p() == pytest.approx(np.mean(np.abs(means) >= abs(d.mean()) - 1e-12))
    assert found.p("greater") == pytest.approx(np.mean(means >= d.mean() - 1e-12))
    assert found.p("less") == pytest.approx(np.mean(means <= d.mean() + 1e-12))


@pytest.mark.slow
def test_many_queries_draw_assignments():
    from scipy import stats

    rng = np.random.default_rng(1)
    a, b = rng.random(40), rng.random(40) * 0.9
    found = query_difference(a, b, test="randomization", n=20_000)
    statistic = lambda x, y, axis: np.mean(x - y, axis=axis)  # noqa: E731
    want = stats.permutation_test((a, b), statistic, permutation_type="samples", n_resamples=20_000, rng=2)
    assert found.p() == pytest.approx(want.pvalue, abs=0.012)
    assert found.p() == query_difference(a, b, test="randomization", n=20_000).p()
    assert found.p() != query_difference(a, b, test="randomization", n=20_000, rng=1).p()


def test_the_bootstrap_is_near_the_t_test():
    rng = np.random.default_rng(2)
    a, b = rng.random(200), rng.random(200) - 0.05
    t, drawn = query_difference(a, b), query_difference(a, b, test="bootstrap", bootstrap=th.Bootstrap(n=5000))
    assert drawn.p() == pytest.approx(t.p(), abs=0.02)
    assert drawn.interval(0.95) == pytest.approx(t.interval(0.95), abs=0.005)
    for method in ("basic", "bca"):
        other = query_difference(a, b, test="bootstrap", bootstrap=th.Bootstrap(n=5000, method=method))
        assert other.interval(0.95) == pytest.approx(t.interval(0.95), abs=0.005)


@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap"])
def test_a_run_against_itself(test):
    a = np.random.default_rng(3).random(30)
    found = query_difference(a, a, test=test)
    assert (found.value, found.p()) == (0.0, 1.0)


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(0)
    relevance = rng.integers(0, 2, 400)
    scores = {name: relevance * weight + rng.random(400) for name, weight in (("good", 1.0), ("fair", 0.5), ("bad", 0))}
    return th.rank(relevance, scores, query=np.repeat(np.arange(40), 10), measures=["map", "P.1"])


def test_several_runs_are_adjusted_by_holm(evaluation):
    from thresher.inference import adjust_p_values

    found = evaluation.compare(measure="P.1", test="randomization")
    assert [item.models for item in found] == [("good", "fair"), ("good", "bad"), ("fair", "bad")]
    assert [item.adjusted_p_value for item in found] == adjust_p_values([item.p_value for item in found]).tolist()
    assert [item.models for item in evaluation.compare("bad")] == [("good", "bad"), ("fair", "bad")]
    assert [item.models for item in evaluation.compare(b="bad")] == [("good", "bad"), ("fair", "bad")]
    assert "Holm" in found[1].sentence


def test_queries_that_only_one_run_has_are_not_compared():
    qrels = {query: {"d": 1, "e": 0} for query in "abcd"}
    first = {query: {"d": 1.0, "e": 0.0} for query in "abc"}
    second = {query: {"d": 0.0, "e": float(query == "b")} for query in "bcd"}
    found = th.rank(qrels, {"first": first, "second": second})
    assert found.compare("first", "second").n == (2, 2)
    for test in ("t", "randomization", "bootstrap"):
        told = found.compare("first", "second", measure="P.1", test=test)
        assert told.method.endswith(f", {IN_BOTH}")
        assert IN_BOTH in told.sentence or told.reason
    assert "in both" not in th.rank(qrels, {"a": first, "b": first}).compare("a", "b").method
    assert th.rank(qrels, {"first": first, "second": second}, complete=True).compare("first", "second").n == (4, 4)
    table = found.outcomes("first", "second")
    assert table.queries == ("b", "c")
    assert table.winner == ("first", "first")


def test_wins_ties_and_losses(evaluation):
    found = evaluation.outcomes("good", "bad", measure="P.1")
    good, bad = (evaluation[name].by_query("P.1").tolist() for name in ("good", "bad"))
    signs = [(a > b) - (a < b) for a, b in zip(good, bad, strict=True)]
    assert (found.wins, found.ties, found.losses) == (signs.count(1), signs.count(0), signs.count(-1))
    assert found.winner == tuple({1: "good", 0: "tie", -1: "bad"}[sign] for sign in signs)
    assert list(found.columns()) == ["query", "first", "second", "difference", "winner"]
    assert found.to_dict()["difference"] == [a - b for a, b in zip(good, bad, strict=True)]
    assert evaluation.outcomes("good", "good").ties == 40
    close = evaluation.outcomes("good", "bad", measure="P.1", within=1.0)
    assert (close.ties, set(close.winner)) == (40, {"tie"})


def test_values_that_are_undefined_or_infinite_are_neither_ties_nor_tested():
    qrels = {"q": {"a": 1100, "b": 1}, "r": {"a": 1, "b": 0}, "s": {"a": 2, "b": 1}}
    down = {query: {"a": 2.0, "b": 1.0} for query in "qrs"}
    other = {"q": {"b": 1.0}, "r": {"a": 1.0, "b": 2.0}, "s": {"a": 1.0, "b": 2.0}}
    found = th.rank(qrels, {"one": down, "two": other, "three": down}, measures=["dcg_exp", "map"])
    for test in ("t", "randomization", "bootstrap"):
        item = found.compare("one", "two", measure="dcg_exp", test=test)
        assert np.isnan(item.p_value)
        assert np.isnan(item.values[0])
        assert item.values[1] == pytest.approx(found["two"].mean("dcg_exp").value)
        assert item.reason_code == "undefined"
    assert found.outcomes("one", "two", measure="dcg_exp").winner == ("one", "one", "one")
    same = found.outcomes("one", "three", measure="dcg_exp")
    assert same.winner == ("undefined", "tie", "tie")
    assert (same.wins, same.ties, same.losses, same.undefined) == (0, 2, 0, 1)
    assert repr(same) == "Outcomes(dcg_exp: one wins 0 queries, three 0, tied 2, undefined 1)"
    document = json.loads(json.dumps(same.to_dict(), allow_nan=False))
    assert (document["measure"], document["runs"], document["wins"], document["undefined"]) == (
        "dcg_exp", ["one", "three"], 0, 1,
    )  # fmt: skip
    assert document["difference"].count(None) == 1
    assert len(document["query"]) == len(document["first"]) == 3


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@given(rows=VALUES)
def test_signed_ranks_and_signs_are_those_of_the_tests_by_name(alternative, rows):
    from thresher.inference import sign_test, wilcoxon_signed_rank_test

    a, b = np.array(rows).T
    for test, function in (("wilcoxon", wilcoxon_signed_rank_test), ("sign", sign_test)):
        found = query_difference(a, b, test=test)
        assert found.p(alternative) == function(a, b, alternative=alternative).p_value
        assert found.value == pytest.approx((a - b).mean(), abs=1e-15)
        assert found.interval(0.95) is None


def three_runs():
    rng = np.random.default_rng(3)
    qrels = {f"q{i}": {f"d{j}": int(rng.random() < 0.3) for j in range(12)} for i in range(20)}
    noise = {"a": 0.3, "b": 0.6, "c": 1.5}
    runs = {
        name: {q: {d: r + rng.normal() * scale for d, r in docs.items()} for q, docs in qrels.items()}
        for name, scale in noise.items()
    }
    return th.rank(qrels, runs, measures="map P.5")


def test_a_margin_is_held_against_the_interval():
    found = three_runs().compare("a", "c", margin=0.05)
    plain = three_runs().compare("a", "c")
    assert found.noninferiority_p < 0.01 < found.equivalence_p
    assert "not worse than c by 0.05" in found.sentence
    assert (found.low, found.high, found.p_value) == (plain.low, plain.high, plain.p_value)


@pytest.mark.parametrize(("name", "method"), [("hommel", "hommel"), ("BY", "by"), ("bonferroni", "bonferroni")])
def test_the_correction_is_the_one_that_was_asked_for(name, method):
    found = three_runs().compare(correction=name)
    want = th.inference.adjust_p_values([one.p_value for one in found], method=method)
    assert [one.adjusted_p_value for one in found] == want.tolist()
    assert {one.correction for one in found} == {OTHER_NAMES.get(method, method)}
    assert all("after Holm" not in one.sentence for one in found)


@pytest.mark.parametrize("queries", [5, 10])
def test_a_bootstrap_of_few_queries_rejects_equal_runs_as_often_as_it_says(queries):
    """Without the number of queries it rejected 12 and 9 % of them, and its limits covered 79 and 88 %."""
    rng, rejected, covered = np.random.default_rng(queries), [], []
    for seed in range(500):
        found = query_difference(
            *rng.beta(2, 2, (2, queries)), test="bootstrap", bootstrap=th.Bootstrap(n=200, rng=seed)
        )
        low, high = found.interval(0.95, "two-sided")
        rejected.append(found.p() < 0.05)
        covered.append(low <= 0 <= high)
    assert 0.02 < np.mean(rejected) < 0.08
    assert 0.92 < np.mean(covered) < 0.98
