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
    """Finder of results in an evaluation, and the section that shows them behind the section `after`."""

    find: Callable[[Evaluation], Any]
    show: Callable[[Any], Block]
    after: str


def _if_partly_labelled(kind: str, place: str) -> Callable[[Evaluation], Any]:
    """Return a finder that is loaded only for partly labelled rows of a kind."""

    def find(evaluation: Evaluation) -> Any:
        rows: Any = evaluation.predictions
        labels = rows.partial_labels
        # One class of several has a judge's labels of them all.
        is_shown = labels is not None and labels.kind == kind and labels.rows.classes == rows.classes
        return later(place)(evaluation) if is_shown else None

    return find


ADDED: dict[str, AddedSection] = {
    "own_curves": AddedSection(find=later(f"{OWN}:own_curves"), show=later(f"{OWN}:own_plots"), after="curves"),
    "judge": AddedSection(
        find=_if_partly_labelled("judge", "thresher.analysis.judging:judge_quality"),
        show=later("thresher.report.sections.judge:judge_table"),
        after="summary",
    ),
    "bounds": AddedSection(
        find=_if_partly_labelled("bounds", "thresher.evaluation.verified:bounds_found"),
        show=later("thresher.report.sections.judge:bounds_table"),
        after="summary",
    ),
}
"""Sections by key, in the order of addition; registered curves and partly labelled rows need no call."""


def add_section(
    key: str, *, find: Callable[[Evaluation], Any], show: Callable[[Any], Block], after: str = "summary"
) -> Registration[AddedSection]:
    """Add a section to every form of a report; JSON has it under `sections`, CSV its numbers under `section=key`.

    The section stays until `undo()` of the result, or the end of a `with` block.

    `find` reads the evaluation once and returns the content of the section, without rows, or None without content;
    `show` turns that into a `Table`, `Prose` or `Plots` of `thresher.report.blocks`. `after` is the key of the
    preceding section, such as "summary", "decisions", "calibration" or "groups"; otherwise it comes last.

    Raises:
        OptionError: the key is taken.
    """
    check_functions(find=find, show=show)
    if key in ADDED:
        raise OptionError(f"there is a section {key!r} already.")
    return put(ADDED, key, AddedSection(find=find, show=show, after=after))


def found_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the content of the added sections by key, without the empty ones."""
    found = {key: each.find(evaluation) for key, each in ADDED.items()}
    return {key: value for key, value in found.items() if value is not None}
