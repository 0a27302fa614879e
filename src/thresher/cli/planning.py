"""Planning: `thresher sample-size`, `gold` for the rows to label next, and `expected` measures without labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import to_json
from thresher._util.safe_text import csv_lines
from thresher.cli.calibrate import saved_map
from thresher.cli.exit import CommandError
from thresher.cli.options import Arguments, by_model, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say
from thresher.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SIZE_EXAMPLES = """
\b
Examples:
  thresher sample-size --rate 0.9 --width 0.1
  thresher sample-size --auc 0.75 --power 0.9 --prevalence 10%
  thresher sample-size --auc 0.85 --other 0.80 --correlation 0.5
  thresher sample-size --auc 0.85 --other 0.80 --positives 150

\b
The rows of a rate are its denominator: positives for recall, negatives for specificity,
predicted positives for precision. Sizes assume independent rows.
"""

SENTENCE_FORMS = ("text", "json")
TABLE_FORMS = (*SENTENCE_FORMS, "csv")


@command(
    "rate width assurance auc other correlation power positives prevalence level form outputs quiet",
    forms=SENTENCE_FORMS, epilog=SIZE_EXAMPLES,
)  # fmt: skip
def sample_size(args: Arguments) -> None:
    """Compute how many rows a study needs: for a rate, an AUC, or a difference of two AUCs.

    --rate with --width: the rows for an interval of that width. --auc: the positives and negatives to show that it
    differs from 0.5, or from --other, an AUC on the same rows. With --positives, the power instead.
    """
    where = Outputs.of(args, SENTENCE_FORMS)
    if (args.rate is None) == (args.auc is None):
        raise CommandError("say what to plan for: --rate 0.9 --width 0.1, or --auc 0.8, or --auc 0.85 --other 0.80.")
    of_auc = args.first_of("other", "correlation", "positives", "power")
    if args.rate is not None and of_auc:
        raise CommandError(f"{of_auc} is for --auc; --rate takes --width.")
    if args.rate is not None and args.width is None:
        raise CommandError("--rate needs --width, the width of its interval, such as 0.1 for ± 5 points.")
    if args.auc is not None and (flag := args.first_of("width", "assurance")):
        raise CommandError(f"{flag} is for --rate; --auc takes --power.")
    if args.correlation is not None and args.other is None:
        raise CommandError("--correlation is of two AUCs: give --other too.")
    if args.positives is not None and args.power is not None:
        raise CommandError("--positives and --power were both given: leave one out, and it is computed.")
    found = _of_rate(args) if args.rate is not None else _of_auc(args)
    where.write(lambda form, _: to_json(found) if form == "json" else f"{found['sentence']}\n")


def _of_rate(args: Arguments) -> dict[str, Any]:
    from thresher.inference import rate_sample_size

    plan = rate_sample_size(args.rate, width=args.width, level=args.level, assurance=args.assurance)
    sure = "" if plan.assurance is None else f" in {100 * plan.assurance:g} % of studies"
    text = (
        f"{plan.rows:,} rows: Wilson's {100 * plan.level:g} % interval of a rate of {plan.rate:g} is then at most "
        f"{plan.width:g} wide{sure}."
    )
    found = {"rows": plan.rows, "rate": plan.rate, "width": plan.width, "level": plan.level, "method": plan.method}
    if args.prevalence is not None:
        found["collected"] = math.ceil(plan.rows / args.prevalence)
        text += (
            f" For a rate of the positives at a prevalence of {args.prevalence:g} that takes about "
            f"{found['collected']:,} rows in all."
        )
    return found | {"sentence": text}


def _of_auc(args: Arguments) -> dict[str, Any]:
    from thresher.inference import auc_power, paired_auc_power

    share = 0.5 if args.prevalence is None else args.prevalence
    power = None if args.positives else args.power or 0.8
    how: dict[str, Any] = {"ratio": (1 - share) / share, "alpha": 1 - args.level, "power": power}
    how |= {"positives": args.positives}
    correlation = 0.5 if args.correlation is None else args.correlation
    if args.other is None:
        side = "above" if args.auc > 0.5 else "below"
        plan, shown = auc_power(auc=args.auc, **how), f"that an AUC of {args.auc:g} is {side} 0.5"
    else:
        plan = paired_auc_power(args.auc, args.other, correlation=correlation, **how)
        shown = f"that AUCs of {args.auc:g} and {args.other:g} differ (correlation {correlation:g})"
    positives, negatives = plan.rows
    chance = f"{plan.power:.2f}" if args.positives is not None else f"{plan.power:g}"
    rows = " and ".join(
        f"{many:,} {name}{'s' * (many > 1)}" for many, name in ((positives, "positive"), (negatives, "negative"))
    )
    text = f"{rows} show {shown}, with a power of {chance} at level {args.level:g}."
    return {
        "positives": positives, "negatives": negatives, "power": plan.power, "level": args.level, "auc": args.auc,
        "other": args.other, "correlation": None if args.other is None else correlation, "method": plan.method,
        "sentence": text,
    }  # fmt: skip


EXPECTED_EXAMPLES = """
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


@command(
    "scores saved fitted_on known positive thresholds by lower_is_positive decimal level form outputs quiet",
    files(), forms=TABLE_FORMS, epilog=EXPECTED_EXAMPLES,
)  # fmt: skip
def expected(args: Arguments) -> None:
    """Compute the expected measures of rows without labels, from calibrated scores.

    Each row counts as positive with the probability that is its score. FILE needs no label.
    """
    import numpy as np

    from thresher._util.json_values import to_jsonable
    from thresher.cli.mapped import read_columns
    from thresher.inference.expected import expected as compute

    where = Outputs.of(args, TABLE_FORMS, inputs=(*args.files, *filter(None, [args.saved, args.fitted_on])))
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


GOLD_EXAMPLES = """
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

COLUMNS = ("stratum", "sampling_probability", "sampling_weight")


@command(
    "scores predicted known judge_column positive thresholds planned_measure width difference power budget level seed "
    "decimal form outputs quiet",
    files(), forms=TABLE_FORMS, epilog=GOLD_EXAMPLES,
)  # fmt: skip
def gold(args: Arguments) -> None:
    """Choose which rows to label next, and how many.

    FILE has predictions of all rows, and maybe some labels. Rows are drawn at random from strata of predicted class,
    judge's label and score; more of them where the label is uncertain (Neyman's allocation).
    """
    import numpy as np

    from thresher.cli.mapped import read_columns
    from thresher.inference.gold_budget import gold_budget

    where = Outputs.of(args, TABLE_FORMS, inputs=args.files)
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
