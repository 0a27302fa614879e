"""`thresher count`: the counts of a file of any size, to be merged, shared and evaluated without its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.exit import CommandError
from thresher.cli.flags import as_flags
from thresher.cli.kinds import Whole, by_model
from thresher.cli.options import (
    COLUMNS,
    DIRECTIONS,
    NUMBERS,
    OF_CLUSTERS,
    OUTPUT,
    ROWS,
    USUAL_RESOLUTION,
    GroupedCommand,
    Reading,
    memory_option,
    option,
    reading_options,
    resolution_option,
    together,
    where_option,
    words,
)
from thresher.cli.outputs import check_paths
from thresher.cli.reading import INSTEAD, count_rows, guessed
from thresher.cli.streams import say, write_text
from thresher.errors import ThresherError
from thresher.written import number as number_in

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

counts_output = option(
    OUTPUT, "-o", "--output", "output", metavar="FILE.parquet", required=True, help="File that the counts go to."
)
least_option = option(
    OUTPUT, "--min-cell", "least", type=Whole("a number of rows", least=1), metavar="N",
    help="Merge neighbouring scores until each has at least N rows of a class, or none, so that no smaller count is "
    "disclosed. Groups with fewer rows of a class are left out.",
)  # fmt: skip

threshold_option = option(
    NUMBERS, "--threshold", "thresholds", type=words, metavar="[MODEL=]T", multiple=True,
    help="Keep the counts on both sides of this threshold exact, for all models or for one; repeat it. A report of "
    "the counts uses it if it is the only one. Decisions at it can be compared with --pairs. Default: none.",
)  # fmt: skip

COUNT_OPTIONS = together(
    resolution_option(f"Default: {USUAL_RESOLUTION}"),
    memory_option,
    option(
        ROWS, "--from-sql", is_flag=True,
        help="FILE is the result, as CSV or Parquet, of the query that `thresher sql` prints.",
    ),
    option(
        ROWS, "--pairs", is_flag=True,
        help="Also count rows by the rounded scores of all models, to compare models from counts. Not with --min-cell, "
        "as this discloses counts of single rows.",
    ),
    threshold_option,
    least_option,
    counts_output,
    where_option,
)  # fmt: skip

by_option = option(
    COLUMNS, "--by", type=words, metavar="COLUMN", multiple=True, help="Column of subgroups; may be repeated."
)


cluster_option = option(COLUMNS, "--cluster", type=words, metavar="COLUMN", help=OF_CLUSTERS)
OF_ROWS = ("--proba", "--classes", "--normalize", "--model-column", "--truth", "--key")
"""Refused with what to do, as is --cluster, which options that do not exist could not say."""


@click.command(cls=GroupedCommand, epilog=EPILOG)
@reading_options(COUNT_OPTIONS, split=together(by_option, cluster_option))
def count(
    reading: Reading, from_sql: bool, pairs: bool, thresholds: tuple[str, ...], least: int | None, output: str
) -> None:
    """Count how scores fall, to merge, share and report without the rows.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin. It is read
    in parts, in memory that does not grow with its rows.
    """
    if flag := reading.first_of(*OF_ROWS, "several --label"):
        raise CommandError(
            f"`thresher count` reads --score columns and one --label in the same table, so {flag} does not go with it. "
            "Report on the rows: thresher report."
        )
    if reading.cluster:
        raise CommandError(f"--cluster needs the rows, and counts keep none. Report on the rows, or {INSTEAD}.")
    cuts = cuts_of(thresholds)
    if pairs and least:
        raise CommandError(
            "--pairs does not go with --min-cell: counts of pairs reveal single rows. Compare the models from counts "
            "that stay with you, and count again with --min-cell to share."
        )
    check_counts_file(output, reading.inputs)
    if from_sql:
        asked = "--threshold" if thresholds else "--pairs" if pairs else None
        write_counts(_of_query(reading, asked), output, least, quiet=reading.quiet)
        return
    known, guesses = guessed(reading)
    for guess in guesses:
        say(guess.said)
    check_compared(cuts, known.scores, pairs=pairs)
    found = count_rows(known, cuts, pairs=pairs)
    write_counts(found, output, least, quiet=reading.quiet)


# They share their declarations with commands that take them.
for refused in count.params:
    if isinstance(refused, click.Option) and not {"--cluster", *OF_ROWS}.isdisjoint(refused.opts):
        refused.hidden = True


def check_compared(cuts: list[tuple[str | None, float]], scores: Sequence[str], *, pairs: bool) -> None:
    """Refuse thresholds of what is none of the scores, and pairs of one score."""
    if unknown := next((model for model, _ in cuts if model not in (None, *scores)), None):
        raise CommandError(f"--threshold {unknown}=…: there is no such score, but {', '.join(scores)}.")
    if pairs and len(scores) < 2:
        raise CommandError("--pairs compares scores of rows, and there is one score.")


def cuts_of(texts: tuple[str, ...]) -> list[tuple[str | None, float]]:
    """Thresholds, each of a model or of all; one may have several."""
    kinds = "a number on the scale of the scores, such as 0.5, nor MODEL=NUMBER"
    return [cut for text in texts for cut in by_model("--threshold", [text], number_in, kinds).items()]


def _of_query(reading: Reading, asked: str | None) -> Counts:
    """Counts of the result of a query, which says itself what its columns are, and was `asked` nothing here."""
    from thresher.engines.query_result import counts_of_file

    others = ("--score", "--label", "--positive", "--rest", "--where", "--resolution", "--memory", *DIRECTIONS)
    if odd := asked or next(iter(reading.spoken_for.values()), None) or reading.first_of(*others):
        raise CommandError(f"the result of a query is counted already: {odd} was chosen when `thresher sql` was run.")
    if len(reading.files) > 1:
        raise CommandError("--from-sql takes the result of one query: merge the counts of several with thresher merge.")
    try:
        found = counts_of_file(reading.files[0], missing=reading.missing)
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


def write_counts(found: Counts, output: str, least: int | None, *, quiet: bool) -> None:
    """Write counts, and say what they are and how their scores are rounded."""
    found = found if least is None else found.with_least(least)
    found.save(output)
    if quiet:
        return
    for note in found.remarks:
        say(note)
    say(f"wrote {output}")
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
        if how == "rounded" and (said := rounding.sentence(table)) is not None:
            yield f"  {said}"
    if found.pairs is not None:
        yield "  pairs of scores are known, so that they can be compared"
