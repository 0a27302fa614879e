"""Counts: `thresher count` of a file of any size, `merge` of several files, and `sql` for counting in a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thresher._util.parse_number import parse_number
from thresher.cli.exit import CommandError, as_flags
from thresher.cli.options import DIRECTIONS, ROWS, Arguments, by_model, command, files
from thresher.cli.outputs import check_paths
from thresher.cli.reading import INSTEAD, count_rows, counts_of, guessed, named, named_files
from thresher.cli.streams import say, write_text
from thresher.errors import ThresherError

if TYPE_CHECKING:
    from thresher.counts import Counts


COUNT_EXAMPLES = """
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
    files(), epilog=COUNT_EXAMPLES, hidden=f"{ROW_ONLY} cluster",
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


MERGE_EXAMPLES = """
\b
Examples:
  thresher merge 'days/*.counts.parquet' -o month.counts.parquet
  thresher merge north.counts.parquet south.counts.parquet --min-cell 10 -o all.counts.parquet
  thresher report month.counts.parquet
  thresher merge north.counts.parquet south=s2.counts.parquet --by site -o sites.counts.parquet

\b
With --by every file stays a group with the name of the file, or NAME in NAME=FILE; files
of one name in several folders are named with their folder. The mean AUC over the groups
allows for differences between them (random effects).
"""


@command("by least output quiet", files(), epilog=MERGE_EXAMPLES)
def merge(args: Arguments) -> None:
    """Add up counts that `thresher count` wrote.

    FILE is a file of counts, or a pattern such as 'days/*.counts.parquet'. All have the same scores, label and groups.
    """
    if len(args.by) > 1:
        raise CommandError(f"--by {' --by '.join(args.by)}: files are told apart by one column. Leave out the others.")
    by = args.by[0] if args.by else None
    if by is None and (odd := next((file for file in args.files if named(file)[0]), None)):
        raise CommandError(
            f"{odd}: NAME=FILE names a group, and needs --by with the column of the groups, as in --by site. "
            "Without --by leave the name out."
        )
    names = named_files(args.files) if by is not None else {}
    paths = tuple(names) or args.files
    check_counts_file(args.output, paths)
    found = counts_of(paths, by, names)
    write_counts(found, args)
    if by is not None and not args.quiet and found.weight_kind != "importance":
        write_text("\n".join(_over_sites(found, by)) + "\n")


def _over_sites(found: Counts, by: str) -> Iterator[str]:
    """The AUC of every score over the files, where they may differ."""
    from thresher.counts import Counts
    from thresher.errors import OptionError
    from thresher.evaluation import evaluate
    from thresher.predictions.columns import counted

    parts = {value: found.only({by: value}) for value in dict.fromkeys(key[0] for key in found.groups)}
    for name in found:
        try:
            alone = {value: part.of_scores([name]) for value, part in parts.items()}
            groups = evaluate(Counts.of_parts(alone, by=by), undefined="nan").groups
            auc = groups.random_effects("auc")[name]
        except OptionError as error:
            yield f"  {name}: {error}"
            continue
        limits = f"[{auc.low:.4f}, {auc.high:.4f}]" if auc.low is not None else f"({auc.reason})"
        wider = f"[{auc.modified[0]:.4f}, {auc.modified[1]:.4f}]" if auc.is_alike and auc.modified else limits
        alike = f", or {wider} if the groups agree by chance only" if wider != limits else ""
        ahead = f"; for another {by} [{auc.prediction[0]:.4f}, {auc.prediction[1]:.4f}]" if auc.prediction else ""
        over = counted(auc.sites, "group")
        few = "; two groups say little about others" if auc.is_of_two else ""
        left = f"; {auc.omitted} without a value or an error left out" if auc.omitted else ""
        yield f"  {name}: mean ROC AUC {auc.value:.4f} {limits} over {over}{few}{alike}{ahead}{left} ({auc.method})"


SQL_EXAMPLES = """
\b
Examples:
  thresher sql --dialect postgres --table predictions --label paid --positive no --score risk > count.sql
  psql --csv -f count.sql > counts.csv
  thresher count --from-sql counts.csv -o day.counts.parquet
  thresher report day.counts.parquet

\b
The query reads only the columns that it names, and returns one row for each rounded
score and label; with --resolution exact, one for each distinct score and label. Labels
are compared as the text that the dialect makes of them.
"""


@command(
    "dialect table conditions label positive rest scores weight weight_kind by lower_is_positive directions resolution "
    "thresholds pairs",
    epilog=SQL_EXAMPLES,
)
def sql(args: Arguments) -> None:
    """Print SQL that counts scores in a database, for `thresher count --from-sql`."""
    from thresher.conventions import directions
    from thresher.counts.rounding import check_resolution
    from thresher.evaluation.counted_rows import refuse_importance
    from thresher.readers.sql import CountingQuery

    refuse_importance(args.weight_kind if args.weight is not None else None)
    cuts, scores = cuts_of(args.thresholds), args.scores
    check_compared(cuts, scores, pairs=args.pairs)
    query = CountingQuery(
        scores=scores, weights=args.weight, where=args.conditions, direction=directions(args.direction, scores),
        thresholds=[[cut for model, cut in cuts if model in (None, name)] for name in scores],
        resolution=check_resolution(args.resolution),
        **args.select("table", "label", "positive", "by", "rest", "pairs"),
    )  # fmt: skip
    write_text(f"{query.sql(args.dialect)}\n")
