"""`thresher expected`: measures to expect of rows without labels."""

from __future__ import annotations

from typing import Any

from thresher._util.json_text import to_json
from thresher._util.safe_text import csv_lines
from thresher.cli.calibrate import saved_map
from thresher.cli.exit import CommandError
from thresher.cli.options import Arguments, by_model, command, files
from thresher.cli.outputs import Outputs

EPILOG = """
\b
Examples:
  thresher expected new.csv --score risk
  thresher calibrate labelled.csv --label outcome --score risk -o map.json
  thresher expected new.csv --score risk --map map.json --threshold 0.3 --by site
  thresher expected new.csv --score risk --map map.json --fitted-on labelled.csv --label outcome

\b
The values are right only if the scores, after the --map if there is one, are calibrated
on these rows. They are not an evaluation.
"""

FORMS = ("text", "json", "csv")


@command(
    "scores saved fitted_on known positive thresholds by lower_is_positive decimal level form outputs quiet",
    files(), forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def expected(args: Arguments) -> None:
    """Compute the expected measures of rows without labels, from calibrated scores.

    Each row counts as positive with the probability that is its score. FILE needs no label.
    """
    import numpy as np

    from thresher._util.json_values import to_jsonable
    from thresher.cli.mapped import read_columns
    from thresher.inference.expected import expected as compute

    where = Outputs.of(args, FORMS, inputs=(*args.files, *filter(None, [args.saved, args.fitted_on])))
    if len(args.scores) != 1 or len(args.by) > 1:
        raise CommandError("give one --score, and at most one --by.")
    cuts = by_model("--threshold", args.thresholds, float, "a number")
    [score] = args.scores
    found, _, _ = read_columns(args.files, numbers=[score], texts=args.by)
    known = ~np.isnan(found[score])
    if not known.all():
        raise CommandError(f"row {int(np.argmin(known)) + 1:,}: {score} is empty. Fill it in, or leave the row out.")
    result = compute(
        found[score], map=None if args.saved is None else saved_map(args.saved), fitted_on=_fitted_on(args, score),
        threshold=cuts.get(score, cuts.get(None)),
        by=found[args.by[0]] if args.by else None, direction="lower" if args.lower_is_positive else "higher",
        level=args.level,
    )  # fmt: skip
    columns: dict[str, list[Any]] = result.columns()
    rows = list(zip(*columns.values(), strict=True))

    def render(form: str, _: int | None) -> str:
        if form == "json":
            notes = [note.to_dict() for note in result.notes]
            return to_json(to_jsonable({"rows": len(result.scores), "expected": [dict(zip(columns, row, strict=True))
                                        for row in rows], "notes": notes}))  # fmt: skip
        return f"{result}\n" if form == "text" else csv_lines([list(columns), *map(list, rows)])

    where.write(render)


def _fitted_on(args: Arguments, score: str) -> tuple[Any, Any] | None:
    """Truth and scores of the rows that the map was fitted on."""
    from thresher import readers

    if (args.fitted_on is None) != (args.known is None):
        raise CommandError("--fitted-on and --label belong together: the rows of the map, and their label.")
    if args.fitted_on is None:
        return None
    rows = readers.load([args.fitted_on], [score], label=args.known, positive=args.positive)
    return (rows.truth == 1).astype(int), rows.scores[score]
