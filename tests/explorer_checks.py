"""What the explorer of a page is held to: what it recommends for every model, against counts in Python."""

import math
import re
from typing import Any

import numpy as np
import pytest

from thresher.report.numbers import cut

READ = """() => [...document.querySelectorAll('.explored tbody tr')].map(row => ({
  index: Number(row.id.split('-')[1]),
  at: thresherPage.data.models.find(each => String(each.index) === row.id.split('-')[1]).place,
  shown: Object.fromEntries([...row.querySelectorAll('[data-explored]')].map(n => [n.dataset.explored, n.textContent])),
  line: (n => n && !n.classList.contains('gone') ? ['x1', 'y1', 'x2', 'y2'].map(k => Number(n.getAttribute(k))) : null)(
    document.querySelector(`#plot-roc .iso[data-model="${row.id.split('-')[1]}"]`)),
})).sort((a, b) => a.index - b.index)"""
NUMBER = r"\d[\d,]*(?:\.\d+)?"
EVERY = """(settings) => settings.map(([ratio, percent]) => {
  delete document.querySelector('[data-explore="said"]').dataset.instead;
  const fill = (name, value) => { document.querySelector(`[data-explore="${name}"]`).value = value; };
  fill("prevalence", percent);
  fill("fn", ratio);
  document.querySelector('[data-explore="fn"]').dispatchEvent(new Event("input", { bubbles: true }));
  const rows = [...document.querySelectorAll(".explored tbody tr")];
  return { said: document.querySelector('[data-explore="said"]').textContent,
    rows: Object.fromEntries(rows.map(row => [row.id.split("-")[1], Object.fromEntries(
      [...row.querySelectorAll("[data-explored]")].map(n => [n.dataset.explored, n.textContent]))])) };
})"""
"""Reads what is recommended at each pair of a cost ratio and a prevalence in percent, also of models like chance."""


def explore(page: Any, by: str, ratio: float | None = None, prevalence: float | None = None) -> Any:
    """Fill in what is given, choose by a criterion, and read what is shown."""
    for name, value in (("fn", ratio), ("prevalence", None if prevalence is None else 100 * prevalence)):
        if value is not None:
            page.fill(f'[data-explore="{name}"]', f"{value!r}")
    page.select_option('[data-explore="criterion"]', by)
    return page.evaluate(READ)


def check_recommended(found: Any, document: Any, ratio: float, prevalence: float) -> None:
    """Table and sentence at a cost ratio and a prevalence, against costs that are summed here from the counts."""
    wanted = {i: _cheapest(m.points, ratio, prevalence) for i, m in enumerate(document.models) if m.points is not None}
    assert set(found["rows"]) == {str(i) for i in wanted}
    for i, plan in wanted.items():
        shown, lower = found["rows"][str(i)], document.models[i].direction == "lower"
        assert shown["cut"] == f"{'≤' if lower else '≥'} {cut(plan['cut']).replace('-', '−')}"
        for name in ("found", "missed", "false", "cost", "precision", "saved"):
            assert _near(shown[name], plan[name]), (name, shown[name], plan[name], ratio, prevalence)
    for name in ("found", "missed", "false", "cost"):
        assert len({len(row[name].partition(".")[2]) for row in found["rows"].values()}) == 1
    least = min(plan["cost"] for plan in wanted.values())
    ties = {document.models[i].name: plan for i, plan in wanted.items() if plan["cost"] <= least * (1 + 1e-9)}
    used = found["said"].removeprefix("Use ").partition(" and call")[0].split(" or ")[0]
    best = ties.get(used, next(iter(ties.values())))
    if f"of {_per(prevalence):,} cases" in found["said"]:
        assert used in ties or found["said"].startswith("Call")
        assert f"from a score of {cut(best['cut']).replace('-', '−')}" in found["said"]
        hits, misses, alarms = re.findall(
            rf"finds ({NUMBER}) and misses ({NUMBER}), with ({NUMBER}) false", found["said"]
        )[0]
        assert _near(hits, best["found"])
        assert _near(misses, best["missed"])
        assert _near(alarms, best["false"])
    else:
        assert best["place"] in ("none", "all")


def _per(prevalence: float) -> int:
    """Cases of a recommendation, more where one class is rare."""
    return 1000 if 0.01 <= prevalence <= 0.99 else 100_000


def _cheapest(points: Any, ratio: float, prevalence: float) -> dict[str, Any]:
    """The first threshold of the least cost, in so many cases."""
    total = _per(prevalence)
    tp, fp = (np.asarray(cells, dtype=float) for cells in (points.table.tp, points.table.fp))
    recall, alarms = tp / tp[-1], fp / fp[-1]
    missed, false = total * prevalence * (1 - recall), total * (1 - prevalence) * alarms
    cost = ratio * missed + false
    i = int(np.flatnonzero(cost <= cost.min() + 1e-12 * cost.max())[0])
    rule = min(total * prevalence * ratio, total * (1 - prevalence))
    found = total * prevalence * recall[i]
    return {
        "cut": float(points.cuts[i]), "found": found, "missed": missed[i], "false": false[i], "cost": cost[i],
        "precision": 100 * found / (found + false[i]) if found + false[i] else math.nan,
        "saved": 100 * (1 - cost[i] / rule) if rule else math.nan,
        "place": "none" if not tp[i] + fp[i] else "all" if tp[i] + fp[i] == tp[-1] + fp[-1] else "between",
    }  # fmt: skip


def _near(text: str, value: float) -> bool:
    """Whether a number is shown as it is, rounded to the decimals shown."""
    digits = text.removesuffix("\N{NO-BREAK SPACE}%").replace(",", "").replace("−", "-")
    if math.isnan(value):
        return digits == "—"
    unit = 10.0 ** -len(digits.partition(".")[2])
    return bool(float(digits) == pytest.approx(value, abs=0.5001 * unit))
