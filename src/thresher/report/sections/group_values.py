"""Subgroups as a value that is printed: a few measures of each group, and in what it differs from the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thresher.analysis.subgroups import reported_gaps, usual_measures
from thresher.errors import ThresherError
from thresher.evaluation.estimate import estimate
from thresher.plain import plain_text
from thresher.report.sections.facts import rows_heading
from thresher.report.sections.kinds import Cell, Table
from thresher.report.titles import heading_of

if TYPE_CHECKING:
    from thresher.analysis.subgroups import Subgroups
    from thresher.inference.comparing.comparison import Comparison

LISTED = 20
"""Groups that are shown: the largest."""
NONE = "none shown"


def groups_table(groups: Subgroups[Any]) -> Table:
    """The largest groups, model by model, with their gaps to the rest that a test shows."""
    names = usual_measures(groups.whole) if groups.whole else ()
    gaps, omitted = _gaps(groups)
    kept = sorted(groups, key=lambda key: -groups[key].n)[:LISTED]
    several = len(groups.whole) > 1
    rows = tuple(
        (
            *_keys(groups, key),
            *([plain_text(model)] if several else []),
            groups[key].n,
            *values,
            *_told(gaps, f"{groups.columns[0]} {key}", model),
        )
        for key in groups
        if key in kept
        for model, values in _values(groups, key, names)
    )
    told = ["Gaps to the rest"] if gaps else []
    columns = (
        *map(plain_text, groups.columns),
        *(["Model"] if several else []),
        rows_heading(any(part.predictions.weight_kind == "frequency" for part in groups.values())),
        *map(heading_of, names),
        *told,
    )
    return Table(
        key="groups", title=f"{len(groups):,} group{'s' * (len(groups) != 1)}", columns=columns, rows=rows,
        headers=len(groups.columns) + several, remarks=tuple(_remarks(groups, gaps, omitted)),
    )  # fmt: skip


def _keys(groups: Subgroups[Any], key: Any) -> tuple[str, ...]:
    return tuple(map(plain_text, key if len(groups.columns) > 1 else (key,)))


def _values(groups: Subgroups[Any], key: Any, names: tuple[str, ...]) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for model, found in groups[key].items():
        yield model, tuple(estimate(found, name).value for name in names)


def _gaps(groups: Subgroups[Any]) -> tuple[tuple[Comparison, ...], str | None]:
    """Gaps of the groups of one column, where they are found quickly; of several columns a group is no cell of them."""
    if not groups.whole or len(groups.columns) > 1:
        return (), None
    try:
        found = reported_gaps(groups.whole)
    except ThresherError as error:
        return (), str(error)
    return found.found, found.omitted


def _told(gaps: tuple[Comparison, ...], name: str, model: str) -> list[str]:
    if not gaps:
        return []
    own = [gap for gap in gaps if gap.models[0] == model and gap.groups is not None and gap.groups[0] == name]
    said = [f"{heading_of(gap.measure)} {gap.difference:+.3f}" for gap in own if gap.is_defined and gap.is_significant]
    return [", ".join(said) or NONE]


def _remarks(groups: Subgroups[Any], gaps: tuple[Comparison, ...], omitted: str | None) -> Iterator[str]:
    if gaps:
        yield (
            f"Gaps to the rest are named where Holm's adjustment for {len(gaps):,} of them leaves them significant: "
            ".gaps() has all."
        )
    if omitted:
        yield f"{omitted}."
    if len(groups) > LISTED:
        yield f"The {LISTED} largest of {len(groups):,} groups; .to_frame() has all."
