"""An assessment in the forms that the command writes: text, JSON, CSV, Markdown, and a report of its predictions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.json_text import to_json
from thresher._util.jsonable import all_finite
from thresher.cli.flags import as_flags
from thresher.cli.streams import terminal_width
from thresher.errors import note_forms

if TYPE_CHECKING:
    from thresher.cli.assess_data import Prepared
    from thresher.inference.comparing.comparison import Comparison
    from thresher.resampling import Assessment, Series
    from thresher.results import Estimate

HEADER = (
    "model", "measure", "value", "low", "high", "standard_error", "level", "method", "reason", "against", "at",
    "p_value", "adjusted_p_value",
)  # fmt: skip
"""Columns of CSV: `against` and `at` name the series of a value, and its place on it; a difference of two models is
against "difference" and has p values. They are empty for the estimates."""


@dataclass(frozen=True)
class Result:
    """Everything to show: the assessment, its data, the estimators' texts, comparisons, curves."""

    found: Assessment
    prepared: Prepared
    texts: dict[str, str]
    compared: tuple[Comparison, ...]
    curves: tuple[Series, ...] = ()


def rendered(result: Result, form: str, *, width: int | None) -> str:
    """Render the result in one of the forms; without a threshold option, so that a page names none."""
    if form in DATA:
        return DATA[form](result)
    from thresher.report.render.results import assessment_form

    texts = [f"{name} = {text}" for name, text in result.texts.items()]
    return assessment_form(
        result.found, result.compared, result.curves, form=form, width=width or terminal_width(), words=as_flags,
        texts=texts, said=result.prepared.said,
    )  # fmt: skip


def _json(result: Result) -> str:
    from thresher.report.render.results import assessment_dict

    prepared, document = result.prepared, assessment_dict(result.found, result.compared, result.curves)
    document["data"] = {
        "features": list(prepared.columns),
        "encoded": prepared.encoded,
        "dropped": prepared.dropped,
        "notes": note_forms(prepared.said),
    }
    for name, text in result.texts.items():
        if name in document["models"]:
            document["models"][name]["estimator"] = text
    return to_json(all_finite(document))


def _rows(result: Result) -> list[tuple[Any, ...]]:
    found = result.found.estimates()
    pairs = [(name, measure, e) for name, parts in found.items() for measure, e in parts.items()]
    rows: list[tuple[Any, ...]] = [(name, *_fields(measure, e), *[None] * 4) for name, measure, e in pairs]
    for series in result.curves:
        for line in series.lines:
            points = zip(series.x.tolist(), line.estimates, strict=True)
            rows += [(line.model, *_fields(line.measure, e), series.title, x, None, None) for x, e in points]
    return rows + [_difference(one) for one in result.compared]


def _difference(one: Comparison) -> tuple[Any, ...]:
    """Row of a comparison: first minus second, missing values left empty."""
    numbers = (one.difference, one.low, one.high, one.standard_error, one.level)
    p_values = (one.p_value, one.adjusted_p_value)
    known = [None if value is None or math.isnan(value) else value for value in (*numbers, *p_values)]
    return (
        " − ".join(one.models), one.measure, *known[:5], one.method, one.reason, "difference", None, *known[5:],
    )  # fmt: skip


def _fields(measure: str, e: Estimate) -> tuple[Any, ...]:
    value = e.value if e.is_defined else None
    return measure, value, e.low, e.high, e.standard_error, e.level, e.method, e.reason


def _csv(result: Result) -> str:
    from thresher._util.csv_text import csv_lines

    return csv_lines([HEADER, *_rows(result)])


DATA = {"json": _json, "csv": _csv}
"""Forms of the numbers alone."""
