"""What goes wrong while many rows are counted: one sentence each, nothing left behind, no number."""

import os
import resource
import signal
import subprocess
import sys
import time

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher import spool
from thresher.counts import saved
from thresher.errors import InputError
from thresher.readers.session import session

COLUMNS = ("--label", "y", "--score", "s")


@pytest.fixture
def parts(tmp_path):
    """Three Parquet files, of which the second is cut off."""
    for i in range(3):
        saved.write_parquet(tmp_path / f"p{i}.parquet", {"y": np.arange(400) % 2, "s": np.arange(400) / 400}, {})
    whole = (tmp_path / "p1.parquet").read_bytes()
    (tmp_path / "p1.parquet").write_bytes(whole[: len(whole) // 2])
    return sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize("command", [("count", "-o", "c.parquet"), ("report", "--resolution", "16", "-o", "r.html")])
def test_a_file_that_is_cut_off_is_named_among_others(run, parts, tmp_path, command):
    name, *more = command
    done = run(name, "p*.parquet", *COLUMNS, *more)
    said = "thresher: p1.parquet is not a readable Parquet file: it is damaged or cut off.\n"
    assert (done.code, done.out, done.err) == (2, "", said)
    assert sorted(path.name for path in tmp_path.iterdir()) == parts


@pytest.fixture
def counted(tmp_path):
    """A file of counts, and its metadata."""
    th.count({"y": [0, 1, 0, 1], "s": [0.1, 0.2, 0.3, 0.4]}, "s", label="y").save(tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def test_a_pipe_that_the_temporary_directory_has_no_room_for(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    class Full:
        name = str(tmp_path / "input")

        def write(self, _piece):
            raise OSError(28, "No space left on device")

    import io

    with pytest.raises(InputError, match=r"pipe cannot be kept: the temporary directory '.*' is full \(No space"):
        spool._copy(io.BytesIO(b"y,s\n0,1\n"), Full(), "pipe", 1000)


def test_a_query_that_has_no_room_to_spill(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(InputError, match=r"the temporary directory '.*' is full .*TMPDIR\.$"), session():
        raise duckdb.IOException(f'Could not write file "{tmp_path}/duckdb/x.tmp": No space left on device')
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "output", "said"),
    [
        (["-"], "o.parquet", "standard input cannot be kept: the temporary directory"),
        (["big.csv"], "o.parquet", "cannot be written: File too large"),
    ],
)
def test_a_disk_that_is_full(environment, tmp_path, files, output, said):
    """No file may be larger than 100 kB: what pytest and Python write is not."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    draws = np.random.default_rng(1).random(60_000)
    text = "y,s\n" + "".join(f"{i % 2},{s}\n" for i, s in enumerate(draws))
    (tmp_path / "big.csv").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "thresher", "count", *files, *COLUMNS, "-o", output], input=text, text=True,
        capture_output=True, check=False, cwd=tmp_path, env=environment(TMPDIR=str(temporary)),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert os.listdir(temporary) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.csv", "tmp"]


@pytest.mark.slow
def test_an_interruption_while_rows_are_counted(environment, tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    duckdb.sql("SELECT range % 2 AS y, random() AS s FROM range(30000000)").write_parquet(str(tmp_path / "p.parquet"))
    command = [sys.executable, "-m", "thresher", "count", "p.parquet", *COLUMNS, "-o", "o.parquet"]
    # In the background of a shell interrupts are ignored, by children too, unless somebody handles them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Python loses an interrupt that comes while it drops the lock of an import, so that some may be lost.
    for later in (0.1, 0.3, 0.5, 0.8, 1.1, 0.2):
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment(TMPDIR=str(temporary)), stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        while not list(temporary.glob("thresher-*")):
            time.sleep(0.01)
        time.sleep(later)  # past the imports that reading needs
        process.send_signal(signal.SIGINT)  # once: Python, on its way out, dies of another
        out, err = process.communicate(timeout=60)
        if process.returncode:
            break
        (tmp_path / "o.parquet").unlink()
    assert (process.returncode, out) == (130, b"")
    assert err == b"thresher: interrupted\n"
    assert os.listdir(temporary) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.parquet", "tmp"]
