"""What the columns of a file are read as, by their types and by what their texts mean."""

import gzip

import duckdb
import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.errors import InputError
from thresher.readers import load
from thresher.readers.csv_files import decimal_mark
from thresher.readers.duckdb_files import describe
from thresher.readers.where import rows_where
from written_files import CSV, lines, parquet, write


@pytest.mark.parametrize(
    ("texts", "classes"),
    [
        (["0", "1"], (0, 1)), (["0.0", "1.0"], (0, 1)), (["1.00", "0.00"], (0, 1)), (["+1", "-1"], (-1, 1)),
        (["True", "False"], (False, True)), (["-1", "1"], (-1, 1)),
    ],
)  # fmt: skip
def test_labels_of_a_text_file_are_what_they_read_as(texts, classes):
    write("x.csv", "y,a\n" + "".join(f"{text},{i}\n" for i, text in enumerate(texts)))
    found = load("x.csv", "a", label="y").classes
    assert found == classes
    assert [type(a) for a in found] == [type(a) for a in classes]


@pytest.mark.parametrize(
    "texts", [("1", "+1", "0"), ("1", "1.0", "0"), ("1.0", "1.00", "0"), ("1000", "1e3", "2"), ("1.1", "1.10", "2")]
)
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("name", few(["x.csv", "x.tsv", "x.csv.gz"], 1))
def test_spellings_of_one_number_are_several_values(texts, quote, name):
    """They were one group, cluster, fold and label, where JSON lines, Parquet and frames keep such texts apart."""
    between = "\t" if name == "x.tsv" else ","
    rows = [(i % 2, i, text) for text in texts for i in range(4)]
    cells = [("y", "a", "g", "h"), *((str(y), str(a), f"{quote}{g}{quote}", f"{quote}{g}{quote}") for y, a, g in rows)]
    content = "".join(between.join(line) + "\n" for line in cells)
    write(name, gzip.compress(content.encode()) if name.endswith(".gz") else content)
    found = load(name, "a", label="y", by="g", cluster="g", fold="g")
    assert set(found.by["g"].values) == set(found.cluster.values) == set(found.fold.values) == set(texts)
    assert load(name, "a", label="g", positive=texts[1], rest="negative").truth.sum() == 4
    assert th.count(name, "a", label="g", positive=texts[1], rest="negative")["a"].P == 4
    assert {key for (key,) in th.count(name, "a", label="y", by="g").groups} == set(texts)
    assert load(name, label="g", predicted="h").classes == tuple(sorted(texts))


@pytest.mark.parametrize(
    "texts",
    few([("1,1", "1,10"), ("1,10", "1.10"), ("1,1", "1.1"), ("1,0", "1,00"), ("1,5", "x"), ("1,5e0", "1,5")], 3),
)
@pytest.mark.parametrize(("name", "decimal"), [("x.csv", ","), ("x.tsv", None), ("x.csv.gz", None)])
def test_spellings_of_one_number_with_decimal_commas_are_several_values(texts, decimal, name):
    """A comma became a point before anyone asked whether a text is a number."""
    between = "\t" if name == "x.tsv" else ";"
    rows = [(str(i % 2), f"{i},5", text, text) for text in texts for i in range(4)]
    content = "".join(between.join(line) + "\n" for line in [("y", "a", "g", "h"), *rows])
    write(name, gzip.compress(content.encode()) if name.endswith(".gz") else content)
    given = {"decimal": decimal}
    found = load(name, "a", label="y", by="g", cluster="g", fold="g", **given)
    assert set(found.by["g"].values) == set(found.cluster.values) == set(found.fold.values) == set(texts)
    assert load(name, "a", label="g", positive=texts[1], **given).truth.sum() == 4
    assert th.count(name, "a", label="g", positive=texts[1], **given)["a"].P == 4
    assert {key for (key,) in th.count(name, "a", label="y", by="g", **given).groups} == set(texts)
    assert load(name, label="g", predicted="h", positive=texts[0], **given).classes == texts[::-1]
    with decimal_mark(decimal):
        assert set(load(rows_where([name], "a > 1"), "a", label="y", by="g").by["g"].values) == set(texts)


