"""Numbers of options are plain ones: what only Python or another script takes for a number is refused in a sentence."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from thresher.cli.kinds import BITS, MEMORY, POLICY, ParsedValue, Text
from thresher.cli.main import COMMANDS, cli

ODD = ("1_0", "１０", "1０", "١", "٠.٥", "nan", "1e400", "9" * 5000, "0x10", "+-1", "1 0", "")
"""No plain numbers, whatever the option."""

PLAIN = (click.types.BoolParamType, click.Choice, Text, ParsedValue)


def options() -> Iterator[tuple[str, click.Option]]:
    for command in COMMANDS:
        for each in cli.get_command(click.Context(cli), command).params:
            if isinstance(each, click.Option):
                yield command, each


NUMERIC = [(c, each) for c, each in options() if isinstance(each.type, ParsedValue) and each.type not in (BITS, POLICY)]


def test_every_option_of_a_number_has_a_kind_of_ours() -> None:
    assert len(NUMERIC) > 35
    assert [(c, o.name) for c, o in options() if not isinstance(o.type, PLAIN)] == []


@pytest.mark.parametrize(("command", "given"), NUMERIC, ids=[f"{c}{o.opts[-1]}" for c, o in NUMERIC])
def test_what_is_no_plain_number_is_refused(command: str, given: click.Option) -> None:
    for text in (*ODD, "inf", "-inf"):
        with pytest.raises(click.BadParameter) as caught:
            given.type_cast_value(click.Context(click.Command(command)), (text,) if given.multiple else text)
        assert len(str(caught.value).split()) > 4
    plain = " 7 GB " if given.type is MEMORY else " 0.5 " if given.metavar == "SHARE" else " 7 "
    cast = given.type_cast_value(click.Context(click.Command(command)), (plain,) if given.multiple else plain)
    assert cast in (0.5, 7, (0.5,), (7,), 7 * 10**9, {"top_k": 7}, ({"top_k": 7},))


FILE = ("t.csv", "--label", "y", "--score", "s")
WRITTEN = [
    ("report", "--threshold", "{}"), ("report", "--threshold", "s={}"), ("compare", "--threshold", "{}"),
    ("report", "--partial", "fpr<={}"), ("report", "--partial", "fpr=0.1:{}"),
    ("report", "--reject", "accuracy={}"), ("report", "--reject", "deferral={}"),
    ("threshold", "--bound", "fpr<={}", "--max", "recall"), ("threshold", "--max", "f_beta:beta={}"),
    ("table", "--measure", "f_beta:beta={}"), ("check", "--fail-under", "auc={}"),
    ("check", "--fail-over", "brier_score={}"), ("check", "--max-drop", "auc={}", "--baseline-score", "s"),
]  # fmt: skip


@pytest.mark.parametrize("line", WRITTEN, ids="".join)
def test_numbers_inside_a_text_are_plain_too(line: tuple[str, ...], tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("y,s\n" + "".join(f"{i % 2},0.{i * 7 % 10}\n" for i in range(20)))
    command, *rest = line
    for text in set(ODD) - {"1 0"}:
        done = CliRunner().invoke(cli, [command, *FILE, *(word.format(text) for word in rest)])
        assert done.exit_code == 2, (text, done.output)
        assert done.stderr.startswith("thresher: ")


@pytest.mark.parametrize("text", ["inf", "-inf"])
def test_the_threshold_that_a_table_lists_is_taken(run, write, text) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", "y,s\n0,1\n1,2\n1,0\n")
    assert run("report", *FILE, f"--threshold={text}", "--format", "json").code == 0
