"""What options and commands are called elsewhere, so that a newcomer's first guess finds the right one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

OPTIONS = {
    "--positive": ("--pos-label", "--pos", "--positive-label", "--positive-class"),
    "--label": ("--target", "--y-true", "--y", "--labels", "--outcome", "--label-column", "--class", "--truth-column"),
    "--score": ("--y-score", "--prob", "--probs", "--probability", "--score-column"),
    "--predicted": ("--pred", "--preds", "--prediction", "--predictions", "--y-pred"),
    "--weight": ("--sample-weight", "--sample-weights"),
    "--by": ("--group", "--groups", "--groupby", "--group-by", "--subgroup", "--subgroups", "--slice"),
    "--fold": ("--folds", "--cv"),
    "--cluster": ("--clusters", "--patient", "--subject"),
    "--level": ("--alpha", "--confidence", "--confidence-level", "--ci"),
    "--threshold": ("--cutoff", "--cut", "--thresholds"),
    "--measure": ("--metric", "--metrics"),
    "--output": ("--out", "--html", "--output-file", "--save"),
    "--seed": ("--random-state",),
    "--bootstrap": ("--n-boot", "--n-bootstrap", "--bootstraps", "--replicates", "--resamples"),
    "--lower-is-positive": ("--lower", "--lower-is-better"),
    "--resolution": ("--tolerance", "--bits"),
}
"""Option → what it is called in other tools."""

ACCEPTED = {
    "--weights": "--weight", "--rng": "--seed", "--measures": "--measure", "--scores": "--score",
}  # fmt: skip
"""Keyword of the library as an option → the option that it is; commands that have it take both."""

COMMANDS = {
    "report": "`thresher report FILE -o report.html` has every measure, curve and interval",
    "plot": "`thresher plot roc FILE -o roc.svg` draws one picture of every model, and names the others with --help",
    "threshold": "`thresher threshold FILE` chooses one",
    "assess": "`thresher assess FILE --estimator …` fits and judges an estimator",
    "compare": "`thresher compare FILE` tests two models",
    "calibrate": "`thresher calibrate` fits a map to probabilities",
    "measures": "`thresher measures` lists them",
    "apply": "`thresher apply MODEL.json FILE` decides rows by a threshold that was chosen",
    "doctor": "`thresher doctor` shows it",
}
CALLED = {
    "report": ("evaluate", "eval", "auc", "score", "summary", "html", "run"),
    "plot": ("roc", "pr", "curve", "curves", "draw", "chart", "det", "lift"),
    "threshold": ("choose", "cutoff", "cut", "optimize", "decide", "cost"),
    "assess": ("cv", "crossval", "cross-validate", "cross_validate", "validate", "train", "fit", "resample"),
    "compare": ("test", "delong", "mcnemar", "diff"),
    "calibrate": ("calibration", "recalibrate", "reliability"),
    "measures": ("metrics", "metric", "list"),
    "apply": ("predict", "label", "transform", "deploy"),
    "doctor": ("version", "info", "env"),
}
"""Command → what newcomers type in its place."""


def _accepted(argument: str, own: Collection[str]) -> str:
    name, equals, value = argument.partition("=")
    meant = ACCEPTED.get(name)
    return f"{meant}{equals}{value}" if meant in own and name not in own else argument


def unknown_option(command: click.Command, context: click.Context, problem: click.NoSuchOption) -> click.UsageError:
    """The error of an option that there is not, with the one that is meant."""
    own = {text for parameter in command.params for text in parameter.opts}
    meant = [name for name, others in OPTIONS.items() if name in own and problem.option_name in others]
    near = meant or sorted(problem.possibilities or ())
    return click.UsageError(f"No such option {problem.option_name!r}.{_did_you_mean(near)}", context)


def unknown_command(name: str) -> str:
    """What to use for a command that there is not; empty where nothing is plainly meant."""
    meant = next((command for command, others in CALLED.items() if name.lower() in others), None)
    return "" if meant is None else f" {COMMANDS[meant]}."


def _did_you_mean(names: list[str]) -> str:
    if not names:
        return ""
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    return f" Did you mean {listed}?"


class Forgiving(click.Command):
    """A command that knows what its options are called elsewhere."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with keywords of the library as options, and say which is meant by one that there is not."""
        own = {text for parameter in self.params for text in parameter.opts}
        end = args.index("--") if "--" in args else len(args)
        try:
            found: Any = super().parse_args(ctx, [*(_accepted(one, own) for one in args[:end]), *args[end:]])
        except click.NoSuchOption as problem:
            raise unknown_option(self, ctx, problem) from None
        return list(found)
