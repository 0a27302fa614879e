"""Truth in another file, and one row per model: against a join by hand, and every way in which they do not fit."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.errors import InputError
from thresher.readers import load
from written_files import parquet, write

BY_KEY = {"label": "y", "key": "id"}


@pytest.fixture
def predictions():
    return write("p.csv", "id,a,b,site\n3,0.3,0.1,n\n1,0.1,0.2,s\n2,0.2,0.3,n\n")


def test_truth_is_found_by_key_and_rows_stay_in_the_order_of_the_predictions(predictions):
    truths = {
        "csv": write("t.csv", "y,id\nno,1\nyes,2\nno,3\n"),
        "semicolons": write("u.csv", "y;id\nno;1\nyes;2\nno;3\n"),
        "json": write("t.jsonl", '{"id":1,"y":"no"}\n{"id":2,"y":"yes"}\n{"id":3,"y":"no"}\n'),
        "text keys": write("u.jsonl", '{"id":"1","y":"no"}\n{"id":"2","y":"yes"}\n{"id":"3","y":"no"}\n'),
        "parquet": parquet("t.parquet", "SELECT * FROM (VALUES (1, 'no'), (2, 'yes'), (3, 'no')) t(id, y)"),
        "arrays": {"id": np.array([1, 2, 3]), "y": ["no", "yes", "no"]},
    }
    for truth in truths.values():
        rows = load(predictions, ["a", "b"], truth=truth, positive="yes", by="site", **BY_KEY)
        assert rows.truth.tolist() == [0, 0, 1]
        assert rows.scores["a"].tolist() == [0.3, 0.1, 0.2]
        assert rows.by["site"].codes.tolist() == [0, 1, 0]


def test_columns_that_only_the_truth_has_come_from_there(predictions):
    write("t.csv", "id,y,w,fold\n1,0,2,x\n2,1,3,y\n3,0,4,x\n")
    rows = load(predictions, "a", truth="t.csv", weights="w", fold="fold", by="site", **BY_KEY)
    assert rows.weights.tolist() == [4, 2, 3]
    assert rows.fold.values == ("x", "y")
    assert rows.notes == ()


def test_labels_in_both_files_are_those_of_the_truth_and_that_is_said():
    write("p.csv", "id,a,y\n1,0.5,0\n2,0.25,0\n")
    write("t.csv", "id,y\n1,1\n2,0\n")
    rows = load("p.csv", "a", truth="t.csv", **BY_KEY)
    assert rows.truth.tolist() == [1, 0]
    assert [note.code for note in rows.notes] == ["labels-of-truth"]


LONG = "id,model,y,a,site\n1,A,1,0.9,n\n2,A,0,0.1,s\n2,B,0,0.4,s\n1,B,1,0.5,n\n"


def test_one_row_per_model_is_put_side_by_side():
    for path in (write("l.csv", LONG), write("l.tsv", LONG.replace(",", "\t"))):
        rows = load(path, "a", label="y", model_column="model", key="id", by="site")
        assert rows.models == ("A", "B")
        assert rows.truth.tolist() == [1, 0]
        assert rows.scores["A"].tolist() == [0.9, 0.1]
        assert rows.scores["B"].tolist() == [0.5, 0.4]
        assert rows.by["site"].values == ("n", "s")


def test_without_a_key_models_are_lined_up_only_when_their_rows_agree():
    in_order = "model,y,a,w\nA,1,0.9,1\nA,0,0.1,2\nB,1,0.5,1\nB,0,0.4,2\n"
    rows = load(write("l.csv", in_order), "a", label="y", model_column="model", weights="w")
    assert rows.scores["B"].tolist() == [0.5, 0.4]
    assert rows.weights.tolist() == [1, 2]
    write("l.csv", in_order.replace("0.4,2", "0.4,3"))
    with pytest.raises(InputError, match="column 'w' differs between models, first in row 2"):
        load("l.csv", "a", label="y", model_column="model", weights="w")
    write("l.csv", in_order + "B,1,0.5,1\n")
    with pytest.raises(InputError, match=r"different numbers of rows \('A' 2, 'B' 3\): say with key="):
        load("l.csv", "a", label="y", model_column="model")


def test_predicted_labels_and_truth_elsewhere_in_long_form():
    write("l.csv", "id,model,p,a\n1,A,yes,0.9\n2,A,no,0.1\n1,B,yes,0.5\n2,B,yes,0.4\n")
    write("t.csv", "id,y\n1,yes\n2,no\n")
    rows = load("l.csv", "a", predicted="p", truth="t.csv", model_column="model", positive="yes", **BY_KEY)
    assert rows.truth.tolist() == [1, 0]
    assert rows.predicted["B"].tolist() == [1, 1]
    assert rows.scores["B"].tolist() == [0.5, 0.4]


def test_names_of_columns_that_differ_by_case_or_need_quoting():
    write("l.csv", 'id,ID,"m ""x""",y,a\n1,9,A,1,0.9\n2,9,A,0,0.1\n1,9,a,1,0.5\n2,9,a,0,0.4\n')
    rows = load("l.csv", "a", label="y", key="id", model_column='m "x"')
    assert rows.models == ("A", "a")
    assert rows.scores["A"].tolist() == [0.9, 0.1]
    assert rows.scores["a"].tolist() == [0.5, 0.4]


