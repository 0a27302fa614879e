"""A pipe that has more than is kept is read in pieces of whole rows, once, as the file would be."""

import errno
import gzip
import io
import json
import os
import sys
import tempfile

import numpy as np
import pytest

import thresher as th
from thresher import spool
from thresher.errors import InputError, OptionError
from thresher.readers import duckdb_files
from thresher.readers.duckdb_files import column_names, describe
from thresher.readers.parts import load_parts
from written_files import parquet

RNG = np.random.default_rng(5)
N = 400
TRUTH = RNG.integers(0, 2, N)
SCORES = (RNG.normal(TRUTH, 1)).round(3)
NAMES = ['x"y', 'two\nlines, "quoted"', "plain", 'ends with a quote"', '""', "a;b", "\n\n"]
SITES = [NAMES[i % len(NAMES)] for i in range(N)]


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def csv(rows=range(N), *, sites=SITES, end="\n") -> str:
    lines = [f"{TRUTH[i]},{quoted(sites[i])},{SCORES[i]}" for i in rows]
    return end.join(["y,site,a", *lines, ""])


FORMS = {
    "csv": csv(),
    "carriage returns": csv(sites=["s" * (i % 3 + 1) for i in range(N)], end="\r\n"),
    "no last line end": csv().removesuffix("\n"),
    "a byte order mark": "\ufeff" + csv(),
    "a line that names the delimiter": "sep=,\n" + csv(),
    "a name of several lines": csv(end=",z\n").replace(",z\n", ',"more\n""x"",\ny"\n', 1),
    "quotes inside": "y,site,a\n" + "".join(f'{TRUTH[i]},{i % 9}" pipe,{SCORES[i]}\n' for i in range(N)),
    "json": "".join(
        json.dumps({"y": int(TRUTH[i]), "site": SITES[i], "a": SCORES[i]} if i < 30 or i % 5 else
                   {"y": int(TRUTH[i]), "a": SCORES[i]}) + "\n"
        for i in range(N)
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv(spool.LIMIT, "3000")
    monkeypatch.setattr(spool, "_PIECE", 512)
    monkeypatch.setattr(duckdb_files, "PIECE_OF_PIPE", 2000)
    yield
    spool._kept.close()
    assert os.listdir("tmp") == []


def piped(monkeypatch, content):
    content = content.encode() if isinstance(content, str) else content
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return content


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [7, 512, 10_000])
def test_every_row_of_a_long_pipe_is_read_as_in_the_file(monkeypatch, tmp_path, form, block):
    content = piped(monkeypatch, FORMS[form])
    (tmp_path / "rows.txt").write_bytes(content)
    monkeypatch.setattr(spool, "_PIECE", block)
    expected = th.count("rows.txt", "a", label="y", by="site", missing="drop")
    found = th.count("-", "a", label="y", by="site", missing="drop")
    assert found.read == N
    assert found == expected
    assert len(found.groups) > 1


def test_a_pipe_beside_files_is_read_in_its_place(monkeypatch, tmp_path):
    piped(monkeypatch, csv(range(100, 300)))
    for name, rows in (("before.csv", range(100)), ("after.csv", range(300, N))):
        (tmp_path / name).write_text(csv(rows))
    (tmp_path / "whole.csv").write_text(csv())
    several = [list(load_parts(paths, "a", label="y")) for paths in (["before.csv", "-", "after.csv"], ["whole.csv"])]
    one, other = (np.concatenate([part.rows.scores["a"] for part in parts]) for parts in several)
    assert len(several[0]) > 3
    assert one.tolist() == other.tolist() == SCORES.tolist()


@pytest.mark.parametrize("paths", [["e.csv", "-"], ["-", "e.csv"], ["e.csv", "whole.csv"]])
def test_files_without_rows_beside_a_long_pipe_add_none(monkeypatch, tmp_path, paths):
    piped(monkeypatch, csv())
    (tmp_path / "e.csv").write_text("y,site,a\n")
    (tmp_path / "whole.csv").write_text(csv())
    assert th.count(paths, "a", label="y") == th.count("whole.csv", "a", label="y")


def test_a_long_pipe_without_rows_is_refused(monkeypatch):
    piped(monkeypatch, "y,a" + "".join(f",b{i}" for i in range(999)) + "\n")
    with pytest.raises(InputError, match="there are no rows"):
        th.count("-", "a", label="y")


def test_columns_are_told_from_the_first_rows_of_a_long_pipe(monkeypatch):
    piped(monkeypatch, csv())
    assert describe(["-"]) == [("y", "BIGINT"), ("site", "VARCHAR"), ("a", "DOUBLE")]
    assert column_names(["-"]) == (["y", "site", "a"], "standard input")
    assert th.count("-", "a", label="y").read == N


def test_errors_name_the_row_and_the_line_of_the_whole_pipe(monkeypatch):
    rows = csv(sites=["s"] * N).splitlines()
    for line, said in (("1,s,high", "'high' in row 350"), ("1,s", "line 351, has 2 fields")):
        piped(monkeypatch, "\n".join([*rows[:350], line, *rows[351:], ""]))
        with pytest.raises(InputError, match=said):
            th.count("-", "a", label="y")


@pytest.mark.parametrize("kept", [3000, 20_000])
def test_a_pipe_that_breaks_off_is_told_from_a_full_disk(monkeypatch, kept):
    class Broken(io.BytesIO):
        def read(self, size=-1):
            if found := super().read(size):
                return found
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Broken(csv().encode())))
    monkeypatch.setenv(spool.LIMIT, str(kept))
    with pytest.raises(InputError, match=r"standard input cannot be read: Input/output error\.$"):
        th.count("-", "a", label="y")


