"""TREC files of every shape: line ends, marks, compression, pipes, sizes; and what the reader tells whoever watches."""

import gzip
import os
import threading

import numpy as np
import pytest

import thresher as th
from thresher._util.threads import progress_scope
from thresher.errors import InputError
from thresher.ranking import trec_files

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"
RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d9 1 1 t\n"


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / "q"
    path.write_text(QRELS)
    return path


def _value(qrels, path):
    return th.rank(qrels, path, measures="map").mean("map").value


@pytest.mark.parametrize("shape", [
    lambda b: b, lambda b: b.replace(b"\n", b"\r\n"), lambda b: b.rstrip(b"\n"), gzip.compress,
    lambda b: b"\xef\xbb\xbf" + b, lambda b: gzip.compress(b"\xef\xbb\xbf" + b), lambda b: b"\n# note\n\n" + b,
    lambda b: b.replace(b" ", b"\t"),
])  # fmt: skip
def test_shapes_of_the_same_rows(tmp_path, qrels, shape):
    run = tmp_path / "r"
    run.write_bytes(shape(RUN.encode()))
    assert _value(qrels, run) == 0.5
    qrels.write_bytes(shape(QRELS.encode()))
    assert _value(qrels, run) == 0.5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_from_start_to_end(tmp_path, qrels):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(RUN,))
    writer.start()
    assert _value(qrels, pipe) == 0.5
    writer.join()


@pytest.mark.parametrize("size", [10, 17, 64, 1000])
def test_any_size_of_block_gives_the_same_rows(tmp_path, monkeypatch, size):
    rng = np.random.default_rng(0)
    lines = [f"q{rng.integers(5)} Q0 d{i} 1 {rng.normal():.3f} tag{i}\n" for i in range(300)]
    path = tmp_path / "r"
    path.write_text("".join(lines))
    whole = trec_files.read_trec(str(path), "results")
    monkeypatch.setattr(trec_files, "BLOCK", size)
    parts = trec_files.read_trec(str(path), "results")
    assert parts.queries == whole.queries
    assert parts.tag == whole.tag == "tag299"
    assert np.array_equal(parts.codes, whole.codes)
    assert np.array_equal(parts.numbers, whole.numbers)
    assert parts.documents.texts(np.arange(300)) == [f"d{i}" for i in range(300)]


@pytest.mark.parametrize("block", [16, 2**23])
@pytest.mark.parametrize(("at", "line", "said"), [
    (150, "q1 Q0 d 1 x t\n", "line 151: the score 'x' is not a number"), (0, "q1 Q0\n", "line 1 has 2 fields"),
    (299, "q1 Q0 d 1 2\n", "line 300 has 5 fields"), (7, "q1 Q0 d 1 nan t\n", "NaN in line 8"),
    (8, "q1 Q0 d 1 1２ t\n", "line 9: the score '1２' is not a number"),
])  # fmt: skip
def test_the_line_is_named_whatever_the_block(tmp_path, monkeypatch, block, at, line, said):
    lines = [f"q Q0 d{i} 1 {i} tag\n" for i in range(300)]
    lines[at] = line
    path = tmp_path / "r"
    path.write_text("".join(lines))
    monkeypatch.setattr(trec_files, "BLOCK", block)
    with pytest.raises(InputError, match=said):
        trec_files.read_trec(str(path), "results")


def test_who_watches_is_told_how_much_is_read(tmp_path, monkeypatch, qrels):
    run, table = tmp_path / "r", tmp_path / "t.csv"
    run.write_text(RUN)
    table.write_text("query,document,score,relevance\nq,d,1,1\n")
    monkeypatch.setattr(trec_files, "BLOCK", 20)
    for given in ((qrels, run), (table,)):
        told: list[tuple[int, int]] = []
        with progress_scope(lambda done, wanted, told=told: told.append((done, wanted))):
            th.rank(*given)
        assert told
        assert all(0 <= done <= wanted for done, wanted in told)
    told = []
    with progress_scope(lambda done, wanted: told.append((done, wanted))):
        th.rank(qrels, run)
    assert (len(RUN), len(RUN)) in told
