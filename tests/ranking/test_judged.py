"""Queries judged by people beside a judge's judgements of all: prediction-powered means and differences."""

import json
from importlib import resources
from itertools import combinations

import jsonschema
import numpy as np
import pytest

import thresher as th
from thresher.inference.judged import AllRows, Influence, Labelling, powered
from thresher.ranking.judged import GOLD_ALONE
from thresher.report.sections import ranking as sections

MEASURES = ("map", "ndcg_cut.10", "P.5")


def drawn(rng, queries=120, *, right=0.85, gold=40, documents=10):
    """Judgements by people of the gold queries, by the judge, two runs, and by people of all."""
    shape = (queries, documents)
    relevant = (rng.random(shape) < rng.beta(2, 4, size=(queries, 1))).astype(int)
    judged = np.where(rng.random(shape) < right, relevant, 1 - relevant)
    relevant[:, 0] = judged[:, 0] = 1
    runs = {name: nested(relevant * weight + rng.normal(size=shape)) for name, weight in (("a", 1.5), ("b", 1.0))}
    return nested(relevant[:gold]), nested(judged), runs, nested(relevant)


def nested(table):
    return {f"q{i}": {f"d{j}": value for j, value in enumerate(row)} for i, row in enumerate(table.tolist())}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_mean_is_the_prediction_powered_mean_over_queries(measure):
    people, judge, runs, _ = drawn(np.random.default_rng(1))
    found = th.rank(people, runs, judge=judge, measures=MEASURES)["a"].mean(measure)
    gold, every = (th.rank(each, runs, measures=MEASURES)["a"].by_query(measure) for each in (people, judge))
    slope = np.cov(gold, every[:40])[0, 1] / every[:40].var(ddof=1)
    slope = min(slope, 1 / (1 - 40 / 120))
    assert found.value == pytest.approx(gold.mean() + slope * (every.mean() - every[:40].mean()), abs=1e-12)
    assert found.method.startswith("prediction-powered")
    assert 40 < found.n < 120


@pytest.mark.parametrize("measure", MEASURES)
def test_a_judge_who_is_right_gives_the_mean_of_all_queries(measure):
    people, judge, runs, every = drawn(np.random.default_rng(2), right=1.0)
    found, whole, gold = (
        th.rank(each, runs, measures=MEASURES, **options)
        for each, options in ((people, {"judge": judge}), (every, {}), (people, {}))
    )
    one, two = (each["a"].mean(measure) for each in (found, gold))
    assert one.value == pytest.approx(whole["a"].mean(measure).value, abs=1e-12)
    assert one.high - one.low < two.high - two.low
    apart = found.compare("a", "b", measure=measure)
    assert apart.difference == pytest.approx(whole.compare("a", "b", measure=measure).difference, abs=1e-12)
    assert "prediction-powered" in apart.method


@pytest.mark.parametrize("gold", [14, 15])
def test_few_gold_queries_are_warned_of(gold):
    people, judge, runs, _ = drawn(np.random.default_rng(4), gold=gold)
    found = th.rank(people, runs, judge=judge, measures=["map"])
    is_few = gold < 15
    assert ("few-gold" in {note.code for note in found.notes}) == is_few
    assert ("few-gold" in {each.code for each in found["a"].mean("map").warnings}) == is_few


def test_over_all_samples_of_gold_queries_the_corrected_mean_is_unbiased():
    rng = np.random.default_rng(3)
    people, judge = rng.random(7), rng.random(7)
    found = []
    for gold in map(list, combinations(range(7), 3)):
        readings = people[gold], judge[gold], judge
        adds = [(each - each.mean()) / each.size for each in readings]
        means = tuple(float(each.mean()) for each in readings)
        labelling = Labelling(np.array(gold), 4 / 7)
        found.append(
            powered(
                Influence(means, *adds[:2], AllRows.of(adds[2], np.array(gold)), np.zeros((1, 3))),
                labelling,
                weight=4 / 7,
            ).value
        )
    assert np.mean(found) == pytest.approx(people.mean(), abs=1e-12)


