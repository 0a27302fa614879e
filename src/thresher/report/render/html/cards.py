"""One card a model: its confusion matrix, its measures and its slider."""

from __future__ import annotations

import math
from bisect import bisect
from dataclasses import replace

from thresher._util.json_values import plain_text
from thresher.counts import ConfusionMatrix
from thresher.measures import find
from thresher.report.blocks import Matrices, Matrix
from thresher.report.numbers import UNDEFINED, count, cut, heading_of, limits, number, recognized, sentence, value_text
from thresher.report.render.grid import remarks
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, breakable, heads, lone, scrolling, signed, table, tag
from thresher.report.render.html.page_data import is_live, points_in, start, stops
from thresher.results import Estimate

CELLS = (("tp", "fn"), ("fp", "tn"))
SHADES = 5
BESIDE = 5
"""Most classes for measures next to the matrix."""

WRONG = (0.02, 0.05, 0.1, 0.2)
"""Shares of a true class at which wrong cells among several classes get darker."""

MOST_CLASSES = 30
"""A larger matrix cannot be taken in, and would make a page of megabytes."""

DRAWN = 12
"""Classes above which the matrix is a heat map, with its counts folded."""


def cards(section: Matrices, *, explored: bool = False) -> Markup:
    """Cards of all models; `explored` when they are part of the explorer."""
    return tag("div", *(_card(decision, section, explored) for decision in section.matrices), class_="cards")


def _card(decision: Matrix, section: Matrices, explored: bool) -> Markup:
    """Card of one model; without the script it shows the model's own threshold, if it has one."""
    part, name = decision.part, f"model-{decision.model}-name"
    live, per = is_live(part), tag("p", "", class_="remarks", data_per_said=True) if explored else None
    heading = tag("h3", svg.swatch(decision.model), breakable(part.name), id=name)
    if part.matrix is None:
        missing = tag("p", sentence(part.threshold_reason), class_="rule", data_static=live)
        content = [missing, *_waiting(decision, section)]
    else:
        content = [_rule(decision, section), _body(part.matrix, decision, section, live)]
    if live and decision.note:
        content.append(tag("p", decision.note, class_="remarks", hidden=True, data_moved=True))
    look = f"card k{decision.model % svg.COLORS}"
    return tag(
        "article",
        heading,
        dial(decision, explored=explored),
        *content,
        per if live else None,
        class_=look,
        id=f"model-{decision.model}",
        aria_labelledby=name,
    )


def _body(matrix: ConfusionMatrix, decision: Matrix, section: Matrices, live: bool) -> Markup:
    each = (_measure(name, found, section.decimals, live) for name, found in decision.measures.items())
    shown, listed = matrix_table(matrix, live=live), tag("dl", *each, class_="measures")
    if not DRAWN < len(matrix.labels) <= MOST_CLASSES:
        return tag("div", shown, listed, class_="sides" if len(matrix.labels) <= BESIDE else "sides below")
    counts = tag("details", tag("summary", tag("h4", "Counts")), shown)
    return tag("div", _heat_map(matrix, f"heat-{decision.model}"), listed, counts, class_="sides mapped")


def _rule(decision: Matrix, section: Matrices) -> Markup:
    """Return the decision rule, with the threshold that the script updates."""
    part = decision.part
    if part.decided == "labels":
        return tag("p", sentence(part.threshold_reason), class_="rule")
    cutting = tag("b", signed(cut(part.shown_threshold)), data_cut=True)
    return tag("p", _when(decision, section), cutting, class_="rule")


def _when(decision: Matrix, section: Matrices) -> str:
    return f"“{section.labels[0]}” when the score is {'≤' if decision.part.direction == 'lower' else '≥'} "


def _waiting(decision: Matrix, section: Matrices) -> tuple[Markup, ...]:
    """Matrix and measures where the slider starts, out of sight until the script shows them."""
    points = decision.part.points
    if points is None:
        return ()
    matrix = points.table.row(start(decision), labels=(section.labels[0], section.labels[1]))
    measures = {name: Estimate(name=name, value=float(find(name)(matrix))) for name in decision.measures}
    rule = tag("p", _when(decision, section), tag("b", "", data_cut=True), class_="rule")
    shown = _body(matrix, replace(decision, measures=measures), section, True)
    return (tag("div", rule, shown, hidden=True, data_live=True),)


def matrix_table(matrix: ConfusionMatrix, *, live: bool = False) -> Markup:
    """Confusion matrix with totals and the share of every class that is recognized."""
    if len(matrix.labels) > MOST_CLASSES:
        return tag("p", f"A matrix of {len(matrix.labels):,} classes is not shown here; the JSON form has it.")
    names = [plain_text(label) for label in matrix.labels]
    across = tag("th", "Predicted", class_="of", colspan=len(names), scope="colgroup")
    ends = (tag("th", text, rowspan=2, scope="col") for text in ("Total", "Correct"))
    first = tag("tr", tag("th", "Truth", rowspan=2, scope="col"), across, *ends)
    rows = [_row(i, name, matrix, live) for i, name in enumerate(names)]
    text = " ".join(remarks(matrix))
    found = table(
        (first, heads(map(breakable, names))), [*rows, _totals(matrix, live)],
        caption=text or "Confusion matrix", is_captioned=bool(text), class_="matrix",
    )  # fmt: skip
    return scrolling(found, "Confusion matrix")


SIDE, EDGE, LONGEST = 600, 84, 10
"""Sides of the heat map, room for the names of the classes in them, and their longest."""


