"""The same judgements and results in every form that a user may have them in, and what is refused."""

import gzip

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError
from thresher.ranking import front, table_files
from thresher.readers.csv_files import decimal_mark

QRELS = {"q1": {"d1": 1, "d2": 0, "d30": 2}, "q2": {"d1": 0, "d9": -1, "d4": 3}, "10": {"é": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.5, "d30": 2.5, "d7": -1.0}, "10": {"é": 0.25, "d1": 0.5}, "none": {"d1": 1.0}}
MEASURES = ["map", "ndcg", "P.2", "bpref", "num_ret"]


def qrels_text(data=QRELS):
    return "".join(f"{q} 0 {d} {rel}\n" for q, row in data.items() for d, rel in row.items())


def run_text(data=RUN, tag="bm25"):
    return "".join(f"{q} Q0 {d} {i} {s!r} {tag}\n" for q, row in data.items() for i, (d, s) in enumerate(row.items()))


def columns(data, number):
    rows = [(q, d, v) for q, row in data.items() for d, v in row.items()]
    return dict(zip(("query", "document", number), map(list, zip(*rows, strict=True)), strict=True))


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q.txt").write_text(qrels_text(), encoding="utf-8")
    (tmp_path / "r.txt").write_text(run_text(), encoding="utf-8")
    return tmp_path


def means(found):
    return {name: found.mean(name).value for name in MEASURES}


WANT = means(th.rank(QRELS, RUN, measures=MEASURES))


def test_the_dictionaries_are_those_of_trec_eval():
    assert WANT["map"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)  # d30 stands above d1: documents fall
    assert WANT["num_ret"] == 6


def test_trec_files_plain_and_gzip(files):
    assert means(th.rank(str(files / "q.txt"), files / "r.txt", measures=MEASURES)) == WANT
    for name in ("q.txt", "r.txt"):
        (files / f"{name}.gz").write_bytes(gzip.compress((files / name).read_bytes()))
    assert means(th.rank(files / "q.txt.gz", files / "r.txt.gz", measures=MEASURES)) == WANT


def test_parquet_csv_and_json_lines(tmp_path):
    for name, data, number in (("q", QRELS, "relevance"), ("r", RUN, "score")):
        made = duckdb.from_query(
            "SELECT * FROM (VALUES "
            + ", ".join(f"('{q}', '{d}', {v})" for q, row in data.items() for d, v in row.items())
            + f") t(query, document, {number})"
        )
        made.write_parquet(str(tmp_path / f"{name}.parquet"))
        made.write_csv(str(tmp_path / f"{name}.csv"))
        duckdb.execute(f"COPY (SELECT * FROM made) TO '{tmp_path / name}.jsonl'")
    for suffix in ("parquet", "csv", "jsonl"):
        found = th.rank(tmp_path / f"q.{suffix}", tmp_path / f"r.{suffix}", measures=MEASURES)
        assert means(found) == WANT, suffix
    assert means(th.rank(tmp_path / "q.parquet", RUN, measures=MEASURES)) == WANT


