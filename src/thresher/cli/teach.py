"""`thresher teach`: a handout with blanks from one's own rows, and its answer key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thresher.cli.exit import CommandError
from thresher.cli.options import PREDICTIONS, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import evaluated_any
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


@command(f"{PREDICTIONS} rows seed form outputs answers quiet", files(), forms=FORMS, epilog=EPILOG)
def teach(args: Arguments) -> None:
    """Write a handout with blanks from your own rows, and its answer key.

    Its exercises are the walk from the ranking to the ROC, the curve by hand, pairs, the confusion matrix at a
    threshold, every threshold with costs, and another prevalence. The answers are computed from the rows of
    one score, and the same file with the same seed gives the same handout.
    """
    from thresher.cli.reading import rows_or_counts
    from thresher.counts import Counts
    from thresher.report.teaching import MOST, sheet, some_rows

    if args.rows > MOST:
        raise CommandError(f"--rows {args.rows}: a handout has {MOST} rows at the most, to be worked on by hand.")
    if args.answers == "-":
        raise CommandError("--answers names a file: without it the answers follow the exercises, on stdout too.")
    where = Outputs.of(args, FORMS, others={"--answers": args.answers})
    alone = (args.answers,) if args.answers else ()
    key = Outputs.of(args.replace(outputs=alone, form=None, quiet=True), FORMS)
    found = rows_or_counts(args)
    if isinstance(found, Counts):
        raise CommandError("a handout is made of rows, and these are counts.")
    few, lead = some_rows(found, args.rows, args.seed)
    models = evaluated_any(few)
    if len(models) > 1:
        raise CommandError("a handout is about one score: choose one with --score.")
    [made] = (sheet(model, lead=" ".join([lead, *few.notes])) for model in models.values())
    with_key = "without" if args.answers else "with"
    where.write(lambda form, width: _written(made, form, with_key, width), lambda: lead)
    if args.answers:
        key.write(lambda form, width: _written(made, form, "alone", width))
        if not args.quiet:
            say(f"wrote {args.answers}")


def _written(made: Sheet, form: str, key: str, width: int | None) -> str:
    """Handout in a form, with its answers, without them, or they alone."""
    if form == "html":
        from thresher.report.render.handout import handout_page

        return handout_page(made, key=key)
    from thresher.report.render.handout import handout_text

    return handout_text(made, key=key, width=width)
