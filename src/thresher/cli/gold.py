"""`thresher gold`: which rows to label next, and how many."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import to_json
from thresher._util.safe_text import csv_lines
from thresher.cli.exit import CommandError
from thresher.cli.options import Arguments, by_model, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say
from thresher.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPILOG = """
\b
Examples:
  thresher gold answers.csv --score risk --width 0.1 -o next.csv
  thresher gold answers.csv --predicted a --judge gpt --label human --width 0.08 -o next.csv
  thresher gold answers.csv --predicted a --predicted b --judge gpt --difference 0.05
  thresher gold answers.csv --score risk --rows 200 -o next.csv

\b
next.csv has the rows to label and the labelled ones. It adds their stratum, their
sampling_probability, and its inverse, sampling_weight. Once all are labelled:
without a judge, report next.csv with --weight sampling_weight; with a judge, add the
probability to all rows, and report them with --judge and --sampling.
"""

FORMS = ("text", "json", "csv")
COLUMNS = ("stratum", "sampling_probability", "sampling_weight")


@command(
    "scores predicted known judge_column positive thresholds planned_measure width difference power budget level seed "
    "decimal form outputs quiet",
    files(), forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def gold(args: Arguments) -> None:
    """Choose which rows to label next, and how many.

    FILE has predictions of all rows, and maybe some labels. Rows are drawn at random from strata of predicted class,
    judge's label and score; more of them where the label is uncertain (Neyman's allocation).
    """
    import numpy as np

    from thresher.cli.mapped import read_columns
    from thresher.inference.gold_budget import gold_budget

    where = Outputs.of(args, FORMS, inputs=args.files)
    if not 1 <= len(args.predicted or args.scores) <= 2:
        raise CommandError("give one or two models, --predicted or --score.")
    texts = [*args.predicted, *filter(None, [args.judge_column, args.known])]
    found, rows, names = read_columns(args.files, numbers=args.scores, texts=texts)
    if taken := next((name for name in COLUMNS if name in names), None):
        raise CommandError(f"{args.files[0]} has a column {taken} already.")
    labels = None
    if args.known is not None:
        is_empty = found[args.known] == ""
        filled = {args.known: np.where(is_empty, "0", found[args.known])}
        labels = np.where(is_empty, math.nan, _truth(args, filled, args.known))
    plan = gold_budget(
        _decided(args, found), judge=None if args.judge_column is None else _truth(args, found, args.judge_column),
        score=found[args.scores[0]] if args.scores else None,
        labels=labels, measure=args.planned_measure,
        width=args.width, difference=args.difference, rows=args.budget, power=args.power or 0.8, level=args.level,
        rng=args.seed,
    )  # fmt: skip

    def render(form: str, _: int | None) -> str:
        columns = plan.columns()
        if form == "csv":
            picked = {*plan.chosen.tolist(), *([] if labels is None else np.flatnonzero(~np.isnan(labels)).tolist())}
            shares = plan.probabilities.tolist()
            table = [[*rows[i], plan.strata[plan.stratum[i]], shares[i], 1 / shares[i]] for i in sorted(picked)]
            return csv_lines([[*names, *COLUMNS], *table], as_is=True)
        lines = list(zip(*columns.values(), strict=True))
        if form == "json":
            strata = [dict(zip(columns, line, strict=True)) for line in lines]
            own: dict[str, Any] = {"rows": plan.total, "measure": plan.measure, "width": plan.width, "strata": strata}
            return to_json(own | {"chosen": [int(row) + 1 for row in plan.chosen], "sentence": plan.sentence})
        shown = [f"{name}: label {extra:,} of {many - own:,}" for name, many, own, extra, _ in lines]
        return "\n".join([plan.sentence, *shown]) + "\n"

    where.write(render)


def _decided(args: Arguments, found: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.bool_]]:
    """Predicted class of each model: its labels, or its scores from the threshold on."""
    if args.predicted:
        return {name: _truth(args, found, name) for name in args.predicted}
    cuts = by_model("--threshold", args.thresholds, float, "a number, nor MODEL=NUMBER")
    made = {}
    for name in args.scores:
        values, cut = found[name], cuts.get(name, cuts.get(None))
        if cut is None and not ((values >= 0) & (values <= 1)).all():
            raise CommandError(f"{name} is not a probability in every row: give --threshold.")
        if cut is None:
            say(f"threshold 0.5 was assumed for {name}, as every score is in [0, 1]: --threshold sets another.")
        made[name] = values >= (0.5 if cut is None else cut)
    return made


def _truth(args: Arguments, found: dict[str, NDArray[Any]], name: str) -> NDArray[np.bool_]:
    """Whether each row has the positive label."""
    import numpy as np

    from thresher.readers.judged import truth_values

    if args.positive:
        return np.asarray(found[name] == args.positive)
    try:
        return truth_values(found[name], name)
    except InputError as problem:
        raise CommandError(f"{problem} For other labels, name the positive one with --positive.") from None
