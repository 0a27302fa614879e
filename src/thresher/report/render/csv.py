"""CSV form: one row per model, group and measure, numbers at full precision; undefined is empty beside its reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from thresher.csvcells import csv_lines
from thresher.measures.shown import RATES
from thresher.plain import plain_text
from thresher.results import Estimate, why_missing

if TYPE_CHECKING:
    from thresher.analysis.roc_findings import OptionalFindings
    from thresher.report.document import Document, ModelPart

COLUMNS = ("model", "group", "measure", "value", "low", "high", "level", "method", "reason")


def document_csv(document: Document) -> str:
    """Document as tidy CSV: undefined is empty beside its reason, infinity is `inf`."""
    return csv_lines(_lines(document))


def _lines(document: Document) -> Iterator[tuple[str, ...]]:
    yield COLUMNS
    yield from _rows("", document.models)
    for model in document.models:
        yield from _class_rows(model)
    for part in (*document.groups, *document.folds):
        yield from _rows(part.key, part.models)


def _rows(group: str, models: Iterable[ModelPart]) -> Iterator[tuple[str, ...]]:
    for model in models:
        yield from _of_model(model.name, group, {**model.measures, **optional_estimates(model.optional)})


def _class_rows(model: ModelPart) -> Iterator[tuple[str, ...]]:
    """Each class against the rest, under `class=label` in the column of the group."""
    for row in () if model.classes is None else model.classes.rows:
        yield from _of_model(model.name, f"class={row.name}", row.measures)


def _of_model(model: str, group: str, measures: Mapping[str, Estimate]) -> Iterator[tuple[str, ...]]:
    for name, e in measures.items():
        yield (model, group, name, *estimate_cells(e))


def optional_estimates(part: OptionalFindings | None) -> dict[str, Estimate]:
    """Estimates by a name that says what was asked for: a row of CSV each."""
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
    return found


def exact(value: float | None) -> str:
    """Shortest text that reads back as the same number; empty for nothing and for NaN.

    >>> exact(0.1), exact(float("nan")), exact(float("inf"))
    ('0.1', '', 'inf')
    """
    return "" if value is None or math.isnan(value) else repr(float(value))


def estimate_cells(estimate: Estimate) -> tuple[str, ...]:
    """Numbers at full precision, the method and the reason for what is missing."""
    numbers = (estimate.value, estimate.low, estimate.high, estimate.level)
    return (*map(exact, numbers), estimate.method or "", plain_text(why_missing(estimate) or ""))
