"""`thresher sql`: the query that counts scores where they lie, for `thresher count --from-sql` to read its result."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.count import check_compared, cuts_of, threshold_option
from thresher.cli.options import (
    COLUMNS,
    ROWS,
    GroupedCommand,
    debug_option,
    direction_of_texts,
    direction_option,
    option,
    resolution_option,
    weight_kind_option,
    words,
)
from thresher.cli.streams import write_text

DIALECTS = ("bigquery", "clickhouse", "duckdb", "postgres", "snowflake", "spark", "tsql")

CALLED = {"sqlserver": "tsql", "sql-server": "tsql", "mssql": "tsql", "postgresql": "postgres"}
"""What a dialect is called elsewhere → its name."""

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


class DialectChoice(click.Choice[str]):
    """A dialect by its name, or by what it is called elsewhere."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of the dialect."""
        return super().convert(CALLED.get(value.lower(), value), param, ctx)


@click.command(cls=GroupedCommand, epilog=EPILOG)
@option(
    ROWS, "--dialect", type=DialectChoice(DIALECTS), required=True, help="SQL of which system; tsql is SQL Server's."
)
@option(ROWS, "--table", type=words, metavar="TABLE", required=True, help="Table, as the query is to name it.")
@option(ROWS, "--where", type=words, metavar="CONDITION", help="Rows that are counted, in SQL.")
@option(COLUMNS, "--label", type=words, metavar="COLUMN", required=True, help="Column of the true labels.")
@option(
    COLUMNS,
    "--positive",
    type=words,
    metavar="LABEL",
    required=True,
    help="The positive label.",
)
@option(
    COLUMNS,
    "--rest",
    type=click.Choice(["negative"]),
    help="With three or more labels: take all but --positive as negative.",
)
@option(
    COLUMNS,
    "--score",
    "scores",
    type=words,
    metavar="COLUMN",
    multiple=True,
    required=True,
    help="Column of a model's scores; repeat it for several models.",
)
@option(COLUMNS, "--weight", type=words, metavar="COLUMN", help="Column of row weights.")
@weight_kind_option
@option(COLUMNS, "--by", type=words, metavar="COLUMN", multiple=True, help="Column of subgroups; may be repeated.")
@option(ROWS, "--lower-is-positive", is_flag=True, help="Low scores are positive.")
@direction_option
@resolution_option("With exact, rows are grouped by the score itself.", default=16, show_default=True)
@threshold_option
@option(
    ROWS,
    "--pairs",
    is_flag=True,
    help="Also count rows by the scores of all models, rounded to 6 bits each, to compare models from counts.",
)
@debug_option
def sql(
    dialect: str,
    table: str,
    where: str | None,
    label: str,
    positive: str,
    rest: str | None,
    scores: tuple[str, ...],
    weight: str | None,
    weight_kind: str,
    by: tuple[str, ...],
    lower_is_positive: bool,
    directions: tuple[str, ...],
    resolution: int | str,
    thresholds: tuple[str, ...],
    pairs: bool,
) -> None:
    """Print the SQL that counts scores in a database, whose result `thresher count --from-sql` reads."""
    from thresher.conventions import directions as by_name
    from thresher.counts.rounding import check_resolution
    from thresher.engines.warehouse import CountingQuery
    from thresher.evaluation.counted_rows import refuse_importance

    refuse_importance(weight_kind if weight is not None else None)
    cuts = cuts_of(thresholds)
    check_compared(cuts, scores, pairs=pairs)
    given: Any = direction_of_texts(directions, lower=lower_is_positive)
    query = CountingQuery(
        table=table, label=label, positive=positive, scores=scores, weights=weight, by=by,
        direction=by_name(given, scores), rest=rest, where=where, resolution=check_resolution(resolution),
        thresholds=[[cut for model, cut in cuts if model in (None, name)] for name in scores], pairs=pairs,
    )  # fmt: skip
    write_text(f"{query.sql(dialect)}\n")
