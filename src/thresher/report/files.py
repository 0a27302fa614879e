"""Reports as files: the suffix chooses the form, and a file is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from thresher.errors import OptionError
from thresher.evaluation import Evaluation
from thresher.report.decision_parts import Deciding
from thresher.report.suffixes import suffixes_of
from thresher.whole import whole_file

FORMS = ("text", "json", "csv", "markdown", "html")
SUFFIXES = suffixes_of(FORMS)


def render(
    evaluation: Evaluation,
    form: str,
    *,
    title: str | None = None,
    source: str | None = None,
    width: int | None = None,
    deciding: Deciding | None = None,
) -> str:
    """Evaluation in one of the forms; `source` says where the rows came from, `width` is that of plain text.

    `deciding` are costs and prevalences that thresholds are chosen by.

    Raises:
        OptionError: there is no such form.
    """
    from thresher.report import csv_form, json_form, markdown, text
    from thresher.report.build import build
    from thresher.report.html import page

    if form not in FORMS:
        raise OptionError(f"form={form!r} is not one of the forms of a report: {', '.join(FORMS)}.")
    document = build(
        evaluation, title=title, source=source, points=form == "html", deciding=deciding, every=form in ("json", "csv")
    )
    if form == "text":
        return text.document_text(document, width=width)
    return {
        "json": json_form.document_json,
        "csv": csv_form.document_csv,
        "markdown": markdown.document_markdown,
        "html": page.document_page,
    }[form](document)


def write_report(
    evaluation: Evaluation,
    path: Any,
    *,
    title: str | None = None,
    source: str | None = None,
    costs: Any = None,
    prevalence: Any = None,
    benefit: bool = False,
    **further: Any,
) -> Path:
    """Write a report and return its path; .html, .htm, .md, .json, .csv and .txt choose the form.

    The file is written beside its place and then moved there, so that a reader never sees half of it. `further` are
    `partial`, `smooth`, `average` and `reject`, as `Evaluation.report` has them.

    Raises:
        OptionError: another suffix, an option is wrong, or the file cannot be written; the sentence says why.
    """
    target = Path(os.fspath(path))
    form = SUFFIXES.get(target.suffix.lower())
    if form is None:
        raise OptionError(f"{str(path)!r}: a report ends in one of {', '.join(SUFFIXES)}, which chooses its form.")
    width = 100 if form == "text" else None
    deciding = Deciding.of(costs, prevalence, gains=benefit, **further)
    write_whole(target, render(evaluation, form, title=title, source=source, width=width, deciding=deciding))
    return target


def write_whole(target: Path, text: str | Iterable[str]) -> None:
    """Write a file, from text or from parts of it: whole or not at all, unless it is a pipe or a device.

    Raises:
        OptionError: the folder is missing, or something may not be written.
    """
    try:
        # A lone half of a character, as names on a command line may have, is in no encoding.
        with (
            whole_file(target) as place,
            place.open("w", encoding="utf-8", errors="replace", newline="") as out,
        ):
            out.writelines([text] if isinstance(text, str) else text)
    except OSError as error:
        why = error.strerror or str(error)
        raise OptionError(f"cannot write the report to {str(target)!r}: {why[:1].lower()}{why[1:]}.") from error
