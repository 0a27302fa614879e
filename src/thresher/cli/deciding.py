"""From the options of a choice of threshold to the criterion, costs and rule of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.cli.exit import FLAGS, CommandError
from thresher.cli.options import Arguments
from thresher.errors import InputError, OptionError

if TYPE_CHECKING:
    from thresher.decisions.costs import Costs

COSTS = "cost_fp cost_fn cost_tp cost_tn cost_fixed benefit"
"""Options of the costs of two classes."""

CRITERIA = "criterion maximize minimize closest_corner match_prevalence top bounds"
"""Options that choose by something else."""


def costs_of(args: Arguments) -> Costs | None:
    """Costs from the options of a command; None when none were given."""
    from thresher.decisions.costs import Costs

    others = COSTS.split()[2:]
    if args.cost_fp is None and args.cost_fn is None:
        if more := args.first_of(*others):
            raise CommandError(f"{more} was given without --cost-fp and --cost-fn.")
        return None
    if args.cost_fp is None or args.cost_fn is None:
        one, other = ("--cost-fn", "--cost-fp") if args.cost_fp is None else ("--cost-fp", "--cost-fn")
        raise CommandError(f"{one} was given without {other}: only their ratio counts.")
    rest = {name.removeprefix("cost_"): value for name, value in args.select(*others).items()}
    return Costs(fp=args.cost_fp, fn=args.cost_fn, **rest)


def how_of(args: Arguments) -> dict[str, Any]:
    """Return the given options of a criterion, as `choose` takes them."""
    costs = costs_of(args)
    given = args.select(*CRITERIA.split())
    given |= {"where": given.pop("bounds"), **(given.pop("top") or {})}
    found = {name: value for name, value in given.items() if value or (value == 0 and value is not False)}
    return found if costs is None else {**found, "costs": costs}


def is_bound(text: str) -> bool:
    """Return whether a text bounds measures only.

    >>> is_bound("precision>=50% and recall>=0.2"), is_bound("site <> 'x'")
    (True, False)
    """
    from thresher.decisions.criterion_options import parse_constraints
    from thresher.measures.registry import known

    try:
        return all(known(each.measure) is not None for each in parse_constraints(text))
    except (InputError, OptionError):
        return known(text.strip()) is not None


def optional_of(args: Arguments) -> dict[str, Any]:
    """Return the optional sections from the options of a command."""
    from thresher.decisions.criteria import Budget

    if args.average and args.fold is None:
        raise CommandError("--average is over folds: name their column with --fold.")
    budgets = [Budget(k=each.get("top_k"), share=each.get("top_share")) for each in args.top]
    style = {"style": "paper"} if args.paper else {}
    return {**args.select("partial", "smooth", "average", "reject"), "top": budgets, **style}


def reject_of(args: Arguments, how: dict[str, Any]) -> dict[str, Any]:
    """Options of a reject option, as a model takes them; refused early when they do not go together."""
    from thresher.report.request import OptionalSections

    costs = how.get("costs")
    if others := [name for name in how if name != "costs"]:
        raise CommandError(f"--reject chooses two thresholds by its own rule, but {FLAGS[others[0]]} chooses one.")
    if args.bootstrap is not None:
        raise CommandError("--bootstrap chooses one threshold again on resamples, but --reject has two.")
    found = dict(OptionalSections.of(costs=costs, reject=args.reject).reject)
    if costs is not None and "deferral" not in found:
        raise CommandError("costs with --reject need the cost of an undecided row: deferral=COST.")
    return {**found, "prevalence": args.prevalence}