def test_what_has_no_rows_before_its_end_is_refused_beyond_what_is_kept(monkeypatch):
    array = "[" + ",".join(FORMS["json"].splitlines()) + "]"
    cases = [
        (
            gzip.compress(RNG.bytes(2000).hex().encode() + csv().encode() * 3),
            "it is compressed: .* zcat FILE | thresher",
        ),
        (array, "it is one JSON array: write it as JSON lines"),
        (" [\n" + array[1:], "it is one JSON array"),
        (csv().replace("\n", "\r"), r"its lines end in CR alone: .* tr '\\r' '\\n' < FILE | thresher"),
        (csv().replace("\n", "\r") + '1,"\n",0.5\r', "its lines end in CR alone"),
        (FORMS["json"].replace("\n", "\r"), "its lines end in CR alone"),
        (FORMS["json"].replace(", ", ",\n"), r"its first line is not a whole JSON object: .* jq -c \. FILE | thresher"),
        ("y,a\n1,2\n" + '1,"never closed\n' * 500, "opens a quotation mark that is never closed"),
    ]
    monkeypatch.setattr(duckdb_files, "LONGEST", 4000)
    for content, why in cases:
        piped(monkeypatch, content)
        with pytest.raises(InputError, match=why):
            th.count("-", "a", label="y")
        if "never closed" not in why:
            with pytest.raises(InputError, match=why):
                column_names(["-"])


def test_column_names_are_read_however_long_their_line_is(monkeypatch):
    names = ["y", "a", *(f"b{i}" for i in range(400))]
    piped(monkeypatch, ",".join(names) + "\n" + ("1" + ",0.5" * 401 + "\n") * 9)
    monkeypatch.setattr(duckdb_files, "HEAD", 100)
    assert column_names(["-"]) == (names, "standard input")


def test_what_is_wrong_in_later_json_lines_is_said_of_the_pipe(monkeypatch):
    rows = FORMS["json"]
    cases = [
        (rows + "[1]\n" + rows, r"^standard input, line 401, cannot be read: JSON transform error: Expected OBJECT"),
        (rows + '{"y":1,\n"a":1}\n' + rows, "^standard input is not valid JSON lines, .*: every line holds one object"),
        (rows + '{"y":true,"a":1}\n', r"'y' mixes numbers and true/false \(1 and True\), which are never equal"),
        (rows.replace('"a"', '"b"') + rows, r"the beginning of standard input has no column 'a'\. Its columns are 'y'"),
    ]
    for content, why in cases:
        piped(monkeypatch, content)
        with pytest.raises(InputError, match=why):
            th.count("-", "a", label="y")


def test_parquet_is_refused_beyond_what_is_kept(monkeypatch, tmp_path):
    parquet("p.parquet", "SELECT range % 2 AS y, hash(range) / 2e19 AS a FROM range(1000)")
    piped(monkeypatch, (tmp_path / "p.parquet").read_bytes())
    with pytest.raises(InputError, match=r"more than 3,000 bytes.*, and Parquet is read from its end: write it to a f"):
        th.count("-", "a", label="y")


def test_what_needs_the_rows_of_a_long_pipe_says_so_and_it_comes_once(monkeypatch):
    piped(monkeypatch, csv())
    with pytest.raises(InputError, match=r"more than 3,000 bytes, .*: write it to a file and name that, or allow more"):
        th.evaluate("-", scores="a", label="y")
    assert th.count("-", "a", label="y").read == N
    with pytest.raises(InputError, match="it was read already, and comes once"):
        th.count("-", "a", label="y")


def test_clusters_and_exact_counts_are_refused_as_soon_as_rows_are_not_kept():
    """All of the rows were read before."""
    for options, error, said in (
        ({"cluster": "c"}, OptionError, "needs the rows, and counts do not keep them"),
        ({"resolution": "exact"}, InputError, "Leave out resolution='exact' to round the scores, or give more"),
    ):
        came = []

        def rows(came=came):
            for start in range(100):
                came.append(start)
                part = RNG.normal(size=70_000)
                yield {"y": (part > 0).astype(int), "a": part + start, "c": np.arange(70_000)}

        with pytest.raises(error, match=said):
            th.count(rows(), "a", label="y", memory=1_000_000, **options)
        assert len(came) < 30
