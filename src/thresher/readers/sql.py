"""The query that counts rounded scores in a database, in any SQL dialect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thresher._util.did_you_mean import did_you_mean
from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Direction, Directions, direction_of
from thresher.counts.joint import BITS as BITS_OF_PAIRS
from thresher.counts.rounding import BITS, sql_steps
from thresher.errors import OptionError

COUNTED_ROWS = "thresher_counted_rows"
VERSION = "3"
TEXTS = ("what", "name", "label")
NUMBERS = ("total", "score", "weight")
OUT = (*TEXTS, *NUMBERS)
"""Columns of the result; the groups (`by_1`, …) and the pairs (`pair_1`, …) follow."""


@dataclass(frozen=True)
class CountingQuery:
    """Columns to count by role, and the positive label."""

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
    """Significant bits of the rounded scores; None for unrounded scores."""

    thresholds: Sequence[Sequence[float]] = ()
    """Thresholds by score with exact confusion matrices; none by default."""

    pairs: bool = False
    """Whether rows are also counted by the scores of all models together, with the fewest bits that pairs may have."""

    def sql(self, dialect: str) -> str:
        """The whole query."""
        words = dialect_of(dialect)
        empty = ", NULL" * (len(NUMBERS) - 1 + len(self.keys) + len(self.pair_columns))
        facts = [
            f"SELECT {words.literal(what)}, {words.literal(name)}, NULL, {i}{empty}"
            for i, (what, name) in enumerate(self.facts())
        ]
        return "\nUNION ALL\n".join([self.counting(words, f"CAST({{}} AS {words.text})"), *facts])

    def counting(self, words: Dialect, label: str = "{}") -> str:
        """Return the query without its description; `label` maps a value of that column to the grouping value."""
        steps = [*self.rows(words, label), *self.rounding()]
        rows = steps[-1][0]
        weights = f", {'SUM(weight)' if self.weights else '0'} AS weight"
        keys, pairs = (", ".join(["", *columns]) for columns in (self.keys, self.pair_columns))
        typed = "".join(f", CAST(NULL AS {words.number}) AS {pair}" for pair in self.pair_columns)
        parts = [
            f"SELECT 'count' AS what, '{i}' AS name, label, COUNT(*) AS total, {score} AS score{weights}{keys}{typed} "
            f"FROM {rows} GROUP BY label, {score}{keys}"
            for i, score in enumerate(self.score_columns, 1)
        ]
        if self.pairs:
            parts += [
                f"SELECT 'pair', NULL, label, COUNT(*), NULL{weights}{keys}{pairs} FROM {rows} "
                f"GROUP BY label{keys}{pairs}"
            ]
        empty = ", NULL" * (len(NUMBERS) - 1 + len(self.keys) + len(self.pair_columns))
        parts += [f"SELECT what, NULL, NULL, COUNT(*){empty} FROM thresher_marked_rows GROUP BY what"]
        listed = ",\n".join(f"{name} AS (\n  {text}\n)" for name, text in steps)
        return f"WITH {listed}\n" + "\nUNION ALL\n".join(parts)

    def rows(self, words: Dialect, label: str) -> list[tuple[str, str]]:
        """Return the steps to the counted rows: read, classify, filter."""

        def number(name: str) -> str:
            return f"CAST({words.name(name)} AS {words.number})"

        scores = [f"score_{i}" for i in range(1, len(self.scores) + 1)]
        columns = [f"{label.format(words.name(self.label))} AS label"]
        columns += [f"{words.group.format(words.name(name))} AS by_{i}" for i, name in enumerate(self.by, 1)]
        columns += [f"{number(name)} AS {score}" for name, score in zip(self.scores, scores, strict=True)]
        columns += [f"{number(self.weights)} AS weight"] if self.weights else []
        given = f"SELECT {', '.join(columns)} FROM {self.table}" + (f" WHERE {self.where}" if self.where else "")
        tests = ["weight IS NULL", words.is_nan.format("weight"), "weight < 0", "weight > 1e50"]
        bad = " OR ".join([*tests, "weight > 0 AND weight < 1e-50", "weight <> FLOOR(weight)"])
        cases = f"WHEN {bad} THEN 'refused' WHEN weight = 0 THEN 'weightless' " if self.weights else ""
        gaps = " OR ".join(f"{score} IS NULL OR {words.is_nan.format(score)}" for score in scores)
        marked = f"SELECT thresher_given_rows.*, CASE {cases}WHEN {gaps} THEN 'missing' ELSE 'counted' END AS what"
        kept = ["label", *self.keys, *(f"{score} + 0.0 AS {score}" for score in scores)]
        kept += ["weight"] if self.weights else []
        return [
            ("thresher_given_rows", given),
            ("thresher_marked_rows", f"{marked} FROM thresher_given_rows"),
            (COUNTED_ROWS, f"SELECT {', '.join(kept)} FROM thresher_marked_rows WHERE what = 'counted'"),
        ]

    def rounding(self) -> list[tuple[str, str]]:
        """Return the steps from the counted rows to rounded scores, and to pairs."""
        steps: list[tuple[str, str]] = []
        for bits, into in ((self.resolution, "rounded"), (BITS_OF_PAIRS[-1] if self.pairs else None, "pair")):
            rows = steps[-1][0] if steps else COUNTED_ROWS
            steps += [] if bits is None else sql_steps(rows, bits, self.directions, self.thresholds, into=into)
        return steps

    @property
    def directions(self) -> Sequence[Direction]:
        """Which end of each score is positive."""
        return [direction_of(self.direction, name) for name in self.scores]

    @property
    def keys(self) -> list[str]:
        """Columns of the groups in the query."""
        return [f"by_{i}" for i in range(1, len(self.by) + 1)]

    @property
    def score_columns(self) -> list[str]:
        """Columns that rows are grouped by, of each score."""
        name = "score" if self.resolution is None else "rounded"
        return [f"{name}_{i}" for i in range(1, len(self.scores) + 1)]

    @property
    def pair_columns(self) -> list[str]:
        """Columns of the scores that are counted together."""
        return [f"pair_{i}" for i in range(1, len(self.scores) + 1)] if self.pairs else []

    def facts(self) -> Iterator[tuple[str, str]]:
        """Facts about the query itself, in its result."""
        yield from (("version", VERSION), ("column", self.label), ("positive", self.positive))
        yield from (("direction", each) for each in self.directions)
        yield from (("score", name) for name in self.scores)
        yield from (("by", name) for name in self.by)
        optional = {
            "resolution": self.resolution, "rest": self.rest, "where": (self.where or "").strip() or None,
            "weights": "frequency" if self.weights else None, "pairs": self.pairs or None,
        }  # fmt: skip
        yield from ((what, str(found)) for what, found in optional.items() if found is not None)
        yield from ((f"threshold {i}", repr(cut)) for i, cuts in enumerate(self.thresholds, 1) for cut in cuts)


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
    """Whether a backslash is an escape, so that two are one."""

    doubled: bool = True
    """Whether a quotation mark in a text is doubled; else a backslash precedes it."""

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
    """Dialect by its name."""
    if name not in DIALECTS:
        raise OptionError(
            f"there is no dialect {name!r}.{did_you_mean(name, list(DIALECTS))} There are {', '.join(DIALECTS)}."
        )
    return DIALECTS[name]