def test_a_useless_judge_leaves_the_gold_queries_alone():
    people, judge, runs, _ = drawn(np.random.default_rng(4))
    for wrong in ({q: dict.fromkeys(each, 1) for q, each in judge.items()},):
        found = th.rank(people, runs, judge=wrong, measures="map")
        gold = th.rank(people, runs, measures="map")
        one, two = found["a"].mean("map"), gold["a"].mean("map")
        assert (one.value, one.low, one.high) == (two.value, two.low, two.high)
        assert one.method == f"{two.method}, gold queries alone"
        apart = found.compare("a", "b")
        assert apart.p_value == gold.compare("a", "b").p_value
        assert apart.method.endswith("gold queries alone")


def test_every_mean_names_its_basis():
    people, judge, runs, _ = drawn(np.random.default_rng(5))
    found = th.rank(people, runs, judge=judge, measures="all")
    means = [mean for run in found.values() for mean in run.means if mean.is_defined]
    assert all("prediction-powered" in mean.method or "gold queries alone" in mean.method for mean in means)
    assert "judged-queries" in {note.code for note in found.notes}
    schema = resources.files("thresher.report").joinpath("ranking.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(found.to_json()), json.loads(schema))
    assert len(found["a"].queries) == 40


def test_a_query_judged_in_part_is_not_gold():
    people, judge, runs, _ = drawn(np.random.default_rng(6))
    less = {**people, "q0": {"d0": 1}}
    assert "q0" not in th.rank(less, runs, judge=judge)["a"].queries
    found = th.rank(less, runs, judge=judge)
    assert len(found["a"].queries) == 39
    (note,) = (each for each in found.notes if each.code == "partly-judged-queries")
    assert " 1; " in note
    assert "partly-judged-queries" not in {each.code for each in th.rank(people, runs, judge=judge).notes}


def test_one_table_and_arrays_are_read_alike():
    people, judge, runs, _ = drawn(np.random.default_rng(7))
    rows = [(q, d) for q, each in judge.items() for d in each]
    table = {
        "query": [q for q, _ in rows],
        "document": [d for _, d in rows],
        "relevance": [people.get(q, {}).get(d) for q, d in rows],
        "model": [judge[q][d] for q, d in rows],
        "score": [runs["a"][q][d] for q, d in rows],
    }
    want = th.rank(people, runs["a"], judge=judge).mean("map")
    assert th.rank(table, judge="model").run.mean("map") == want
    relevance = [np.nan if each is None else each for each in table["relevance"]]
    arrays = {"query": table["query"], "document": table["document"]}
    found = th.rank(np.array(relevance), np.array(table["score"]), judge=np.array(table["model"]), **arrays)
    assert found.run.mean("map") == want


@pytest.mark.slow
def test_intervals_hold_the_truth():
    """With 200 samples 95 % is found within 3 points."""
    rng = np.random.default_rng(9)
    _, _, runs, every = drawn(rng, queries=10_000)
    known = [th.rank(every, {name: runs[name]}, measures="map").run.mean("map").value for name in "ab"]
    held = np.zeros(2)
    for _ in range(200):
        people, judge, runs, _ = drawn(rng, gold=30)
        found = th.rank(people, runs, judge=judge, measures="map")
        one, apart = found["a"].mean("map"), found.compare("a", "b")
        held += one.low <= known[0] <= one.high, apart.low <= known[0] - known[1] <= apart.high
    assert (held >= 183).all(), held


@pytest.mark.parametrize("gold", [1, 40])
def test_sections_name_the_means_of_gold_queries_alone(gold):
    people, judge, runs, _ = drawn(np.random.default_rng(4))
    few = dict(list(people.items())[:gold])
    found = th.rank(few, runs, judge=judge, measures=["map", "gm_map", "num_rel"])
    assert "gold" in sections.lead(found)
    marked = [row[0] for row in sections.means(found).rows if GOLD_ALONE in row[-1]]
    assert marked == (["gm_map", "num_rel"] if gold > 1 else ["map", "gm_map", "num_rel"])
    assert any(text.startswith("Intervals:") for text in sections.said(found)) == (gold > 1)
