"""Bad input through the command: a sentence and exit code 2, or a defined value; no traceback, no wrong number."""

from __future__ import annotations

import gzip
import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

GOOD = "y,p\n1,0.9\n0,0.2\n1,0.4\n0,0.6\n"
YP = ["--label", "y", "--score", "p"]


def refused(run: Any, *args: object) -> str:
    """Sentence with which the command refuses, after checking that it is all it says."""
    done = run("report", *args)
    assert (done.code, done.out) == (2, ""), done
    lines = done.err.splitlines()
    assert lines[0].startswith("thresher: ")
    assert lines[0].rstrip().endswith((".", "?", "!"))
    assert all(line.startswith("Try 'thresher report --help'") for line in lines[1:])
    return str(done.err)


def measured(run: Any, *args: object) -> dict[str, Any]:
    done = run("report", *args, "--format", "json")
    assert done.code == 0, done.err
    result: dict[str, Any] = json.loads(done.out)
    return result


def parquet(path: Path, query: str) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize(
    ("name", "content", "options", "words"),
    [
        ("empty.csv", "", YP, ["empty.csv", "empty"]),
        ("header.csv", "y,p\n", YP, ["no rows"]),
        ("blank.csv", "\n\n\n", YP, ["blank.csv"]),
        ("a.csv", GOOD, ["--label", "z", "--score", "p"], ["'z'", "'y'", "'p'"]),
        ("a.csv", GOOD, ["--label", "y", "--score", "prob"], ["'prob'", "'p'"]),
        ("a.csv", GOOD, [*YP, "--by", "site"], ["'site'"]),
        ("a.csv", GOOD, [*YP, "--weight", "w"], ["'w'"]),
        ("twice.csv", "y,p,p\n1,0.9,0.1\n0,0.2,0.3\n", YP, ["'p'", "2 columns"]),
        ("text.csv", "y,p\n1,high\n0,low\n", YP, ["'p'", "'high'"]),
        ("mixed.csv", "y,p\n1,0.9\n0,0.2\n1,n.d.\n0,0.1\n", YP, ["'p'", "'n.d.'", "3"]),
        ("comma.csv", 'y,p\n1,"0,9"\n0,"0,2"\n', YP, ["'p'", "0,9"]),
        ("nan.csv", "y,p\n1,0.9\n0,nan\n", YP, ["'p'", "row 2", "--missing drop"]),
        ("none.csv", "y,p\n1,0.9\n0,\n", YP, ["'p'", "row 2", "--missing drop"]),
        ("nolabel.csv", "y,p\n1,0.9\n,0.5\n0,0.1\n", YP, ["'y'", "row 2", "--missing drop"]),
        ("minus.csv", "y,p,w\n1,0.9,1\n0,0.2,-1\n", [*YP, "--weight", "w"], ["'w'", "-1", "row 2"]),
        ("noweight.csv", "y,p,w\n1,0.9,1\n0,0.2,\n", [*YP, "--weight", "w"], ["'w'", "row 2"]),
        ("huge.csv", "y,p,w\n1,0.9,1\n0,0.2,1e300\n", [*YP, "--weight", "w"], ["'w'", "1e+300", "row 2", "Rescale"]),
        ("tiny.csv", "y,p,w\n1,0.9,1e-300\n0,0.2,1\n", [*YP, "--weight", "w"], ["'w'", "1e-300", "row 1", "Rescale"]),
        (
            "many.csv",
            "y,p,w\n1,0.9,5e15\n0,0.2,5e15\n",
            [*YP, "--weight", "w", "--weight-kind", "frequency"],
            ["'w'", "1e+16", "importance"],
        ),
        ("zero.csv", "y,p,w\n1,0.9,0\n0,0.2,0\n", [*YP, "--weight", "w"], ["'w'", "0"]),
        ("blanks.csv", "y,p\nill,0.9\nwell,0.2\nill ,0.4\n", [*YP, "--positive", "ill"], ["'ill'", "'ill '", "blanks"]),
        ("case.csv", "y,p\nill,0.9\nwell,0.2\nIll,0.4\n", [*YP, "--positive", "ill"], ["'ill'", "'Ill'", "case"]),
        ("three.csv", "y,p\na,0.9\nb,0.2\nc,0.4\n", YP, ["'a'", "'b'", "'c'"]),
        ("three.csv", "y,p\na,0.9\nb,0.2\nc,0.4\n", [*YP, "--positive", "a"], ["--rest negative"]),
        ("two.csv", "y,p\nno,0.9\nyes,0.2\n", YP, ["'no'", "'yes'", "--positive"]),
        ("two.csv", "y,p\nno,0.9\nyes,0.2\n", [*YP, "--positive", "maybe"], ["'maybe'", "'no'", "'yes'"]),
        ("ragged.csv", "y,p\n1,0.9\n0,0.2,7\n1,0.5\n", YP, ["ragged.csv", "3"]),
        ("quote.csv", 'y,p\n1,0.9\n0,"0.2\n1,0.4\n', YP, ["quote.csv"]),
        ("one.csv", "y,p\nill,0.9\nill,0.2\n", YP, ["'ill'", "--positive"]),
        (
            "mixed.jsonl",
            '{"y": 1, "p": 0.9}\n{"y": "1", "p": 0.2}\n{"y": 0, "p": 0.1}\n',
            YP,
            ["'y'", "numbers", "text"],
        ),
        ("text.jsonl", '{"y": 1, "p": "0.9x"}\n{"y": 0, "p": "low"}\n', YP, ["'p'"]),
        ("cut.jsonl", '{"y": 1, "p": 0.9}\n{"y": 0, "p"', YP, ["cut.jsonl"]),
        ("a.parquet", "PAR1 but no more", YP, ["a.parquet", "Parquet"]),
        ("b.parquet", "y,p\n1,0.9\n", YP, ["b.parquet", "Parquet"]),
        ("a.csv.gz", b"\x1f\x8b\x08\x00not gzip", YP, ["a.csv.gz"]),
        ("a.xlsx", b"PK\x03\x04rest", YP, ["Excel"]),
        ("wide.csv", "y,p\n1,0.9\n".encode("utf-16"), YP, ["UTF-16"]),
        ("latin.csv", "y,p\ngrün,0.9\nrot,0.1\n".encode("latin-1"), [*YP, "--positive", "rot"], ["UTF-8"]),
        ("a.csv", GOOD, [*YP, "--score", "p"], ["'p'"]),
        ("a.csv", GOOD, ["--label", "y", "--score", "y"], ["'y'"]),
        ("a.csv", GOOD, [*YP, "--predicted", "q"], ["'q'"]),
        ("a.csv", GOOD, [*YP, "--rest", "negative"], ["--rest negative", "--positive"]),
    ],
)
def test_a_sentence_and_code_2(run, write, name, content, options, words) -> None:  # type: ignore[no-untyped-def]
    write(name, content)
    said = refused(run, name, *options)
    assert all(word in said for word in words), said


