"""CSV form: one row per model, group and measure, numbers at full precision; undefined is empty, with a reason."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher._util.json_values import plain_text
from thresher._util.safe_text import csv_lines
from thresher.measures.shown import RATES
from thresher.report.blocks import Figures, Forest, Share, Table
from thresher.report.sections.order import IN_JSON, named_blocks
from thresher.results import Estimate, why_missing

if TYPE_CHECKING:
    from thresher.analysis.roc_findings import OptionalFindings
    from thresher.report.document import Document

COLUMNS = ("model", "group", "measure", "value", "low", "high", "level", "method", "reason")


def document_csv(document: Document) -> str:
    """Return tidy CSV: undefined values are empty with a reason, infinity is `inf`."""
    return csv_lines(_lines(document))


def _lines(document: Document) -> Iterator[tuple[str, ...]]:
    yield COLUMNS
    found = [(m.name, "", {**m.measures, **optional_estimates(m.optional)}) for m in document.models]
    # Each class against the rest is under `class=label` in the column of the group.
    several = [(m.name, m.classes.rows) for m in document.models if m.classes is not None]
    found += [(name, f"class={row.name}", dict(row.measures)) for name, rows in several for row in rows]
    subsets = (*document.groups, *document.folds)
    found += [(model.name, part.key, dict(model.measures)) for part in subsets for model in part.models]
    for model, group, measures in found:
        yield from ((model, group, name, *estimate_cells(e)) for name, e in measures.items())
    for name, block in named_blocks(document, without=IN_JSON):
        if isinstance(block, Table):
            yield from _table_rows(name, block)


def _table_rows(name: str, table: Table) -> Iterator[tuple[str, ...]]:
    """Numbers of a table under `section=name`, each named by the heads of its row and its column."""
    for row in table.rows:
        heads = [str(cell.text if isinstance(cell, Figures) else cell) for cell in row[: table.headers]]
        for title, cell in zip(table.columns[table.headers :], row[table.headers :], strict=True):
            found = cell.estimate if isinstance(cell, Forest) else cell
            value = found.value if isinstance(found, Share) else found
            if isinstance(value, int | float):
                found = Estimate(name=title, value=float(value))
            if isinstance(found, Estimate):
                yield (heads[0], f"section={name}", " ".join([*heads[1:], title]), *estimate_cells(found))


def optional_estimates(part: OptionalFindings | None) -> dict[str, Estimate]:
    """Return the estimates by their requested name: a row of CSV each."""
    if part is None:
        return {}
    found = {f"{e.name} {a.part}": e for a in part.areas for e in (a.raw, a.normalized, a.corrected)}
    if part.smooth is not None:
        found["binormal_auc"] = part.smooth.area
    found |= {f"fold_average {name}": mean.area for name, mean in part.means.items()}
    if part.reject is not None:
        shares = (part.reject.reportable_rate, part.reject.expected_cost)
        found |= {f"reject_option {e.name}": e for e in shares if e is not None}
        found |= {f"reject_option {name}": part.reject.measures[name] for name in RATES}
    found |= {f"{e.name} {budget}": e for budget, each in part.top.items() for e in each}
    return found


def exact(value: float | None) -> str:
    """Shortest text that reads back as the same number; empty for nothing and for NaN.

    >>> exact(0.1), exact(float("nan")), exact(float("inf"))
    ('0.1', '', 'inf')
    """
    return "" if value is None or math.isnan(value) else repr(float(value))


def estimate_cells(estimate: Estimate) -> tuple[str, ...]:
    """Return numbers at full precision, the method and the reason if undefined."""
    numbers = (estimate.value, estimate.low, estimate.high, estimate.level)
    return (*map(exact, numbers), estimate.method or "", plain_text(why_missing(estimate) or ""))
