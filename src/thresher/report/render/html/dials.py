"""The dial of one model: the slider over its thresholds, and what it is set by and reads out."""

from __future__ import annotations

from thresher.report.render.html.markup import Markup, lone, tag
from thresher.report.render.html.page_data import is_live, points_in, start
from thresher.report.sections.kinds import Decision

FIELDS = (
    ("threshold", "Threshold"),
    ("recall", "Recall"),
    ("fpr", "False positive rate"),
    ("top", "Called positive, %"),
)
"""What a threshold can be set by, and what it is called."""


def dial(decision: Decision, *, explored: bool = False) -> Markup | None:
    """Slider that waits for the script; fields and a way to the cheapest threshold only where there is an explorer."""
    if not is_live(decision.part):
        return None
    points, name = points_in(decision.part), decision.part.name
    slider = lone(
        "input", type="range", aria_label=f"Threshold of {name}", min=0, max=len(points.table) - 1, step=1,
        value=start(decision), class_="slide",
    )  # fmt: skip
    fields = (_field(key, title, name) for key, title in FIELDS) if explored else ()
    cheapest = _button("Cheapest", f"Cheapest thresholds, {name}", data_cheapest=True) if explored else None
    reset = None
    if points.chosen is not None:
        reset = _button("Reset", f"Reset the threshold of {name}", data_reset=True)
    return tag("div", slider, tag("div", *fields, cheapest, reset, class_="fields"), class_="dial", hidden=True,
               data_live=True)  # fmt: skip


def _field(key: str, title: str, name: str) -> Markup:
    number = lone("input", type="number", step="any", data_by=key, aria_label=f"{title}, {name}")
    return tag("label", tag("span", title), number)


def _button(text: str, label: str, **marks: bool) -> Markup:
    return tag("button", text, type="button", aria_label=label, **marks)
