"""Single values as `print` and a notebook show them: subgroups, curves, an estimate, trivial baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.measures.shown import OF_RULES
from thresher.plain import plain_text
from thresher.report.numbers import UNDEFINED, level, limits, number, p_text
from thresher.report.render.html.markup import Markup, joined, signed, tag
from thresher.report.render.html.tables import text_table
from thresher.report.render.text import cell_text, columns_of, table_text
from thresher.report.sections.group_values import groups_table
from thresher.report.sections.own_curves import POINTS, plot_of
from thresher.report.titles import heading_of
from thresher.visible import visible_lines

if TYPE_CHECKING:
    from thresher.analysis.subgroups import Subgroups
    from thresher.curves.curve import Curve
    from thresher.measures.baselines import Baselines
    from thresher.results import Estimate


def groups_text(groups: Subgroups[Any]) -> str:
    """A few measures of each group, and in what it differs from the rest."""
    columns = columns_of(None)
    return visible_lines(table_text(groups_table(groups), columns))


def groups_html(groups: Subgroups[Any]) -> str:
    """The same for a notebook."""
    shown = groups_table(groups)
    rows = [[cell_text(cell) for cell in row] for row in shown.rows]
    said = tag("ul", *(tag("li", signed(each)) for each in shown.remarks)) if shown.remarks else None
    table = text_table(shown.columns, rows, caption=shown.title, class_="thresher-groups")
    return tag("div", joined(table, said), style="overflow-x:auto")


def curve_html(curve: Curve) -> str:
    """Curve with its axes, what to compare it with, and its area."""
    from thresher.report.render.html.fragment import styled
    from thresher.report.render.html.plots import drawing

    shown = plot_of(curve.name, {(0, curve.title): curve.thin(POINTS)}, f"{curve.title}.")
    said = None if curve.summary is None else tag("span", f"{heading_of(curve.summary.name)} {_worth(curve.summary)}")
    return styled(tag("div", tag("b", shown.title), drawing(shown), said, class_="side"))


def estimate_html(found: Estimate) -> Markup:
    """Name, value, interval and method on one line."""
    how = "" if found.low is None or found.level is None else f" {level(found.level)} {found.method}"
    why = "" if found.is_defined or not found.reason else f" {found.reason}"
    small = tag("small", how or why) if how or why else None
    return tag("p", f"{heading_of(found.name)} ", tag("b", signed(_worth(found))), small)


def _worth(found: Estimate) -> str:
    """Value with its interval."""
    if not found.is_defined:
        return UNDEFINED
    return " ".join(filter(None, (number(found.value), limits(found))))


def baselines_text(found: Baselines) -> str:
    """What always predicting the same class reaches, and whether the accuracy is above it."""
    label, rate = plain_text(found.most_frequent), number(found.no_information_rate)
    lines = [f"No-information rate {rate}: the accuracy of always predicting “{label}”."]
    if found.accuracy is not None:
        test = f"one-sided exact binomial test, {p_text(found.p_value)}" if found.p_value is not None else found.reason
        lines.append(f"Accuracy {number(found.accuracy)} ({test}).")
    for name, values in (
        ("negative", found.always_negative),
        ("positive", found.always_positive),
        ("at random", found.random),
    ):
        if values is not None:
            shown = ", ".join(f"{heading_of(each)} {number(values[each])}" for each in OF_RULES)
            lines.append(f"{'Positive at random' if name == 'at random' else f'Always {name}'}: {shown}.")
    return "\n".join(lines)
