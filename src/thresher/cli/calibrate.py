"""`thresher calibrate`: a recalibration map from rows with a known truth, put to use on other rows."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.exit import CommandError
from thresher.cli.options import (
    COLUMNS,
    NUMBERS,
    GroupedCommand,
    Reading,
    option,
    output_option,
    reading_options,
    together,
)
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.counts import ScoreTable

EPILOG = """
\b
Examples:
  thresher calibrate validation.csv --label outcome --score a --apply new.csv > new_calibrated.csv
  thresher calibrate validation.csv --label outcome --score a --method platt -o map.json
  thresher calibrate validation.csv --label outcome --score a --apply test.csv -o test_calibrated.csv

\b
Fit the map on rows that the model was not fitted to, and judge it on others again.
When --apply has the label, what the map changes there is said on stderr.
"""

CALIBRATE_OPTIONS = together(
    option(
        COLUMNS, "--apply", "applied", metavar="FILE", multiple=True,
        help="File whose rows are written as CSV with one column more, SCORE_calibrated; may be repeated. Without it, "
        "and to a .json file, the map itself is written.",
    ),
    option(
        NUMBERS, "--method", default="isotonic", show_default=True,
        type=click.Choice(["isotonic", "interpolation", "platt", "logistic", "beta"]),
        help="Kind of map. isotonic, interpolation and platt take any score, the others probabilities.",
    ),
    option(NUMBERS, "--bins", type=click.IntRange(min=1), default=10, show_default=True, help="Bins of interpolation."),
    option(NUMBERS, "--same-rows", is_flag=True, help="Do not refuse to judge the map on the rows it was fitted to."),
    output_option,
)  # fmt: skip


@click.command(cls=GroupedCommand, epilog=EPILOG, short_help="Fit a map from scores to probabilities, and apply it.")
@reading_options(CALIBRATE_OPTIONS)
def calibrate(
    reading: Reading, applied: tuple[str, ...], method: Any, bins: int, same_rows: bool, outputs: tuple[str, ...]
) -> None:
    """Fit a map from scores to probabilities on FILE, and apply it to the rows of another.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    """
    forms = ("csv", "json") if applied else ("json",)
    inputs = (*reading.inputs, *applied)
    where = Outputs.of(outputs, None, forms=forms, inputs=inputs, default=forms[0], quiet=reading.quiet)
    from thresher.calibration.fitting import fit_map_table
    from thresher.cli.reading import read
    from thresher.evaluation.front import evaluate_predictions

    if reading.lower_is_positive:
        raise CommandError("a map takes scores of which high ones are positive, so --lower-is-positive has no place.")
    rows = read(reading)
    if len(rows.scores) != 1:
        named = f"{len(rows.scores)} were named" if rows.scores else "--proba names several"
        raise CommandError(f"a map is of one score, and {named}: give one --score.")
    name = next(iter(rows.scores))
    table = evaluate_predictions(rows)[name].scores
    found = fit_map_table(table, method=method, bins=bins)
    if applied:
        reading = replace(reading, label=rows.label, scores=(name,))
        _judged(reading, found, applied, same_rows=same_rows)
    where.write(
        lambda form, _: f"{found.to_json()}\n" if form == "json" else _mapped(applied, name, found),
        lambda: f"{method} map of {name}, fitted to {len(rows):,} rows",
    )


def _judged(reading: Reading, found: Any, applied: Sequence[str], *, same_rows: bool) -> None:
    """Say what the map changes where the truth is known; refuse rows that it was fitted to."""
    from thresher.calibration.fitting import SameRowsError, apply_map
    from thresher.cli.reading import read
    from thresher.engines.stream import describe
    from thresher.evaluation.front import evaluate_predictions

    if "-" in applied or reading.label not in dict(describe(applied)):
        return
    rows = read(replace(reading, files=tuple(applied), truth=None, key=None, quiet=True))
    before = evaluate_predictions(rows)[next(iter(rows.scores))].scores
    try:
        after = apply_map(found, before, same_rows="ignore" if same_rows else "error")
    except SameRowsError as error:
        raise CommandError(f"{str(error).rstrip('.')}. --same-rows does it all the same.") from None
    say(f"on {', '.join(applied)}: {'; '.join(_changes(before, after))}")


def _changes(before: ScoreTable, after: ScoreTable) -> Iterator[str]:
    """Main numbers before and after."""
    from thresher.calibration.cox import cox_calibration
    from thresher.measures import find
    from thresher.report.numbers import number

    for name, words in (("brier_score", "Brier score"), ("log_loss", "log loss"), ("ece", "ECE"), ("auc", "ROC AUC")):
        yield f"{words} {number(find(name)(before))} → {number(find(name)(after))}"
    slopes = [math.nan, math.nan]
    for i, table in enumerate((before, after)):
        with suppress(ValueError):  # scores that rank have no slope
            slopes[i] = cox_calibration(table, clip=1e-6).slope
    yield f"calibration slope {number(slopes[0])} → {number(slopes[1])}"


def _mapped(applied: Sequence[str], name: str, found: Any) -> Iterator[str]:
    """Rows as CSV with the mapped score behind them; a row without a score has none."""
    from thresher.engines.passing import passing

    names, pieces = passing(applied, [name])
    column, added = names.index(name), f"{name}_calibrated"
    if added in names:
        raise CommandError(f"{applied[0]} has a column {added} already.")
    yield _lines([[*names, added]])
    done = missing = 0
    with closing(pieces):
        for piece in pieces:
            scores = [_number(row[column], name, done + i) for i, row in enumerate(piece)]
            values = _transformed(found, scores, name, done)
            missing += scores.count(None)
            done += len(piece)
            yield _lines([[*row, "" if s is None else next(values)] for row, s in zip(piece, scores, strict=True)])
    if missing:
        say(f"{missing:,} of {done:,} rows have no {name}, and get no calibrated one.")


def _transformed(found: Any, scores: Sequence[float | None], name: str, row: int) -> Iterator[float]:
    """Mapped scores of the rows that have one; `row` is the number of rows before."""
    from thresher.errors import InputError

    try:
        return iter(found.transform([score for score in scores if score is not None]).tolist())
    except InputError:
        bad = next(i for i, score in enumerate(scores) if score is not None and not 0 <= score <= 1)
        raise CommandError(
            f"row {row + bad + 1:,} of the file to calibrate: {name} is {scores[bad]:g}, which is no probability, "
            f"and a map of --method {found.method} takes no other."
        ) from None


def _number(cell: Any, name: str, row: int) -> float | None:
    """Score of a cell; None when it is empty."""
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in ("", "na", "nan", "null", "none")):
        return None
    try:
        score = float(cell)
    except (TypeError, ValueError):
        raise CommandError(
            f"row {row + 1:,} of the file to calibrate: {name} is {cell!r}, which is no number."
        ) from None
    return None if math.isnan(score) else score


def _lines(rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
