"""`thresher table`: the counts at every threshold, or the rows by falling score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.cli.exit import CommandError
from thresher.cli.options import PREDICTIONS, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import evaluated_any, say_notes

if TYPE_CHECKING:
    from thresher.cli.rows import ModelRows
    from thresher.evaluation import ModelEvaluation
    from thresher.measures.registry import Measure

EPILOG = """
\b
Examples:
  thresher table predictions.csv --label outcome --score model_a | head
  thresher table predictions.csv --label outcome --score a --format text \\
      --thin 50 --measure precision --measure f_beta:beta=2
  thresher table predictions.csv --label outcome --score a --by-row
  thresher table predictions.csv --label outcome --score a --walk -o walk.html
"""

Column = tuple[str, "Measure", dict[str, Any]]

FORMS = ("csv", "text", "json", "markdown", "html")


@command(
    f"{PREDICTIONS} form outputs thin by_row walk columns resolution memory conditions quiet",
    files(), forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def table(args: Arguments) -> None:
    """List TP, FP, TN, FN, TPR and FPR at every threshold.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    A threshold is an observed score; rows that reach it are predicted positive. With --proba each class is listed
    against the rest, as MODEL: CLASS. Rank 0, at an infinite threshold
    (in JSON null, with a reason), predicts none. Undefined is an empty cell in CSV and null in JSON.
    """
    of_rows = args.first_of("walk", "by_row")
    if of_rows and args.first_of("thin", "columns"):
        raise CommandError(f"{of_rows} lists rows, so --thin and --measure do not go with it.")
    where = Outputs.of(args, FORMS, default="csv")
    columns = [_column(text) for text in args.columns]
    from thresher.cli.reading import rows_or_counts
    from thresher.cli.rows import WRITERS
    from thresher.evaluation.estimate import design_warnings

    evaluation = evaluated_any(rows_or_counts(args))
    of_intervals = tuple(warning.text for warning in design_warnings(evaluation))  # a table of counts lacks them
    say_notes(evaluation, args, needs_threshold=False, without=of_intervals)
    models = [
        view  # with posteriors each class against the rest
        for model in evaluation.values()
        for view in (model.classes.values() if model.task in ("multiclass", "multilabel") else [model])
    ]
    listings = [
        _row_listing(m, walk=args.walk) if of_rows else _threshold_listing(m, args.thin, columns) for m in models
    ]
    what = "rows" if of_rows else "thresholds"
    where.write(lambda form, _: WRITERS[form](listings), lambda: _summary(listings, what))


def _summary(listings: list[ModelRows], what: str) -> str:
    from thresher._util.safe_text import escape_controls

    return "\n".join(f"{escape_controls(listing.model)}: {listing.length:,} {what}" for listing in listings)


def _column(text: str) -> Column:
    """A measure named on the command line, with its parameters, such as `f_beta:beta=2`."""
    from thresher.curves.measure_curve import call_of_measure
    from thresher.measures.registry import find

    name, parameters = call_of_measure(text)
    entry = find(name)
    if entry.needs == "table":
        raise CommandError(f"{entry.title} is one number for all thresholds, so it cannot be a column of them.")
    return text, entry, entry.checked(parameters)


def _threshold_listing(model: ModelEvaluation, thin: int | None, extra: list[Column]) -> ModelRows:
    """Counts and rates of one model at every threshold; the rank counts the distinct scores that are positive."""
    import numpy as np

    from thresher.cli.rows import ModelRows
    from thresher.counts.cells import Cells
    from thresher.measures.registry import find

    counts = model.table if thin is None else model.thin(thin)
    ranks = np.arange(len(counts))
    if thin is not None:  # among all distinct scores
        sign = -1.0 if model.scores.direction == "higher" else 1.0
        ranks = np.searchsorted(sign * model.scores.scores, sign * counts.thresholds, side="right")
        ranks[0] = 0  # the sentinel, which an infinite score does not reach
    rates: list[Column] = [("TPR", find("true_positive_rate"), {}), ("FPR", find("false_positive_rate"), {})]

    def columns(start: int, stop: int) -> Mapping[str, Any]:
        tp, fp = counts.tp[start:stop], counts.fp[start:stop]
        tn, fn = counts.N - fp, counts.P - tp
        cells = Cells(*(np.asarray(cell, dtype=np.float64) for cell in (tp, fp, fn, tn)))
        listed = {"rank": ranks[start:stop], "threshold": counts.thresholds[start:stop]}
        listed |= {"TP": tp, "FP": fp, "TN": tn, "FN": fn}
        return listed | {name: entry(cells, **parameters) for name, entry, parameters in rates + extra}

    return ModelRows(model.name, len(counts), columns)


def _row_listing(model: ModelEvaluation, *, walk: bool) -> ModelRows:
    """Rows of one model by falling score, the counts under the names that the other listing has."""
    from thresher.cli.rows import ModelRows

    capitals = {name: name.upper() for name in ("tp", "fp", "tn", "fn", "tpr", "fpr")}
    found = model.walk() if walk else model.listing()
    return ModelRows.of(model.name, {capitals.get(name, name): column for name, column in found.items()})
