"""Features from files: what is a number, what is text, what is missing, in every format."""

import json

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.readers.features import read_features

ROWS = [
    {"y": "ill", "n": 1.5, "whole": 1, "text": "a", "flag": True, "gap": None},
    {"y": "well", "n": -2e3, "whole": 2, "text": "b b", "flag": False, "gap": 3.5},
    {"y": "ill", "n": 0.35, "whole": 3, "text": None, "flag": True, "gap": None},
]


def written(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    if kind == "csv":
        lines = ["y,n,whole,text,flag,gap", "ill,1.5,1,a,true,", "well, -2e3 ,2,b b,false,3.5", "ill,.35,3,NA,true,nan"]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
    else:
        import duckdb

        json_path = tmp_path / "source.jsonl"
        json_path.write_text("\n".join(json.dumps(row) for row in ROWS), encoding="utf-8")
        duckdb.sql(f"COPY (SELECT * FROM read_json('{json_path}')) TO '{path}' (FORMAT parquet)")
    return str(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_are_numbers_where_every_value_is_one(tmp_path, kind):
    found = read_features([written(tmp_path, kind)], label="y")
    assert list(found.columns) == ["n", "whole", "text", "flag", "gap"]
    assert found.label.tolist() == ["ill", "well", "ill"]
    assert found.columns["n"].tolist() == [1.5, -2000.0, 0.35]
    assert found.columns["whole"].tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(found.columns["gap"], [np.nan, 3.5, np.nan])
    text = [v if v not in ("NA",) else None for v in found.columns["text"].tolist()]
    assert [None if v is None else v.strip('"') for v in text] == ["a", "b b", None]
    if kind == "parquet":
        assert found.columns["flag"].tolist() == [1.0, 0.0, 1.0]
    else:
        assert found.columns["flag"].tolist() == ["true", "false", "true"]


def test_a_late_fraction_and_a_late_word_are_seen(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("y,n,w\n" + "0,1,1\n1,0,2\n" * 30_000 + "0,0.35,x\n", encoding="utf-8")
    found = read_features([str(path)], label="y")
    assert found.columns["n"][-1] == 0.35
    assert found.columns["w"].dtype == object
    assert len(found) == 60_001


def test_labels_mean_what_they_mean_elsewhere(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("a,b,c,x\n1,true,01,5\n0,false,1,6\n,,,7\n", encoding="utf-8")
    for name, want in (("a", [1, 0, None]), ("b", [True, False, None]), ("c", ["01", "1", None])):
        assert read_features([str(path)], label=name, features=["x"]).label.tolist() == want


def test_columns_are_chosen_left_out_or_kept_aside(tmp_path):
    path = written(tmp_path, "csv")
    assert list(read_features([path], label="y", features=["gap", "n"]).columns) == ["gap", "n"]
    found = read_features([path], label="y", drop=["text", "flag"], others=["whole"])
    assert list(found.columns) == ["n", "gap"]
    assert found.others["whole"].tolist() == [1, 2, 3]


def test_several_files_follow_one_another(tmp_path):
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.csv").write_text(f"y,x\n{value - 1},{value}\n", encoding="utf-8")
    found = read_features([str(tmp_path / "*.csv")], label="y")
    assert found.columns["x"].tolist() == [1.0, 2.0]
    assert found.label.tolist() == [0, 1]


@pytest.mark.parametrize("odd", ["1_000", "+-1", "1_0.5"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_only_a_program_takes_for_a_number_is_text(tmp_path, odd, kind):
    path = tmp_path / f"t.{kind}"
    csv = f"y,a\n0,1\n1,{odd}\n"
    path.write_text(csv if kind == "csv" else f'{{"y":0,"a":"1"}}\n{{"y":1,"a":"{odd}"}}\n', encoding="utf-8")
    assert [str(v).strip('"') for v in read_features([str(path)], label="y").columns["a"]] == ["1", odd]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_feature_that_is_too_large_is_told_and_infinity_is_not(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    for text, fine in (("inf", True), ("-Infinity", True), ("1e400", False)):
        csv = f"y,a\n0,1\n1,{text}\n"
        path.write_text(csv if kind == "csv" else f'{{"y":0,"a":1}}\n{{"y":1,"a":"{text}"}}\n', encoding="utf-8")
        if fine:
            assert np.isinf(read_features([str(path)], label="y").columns["a"][1])
        else:
            with pytest.raises(InputError, match=r"column 'a' of .* holds '1e400', which is too large for float64"):
                read_features([str(path)], label="y")


def test_labels_in_json_are_exact(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y":9007199254740993,"a":1}\n{"y":9007199254740992.0,"a":2}\n', encoding="utf-8")
    assert read_features([str(path)], label="y").label.tolist() == [9007199254740993, 9007199254740992]
