"""An assessment in the forms that the command writes: text, JSON, CSV, Markdown, and a report of its predictions."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thresher.cli.compare import comparisons_text

if TYPE_CHECKING:
    from thresher.cli.assess_data import Prepared
    from thresher.inference.compare import Comparison
    from thresher.resampling import Assessment
    from thresher.results import Estimate

SCHEMA = 1

WIDTH = 100
"""Columns when there is no terminal to ask."""

HEADER = ("model", "measure", "value", "low", "high", "standard_error", "level", "method", "reason")


@dataclass(frozen=True)
class Result:
    """What there is to show: the assessment, the data it rests on, the estimators' texts, and comparisons."""

    found: Assessment
    prepared: Prepared
    texts: dict[str, str]
    compared: tuple[Comparison, ...]


def rendered(result: Result, form: str, *, width: int | None) -> str:
    """Result in one of the forms."""
    if form == "html":
        from thresher.report.files import render

        return render(result.found.evaluation, "html", title=f"Held-out predictions, {result.found.method.summary}")
    return {"text": _text, "json": _json, "csv": _csv, "markdown": _markdown}[form](result, width)


def _text(result: Result, width: int | None) -> str:
    """Table of the estimates, then comparisons, then what must be known."""
    from thresher.report.textgrid import wrapped

    width = width or max(60, shutil.get_terminal_size((WIDTH, 24)).columns)
    blocks = [_wrapped_lines(str(result.found), width)]
    if result.compared:
        blocks.append(comparisons_text(list(result.compared), width))
    models = [line for name, text in result.texts.items() for line in wrapped(f"{name} = {text}", width)]
    return "\n\n".join([*blocks, "\n".join(models)])


def _wrapped_lines(text: str, width: int) -> str:
    """Sentences broken to the width; lines of the table, which hold runs of blanks, stay as they are."""
    from thresher.report.textgrid import wrapped

    lines: list[str] = []
    for line in text.splitlines():
        lines += [line] if len(line) <= width or "  " in line.strip() else wrapped(line, width)
    return "\n".join(lines)


def _json(result: Result, _width: int | None) -> str:
    prepared = result.prepared
    document: dict[str, Any] = {"schema": SCHEMA, "kind": "assessment"}
    document |= result.found.to_dict()
    document["data"] = {
        "features": list(prepared.columns),
        "encoded": prepared.encoded,
        "dropped": prepared.dropped,
        "notes": list(prepared.said),
    }
    for name, text in result.texts.items():
        if name in document["models"]:
            document["models"][name]["estimator"] = text
    document["comparisons"] = [_finite(one.to_dict()) for one in result.compared]
    return json.dumps(_finite(document), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _finite(value: Any) -> Any:
    """The same with infinite numbers as text and NaN as null, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{value:+g}"
    return value


def _rows(result: Result) -> list[tuple[Any, ...]]:
    found = result.found.estimates()
    return [(model, *_fields(measure, e)) for model, parts in found.items() for measure, e in parts.items()]


def _fields(measure: str, e: Estimate) -> tuple[Any, ...]:
    value = e.value if e.is_defined else None
    return measure, value, e.low, e.high, e.standard_error, e.level, e.method, e.reason


def _csv(result: Result, _width: int | None) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([["" if cell is None else cell for cell in row] for row in _rows(result)])
    return out.getvalue()


def _markdown(result: Result, _width: int | None) -> str:
    from thresher.report.numbers import limits, number
    from thresher.report.textgrid import visible

    found = result.found.estimates()
    head = ["measure", *found]
    rows = []
    for measure in result.found.measures:
        cells = [parts[measure] for parts in found.values()]
        rows.append([measure.replace("_", " "), *(f"{number(e.value)} {limits(e) or ''}".strip() for e in cells)])
    table = [head, ["---"] * len(head), *rows]
    lines = [f"| {' | '.join(visible(cell).replace('|', '&#124;') for cell in row)} |" for row in table]
    methods = dict.fromkeys(e.method for parts in found.values() for e in parts.values() if e.method)
    notes = [f"{result.found.n:,} rows, {result.found.method.summary}; seed {result.found.rng}"]
    notes += [f"{100 * result.found.level:g}% intervals: {method}" for method in methods]
    notes += [f"{name}: `{text}`" for name, text in result.texts.items()]
    notes += [*(one.sentence for one in result.compared), *result.prepared.said, *result.found.notes]
    return "\n".join([*lines, "", *(f"- {visible(note)}" for note in notes)]) + "\n"
