"""`thresher plot`: one picture of every model, as a file."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource

from thresher._util.did_you_mean import did_you_mean
from thresher.cli.exit import CommandError
from thresher.cli.option_table import OPTIONS
from thresher.cli.options import PREDICTIONS, Arguments, command, files
from thresher.cli.outputs import Outputs, check_picture, write_picture
from thresher.cli.reading import evaluation_of, say_notes
from thresher.curves.kinds import CURVES

EPILOG = """
\b
Examples:
  thresher plot roc predictions.csv --label outcome --score a --score b -o roc.svg
  thresher plot panel predictions.csv --label outcome --score a -o all.png
  thresher plot matrix predictions.csv --label outcome --score a --threshold 0.3 -o matrix.pdf
  thresher plot --list
"""


def kinds_of_picture() -> dict[str, str]:
    """Kinds of picture, and their subjects."""
    from thresher.plot.evaluations import PICTURES

    return {kind: row.text for kind, row in CURVES.items()} | {kind: row.text for kind, row in PICTURES.items()}


USED = {
    "thresholds": ("scores", "matrix", "prevalences", "rows", "panel"),
    "level": ("roc", "pr", "gain --band", "ks", "calibration", "prevalences", "panel"),
    "seed": ("roc", "pr", "gain --band"),
}
"""Kinds of picture that an option changes."""


def _check_used(kind: str) -> None:
    """Refuse an option that would not change the picture; a registered curve may use any."""
    if kind in CURVES and CURVES[kind].is_own:
        return
    context = click.get_current_context()
    for name, kinds in USED.items():
        if kind not in kinds and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise CommandError(f"{OPTIONS[name].flag} does not change this picture. It belongs to {', '.join(kinds)}.")


def _in_order(args: Arguments) -> Arguments:
    """Return the arguments with their kind found among the files."""
    words, kinds = list(args.files), kinds_of_picture()
    kind = next((word for word in words if word in kinds), None)
    if kind is None:
        meant = next(filter(None, (did_you_mean(word, kinds) for word in words)), "")
        raise CommandError(f"no kind of picture in {shlex.join(words)!r}.{meant} The kinds are {', '.join(kinds)}.")
    words.remove(kind)
    if not words:
        raise CommandError(f"name a file of predictions: thresher plot {kind} FILE -o {kind}.svg.")
    return args.replace(kind=kind, files=tuple(words))


@command(
    f"{PREDICTIONS} thresholds level seed conditions output title band look list quiet",
    files("KIND FILE...", names=kinds_of_picture), epilog=EPILOG, listed=kinds_of_picture,
)  # fmt: skip
def plot(args: Arguments) -> None:
    """Draw one picture of every model: ROC, precision-recall, calibration and others.

    KIND is roc, pr, det, calibration, scores or another (--list), before or after the files. FILE is CSV, TSV, JSON
    lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin. It needs matplotlib.
    """
    import numpy as np

    from thresher.plot.evaluations import check_band
    from thresher.plot.looks import style

    args, band = _in_order(args), args.band
    kind = args.kind
    _check_used(f"{kind} --band" if kind == "gain" and band else kind)
    check_band(kind, band)
    check_picture("-o", args.output)
    Outputs.of(args, (), others={"-o": args.output})
    evaluation = evaluation_of(args)
    say_notes(evaluation, args, needs_threshold=kind in USED["thresholds"])
    if kind == "matrix" and len(evaluation) == 1 and next(iter(evaluation.values())).confusion_matrix is None:
        raise CommandError("a matrix needs a threshold: --threshold T.")
    with style(args.look):
        axes = evaluation.plot(kind, **({} if band is None else {"band": band}))
        figure = np.ravel(axes)[0].figure if not hasattr(axes, "suptitle") else axes
        if args.title is not None:
            figure.suptitle(args.title)
        write_picture(figure, args.output, quiet=args.quiet)
