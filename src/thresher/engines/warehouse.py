"""The query that counts rounded scores where the rows lie, in the words of any dialect."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.conventions import Direction, Directions, direction_of
from thresher.counts.rounding import BITS, ROUNDED_ROWS, sql_steps
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.nearest import did_you_mean

COUNTED_ROWS = "thresher_counted_rows"

VERSION = "3"
SUMS = ("positive", "negative")
OUT = ("what", "name", "score", *SUMS, "total")
"""Columns of the result, after which come those of the groups, `by_1` and so on."""


@dataclass(frozen=True)
class CountingQuery:
    """What is counted: columns by their role, and the label that is positive as the dialect writes it in a text."""

    table: str
    label: str
    positive: str
    scores: Sequence[str]
    weights: str | None = None
    by: Sequence[str] = ()
    direction: Directions = "higher"
    rest: str | None = None
    where: str | None = None
    resolution: int | None = BITS
    """Significant bits of the rounded scores; None for the scores as they are."""

    thresholds: Sequence[Sequence[float]] = ()
    """Of each score, those at which confusion matrices are exact; none of them by default."""

    def sql(self, dialect: str) -> str:
        """The whole query."""
        words = dialect_of(dialect)
        return f"{_listed([*self.rows(words), *self.rounding()])}\n{self.result(words)}"

    def rounding(self) -> list[tuple[str, str]]:
        """Return the steps from the rows that count to their rounded scores."""
        if self.resolution is None:
            return []
        cuts = [(i, cut) for i, cuts in enumerate(self.thresholds, 1) for cut in cuts]
        return sql_steps(COUNTED_ROWS, self.resolution, self.directions, cuts)

    def counts_of(self, rows: str) -> str:
        """Return the query of the counts alone, of a query of the rows that count."""
        return f"{_listed([(COUNTED_ROWS, rows), *self.rounding()])}\n{self.counts(dialect_of('spark'))}"

    def bad_weight(self, words: Dialect) -> str:
        """Test of a weight that no row may have."""
        bad = ["weight IS NULL", words.is_nan.format("weight"), "weight < 0", "weight > 1e50"]
        return " OR ".join([*bad, "weight > 0 AND weight < 1e-50", "weight <> FLOOR(weight)"])

    def rows(self, words: Dialect) -> list[tuple[str, str]]:
        """Steps to the rows: as they are read, what becomes of each, and those that count, one for each score."""

        def number(name: str) -> str:
            return f"CAST({words.name(name)} AS {words.number})"

        groups = [f"{words.group.format(words.name(name))} AS by_{i}" for i, name in enumerate(self.by, 1)]
        columns = [f"CAST({words.name(self.label)} AS {words.text}) AS label_text", *groups]
        columns += [f"{number(name)} AS score_{i}" for i, name in enumerate(self.scores, 1)]
        columns += [f"{number(self.weights)} AS weight"] if self.weights else []
        given = f"SELECT {', '.join(columns)} FROM {self.table}" + (f" WHERE {self.where}" if self.where else "")
        gaps = ["label_text IS NULL", "TRIM(label_text) = ''", "label_text IN ('NaN', 'nan')"]
        for i in range(1, len(self.scores) + 1):
            gaps += [f"score_{i} IS NULL", words.is_nan.format(f"score_{i}")]
        bad = self.bad_weight(words)
        cases = f"WHEN {bad} THEN 'refused' WHEN weight = 0 THEN 'weightless' " if self.weights else ""
        missing = f"WHEN {' OR '.join(gaps)} THEN 'missing'"
        marked = f"SELECT thresher_given_rows.*, CASE {cases}{missing} ELSE 'counted' END AS what"
        keys = "".join(f"{key}, " for key in self.keys)
        counted = [
            f"SELECT {i} AS score_number, {keys}score_{i} + 0.0 AS score, "
            f"CASE WHEN label_text = {words.literal(self.positive)} THEN 1 ELSE 0 END AS truth, "
            f"{'weight' if self.weights else '1'} AS weight FROM thresher_marked_rows WHERE what = 'counted'"
            for i in range(1, len(self.scores) + 1)
        ]
        return [
            ("thresher_given_rows", given),
            ("thresher_marked_rows", f"{marked} FROM thresher_given_rows"),
            (COUNTED_ROWS, " UNION ALL\n  ".join(counted)),
        ]

    @property
    def directions(self) -> Sequence[Direction]:
        """Which end of each score is positive."""
        return [direction_of(self.direction, name) for name in self.scores]

    @property
    def keys(self) -> list[str]:
        """Columns of the groups in the query."""
        return [f"by_{i}" for i in range(1, len(self.by) + 1)]

    def result(self, words: Dialect) -> str:
        """Return the last step: the counts of all scores, and below them facts on the rows and the query."""
        labels = (
            f"SELECT 'label', label_text, NULL, MAX(CASE WHEN label_text = {words.literal(self.positive)} THEN 1 "
            f"ELSE 0 END), NULL, COUNT(*){', NULL' * len(self.by)} FROM thresher_marked_rows "
            f"WHERE what = 'counted' GROUP BY label_text"
        )
        others = (
            f"SELECT what, NULL, NULL, NULL, NULL, COUNT(*){', NULL' * len(self.by)} FROM "
            f"thresher_marked_rows WHERE what <> 'counted' GROUP BY what"
        )
        facts = [
            f"SELECT {words.literal(what)}, {words.literal(name)}, NULL, NULL, NULL, {i}{', NULL' * len(self.by)}"
            for i, (what, name) in enumerate(self.facts())
        ]
        return "\nUNION ALL\n".join([self.counts(words), labels, others, *facts])

    def counts(self, words: Dialect) -> str:
        """Return the step that groups the rows by their scores."""
        keys = "".join(f", {key}" for key in self.keys)
        score, rows = ("score", COUNTED_ROWS) if self.resolution is None else ("rounded", ROUNDED_ROWS)
        each = ["weight * truth", "weight * (1 - truth)"] if self.weights else ["truth", "1 - truth"]
        sums = ", ".join(f"SUM({value}) AS {name}" for name, value in zip(SUMS, each, strict=True))
        return (
            f"SELECT 'count' AS what, CAST(score_number AS {words.text}) AS name, {score} AS score, {sums}, "
            f"COUNT(*) AS total{keys} FROM {rows} GROUP BY score_number, {score}{keys}"
        )

    def facts(self) -> list[tuple[str, str]]:
        """What the result says of the query itself."""
        said = [
            ("version", VERSION),
            ("column", self.label),
            ("positive", self.positive),
            *(("direction", each) for each in self.directions[: 1 if isinstance(self.direction, str) else None]),
        ]
        said += [("resolution", str(self.resolution))] if self.resolution is not None else []
        said += [("rest", self.rest)] if self.rest else []
        said += [("where", condition)] if (condition := (self.where or "").strip()) else []
        said += [("weights", "frequency")] if self.weights else []
        return [*said, *(("score", name) for name in self.scores), *(("by", name) for name in self.by)]


def _listed(steps: Sequence[tuple[str, str]]) -> str:
    return "WITH " + ",\n".join(f"{name} AS (\n  {text}\n)" for name, text in steps)


@dataclass(frozen=True)
class Dialect:
    """Words of one dialect; the value takes the place of `{}` in `is_nan`."""

    number: str = "DOUBLE"
    text: str = "VARCHAR"
    is_nan: str = "isnan({})"
    quotes: str = '""'
    group: str = "{}"
    """How a value of a group, where `{}` is, goes into the result."""

    backslash: bool = False
    """Whether a backslash in a text has a meaning, which two of them have not."""

    doubled: bool = True
    """Whether a quotation mark in a text is written twice; else it stands after a backslash."""

    def name(self, name: str) -> str:
        """Name of a column."""
        opens, closes = self.quotes[0], self.quotes[1]
        return f"{opens}{name.replace(closes, closes * 2)}{closes}"

    def literal(self, text: str) -> str:
        """A text, whatever it holds."""
        text = text.replace("\\", "\\\\") if self.backslash else text
        return "'" + text.replace("'", "''" if self.doubled else "\\'") + "'"


_C_TEXTS = {"quotes": "``", "backslash": True, "doubled": False}

DIALECTS = {
    "bigquery": Dialect(number="FLOAT64", text="STRING", is_nan="IS_NAN({})", **_C_TEXTS),  # type: ignore[arg-type]
    "clickhouse": Dialect(number="Nullable(Float64)", text="Nullable(String)", is_nan="isNaN({})", backslash=True),
    "duckdb": Dialect(),
    "postgres": Dialect(
        number="DOUBLE PRECISION", text="TEXT", is_nan="{} = CAST('NaN' AS DOUBLE PRECISION)",
        group="CAST({} AS TEXT)",  # or psql writes t and f
    ),
    "snowflake": Dialect(is_nan="{} = CAST('NaN' AS DOUBLE)", backslash=True),
    "spark": Dialect(text="STRING", **_C_TEXTS),  # type: ignore[arg-type]
    "tsql": Dialect(number="FLOAT", text="NVARCHAR(4000)", is_nan="1 = 0", quotes="[]"),
}  # fmt: skip


def dialect_of(name: str) -> Dialect:
    """Dialect by its name.

    Raises:
        OptionError: there is none of this name.
    """
    if name not in DIALECTS:
        raise OptionError(
            f"there is no dialect {name!r}.{did_you_mean(name, list(DIALECTS))} There are {', '.join(DIALECTS)}."
        )
    return DIALECTS[name]
