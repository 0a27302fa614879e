"""Single values as `print` and a notebook show them: subgroups, curves, an estimate, trivial baselines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher.measures.shown import OF_RULES
from thresher.plain import plain_text
from thresher.report.numbers import estimated, level, number, p_text
from thresher.report.render.html.markup import Markup, bullets, signed, tag
from thresher.report.render.html.tables import text_table
from thresher.report.render.text import cells_of, columns_of, table_text
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
    return visible_lines(table_text(groups_table(groups), columns_of()))


def groups_html(groups: Subgroups[Any]) -> str:
    """The same for a notebook."""
    shown = groups_table(groups)
    table = text_table(shown.columns, cells_of(shown)[1], caption=shown.title, class_="thresher-groups")
    return tag("div", table, bullets(shown.remarks), style="overflow-x:auto")


def curve_html(curve: Curve) -> str:
    """Curve with its axes, what to compare it with, and its area."""
    from thresher.report.render.html.fragment import styled
    from thresher.report.render.html.plots import drawing

    shown = plot_of(curve.name, {(0, curve.title): curve.thin(POINTS)}, f"{curve.title}.")
    said = (
        None if curve.summary is None else tag("span", f"{heading_of(curve.summary.name)} {estimated(curve.summary)}")
    )
    return styled(tag("div", tag("b", shown.title), drawing(shown), said, class_="side"))


def estimate_html(found: Estimate) -> Markup:
    """Name, value, interval and method on one line."""
    how = "" if found.low is None or found.level is None else f" {level(found.level)} {found.method}"
    why = "" if found.is_defined or not found.reason else f" {found.reason}"
    small = tag("small", how or why) if how or why else None
    return tag("p", f"{heading_of(found.name)} ", tag("b", signed(estimated(found))), small)


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
