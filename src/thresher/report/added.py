"""Sections that others add to every report: found from the evaluation, shown in every form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass
from thresher.errors import OptionError
from thresher.registration import Registration, check_functions, later, put

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation
    from thresher.report.blocks import Block

__all__ = ["add_section"]

OWN = "thresher.report.sections.curves"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedSection:
    """What is found of an evaluation, None for nothing, and the section that shows it behind the one named `after`."""

    find: Callable[[Evaluation], Any]
    show: Callable[[Any], Block]
    after: str


ADDED: dict[str, AddedSection] = {
    "own_curves": AddedSection(find=later(f"{OWN}:own_curves"), show=later(f"{OWN}:own_plots"), after="curves"),
    "judge": AddedSection(
        find=later("thresher.analysis.judging:found_of"),
        show=later("thresher.report.sections.judge:judge_table"),
        after="summary",
    ),
}
"""Sections by key, in the order of addition; registered curves and a judge need no call."""


def add_section(
    key: str, *, find: Callable[[Evaluation], Any], show: Callable[[Any], Block], after: str = "summary"
) -> Registration[AddedSection]:
    """Add a section to every form of a report; JSON has it under `sections`, CSV its numbers under `section=key`.

    It is there until `undo()` of what is returned, or the end of a `with` block.

    `find` reads the evaluation once and returns what the section says, without rows, or None where it has nothing to
    say; `show` makes a `Table`, `Prose` or `Plots` of `thresher.report.blocks` of that. `after` is the key of
    the section that it follows, such as "summary", "decisions", "calibration" or "groups"; at the end without one.

    Raises:
        OptionError: the key is taken.
    """
    check_functions(find=find, show=show)
    if key in ADDED:
        raise OptionError(f"there is a section {key!r} already.")
    return put(ADDED, key, AddedSection(find=find, show=show, after=after))


def found_of(evaluation: Evaluation) -> dict[str, Any]:
    """What the added sections say of an evaluation, by key; those left out that say nothing."""
    found = {key: each.find(evaluation) for key, each in ADDED.items()}
    return {key: value for key, value in found.items() if value is not None}
