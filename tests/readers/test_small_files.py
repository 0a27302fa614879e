"""A small plain CSV file is read without a database, as the database reads it; any other is left to it."""

import numpy as np
import pytest

from shares import few
from thresher.errors import InputError
from thresher.readers import csv_files, duckdb_files, load, read_columns
from thresher.readers.files import find_files
from thresher.readers.roles import roles
from written_files import write

PLAIN = {
    "numbers": "y,a,g\n1,0.5,u\n0,-0.0,v\n1,1e-3,u\n",
    "no last line end": "y,a,g\nyes,0.25,u\nno,12,v",
    "crlf": "y,a,g\r\n1,0.5,u\r\n0,2E+2,v\r\n",
    "semicolons": "y;a;g\n1;0.5;u,v\n0;0.1;u\n",
    "a line that names the delimiter": "sep=;\ny;a;g\n1;0.5;u,v\n0;0.1;u\n",
    "tabs": "y\ta\tg\ntrue\t0.1\tu\nfalse\t3\tu\n",
    "longest digits": "y,a,g\n1,0.12345678901234567890123456789,1\n0,0.1234567890123456,2\n1,9007199254740991,2\n",
    "texts that stand for nothing": "y,a,g\n1,0.5,NA\nNA,0.25,u\n0,1,nan\n",
    "texts of many lengths": "y,a,g\n" + "".join(f"{i % 2},{i / 7},group {i * i}\n" for i in range(60)),
    "classes written in two ways": "y,a,g\n1,0.5,01\n1.0,0.25,1\n0,0,2\n",
    "one row": "y,a,g\n1,0.5,u\n",
    "odd cells elsewhere": "y,a,g,x\n1,0.5,u, 1_0\n0,0.25,u,\n",
    "a comment sign": "y,a,g\n#1,0.5,'u'\n#0,0.25,\\u\n",
}  # fmt: skip

ODD = {
    "a quotation mark": 'y,a,g\n"1",0.5,u\n0,0.25,u\n',
    "no ascii": "y,a,g\n1,0.5,ü\n0,0.25,u\n",
    "an empty number": "y,a,g\n1,,u\n0,0.25,u\n",
    "an empty label": "y,a,g\n,0.5,u\n0,0.25,u\n",
    "blanks": "y,a,g\n1, 0.5,u\n0,0.25, u\n",
    "an empty line": "y,a,g\n1,0.5,u\n\n0,0.25,u\n",
    "mixed line ends": "y,a,g\r\n1,0.5,u\n0,0.25,u\r\n",
    "a short line": "y,a,g\n1,0.5\n0,0.25,u\n",
    "a long line": "y,a,g\n1,0.5,u,v\n0,0.25,u\n",
    "text for a number": "y,a,g\n1,0.5,u\n0,x,u\n",
    "a number that DuckDB alone reads": "y,a,g\n1,1_0,u\n0,0.5,u\n",
    "infinite": "y,a,g\n1,inf,u\n0,0.5,u\n",
    "infinite in float64": "y,a,g\n1,1e999,u\n0,0.5,u\n",
    "too wide": "y,a,g\n1,9007199254740993,u\n0,9007199254740992,u\n",
    "a column twice": "y,a,g,a\n1,0.5,u,1\n0,1,u,1\n",
    "no such column": "y,b,g\n1,0.5,u\n0,1,u\n",
    "no rows": "y,a,g\n",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(csv_files, "MOST", 2**19)


NAMED = {"label": "y", "scores": "a", "by": "g", "cluster": "g"}
NAMED |= dict.fromkeys(("predicted", "probabilities", "weights", "fold"))


def found():
    try:
        [columns] = read_columns("x.csv", NAMED)
    except InputError as error:
        return str(error)
    told = [columns.truth, columns.by["g"], columns.cluster]
    codes = [(each.codes.tolist(), each.codes.dtype, each.values, list(map(type, each.values))) for each in told]
    return codes, columns.scores["a"].view(np.int64).tolist(), columns.notes, columns.locate(0)


def described():
    try:
        return duckdb_files.describe(["x.csv"])
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("name", few([*PLAIN, *ODD], 8))
def test_both_ways_of_reading_give_the_same(name, monkeypatch):
    write("x.csv", (PLAIN | ODD)[name])
    here = found(), described()
    monkeypatch.setattr(csv_files, "MOST", 0)
    assert here == (found(), described())


def test_what_is_plain_is_read_without_a_database(monkeypatch):
    monkeypatch.setattr(duckdb_files, "session", None)
    for text in PLAIN.values():
        write("x.csv", text)
        assert len(found()) == 4
        assert [name for name, _ in duckdb_files.describe(["x.csv"])][:1] == ["y"]


def test_a_large_file_is_left_to_the_database(monkeypatch):
    write("x.csv", PLAIN["numbers"])
    monkeypatch.setattr(csv_files, "MOST", len(PLAIN["numbers"]) - 1)
    assert csv_files.read_small(find_files(["x.csv"]), roles(**NAMED)) is None


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_left_to_the_database(name):
    write("x.csv", ODD[name])
    assert csv_files.read_small(find_files(["x.csv"]), roles(**NAMED)) is None


def test_many_numbers_are_the_same_to_the_bit(monkeypatch):
    draws = np.random.default_rng(5)
    values = 10 ** draws.uniform(-60, 15, 400) * draws.choice([-1, 1], 400)
    texts = [f"{value:.{digits % 40}e}" for digits, value in enumerate(values)] + list(map(repr, values.tolist()))
    texts += list(map(str, draws.integers(-(10**15), 10**15, 100)))
    write("x.csv", "y,a,g\n" + "".join(f"{i % 2},{text},u\n" for i, text in enumerate(texts)))
    assert csv_files.read_small(find_files(["x.csv"]), roles(**NAMED)) is not None
    here = found()
    monkeypatch.setattr(csv_files, "MOST", 0)
    assert here == found()


def test_a_pattern_of_posteriors_is_resolved_as_in_any_file(monkeypatch):
    write("x.csv", "y,p_a,p_b,p_c\na,0.5,0.25,0.25\nb,0.1,0.8,0.1\nc,0,0,1\n")
    here = load("x.csv", label="y", probabilities="p_*")
    monkeypatch.setattr(csv_files, "MOST", 0)
    assert here == load("x.csv", label="y", probabilities="p_*")
