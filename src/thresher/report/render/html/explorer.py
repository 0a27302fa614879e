"""Threshold explorer: curves, inputs for costs and prevalence, and any threshold; the script computes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher.report.blocks import Block, Matrices, Matrix, Plots
from thresher.report.render.html import svg
from thresher.report.render.html.cards import cards
from thresher.report.render.html.markup import Markup, breakable, bullets, lone, scrolling, signed, table, tag
from thresher.report.render.html.page_data import is_live
from thresher.report.render.html.plots import NAMED, curves_of, figure

CRITERIA = (
    ("", "each model's own threshold"),
    ("cost", "lowest cost"),
    ("informedness", "highest Youden's J"),
    ("corner", "closest to the corner (0, 1)"),
    ("f1", "highest F1"),
    ("matthews_correlation", "highest Matthews correlation"),
    ("accuracy", "highest accuracy"),
    ("balanced_accuracy", "highest balanced accuracy"),
)
"""Value of the choice, and its title."""

COLUMNS = (
    ("cut", "Cut at"),
    ("found", "Found"),
    ("missed", "Missed"),
    ("false", "False alarms"),
    ("precision", "Precision"),
    ("cost", "Cost"),
    ("saved", "Saved"),
)
"""Columns of the table of cheapest thresholds."""

NOTE = (
    " cases; the cost is in false alarms. Saved: compared with calling all cases “{0}” or none, whichever costs "
    "less.{1} Cuts were chosen on these rows: on new rows they {2}."
)

MARKS = "● threshold   ○ cheapest at these costs   – – line of equal cost   ⋯ convex hull"
"""Legend of the marks on the ROC."""

VIEWS = (
    ("roc", "ROC"),
    ("pr", "PR"),
    ("low", "Low rates"),
    ("scores", "Scores"),
    ("gain", "Gain"),
    ("lift", "Lift"),
    ("cost", "Costs"),
    ("decision", "Net benefit"),
)
"""Pictures of the explorer; costs and net benefit need drawings made by Python."""
SCRIPTED = frozenset(("scores", "gain", "lift"))
"""Pictures that the script draws."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explorer:
    """Curves, costs and decisions of the models on one screen, with the recommended threshold.

    `instead` replaces a recommendation that cannot be given; `is_open` unfolds the matrix of any threshold. `best` is
    the model that the verdict names, as a recommended other one has to be explained.
    """

    curves: Plots
    decisions: Matrices
    costs: Plots | None = None
    advice: tuple[str, ...] = ()
    instead: str = ""
    is_open: bool = False
    best: int = 0
    key: str = "decisions"
    title: str = "Where to cut?"


def merged(blocks: Sequence[Block], **said: Any) -> list[Block | Explorer]:
    """Merge curves, costs and decisions into one explorer, where possible; `said` is its other fields."""
    drawn = {each.key: each for each in blocks if isinstance(each, Plots)}
    curves, costs = drawn.get("curves"), drawn.get("all-costs")
    decided = next((each for each in blocks if isinstance(each, Matrices)), None)
    if curves is None or decided is None or not explored_of(decided):
        return list(blocks)
    found = Explorer(curves=curves, decisions=decided, costs=costs, **said)
    return [found if each is decided else each for each in blocks if each is not curves and each is not costs]


def explored_of(shown: Matrices) -> list[Matrix]:
    """Models with a threshold to move and rows of both classes."""
    return [each for each in shown.matrices if is_live(each.part) and each.part.decisions]


def explorer(shown: Explorer, name: str) -> Markup:
    """Pictures beside the recommended threshold and any other one; without the script all pictures are shown."""
    drawn_by_python = [*shown.curves.plots, *([] if shown.costs is None else shown.costs.plots)]
    inside = svg.picture("view-drawn", "Picture", "What the chosen model does at its threshold.", tag("g", ""))
    drawn_by_script = tag("figure", inside, data_shown="drawn", hidden=True, data_live=True)
    pictures = [*(figure(each, each.key) for each in drawn_by_python), drawn_by_script]
    keys = SCRIPTED | {each.key for each in drawn_by_python}
    marks = tag("p", MARKS, class_="remarks marks", hidden=True, data_live=True)
    seen = tag("div", _views(keys), tag("div", *pictures, class_="charts"), legend(shown.curves), marks, class_="views")
    heading = tag("h2", shown.title, id=name)
    advice = bullets(shown.advice, class_="advice")
    cut = tag("div", heading, advice, _recommended(shown.decisions, shown.instead, shown.best), _desk(shown))
    return tag("div", seen, cut, class_="stage")


def legend(shown: Plots) -> Markup:
    """Boxes that show and hide models everywhere."""
    models = {each.model or 0: each for plot in reversed(shown.plots) for each in curves_of(plot)}
    values = {model: f" {signed(each.value)}" if len(models) > NAMED else "" for model, each in models.items()}
    boxes = [
        tag("label", lone("input", type="checkbox", checked=True, hidden=True, data_toggle=model),
            svg.swatch(model), models[model].name, values[model])
        for model in sorted(models)
    ]  # fmt: skip
    return tag("fieldset", tag("legend", "Models shown", class_="vh"), *boxes, class_="legend")


