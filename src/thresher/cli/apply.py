"""`thresher apply`: rows decided by a threshold, reject option, cost matrix or weights, or given probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thresher._util.json_text import parse_json, read_text
from thresher.cli.exit import CommandError, reading_file
from thresher.cli.options import Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say, write_text

if TYPE_CHECKING:
    from thresher.cli.mapped import Addition

EPILOG = """
\b
Examples:
  thresher threshold validation.csv --label outcome --score a --max youden -o chosen.json
  thresher apply chosen.json new.csv > decided.csv
  thresher threshold validation.csv --label outcome --score a \\
      --cost-fp 1 --cost-fn 5 --reject deferral=0.2 -o chosen.json
  thresher threshold digits.csv --label digit --proba forest_ --cost-matrix costs.csv -o chosen.json
  thresher apply chosen.json new.csv -o decided.parquet
  thresher calibrate validation.csv --label outcome --score a -o map.json
  thresher apply map.json new.csv -o calibrated.csv

\b
A row without a score gets no decision; their number is reported.
"""

FORMS = ("csv", "parquet")
LISTS = ("thresholds", "reject_options", "decisions")
"""Keys of a document of `thresher threshold` that hold the choice."""


@command(
    "scores probabilities normalize models decimal outputs quiet",
    click.Argument(["model"], metavar="MODEL.json"), files(), epilog=EPILOG,
)  # fmt: skip
def apply(args: Arguments) -> None:
    """Apply a saved threshold, decision rule or calibration map to the rows of FILE.

    MODEL.json is written by `thresher threshold -o`, by `thresher calibrate -o` or from Python. FILE is CSV, TSV, JSON
    lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin. Its rows are written with a column
    added: SCORE_decision, the label (or `deferred`, if a rule leaves the row undecided), or SCORE_calibrated.
    """
    where = Outputs.of(args, FORMS, inputs=(args.model, *args.files), default="csv")
    adding = list(_adding(_read(args.model, args.models), args))
    _write(where, args.files, adding)


def _read(path: str, models: Sequence[str]) -> list[tuple[Any, str]]:
    """Rules or a map, each with its column or columns if given, from a saved form or the document of a command."""
    from thresher.calibration import map_from_json
    from thresher.decisions.rules import KIND, rule_from_json

    with reading_file(path, " A rule or a map is written by thresher threshold -o, or thresher calibrate -o."):
        form = parse_json(text := read_text(path))
        if isinstance(form, dict) and (listed := next((name for name in LISTS if name in form), None)):
            return _listed(path, form, listed, models)
        if models:
            raise CommandError(f"{path} is of one model, so --model does not apply.")
        is_rule = isinstance(form, dict) and form.get("kind") == KIND
        found = rule_from_json(text) if is_rule else map_from_json(text)
        return [(found, str(form.get("score", form.get("probabilities", ""))))]


def _listed(path: str, form: dict[str, Any], listed: str, models: Sequence[str]) -> list[tuple[Any, str]]:
    """Return the rules of all rows of each named model, without the rules of groups, and their columns."""
    from thresher.counts.saved import check_schema, checked_form, unchanged
    from thresher.decisions.rules import rule_from_dict
    from thresher.report.render.values import SCHEMA

    check_schema(form, SCHEMA, "this is a document")
    with checked_form("document"):
        entries = unchanged(form, "this document")[listed]
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise CommandError(f"{path} is damaged: the list of chosen thresholds is missing.")
    whole = [each for each in entries if each.get("group") is None]
    if not whole:
        held = "thresholds of groups only" if entries else "nothing that was chosen"
        raise CommandError(f"{path} holds {held}. Choose a threshold of all rows: thresher threshold without --by.")
    if len(whole) < len(entries):
        say(f"{path} also has thresholds by group: the thresholds of all rows are applied.")
    names = [each.get("model") for each in whole]
    if unknown := next((name for name in models if name not in names), None):
        raise CommandError(f"--model {unknown}: {path} has {', '.join(map(str, names))}.")
    kept = [each for each in whole if not models or each.get("model") in models]
    if odd := next((each for each in kept if not isinstance(each.get("decision_rule"), dict)), None):
        raise CommandError(
            f"{path} lacks the rule of {odd.get('model')}: its labels cannot be saved. Use labels of text or numbers."
        )
    return [(rule_from_dict(each["decision_rule"]), str(each.get("probabilities", ""))) for each in kept]


def _adding(found: Sequence[tuple[Any, str]], args: Arguments) -> Iterator[Addition]:
    """Return the columns that each rule, or the map, reads and adds."""
    from thresher.cli.label_columns import columns_of_classes
    from thresher.cli.mapped import DEFERRED, Addition
    from thresher.decisions.rules import ClassRule, ScoreRule

    score, proba, normalize = args.scores, args.probabilities, args.normalize
    if (score or proba) and len(found) > 1:
        raise CommandError("MODEL.json has several models: name one by --model, and its column by --score or --proba.")
    for each, given in found:
        of_score = isinstance(each, ScoreRule) or getattr(each, "method", "") not in ("", "temperature", "classwise")
        flag = "--proba" if of_score else "--score"
        if (proba if of_score else score) is not None or (of_score and normalize):
            raise CommandError(f"MODEL.json reads {'one score' if of_score else 'probabilities'}, so "
                               f"{'--normalize' if of_score and proba is None else flag} does not apply.")  # fmt: skip
        if isinstance(each, ScoreRule) and each.defers and DEFERRED in map(str, each.labels):
            raise CommandError(f"a label is called {DEFERRED!r}, the value written for a row without a decision.")
        if of_score:
            column = score or getattr(each, "score", given)
            if not column:
                raise CommandError("the map does not name its column: give it by --score COLUMN.")
            yield Addition(found=each, columns=(column,), model=column if isinstance(each, ScoreRule) else None)
            continue
        classes = [str(label) for label in getattr(each, "labels", ())]
        columns = columns_of_classes([proba or given] if proba or given else [], [], classes, args.files)
        model = each.name or "model" if isinstance(each, ClassRule) else None
        yield Addition(found=each, columns=columns, model=model, normalize=normalize)


def _write(where: Outputs, files: Sequence[str], adding: Sequence[Addition]) -> None:
    from thresher.cli.mapped import added_rows
    from thresher.readers.duckdb_files import write_parquet_rows

    names = ", ".join(name for one in adding for name in one.added)
    numbers = {column for one in adding for column in one.columns}
    numbers |= {name for one in adding for name in one.added if name.endswith("_calibrated")}
    parquet = [Path(path) for path, form in where.files if form == "parquet"]
    for path in parquet:
        write_parquet_rows(path, added_rows(files, adding), files, numbers)
        if not where.quiet:
            say(f"wrote {path}")
    rest = replace(where, files=tuple(each for each in where.files if each[1] != "parquet"))
    if not parquet or rest.files or rest.form is not None:
        rest.write(lambda _form, _: added_rows(files, adding), lambda: f"added {names}")
    elif not where.quiet:
        write_text(f"added {names}\n")
