"""Options about what is said beyond the usual: parts of a curve, smooth and mean curves, rows left undecided."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.deciding import CHOICE
from thresher.cli.exit import CommandError
from thresher.cli.flags import flag_of
from thresher.cli.options import option, together

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
