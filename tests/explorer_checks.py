"""What the explorer of a page is held to: what it says of every model, against Python."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from thresher.decisions import expected_cost, valid_range
from thresher.report.numbers import brief, number
from thresher.report.sections.decisions import span_text

READ = """() => [...document.querySelectorAll('.explored tbody tr')].map(row => ({
  index: Number(row.id.split('-')[1]),
  at: thresherPage.data.models.find(each => String(each.index) === row.id.split('-')[1]).place,
  shown: Object.fromEntries([...row.querySelectorAll('[data-explored]')].map(n => [n.dataset.explored, n.textContent])),
  line: (n => n && !n.classList.contains('gone') ? ['x1', 'y1', 'x2', 'y2'].map(k => Number(n.getAttribute(k))) : null)(
    document.querySelector(`#plot-roc .iso[data-model="${row.id.split('-')[1]}"]`)),
}))"""
NUMBER = r"[\d.]+(?:e[+-]?\d+)?"


def explore(
    page: Any, by: str, fp: float | None = None, fn: float | None = None, prevalence: float | None = None
) -> Any:
    """Fill in what is given, choose by a criterion, and read what is shown."""
    for name, value in (("fp", fp), ("fn", fn), ("prevalence", prevalence)):
        if value is not None:
            page.fill(f'[data-explore="{name}"]', f"{value!r}")
    page.select_option('[data-explore="criterion"]', by)
    return page.evaluate(READ)


def ratio(ends: tuple[float, float] | None) -> str:
    """Range of cost ratios as both say it."""
    return "none" if ends is None else span_text(*ends)


def near(text: str, expected: str) -> bool:
    """Whether two texts of numbers are the same up to the last digit shown."""
    if text == expected:
        return True
    a, b = ([float(x) for x in re.findall(NUMBER, each)] for each in (text, expected))
    same = re.sub(NUMBER, "#", text) == re.sub(NUMBER, "#", expected)
    return same and bool(a == pytest.approx(b, rel=2e-2, abs=1e-4))


def check_row(found: Any, part: Any, table: Any, costs: Any, prevalence: float) -> None:
    """What the page says of one model at one threshold, against Python."""
    scaled, i = table.with_prevalence(prevalence), found["at"]
    spent = expected_cost(scaled, costs)
    cells = scaled.cells
    assert near(found["shown"]["cost"], number(float(spent[i])))
    over = float(spent[i] - spent.min())
    assert near(found["shown"]["over"], number(over) if over > 1e-12 * spent.max() else "0")
    matrix = scaled.row(i)
    assert near(found["shown"]["precision"], number(float(matrix.precision)))
    for name, cell in (("found", cells.tp), ("missed", cells.fn), ("false", cells.fp)):
        cases = 1000 * float(cell[i] / cells.n[i])
        assert near(found["shown"][name], brief(cases) if cases < 10 else number(cases, 1))
    whole = replace(scaled, thinned=False)
    valid = valid_range(whole, i)
    assert near(found["shown"]["ratio"], ratio(None if valid is None else valid.cost_ratios))
    assert part is not None
