"""Pipes are read whole, once in a command, within bounds, and leave nothing behind."""

import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import thresher
from thresher import spool
from thresher._util.atomic_file import atomic_write
from thresher.errors import InputError, OptionError
from thresher.ranking import rank
from thresher.readers import load

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

PYTHONPATH = str(Path(thresher.__file__).parents[1])


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))


def piped(content, path="pipe"):
    """Write into a named pipe from another thread."""
    if not os.path.exists(path):
        os.mkfifo(path)
    thread = threading.Thread(target=Path(path).write_bytes, args=(content,))
    thread.start()
    return thread


def test_a_named_pipe_is_read_anew_by_every_call():
    for scores in ([0.25, 0.75], [0.5, 1.5, 2.5]):
        writer = piped(b"y,a\n" + b"".join(b"%d,%g\n" % (i % 2, score) for i, score in enumerate(scores)))
        assert load("pipe", "a", label="y").scores["a"].tolist() == scores
        writer.join()
        assert os.listdir("tmp") == []


def test_a_named_pipe_is_read_once_in_a_call_that_looks_twice():
    writer = piped(b"y,p_0,p_1\n0,0.5,0.5\n1,0.25,0.75\n")
    assert len(load("pipe", probabilities="p_", label="y")) == 2
    writer.join()
    for relevance in (b"1", b"0"):
        writer = piped(b"q1 0 d1 %s\nq1 0 d2 1\n" % relevance, "qrels")
        found = rank("qrels", {"q1": {"d1": 2.0, "d2": 1.0}}, measures=["map"])
        assert found.mean("map").value == (1.0 if relevance == b"1" else 0.5)
        writer.join()


def test_blocks_inside_one_another_share_what_was_read():
    with spool.once():
        writer = piped(b"one")
        with spool.once():
            first = spool.spool_stream("pipe")
        writer.join()
        assert spool.spool_stream("pipe") == first
        assert Path(first.whole()).read_bytes() == b"one"
    assert not os.path.exists(first.path)


def test_what_has_no_end_is_refused(monkeypatch):
    monkeypatch.setenv(spool.LIMIT, "1000")
    writer = piped(b"y,a\n" + b"1,2\n" * 100)
    assert len(load("pipe", "a", label="y", positive=1)) == 100
    writer.join()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,a\n" + b"1,2\n" * 1000)))
    with pytest.raises(
        InputError, match=r"standard input has more than 1,000 bytes, the limit for .* THRESHER_SPOOL_LIMIT"
    ):
        load("-", "a", label="y")
    spool._kept.close()
    assert os.listdir("tmp") == []
    monkeypatch.setenv(spool.LIMIT, "many")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,a\n1,2\n")))
    with pytest.raises(OptionError, match=r"THRESHER_SPOOL_LIMIT is 'many': give a number of bytes"):
        load("-", "a", label="y")
    monkeypatch.setenv(spool.LIMIT, "1.5 MB")
    assert spool._most(".") == 1_500_000
    monkeypatch.delenv(spool.LIMIT)
    assert spool._most(".") > 2**20


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom"])
def test_a_device_is_refused_at_once(path):
    if not os.path.exists(path):
        return
    with pytest.raises(InputError, match=f"{path} is a device, not a table: name a file or a pipe"):
        load(path, "a", label="y")
    with pytest.raises(InputError, match=f"{path} is a device"):
        rank(path, {"q": {"d": 1.0}})
    with open(path, "rb") as device:
        run = subprocess.run(
            [sys.executable, "-m", "thresher", "report", "-", "--label", "y"],
            stdin=device, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": PYTHONPATH}, check=False,
        )  # fmt: skip
    assert run.returncode == 2
    assert run.stderr == "thresher: standard input is a device, not a table: name a file or a pipe.\n"


def test_a_socket_cannot_be_read():
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(InputError, match="s cannot be read: No such device or address"):
            load("./s", "a", label="y")


def test_sigterm_ends_the_command_and_leaves_nothing():
    os.mkfifo("pipe")
    environment = os.environ | {"PYTHONPATH": PYTHONPATH, "TMPDIR": os.path.abspath("tmp")}
    command = [sys.executable, "-m", "thresher", "report", "pipe", "--label", "y", "--score", "a"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
    with open("pipe", "wb") as pipe:
        pipe.write(b"y,a\n1,2\n")
        pipe.flush()
        while not any(Path("tmp").glob("*/input")):
            time.sleep(0.01)
        while process.poll() is None:  # a signal just before a system call that waits is seen with the next one
            process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
        assert process.communicate()[1] == b""
    assert process.returncode == 143
    assert os.listdir("tmp") == []


def test_unfinished_outputs_are_removed_after_a_day():
    for name, age in ((".thresher-0a.tmp", 2), (".thresher-0b.tmp", 0), (".other-0a.tmp", 2)):
        Path(name).touch()
        os.utime(name, (time.time() - age * 86_400,) * 2)
    with atomic_write(Path("counts.parquet")):
        pass
    assert {path.name for path in Path().glob(".*.tmp")} == {".thresher-0b.tmp", ".other-0a.tmp"}
