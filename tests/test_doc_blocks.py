"""Every block of the documentation that is no Python prompt: commands run and print what their page shows."""

import doctest
import json
import os
import re
from importlib.resources import files

import duckdb
import pytest
from click.testing import CliRunner

import thresher as th
from doc_blocks import ROOT, Command, blocks, commands, write_files, write_tumours
from shares import few
from thresher.cli.main import cli

PAGES = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
WITH_COMMANDS = [page for page in PAGES if any(list(commands(block)) for block in blocks(page))]
STUDY = "docs/study.md"

DRAWN = ("docs/pictures.md", "docs/teaching/isometrics.md")
ELSEWHERE = {
    "docs/study.md": ("from dask.distributed import Client", "tests/resampling/test_clusters.py"),
    "docs/gallery.md": ("import", "tests/gallery/test_gallery.py"),
    "docs/questions/on-a-gpu.md": ("import torch", "tests/metrics/test_foreign_arrays.py"),
    "docs/questions/too-large.md": ("counts = th.count(spark", "tests/evaluation/test_spark_counts.py"),
}
"""Blocks of Python that need more than a page holds, and the tests that run the same."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, in which commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback=(80, 24): os.terminal_size(fallback))
    return tmp_path


def start(command: Command) -> str:
    """Run a command in this process; what it prints."""
    if command.words[0] == "psql":  # any database serves: a server runs the same query in tests/readers
        return counted_by(command.words[command.words.index("-f") + 1])
    assert command.words[0] == "thresher"
    ran = CliRunner().invoke(cli, list(command.words[1:]), prog_name="thresher")
    # A gate may say no: that is its work.
    assert ran.exit_code == 0 or (ran.exit_code == 1 and command.words[1] == "check" and "FAILED" in ran.stdout), (
        ran.output
    )
    return ran.stdout


def counted_by(query: str) -> str:
    with duckdb.connect() as database:
        database.execute("CREATE TABLE predictions (paid TEXT, risk DOUBLE, country TEXT)")
        rows = [("no" if i % 3 else "yes", i * 37 % 101 / 100, "pt" if i % 2 else "de") for i in range(200)]
        database.executemany("INSERT INTO predictions VALUES (?, ?, ?)", rows)
        with open(query, encoding="utf-8") as file:
            found = database.execute(file.read())
        lines = [[column[0] for column in found.description], *found.fetchall()]
    return "".join(",".join("" if value is None else str(value) for value in line) + "\n" for line in lines)


def assert_commands_run(page, folder):
    write_files(page, folder)
    for block in blocks(page):
        for command in commands(block):
            printed = start(command)
            if command.target:
                (folder / command.target).write_text(printed, encoding="utf-8")
            wanted = re.sub(r"(?m)^…$", "...", command.shown)
            options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            assert not wanted or doctest.OutputChecker().check_output(wanted, printed, options), printed


# Two comparisons by the bootstrap take ten seconds.
SLOW = "docs/calibration.md"
QUICK = [page for page in WITH_COMMANDS if page not in (STUDY, SLOW)]


@pytest.mark.parametrize("page", [*few(QUICK, 2), pytest.param(SLOW, marks=pytest.mark.slow)])
def test_commands_of_page_run(page, folder):
    assert_commands_run(page, folder)


@pytest.mark.peer
@pytest.mark.slow
def test_commands_of_study_run(folder):
    write_tumours(folder)
    assert_commands_run(STUDY, folder)
    assert json.loads((folder / "study.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run_by_some_test(page):
    for block in blocks(page):
        by_name = block.language in ("{toctree}", "json", "sql") or page in DRAWN
        if by_name or any(commands(block)) or ">>> " in block.text:
            continue
        first, path = ELSEWHERE[page]
        assert block.text.startswith((first, "from ", "import "))
        assert (ROOT / path).exists()


@pytest.mark.peer
@pytest.mark.parametrize("page", DRAWN)
def test_pictures_of_page_are_drawn(page):
    """Blocks without a prompt, after what the page runs before, or with what readers have."""
    from matplotlib import pyplot
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate

    rows = th.load_example("breast_cancer")
    X, y = rows["random_forest"][:, None], (rows["diagnosis"] == "malignant").astype(int)
    theirs = {"X": X, "y": y, "X_test": X, "y_test": y, "model": LogisticRegression().fit(X, y)}
    names = {**theirs, "cross_validate": cross_validate}
    text = (ROOT / page).read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(text, {} if "isometrics" in page else names, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example, clear_globs=False).failed == 0
    [block] = [block for block in blocks(page) if block.language == "python" and ">>> " not in block.text]
    exec(block.text, example.globs)
    assert pyplot.gcf().axes[0].lines
    pyplot.close("all")


def test_query_of_the_page_makes_counts():
    [block] = [block for block in blocks("docs/questions/too-large.md") if block.language == "sql"]
    rows = {"outcome": [1, 1, 0, 1, 0], "score": [0.9, 0.80001, 0.80002, 0.4, 0.1]}
    with duckdb.connect() as database:
        values = ", ".join(f"({y}, {score})" for y, score in zip(*rows.values(), strict=True))
        database.execute(f"CREATE TABLE predictions AS SELECT * FROM (VALUES {values}) AS t(outcome, score)")
        found = database.execute(block.text).fetchnumpy()
    table = th.ScoreTable.from_counts(found["score"], found["positive"], found["negative"])
    assert (table.P, table.N, len(table.scores)) == (3, 2, 4)


def test_json_of_the_page_is_what_is_written():
    from jsonschema import validate

    [block] = [block for block in blocks("docs/command.md") if block.language == "json"]
    shown = json.loads(block.text)
    validate(shown, json.loads(files("thresher.report").joinpath("schema.json").read_text("utf-8")))
    rows = th.load_example("breast_cancer")
    ev = th.evaluate(rows, label="diagnosis", positive="malignant", scores=["random_forest"])
    model, ours = ev["random_forest"], shown["models"]["random_forest"]
    assert (shown["n"], shown["positive"]) == (569, "malignant")
    assert ours["confusion_matrix"]["counts"] == model.at(0.5).counts.tolist()
    auc = ours["measures"]["auc"]
    assert (auc["value"], auc["low"], auc["high"]) == tuple(round(v, 2) for v in (model.auc.value, *model.auc.interval))
    assert (auc["method"], auc["n"], auc["level"]) == (model.auc.method, model.auc.n, model.auc.level)
    assert auc["standard_error"] == round(model.auc.standard_error, 2)


def test_a_wrong_line_is_seen(folder):
    write_files("docs/index.md", folder)
    command = Command(("thresher", "example", "five"), None, "wrote six.csv\n")
    assert not doctest.OutputChecker().check_output(command.shown, start(command), doctest.ELLIPSIS)
