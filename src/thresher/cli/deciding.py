"""Options that say by what a threshold is chosen, for the commands that choose one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.exit import CommandError
from thresher.cli.flags import flag_of
from thresher.cli.kinds import COST, PREVALENCE, TOP_SHARE, Amount
from thresher.cli.options import option, together
from thresher.cli.streams import write_text
from thresher.errors import InputError, OptionError

if TYPE_CHECKING:
    from thresher.decisions.costs import Costs

CHOICE = "By what the threshold is chosen"

COST_OPTIONS = together(
    option(CHOICE, "--cost-fp", type=COST, metavar="C", help="Cost of a false positive; with --cost-fn."),
    option(CHOICE, "--cost-fn", type=COST, metavar="C", help="Cost of a false negative; with --cost-fp."),
    option(CHOICE, "--cost-tp", type=COST, metavar="C", default=0.0, help="Cost of a true positive. Default: 0."),
    option(CHOICE, "--cost-tn", type=COST, metavar="C", default=0.0, help="Cost of a true negative. Default: 0."),
    option(CHOICE, "--cost-fixed", type=COST, metavar="C", default=0.0, help="Cost of every decision. Default: 0."),
    option(CHOICE, "--benefit", is_flag=True, help="The costs are gains: what is lost is negative."),
)  # fmt: skip


prevalence_option = option(
    CHOICE, "--prevalence", type=PREVALENCE, metavar="SHARE",
    help="Share of positives where the decisions will be made, such as 0.001 or 0.1%. Default: that of the rows.",
)  # fmt: skip

REPORT_OPTIONS = together(
    COST_OPTIONS,
    option(
        CHOICE, "--prevalence", "prevalences", type=PREVALENCE, metavar="SHARE", multiple=True,
        help="Share of positives where the decisions will be made, such as 0.001 or 0.1%; what becomes of them there "
        "is said, and thresholds are chosen at it. Repeat it for more; thresholds are chosen at the first.",
    ),
)  # fmt: skip
"""Options of a report, which always has the thresholds of the usual criteria."""


def _completed(_ctx: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Criteria that go by one word and begin so, for the shell's completion."""
    from thresher.decisions.criteria import NAMED

    return [name for name in NAMED if name.startswith(start)]


