"""CSV form: one row per model, group and measure, numbers at full precision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from thresher.evaluation import Evaluation
from thresher.report.build import build
from thresher.report.cells import csv_lines, estimate_cells
from thresher.report.document import Document, ModelPart
from thresher.report.further_forms import further_estimates
from thresher.results import Estimate

COLUMNS = ("model", "group", "measure", "value", "low", "high", "level", "method", "reason")


def evaluation_csv(evaluation: Evaluation) -> str:
    """Evaluation as tidy CSV; `group` is empty for all rows, `class=label` for a class against the rest, else
    `column=value`, folds after groups.
    """
    return document_csv(build(evaluation))


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
        yield from _of_model(model.name, group, {**model.measures, **further_estimates(model.further)})


def _class_rows(model: ModelPart) -> Iterator[tuple[str, ...]]:
    """Each class against the rest, under `class=label` in the column of the group."""
    for row in () if model.classes is None else model.classes.rows:
        yield from _of_model(model.name, f"class={row.name}", row.measures)


def _of_model(model: str, group: str, measures: Mapping[str, Estimate]) -> Iterator[tuple[str, ...]]:
    for name, e in measures.items():
        yield (model, group, name, *estimate_cells(e))
