"""The report of an assessment as one HTML file: its own numbers first, then its held-out predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from thresher.report.build import build
from thresher.report.render.html.page import document_page
from thresher.report.sections.assessed_verdict import assessed_verdict
from thresher.report.sections.assessment import kept, sections, untested
from thresher.report.sections.order import sections_of
from thresher.report.sections.summary import thresholds

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.resampling import Assessment, Series


def assessment_page(
    found: Assessment,
    compared: Sequence[Comparison] = (),
    curves: Sequence[Series] = (),
    *,
    texts: Sequence[str] = (),
    said: Sequence[str] = (),
    words: Callable[[str], str] = str,
) -> str:
    """Assessment with its comparisons and series as a self-contained HTML page.

    `words` turns a sentence of the library into the caller's own, such as the options of a command.
    """
    title = f"Assessment by {found.method.summary}"
    pooled = build(found.evaluation, title=title, points=True, every=False, is_compared=False)
    document = untested(pooled, len(found.splits.sampled))
    first = assessed_verdict(found, compared)
    own = sections(found, compared, curves, texts=texts, said=said, held_out=list(map(words, document.notes)))
    own = own if first is None else [first, *own]
    return document_page(document, (*own, *filter(kept, sections_of(document)), *thresholds(document)))