def test_files_that_are_not_there_or_no_files(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "data.csv").write_text(GOOD)
    (tmp_path / "folder").mkdir()
    assert "there is no file dat.csv" in refused(run, "dat.csv", *YP)
    assert "data.csv" in refused(run, "dat.csv", *YP)
    assert "directory" in refused(run, "folder", *YP)
    assert "*.parquet" in refused(run, "*.parquet", *YP)
    assert "network" in refused(run, "https://example.org/a.csv", *YP)
    assert "twice" in refused(run, "data.csv", "data.csv", *YP)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Act as a user who may not read everything, when these tests run as one who may; Windows has no such user."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


NOBODY = 65534


@pytest.mark.skipif(os.name == "nt", reason="file modes are POSIX's")
def test_a_file_without_permission(run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    # Not under tmp_path, whose parents only their owner may enter.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.chdir(folder)
        secret = Path("secret.csv")
        secret.write_text(GOOD)
        # What is imported on the way is imported while it can be read.
        assert measured(run, "secret.csv", *YP)["n"] == 4
        refused(run, "missing.csv", *YP)
        secret.chmod(0)
        with as_nobody():
            with pytest.raises(PermissionError):
                secret.read_text()
            said = refused(run, "secret.csv", *YP)
        monkeypatch.undo()
    assert "secret.csv" in said
    assert "ermission" in said


def test_a_cut_off_parquet_or_gzip(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    parquet(tmp_path / "whole.parquet", "SELECT range % 2 AS y, range / 1000 AS p FROM range(1000)")
    whole = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-40])
    assert "cut.parquet" in refused(run, "cut.parquet", *YP)
    zipped = gzip.compress(("y,p\n" + "1,0.9\n0,0.2\n" * 5000).encode())
    (tmp_path / "cut.csv.gz").write_bytes(zipped[:-20])
    assert "cut.csv.gz" in refused(run, "cut.csv.gz", *YP)