def _recommended(section: Matrices, instead: str, best: int) -> Markup:
    """Inputs for costs and prevalence, the recommendation, and the cheapest threshold of every model."""
    positive = section.labels[0]
    fields = tag(
        "div",
        _input(f"A missed “{positive}” costs", "false alarms", "fn", section.ratio),
        _slider(f"Cost of a missed “{positive}”", "times"),
        _input(f"Share of “{positive}”", "% where it will be used", "prevalence", 100 * section.prevalence, most=100),
        _slider(f"Share of “{positive}”", "share"),
        class_="asked",
    )
    said = tag("p", "", class_="said", role="status", data_explore="said", data_instead=instead or None, data_best=best)
    titles = (tag("th", text, scope="col", class_="num") for _, text in COLUMNS)
    head = tag("tr", tag("th", "Model", scope="col"), *titles)
    rows = [
        tag("tr", tag("th", svg.swatch(d.model), breakable(d.part.name), scope="row"),
            *(tag("td", "", class_="num", data_explored=key, data_of=text) for key, text in COLUMNS),
            id=f"explore-{d.model}")
        for d in explored_of(section)
    ]  # fmt: skip
    found = table(head, rows, caption="The cheapest threshold of every model", class_="data explored stacked")
    reason = f" {section.ratio_reason}" if section.ratio_reason else ""
    saves = "may save nothing" if instead else "save a little less"
    per = tag("span", "", data_explore="per")
    note = tag("p", "In ", per, NOTE.format(positive, reason, saves), class_="remarks")
    return tag(
        "div", fields, said, scrolling(found, "Cheapest thresholds", is_tall=len(rows) > TALL), note, class_="explore",
        hidden=True, data_live=True,
    )  # fmt: skip


TALL = 8
"""Models above which their table scrolls."""


def _input(before: str, after: str, name: str, value: float, most: int | None = None) -> Markup:
    """Field that shows three digits of a value; the script has the exact one."""
    short = f"{value:.0f}" if value >= 100 else f"{value:.3g}"  # without an exponent, which such a field refuses
    field = lone("input", type="number", min=0, max=most, step="any", value=short, data_explore=name,
                 data_exact=f"{value:.6g}")  # fmt: skip
    return tag("label", tag("span", before), tag("span", field, tag("span", after), class_="unit"))


def _slider(text: str, name: str) -> Markup:
    return lone("input", type="range", min=0, max=1000, step=1, value=500, aria_label=text, data_explore=name)


def _desk(shown: Explorer) -> Markup:
    """Any threshold of any model: matrix, measures, a second model for comparison, and the Python call."""
    section = shown.decisions
    options = (
        tag("option", text, value=value, selected=section.has_costs and value == "cost") for value, text in CRITERIA
    )
    criterion = tag("label", tag("span", "Threshold"), tag("select", *options, data_explore="criterion"))
    lead = tag(
        "p", section.lead, tag("span", " Or drag a dot on the curve.", hidden=True, data_live=True), class_="lead"
    )
    costs = shown.costs
    lines = [
        *([f"The pictures of costs and net benefit: {costs.lead[0].lower()}{costs.lead[1:]}"] if costs else []),
        *section.remarks,
    ]
    same = (  # the same as a command and in Python
        tag("p", tag("button", f"Copy {text}", type="button", data_copy=key), tag("code", "", data_call=key))
        for key, text in (("command", "command"), ("python", "Python"))
    )
    save = tag("p", tag("button", "Download the thresholds as CSV", type="button", data_csv=True),
               tag("span", "", role="status", data_explore="copied"))  # fmt: skip
    return tag(
        "details",
        tag("summary", tag("h3", "Any threshold: matrix and measures")),
        lead,
        _picker(section, criterion),
        cards(section, explored=True),
        tag("p", "", class_="valid", hidden=True, data_live=True, data_valid=True),
        tag("div", *same, save, class_="calls", hidden=True, data_live=True),
        bullets(lines, class_="remarks"),
        class_="desk printed",
        open=shown.is_open,
    )


def _picker(section: Matrices, criterion: Markup) -> Markup:
    """Choice of the model, of a second one, and of the criterion for its threshold."""
    buttons = (
        tag("button", svg.swatch(d.model), d.part.name, type="button", id=f"pick-{d.model}",
            aria_pressed="false")
        for d in explored_of(section)
    )  # fmt: skip
    tabs, others = tag("div", *buttons, class_="tabs", role="group", aria_label="Model"), explored_of(section)
    options = (tag("option", d.part.name, value=d.model) for d in others)
    select = tag("select", tag("option", "no other", value=""), *options, data_with=True)
    beside = tag("label", tag("span", "Compare with"), select) if len(others) > 1 else None
    return tag("div", tabs, criterion, beside, class_="picker", hidden=True, data_live=True)


def _views(keys: Collection[str]) -> Markup:
    """Buttons that say which picture is looked at."""
    buttons = (
        tag("button", title, type="button", data_view=key, aria_pressed="false") for key, title in VIEWS if key in keys
    )
    return tag("div", *buttons, class_="tabs views-of", role="group", aria_label="Picture", hidden=True, data_live=True)