def test_trec_files_that_are_called_tables(files):
    for name, text in (("q", qrels_text()), ("r", run_text())):
        (files / f"{name}.tsv").write_text(text.replace(" ", "\t"), encoding="utf-8")
        (files / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert means(th.rank(files / "q.tsv", files / "r.tsv", measures=MEASURES)) == WANT
    assert means(th.rank(files / "q.csv.gz", files / "r.csv.gz", measures=MEASURES)) == WANT
    header = "query-id\tcorpus-id\trelevance\n"
    lines = "".join(f"{q}\t{d}\t{rel}\n" for q, row in QRELS.items() for d, rel in row.items())
    (files / "q.tsv").write_text(header + lines, encoding="utf-8")
    assert means(th.rank(files / "q.tsv", files / "r.tsv", measures=MEASURES)) == WANT


def test_dictionaries_of_columns_and_their_own_names():
    judged, run = columns(QRELS, "relevance"), columns(RUN, "score")
    assert means(th.rank(judged, run, measures=MEASURES)) == WANT
    judged = {"topic": judged["query"], "docno": judged["document"], "rel": judged["relevance"]}
    run = {"a": np.array(run["query"]), "b": np.array(run["document"], dtype=object), "c": run["score"]}
    odd = {"a": judged["topic"], "b": judged["docno"], "c": judged["rel"]}
    assert means(th.rank(odd, run, query="a", document="b", score="c", relevance="c", measures=MEASURES)) == WANT


def test_one_table_of_everything_and_arrays():
    rows = [(q, d, s, QRELS.get(q, {}).get(d, np.nan)) for q, row in RUN.items() if q in QRELS for d, s in row.items()]
    query, document, score, relevance = (list(column) for column in zip(*rows, strict=True))
    table = {"query": query, "document": document, "score": score, "relevance": relevance}
    judged = {q: {d: v for d, v in QRELS[q].items() if d in RUN[q]} for q in ("q1", "10")}
    want = means(th.rank(judged, RUN, measures=MEASURES))
    assert means(th.rank(table, measures=MEASURES)) == want
    assert means(th.rank(relevance, score, query=query, document=document, measures=MEASURES)) == want
    several = th.rank(relevance, {"a": score, "b": [-s for s in score]}, query=query, document=document)
    assert list(several) == ["a", "b"]
    two = th.rank({**table, "other": score[::-1]}, score=["score", "other"], measures=MEASURES)
    assert means(two["score"]) == want


def test_a_table_file_of_everything_may_lack_judgements(tmp_path):
    (tmp_path / "t.csv").write_text("qid,doc,score,rel\n1,a,0.9,\n1,b,0.5,1\n2,a,0.1,NA\n2,c,0.3,0\n")
    found = th.rank(tmp_path / "t.csv", measures=["map", "num_nonjudged_ret", "num_ret"])
    assert [found.mean(name).value for name in found.names] == [0.25, 2.0, 4.0]
    assert found.run.name == "score"


def test_a_query_of_a_table_without_any_judgement_is_left_out():
    found = th.rank([1, np.nan, -1], [3, 2, 1], query=["a", "b", "c"], document=["x", "y", "z"], measures=["map"])
    assert found.queries == ("a", "c")  # a negative relevance is a judgement that was set aside
    assert "unjudged-queries" in [note.code for note in found.notes]


def test_without_documents_ties_are_averaged_and_that_is_said():
    found = th.rank([1, 0], [0.5, 0.5], query=["q", "q"], measures=["P.1"])
    assert found.mean("P.1").value == 0.5
    assert "no-documents" in [note.code for note in found.notes]
    assert th.rank([1, 0], [0.5, 0.5], query=["q", "q"], ties="expected").notes == (front.ONE_TABLE,)


def test_a_join_that_lost_what_was_not_retrieved_is_said(tmp_path):
    """A run joined to its judgements has no row for a relevant document that it did not retrieve: MAP doubles."""
    joined = {"query": ["q"], "document": ["a"], "relevance": [1], "score": [0.5]}
    assert th.rank({"q": {"a": 1, "b": 1}}, {"q": {"a": 0.5}}, measures="map").mean("map").value == 0.5
    found = th.rank(joined, measures="map")
    assert found.mean("map").value == 1.0
    assert found.notes == (front.ONE_TABLE,)
    assert th.rank({"q": {"a": 1, "b": 1}}, {"q": {"a": 0.5}}).notes == ()
    other = {"query": ["q", "q"], "document": ["a", "b"], "relevance": [1, 1], "score": [0.5, None]}
    path = tmp_path / "t.csv"
    path.write_text("query,document,relevance,score\nq,a,1,0.5\nq,b,1,\n")
    for table in (other, path):
        whole = th.rank(table, measures="map")
        assert whole.mean("map").value == 0.5
        assert whole.notes == ("1 judged row lacks a score: it counts as judged and not retrieved.",)


def test_each_run_of_one_table_has_its_own_documents():
    table = {"query": list("qqpp"), "document": list("abab"), "relevance": [1, 1, 0, 1],
             "a": [2.0, None, 1, 2], "b": [1.0, 2.0, None, None]}  # fmt: skip
    found = th.rank(table, score=["a", "b"], measures="map num_ret num_rel", complete=True)
    assert found["a"].by_query("map").tolist() == [0.5, 1.0]
    assert found["b"].by_query("map").tolist() == [1.0, 0.0]
    assert [found[name].mean("num_ret").value for name in "ab"] == [3, 2]
    assert [found[name].mean("num_rel").value for name in "ab"] == [3, 3]


ORDERED = {"q1": ["d3", "d1", "d2"], "q2": ["d2"]}
JUDGED = {"q1": {"d1": 1, "d2": 2}, "q2": {"d2": 1}}


def scored(ordered):
    return {q: {d: -float(i) for i, d in enumerate(documents)} for q, documents in ordered.items()}


def test_ordered_lists_are_runs():
    want = th.rank(JUDGED, scored(ORDERED), measures="all").to_dict()["runs"][0]["measures"]
    assert th.rank(JUDGED, ORDERED, measures="all").to_dict()["runs"][0]["measures"] == want
    named = th.rank(JUDGED, {"mine": ORDERED, "other": scored(ORDERED)}, measures="all")
    assert named["mine"].to_dict()["measures"] == named["other"].to_dict()["measures"] == want
    numbers = th.rank({"q": {7: 1}}, {"q": [5, 7]}, measures="RR")
    assert numbers.mean("RR").value == 0.5


@pytest.mark.parametrize("name", ["run.tsv", "run.txt", "run.dev.small"])
def test_a_run_of_ms_marco_says_the_rank_alone(tmp_path, name):
    path = tmp_path / name
    path.write_text("".join(f"{q}\t{d}\t{i}\n" for q, ds in ORDERED.items() for i, d in enumerate(ds, start=1)))
    want = th.rank(JUDGED, ORDERED, measures="all").to_dict()["runs"][0]["measures"]
    assert th.rank(JUDGED, path, measures="all").to_dict()["runs"][0]["measures"] == want
    path.write_text("q1\td1\t1\nq1 Q0 d2 2 1.0 t\n")
    with pytest.raises(InputError, match="line 2 has 6 fields where results without scores have 3"):
        th.rank(JUDGED, path)


def test_json_of_dictionaries_is_read_as_they_are(tmp_path):
    import json

    (tmp_path / "q.json").write_text(json.dumps(JUDGED, indent=1))
    (tmp_path / "r.json.gz").write_bytes(gzip.compress(json.dumps(scored(ORDERED)).encode()))
    (tmp_path / "o.json").write_text(json.dumps(ORDERED))
    want = th.rank(JUDGED, ORDERED, measures="all").to_dict()["runs"][0]["measures"]
    for run in ("r.json.gz", "o.json"):
        found = th.rank(tmp_path / "q.json", tmp_path / run, measures="all")
        assert found.to_dict()["runs"][0]["measures"] == want
    (tmp_path / "bad.json").write_text('{"q1": {"d1": 1}')
    with pytest.raises(InputError, match="begins as a dictionary of queries and is not JSON"):
        th.rank(tmp_path / "q.json", tmp_path / "bad.json")


def test_lines_left_out_as_comments_are_counted(files):
    (files / "r3.txt").write_text(run_text() + " #q1 Q0 d9 1 9.0 t\n# a note\n")
    noted = th.rank(files / "q.txt", files / "r3.txt", measures=MEASURES)
    assert means(noted) == WANT
    path = files / "r3.txt"
    told = f"{path}: 2 lines begin with #, left out as comments; no query can have a name that begins so."
    assert [note for note in noted.notes if note.code == "comments"] == [told]
    (files / "q3.txt").write_text("#1 0 d1 1\n" + (files / "q.txt").read_text())
    both = th.rank(files / "q3.txt", files / "r.txt")
    assert [note.code for note in both.notes].count("comments") == 1
    assert "comments" not in [note.code for note in th.rank(files / "q.txt", files / "r.txt").notes]


def test_whole_numbers_are_the_texts_that_a_file_would_hold():
    judged = {"query": np.array([1, 1, 1]), "document": np.array([9, 10, 100]), "relevance": np.array([1, 0, 0])}
    run = {"query": [1.0] * 3, "document": np.array([9, 10, 100]), "score": [1, 1, 1]}
    found = th.rank(judged, run, measures=["recip_rank"])
    assert found.mean("recip_rank").value == 1.0  # "9" stands above "100" and "10"
    assert found.queries == ("1",)


@pytest.mark.parametrize("complete", [False, True])
def test_queries_without_documents_are_as_absent_as_in_a_file(complete):
    qrels, run = {**QRELS, "none of it": {}}, {**RUN, "q2": {}}
    found = th.rank(qrels, run, measures=MEASURES, complete=complete)
    want = th.rank(QRELS, RUN, measures=MEASURES, complete=complete)
    assert found.per_query().keys() == want.per_query().keys()
    assert found.queries == want.queries
    assert found.notes == want.notes


def test_identifiers_above_the_signed_numbers_stay_what_they_are():
    large = np.array([2**64 - 1, 2**63, 5], dtype=np.uint64)
    table = {"query": ["q", "q", "q"], "document": large, "score": [3.0, 2.0, 1.0]}
    qrels = {"q": {"18446744073709551615": 1, "9223372036854775808": 0, "5": 1}}
    assert th.rank(qrels, table, measures=["num_rel_ret", "map"]).mean("num_rel_ret").value == 2


def test_runs_have_the_names_that_they_gave_themselves(files):
    (files / "s.txt").write_text(run_text(tag="dense"), encoding="utf-8")
    assert list(th.rank(files / "q.txt", [files / "r.txt", files / "s.txt"])) == ["bm25", "dense"]
    (files / "s.txt").write_text(run_text(), encoding="utf-8")
    assert list(th.rank(files / "q.txt", [files / "r.txt", files / "s.txt"])) == ["r.txt", "s.txt"]
    assert list(th.rank(files / "q.txt", {"mine": files / "r.txt", "yours": RUN})) == ["mine", "yours"]
    assert list(th.rank(QRELS, RUN)) == ["run"]
    assert list(th.rank(QRELS, {"a": RUN, "b": RUN})) == ["a", "b"]


@pytest.mark.peer
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_dataframes(library):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    judged, run = columns(QRELS, "relevance"), columns(RUN, "score")
    found = th.rank(make(judged), make(run), measures=MEASURES)
    assert means(found) == WANT
    assert type(found.to_frame()).__module__.split(".")[0] == library
    assert len(found.to_frame(per_query=True)) == 2
    if library == "pandas":
        frame = make(run).astype({"query": "category", "document": "string"})
        assert means(th.rank(make(judged), frame, measures=MEASURES)) == WANT
    if library == "polars":
        with pytest.raises(InputError, match=r"polars LazyFrame.*collected"):
            th.rank(make(judged).lazy(), make(run))
        long = make(run).with_columns(module.col("document") + "-a-long-name-of-a-document")
        known = make(judged).with_columns(module.col("document") + "-a-long-name-of-a-document")
        sliced = module.concat([long.head(1), long]).slice(1)
        assert means(th.rank(known, sliced, measures=MEASURES)) == WANT
        coded = long.with_columns(module.col("document").cast(module.Categorical))
        assert means(th.rank(known, coded, measures=MEASURES)) == WANT
        with pytest.raises(InputError, match=r"column has Arrow's type \+s"):
            th.rank(known, long.with_columns(document=module.struct("document")), measures=MEASURES)


def test_a_negative_relevance_is_the_same_in_one_table_as_in_two():
    scores = {"a": 1.0, "b": 2.0, "c": 3.0, "z": 4.0}
    judged = {"a": 1, "b": 0, "c": -1}
    rows = {"query": ["q"] * 4, "document": list(scores), "score": list(scores.values())}
    rows["relevance"] = [judged.get(document, np.nan) for document in scores]
    two = th.rank({"q": judged}, {"q": scores}, measures="all")
    one = th.rank(rows, measures="all")
    for name in two.names:
        assert one.by_query(name) == two.by_query(name), name
    assert two.by_query("infAP")[0] == pytest.approx(0.25 + 2 / 4 * 1e-5 / (1 + 2e-5))  # b and c are in the pool


def test_lists_are_given_alone():
    lists = th.rank(QRELS, RUN).run.lists
    assert means(th.rank(lists, measures=MEASURES)) == WANT
    assert list(th.rank({"a": lists, "b": lists})) == ["a", "b"]


def test_names_of_columns_are_heeded_where_one_side_has_columns(files):
    table = {"topic": ["q1", "10"], "document": ["d1", "é"], "score": [1.0, 2.0]}
    assert th.rank(files / "q.txt", {"a": table, "b": RUN}, query="topic")["a"].queries == ("q1", "10")


QRELS_TEXT = "q1 0 d1 1\nq1 0 d2 0\n"
RUN_TEXT = "q1 Q0 d1 1 0.9 mine\nq1 Q0 d2 2 0.4 mine\n"


def test_judgements_and_results_the_other_way_round_are_recognised(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "mine.run"
    qrels.write_text(QRELS_TEXT)
    run.write_text(RUN_TEXT)
    assert th.rank(qrels, run).mean("map").value == 1
    for text in ("q1 0 d1\n", QRELS_TEXT + "q1 Q0 d3 1 0.9 mine\n"):
        qrels.write_text(text)
        with pytest.raises(InputError, match="fields where judgements have 4") as told:
            th.rank(qrels, run)
        assert "other way round" not in str(told.value)


def test_names_in_json_lines_are_those_of_other_files(tmp_path):
    rows = [f'{{"query": {q}, "document": "d{i}", "score": {-i}}}' for q in ('"q1"', '"10"', "10") for i in (1, 2)]
    (tmp_path / "r.jsonl").write_text("\n".join(rows[:4]), encoding="utf-8")
    (tmp_path / "q.txt").write_text("q1 0 d1 1\n10 0 d2 1\n", encoding="utf-8")
    assert th.rank(tmp_path / "q.txt", tmp_path / "r.jsonl", measures=["map"]).run["map"].value == 0.75
    (tmp_path / "n.jsonl").write_text("\n".join(rows[:2] + rows[4:]), encoding="utf-8")  # a number is its text
    assert th.rank(tmp_path / "q.txt", tmp_path / "n.jsonl", measures=["map"]).run["map"].value == 0.75
    (tmp_path / "e.jsonl").write_text('{"query": "", "document": "d", "score": 1}\n', encoding="utf-8")
    with pytest.raises(InputError, match="column 'query' is empty in row 1"):
        th.rank(tmp_path / "q.txt", tmp_path / "e.jsonl", measures=["map"])


def test_documents_of_a_table_with_decimal_commas_are_the_texts_that_stand_there(tmp_path):
    """The documents 1,10 and 1.10 were one, and the judgement of the first counted for both."""
    rows = "".join(f"1;{d};{rel};0,{place}\n" for place, (d, rel) in enumerate([("1,10", 0), ("1.10", 1), ("2", 0)], 3))
    (tmp_path / "q.csv").write_text("query;document;relevance;score\n" + rows, encoding="utf-8")
    with decimal_mark(","):
        found = table_files.read_table([str(tmp_path / "q.csv")], "query", "document", {"s": "score"})
    assert found[1].data.tobytes() == b"1,101.102"


def test_a_column_that_is_not_named_as_its_role_is_reported(tmp_path):
    table = {"qid": ["q", "q"], "doc": ["a", "b"], "score": [2.0, 1.0], "rel": [1, 0]}
    (tmp_path / "t.csv").write_text("qid,doc,score,rel\nq,a,2,1\nq,b,1,0\n")
    for form in (table, tmp_path / "t.csv"):
        (note,) = (note for note in th.rank(form, query="qid").notes if note.code == "usual-columns")
        assert note.keywords == ("document", "relevance")
    apart = th.rank({k: table[k] for k in ("qid", "doc", "rel")}, {k: table[k] for k in ("qid", "doc", "score")})
    found = [note.keywords for note in apart.notes if note.code == "usual-columns"]
    assert found == [("query", "document", "relevance"), ("query", "document")]
    assert "usual-columns" not in {note.code for note in th.rank(QRELS, columns(RUN, "score")).notes}
