"""`thresher sql`: the query that counts scores in a database, for `thresher count --from-sql`."""

from __future__ import annotations

from thresher.cli.count import check_compared, cuts_of
from thresher.cli.options import Arguments, command
from thresher.cli.streams import write_text

EPILOG = """
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
    epilog=EPILOG,
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