def test_labels_and_groups_with_decimal_commas_are_numbers_where_each_is_another_one():
    write("x.csv", "y;a;g\n" + "".join(f"{i % 2},0;{i},5;{i % 3},5\n" for i in range(12)))
    found = load("x.csv", "a", label="y", by="g", decimal=",")
    assert (found.classes, set(found.by["g"].values)) == ((0, 1), {0.5, 1.5, 2.5})
    with decimal_mark(","):
        assert set(load(rows_where(["x.csv"], "g > 1"), "a", label="y", by="g").by["g"].values) == {1.5, 2.5}
    write("y.csv", "y,a,g\n" + "".join(f"{i % 2}.0,{i}.5,{i % 3}.5\n" for i in range(12)))
    assert set(load(["x.csv", "y.csv"], "a", label="y", by="g").by["g"].values) == {0.5, 1.5, 2.5}


def test_predicted_truth_values_beside_labels_of_0_and_1():
    """They were four classes, where frames and Parquet files have two."""
    rows = [(1, True), (0, False), (1, False), (0, False), (1, True), (0, True)]
    want = th.evaluate({"y": [y for y, _ in rows], "p": [p for _, p in rows]}, label="y", predicted="p")
    for truth, predicted in (("y", "p"), ("p", "y")):
        for form in (str, lambda value: str(value).lower()):
            write("x.csv", "y,p\n" + "".join(f"{y},{form(p)}\n" for y, p in rows))
            found = th.evaluate("x.csv", label=truth, predicted=predicted)
            assert found.accuracy.value == want.accuracy.value == pytest.approx(4 / 6)
            assert load("x.csv", label=truth, predicted=predicted).classes == (0, 1)


