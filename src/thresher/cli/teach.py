"""`thresher teach`: a handout with blanks from one's own rows, and its answer key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from thresher.cli.evaluating import evaluated_any
from thresher.cli.exit import CommandError
from thresher.cli.kinds import Whole
from thresher.cli.options import (
    NUMBERS,
    OUTPUT,
    GroupedCommand,
    Reading,
    option,
    output_options,
    reading_options,
    seed_option,
    together,
)
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.report.teaching import Sheet

EPILOG = """
\b
Examples:
  thresher example ten
  thresher teach ten.csv --label truth --score score -o handout.html
  thresher teach ten.csv --label truth --score score -o handout.html --answers key.html
  thresher teach predictions.csv --label outcome --score model_a --rows 16 --seed 3 -o handout.html
"""

FORMS = ("text", "html")

TEACH_OPTIONS = together(
    option(
        NUMBERS, "--rows", type=Whole("a number of rows", least=4), default=12, show_default=True, metavar="N",
        help="Rows on the handout, 30 at the most: so many are drawn within the classes where FILE has more.",
    ),
    seed_option,
    output_options(*FORMS),
    option(
        OUTPUT, "--answers", metavar="FILE",
        help="Write the answer key to a file of its own, .html or .txt. Default: it follows the exercises, on a page "
        "that is folded, and not printed, until it is opened.",
    ),
)  # fmt: skip


@click.command(cls=GroupedCommand, epilog=EPILOG)
@reading_options(TEACH_OPTIONS)
def teach(
    reading: Reading, rows: int, seed: int, form: str | None, outputs: tuple[str, ...], answers: str | None
) -> None:
    """Write a handout with blanks from your own rows, and its answer key.

    Its exercises are the walk from the ranking to the ROC, the curve by hand, pairs, the confusion matrix at a
    threshold, every threshold with costs, and another prevalence. What fills the blanks is computed from the rows of
    one score, and the same file with the same seed gives the same handout.
    """
    from thresher.cli.reading import rows_or_counts
    from thresher.counts import Counts
    from thresher.report.teaching import MOST, sheet, some_rows

    if rows > MOST:
        raise CommandError(f"--rows {rows}: a handout has {MOST} rows at the most, to be worked on by hand.")
    if answers == "-":
        raise CommandError("--answers names a file: without it the answers follow the exercises, on stdout too.")
    files: dict[str, Any] = {"forms": FORMS, "inputs": reading.inputs}
    where = Outputs.of(outputs, form, others={"--answers": answers}, quiet=reading.quiet, **files)
    key = Outputs.of((answers,) if answers else (), None, quiet=True, **files)
    found = rows_or_counts(reading)
    if isinstance(found, Counts):
        raise CommandError("a handout is made of rows, and these are counts.")
    few, lead = some_rows(found, rows, seed)
    models = evaluated_any(few)
    if len(models) > 1:
        raise CommandError("a handout is about one score: choose one with --score.")
    [made] = (sheet(model, lead=" ".join([lead, *few.notes])) for model in models.values())
    where.write(lambda form, width: _written(made, form, "without" if answers else "with", width), lambda: lead)
    if answers:
        key.write(lambda form, width: _written(made, form, "alone", width))
        if not reading.quiet:
            say(f"wrote {answers}")


def _written(made: Sheet, form: str, key: str, width: int | None) -> str:
    """Handout in a form, with its answers, without them, or they alone."""
    if form == "html":
        from thresher.report.render.handout import handout_page

        return handout_page(made, key=key)
    from thresher.report.render.handout import handout_text

    return handout_text(made, key=key, width=width)