def test_many_labels_look_like_an_identifier(run, write) -> None:  # type: ignore[no-untyped-def]
    write("ids.csv", "y,p\n" + "".join(f"{i},{i / 50_000}\n" for i in range(50_000)))
    assert "identifier" in refused(run, "ids.csv", *YP)
    assert "identifier" in refused(run, "ids.csv", "--label", "y", "--predicted", "p")


@pytest.mark.parametrize("label", ["0", "1"])
def test_one_class_only_is_undefined_with_its_reason(run, write, label: str) -> None:  # type: ignore[no-untyped-def]
    write("one.csv", f"y,p\n{label},0.9\n{label},0.2\n")
    model = measured(run, "one.csv", *YP)["models"]["p"]
    assert model["measures"]["auc"]["value"] is None
    assert ("no negatives" if label == "1" else "no positives") in model["measures"]["auc"]["reason"]
    assert model["measures"]["accuracy"]["value"] == 0.5
    assert run("report", "one.csv", *YP).code == 0


def test_a_byte_order_mark_is_no_part_of_a_name(run, write) -> None:  # type: ignore[no-untyped-def]
    write("bom.csv", b"\xef\xbb\xbf" + GOOD.encode())
    assert measured(run, "bom.csv", *YP)["n"] == 4
    assert measured(run, "bom.csv", "--score", "p")["label"] == "y"


def test_windows_line_ends_tabs_and_semicolons(run, write) -> None:  # type: ignore[no-untyped-def]
    expected = measured(run, write("a.csv", GOOD), *YP)["models"]
    for name, content in (
        ("crlf.csv", GOOD.replace("\n", "\r\n")),
        ("a.tsv", GOOD.replace(",", "\t")),
        ("semi.csv", GOOD.replace(",", ";")),
        ("no_end.csv", GOOD.rstrip("\n")),
        ("quoted.csv", '"y","p"\n"1","0.9"\n"0","0.2"\n"1","0.4"\n"0","0.6"\n'),
    ):
        write(name, content)
        assert measured(run, name, *YP)["models"] == expected, name


