"""Sections beyond the usual ones: of partly labelled rows, and those that others add to every report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_values import plain_text
from thresher.errors import OptionError
from thresher.measures.measure_text import title_of
from thresher.registration import Registration, check_functions, later, put
from thresher.report.blocks import Block, Cell, Table
from thresher.report.numbers import estimated, heading_of
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.analysis.judging import JudgeQuality
    from thresher.evaluation import Evaluation
    from thresher.inference.missing_bounds import Bounds


def judge_table(found: JudgeQuality) -> Table:
    """Table of prediction-powered estimates between the gold rows alone and the judge alone."""
    rows: list[tuple[Cell, ...]] = [
        (
            plain_text(each.model),
            heading_of(each.powered.name),
            each.powered,
            each.gold,
            each.judge,
            each.weight,
            round(each.worth),
        )
        for each in found.estimates
    ]
    some = f"{found.in_part:,} rows with human labels in part, " if found.in_part else ""
    return Table(
        key="judge",
        title=f"Gold rows and {plain_text(found.name)}",
        columns=("Model", "Measure", "Both", "Gold alone", "Judge alone", "λ", "Worth"),
        rows=tuple(rows),
        headers=2,
        lead=(
            f"{found.gold:,} gold rows with a human label, {some}{found.others:,} rows with the judge's label only. "
            "The gold rows are assumed to be drawn at random, or with the given sampling probabilities."
        ),
        remarks=tuple(_remarks(found)),
    )


def bounds_table(found: Sequence[tuple[str, Estimate, Bounds]]) -> Table:
    """Table of the lowest and the highest possible values."""
    rows = [(plain_text(model), heading_of(each.name), each, ends.low, ends.high) for model, each, ends in found]
    return Table(
        key="bounds", title="Bounds for the rows without a verified label",
        columns=("Model", "Measure", "Labelled rows", "Lowest", "Highest"), rows=tuple(rows), headers=2,
        lead="Lowest and highest value over all possible labels of the unverified rows, without any assumption.",
    )  # fmt: skip


def _remarks(found: JudgeQuality) -> Iterator[str]:
    parts = [f"{title_of(name)} {estimated(each)}" for name, each in found.agreement.items() if each.is_defined]
    yield f"The judge on the gold rows: {'; '.join(parts)}."
    if found.prevalence is not None and found.prevalence.is_defined:
        yield (
            f"Prevalence in all {found.gold + found.others:,} rows, the judge's labels corrected for their errors: "
            f"{estimated(found.prevalence)} (Rogan–Gladen)."
        )
    lines = [f"{plain_text(name)} {estimated(each)}" for name, each in found.bias.items()]
    if lines:
        what = "Subset accuracy" if "subset_accuracy" in found.agreement else "Accuracy"
        yield (
            f"{what} by the judge minus {what.lower()} by human labels, on the gold rows: {'; '.join(lines)}; below 0 "
            "the judge underrates the model."
        )
    yield "λ: weight of the judge's labels, 0 for the gold rows alone. Worth: gold rows that alone would be as sure."


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
        show=judge_table,
        after="summary",
    ),
    "bounds": AddedSection(
        find=_if_partly_labelled("bounds", "thresher.evaluation.verified:bounds_found"),
        show=bounds_table,
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
