"""The group `thresher`: finds a subcommand when it is called for, so that `--help` loads no mathematics."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from thresher import __version__
from thresher.cli.exit import CarriedError, CommandError, Session, guarded
from thresher.cli.options import DEBUG
from thresher.spool import once

COMMANDS = {
    "report": "Evaluate predictions: every measure, curve and interval.",
    "threshold": "Choose the threshold: by costs, a measure, a bound or a budget.",
    "apply": "Apply a saved threshold, decision rule or calibration map to the rows of FILE.",
    "assess": "Estimate how good a model will be on rows it has not seen.",
    "compare": "Test which model is better, and by how much.",
    "check": "Gate for CI: exit 1 when a measure misses a limit.",
    "expected": "Compute the expected measures of rows without labels, from calibrated scores.",
    "calibrate": "Fit a map from scores to probabilities, and apply it.",
    "rank": "Evaluate ranked results against relevance judgements.",
    "table": "List TP, FP, TN, FN, TPR and FPR at every threshold.",
    "count": "Reduce predictions to counts that can be merged, shared and reported without the rows.",
    "sql": "Print SQL that counts scores in a database, for `thresher count --from-sql`.",
    "merge": "Add up counts that `thresher count` wrote.",
    "plot": "Draw one picture of every model: ROC, precision-recall, calibration and others.",
    "teach": "Write a handout with blanks from your own rows, and its answer key.",
    "sample-size": "Compute how many rows a study needs: for a rate, an AUC, or a difference of two AUCs.",
    "gold": "Choose which rows to label next, and how many.",
    "example": "Write example predictions, and suggest a command.",
    "measures": "List every measure with its formula, or explain one measure or term.",
    "doctor": "Show versions, and test the installation.",
}
"""Subcommands in the order a newcomer needs them, with the first sentence of their help."""

HOMES = {
    "merge": "count", "sql": "count", "sample-size": "planning", "expected": "planning", "gold": "planning",
    "teach": "example",
}  # fmt: skip
"""Modules of the subcommands that do not have one of their own name."""

ELSEWHERE = {
    "evaluate eval auc score summary html run":
        "`thresher report FILE -o report.html` has every measure, curve and interval",
    "roc pr curve curves draw chart det lift":
        "`thresher plot roc FILE -o roc.svg` draws one picture of every model, and names the others with --help",
    "choose cutoff cut optimize decide cost": "`thresher threshold FILE` chooses one",
    "cv crossval cross-validate cross_validate validate train fit resample":
        "`thresher assess FILE --estimator …` fits and judges an estimator",
    "test delong mcnemar diff": "`thresher compare FILE` tests two models",
    "calibration recalibrate reliability": "`thresher calibrate` fits a map to probabilities",
    "metrics metric list": "`thresher measures` lists them",
    "predict label transform deploy": "`thresher apply MODEL.json FILE` decides rows by a threshold that was chosen",
    "version info env": "`thresher doctor` shows it",
    "power samplesize sample_size size": "`thresher sample-size --auc 0.8` computes the rows that a study needs",
}  # fmt: skip
"""Words that newcomers type in place of a subcommand, and advice."""

EPILOG = """
\b
Start here:
  thresher example breast_cancer
  thresher report breast_cancer.csv --label diagnosis --positive malignant \\
      --score logistic_regression --score random_forest -o report.html

\b
`thresher help WORD` explains a command, a measure or a term.

\b
Data goes to stdout, everything else to stderr. Exit codes: 0 fine, 1 a check
failed, 2 usage or unreadable input, 70 a crash, 130 interrupted, 143 terminated.

\b
Tab completion: put the line for your shell into its start-up file.
  bash  eval "$(_THRESHER_COMPLETE=bash_source thresher)"
  zsh   eval "$(_THRESHER_COMPLETE=zsh_source thresher)"
  fish  _THRESHER_COMPLETE=fish_source thresher | source
"""


class LazyGroup(click.Group):
    """A group with commands of this package's modules as subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Names in the order a newcomer needs them."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write their descriptions, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"thresher.cli.{HOMES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `help WORD` as the help that is meant; refuse a null byte, which only a program can pass on."""
        if given := next((arg for arg in args if "\0" in arg), None):
            raise CommandError(f"{given!r} has a null byte, which no name of a file and no option has.")
        return super().parse_args(ctx, _helping(args[1:]) if args[:1] == ["help"] else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, and note it for the message of an error."""
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}.{_meant(args[0])}")
        found = super().resolve_command(ctx, args)
        session = ctx.ensure_object(Session)
        session.command = found[0]
        session.options = frozenset(flag for each in found[1].params for flag in each.opts) if found[1] else None
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; Ctrl-C, a closed pipe and a cut-off file are for `guarded` to report, not for click."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError, OSError) as problem:
            raise CarriedError(problem) from problem

    def main(self, args: Any = None, prog_name: str | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run and exit with one of the codes of `thresher.cli.exit`."""
        session = Session()
        extra |= {"standalone_mode": False, "obj": session}
        start = super().main

        def run() -> Any:
            with once():
                return start(args, prog_name or "thresher", *rest, **extra)

        sys.exit(guarded(run, session))


def _helping(words: list[str]) -> list[str]:
    """Return the words that replace `help`: the help of a command, or a measure or term in full.

    >>> _helping([]), _helping(["report"]), _helping(["convex", "hull"])
    (['--help'], ['report', '--help'], ['measures', 'convex hull'])
    """
    if not words or words[0] in COMMANDS:
        return [*words[:1], "--help"]
    return ["measures", " ".join(words)]


def _meant(name: str) -> str:
    """Return advice for an unknown command; empty where nothing is near."""
    import difflib

    if os.path.isfile(name):
        return " A file is evaluated by `thresher report FILE`."
    if known := next((advice for words, advice in ELSEWHERE.items() if name.lower() in words.split()), None):
        return f" {known}."
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f" Did you mean {near[0]}?" if near else ""


@click.group(cls=LazyGroup, epilog=EPILOG, params=[DEBUG], context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="thresher %(version)s")
def cli() -> None:
    """Evaluate classifiers: measures with confidence intervals, comparisons and thresholds.

    Reads a file of predictions (CSV, TSV, JSON lines, Parquet) and reports every measure, curve and interval.
    """
