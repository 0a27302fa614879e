"""Numbers of options are plain ones: what only Python or another script takes for a number is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
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
    ("check", "--fail-over", "auc={}"), ("check", "--max-drop", "auc={}", "--baseline-score", "s"),
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


@pytest.mark.parametrize(("text", "code"), [("nan", 0), ("0", 0), ("0_0", 2), ("０", 2), ("inf", 2), ("1e400", 2)])
def test_what_stands_for_the_undefined_is_a_plain_number_or_a_word(run, write, text, code) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", "y,s\n0,1\n1,2\n1,0\n")
    assert run("report", *FILE, "--undefined", text).code == code


@pytest.mark.parametrize("text", ["inf", "-inf"])
def test_the_threshold_that_a_table_lists_is_taken(run, write, text) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", "y,s\n0,1\n1,2\n1,0\n")
    assert run("report", *FILE, f"--threshold={text}", "--format", "json").code == 0


@pytest.mark.parametrize(
    "args",
    [
        *(("--method", f"{name}:{n}") for name, n in product(("kfold", "oob", "holdout"), ("1_0", "１０", "nan"))),
        ("--method", "repeated:１x2"),
        ("--method", "nested:1_0x2"),
        ("--method", "kfold:" + "9" * 5000),
    ],
    ids=lambda args: args[1][:20],
)
def test_numbers_of_a_method_are_plain(run, write, args) -> None:  # type: ignore[no-untyped-def]
    write("f.csv", "y,a\n" + "0,1\n1,2\n" * 12)
    done = run("assess", "f.csv", "--label", "y", "--estimator",
               "thresher.resampling.nearest_mean:NearestMean()", *args)  # fmt: skip
    assert done.code == 2
    assert "method" in done.err


@pytest.mark.parametrize("measure", ["P.1_0", "P.１０", "P(１)", "ndcg_cut_１", "P@1_0", "ndcg(gains='１=2')"])
def test_numbers_of_a_ranking_measure_are_plain(run, write, measure) -> None:  # type: ignore[no-untyped-def]
    write("j.csv", "q,d,s,r\na,x,1,1\na,y,2,0\n")
    done = run("rank", "j.csv", "--query", "q", "--document", "d", "--score", "s", "--relevance", "r", "-m", measure)
    assert done.code == 2, done.out