@settings(max_examples=examples(20))
@given(
    st.integers(1, 25).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))),
    st.integers(0, 2**31),
)
def test_a_join_and_a_pivot_give_what_dictionaries_give(tmp_path_factory, orders, seed):
    mine, theirs = orders
    draw = random.Random(seed)
    folder = tmp_path_factory.mktemp("join")
    label = {key: draw.randint(0, 1) for key in mine}
    score = {(model, key): draw.random() for model in "AB" for key in mine}
    write(f"{folder}/t.csv", "id,y\n" + "".join(f"k{key},{label[key]}\n" for key in theirs))
    pairs = list(score)
    draw.shuffle(pairs)
    write(f"{folder}/p.csv", "id,m,s\n" + "".join(f"k{key},{model},{score[model, key]!r}\n" for model, key in pairs))
    rows = load(f"{folder}/p.csv", "s", label="y", truth=f"{folder}/t.csv", key="id", model_column="m")
    order = list(dict.fromkeys(key for _, key in pairs))
    assert rows.truth.tolist() == [label[key] for key in order]
    for model in "AB":
        assert rows.scores[model].tolist() == [score[model, key] for key in order]


@pytest.mark.peer
def test_dataframes_are_joined_too():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    data = {"id": ["a", "b", "c"], "s": [0.5, 0.25, 1.0]}
    truth = {"id": ["c", "b", "a"], "y": [1, 0, 1]}
    for mine, other in ((pd.DataFrame, pl.DataFrame), (pl.DataFrame, pa.table), (pa.table, pd.DataFrame)):
        rows = load(mine(data), "s", truth=other(truth), **BY_KEY)
        assert rows.truth.tolist() == [1, 0, 1]
        assert rows.scores["s"].tolist() == [0.5, 0.25, 1.0]
    write("t.csv", "id,y\nc,1\nb,0\na,1\n")
    assert load(pd.DataFrame(data), "s", truth="t.csv", **BY_KEY).truth.tolist() == [1, 0, 1]
    long = pl.DataFrame({"m": ["A", "A", "B", "B"], "y": [0, 1, 0, 1], "s": [1, 2, 3, 4]})
    assert load(long, "s", label="y", model_column="m").scores["B"].tolist() == [3, 4]


def test_keys_with_decimal_commas_are_the_texts_that_stand_there():
    write("scores.csv", "id;a\n" + "".join(f"{key};0,{i}\n" for i, key in enumerate(["1,1", "1,10", "1.1", "1.10"], 1)))
    write("truth.csv", "id;y\n1.10;1\n1,10;0\n1,1;1\n1.1;0\n")
    found = load("scores.csv", "a", label="y", truth="truth.csv", key="id", decimal=",")
    assert found.truth.tolist() == [1, 0, 0, 1]


def test_numbers_of_a_text_file_are_texts_beside_labels_that_a_type_says_are_texts():
    """They were refused as numbers beside texts."""
    parquet("truth.parquet", "SELECT * FROM (VALUES (1, '+1'), (2, '-1'), (3, '+1'), (4, '-1')) t(id, y)")
    write("p.csv", "id,said\n1,+1\n2,-1\n3,-1\n4,+1\n")
    found = load("p.csv", label="y", predicted="said", truth="truth.parquet", key="id", positive="+1")
    assert (found.classes, found.truth.tolist()) == (("-1", "+1"), [1, 0, 1, 0])
    assert found.predicted["said"].tolist() == [1, 0, 0, 1]
