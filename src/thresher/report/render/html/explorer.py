"""Controls that put every threshold where a criterion wants it: costs, a prevalence, a measure; the script does it."""

from __future__ import annotations

from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, breakable, lone, tag
from thresher.report.render.html.page_data import is_live
from thresher.report.render.html.tables import scrolling, table
from thresher.report.sections.kinds import Decisions

CRITERIA = (
    ("", "each model's own threshold"),
    ("cost", "least expected cost"),
    ("informedness", "highest Youden's J"),
    ("corner", "closest to the corner (0, 1)"),
    ("f1", "highest F1"),
    ("matthews_correlation", "highest Matthews correlation"),
    ("accuracy", "highest accuracy"),
    ("balanced_accuracy", "highest balanced accuracy"),
    ("cohen_kappa", "highest Cohen's kappa"),
)
"""Value of the choice, and what it is called."""

COLUMNS = (
    ("cost", "Expected cost"),
    ("over", "Above the least"),
    ("ratio", "Cheapest at a cost ratio of"),
    ("precision", "Precision at this prevalence"),
    ("found", "Found"),
    ("missed", "Missed"),
    ("false", "False alarms"),
)
"""What is shown of every model; the last three in a thousand cases."""

NOTE = (
    "Cost ratio: a false positive's cost in false negatives. Precision, and what is found, missed or a false alarm in "
    "1,000 cases, are at the prevalence above; counts and intervals below stay those of the rows. A threshold "
    "chosen on these rows looks better here than it will elsewhere."
)


def explorer(section: Decisions) -> Markup | None:
    """Controls and a table that wait for the script; None when no model has a threshold to move, or a class no rows."""
    models = [decision for decision in section.decisions if is_live(decision.part) and decision.part.decisions]
    if not models:
        return None
    options = (tag("option", text, value=value) for value, text in CRITERIA)
    fields = tag(
        "fieldset",
        tag("legend", "Choose thresholds"),
        _labelled("By", tag("select", *options, data_explore="criterion")),
        _number("Cost of a false positive", "fp", section.costs[0]),
        _number("Cost of a false negative", "fn", section.costs[1]),
        _number("Prevalence", "prevalence", section.prevalence, most=1),
    )
    head = tag("tr", tag("th", "Model", scope="col"), *(tag("th", t, scope="col", class_="num") for _, t in COLUMNS))
    rows = [
        tag(
            "tr",
            tag("th", svg.swatch(d.model), breakable(d.part.name), scope="row"),
            *(tag("td", "", class_="num", data_explored=key) for key, _ in COLUMNS),
            id=f"explore-{d.model}",
        )
        for d in models
    ]
    found = table(head, rows, caption="What every model's threshold costs", class_="data explored")
    said = tag("p", "", class_="said", role="status", data_explore="said")
    note = tag("p", NOTE, class_="remarks")
    shown = scrolling(found, "Expected costs")
    return tag("div", fields, said, shown, note, class_="explore", hidden=True, data_live=True)


def _labelled(text: str, control: Markup) -> Markup:
    return tag("label", tag("span", text), control)


def _number(text: str, name: str, value: float, most: int | None = None) -> Markup:
    field = lone("input", type="number", min=0, max=most, step="any", value=f"{value:.6g}", data_explore=name)
    return _labelled(text, field)
