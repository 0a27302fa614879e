"""The rows of a Spark dataframe in SQL, and what one pass over them tells: labels, gaps and the range of each score."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from thresher.counts import ScoreTable
from thresher.counts.edges import Edges
from thresher.counts.loss_sums import SHAPE
from thresher.dataclass import dataclass
from thresher.engines.numbers import EXACT
from thresher.engines.warehouse import FINITE, OUT, CountingQuery, dialect_of
from thresher.predictions.columns import Encoded
from thresher.predictions.labels import find_classes, plain

NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean")
COUNTED_ROWS = "thresher_counted_rows"

MOST_LABELS = 10_001
"""Labels that come to the driver: more than any error names."""

_REASONS = ("refused", "weightless", "missing")


@dataclass(frozen=True)
class Facts:
    """What is known of the rows that count, and of each score in the order of the query."""

    labels: Mapping[str, int]
    """Rows that have each label, by its text."""

    others: Mapping[str, int]
    """Rows that do not count, by the reason."""

    ranges: Sequence[tuple[float, float] | None]
    """Least and greatest finite value; None where there is none."""

    infinite: Sequence[int]
    """Infinite values."""

    above: Sequence[Mapping[str, Sequence[float]]]
    """Rows of each label that are positive at the thresholds."""

    losses: Sequence[Mapping[str, Sequence[float]]]
    """Sums of the losses of the rows of each label, and of their squares; nothing where they are not asked for."""

    @property
    def rows(self) -> int:
        """Rows that count."""
        return sum(self.labels.values())

    def completed(self, table: ScoreTable, place: int, positive: str, thresholds: Sequence[float]) -> ScoreTable:
        """Table of bins that is cut at thresholds, with the sums of the losses."""
        edges = Edges(thresholds, table.direction)
        for label, above in self.above[place].items():
            edges.above[:, int(label != positive)] += above
        losses = np.zeros(SHAPE)
        for label, sums in self.losses[place].items():
            losses[int(label != positive)] += [*[self.labels[label]] * 2, *np.repeat(sums, [2, 1] * 3)]
        low, high = self.ranges[place] or (0.0, 1.0)
        if low < 0 or high > 1 or self.infinite[place] or table.direction == "lower":
            losses = np.full(SHAPE, np.nan)  # the scores are no probabilities
        whole: ScoreTable = edges.cut(replace(table, losses=losses if self.losses[place] else None))
        return whole


@dataclass(frozen=True)
class RowsQuery:
    """The rows of a view in SQL: the roles of its columns, the kind and the type in SQL of the label, and thresholds.

    The positive label of the query may be a guess as long as the labels are not known.
    """

    query: CountingQuery
    kind: str
    type: str
    thresholds: Sequence[Sequence[float]] = ()
    """Of each score, or of none."""

    @property
    def _label(self) -> str:
        """Numbers are compared as they are: to write them as text takes as long as all else."""
        name = dialect_of("spark").name(self.query.label)
        return name if self.kind in NUMBERS else f"CAST({name} AS STRING)"

    @property
    def _given(self) -> str:
        """Columns by their roles."""
        name, query = dialect_of("spark").name, self.query
        columns = [f"{self._label} AS label", *(f"{name(key)} AS by_{i}" for i, key in enumerate(query.by, 1))]
        columns += [f"CAST({name(score)} AS DOUBLE) AS score_{i}" for i, score in enumerate(query.scores, 1)]
        columns += [f"CAST({name(query.weights)} AS DOUBLE) AS weight"] if query.weights else []
        return f"SELECT {', '.join(columns)} FROM {query.table}"

    @property
    def _gaps(self) -> str:
        """Whether a row lacks its label or a score."""
        gaps = ["label IS NULL"]
        gaps += ["isnan(label)"] if self.kind in ("float", "double") else []
        gaps += ["label IN ('NaN', 'nan')"] if self.kind not in NUMBERS else []
        for i in range(1, len(self.query.scores) + 1):
            gaps += [f"score_{i} IS NULL", f"isnan(score_{i})"]
        return " OR ".join(gaps)

    def counted(self) -> str:
        """The rows that count, once for each score, which is turned about where lower ones are positive."""
        each = [
            f"SELECT {i} AS score_number, {self._keys}score, truth, weight FROM ({self.of_score(i)})"
            for i in range(1, len(self.query.scores) + 1)
        ]
        return " UNION ALL ".join(each)

    def of_score(self, number: int) -> str:
        """The rows that count, with one of the scores."""
        query = self.query
        sign = "-" if query.directions[number - 1] == "lower" else ""
        # A value instead of NULL, which is none of the rows: sums of what cannot be NULL take a fifth less.
        score = f"{sign}NVL(score_{number}, 0.0D) + 0.0D"
        return (
            f"SELECT {self._keys}{score} AS score, IF(label <=> {self._positive}, 1L, 0L) AS truth, "
            f"{'weight' if query.weights else '1'} AS weight FROM ({self._given}) WHERE NOT ({self._gaps})"
            + (" AND weight > 0" if query.weights else "")
        )

    @property
    def _keys(self) -> str:
        return "".join(f"{key}, " for key in self.query.keys)

    @property
    def has_losses(self) -> bool:
        """Whether the pass sums losses: of all rows together, each of which counts once."""
        return not self.query.weights and not self.query.by and self.query.tolerance > 0

    @property
    def _positive(self) -> str:
        """The positive label; what cannot be one of these labels is NULL, which none is equal to."""
        text = dialect_of("spark").literal(self.query.positive)
        return f"TRY_CAST({text} AS {self.type})" if self.kind in NUMBERS else text

    def _marked(self) -> str:
        """All rows, with what becomes of each: 0 of those that count, or the number of the reason why they do not."""
        bad = "weight IS NULL OR isnan(weight) OR weight < 0 OR weight > 1e50 OR (weight > 0 AND weight < 1e-50)"
        weighs = f"WHEN {bad} THEN 1 WHEN weight = 0 THEN 2 " if self.query.weights else ""
        columns = f"*, CASE {weighs}WHEN {self._gaps} THEN 3 ELSE 0 END AS what"
        for i in range(1, len(self.query.scores) + 1) if self.has_losses else ():
            hit, score = f"label <=> {self._positive}", f"score_{i}"
            columns += f", IF({hit}, 1 - {score}, {score}) AS wrong_{i}"
            # The logarithm of 0 is NULL.
            columns += f", NVL(IF({hit}, -LN({score}), -LOG1P(-{score})), DOUBLE('Infinity')) AS loss_{i}"
        return f"SELECT {columns} FROM ({self._given})"

    def facts(self, spark: Any) -> Facts:
        """What one pass tells; sums of losses only if the positive label is the right one."""
        count = len(self.query.scores)
        groups = ["COUNT(*)", *(f"COUNT_IF(what = {i})" for i in range(1, len(_REASONS) + 1))]
        blocks = [self._sums(i) for i in range(1, count + 1)]
        sums = [*groups, *(each for block in blocks for part in block for each in part)]
        named = ", ".join(f"{each} AS sum_{i}" for i, each in enumerate(sums))
        found = spark.sql(
            f"SELECT CAST(own AS STRING), * FROM (SELECT own, {named} FROM (SELECT *, IF(what = 0, label, NULL) AS own "
            f"FROM ({self._marked()})) GROUP BY own) LIMIT {MOST_LABELS}"
        ).collect()
        rows = {row[0]: list(row)[2:] for row in found}
        others = {reason: sum(row[i] for row in rows.values()) for i, reason in enumerate(_REASONS, 1)}
        counted = {text: row for text, row in rows.items() if text is not None}
        cut = {text: _cut(row[len(groups) :], blocks) for text, row in counted.items()}
        ends = [[each[i][0] for each in cut.values() if each[i][0][0] is not None] for i in range(count)]
        return Facts(
            labels={text: row[0] for text, row in counted.items()},
            others=others,
            ranges=[(min(each[0] for each in own), max(each[1] for each in own)) if own else None for own in ends],
            infinite=[sum(each[i][0][2] for each in cut.values()) for i in range(count)],
            above=[{text: each[i][1] for text, each in cut.items()} for i in range(count)],
            losses=[{text: each[i][2] for text, each in cut.items() if each[i][2]} for i in range(count)],
        )

    def _sums(self, number: int) -> tuple[list[str], list[str], list[str]]:
        """What is found of one score of the rows of a label: its range, what is beyond thresholds, and losses."""
        score = f"score_{number}"
        is_lower = self.query.directions[number - 1] == "lower"
        finite = f"IF(what = 0 AND ABS({score}) <= {FINITE}, {score}, NULL)"
        ends = [f"MIN({finite})", f"MAX({finite})", f"COUNT_IF(what = 0 AND ABS({score}) > {FINITE})"]
        cuts = self.thresholds[number - 1] if self.thresholds else ()
        above = [f"COUNT_IF({score} {'<=' if is_lower else '>='} {cut!r}D)" for cut in cuts]
        own = [f"wrong_{number} * wrong_{number}", f"loss_{number}", score] if self.has_losses else []
        return ends, above, [f"SUM({each})" for loss in own for each in (loss, f"({loss}) * ({loss})")]

    def meanings(self, texts: Sequence[str]) -> dict[str, Hashable]:
        """Labels by their text in Spark."""
        if self.kind == "boolean":
            return {text: text == "true" for text in texts}
        if self.kind in NUMBERS:
            return {text: plain(Decimal(text)) for text in texts}
        return {text: text for text in texts}

    def with_positive(self, labels: Mapping[str, Hashable], positive: Hashable | None, rest: Any) -> RowsQuery:
        """The same, knowing which of the labels is positive.

        Raises:
            InputError, OptionError: the labels do not tell, or not what was chosen.
        """
        if not labels:
            return self
        codes = Encoded(self.query.label, np.zeros(0, np.uint8), tuple(dict.fromkeys(labels.values())))
        chosen = find_classes([codes], scored=True, positive=positive, rest=rest).labels[1]
        texts = [text for text, label in labels.items() if label == chosen]
        return replace(self, query=replace(self.query, positive=texts[0] if texts else str(chosen)))

    def rest(self, facts: Facts) -> Any:
        """What the result of the counting query has beside its bins."""
        import pyarrow as pa

        said: list[tuple[str, str | None, float | None, int]]
        said = [("label", text, float(text == self.query.positive), total) for text, total in facts.labels.items()]
        said += [(reason, None, None, total) for reason, total in facts.others.items() if total]
        said += [(what, name, None, i) for i, (what, name) in enumerate(self.query.facts())]
        what, name, positive, total = zip(*said, strict=True)
        columns: dict[str, Any] = dict.fromkeys((*OUT, *self.query.keys), pa.nulls(len(said)))
        columns |= {"what": pa.array(what), "name": pa.array(name, pa.string())}
        columns |= {"positive": pa.array(positive, pa.float64()), "total": pa.array(total, pa.float64())}
        return pa.table(columns)


def wide_query(table: str, column: str) -> str:
    """One whole number that float64 cannot tell from its neighbour, if there is any."""
    name = dialect_of("spark").name(column)
    return f"SELECT {name} FROM {table} WHERE {name} NOT BETWEEN -{EXACT}L AND {EXACT}L LIMIT 1"


def changed_query(table: str, column: str, kind: str) -> str:
    """One decimal of a type that does not come back from float64 as it was, if there is any."""
    name = dialect_of("spark").name(column)
    return f"SELECT 1 FROM {table} WHERE NOT TRY_CAST(CAST({name} AS DOUBLE) AS {kind}) <=> {name} LIMIT 1"


def twins_query(table: str, column: str) -> str:
    """Two decimals that are one as float64, if there are such."""
    name = dialect_of("spark").name(column)
    ends = f"MIN({name}) AS low, MAX({name}) AS high"
    each = f"SELECT {ends} FROM {table} GROUP BY CAST({name} AS DOUBLE)"
    return f"SELECT low, high FROM ({each}) WHERE low <> high LIMIT 1"


def _cut(row: Sequence[Any], blocks: Sequence[Sequence[Sequence[str]]]) -> list[list[list[Any]]]:
    """What was found of the rows of a label, a block for each score, of parts as they were asked for."""
    values = iter(row)
    return [[[next(values) for _ in part] for part in block] for block in blocks]
