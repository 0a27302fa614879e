"""`thresher rank`: trec_eval's output, other forms, comparisons, and what it refuses."""

import gzip
import json
import sys

import pytest

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d9 1\nq3 0 d1 1\n"
RUN = "q1 Q0 d2 1 3.0 bm25\nq1 Q0 d1 2 2.0 bm25\nq1 Q0 d7 3 2.0 bm25\nq2 Q0 d9 1 1.0 bm25\nq4 Q0 d9 1 1.0 bm25\n"
DENSE = RUN.replace("bm25", "dense").replace("3.0", "0.1")
BOTH = ("--qrels", "q.txt", "--run", "r.txt")

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def files(write):  # type: ignore[no-untyped-def]
    write("q.txt", QRELS)
    write("r.txt", RUN)
    write("dense.txt", DENSE)


def test_gzip_stdin_and_tables(run, write) -> None:  # type: ignore[no-untyped-def]
    want = run("rank", *BOTH, "-m", "map", "--format", "trec").out
    write("r.gz", gzip.compress(RUN.encode()))
    assert run("rank", "--qrels", "q.txt", "--run", "r.gz", "-m", "map", "--format", "trec").out == want
    assert run("rank", "q.txt", "-", "-m", "map", "--format", "trec", stdin=RUN).out == want
    table = "session,item,model,other,clicked\na,x,0.9,0.1,0\na,y,0.5,0.2,1\nb,x,0.3,0.4,1\n"
    write("t.csv", table)
    given = ("--query", "session", "--document", "item", "--relevance", "clicked")
    done = run("rank", "t.csv", *given, "--score", "model", "--score", "other", "-m", "recip_rank", "--format", "tsv")
    rows = [line.split("\t")[:3] for line in done.out.splitlines()[1:]]
    assert rows == [["model", "recip_rank", "0.75"], ["other", "recip_rank", "1.0"]]


@pytest.mark.peer
def test_a_picture(run) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("matplotlib").use("Agg")
    from pathlib import Path

    done = run("rank", *BOTH, "--run", "dense.txt", "--plot", "p.svg", "-m", "map")
    assert "wrote p.svg" in done.err
    assert Path("p.svg").read_text(encoding="utf-8").count("bm25") >= 1
    assert run("rank", *BOTH, "--plot", "q.svg", "-m", "map", "--quiet").err == ""


@pytest.mark.peer
@pytest.mark.parametrize("name", ["p", "p.doc", "p.svg.gz"])
def test_a_picture_of_no_kind_is_refused_before_the_work(run, name) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("matplotlib")
    done = run("rank", "--qrels", "nothing.txt", "--run", "nothing.run", "--plot", name)
    assert (done.code, done.out) == (2, "")
    assert f"--plot {name} ends in none of" in done.err
    assert ".pdf" in done.err


def test_a_picture_without_matplotlib_is_refused_before_the_work(run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = run("rank", "--qrels", "nothing.txt", "--run", "nothing.run", "--plot", "p.svg")
    assert "pip install matplotlib" in done.err


def test_the_document_of_the_command_is_by_the_schema(run) -> None:  # type: ignore[no-untyped-def]
    from importlib import resources

    import jsonschema

    text = resources.files("thresher.report").joinpath("ranking.schema.json").read_text(encoding="utf-8")
    done = run("rank", *BOTH, "--run", "dense.txt", "-m", "all", "--per-query", "--compare", "--format", "json")
    document = json.loads(done.out)
    jsonschema.Draft202012Validator(json.loads(text)).validate(document)
    assert set(document) <= set(json.loads(text)["properties"])
    assert document["comparisons"][0]["units"] == "queries"


def test_a_bar_is_drawn_while_resampling(run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from contextlib import nullcontext

    from thresher.cli import rank as command
    from thresher.cli import streams

    drawn: list[tuple[int, int]] = []

    class Bar:
        task_ids = (0,)

        def update(self, _task: int, *, completed: int, total: int) -> None:
            drawn.append((completed, total))

        def stop(self) -> None: ...

    for name, value in (("is_watched", lambda: True), ("PATIENCE", -1.0), ("_drawn_bar", Bar)):
        monkeypatch.setattr(streams, name, value)
    monkeypatch.setattr(command, "progress", lambda quiet: nullcontext())  # noqa: ARG005  the bar of reading
    for given, wanted in ((["--bootstrap", "50"], 50), (["--compare", "--test", "bootstrap"], 2000)):
        drawn.clear()
        assert run("rank", *BOTH, "dense.txt", "-m", "map", *given).code == 0
        assert drawn
        assert all(0 <= done < total == wanted for done, total in drawn)
        drawn.clear()
        assert run("rank", *BOTH, "dense.txt", "-m", "map", *given, "--quiet").code == 0
        assert not drawn


def test_a_bar_is_drawn_while_reading(run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from contextlib import contextmanager

    from thresher.cli import rank as command

    told: list[tuple[float | None, str]] = []

    @contextmanager
    def watching(*, quiet: bool):  # type: ignore[no-untyped-def]
        yield None if quiet else lambda share, text: told.append((share, text))

    monkeypatch.setattr(command, "progress", watching)
    assert run("rank", *BOTH).code == 0
    assert told
    assert all(text == "Reading" and 0 <= share <= 1 for share, text in told)
    told.clear()
    assert run("rank", *BOTH, "--quiet").code == 0
    assert not told