def test_labels_of_a_typed_file_keep_their_type():
    parquet("x.parquet", "SELECT '0' AS y, 0.5 AS a UNION ALL SELECT '1', 0.25")
    assert load("x.parquet", "a", label="y", positive="1").classes == ("0", "1")
    for kind in ("TINYINT", "BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "DECIMAL(5, 2)", "BOOLEAN"):
        parquet("x.parquet", f"SELECT 0::{kind} AS y, 0.5 AS a UNION ALL SELECT 1::{kind}, 0.25")
        assert load("x.parquet", "a", label="y").classes == (0, 1)
    write("x.jsonl", '{"y":"0","a":1}\n{"y":"1","a":2}\n')
    assert load("x.jsonl", "a", label="y", positive="1").classes == ("0", "1")
    write("x.jsonl", '{"y":false,"a":1}\n{"y":true,"a":2}\n')
    assert load("x.jsonl", "a", label="y").classes == (False, True)


@pytest.mark.parametrize("kind", ["TINYINT", "UINTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(9, 3)"])
def test_scores_of_every_number_type(kind):
    parquet("x.parquet", f"SELECT i % 2 AS y, i::{kind} AS a FROM range(100) t(i)")
    assert load("x.parquet", "a", label="y").scores["a"].tolist() == list(range(100))


@pytest.mark.parametrize("wide", [2**53 + 1, -(2**53) - 1, 10**30, 2**63 - 1])
def test_whole_numbers_that_float64_cannot_tell_apart_are_refused(wide):
    paths = [write("x.csv", f"y,a\n0,1.5\n1,{wide}\n"), write("x.jsonl", f'{{"y":0,"a":1}}\n{{"y":1,"a":{wide}}}\n')]
    if abs(wide) < 2**63:  # Parquet has no wider type
        paths.append(parquet("x.parquet", f"SELECT 0 AS y, 1::BIGINT AS a UNION ALL SELECT 1, {wide}"))
    for path in paths:
        with pytest.raises(InputError, match=rf"whole numbers above 2\*\*53, such as {wide}\b"):
            load(path, "a", label="y")


def test_the_largest_that_it_tells_apart_and_large_fractions_are_fine():
    for last in (str(2**53), "1e300", "9007199254740993.0", "123456789012345678.5", "inf"):
        assert load(write("x.csv", f"y,a\n0,1\n1,{last}\n"), "a", label="y").scores["a"][1] == float(last)
    parquet("x.parquet", f"SELECT 0 AS y, 1 AS a UNION ALL SELECT 1, {2**53}")
    assert load("x.parquet", "a", label="y").scores["a"][1] == 2**53


def test_true_and_false_scores_of_a_typed_file_are_said():
    parquet("x.parquet", "SELECT 1 AS y, true AS a UNION ALL SELECT 0, false")
    rows = load("x.parquet", "a", label="y")
    assert rows.scores["a"].tolist() == [1, 0]
    assert rows.notes == ("The score 'a' is true or false and is read as 1 and 0.",)


def test_infinite_scores_of_a_file():
    rows = load(write("x.csv", "y,a\n1,inf\n0,-inf\n1,Infinity\n"), "a", label="y")
    assert rows.scores["a"].tolist() == [np.inf, -np.inf, np.inf]


def test_predicted_labels_are_read_as_the_truth_is():
    rows = load(write("x.csv", "y,p\n0,0\n1,0\n1,1\n"), label="y", predicted="p")
    assert rows.classes == (0, 1)
    assert rows.predicted["p"].tolist() == [0, 0, 1]


def test_groups_folds_clusters_and_weights_of_a_file():
    write("x.csv", "y,a,g,f,c,w\n0,1,x,1,p1,2\n1,2,,2,p2,1\n1,3,y,10,p1,0.5\n")
    rows = load("x.csv", "a", label="y", by=["g"], fold="f", cluster="c", weights="w")
    assert rows.by["g"].values == ("x", "y", "(missing)")
    assert rows.fold.values == (1, 2, 10)
    assert rows.cluster.values == ("p1", "p2")
    assert rows.weights.tolist() == [2, 1, 0.5]


def test_clusters_may_be_many():
    parquet("x.parquet", "SELECT i % 2 AS y, i::DOUBLE AS a, 'patient ' || (i // 2) AS c FROM range(60000) t(i)")
    rows = load("x.parquet", "a", label="y", cluster="c")
    assert len(rows.cluster.values) == 30_000
    assert [rows.cluster.values[code] for code in rows.cluster.codes[:4]] == ["patient 0"] * 2 + ["patient 1"] * 2


def test_progress_rises_to_one():
    parquet("x.parquet", "SELECT i % 2 AS y, i::DOUBLE AS a FROM range(400000) t(i)")
    said = []
    load("x.parquet", "a", label="y", progress=lambda share, text: said.append((share, text)))
    assert len(said) > 1
    assert said[-1] == (1.0, "400,000 rows read")
    assert [share for share, _ in said] == sorted(share for share, _ in said)
    duckdb.sql("FROM 'x.parquet'").write_csv("x.csv")
    load("x.csv", "a", label="y", progress=lambda share, text: said.append((share, text)))
    assert said[-1][1] == "400,000 rows read"
    assert all(share is None or 0 <= share <= 1 for share, _ in said)


def test_describe_gives_columns_and_types():
    write("x.csv", "id,y,a,b,t,e\n1,yes,0.5,true,2020-01-01,\n2,no,1,false,x,\n")
    expected = ["BIGINT", "VARCHAR", "DOUBLE", "BOOLEAN", "VARCHAR", "VARCHAR"]
    assert describe(["x.csv"]) == list(zip(["id", "y", "a", "b", "t", "e"], expected, strict=True))
    parquet("x.parquet", "SELECT 1 AS y, 0.5::DOUBLE AS a, 'x' AS s")
    assert describe(["x.parquet"]) == [("y", "INTEGER"), ("a", "DOUBLE"), ("s", "VARCHAR")]
    write("x.jsonl", lines())
    assert describe(["x.jsonl"]) == [("y", "VARCHAR"), ("a", "DOUBLE"), ("site", "VARCHAR")]
    assert describe([write("x.tsv", CSV.replace(",", "\t"))])[0] == ("y", "VARCHAR")
