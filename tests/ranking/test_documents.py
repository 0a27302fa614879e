"""What an evaluation of runs is written as: JSON by its schema, tables between commas, Markdown, a page."""

import csv
import io
import json
import math
import pickle
from importlib import resources

import jsonschema
import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.errors import InputError
from thresher.measures import measures
from thresher.ranking.forms import csv_lines, jsonl, tsv
from thresher.ranking.list_measures import find_ranking
from thresher.report.render.results import ranking_form, ranking_json, ranking_page
from thresher.report.sections.ranking import sections

QRELS = {"a": {"x": 2, "y": 0, "z": 1}, "b": {"x": 0, "y": 1}, "c": {"x": 0}, "d": {"w": 1}}
RUNS = {
    "one": {"a": {"x": 3.0, "y": 2.0, "v": 1.0}, "b": {"x": 3.0, "y": 2.0}, "c": {"x": 1.0}},
    "two": {"a": {"y": 3.0, "z": 2.0}, "b": {"y": 3.0}, "c": {"x": 1.0}, "d": {"w": 1.0}},
}
OPTIONS = [
    {}, {"ties": "expected"}, {"complete": True}, {"no_relevant": "skip"}, {"bootstrap": th.Bootstrap(n=20)},
    {"level": 0.8, "judged_only": True},
]  # fmt: skip


@pytest.fixture(scope="module")
def validator():
    text = resources.files("thresher.report").joinpath("ranking.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("per_query", [False, True])
def test_every_document_is_by_the_schema(validator, options, per_query):
    found = th.rank(QRELS, RUNS, measures="all", **options)
    document = json.loads(found.to_json(per_query=per_query))
    validator.validate(document)
    assert set(document) <= set(validator.schema["properties"])
    assert ("per_query" in document["runs"][0]) is per_query


def test_what_is_counted_is_whole():
    found = th.rank(QRELS, RUNS, measures=["num_q", "num_rel", "map"])
    document = found.to_dict(per_query=True)["runs"][0]
    assert document["measures"]["num_q"]["value"] == 3
    for name in ("num_q", "num_rel"):
        assert type(document["measures"][name]["value"]) is int
        assert type(document["per_query"]["a"][name]) is int
    assert type(document["measures"]["map"]["n"]) is int
    for write in (tsv, csv_lines):
        rows = list(csv.reader(write(found), delimiter="\t" if write is tsv else ","))
        assert [row[2] for row in rows[1:3]] == ["3", "3"]
        rows = list(csv.reader(write(found, per_query=True), delimiter="\t" if write is tsv else ","))
        assert rows[1][:4] == ["one", "a", "1", "2"]
    assert json.loads(next(jsonl(found)))["value"] == 3


def test_names_of_every_kind_stay_in_their_cells():
    name = 'a,"b"\tc\nd|<e>'
    found = th.rank({name: {"x": 1}, "q": {"x": 1}}, {name: {name: {"x": 1}, "q": {"y": 2, "x": 1}}}, measures="map")
    rows = list(csv.reader(io.StringIO("".join(csv_lines(found, per_query=True)))))
    assert [row[:2] for row in rows[1:]] == [[name, name], [name, "q"]]
    assert all(line.count("\t") == 2 for line in tsv(found, per_query=True))
    assert len(list(tsv(found, per_query=True))) == 3
    assert "<e>" not in ranking_page(found, per_query=True)
    assert "|<e>" not in ranking_form(found, per_query=True, form="markdown")


def test_a_difference_that_cannot_be_tested_is_not_called_one_that_is_not_shown():
    qrels = {query: {"a": 1, "b": 0} for query in "qrs"}
    runs = {"one": {q: {"a": 1.0, "b": 1.0} for q in "qrs"}, "two": {q: {"a": 1.0, "b": 2.0} for q in "qrs"}}
    found = th.rank(qrels, runs, measures=["map", "infAP"], ties="expected")
    markdown = ranking_form(found, found.compare_all(), form="markdown")
    assert "every query differs by the same amount, so it is unknown how surprising that is | 3–0–0" in markdown
    assert "not tested: a value of a query is undefined or infinite | 0–0–0" in markdown
    assert "ot shown to differ" not in markdown


def test_the_eleven_point_mean_has_its_interval():
    run = th.rank(QRELS, RUNS)["one"]
    mean = run.mean("11pt_avg")
    summary = run.interpolated.summary
    assert mean.low is not None
    assert (summary.value, summary.low, summary.high) == (mean.value, mean.low, mean.high)
    assert summary.name == "11-point mean"


def test_an_evaluation_cannot_be_changed():
    run = th.rank(QRELS, RUNS, measures=["map", "P.1"])["one"]
    first = run.mean("map")
    assert run.mean("map") is first
    assert run.mean("recip_rank") == run.mean("recip_rank")
    with pytest.raises(AttributeError):
        run.means = ()
    again = pickle.loads(pickle.dumps(run))
    assert again.means == run.means
    assert "means" not in run.__reduce__()[1][1]


def test_one_drawing_of_queries_serves_every_measure():
    config = th.Bootstrap(n=200, rng=3)
    together = th.rank(QRELS, RUNS, measures=["map", "P.1", "gm_map"], bootstrap=config)
    for name in together.names:
        alone = th.rank(QRELS, RUNS, measures=name, bootstrap=config)
        for run in RUNS:
            a, b = together[run].mean(name), alone[run].mean(name)
            assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-12)
            assert together[run].mean(name) == together[run].means[together.names.index(name)]


