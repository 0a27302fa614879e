"""Keywords of the library and options of the command agree: each takes the other's word."""

import inspect
from typing import Literal, get_args, get_origin

import click
import numpy as np
import pytest

import thresher as th
from thresher._util.did_you_mean import ALIASES
from thresher.cli.main import COMMANDS, cli
from thresher.cli.option_table import OPTIONS
from thresher.evaluation import Evaluation, ModelEvaluation

Y, S, W = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1, 0.8, 0.3], [1, 2, 1, 1, 3, 1]
CONTEXT = click.Context(cli)
DOORS = {
    "report": th.evaluate, "check": th.evaluate, "table": th.evaluate, "count": th.count, "assess": th.assess,
    "rank": th.rank, "compare": Evaluation.compare, "threshold": ModelEvaluation.choose,
}  # fmt: skip
"""Command and the function that it calls."""

OWN_DEFAULTS = {"direction", "measures", "method", "level"}
"""Keywords whose default a command writes, or leaves to what was read, in another way."""


@pytest.mark.parametrize("name", DOORS)
def test_an_option_is_the_keyword_of_its_row(name):
    taken = inspect.signature(DOORS[name]).parameters
    shared = 0
    for row in cli.get_command(CONTEXT, name).rows:
        for word in {*(row.keyword or row.name).split()} & set(taken):
            shared += 1
            keyword = taken[word]
            if word not in OWN_DEFAULTS and row.default is not None:
                assert str(keyword.default) == str(row.default), (name, word)
            kind = inspect.unwrap(DOORS[name]).__globals__.get(str(keyword.annotation).partition(" | ")[0])
            if isinstance(row.kind, tuple) and get_origin(kind) is Literal:
                assert {str(choice) for choice in get_args(kind)} == set(row.kind), (name, word)
    assert shared > (0 if name == "threshold" else 5)


def test_options_are_taken_as_keywords():
    plain = th.evaluate(Y, {"a": S}, weights=W, rng=3, bootstrap=20)
    other = th.evaluate(Y, {"a": S}, weight=W, seed=3, bootstrap=20)
    assert plain["a"].to_dict() == other["a"].to_dict()
    rows = np.array([[1 - s, s] for s in S])
    assert th.evaluate(Y, proba={"a": rows})["a"].auc == th.evaluate(Y, probabilities={"a": rows})["a"].auc


def test_no_alias_hides_a_word_of_its_own():
    assert not set(ALIASES) & set(ALIASES.values())
    for name in COMMANDS:
        command = cli.get_command(CONTEXT, name)
        own = {text for parameter in command.params for text in parameter.opts}
        assert not own & {row.accepts for row in OPTIONS.values()}, name


def test_keywords_are_taken_as_options(run_cli):
    plain = run_cli("--score", "s", "--weight", "w", "--seed", "3", "--measure", "auc")
    assert run_cli("--scores", "s", "--weights=w", "--rng", "3", "--measures", "auc") == plain
    assert "ROC AUC" in plain


@pytest.fixture
def run_cli(tmp_path):
    from click.testing import CliRunner

    path = tmp_path / "t.csv"
    lines = [f"{y},{s},{1 - s},{w}" for y, s, w in zip(Y, S, W, strict=True)]
    path.write_text("y,s,t,w\n" + "\n".join(lines) + "\n")

    def run(*options):
        given = ["compare", str(path), "--label", "y", "--positive", "1", "--score", "t", *options]
        done = CliRunner().invoke(cli, given)
        assert done.exit_code == 0, done.output
        return done.output

    return run
