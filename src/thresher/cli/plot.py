"""`thresher plot`: one picture of every model, as a file."""

from __future__ import annotations

import click
from click.core import ParameterSource

from thresher.cli.evaluating import THRESHOLD_OPTIONS, evaluation_of, say_notes
from thresher.cli.exit import CommandError
from thresher.cli.flags import flag_of
from thresher.cli.kinds import Registered
from thresher.cli.options import OUTPUT, GroupedCommand, Reading, option, reading_options, seed_option, together, words
from thresher.cli.outputs import Outputs
from thresher.cli.streams import write_text
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
    """Kinds of picture, and what each shows."""
    from thresher.plot.evaluations import PICTURES

    return {kind: row.text for kind, row in CURVES.items()} | {kind: row.text for kind, row in PICTURES.items()}


def _list(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        kinds = kinds_of_picture()
        width = max(map(len, kinds))
        write_text("\n".join(f"{kind:{width}}  {about}" for kind, about in kinds.items()) + "\n")
        ctx.exit()


PICTURE_OPTIONS = together(
    option(OUTPUT, "-o", "--output", metavar="FILE", required=True,
           help="Where to write the picture; its suffix says the kind: .svg, .pdf, .png and others."),
    option(OUTPUT, "--title", type=words, metavar="TEXT", help="Title of the picture."),
    option(OUTPUT, "--band/--no-band", default=None,
           help="A bootstrap band around ROC, precision–recall and gain curves, a consistency band of calibration.  "
           "[default: calibration, and ROC and precision–recall of one model of up to 100,000 rows]"),
    option(OUTPUT, "--style", "look", type=click.Choice(["default", "paper", "slides"]), default="default",
           show_default=True, help="paper: one column, 8-point text; slides: large text."),
    option(OUTPUT, "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list,
           help="List the kinds of picture."),
)  # fmt: skip


USED = {
    "thresholds": ("scores", "matrix", "prevalences", "rows", "panel"),
    "level": ("roc", "pr", "gain --band", "ks", "calibration", "prevalences", "panel"),
    "seed": ("roc", "pr", "gain --band"),
}
"""Kinds of picture that an option changes."""


def _check_used(kind: str) -> None:
    """Refuse an option that would not change the picture; a registered curve may use any.

    Raises:
        CommandError: one was given.
    """
    if kind in CURVES and CURVES[kind].is_own:
        return
    context = click.get_current_context()
    for name, kinds in USED.items():
        if kind not in kinds and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = flag_of(name.removesuffix("s"))
            raise CommandError(f"{flag} does not change this picture. It belongs to {', '.join(kinds)}.")


@click.command(cls=GroupedCommand, epilog=EPILOG)
@click.argument("kind", type=Registered(kinds_of_picture), metavar="KIND")
@reading_options(THRESHOLD_OPTIONS, seed_option, PICTURE_OPTIONS)
def plot(
    reading: Reading,
    kind: str,
    thresholds: tuple[str, ...],
    level: float,
    seed: int,
    output: str,
    title: str | None,
    band: bool | None,
    look: str,
) -> None:
    """Draw one picture of every model: ROC, precision-recall, calibration and others.

    KIND is roc, pr, det, calibration, scores or another (--list). FILE is CSV, TSV, JSON
    lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin. It needs matplotlib.
    """
    import numpy as np

    from thresher.cli.outputs import check_picture, write_picture
    from thresher.plot.evaluations import check_band
    from thresher.plot.looks import style

    _check_used(f"{kind} --band" if kind == "gain" and band else kind)
    check_band(kind, band)
    check_picture("-o", output)
    Outputs.of((), None, forms=(), inputs=reading.inputs, others={"-o": output})
    evaluation = evaluation_of(reading, thresholds, level=level, undefined="nan", seed=seed)
    say_notes(evaluation, reading, needs_threshold=kind in USED["thresholds"])
    if kind == "matrix" and len(evaluation) == 1 and next(iter(evaluation.values())).confusion_matrix is None:
        raise CommandError("a matrix needs a threshold: --threshold T.")
    with style(look):
        axes = evaluation.plot(kind, **({} if band is None else {"band": band}))
        figure = np.ravel(axes)[0].figure if not hasattr(axes, "suptitle") else axes
        if title is not None:
            figure.suptitle(title)
        write_picture(figure, output, quiet=reading.quiet)
