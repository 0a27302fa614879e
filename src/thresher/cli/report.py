"""`thresher report`: from files of predictions to every measure, curve and interval."""

from __future__ import annotations

import glob
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.deciding import REPORT_OPTIONS, costs_of
from thresher.cli.evaluating import NUMBER_OPTIONS, evaluation_of
from thresher.cli.exit import CommandError, as_flags
from thresher.cli.guess import GUESSED
from thresher.cli.options import (
    OUTPUT,
    SPLIT_OPTIONS,
    GroupedCommand,
    Reading,
    option,
    reading_options,
    together,
    words,
)
from thresher.cli.streams import say, write_data, write_text

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation
    from thresher.report.document import Document

RENDERERS = {
    "text": ("text", "document_text"),
    "json": ("json_form", "document_json"),
    "csv": ("csv_form", "document_csv"),
    "markdown": ("markdown", "document_markdown"),
    "html": ("html.page", "document_page"),
}
"""Module of `thresher.report` and function that writes each form."""

FILE_WIDTH = 100
"""Columns of a text file, which knows no terminal."""

EPILOG = """
\b
Examples:
  thresher report predictions.csv --label outcome --score model_a -o report.html
  thresher report 'parts/*.parquet' --label outcome --score a --score b \\
      --by site --threshold 0.3 --threshold b=0.2
  thresher report digits.csv --label digit --proba forest_ --proba logistic_ \\
      -o report.html
  thresher report scores.csv --truth truth.csv --key id --label outcome --score p
  cat predictions.csv | thresher report - --label outcome --score p --format json

\b
The form of a file follows its suffix: .html, .md, .json, .csv or .txt.
"""


FILE_OPTIONS = together(
    option(
        OUTPUT, "-o", "--output", "outputs", metavar="FILE", multiple=True,
        help="Write a report to a file; may be repeated. The summary still goes to stdout, unless --quiet.",
    ),
    option(
        OUTPUT, "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "html"]),
        help="Form of what goes to stdout.  [default: text]",
    ),
    option(OUTPUT, "--title", type=words, metavar="TEXT", help="Title of the report."),
)  # fmt: skip


@click.command(cls=GroupedCommand, epilog=EPILOG)
@reading_options(NUMBER_OPTIONS, REPORT_OPTIONS, FILE_OPTIONS, split=SPLIT_OPTIONS)
def report(
    reading: Reading,
    thresholds: tuple[str, ...],
    level: float,
    undefined: Any,
    bootstrap: int | None,
    seed: int,
    outputs: tuple[str, ...],
    form: str | None,
    title: str | None,
    prevalences: tuple[float, ...],
    **costs: Any,
) -> None:
    """Evaluate predictions: every measure, curve and interval.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Several files are read one after the other.
    """
    paths = [Path(output) for output in outputs if output != "-"]
    _check_outputs(paths, (*reading.files, *filter(None, [reading.truth])))
    from thresher.report.decision_parts import Deciding

    deciding = Deciding.of(costs_of(costs), prevalences)
    evaluation = evaluation_of(reading, thresholds, level=level, undefined=undefined, seed=seed, bootstrap=bootstrap)
    _show(evaluation, reading, paths, form if form or "-" not in outputs else "text", title=title, deciding=deciding)


def _show(evaluation: Evaluation, reading: Reading, paths: list[Path], form: str | None, **asked: Any) -> None:
    """Write the files, then stdout: a reader who stops early still has the files."""
    from thresher.report.build import build
    from thresher.report.files import SUFFIXES, write_whole

    forms = {path: SUFFIXES[path.suffix.lower()] for path in paths}
    source = ", ".join("standard input" if file == "-" else file for file in reading.files)
    document = build(evaluation, source=source, points="html" in (form, *forms.values()), **asked)
    document = _in_flags(document)
    for path, own in forms.items():
        write_whole(path, _rendered(document, own, width=FILE_WIDTH))
        if not reading.quiet:
            say(f"wrote {path}")
    if form or not (paths and reading.quiet):
        text = _rendered(document, form or "text", width=None)
        write_text(text) if form in (None, "text") else write_data(text)


def _in_flags(part: Any) -> Any:
    """Document, or a part of it, whose notes name the command's options instead of Python's keywords."""
    inner = [name for name in ("models", "groups", "folds") if hasattr(part, name)]
    changed = {name: tuple(map(_in_flags, getattr(part, name))) for name in inner}
    notes = tuple(note if note.endswith(GUESSED) else as_flags(note) for note in part.notes)
    return replace(part, notes=notes, **changed)


def _rendered(document: Document, form: str, *, width: int | None) -> str:
    """Document in one of the forms; only that form's module is loaded."""
    module, function = RENDERERS[form]
    render = getattr(import_module(f"thresher.report.{module}"), function)
    return str(render(document, width=width) if form == "text" else render(document))


def _check_outputs(paths: list[Path], inputs: tuple[str, ...]) -> None:
    """Refuse, before the work, an output that could not be written or would overwrite what is read."""
    from thresher.report.files import SUFFIXES

    read = {Path(file).resolve() for given in inputs for file in (given, *glob.glob(given, recursive=True))}
    for path in paths:
        if path.is_dir():
            raise CommandError(f"-o {path} is a directory: name a file in it.")
        if path.suffix.lower() not in SUFFIXES:
            raise CommandError(f"-o {path} ends in none of {', '.join(SUFFIXES)}, which say in which form to write.")
        if not path.parent.is_dir():
            raise CommandError(f"-o {path}: there is no directory {path.parent}.")
        if path.resolve() in read:
            raise CommandError(f"-o {path} would overwrite a file that is read.")
    if again := next((path for path in paths if paths.count(path) > 1), None):
        raise CommandError(f"-o {again} is given twice.")
