"""Controls that put every threshold where a criterion wants it: costs, a prevalence, a measure; the script does it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from thresher._util.fast_dataclass import dataclass
from thresher.report.blocks import Block, Matrices, Matrix, Plots
from thresher.report.render.html import svg
from thresher.report.render.html.cards import operating_table
from thresher.report.render.html.markup import Markup, breakable, lone, scrolling, table, tag
from thresher.report.render.html.page_data import is_live

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
    "Cost ratio: a false positive's cost in false negatives. Costs, and what is found, missed or a false alarm in "
    "1,000 cases, are at the prevalence above, as all measures are; counts stay those of the rows. A threshold "
    "chosen on these rows looks better here than it will elsewhere."
)


VIEWS = (
    ("roc", "ROC"),
    ("pr", "Precision–recall"),
    ("low", "Low rates"),
    ("scores", "Scores"),
    ("gain", "Gain"),
    ("lift", "Lift"),
    ("cost", "Costs"),
    ("decision", "Net benefit"),
)
"""Pictures of the explorer, of which costs and net benefit are there when Python drew them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explorer:
    """Curves, costs and decisions of the models on one screen."""

    curves: Plots
    decisions: Matrices
    costs: Plots | None = None
    key: str = "decisions"
    title: str = "Explore"


def merged(blocks: Sequence[Block]) -> list[Block | Explorer]:
    """Curves, costs and decisions as one explorer, where there is something to explore."""
    drawn = {each.key: each for each in blocks if isinstance(each, Plots)}
    curves, costs = drawn.get("curves"), drawn.get("all-costs")
    decided = next((each for each in blocks if isinstance(each, Matrices)), None)
    if curves is None or decided is None or not explored_of(decided):
        return list(blocks)
    found = Explorer(curves=curves, decisions=decided, costs=costs)
    return [found if each is decided else each for each in blocks if each is not curves and each is not costs]


def explored_of(shown: Matrices) -> list[Matrix]:
    """Models with a threshold to move and rows of both classes."""
    return [each for each in shown.matrices if is_live(each.part) and each.part.decisions]


def controls(section: Matrices) -> Markup:
    """What the costs, the prevalence and the thresholds are set by; waits for the script."""
    options = (
        tag("option", text, value=value, selected=section.has_costs and value == "cost") for value, text in CRITERIA
    )
    fields = tag(
        "fieldset",
        tag("legend", "Costs, prevalence and thresholds"),
        _labelled("Choose by", tag("select", *options, data_explore="criterion")),
        _number("Cost of a false positive", "fp", section.costs[0]),
        _number("of a false negative", "fn", section.costs[1]),
        _number("Prevalence", "prevalence", section.prevalence, most=1),
        _slider("Costs, false negative : positive", "times"),
        _slider("Prevalence", "share"),
    )
    said = tag("p", "", class_="said", role="status", data_explore="said")
    return tag("div", fields, said, class_="explore", hidden=True, data_live=True)


def beside(section: Matrices) -> Markup:
    """All models at their thresholds, with what each costs there."""
    head = tag("tr", tag("th", "Model", scope="col"), *(tag("th", t, scope="col", class_="num") for _, t in COLUMNS))
    rows = [
        tag(
            "tr",
            tag("th", svg.swatch(d.model), breakable(d.part.name), scope="row"),
            *(tag("td", "", class_="num", data_explored=key) for key, _ in COLUMNS),
            id=f"explore-{d.model}",
        )
        for d in explored_of(section)
    ]
    found = table(head, rows, caption="What every model's threshold costs", class_="data explored")
    costs = tag(
        "div", scrolling(found, "Expected costs"), tag("p", NOTE, class_="remarks"), hidden=True, data_live=True
    )
    return tag("details", tag("summary", tag("h3", "All models side by side")), operating_table(section), costs)


def calls() -> Markup:
    """The same as a command and in Python, and the thresholds as a file."""
    rows = (
        tag("p", tag("button", f"Copy {text}", type="button", data_copy=key), tag("code", "", data_call=key))
        for key, text in (("command", "command"), ("python", "Python"))
    )
    save = tag("p", tag("button", "Download the thresholds as CSV", type="button", data_csv=True))
    return tag("div", *rows, save, class_="calls", hidden=True, data_live=True)


def picker(section: Matrices) -> Markup:
    """Buttons that say which model is looked at."""
    buttons = (
        tag("button", svg.swatch(d.model), d.part.name, type="button", id=f"pick-{d.model}", aria_pressed="false")
        for d in explored_of(section)
    )
    tabs = tag("div", *buttons, class_="tabs", role="group", aria_label="Model")
    return tag("div", tabs, _beside(section), class_="picker", hidden=True, data_live=True)


def _beside(section: Matrices) -> Markup | None:
    """Which other model is laid beside the one looked at; None where there is none."""
    others = explored_of(section)
    if len(others) < 2:
        return None
    options = (tag("option", d.part.name, value=d.model) for d in others)
    select = tag("select", tag("option", "no other", value=""), *options, data_with=True)
    return tag("label", tag("span", "Compare with"), select)


def views(keys: Collection[str]) -> Markup:
    """Buttons that say which picture is looked at."""
    buttons = (
        tag("button", title, type="button", data_view=key, aria_pressed="false") for key, title in VIEWS if key in keys
    )
    return tag("div", *buttons, class_="tabs views-of", role="group", aria_label="Picture", hidden=True, data_live=True)


def drawn() -> Markup:
    """Place of the pictures that the script draws."""
    inside = svg.picture("view-drawn", "Picture", "What the chosen model does at its threshold.", tag("g", ""))
    return tag("figure", inside, data_shown="drawn", hidden=True, data_live=True)


def _slider(text: str, name: str) -> Markup:
    control = lone("input", type="range", min=0, max=1000, step=1, value=500, data_explore=name)
    return tag("label", tag("span", text), control, class_="wide")


def _labelled(text: str, control: Markup) -> Markup:
    return tag("label", tag("span", text), control)


def _number(text: str, name: str, value: float, most: int | None = None) -> Markup:
    field = lone("input", type="number", min=0, max=most, step="any", value=f"{value:.6g}", data_explore=name)
    return _labelled(text, field)
