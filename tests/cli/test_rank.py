"""`thresher rank`: trec_eval's output, other forms, comparisons, and what it refuses."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

import thresher as th

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


def test_a_table_of_means_with_intervals_and_notes(run) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *BOTH)
    assert (done.code, done.err) == (0, "")
    assert "\nName         bm25  " in done.out
    row = next(line for line in done.out.splitlines() if line.startswith("map"))
    assert " ".join(row.split()).startswith("map 0.58 [0.00, 1.00] mean average precision")
    assert "1 query of the run has no judgements: left out." in done.out
    assert "1 query has judgements and no results: left out of every mean." in done.out


def test_trec_evals_output_to_the_letter(run) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", "q.txt", "r.txt", "--per-query", "-m", "num_ret", "-m", "map", "-m", "P.5", "--format", "trec")
    want = [
        ("num_ret", "q1", "3"), ("map", "q1", "0.1667"), ("P_5", "q1", "0.2000"),
        ("num_ret", "q2", "1"), ("map", "q2", "1.0000"), ("P_5", "q2", "0.2000"),
        ("num_ret", "all", "4"), ("map", "all", "0.5833"), ("P_5", "all", "0.2000"),
    ]  # fmt: skip
    assert done.out == "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in want)
    assert "no judgements" in done.err


def test_without_measures_trec_evals_official_ones(run) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *BOTH, "--format", "trec", "-c")
    names = [line.split()[0] for line in done.out.splitlines()]
    assert names[:6] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map"]
    assert names[-1] == "P_1000"
    assert len(names) == 30
    values = {line.split()[0]: line.split()[2] for line in done.out.splitlines()}
    assert (values["runid"], values["num_q"], values["num_rel"], values["map"]) == ("bm25", "3", "4", "0.3889")


def test_several_runs_are_compared(run) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *BOTH, "--run", "dense.txt", "-m", "map", "-m", "num_q", "--compare", "--format", "json")
    document = json.loads(done.out)
    assert [entry["name"] for entry in document["runs"]] == ["bm25", "dense"]
    (only,) = document["comparisons"]
    assert (only["measure"], only["models"]) == ("map", ["bm25", "dense"])
    assert (only["wins"], only["ties"], only["losses"]) == (0, 1, 1)
    done = run("rank", *BOTH, "dense.txt", "-m", "map", "--per-query", "--compare", "--test", "randomization")
    assert "Fisher's randomization test over 2 queries, exact" in " ".join(done.out.split())
    assert "By map bm25 wins 0 of 2 queries, dense 1; 1 is tied." in " ".join(done.out.split())
    assert done.out.startswith("Verdict\n")
    values = done.out.partition("\nEvery query\n")[2].splitlines()
    assert [line.split()[:2] for line in values[2:4]] == [["bm25", "q1"], ["bm25", "q2"]]


def test_many_comparisons_are_a_table_and_those_with_a_margin_sentences(run) -> None:  # type: ignore[no-untyped-def]
    many = ("-m", "map", "-m", "P.1", "-m", "P.2", "-m", "recip_rank")
    done = run("rank", *BOTH, "dense.txt", *many, "--compare")
    table = done.out.partition("Which run is better\n")[2].splitlines()
    document = json.loads(run("rank", *BOTH, "dense.txt", *many, "--compare", "--format", "json").out)
    told = [line.split() for line in table[2 : 2 + len(document["comparisons"])]]
    assert [row[0] for row in told] == [item["measure"] for item in document["comparisons"]]
    assert all(" ".join(row[1:4]) == "bm25 − dense" for row in told)
    assert "wins 0 of" not in done.out
    done = run("rank", *BOTH, "dense.txt", *many, "--compare", "--margin", "0.1")
    assert "\n\nConclusions\n" in done.out
    assert done.out.count("wins ") == len(document["comparisons"])


def test_numbers_in_full_for_machines(run) -> None:  # type: ignore[no-untyped-def]
    rows = [json.loads(line) for line in run("rank", *BOTH, "-m", "map", "--format", "jsonl").out.splitlines()]
    assert rows[0]["value"] == pytest.approx(7 / 12)
    lines = run("rank", *BOTH, "-m", "map", "--per-query", "--format", "tsv").out.splitlines()
    assert lines[0] == "run\tquery\tmap"
    assert float(lines[1].split("\t")[2]) == 1 / 6


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


def test_options_change_what_counts(run) -> None:  # type: ignore[no-untyped-def]
    def mean(*options: str) -> str:
        done = run("rank", *BOTH, "-m", "map", "--format", "trec", *options)
        assert done.code == 0, done.err
        return str(done.out.split()[2])

    assert mean() == "0.5833"
    assert mean("-c") == "0.3889"
    assert mean("-J") == "0.6250"
    assert mean("-M", "1") == "0.5000"
    assert mean("-l", "2") == "0.0000"
    assert mean("-l", "2", "-m", "P.1", "--no-relevant", "skip") == "0.0000"
    assert mean("--ties", "expected") == "0.6042"
    assert mean("--bootstrap", "50") == "0.5833"


def test_resamples_serve_the_comparison_too(run) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *BOTH, "dense.txt", "-m", "map", "--compare", "--test", "bootstrap", "--bootstrap", "50")
    assert done.code == 0, done.err
    assert "50 replicates of queries" in done.out
    assert "2,000" not in done.out


@pytest.mark.parametrize(("test", "words"), [("wilcoxon", "Wilcoxon's signed rank test"), ("sign", "sign test")])
def test_tests_by_rank_and_sign_are_those_of_python(run, test, words) -> None:  # type: ignore[no-untyped-def]
    given = ("dense.txt", "-m", "map", "--compare", "--test", test, "--format", "json")
    (found,) = json.loads(run("rank", *BOTH, *given).out)["comparisons"]
    want = th.rank("q.txt", {"bm25": "r.txt", "dense": "dense.txt"}, measures="map").compare("bm25", "dense", test=test)
    assert (found["p_value"], found["difference"]) == (want.p_value, want.difference)
    assert words in found["method"]


def test_the_correction_is_that_of_python(run, write) -> None:  # type: ignore[no-untyped-def]
    write("third.txt", RUN.replace("bm25", "third").replace("2.0", "4.0"))
    given = ("dense.txt", "third.txt", "-m", "map", "--compare", "--correction", "bonferroni", "--format", "json")
    found = json.loads(run("rank", *BOTH, *given).out)["comparisons"]
    known = [one for one in found if one["p_value"] is not None]
    assert len(found) == 3
    assert [one["adjusted_p_value"] for one in known] == [min(1, len(known) * one["p_value"]) for one in known]
    assert {one["correction"] for one in known} == {"bonferroni"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "name the judgements and a run"),
        (("q.txt",), "q.txt holds judgements, and no results were given"),
        (("q.txt", "nope"), "there is no file nope"),
        (("q.txt", "r.txt", "-m", "mapp"), "Did you mean map"),
        (("q.txt", "q.txt"), "q.txt, line 1 has 4 fields where results have 6"),
        (("r.txt", "r.txt"), "r.txt, line 1 has 6 fields where judgements have 4"),
        (("q.txt", "r.txt", "--compare"), "--compare takes two runs"),
        (("q.txt", "r.txt", "dense.txt", "-m", "num_q", "--compare"), "takes a mean over queries"),
        (("-", "-"), "standard input can be read once"),
        (("q.txt", "r.txt", "--score", "a", "--score", "b"), "several --score columns are runs of one table"),
    ],
)
def test_one_line_for_what_cannot_be_done(run, given, said) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *given)
    assert done.code != 0
    assert said in str(done.err)
    assert done.out == ""


def test_errors_speak_of_flags(run, write) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", "a,b,c\n1,2,3\n")
    done = run("rank", "t.csv")
    assert "name it with --score" in done.err or "name it with --query" in done.err
    assert "--judged-only takes" in run("rank", *BOTH, "-m", "RR(judged_only=True)").err
    assert "give --compare too" in run("rank", *BOTH, "--margin", "0.1").err
    assert "--relevance-level 2000000" in run("rank", *BOTH, "-l", "2000000").err


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


def test_the_example_is_written_and_its_command_runs(run) -> None:  # type: ignore[no-untyped-def]
    import shlex

    done = run("example", "digit_search")
    assert done.code == 0, done.err
    command = shlex.split(done.err.splitlines()[-1].partition("now try: ")[2])
    done = run(*command[1:])
    assert done.code == 0, done.err
    assert "p =" in " ".join(done.out.split())
    assert "digit_search" in run("example", "--list").out
    assert "does not go with it" in run("example", "digit_search", "-o", "x").err


def test_files_in_every_form_and_a_summary_on_stdout(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    suffixes = ("html", "md", "json", "jsonl", "csv", "tsv", "trec", "txt")
    outputs = [part for suffix in suffixes for part in ("-o", f"out.{suffix}")]
    done = run("rank", *BOTH, "--run", "dense.txt", "-m", "map", "-m", "num_q", "--compare", *outputs)
    assert done.code == 0, done.err
    assert "\n\nMeans over queries\n" in done.out
    written = {suffix: (tmp_path / f"out.{suffix}").read_text(encoding="utf-8") for suffix in suffixes}
    assert written["html"].startswith("<!doctype html>")
    assert "bm25 − dense" in written["html"]
    assert written["md"].startswith("# Ranked results\n")
    assert [row["measures"]["num_q"]["value"] for row in json.loads(written["json"])["runs"]] == [2, 2]
    assert written["csv"].splitlines()[0] == written["tsv"].splitlines()[0].replace("\t", ",")
    assert written["trec"].splitlines()[0] == f"{'runid':<22}\tall\tbm25"
    assert written["txt"].splitlines() == [line.rstrip() for line in written["txt"].splitlines()]
    for suffix, form in (("csv", "csv"), ("tsv", "tsv"), ("jsonl", "jsonl"), ("md", "markdown")):
        shown = run("rank", *BOTH, "--run", "dense.txt", "-m", "map", "-m", "num_q", "--compare", "--format", form)
        assert shown.out == written[suffix]


def test_the_document_of_the_command_is_by_the_schema(run) -> None:  # type: ignore[no-untyped-def]
    from importlib import resources

    import jsonschema

    text = resources.files("thresher.report").joinpath("ranking.schema.json").read_text(encoding="utf-8")
    done = run("rank", *BOTH, "--run", "dense.txt", "-m", "all", "--per-query", "--compare", "--format", "json")
    document = json.loads(done.out)
    jsonschema.Draft202012Validator(json.loads(text)).validate(document)
    assert set(document) <= set(json.loads(text)["properties"])
    assert document["comparisons"][0]["units"] == "queries"


def test_quiet_is_quiet(run) -> None:  # type: ignore[no-untyped-def]
    loud = run("rank", *BOTH, "-m", "map", "--format", "tsv")
    assert "no judgements" in loud.err
    silent = run("rank", *BOTH, "-m", "map", "--format", "tsv", "--quiet")
    assert (silent.out, silent.err) == (loud.out, "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("-o", "q.txt"), "would overwrite a file that is read"),
        (("-o", "x.pdf"), "ends in none of"),
        (("--plot", "r.txt"), "would overwrite"),
        (("--plot", "nowhere/x.svg"), "there is no directory nowhere"),
        (("--format", "table"), "'table' is not one of"),
        (("--level", "1.5"), "a confidence level"),
        (("--seed", "-1"), "a seed"),
        (("--bootstrap", "1"), "a number of resamples"),
        (("-l", "4294967297"), "at most 1,000,000"),
        (("--test", "randomization"), "give --compare too"),
    ],
)
def test_options_are_checked_before_the_work(run, given, said) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *BOTH, *given)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())


def test_a_bar_is_drawn_while_resampling(run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from contextlib import nullcontext

    from thresher.cli import progress
    from thresher.cli import rank as command

    drawn: list[tuple[int, int]] = []

    class Bar:
        task_ids = (0,)

        def update(self, _task: int, *, completed: int, total: int) -> None:
            drawn.append((completed, total))

        def stop(self) -> None: ...

    for name, value in (("is_watched", lambda: True), ("PATIENCE", -1.0), ("_drawn_bar", Bar)):
        monkeypatch.setattr(progress, name, value)
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


def test_sentences_beside_the_table_name_options(run, write) -> None:  # type: ignore[no-untyped-def]
    done = run("rank", *BOTH, "-m", "infAP", "--ties", "expected")
    assert "--ties trec_eval has one value" in " ".join(done.out.split())
    write("t.csv", "query,score,relevance\na,0.9,0\na,0.5,1\n")
    assert "--document … names one" in " ".join(run("rank", "t.csv", "-m", "map").out.split())


def test_a_judge_has_the_values_of_the_call(run, tmp_path):
    people = {f"q{i}": {"a": i % 2, "b": 1, "c": 0} for i in range(9)}
    judge = {f"q{i}": {"a": i % 2, "b": int(i % 5 > 0), "c": 0} for i in range(30)}
    results = {q: {"a": 3 - int(q[1:]) % 3, "b": 2, "c": 1.5} for q in judge}
    for name, table in (("people", people), ("judge", judge)):
        lines = [f"{q} 0 {d} {relevance}" for q, each in table.items() for d, relevance in each.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(lines) + "\n")
    lines = [f"{q} Q0 {d} 1 {score} x" for q, each in results.items() for d, score in each.items()]
    (tmp_path / "x.run").write_text("\n".join(lines) + "\n")
    words = ("rank", "--qrels", f"{tmp_path}/people.qrels", "--run", f"{tmp_path}/x.run", "-m", "map")
    found = run(*words, "--judge", f"{tmp_path}/judge.qrels", "--format", "json")
    want = th.rank(people, results, judge=judge, measures="map").mean("map")
    (measure,) = json.loads(found.out)["runs"][0]["measures"].values()
    assert (measure["value"], measure["method"]) == (pytest.approx(want.value), want.method)
