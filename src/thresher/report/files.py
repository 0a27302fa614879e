"""Reports as files: the suffix chooses the form, and a file is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher._util.atomic_file import atomic_write
from thresher.errors import OptionError
from thresher.evaluation import Evaluation
from thresher.report.build import build
from thresher.report.document import Document
from thresher.report.forms import suffixes_of
from thresher.report.request import DecisionOptions

if TYPE_CHECKING:
    from thresher.ranking.evaluation import RankEvaluation
    from thresher.resampling import Assessment

RENDERERS = {
    "text": "text:document_text",
    "json": "json:document_json",
    "csv": "json:document_csv",
    "markdown": "markdown:document_markdown",
    "html": "html.page:document_page",
    "latex": "latex:document_latex",
}
"""Module of `thresher.report.render` and function that writes each form."""

FORMS = tuple(RENDERERS)


def render(
    evaluation: Evaluation,
    form: str,
    *,
    title: str | None = None,
    source: str | None = None,
    width: int | None = None,
    deciding: DecisionOptions | None = None,
) -> str:
    """Render an evaluation in one form; `source` names the origin of the rows, `width` is for plain text.

    `deciding` are the costs and prevalences for choosing thresholds.
    """
    if form not in FORMS:
        raise OptionError(f"form={form!r} is not one of the forms of a report: {', '.join(FORMS)}.")
    document = build(
        evaluation, title=title, source=source, points=form == "html", deciding=deciding, every=form in ("json", "csv")
    )
    return rendered(document, form, width=width)


def rendered(document: Document, form: str, *, width: int | None = None) -> str:
    """Document in one of the forms; only that form's module is loaded."""
    module, _, name = RENDERERS[form].partition(":")
    write = getattr(import_module(f"thresher.report.render.{module}"), name)
    document = document if form == "html" else document.without_points()
    return str(write(document, width=width) if form == "text" else write(document))


def write_report(
    evaluation: Evaluation,
    path: Any,
    *,
    title: str | None = None,
    source: str | None = None,
    costs: Any = None,
    prevalence: Any = None,
    benefit: bool = False,
    **optional: Any,
) -> Path:
    """Write a report and return its path; .html, .htm, .md, .json, .csv, .tex and .txt choose the form.

    The file is written to a temporary name and then moved, so that readers never see half of it. `optional` are
    `partial`, `smooth`, `average`, `reject`, `top` and `style`, as `Evaluation.report` has them.

    Raises:
        OptionError: another suffix, an option is wrong, or the file cannot be written.
    """
    target, form = form_of(path, FORMS)
    width = 100 if form == "text" else None
    deciding = DecisionOptions.of(costs, prevalence, gains=benefit, **optional)
    write_whole(target, render(evaluation, form, title=title, source=source, width=width, deciding=deciding))
    return target


def write_result(result: RankEvaluation | Assessment, path: Any, *parts: Any, **options: Any) -> Path:
    """Write ranked results or an assessment with their comparisons and series, and return the path."""
    from thresher.report.render.results import FILES

    forms, write = FILES[type(result).__name__]
    target, form = form_of(path, forms)
    text = write(result, *parts, form=form, **options)
    write_whole(target, f"{text}\n" if form == "text" else text)
    return target


def form_of(path: Any, forms: Sequence[str]) -> tuple[Path, str]:
    """Path of a report, and which of the forms its suffix chooses."""
    target, known = Path(os.fspath(path)), suffixes_of(forms)
    form = known.get(target.suffix.lower())
    if form is None:
        raise OptionError(f"{str(path)!r}: a report ends in one of {', '.join(known)}, which chooses its form.")
    return target, form


def write_whole(target: Path, text: str | Iterable[str]) -> None:
    """Write a file, from text or from parts of it: whole or not at all, unless it is a pipe or a device."""
    try:
        # A lone half of a character, as names on a command line may have, is in no encoding.
        with (
            atomic_write(target) as place,
            place.open("w", encoding="utf-8", errors="replace", newline="") as out,
        ):
            out.writelines([text] if isinstance(text, str) else text)
    except OSError as error:
        why = error.strerror or str(error)
        raise OptionError(f"cannot write the report to {str(target)!r}: {why[:1].lower()}{why[1:]}.") from error