def _list(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Write the criteria that go by one word, and be done."""
    if wanted and not ctx.resilient_parsing:
        from thresher.decisions.criteria import NAMED, OwnCriterion

        width = max(map(len, NAMED))
        said = {name: each.text if isinstance(each, OwnCriterion) else str(each) for name, each in NAMED.items()}
        write_text("\n".join(f"{name:{width}}  {text}" for name, text in said.items()) + "\n")
        ctx.exit()


CRITERION_OPTIONS = together(
    option(
        CHOICE, "--criterion", metavar="TEXT", shell_complete=_completed,
        help="A criterion by its name or in words, such as youden or 'max tpr s.t. fpr<=0.01'.",
    ),
    option(CHOICE, "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list,
           help="List the criteria that go by one word."),
    option(
        CHOICE, "--max", "maximize", metavar="MEASURE",
        help="The highest value of a measure, such as mcc, f1, f_beta:beta=2 or youden; with --where bounds.",
    ),
    option(CHOICE, "--min", "minimize", metavar="MEASURE", help="The lowest value of a measure, such as error_rate."),
    COST_OPTIONS,
    option(CHOICE, "--closest-corner", is_flag=True, help="The point of the ROC nearest to its upper left corner."),
    option(CHOICE, "--match-prevalence", is_flag=True, help="As many predicted positives as there are positives."),
    option(
        CHOICE, "--top", "top_k", type=Amount("a number of rows"), metavar="K",
        help="No more than K predicted positives.",
    ),
    option(
        CHOICE, "--top-share", type=TOP_SHARE, metavar="SHARE",
        help="No more than this share of the rows, such as 5% or 0.05.",
    ),
    option(
        CHOICE, "--where", metavar="BOUND|CONDITION", multiple=True,
        help='A bound that the threshold has to keep, such as "fpr<=0.01"; may be repeated. What bounds no measure '
        "is a condition on the rows that are read, in SQL, as for thresher report: \"day >= '2026-01-01'\".",
    ),
    prevalence_option,
)  # fmt: skip

COSTS = ("cost_fp", "cost_fn", "cost_tp", "cost_tn", "cost_fixed", "benefit")


def costs_of(options: dict[str, Any]) -> Costs | None:
    """Take the costs from the options of a command; None when none were given."""
    from thresher.decisions.costs import Costs

    given = {name: options.pop(name) for name in COSTS}
    fp, fn = given["cost_fp"], given["cost_fn"]
    if fp is None and fn is None:
        if more := next((name for name in COSTS[2:] if given[name]), None):
            raise CommandError(f"--{more.replace('_', '-')} was given without --cost-fp and --cost-fn.")
        return None
    if fp is None or fn is None:
        one, other = ("--cost-fn", "--cost-fp") if fp is None else ("--cost-fp", "--cost-fn")
        raise CommandError(f"{one} was given without {other}: what counts is how the two compare.")
    rest = {name.removeprefix("cost_"): given[name] for name in COSTS[2:]}
    return Costs(fp=fp, fn=fn, **rest)


def how_of(options: dict[str, Any]) -> dict[str, Any]:
    """Criterion as `choose` takes it, what was not given left out."""
    costs = costs_of(options)
    given = {name: value for name, value in options.items() if value not in (None, False, ())}
    return given if costs is None else {**given, "costs": costs}


def bounds_and_conditions(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What `--where` says of measures, and of rows: what names a measure only is meant as a bound on it.

    >>> bounds_and_conditions(["fpr<=0.01", "site <> 'x'", '"fpr" <= 0.01', "precision>=50% and recall>=0.2"])
    (('fpr<=0.01', 'precision>=50% and recall>=0.2'), ("site <> 'x'", '"fpr" <= 0.01'))
    """
    bounds = [word for word in words if _bounds_measures(word)]
    return tuple(bounds), tuple(word for word in words if word not in bounds)


def _bounds_measures(text: str) -> bool:
    from thresher.decisions.criterion_options import parse_constraints
    from thresher.measures.registry import known

    try:
        return all(known(each.measure) is not None for each in parse_constraints(text))
    except (InputError, OptionError):
        return known(text.strip()) is not None


MORE = "What else is said"

reject_option = option(
    CHOICE, "--reject", metavar="RULE",
    help="Leave rows between two thresholds undecided: deferral=0.2 (what such a row costs, with --cost-fp and "
    "--cost-fn), accuracy=0.99 of the decided rows, or upper=precision>=0.98,lower=npv>=0.99, where either is a "
    "bound or a threshold.",
)  # fmt: skip

OPTIONAL_SECTIONS = together(
    option(
        MORE, "--partial", metavar="WHERE", multiple=True,
        help="The area over a part of a curve: 'fpr<=0.1', 'tpr>=0.9', 'specificity>=0.9', both rates as in "
        "'fpr<=0.1,tpr>=0.9', 'recall>=0.8' of the precision–recall curve, or a range 'fpr=0.05:0.2'. May be repeated.",
    ),
    option(MORE, "--smooth", type=click.Choice(["binormal"]), help="The smooth ROC of a model, beside the data."),
    option(
        MORE, "--average", type=click.Choice(["vertical", "threshold", "pooled"]),
        help="The curves of the folds as one with a band, averaged at each rate or at each threshold, or of all rows "
        "together; with --fold.",
    ),
    reject_option,
)  # fmt: skip
"""Options of a report, which says none of this unasked."""

NAMES = ("partial", "smooth", "average", "reject")


def optional_of(options: dict[str, Any], fold: str | None) -> dict[str, Any]:
    """Take what is asked for beyond the usual from the options of a command."""
    given = {name: options.pop(name) for name in NAMES}
    if given["average"] and fold is None:
        raise CommandError("--average is over folds: name their column with --fold.")
    return given


def reject_of(rule: str, how: dict[str, Any], prevalence: float | None, bootstrap: int | None) -> dict[str, Any]:
    """Options of a reject option, as a model takes them; refused early when they do not go together."""
    from thresher.report.request import OptionalSections

    costs = how.get("costs")
    if others := [name for name in how if name != "costs"]:
        raise CommandError(f"--reject chooses two thresholds by its own rule, and {flag_of(others[0])} chooses one.")
    if bootstrap is not None:
        raise CommandError("--bootstrap chooses one threshold again on resamples, and --reject has two.")
    found = dict(OptionalSections.of(costs=costs, reject=rule).reject)
    if costs is not None and "deferral" not in found:
        raise CommandError("costs with --reject need that of an undecided row: deferral=COST.")
    return {**found, "prevalence": prevalence}
