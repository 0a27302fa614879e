"""Sections about classes decided for by a cost matrix: the costs, what deciding by them changes, and class by class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thresher.analysis.costed import CostedDecisions
from thresher.conventions import divide
from thresher.report.document import Document
from thresher.report.numbers import brief, counted
from thresher.report.sections.kinds import Cell, Share, Table
from thresher.report.titles import heading_of

LISTED = 30
"""Classes up to which they are shown one by one, else folded."""

MOST = 12
"""Classes up to which the matrix is shown; JSON has it whatever their number."""


def costed_sections(document: Document) -> Iterator[Table]:
    """Mean costs of every model, the matrix, and each model's classes; none without a cost matrix."""
    found = [(model.name, model.costed) for model in document.models if model.costed is not None]
    if not found:
        return
    yield _means(found)
    if len(found[0][1].labels) <= MOST:
        yield _matrix(found[0][1])
    for name, part in found:
        yield _classes(name, part, len(document.models) > 1)


def _means(found: list[tuple[str, CostedDecisions]]) -> Table:
    what = "gain" if found[0][1].benefit else "cost"
    rule = "largest expected gain" if found[0][1].benefit else "least expected cost"
    names = list(found[0][1].measures)
    rows: list[tuple[Cell, ...]] = [
        (name, part.cost, part.cost_before, Share(part.changed / float(part.matrix.counts.sum())),
         *(part.measures[each] for each in names))
        for name, part in found
    ]  # fmt: skip
    return Table(
        key="costed",
        title="Decided by costs",
        columns=("Model", f"Mean {what}", "By the most probable class", "Decided differently", *map(heading_of, names)),
        rows=tuple(rows),
        lead=f"Each row is assigned to the class with the {rule}, instead of the most probable one. That is right as "
        "far as the predicted probabilities are calibrated.",
    )


def _matrix(part: CostedDecisions) -> Table:
    rows = tuple((label, *map(brief, costs)) for label, costs in zip(part.labels, part.costs.tolist(), strict=True))
    what = "Gains" if part.benefit else "Costs"
    return Table(
        key="cost-matrix", title=what, columns=("Truth \\ decision", *part.labels), rows=rows, detail=True,
        lead=f"{what} of a row, by its true class and the class it is given to.",
    )  # fmt: skip


def _classes(name: str, part: CostedDecisions, several: bool) -> Table:
    by_costs, before = part.matrix.counts, part.before.counts
    rates = [divide(np.diag(counts), counts.sum(axis=1)).tolist() for counts in (before, by_costs)]
    columns = (by_costs.sum(axis=1), before.sum(axis=0), by_costs.sum(axis=0))
    rows = tuple(
        (label, *(counted(column[k].item()) for column in columns), *(rate[k] for rate in rates))
        for k, label in enumerate(part.labels)
    )
    heads = (
        "Class",
        "Rows",
        "Predicted as most probable",
        "Predicted by costs",
        "Recall of most probable",
        "Recall by costs",
    )
    title = f"Classes decided by costs: {name}" if several else "Classes decided by costs"
    return Table(key=f"costed-{name}", title=title, columns=heads, rows=rows, detail=len(rows) > LISTED)
