"""Groups of counts, such as sites, summed up: the mean of each measure over them, and what to expect at another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher.plain import plain_text
from thresher.report.document import Document
from thresher.report.numbers import number
from thresher.report.sections.kinds import Cell, Figures, Share, Table
from thresher.report.titles import heading_of
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.differences.over_sites import RandomEffects


def over_groups(document: Document) -> Table | None:
    """Mean of each measure over the groups as a random effect, model by model."""
    if not document.over_groups:
        return None
    name = plain_text(next(iter(document.groups[0].by)))
    several = len(document.models) > 1
    order = [model.name for model in document.models]
    found = sorted(document.over_groups, key=lambda item: order.index(plain_text(item[0])))
    return Table(
        key="over-groups",
        title=f"Mean over the groups by {name}",
        columns=(*(["Model"] if several else []), "Measure", "Mean", f"At another {name}", "Between", "Groups"),
        rows=tuple(_row(model, each, several=several) for model, each in found),
        headers=1 + several,
        lead=f"If each {name} here is one of many that differ: the mean over them, and where the value of one more "
        f"is to be expected. Between is the share of the variance that lies between them rather than within (I²).",
        remarks=tuple(_remarks([each for _, each in found])),
    )


def _row(model: str, found: RandomEffects, *, several: bool) -> tuple[Cell, ...]:
    mean = Estimate(
        name=found.measure, value=found.value, low=found.low, high=found.high, level=found.level,
        method=found.method, n=found.sites, reason=found.reason,
    )  # fmt: skip
    ends = [] if found.prediction is None else [number(end) for end in found.prediction]
    who = (plain_text(model),) if several else ()
    return (
        *who,
        heading_of(found.measure),
        mean,
        Figures(" to ".join(ends)) if ends else None,
        Share(found.i2),
        found.sites,
    )


def _remarks(found: list[RandomEffects]) -> Iterator[str]:
    methods = "; ".join(dict.fromkeys(each.method for each in found))
    yield f"Brackets and the range at another are of {100 * found[0].level:g} %: {methods}."
    if any(each.omitted for each in found):
        left = ", ".join(f"{heading_of(each.measure)}: {each.omitted}" for each in found if each.omitted)
        yield f"Groups without a value or its standard error are left out ({left})."
    if any(each.prediction is None for each in found):
        yield "Fewer than three groups say nothing about another."
