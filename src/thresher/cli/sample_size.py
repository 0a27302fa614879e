"""`thresher sample-size`: rows to collect for a rate, an AUC or a difference of two AUCs."""

from __future__ import annotations

import math
from typing import Any

from thresher._util.json_text import to_json
from thresher.cli.exit import CommandError
from thresher.cli.options import Arguments, command
from thresher.cli.outputs import Outputs

EPILOG = """
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

FORMS = ("text", "json")


@command(
    "rate width assurance auc other correlation power positives prevalence level form outputs quiet",
    forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def sample_size(args: Arguments) -> None:
    """Compute how many rows a study needs: for a rate, an AUC, or a difference of two AUCs.

    --rate with --width: the rows for an interval of that width. --auc: the positives and negatives to show that it
    differs from 0.5, or from --other, an AUC on the same rows. With --positives, the power instead.
    """
    where = Outputs.of(args, FORMS)
    _check(args)
    found = _of_rate(args) if args.rate is not None else _of_auc(args)
    where.write(lambda form, _: to_json(found) if form == "json" else f"{found['sentence']}\n")


def _check(args: Arguments) -> None:
    """Refuse options that do not go together.

    Raises:
        CommandError: nothing is planned, or an option is for another plan.
    """
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
    power = None if args.positives is not None else 0.8 if args.power is None else args.power
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
