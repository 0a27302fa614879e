"""Files are named by place, options mean one thing in every command, and `help` and the shell know their words."""

import json

import click
import pytest
from click.shell_completion import ShellComplete

import thresher as th
from thresher.cli.main import COMMANDS, cli
from thresher.inference import auc_power, paired_auc_power, rate_sample_size

ROWS = "y,net_a,net_b,site\n" + "".join(
    f"{i % 2},{(7 * i % 31) / 31},{(i % 2) / 4 + i / 40},s{i % 3}\n" for i in range(30)
)
GIVEN = ("--label", "y", "--score", "net_a")
OF_OTHER_KINDS = {"sql", "doctor", "measures", "example", "sample-size"}


@pytest.fixture
def rows(write):
    return write("rows.csv", ROWS)


def options(command):
    return {flag: p for p in command.params if isinstance(p, click.Option) for flag in p.opts}


def test_every_command_that_reads_files_takes_them_by_place():
    found = {name: cli.get_command(None, name) for name in COMMANDS if name not in OF_OTHER_KINDS}
    assert all(any(p.name == "files" for p in command.params) for command in found.values())
    assert not any("--data" in options(command) for command in found.values())


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("words", [("roc", "rows.csv"), ("rows.csv", "roc")])
def test_kind_and_file_of_a_picture_stand_in_either_order(run, tmp_path, words):
    pytest.importorskip("matplotlib")
    assert run("plot", *words, *GIVEN, "-o", "p.svg").code == 0
    assert (tmp_path / "p.svg").exists()


@pytest.mark.usefixtures("rows")
def test_a_report_shows_the_highest_scores(run):
    done = json.loads(run("report", "rows.csv", *GIVEN, "--top", "6", "--top", "50%", "--format", "json").out)
    found = done["models"]["net_a"]["top"]
    model = th.evaluate("rows.csv", label="y", scores="net_a")
    for budget, place in {"top 6": "k=6", "top 50%": "top=0.5"}.items():
        for name in ("precision", "recall", "lift"):
            assert found[budget][name]["value"] == model.estimate(f"{name}@{place}").value
    ranked = sorted(((float(line.split(",")[1]), int(line[0])) for line in ROWS.splitlines()[1:]), reverse=True)
    assert ranked[5][0] > ranked[6][0]
    assert found["top 6"]["precision"]["value"] == sum(y for _, y in ranked[:6]) / 6
    assert "Highest scores" in run("report", "rows.csv", *GIVEN, "--top", "6").out


def test_python_takes_the_same_budgets(tmp_path):
    evaluation = th.evaluate([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
    found = json.loads(evaluation.report(tmp_path / "r.json", top=[1, "50%"]).read_text("utf-8"))
    assert list(found["models"]["score"]["top"]) == ["top 1", "top 50%"]
    assert "Top 50 %" in evaluation.report(tmp_path / "r.txt", top="50%").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (("help",), ("--help",)),
        (("help", "rank"), ("rank", "--help")),
        (("help", "convex", "hull"), ("measures", "convex hull")),
    ],
)
def test_help_explains_a_command_a_measure_or_a_term(run, words, same):
    assert run(*words) == run(*same)
    assert run(*words).code == 0


def completed(*words):
    *before, incomplete = words
    return [item.value for item in ShellComplete(cli, {}, "thresher", "_").get_completions(before, incomplete)]


def test_a_shell_completes_columns_of_the_files_named_before(rows):
    assert completed("report", str(rows), "--score", "net") == ["net_a", "net_b"]
    assert completed("assess", str(rows), "--label", "") == ["y", "net_a", "net_b", "site"]
    assert completed("plot", "roc", str(rows), "--weight", "s") == ["site"]
    assert completed("compare", str(rows), "--score", "net_a", "--by", "s") == ["site"]


@pytest.mark.parametrize("before", [("report",), ("report", "none.csv"), ("report", "-")])
def test_a_shell_completes_no_column_without_a_file(before):
    assert completed(*before, "--label", "") == []


def test_a_shell_completes_kinds_of_picture_once():
    assert completed("plot", "cal") == ["calibration"]
    assert "pr" not in completed("plot", "roc", "p")


def sized(run, *words):
    return json.loads(run("sample-size", *words, "--format", "json").out)


def test_sample_sizes_are_those_of_python(run):
    rate = sized(run, "--rate", "0.9", "--width", "0.1", "--prevalence", "1%")
    assert (rate["rows"], rate["collected"]) == (rate_sample_size(0.9, width=0.1).rows, 14100)
    assert sized(run, "--rate", "0.9", "--width", "0.1", "--assurance", "0.9")["rows"] == 176
    one = sized(run, "--auc", "0.75", "--power", "0.9", "--prevalence", "10%")
    assert (one["positives"], one["negatives"]) == auc_power(auc=0.75, power=0.9, ratio=9).rows
    two = sized(run, "--auc", "0.85", "--other", "0.8", "--correlation", "0.2")
    assert two["positives"] == paired_auc_power(0.85, 0.8, correlation=0.2, power=0.8).rows[0]
    power = sized(run, "--auc", "0.85", "--other", "0.8", "--positives", "150", "--prevalence", "0.25")
    assert power["power"] == paired_auc_power(0.85, 0.8, correlation=0.5, positives=150, ratio=3).power
    assert run("sample-size", "--auc", "0.75").out == sized(run, "--auc", "0.75")["sentence"] + "\n"


def test_a_sample_size_says_on_which_side_of_chance_an_area_is(run):
    above, below = (sized(run, "--auc", auc) for auc in ("0.6", "0.4"))
    assert above["positives"] == below["positives"]
    assert "0.6 is above 0.5" in above["sentence"]
    assert "0.4 is below 0.5" in below["sentence"]
    assert run("sample-size", "--auc", "0.8", "--power", "0.01").code != 0
    assert sized(run, "--auc", "0.8", "--positives", "1")["sentence"].startswith("1 positive and 1 negative show")
