"""Listings and walks as a page of tables with their paths, written piece by piece: it loads and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from thresher.curves.listing import Listing, cell_text, ends_of_steps
from thresher.report.blocks import Plot, PlotLine
from thresher.report.render.html.markup import Markup, heads, page_head, scrolling, signed, table, tag
from thresher.report.render.html.plots import figure

Part = tuple[str, Sequence[str], Iterable[Iterable[Sequence[str]]], Plot | None]
"""Name of a model, names of its columns, its rows of texts in pieces, and its path."""

MOST_DRAWN = 20_000
"""Rows of a listing with a drawn path: the columns of a longer one are never in memory together."""

TITLE = "By falling score"
HERE = "<!--rows-->"
"""Place of a table's rows, which are written one by one."""


def listing_page(parts: Iterable[Part], *, title: str = TITLE) -> Iterator[str]:
    """Page with one table for each model."""
    head = page_head(title)
    yield f'<!doctype html>\n<html lang="en">{head}<body><div class="page"><header>{tag("h1", title)}</header><main>'
    for place, (name, columns, pieces, path) in enumerate(parts):
        caption = f"{name}: one line for each step, the most positive score first."
        shown = scrolling(table(heads(columns), [Markup(HERE)], caption=caption), f"Table of {name}")
        heading, drawn = (
            tag("h2", name, id=f"model-{place}"),
            tag("div", figure(path), class_="charts") if path else None,
        )
        whole = tag("section", heading, drawn, shown, aria_labelledby=f"model-{place}")
        before, after = whole.split(HERE)
        yield before
        for rows in pieces:
            yield "".join(tag("tr", *(tag("td", signed(cell)) for cell in row)) + "\n" for row in rows)
        yield after
    yield "</main></div></body></html>\n"


def page_of(listing: Listing, *, title: str = TITLE, name: str = "score") -> str:
    """Listing as a page of its own."""
    columns = ([cell_text(value, key) for value in column] for key, column in listing.items())
    rows = [list(row) for row in zip(*columns, strict=True)]
    return "".join(listing_page([(name, list(listing), [rows], path_of(listing, name))], title=title))


def path_of(columns: Mapping[str, Any], name: str, key: str = "walk-0") -> Plot | None:
    """Return the path of a listing over counts, true above false positives; None for a long one or a single class."""
    found = {name.lower(): column for name, column in columns.items()}
    if not 0 < len(found["tp"]) <= MOST_DRAWN or not found["tp"][-1] or not found["fp"][-1]:
        return None
    fp, tp = (np.asarray(found[count], dtype=np.float64)[ends_of_steps(found)] for count in ("fp", "tp"))
    if fp[0] or tp[0]:  # a listing by threshold begins with nothing predicted positive
        fp, tp = np.append(0.0, fp), np.append(0.0, tp)
    chance = PlotLine(name="chance", x=np.linspace(0.0, fp[-1], 3), y=np.linspace(0.0, tp[-1], 3))
    return Plot(
        key=key, title="ROC in counts", x_title="False positives", y_title="True positives",
        lines=(chance, PlotLine(name=name, x=fp, y=tp, model=0)),
        description=f"The path of {name} in {len(tp) - 1:,} steps, from (0, 0) to ({fp[-1]:g}, {tp[-1]:g}).",
        x_ticks=_ticks(fp[-1]), y_ticks=_ticks(tp[-1]),
    )  # fmt: skip


def _ticks(end: float) -> tuple[float, ...]:
    """Return at most eleven numbers from 0 to the end, whole ones before it."""
    step = max(1.0, np.ceil(end / 10))
    return (*np.arange(0.0, end - step / 2, step).tolist(), end)
