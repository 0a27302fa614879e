"""The report of an evaluation as a page and as a fragment, under the names that they had here before."""

from __future__ import annotations

from thresher.evaluation import Evaluation
from thresher.report.files import render
from thresher.report.forms import form

__all__ = ["evaluation_fragment", "evaluation_page"]


def evaluation_page(evaluation: Evaluation, *, title: str | None = None, source: str | None = None) -> str:
    """Evaluation as a self-contained HTML page."""
    return render(evaluation, "html", title=title, source=source)


def evaluation_fragment(evaluation: Evaluation) -> str:
    """Evaluation as an HTML fragment for notebooks, small and without a script."""
    return str(form(evaluation, "html"))