def test_every_format_of_a_file_gives_the_same(run, write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    expected = measured(run, write("a.csv", GOOD), *YP)["models"]
    records = [dict(zip(("y", "p"), map(float, line.split(",")), strict=True)) for line in GOOD.split()[1:]]
    write("a.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    write("a.csv.gz", gzip.compress(GOOD.encode()))
    parquet(tmp_path / "a.parquet", "SELECT * FROM (VALUES (1, 0.9), (0, 0.2), (1, 0.4), (0, 0.6)) AS t(y, p)")
    for name in ("a.jsonl", "a.csv.gz", "a.parquet"):
        assert measured(run, name, *YP)["models"] == expected, name


def test_parts_are_one_table(run, write) -> None:  # type: ignore[no-untyped-def]
    lines = GOOD.splitlines(keepends=True)
    write("part-1.csv", "".join(lines[:3]))
    write("part-2.csv", lines[0] + "".join(lines[3:]))
    expected = measured(run, write("a.csv", GOOD), *YP)["models"]
    assert measured(run, "part-1.csv", "part-2.csv", *YP)["models"] == expected
    assert measured(run, "part-*.csv", *YP)["models"] == expected


def test_a_late_fraction_is_not_rounded(run, write) -> None:  # type: ignore[no-untyped-def]
    rows = ["1,1", "0,0"] * 30_000 + ["1,0.35", "0,0.36"]
    write("late.csv", "y,p\n" + "\n".join(rows) + "\n")
    auc = measured(run, "late.csv", *YP)["models"]["p"]["measures"]["auc"]["value"]
    n = 30_001
    assert auc == pytest.approx((30_000 * n + 30_000) / n**2, abs=1e-15)


def test_negative_zero_is_zero(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,-0.0\n0,0.0\n")
    assert measured(run, "a.csv", *YP)["models"]["p"]["measures"]["auc"]["value"] == 0.5


def test_all_scores_equal_is_said(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,0.3\n0,0.3\n1,0.3\n")
    given = measured(run, "a.csv", *YP)
    assert given["models"]["p"]["measures"]["auc"]["value"] == 0.5
    assert any("same score" in note or "every row" in note for note in given["notes"])


def test_an_auc_below_one_half_is_reported_with_the_hint(run, write) -> None:  # type: ignore[no-untyped-def]
    rows = "1,0.1\n0,0.9\n1,0.2\n0,0.15\n"
    for copies, is_told in ((1, False), (10, True)):  # four rows say nothing against chance
        write("a.csv", "y,p\n" + copies * rows)
        given = measured(run, "a.csv", *YP)
        assert given["models"]["p"]["measures"]["auc"]["value"] == 0.25
        assert any("below" in note and "lower" in note for note in given["notes"]) == is_told


def test_the_interval_at_an_auc_of_one_has_a_width_and_stays_below_one(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n" + "1,0.9\n1,0.8\n1,0.7\n0,0.3\n0,0.2\n0,0.1\n")
    auc = measured(run, "a.csv", *YP)["models"]["p"]["measures"]["auc"]
    assert auc["value"] == 1
    assert 0 <= auc["low"] < auc["high"] <= 1


def test_weights_of_ten_change_no_rate(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p,w\n1,0.9,10\n0,0.2,10\n1,0.4,10\n0,0.6,10\n")
    measures = measured(run, "a.csv", *YP, "--weight", "w")["models"]["p"]["measures"]
    assert measures["true_negative_rate"]["value"] == 0.5


def test_large_weights_do_not_overflow(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    parquet(
        tmp_path / "a.parquet",
        "SELECT (range % 2)::INTEGER AS y, (range % 10 / 10)::FLOAT AS p, 2147483647::INTEGER AS w FROM range(1000)",
    )
    options = [*YP, "--weight", "w"]
    importance = measured(run, "a.parquet", *options)["models"]["p"]["measures"]
    frequency = measured(run, "a.parquet", *options, "--weight-kind", "frequency")["models"]["p"]
    plain = measured(run, "a.parquet", *YP)["models"]["p"]["measures"]
    for name in ("auc", "accuracy", "true_positive_rate"):
        assert importance[name]["value"] == pytest.approx(plain[name]["value"], rel=1e-12)
        assert frequency["measures"][name]["value"] == pytest.approx(plain[name]["value"], rel=1e-12)
    assert sum(map(sum, frequency["confusion_matrix"]["counts"])) == 1000 * 2147483647


def test_no_assumed_threshold_outside_the_unit_interval(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,7\n0,-3\n1,1\n")
    model = measured(run, "a.csv", *YP)["models"]["p"]
    assert model["threshold"] is None
    assert model["confusion_matrix"] is None
    assert model["measures"]["accuracy"]["value"] is None
    assert "threshold" in model["measures"]["accuracy"]["reason"]
    given = measured(run, "a.csv", *YP, "--threshold", "1")["models"]["p"]
    assert given["confusion_matrix"]["counts"] == [[2, 0], [0, 1]]


@pytest.mark.parametrize("score", ["inf", "-inf", "1e999"])
def test_infinite_scores_are_scores_or_an_error(run, write, score: str) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", f"y,p\n1,{score}\n0,0.2\n1,0.4\n")
    done = run("report", "a.csv", *YP, "--format", "json")
    if done.code == 0:
        auc = json.loads(done.out)["models"]["p"]["measures"]["auc"]["value"]
        assert auc == (0.5 if score == "-inf" else 1)
    else:
        assert (done.code, done.out) == (2, "")
        assert "'p'" in done.err


def test_a_class_that_is_never_predicted_is_shown_undefined(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,said\na,a\nb,b\nc,a\n")
    done = run("report", "a.csv", "--label", "y", "--predicted", "said", "--format", "json")
    assert done.code == 0, done.err
    model = json.loads(done.out)["models"]["said"]
    assert model["confusion_matrix"]["labels"] == ["a", "b", "c"]
    assert model["confusion_matrix"]["counts"] == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert any("undefined" in str(m["reason"]) or m["value"] is None for m in model["measures"].values())


def test_names_and_labels_cannot_break_out_of_a_page_or_a_terminal(run, write) -> None:  # type: ignore[no-untyped-def]
    name = "<script>alert(1)</script>"
    label = "</script><b>\x1b[31mred"
    write("a.csv", f'y,"{name}"\n{label},0.9\nwell,0.2\n')
    options = ["--label", "y", "--score", name, "--positive", label]
    page = run("report", "a.csv", *options, "--format", "html").out
    assert name not in page
    assert "<b>" not in page
    text = run("report", "a.csv", *options)
    assert text.code == 0
    assert "\x1b" not in text.out + text.err
    table = run("table", "a.csv", *options, "--format", "text")
    assert "\x1b" not in table.out
    assert "\x1b" not in run("report", "a.csv", "--label", "y", "--score", name, "--positive", "\x1b[2J").err


@pytest.mark.slow
def test_a_page_is_of_one_size_whatever_the_rows(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    sizes = []
    for n in (3_000, 300_000):
        query = f"SELECT (hash(range) % 10 < 3)::INT AS y, hash(range + 7) / 18446744073709551615 AS p FROM range({n})"
        parquet(tmp_path / f"{n}.parquet", query)
        assert run("report", f"{n}.parquet", *YP, "-o", f"{n}.html").code == 0
        sizes.append((tmp_path / f"{n}.html").stat().st_size)
    assert sizes[1] < 1.3 * sizes[0]
    assert sizes[1] < 600_000


@pytest.mark.slow
def test_ten_million_rows_through_a_pipe_all_arrive(environment, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    import subprocess
    import sys

    n = 10_000_000
    rows = "import sys\nfor i in range(0, 10_000_000, 1000): sys.stdout.write(''.join("
    rows += "f'{j & 1},{j / 1e7}\\n' for j in range(i, i + 1000)))"
    line = f"(echo y,p; '{sys.executable}' -c \"{rows}\") | '{sys.executable}' -m thresher report - "
    line += "--label y --score p --format json"
    done = subprocess.run(line, shell=True, capture_output=True, cwd=tmp_path, env=environment(), check=True)
    given = json.loads(done.stdout)
    assert given["n"] == n
    assert math.isclose(given["models"]["p"]["measures"]["auc"]["value"], 0.5 + 1 / n, rel_tol=1e-12)


def test_of_a_wide_file_not_every_column_is_named(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    names = [f"f{i}" for i in range(300)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(["y", *names]), *(",".join(["1"] + ["0.5"] * 300),) * 2000]))
    assert "and 280 more" in refused(run, "wide.csv")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_links_in_a_circle_are_told_and_written_over(run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(GOOD)
    for name in ("a", "b.html"):
        os.symlink(name, tmp_path / name)
    assert refused(run, "a", *YP) == "thresher: a is a link that leads to no file.\n"
    assert refused(run, "x.csv", *YP, "--truth", "a", "--key", "k").endswith("a is a link that leads to no file.\n")
    assert run("rank", "a", "a").code == run("calibrate", "a").code == 2
    assert run("report", "x.csv", *YP, "-o", "b.html", "--quiet").code == 0
    assert (tmp_path / "b.html").read_text().startswith("<!doctype html>")
