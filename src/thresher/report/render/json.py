"""Data forms of a document. JSON is the contract of other tools, described by `schema.json` of `thresher.report`.

Undefined and infinite numbers are null beside a `reason`; keys have a fixed order, so that equal input gives equal
bytes. Keys may be added under schema 1; none is taken away or changes its meaning.

CSV has one row per model, group and measure, numbers at full precision; undefined is empty, with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import parse_json, to_json
from thresher._util.json_values import finite, plain_text, with_codes
from thresher._util.safe_text import csv_lines
from thresher.counts.saved import signed
from thresher.errors import Note, note_forms
from thresher.measures.shown import FOLDS, RATES
from thresher.report.blocks import Figures, Forest, Share, Table
from thresher.report.document import Document, ModelPart, SubsetPart
from thresher.report.render import json_parts as parts
from thresher.report.sections.order import IN_JSON, named_blocks
from thresher.report.sections.subsets import spread_in
from thresher.report.sections.verdict import findings_of
from thresher.results import Estimate, why_missing

if TYPE_CHECKING:
    from thresher.analysis.roc_findings import OptionalFindings
    from thresher.report.document import Document


SCHEMA = 1


def document_json(document: Document, *, indent: int | None = 2) -> str:
    """Document as JSON text, ending in a newline unless it is one line."""
    return to_json(document_dict(document), indent=indent)


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) that every result conforms to."""
    text = resources.files("thresher.report").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = parse_json(text)
    return loaded


def document_dict(document: Document) -> dict[str, Any]:
    """Document as JSON types, keys in the order of the contract, and their checksum."""
    models = _models(document.models)
    for place, model in enumerate(document.models if document.folds else ()):
        spreads = {name: spread_in(document, place, model, name) for name in FOLDS if name in model.measures}
        models[model.name]["fold_spread"] = {name: parts.spread_dict(each) for name, each in spreads.items()}
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "positive": document.positive,
        "n": document.n,
        **({"rows": document.rows} if document.repeats else {}),
        "models": models,
        "groups": {part.key: _subset(part) for part in document.groups},
        "folds": {part.key: _subset(part) for part in document.folds},
        "notes": note_forms(document.notes),
        "comparisons": [item.to_dict() for item in document.comparisons],
        "dominance": [parts.dominance_dict(item) for item in document.dominances],
        "label": document.label,
        "class_counts": dict(document.class_counts),
        **parts.fields_of(document, "class_weights", "weight_kind", "direction", "dropped", "level", "seed", "source"),
        "thresher": document.version,
        "findings": [found.to_dict() for found in findings_of(document)],
        "warnings": [{key: plain_text(text) for key, text in each.to_dict().items()} for each in document.warnings],
    }
    if document.gaps:
        found["gaps"] = [gap.to_dict() for gap in document.gaps]
    if document.over_groups:
        found["over_groups"] = [{"model": plain_text(model), **each.to_dict()} for model, each in document.over_groups]
    if sections := _sections(document):
        found["sections"] = sections
    return signed(found)


def _sections(document: Document) -> dict[str, Any]:
    """Return the blocks of sections without own keys, by name; several blocks as a list."""
    found: dict[str, list[Any]] = {}
    for name, block in named_blocks(document, without=IN_JSON):
        found.setdefault(name, []).append(parts.as_json(block))
    return {name: blocks[0] if len(blocks) == 1 else blocks for name, blocks in found.items()}


def _models(models: Iterable[ModelPart]) -> dict[str, Any]:
    return {model.name: model_dict(model) for model in models}


def model_dict(model: ModelPart) -> dict[str, Any]:
    """One model as JSON types."""
    return {
        "measures": parts.as_json(model.measures),
        "threshold": finite(model.threshold),
        **with_codes({"threshold_reason": _threshold_reason(model)}),
        "confusion_matrix": parts.as_json(model.matrix),
        "baselines": None if model.baselines is None else parts.baselines_dict(model.baselines),
        "task": model.task,
        "direction": model.direction,
        **({} if model.classes is None else {"classes": parts.classes_dict(model.classes)}),
        **({} if model.calibration is None else {"calibration": parts.calibration_dict(model.calibration)}),
        **({} if model.decisions is None else {"chosen": parts.decisions_dict(model.decisions)}),
        **({} if model.costed is None else {"decided_by_costs": parts.costed_dict(model.costed)}),
        **({"at_prevalences": parts.as_json(model.elsewhere)} if model.elsewhere else {}),
        **parts.optional_dict(model.optional),
    }


def _subset(part: SubsetPart) -> dict[str, Any]:
    return {
        "by": dict(part.by),
        "n": part.n,
        "models": _models(part.models),
        "class_counts": dict(part.class_counts),
        "notes": note_forms(part.notes),
    }


def _threshold_reason(model: ModelPart) -> Note:
    if model.threshold is not None and math.isinf(model.threshold):
        return model.threshold_reason + f": infinite ({'+' if model.threshold > 0 else '−'}∞)"
    return model.threshold_reason


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
