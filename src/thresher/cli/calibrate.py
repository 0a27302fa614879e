"""`thresher calibrate`: a recalibration map from rows with a known truth, put to use on other rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import read_text
from thresher.cli.exit import CommandError, reading_file
from thresher.cli.label_columns import say_flags
from thresher.cli.options import DIRECTIONS, PREDICTIONS, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.cli.mapped import Addition
    from thresher.evaluation import ModelEvaluation
    from thresher.predictions import Predictions

EPILOG = """
\b
Examples:
  thresher calibrate validation.csv --label outcome --score a --apply new.csv > new_calibrated.csv
  thresher calibrate validation.csv --label outcome --score a --method platt -o map.json
  thresher calibrate new.csv --score a --map map.json > new_calibrated.csv
  thresher calibrate digits.csv --label digit --proba forest_ --apply new.csv -o new_calibrated.csv

\b
Fit the map on rows that the model was not fitted on, and evaluate it on other rows.
If the rows of --apply have the label, measures before → after are reported on stderr.
"""

BINS = 10


@command(
    f"{PREDICTIONS} applied saved map_method bins same_rows outputs quiet",
    files(), epilog=EPILOG, short_help="Fit a map from scores to probabilities, and apply it.",
)  # fmt: skip
def calibrate(args: Arguments) -> None:
    """Fit a map from scores to probabilities on FILE, and apply it to the rows of another file.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    """
    _check(args)
    forms = ("csv",) if args.saved else ("csv", "json") if args.applied else ("json",)
    inputs = (*args.inputs, *args.applied, *([args.saved] if args.saved else []))
    where = Outputs.of(args, forms, inputs=inputs, default=forms[0])
    rows = None if args.saved else _read(args)
    if rows is not None:
        of_classes = () if rows.scores else args.probabilities
        args = args.replace(label=rows.label, scores=tuple(rows.scores), probabilities=of_classes)
    found = saved_map(args.saved) if rows is None else _fitted(rows, args)
    if any(getattr(part, "slope", 1) < 0 for part in (found, *getattr(found, "maps", ()))):
        say("warning: the slope of the map is negative, so a higher score gets a lower probability.")
    targets = tuple(args.files) if args.saved else args.applied
    mapping = _mapping(args, rows, found, targets) if targets else None
    if mapping is not None:
        _judged(args, mapping, targets)
    from thresher.cli.mapped import added_rows

    where.write(
        lambda form, _: _saved(found, args) if mapping is None or form == "json" else added_rows(targets, [mapping]),
        lambda: _summary(found, rows),
    )


def _check(args: Arguments) -> None:
    if direction := args.first_of(*DIRECTIONS):
        raise CommandError(f"a map takes scores with high values positive, so {direction} does not apply.")
    if args.labels:
        raise CommandError("a map is of one column of labels: calibrate each label's score for itself, --label tag_a "
                           "--score net_a.")  # fmt: skip
    if args.saved is not None:
        if flag := args.first_of("applied", "map_method", "bins", "same_rows"):
            raise CommandError(f"--map applies a map that is fitted already, so {flag} does not apply.")
        if len(args.scores) + len(args.probabilities) != 1:
            raise CommandError("--map needs the column to calibrate: one --score COLUMN, or --proba PREFIX.")
        return
    if args.bins is not None and args.map_method != "interpolation":
        raise CommandError("--bins is for --method interpolation only.")
    if args.same_rows and not args.applied:
        raise CommandError("--same-rows is for --apply, where the map is judged; without it nothing is.")
    if args.map_method == "temperature" and args.scores:
        raise CommandError(
            "--method temperature needs the probabilities of all classes, --proba PREFIX; for one --score use "
            "--method logistic."
        )


def _read(args: Arguments) -> Predictions:
    from thresher.cli.reading import by_column, read

    rows = by_column(read(args), args)
    judged = [*rows.scores, *rows.posteriors]
    if len(judged) != 1 or rows.predicted:
        raise CommandError(f"a map is for one model, and {len(judged)} were named: give one --score, or one --proba.")
    say_flags(rows.notes, quiet=args.quiet)
    return rows


def _fitted(rows: Predictions, args: Arguments) -> Any:
    from thresher.calibration import fit_classwise, fit_map_table, fit_temperature
    from thresher.evaluation.front import evaluate_predictions

    [model] = evaluate_predictions(rows).values()
    method, bins = args.map_method, args.bins or BINS
    if model.task == "binary":
        return fit_map_table(model.scores, method=method or "isotonic", bins=bins)
    rows_of = model.posteriors
    if method in (None, "temperature"):
        return fit_temperature(rows_of.codes, rows_of.matrix, weights=rows_of.weights)
    return fit_classwise(
        rows_of.codes, rows_of.matrix, method=method, bins=bins, labels=rows_of.labels, weights=rows_of.weights
    )


def _saved(found: Any, args: Arguments) -> str:
    """Return a map as JSON, with the column of its one score, or the columns of its probabilities."""
    from thresher.counts.saved import json_text

    columns = {"score": args.scores, "probabilities": () if args.scores else args.probabilities}
    return json_text(found.to_dict() | {name: given[0] for name, given in columns.items() if given}) + "\n"


def saved_map(path: str) -> Any:
    """Map from a file that the command wrote."""
    from thresher.calibration import map_from_json

    with reading_file(f"--map {path}"):
        return map_from_json(read_text(path))


def _mapping(args: Arguments, rows: Predictions | None, found: Any, targets: Sequence[str]) -> Addition:
    from thresher.cli.label_columns import columns_of_classes
    from thresher.cli.mapped import Addition

    of_classes = found.method in ("temperature", "classwise")
    if of_classes != (not args.scores):
        needs = "the probabilities of all classes, --proba PREFIX" if of_classes else "one --score"
        raise CommandError(f"a {found.method} map takes {needs}.")
    if not of_classes:
        return Addition(found=found, columns=args.scores)
    classes = [str(label) for label in rows.classes] if rows is not None else list(getattr(found, "labels", ()))
    columns = columns_of_classes(args.probabilities, args.assigned_columns, classes, targets)
    return Addition(found=found, columns=columns, normalize=args.normalize)


def _judged(args: Arguments, mapping: Addition, targets: Sequence[str]) -> None:
    """Report the changes by the map on labelled rows; refuse rows that it was fitted to."""
    import warnings

    from thresher.calibration.fitting import SAME_ROWS, SameRowsWarning
    from thresher.cli.reading import read
    from thresher.evaluation.front import evaluate_predictions
    from thresher.readers.duckdb_files import describe

    if "-" in targets or args.label is None or args.label not in dict(describe(targets)):
        return
    rows = read(args.replace(files=tuple(targets), truth=None, key=None, quiet=True))
    [before] = evaluate_predictions(rows).values()
    with warnings.catch_warnings(record=True) as text:
        warnings.simplefilter("always", SameRowsWarning)
        after = before.recalibrated(mapping.found)
    if text and not args.same_rows:
        raise CommandError(f"{SAME_ROWS}. --same-rows allows it.")
    say(f"on {', '.join(targets)}, before → after the map: {'; '.join(_changes(before, after))}")


def _changes(before: ModelEvaluation, after: ModelEvaluation) -> Iterator[str]:
    from thresher.measures.measure_text import title_of
    from thresher.measures.shown import MAPPED, MAPPED_OF_CLASSES

    for name in MAPPED if before.task == "binary" else MAPPED_OF_CLASSES:
        yield f"{title_of(name)} {_shown(getattr(before, name).value)} → {_shown(getattr(after, name).value)}"
    if before.task == "binary":
        yield f"calibration slope {_slope(before)} → {_slope(after)}"


def _shown(value: float) -> str:
    """Number with four decimals; rounding error is 0."""
    from thresher.report.numbers import number

    return number(0.0 if abs(value) < ROUNDING else value)


ROUNDING = 1e-12


def _slope(model: ModelEvaluation) -> str:
    """Slope with four decimals, which may round to the 1 that is best."""
    from thresher.calibration.calibration_tests import cox_calibration

    slope = math.nan
    with suppress(ValueError):  # ranking scores lack a slope
        slope = cox_calibration(model.scores, clip=1e-6).slope
    return "undefined" if math.isnan(slope) else f"{slope:.4f}"


def _summary(found: Any, rows: Predictions | None) -> str:
    from thresher.report.numbers import count

    if rows is None:
        return f"{found.method} map applied"
    kind = f"{found.maps[0].method} map of each class" if found.method == "classwise" else f"{found.method} map"
    [name] = [*rows.scores, *rows.posteriors]
    return f"{kind} of {name}, fitted to {count(rows.counted)} rows"
