"""What the brackets of a model's card are once its slider leaves the threshold of the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from thresher.evaluation.intervals import IGNORED
from thresher.inference.estimates.of_matrices import estimate
from thresher.inference.proportions.rate_intervals import ON_PAGES
from thresher.measures.shown import DECISIONS
from thresher.measures.titles import title_of
from thresher.report import numbers
from thresher.report.document import Document, ModelPart

OWN = "At another threshold than the report's own, proportions and F1 have no brackets: the page cannot compute {}."
"""Of an interval that a user registered, which is a function of Python."""


def slider_intervals(part: ModelPart, document: Document) -> str:
    """Sentence on the intervals that a page's script finds by formulas; empty where the report's own are the same.

    Rows are not in the page, so that at another threshold nothing can be drawn again.
    """
    if part.points is None or part.decided == "labels":
        return ""
    own = [found.method or "" for name, found in part.measures.items() if name in DECISIONS]
    lacking = "" if document.rate_interval in ON_PAGES else OWN.format(document.rate_interval)
    has_clusters = any("cluster" in (found.method or "") for found in part.measures.values())
    is_other = has_clusters and (part.matrix is None or not any(own))  # counted rows in clusters have none of their own
    if not any("bootstrap" in method for method in own) and not is_other:
        return lacking
    where = "At this threshold, which is not the report's own, brackets" if part.matrix is not None else "Brackets"
    clusters = f", {IGNORED}" if has_clusters else ""
    listed = "; ".join(f"{method} ({', '.join(titles)})" for method, titles in _formulas(part, document))
    said = f"{where} are {numbers.level(document.level)} intervals by formulas{clusters}: {listed}."
    return " ".join(filter(None, (said, lacking)))


def _formulas(part: ModelPart, document: Document) -> Iterator[tuple[str, list[str]]]:
    """Methods of the intervals of decisions, each with the measures it serves."""
    if part.points is None:
        return
    table = part.points.table
    matrix = table.row(len(table) // 2) if part.matrix is None else part.matrix
    own = () if document.rate_interval in ON_PAGES else (document.rate_interval,)
    found: dict[str, list[str]] = defaultdict(list)
    for name in DECISIONS:
        method = estimate(matrix, name, interval=document.rate_interval).method
        if name in part.measures and method is not None and not method.startswith(own):
            found[method].append(title_of(name))
    yield from found.items()
