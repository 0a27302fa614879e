"""One vocabulary: an option that several commands have is the same option in each."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from shares import few
from thresher.cli.kinds import BUDGET, COST, LEVEL, PREVALENCE, RESAMPLES, SEED, NameChoice
from thresher.cli.main import COMMANDS, cli
from thresher.examples import example_bytes
from thresher.report.forms import SUFFIXES

CONTEXT = click.Context(cli)
TOLD = {name: cli.get_command(CONTEXT, name) for name in COMMANDS}
WRITING = ("report", "table", "threshold", "compare", "check", "calibrate", "assess", "measures")
READING = ("breast_cancer.csv", "--label", "diagnosis", "--positive", "malignant", "--score", "random_forest")

SHARED = {
    "--level": LEVEL, "--seed": SEED, "--bootstrap": RESAMPLES, "--prevalence": PREVALENCE, "--cost-fp": COST,
    "--cost-fn": COST, "--cost-tp": COST, "--cost-tn": COST, "--cost-fixed": COST, "--top": BUDGET,
}  # fmt: skip
SAME_HELP = [
    "--level", "--seed", "--output", "--quiet", "--debug", "--cost-fp", "--cost-fn", "--cost-tp", "--cost-tn",
    "--cost-fixed", "--benefit", "--score", "--positive", "--rest", "--truth", "--key", "--model-column", "--cluster",
    "--weight-kind", "--threshold", "--proba", "--classes", "--normalize", "--by", "--fold", "--predicted",
    "--decimal",
]  # fmt: skip
ELSEWHERE = {
    ("rank", "--quiet"), ("rank", "--score"), ("rank", "--seed"), ("rank", "--level"), ("example", "--output"),
    ("assess", "--positive"), ("plot", "--output"), ("count", "--output"), ("count", "--threshold"),
    ("merge", "--output"), ("merge", "--by"), ("sql", "--positive"), ("sql", "--score"), ("sql", "--threshold"),
    ("apply", "--score"), ("expected", "--score"), ("gold", "--score"), ("apply", "--proba"), ("apply", "--normalize"),
}  # fmt: skip
"""Options of one name whose command reads other data (documents, features, a database) or writes other things."""


def options(command: str) -> dict[str, click.Option]:
    return {name: p for p in TOLD[command].params if isinstance(p, click.Option) for name in p.opts}  # type: ignore[union-attr]


@pytest.mark.parametrize("flag", SHARED)
def test_numbers_of_one_name_have_one_type(flag) -> None:  # type: ignore[no-untyped-def]
    found = {name: options(name).get(flag) for name in COMMANDS if name != "rank"}
    assert [name for name, each in found.items() if each is not None and each.type is not SHARED[flag]] == []


@pytest.mark.parametrize("flag", SAME_HELP)
def test_options_of_one_name_say_the_same_everywhere(flag) -> None:  # type: ignore[no-untyped-def]
    told = {
        (found[flag].help, found[flag].metavar, found[flag].multiple, str(found[flag].default), found[flag].is_flag)
        for command in COMMANDS
        if flag in (found := options(command)) and (command, flag) not in ELSEWHERE
    }
    assert len(told) == 1


@pytest.mark.parametrize("command", WRITING)
def test_every_command_that_makes_a_document_writes_it(command) -> None:  # type: ignore[no-untyped-def]
    found = options(command)
    assert "-o" in found
    assert "--quiet" in found
    if command != "calibrate":
        form = found["--format"].type
        assert isinstance(form, NameChoice)
        assert {"text", "json", "csv", "markdown"} <= set(form.choices)


@pytest.mark.parametrize("command", ["report", "table", "threshold", "compare", "check", "measures", "assess"])
def test_md_is_markdown_everywhere(command) -> None:  # type: ignore[no-untyped-def]
    assert options(command)["--format"].type.convert("md", None, None) == "markdown"
    with pytest.raises(click.BadParameter, match="'pdf' is not one of"):
        options(command)["--format"].type.convert("pdf", None, None)


def test_percent_is_a_share(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "breast_cancer.csv").write_bytes(example_bytes("breast_cancer"))
    shares = run("threshold", *READING, "--max", "mcc", "--level", "0.9", "--prevalence", "0.01")
    assert shares.code == 0
    assert run("threshold", *READING, "--max", "mcc", "--level", "90%", "--prevalence", "1%") == shares


CALLS = {
    "report": (*READING,), "table": (*READING,), "threshold": (*READING, "--max", "mcc"),
    "compare": (*READING, "--score", "naive_bayes"), "check": (*READING, "--fail-under", "auc=0.5"),
    "measures": ("auc",),
}  # fmt: skip


@pytest.mark.parametrize("form", few(["json", "text", "csv", "markdown"], 1))
@pytest.mark.parametrize("command", CALLS)
def test_a_file_has_the_form_of_its_suffix_and_stdout_a_summary(run, tmp_path, command, form) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "breast_cancer.csv").write_bytes(example_bytes("breast_cancer"))
    file = "out" + next(suffix for suffix, name in SUFFIXES.items() if name == form)
    shown = run(command, *CALLS[command], "--format", form)
    both = run(command, *CALLS[command], "-o", file)
    written = (tmp_path / file).read_text(encoding="utf-8")
    assert (both.code, both.err.splitlines()[-1]) == (0, f"thresher: wrote {file}")
    assert written == shown.out or form == "text"
    if form == "json":
        json.loads(written)
    if command == "table":
        assert both.out == "random_forest: 27 thresholds\n"
    elif command == "report":
        whole, shown_lines = run(command, *CALLS[command]).out, both.out.splitlines()
        assert shown_lines[-1] == f"The whole report is in {file}."
        assert both.out.partition("\nThe whole")[0] == whole.partition("\nCalibration\n")[0]
        assert len(shown_lines) < 55 < len(whole.splitlines())
    else:
        assert both.out == run(command, *CALLS[command]).out
    silent = run(command, *CALLS[command], "-o", file, "--quiet")
    assert (silent.code, silent.out) == (0, "")


@pytest.mark.parametrize("command", CALLS)
def test_format_is_of_stdout_and_a_dash_is_stdout(run, tmp_path, command) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "breast_cancer.csv").write_bytes(example_bytes("breast_cancer"))
    plain = run(command, *CALLS[command], "--format", "json").out
    both = run(command, *CALLS[command], "--format", "json", "-o", "out.md", "-o", "again.csv")
    assert both.out == plain
    assert Path("out.md").exists()
    assert Path("again.csv").exists()
    assert run(command, *CALLS[command], "-o", "-").out == run(command, *CALLS[command]).out


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (("out.pdf",), "-o out.pdf ends in none of"),
        (("no/out.json",), "-o no/out.json: there is no directory no."),
        (("a.json", "a.json"), "-o a.json is given twice."),
        (("folder.json",), "-o folder.json is a directory: name a file in it."),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_the_work(run, tmp_path, command, outputs, words) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "folder.json").mkdir()
    done = run(command, *CALLS[command], *(word for file in outputs for word in ("-o", file)))
    assert (done.code, done.out) == (2, "")
    assert words in done.err


TWICE = [
    ("check", "--junit", "o.json", (*READING, "--fail-under", "auc=0.5")),
    ("rank", "--plot", "../{}/o.json", ("--qrels", "q.txt", "--run", "r.txt")),
]
"""Command, an option that writes a file of its own, a name of that file, and what the command needs."""


@pytest.mark.parametrize(("command", "flag", "name", "call"), TWICE)
def test_two_options_do_not_write_one_file(run, tmp_path, command, flag, name, call) -> None:  # type: ignore[no-untyped-def]
    name = name.format(tmp_path.name)
    done = run(command, *call, "-o", "o.json", flag, name)
    assert (done.code, done.out) == (2, "")
    assert f"{flag} {Path(name)} would overwrite the output of -o." in done.err
    assert list(tmp_path.iterdir()) == []


def test_one_file_by_two_names_is_one_file(run) -> None:  # type: ignore[no-untyped-def]
    done = run("measures", "-o", "o.json", "-o", "./../" + Path.cwd().name + "/o.json")
    assert done.code == 2
    assert "is given twice" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_list_of_commands_says_what_their_own_help_says(command) -> None:  # type: ignore[no-untyped-def]
    found = TOLD[command]
    assert found is not None
    assert found.get_short_help_str(200).rstrip(".") == COMMANDS[command].rstrip(".")


def test_help_loads_no_command(environment) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import sys; from thresher.cli.main import cli\n"
        "try: cli(['--help'])\n"
        "finally: print([name for name in ('numpy', 'thresher.cli.report') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(PYTHONUTF8="1"), check=True
    )
    assert "Commands:" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_of_a_command_loads_no_mathematics(environment) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import sys, click; from thresher.cli.main import COMMANDS, cli\n"
        "for name in COMMANDS:\n"
        "    command = cli.get_command(click.Context(cli), name)\n"
        "    command.get_help(click.Context(command))\n"
        "    assert 'numpy' not in sys.modules, name"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(PYTHONUTF8="1"), check=True)