def _heat_map(matrix: ConfusionMatrix, key: str) -> Markup:
    """Matrix of many classes as shades: right on the diagonal, wrong elsewhere, an error of one row in sight."""
    names = [plain_text(label) for label in matrix.labels]
    step, counts = (SIDE - EDGE) / len(names), matrix.counts
    squares = [
        tag("rect", tag("title", f"{names[i]} as {names[j]}: {count(counts[i, j])}"), class_=_look(matrix, i, j),
            x=svg.short(EDGE + step * j), y=svg.short(step * i), width=svg.short(step), height=svg.short(step))
        for i in range(len(names)) for j in range(len(names)) if counts[i, j]
    ]  # fmt: skip
    short = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    ends = [svg.short(step * (i + 0.7)) for i in range(len(names))]
    rows = [tag("text", text, x=EDGE - 5, y=y, text_anchor="end") for text, y in zip(short, ends, strict=True)]
    columns = [
        tag("text", text, transform=f"translate({svg.short(EDGE + step * (j + 0.7))} {SIDE - EDGE + 6}) rotate(-90)",
            text_anchor="end")
        for j, text in enumerate(short)
    ]  # fmt: skip
    described = f"Rows are the true class, columns the predicted one. Accuracy {number(float(matrix.accuracy))}."
    return svg.picture(key, "Confusion matrix", described, *squares, *rows, *columns, class_="chart heatmap",
                       size=(SIDE, SIDE))  # fmt: skip


def _row(i: int, name: str, matrix: ConfusionMatrix, live: bool) -> Markup:
    total = matrix.row_totals[i]
    values = matrix.counts[i].tolist()
    cells = [
        tag("td", _count(value, CELLS[i][j] if live else None),
            tag("span", "", class_="per", data_per=CELLS[i][j]) if live else None, class_=_look(matrix, i, j))
        for j, value in enumerate(values)
    ]  # fmt: skip
    rate = ("true_positive_rate", "true_negative_rate")[i] if live else None
    return tag(
        "tr",
        tag("th", breakable(name), scope="row"),
        *cells,
        tag("td", _count(total, ("pos", "neg")[i] if live else None), class_="total"),
        tag("td", recognized(_share(values[i], total)), data_share=rate),
    )


def _totals(matrix: ConfusionMatrix, live: bool) -> Markup:
    names = ("pred_pos", "pred_neg") if live else (None,) * len(matrix.labels)
    columns = zip(matrix.column_totals.tolist(), names, strict=True)
    rows = matrix.counts.sum()
    return tag(
        "tr",
        tag("th", "Total", scope="row", class_="total"),
        *(tag("td", _count(value, name), class_="total") for value, name in columns),
        tag("td", _count(rows, "n" if live else None), class_="total"),
        tag("td", recognized(float(matrix.accuracy)), class_="total", data_share="accuracy" if live else None),
    )


def _look(matrix: ConfusionMatrix, i: int, j: int) -> str:
    """Classes of a cell; among many classes a small share of wrong rows is already many, and none is left blank."""
    value, total = float(matrix.counts[i, j]), float(matrix.row_totals[i])
    if i == j or len(matrix.labels) == 2:
        shade = min(SHADES - 1, math.floor(_share(value, total) * SHADES)) if total else 0
        return f"cell {'right' if i == j else 'wrong'} h{shade}"
    return "cell" if not value else f"cell wrong h{bisect(WRONG, value / total)}"


def _measure(name: str, found: Estimate, digits: int, live: bool) -> Markup:
    missing = math.isnan(found.value)
    shown = tag(
        "data",
        UNDEFINED if missing else signed(value_text(found, digits)),
        value=repr(found.value),
        class_="none" if missing else None,
        title=found.reason if missing else None,
        data_measure=name if live else None,
    )
    interval = limits(found, digits)
    below = tag("span", signed(interval or ""), class_="ci") if interval or live else None
    return tag("div", tag("dt", heading_of(name)), tag("dd", shown, below))


def _count(value: float, name: str | None) -> Markup:
    """Return a count that the script can replace, with the exact value as data."""
    exact = str(int(value)) if float(value).is_integer() else repr(float(value))
    return tag("data", count(value), value=exact, data_cell=name)


def _share(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else math.nan


FIELDS = (
    ("threshold", "Threshold"),
    ("recall", "Recall"),
    ("fpr", "False positive rate"),
    ("top", "Called positive, %"),
)
"""Quantities that set a threshold, with titles."""


def dial(decision: Matrix, *, explored: bool = False) -> Markup | None:
    """Slider that waits for the script; fields and a way to the cheapest threshold only where there is an explorer."""
    if not is_live(decision.part):
        return None
    points, name, places = points_in(decision.part), decision.part.name, stops(decision)
    slider = lone(
        "input", type="range", aria_label=f"Threshold of {name}", min=0, max=len(places) - 1, step=1,
        value=places.index(start(decision)), class_="slide",
    )  # fmt: skip
    fields = (
        tag("label", tag("span", title),
            lone("input", type="number", step="any", data_by=key, aria_label=f"{title}, {name}"))
        for key, title in (FIELDS if explored else ())
    )  # fmt: skip
    cheapest = _button("Cheapest", f"Cheapest thresholds, {name}", data_cheapest=True) if explored else None
    reset = None
    if points.chosen is not None:
        reset = _button("Reset", f"Reset the threshold of {name}", data_reset=True)
    return tag("div", slider, tag("div", *fields, cheapest, reset, class_="fields"), class_="dial", hidden=True,
               data_live=True)  # fmt: skip


def _button(text: str, label: str, **marks: bool) -> Markup:
    return tag("button", text, type="button", aria_label=label, **marks)
