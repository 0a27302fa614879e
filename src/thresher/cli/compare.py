"""`thresher compare`: whether one model is better than another, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import to_json
from thresher.cli.exit import CommandError
from thresher.cli.options import WITH_JUDGE, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import are_counts, bootstrap_of, evaluation_of, say_notes, say_warnings
from thresher.cli.streams import terminal_width

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison

EPILOG = """
\b
Examples:
  thresher compare predictions.csv --label outcome --score a --score b
  thresher compare predictions.csv --label outcome --score a --score b \\
      --measure auc --measure recall@fpr=0.01 --by site --margin 0.02

\b
Default tests on the same rows: a score test for the AUC, McNemar's (mid-p) for
accuracy, recall and specificity, row differences for the Brier score and log
loss, influence functions for a rate at a fixed rate (recall@fpr=0.01). The
comparisons of one measure on all rows are adjusted together (--correction);
those within and between the groups of one --by are a separate family.
"""

FORMS = ("text", "json", "csv", "markdown", "html", "latex")


@command(
    f"{WITH_JUDGE} measures margin alternative test correction thresholds level bootstrap seed form outputs "
    "resolution memory conditions quiet",
    files(), forms=FORMS, epilog=EPILOG,
    short_help="Test which model is better, and by how much.",
)  # fmt: skip
def compare(args: Arguments) -> None:
    """Compare models on the same rows: difference, interval, p value and conclusion.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Every two models are compared; with --by also within each group, and each model between the groups.
    """
    models = len(args.scores) + len(args.predicted) + len(args.probabilities)
    if models == 1 and not args.by and args.model_column is None:
        raise CommandError("a comparison takes two models: --score A --score B, or --proba A_ --proba B_.")
    where = Outputs.of(args, FORMS)
    from thresher.evaluation.estimate import remarks
    from thresher.inference.comparing.compare import ComparisonSpec

    options = args.select("alternative", "margin", "test", "correction") | {"bootstrap": bootstrap_of(args)}
    asked = [ComparisonSpec.of(name, level=args.level, **options).spec for name in args.measures]
    of_counts = are_counts(args.files)
    evaluation = evaluation_of(args.replace(by=()) if of_counts else args)
    known = tuple(evaluation.predictions.by)
    if of_counts and (unknown := next((column for column in args.by if column not in known), None)) is not None:
        there = f"they are by {', '.join(known)}" if known else "name --by when they are made"
        raise CommandError(f"these counts are not grouped by {unknown!r}: {there}.")
    found: list[Comparison] = []
    for name in args.measures or (None,):
        for place, by in enumerate(args.by or (None,)):
            made = evaluation.compare(measure=name, by=by, **options)
            several = list(made) if isinstance(made, Sequence) else [made]
            found += [one for one in several if not place or one.group is not None or one.groups is not None]
    needs_threshold = any(w.needs_threshold and w.cut is None for w in asked)
    say_notes(evaluation, args, needs_threshold=needs_threshold, measures=[item.measure for item in found])
    say_warnings((warning for item in found for warning in item.warnings), args, said=remarks(evaluation))
    where.write(lambda form, width: _written(found, form, width))


def _written(found: list[Comparison], form: str, width: int | None) -> str:
    from thresher._util.safe_text import csv_lines
    from thresher.report.render.results import compared_form

    if form == "json":
        return to_json({"schema": 1, "comparisons": [item.to_dict() for item in found]})
    if form == "csv":
        return csv_lines([HEADER, *map(_row, found)])
    return compared_form(found, form, width or terminal_width())


HEADER = ("measure", "first", "second", "where", "difference", "low", "high", "p", "adjusted p", "method",
          "sentence")  # fmt: skip


def _row(item: Comparison) -> list[Any]:
    where = " / ".join(map(str, item.groups)) if item.groups else "" if item.group is None else str(item.group)
    numbers = (item.difference, item.low, item.high, item.p_value, item.adjusted_p_value)
    known = [value if value == value else None for value in numbers]  # noqa: PLR0124  NaN
    return [item.measure, *item.models, where, *known, item.method, item.sentence]