def test_a_gain_beyond_the_largest_float_is_undefined_and_says_so():
    found = th.rank({"q": {"a": 1100, "b": 1}, "r": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}},
                    measures=["ndcg_exp", "dcg_exp", "ndcg"])  # fmt: skip
    for name in ("ndcg_exp", "dcg_exp"):
        assert math.isnan(found.mean(name).value)
        assert found.mean(name).reason_code == "infinite"
    assert found.mean("ndcg").value == 1
    json.loads(found.to_json(per_query=True))


def test_text_columns_of_any_kind_are_the_same_columns():
    texts = ["a", "né", "", "long-identifier-0123456789", "x"]
    number = np.arange(5.0)
    rel = np.array([0, 1, 0, 2, 0])
    wanted = None
    for make in (list, np.array, lambda t: np.array(t, dtype=object), lambda t: [np.str_(x) for x in t]):
        qrels = {"query": make(["q"] * 5), "document": make(texts), "relevance": rel}
        run = {"query": make(["q"] * 5), "document": make(texts), "score": number}
        found = th.rank(qrels, run, measures="all_trec").to_dict()
        wanted = wanted or found
        assert found == wanted


def test_identifiers_with_a_zero_byte_or_half_a_letter():
    for odd in ("a\0b", "\ud800", "caf\udce9"):
        qrels = {"query": ["q", "q"], "document": [odd, "d"], "relevance": [1, 0]}
        run = {"query": ["q", "q"], "document": [odd, "d"], "score": [1.0, 2.0]}
        assert th.rank(qrels, run).mean("recip_rank").value == 0.5


@pytest.mark.peer
def test_pandas_text_that_is_not_in_arrow_needs_no_pyarrow(monkeypatch):
    pd = pytest.importorskip("pandas")

    def refuse(*_args, **_kwargs):
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pd.Series, "__arrow_c_stream__", refuse)
    text = pd.StringDtype(storage="python")
    frame = pd.DataFrame({"query": pd.Series(["q", "q"], dtype=text), "document": pd.Series(["a", "b"], dtype=text)})
    found = th.rank(frame.assign(relevance=[0, 1]), frame.assign(score=[2.0, 1.0]), measures="recip_rank")
    assert found.mean("recip_rank").value == 0.5
    with pytest.raises(InputError, match="is empty in row 2"):
        th.rank(frame.assign(relevance=[0, 1], document=pd.Series(["a", None], dtype=text)), frame.assign(score=1.0))


def test_three_runs_are_ranked_with_their_critical_difference(validator):
    from thresher.inference import critical_difference

    queries = [f"q{i:02}" for i in range(20)]
    qrels = {q: {"a": 1} for q in queries}
    good, fair, bad = ({"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 3.0, "a": 2.0, "c": 1.0}, {"b": 3.0, "c": 2.0, "a": 1.0})
    runs = {
        "bad": dict.fromkeys(queries, bad),
        "good": dict.fromkeys(queries, good),
        "fair": {q: fair if i % 4 else good for i, q in enumerate(queries)},
    }
    found = th.rank(qrels, runs, measures=["num_q", "map"])
    values = [[found[name].by_query("map")[i] for name in runs] for i in range(20)]
    expected = critical_difference(values, models=list(runs))
    (table,) = [part for part in sections(found) if part.key == "ranks"]
    assert [row[0] for row in table.rows] == ["good", "fair", "bad"] == list(expected.models)
    assert [row[1].text for row in table.rows] == [f"{rank:.2f}" for rank in expected.mean_ranks]
    for row, rank in zip(table.rows, expected.mean_ranks, strict=True):
        gap = rank - expected.mean_ranks[0]
        ends = gap - expected.critical_difference, gap, gap + expected.critical_difference
        assert (row[2].estimate.low, row[2].estimate.value, row[2].estimate.high) == pytest.approx(ends)
        near = next(({*group} for group in expected.groups if row[0] in group and len(group) > 1), {row[0]})
        assert row[3] == (", ".join(sorted(near - {row[0]})) or "none")
    page = full(ranking_page(found))
    assert "Mean ranks by map" in page
    assert page.count('class="forest"') == 3
    assert "two runs differ where their mean ranks are more than" in page
    assert "Mean ranks by map" in ranking_form(found, form="markdown")
    written = json.loads(ranking_json(found))
    validator.validate(written)
    assert written["mean_ranks"]["mean_ranks"] == dict(zip(expected.models, expected.mean_ranks, strict=True))
    assert written["mean_ranks"]["critical_difference"] == expected.critical_difference
    two = th.rank(qrels, {name: runs[name] for name in ("bad", "good")}, measures=["map"])
    assert "mean_ranks" not in json.loads(ranking_json(two))
    assert [part for part in sections(two) if part.key == "ranks"] == []


def test_every_measure_has_a_formula_and_a_row():
    assert all(entry.text and entry.title and entry.source for entry in measures("ranked lists"))
    assert find_ranking("nDCG@10").name == "ndcg_cut"
    assert find_ranking("P").name == "P"
    assert find_ranking("all") is None
    assert find_ranking("nonsense") is None
