"""The query that counts scores in dyadic bins where the rows lie, in the words of any dialect.

The bins are chosen in three rounds, each with the counts of the one before: 4,096 equal ones of the range of the
scores, and each of them split into a power of two of parts, twice. A bin with p positives and n negatives has parts in
proportion to √(p·n), which for K parts in all leaves the least bound of the AUC, ½·(Σ√(p·n))²/(P·N·K), at most ½/K when
scores are spread evenly inside of the bins. A bin of one score is that score, and so is every score where there are no
more rows than parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from thresher.conventions import Direction, Directions, WeightKind, direction_of
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.nearest import did_you_mean

COARSE = 2**12
"""Bins of the first round."""

MIDDLE = 2**14
"""Parts of the second round at most."""

MARGIN = 0.75
"""Parts of the last round times the tolerance: ½ is what the bound needs, the rest is for what is not spread evenly."""

FINITE = "1.7976931348623157e308"
SUMS = (
    "SUM(weight * truth) AS positive, SUM(weight * (1 - truth)) AS negative, "
    "SUM(weight * weight * truth) AS positive_squares, "
    "SUM(weight * weight * (1 - truth)) AS negative_squares, COUNT(*) AS total"
)
VERSION = "1"
OUT = ("what", "name", "score", "width", "positive", "negative", "positive_squares", "negative_squares", "total")
"""Columns of the result, after which come those of the groups, `by_1` and so on."""

EXACT_BINS = "thresher_exact_bins"
"""Step of the distinct scores, which takes the place of the rounds where the tolerance is 0."""


@dataclass(frozen=True)
class CountingQuery:
    """What is counted: columns by their role, and the label that is positive as the dialect writes it in a text."""

    table: str
    label: str
    positive: str
    scores: Sequence[str]
    weights: str | None = None
    weight_kind: WeightKind = "importance"
    by: Sequence[str] = ()
    direction: Directions = "higher"
    rest: str | None = None
    where: str | None = None
    tolerance: float = 1e-6

    def sql(self, dialect: str) -> str:
        """The whole query."""
        words = dialect_of(dialect)
        steps = [*self.rows(words), *self.rounds(words)]
        listed = ",\n".join(f"{name} AS (\n  {text}\n)" for name, text in steps)
        return f"WITH {listed}\n{self.result(words)}"

    @property
    def parts(self) -> int:
        """Parts into which the bins of the last round are split, about."""
        return max(int(MARGIN / self.tolerance), COARSE)

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
        bad = [
            "weight IS NULL",
            words.is_nan.format("weight"),
            "weight < 0",
            "weight > 1e50",
            "weight > 0 AND weight < 1e-50",
        ]
        cases = f"WHEN {' OR '.join(bad)} THEN 'refused' WHEN weight = 0 THEN 'weightless' " if self.weights else ""
        missing = f"WHEN {' OR '.join(gaps)} THEN 'missing'"
        marked = f"SELECT thresher_given_rows.*, CASE {cases}{missing} ELSE 'counted' END AS what"
        signs = ["-" if each == "lower" else "" for each in self.directions]
        keys = "".join(f"{key}, " for key in self.keys)
        counted = [
            f"SELECT {i} AS score_number, {keys}{sign}score_{i} + 0.0 AS score, "
            f"CASE WHEN label_text = {words.literal(self.positive)} THEN 1 ELSE 0 END AS truth, "
            f"{'weight' if self.weights else '1'} AS weight FROM thresher_marked_rows WHERE what = 'counted'"
            for i, sign in enumerate(signs, 1)
        ]
        return [
            ("thresher_given_rows", given),
            ("thresher_marked_rows", f"{marked} FROM thresher_given_rows"),
            ("thresher_counted_rows", " UNION ALL\n  ".join(counted)),
        ]

    @property
    def directions(self) -> Sequence[Direction]:
        """Which end of each score is positive."""
        return [direction_of(self.direction, name) for name in self.scores]

    @property
    def keys(self) -> list[str]:
        """Columns of the groups in the query."""
        return [f"by_{i}" for i in range(1, len(self.by) + 1)]

    def rounds(self, words: Dialect) -> list[tuple[str, str]]:
        """Steps to the bins: the width of the first ones, and twice the counts in bins and the widths of their parts.

        Each is a table of a few thousand rows that the next ones join. With tolerance 0 every distinct score is a bin.
        """
        if self.tolerance == 0:
            keys = "".join(f", {key}" for key in self.keys)
            sums = f"SELECT score_number, score{keys}, {SUMS} FROM thresher_counted_rows"
            return [(EXACT_BINS, f"{sums} GROUP BY score_number, score{keys}")]
        power = words.power.format(f"{words.ceiling}({words.logarithm}(apart) / {words.logarithm}(2.0))")
        ends = f"MAX(score) / {COARSE} - MIN(score) / {COARSE} AS apart"
        range_ = (
            f"SELECT score_number, CASE WHEN apart > 1e-280 THEN {power} WHEN apart > 0 THEN "
            f"{words.power.format(-930)} ELSE 1.0 END AS width FROM (SELECT score_number, {ends} FROM "
            f"thresher_counted_rows WHERE {_finite('score')} "
            f"GROUP BY score_number) r"
        )
        return [
            ("thresher_range_widths", range_),
            ("thresher_bins_1", self._bins(words, 1)),
            ("thresher_widths_1", self._widths(words, 1, MIDDLE)),
            ("thresher_bins_2", self._bins(words, 2)),
            ("thresher_widths_2", self._widths(words, 2, self.parts)),
        ]

    def binned(self, words: Dialect, rounds: int) -> str:
        """CountingQuery of the rows with a finite score and the bin and width that they have after so many rounds."""
        keys = "".join(f"{key}, " for key in self.keys)
        hint = words.small.format
        first = (
            f"SELECT{hint('r')} c.score_number, {keys}score, truth, weight, {_floor('r.width')} AS bin, r.width AS "
            f"width FROM thresher_counted_rows c JOIN thresher_range_widths r ON r.score_number = c.score_number "
            f"WHERE {_finite('score')}"
        )
        for done in range(1, rounds):
            bin_ = (
                _floor("w.finer")
                if done == 1
                else f"CASE WHEN w.finer > 0 THEN {_floor('NULLIF(w.finer, 0)')} ELSE score END"
            )
            first = (
                f"SELECT{hint('w')} b.score_number, {keys}score, truth, weight, {bin_} AS bin, w.finer AS width "
                f"FROM ({first}{words.fence}) b {words.join} thresher_widths_{done} w "
                f"ON w.score_number = b.score_number AND w.bin = b.bin"
            )
        return first

    def _bins(self, words: Dialect, number: int) -> str:
        return (
            f"SELECT score_number, bin, MAX(width) AS width, SUM(weight * truth) AS positive, "
            f"SUM(weight * (1 - truth)) AS negative, MIN(score) AS low, MAX(score) AS high, COUNT(*) AS total "
            f"FROM ({self.binned(words, number)}) rows_of_bins GROUP BY score_number, bin"
        )

    def _widths(self, words: Dialect, number: int, parts: int) -> str:
        share = "CASE WHEN high > low THEN SQRT(positive) * SQRT(negative) ELSE 0.0 END"
        log = f"{words.logarithm}(split) / {words.logarithm}(2.0)"
        finer = f"CASE WHEN split > 1 THEN width / {words.power.format(f'{words.ceiling}({log})')} ELSE width END"
        if number == 2:  # scores of their own where they are as few as the parts
            finer = f"CASE WHEN total <= split OR every <= {parts} THEN 0.0 ELSE {finer} END"
        whole = "SUM(share) OVER (PARTITION BY score_number)"
        return (
            f"SELECT score_number, bin, {finer} AS finer FROM (SELECT score_number, bin, width, total, every, CASE "
            f"WHEN share > 0 THEN share * {float(parts)!r} / whole ELSE 0.0 END AS split FROM (SELECT score_number, "
            f"bin, width, share, total, {whole} AS whole, SUM(total) OVER (PARTITION BY score_number) AS every FROM "
            f"(SELECT score_number, bin, width, total, {share} AS share FROM thresher_bins_{number}) s) t) u"
        )

    def result(self, words: Dialect) -> str:
        """The last step: the counts of all bins, and under them what is to be known of the rows and of the query."""
        labels = (
            f"SELECT 'label', label_text, NULL, NULL, MAX(CASE WHEN label_text = {words.literal(self.positive)} THEN 1 "
            f"ELSE 0 END), NULL, NULL, NULL, COUNT(*){', NULL' * len(self.by)} FROM thresher_marked_rows "
            f"WHERE what = 'counted' GROUP BY label_text"
        )
        others = (
            f"SELECT what, NULL, NULL, NULL, NULL, NULL, NULL, NULL, COUNT(*){', NULL' * len(self.by)} FROM "
            f"thresher_marked_rows WHERE what <> 'counted' GROUP BY what"
        )
        facts = [
            f"SELECT {words.literal(what)}, {words.literal(name)}, NULL, NULL, NULL, NULL, NULL, NULL, {i}"
            f"{', NULL' * len(self.by)}"
            for i, (what, name) in enumerate(self.facts())
        ]
        return "\nUNION ALL\n".join([*self._counted(words), labels, others, *facts])

    def _counted(self, words: Dialect) -> list[str]:
        """Counts of the bins, those of infinite scores apart, or of the distinct scores."""
        keys = "".join(f", {key}" for key in self.keys)
        counts = f"{SUMS}{keys}"
        number = f"CAST(score_number AS {words.text})"
        if self.tolerance == 0:
            sums = f"{', '.join(OUT[4:])}{keys}"
            return [f"SELECT 'bin' AS what, {number} AS name, score, 0.0 AS width, {sums} FROM {EXACT_BINS}"]
        finite = (
            f"SELECT 'bin' AS what, {number} AS name, CASE WHEN MIN(score) = MAX(score) THEN MIN(score) ELSE "
            f"bin END AS score, CASE WHEN MIN(score) = MAX(score) THEN 0.0 ELSE MAX(width) END AS width, {counts} "
            f"FROM ({self.binned(words, 3)}) b GROUP BY score_number, bin{keys}"
        )
        infinite = (
            f"SELECT 'bin', {number}, score, 0.0, {counts} FROM thresher_counted_rows WHERE NOT {_finite('score')} "
            f"GROUP BY score_number, score{keys}"
        )
        return [finite, infinite]

    def facts(self) -> list[tuple[str, str]]:
        """What the result says of the query itself."""
        said = [
            ("version", VERSION),
            ("column", self.label),
            ("positive", self.positive),
            *(("direction", each) for each in self.directions[: 1 if isinstance(self.direction, str) else None]),
        ]
        said += [("rest", self.rest)] if self.rest else []
        said += [("where", condition)] if (condition := (self.where or "").strip()) else []
        said += [("weights", self.weight_kind)] if self.weights else []
        return [*said, *(("score", name) for name in self.scores), *(("by", name) for name in self.by)]


def _finite(score: str) -> str:
    return f"ABS({score}) <= {FINITE}"


def _floor(width: str) -> str:
    """Where the bin of a score begins; no score is divided by a wider one, of which subnormal quotients would be 0."""
    near = f"CASE WHEN score < 0 THEN -{width} ELSE 0.0 END"
    return f"CASE WHEN ABS(score) < {width} THEN {near} ELSE FLOOR(score / {width}) * {width} END"


@dataclass(frozen=True)
class Dialect:
    """Words of one dialect; `{}` in `is_nan` and `power` is where the value stands."""

    number: str = "DOUBLE"
    text: str = "VARCHAR"
    is_nan: str = "isnan({})"
    power: str = "POWER(2, {})"
    logarithm: str = "LN"
    ceiling: str = "CEIL"
    quotes: str = '""'
    small: str = ""
    """What follows SELECT to say that a joined table, which stands for `{}`, is small."""

    join: str = "JOIN"
    """How rows are joined with the widths of bins, of which each has its own, and none is left over."""

    fence: str = ""
    """What ends a subquery that is not to be mixed with the query around it."""

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
    "clickhouse": Dialect(
        number="Nullable(Float64)", text="Nullable(String)", is_nan="isNaN({})", logarithm="log", backslash=True
    ),
    "duckdb": Dialect(),
    "postgres": Dialect(
        number="DOUBLE PRECISION", text="TEXT", is_nan="{} = CAST('NaN' AS DOUBLE PRECISION)",
        power="POWER(CAST(2 AS DOUBLE PRECISION), {})",
        # It takes the rows to be few, and would compare each with each: a full join is always hashed or sorted.
        join="FULL JOIN", fence=" OFFSET 0", group="CAST({} AS TEXT)",  # or psql writes t and f
    ),
    "snowflake": Dialect(is_nan="{} = CAST('NaN' AS DOUBLE)", backslash=True),
    "spark": Dialect(text="STRING", small=" /*+ BROADCAST({}) */", **_C_TEXTS),  # type: ignore[arg-type]
    "tsql": Dialect(
        number="FLOAT", text="NVARCHAR(4000)", is_nan="1 = 0", power="POWER(CAST(2 AS FLOAT), {})", logarithm="LOG",
        ceiling="CEILING", quotes="[]",
    ),
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
