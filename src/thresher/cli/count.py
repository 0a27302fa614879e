"""`thresher count`: the counts of a file of any size, to be merged, shared and evaluated without its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher._util.parse_number import parse_number
from thresher.cli.exit import CommandError, as_flags
from thresher.cli.options import DIRECTIONS, ROWS, Arguments, by_model, command, files
from thresher.cli.outputs import check_paths
from thresher.cli.reading import INSTEAD, count_rows, guessed
from thresher.cli.streams import say, write_text
from thresher.errors import ThresherError

if TYPE_CHECKING:
    from thresher.counts import Counts

EPILOG = """
\b
Examples:
  thresher count 'logs/2026-*.parquet' --label paid --positive no --score risk -o day.counts.parquet
  thresher merge day.counts.parquet yesterday.counts.parquet -o both.counts.parquet
  thresher report both.counts.parquet

\b
Memory does not grow with the rows. If scores are rounded, the summary says how far
that may move the AUC.
"""

ROW_ONLY = "probabilities classes normalize model_column truth key"
"""Options, and --cluster, that are refused with advice, which an unknown option could not give."""


@command(
    f"{ROWS.format('by cluster')} resolution memory from_sql pairs thresholds least output conditions quiet",
    files(), epilog=EPILOG, hidden=f"{ROW_ONLY} cluster",
)  # fmt: skip
def count(args: Arguments) -> None:
    """Reduce predictions to counts that can be merged, shared and reported without the rows.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin. It is read
    in parts, in memory that does not grow with its rows.
    """
    if flag := args.first_of(*ROW_ONLY.split(), "labels"):
        raise CommandError(
            f"`thresher count` reads --score columns and one --label in the same table, so {flag} does not go with it. "
            "Report on the rows: thresher report."
        )
    if args.cluster:
        raise CommandError(f"--cluster needs the rows, which counts lack. Report on the rows, or {INSTEAD}.")
    cuts = cuts_of(args.thresholds)
    if args.pairs and args.least:
        raise CommandError(
            "--pairs does not go with --min-cell: counts of pairs reveal single rows. Compare the models from counts "
            "that stay with you, and count again with --min-cell to share."
        )
    check_counts_file(args.output, args.inputs)
    if args.from_sql:
        write_counts(_of_query(args), args)
        return
    known, guesses = guessed(args)
    for guess in guesses:
        say(guess.note)
    check_compared(cuts, known.scores, pairs=args.pairs)
    write_counts(count_rows(known, cuts, pairs=args.pairs), args)


def check_compared(cuts: list[tuple[str | None, float]], scores: Sequence[str], *, pairs: bool) -> None:
    """Refuse thresholds of an unknown score, and pairs of one score."""
    if unknown := next((model for model, _ in cuts if model not in (None, *scores)), None):
        raise CommandError(f"--threshold {unknown}=…: there is no such score, but {', '.join(scores)}.")
    if pairs and len(scores) < 2:
        raise CommandError("--pairs compares scores of rows, and there is one score.")


def cuts_of(texts: tuple[str, ...]) -> list[tuple[str | None, float]]:
    """Thresholds, each of a model or of all; one may have several."""
    kinds = "a number on the scale of the scores, such as 0.5, nor MODEL=NUMBER"
    return [cut for text in texts for cut in by_model("--threshold", [text], parse_number, kinds).items()]


def _of_query(args: Arguments) -> Counts:
    """Return the counts of a query's result, which describes its own columns."""
    from thresher.readers.sql_result import counts_of_file

    others = ("scores", "label", "positive", "rest", "conditions", "resolution", "memory", *DIRECTIONS)
    columns = next(iter(args.assigned_columns.values()), None)
    if odd := args.first_of("thresholds", "pairs") or columns or args.first_of(*others):
        raise CommandError(f"the result of a query is counted already: {odd} was chosen when `thresher sql` was run.")
    if len(args.files) > 1:
        raise CommandError("--from-sql takes the result of one query: merge the counts of several with thresher merge.")
    try:
        found = counts_of_file(args.files[0], missing=args.missing)
    except ThresherError as error:
        if not {"positive", "rest"} & set(error.keywords):
            raise
        again = "The query chose the labels: print another by `thresher sql`, run it, and count its result."
        raise CommandError(f"{as_flags(error.sentence)} {again}") from error
    return found


def check_counts_file(output: str, inputs: tuple[str, ...]) -> None:
    """Refuse, before the work, a file that counts could not be written to."""
    from pathlib import Path

    if Path(output).suffix.lower() != ".parquet":
        named = "counts" if output == "-" else Path(output).stem
        raise CommandError(f"-o {output}: counts are saved in a Parquet file: write -o {named}.parquet.")
    check_paths([("-o", Path(output))], inputs)


def write_counts(found: Counts, args: Arguments) -> None:
    """Write counts, and describe them and the rounding of their scores."""
    found = found if args.least is None else found.with_least(args.least)
    found.save(args.output)
    if args.quiet:
        return
    for note in found.remarks:
        say(note)
    say(f"wrote {args.output}")
    write_text("\n".join(_summary(found)) + "\n")


def _summary(found: Counts) -> Any:
    from thresher.counts import rounding
    from thresher.counts.remarks import size_of
    from thresher.predictions.columns import counted as how_many

    grouped = f" in {how_many(len(found.groups), 'group')} by {', '.join(found.by)}" if found.by else ""
    dropped = f", {found.dropped:,} dropped" if found.dropped else ""
    yield f"{size_of(found)}{dropped}{grouped}; {found.label}: {found.classes[1]} (positive), {found.classes[0]}"
    for name, table in found.items():
        how = "merged" if found.least > 1 else "exact" if table.resolution is None else "rounded"
        scores = how_many(table.scores.size, "distinct score")
        yield f"  {name}: {table.P:,} positive, {table.N:,} negative at {scores}, {how}"
        if how == "rounded" and (text := rounding.note_of(table)) is not None:
            yield f"  {text}"
    if found.pairs is not None:
        yield "  pairs of scores are known, so that they can be compared"
