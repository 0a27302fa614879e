"""Bad input through the command: a sentence and exit code 2, or a defined value; no traceback, no wrong number."""

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
