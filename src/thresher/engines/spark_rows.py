"""The rows of a Spark dataframe in SQL, and what one pass over them tells: labels, gaps and the range of each score."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.dataclass import dataclass
from thresher.engines import one_column
from thresher.engines.numbers import EXACT
from thresher.engines.warehouse import OUT, CountingQuery, dialect_of
from thresher.predictions.columns import Encoded
from thresher.predictions.labels import find_classes, plain

NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean")

_WORDS = ("string", "char", "varchar")

TEXTS = {
    **dict.fromkeys((*_WORDS, "date", "timestamp_ntz", "daytimeinterval", "void"), "CAST({} AS STRING)"),
    "timestamp": "CAST(UNIX_MICROS({}) AS STRING)",  # written as date and time, two are one where clocks go back
    "binary": "CONCAT('x', HEX({}))",
}
"""Text of a label of each kind that is no number, which no other label has."""

BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What stands around a text for Python, where SQL trims spaces."""

MOST_LABELS = 10_001
"""Labels that come to the driver: more than any error names."""

MOST_AGGREGATES = 80
"""Aggregates that a query asks for: Java does not compile the code of many more, which then takes ten times as long."""

_REASONS = ("refused", "weightless", "missing")

_SIDES = ("positive", "negative")

_Named = dict[tuple[Any, ...], Any]
"""Something by what it is of, which score and side, and its number."""

_Labels = tuple[dict[str | None, list[int]], dict[str, Hashable]]
"""Rows that have each label, by its text, or why they do not count, under no text; and the labels by their texts."""

_OF_ONE_SIZE = frozenset(NUMBERS) - {"decimal"}
"""Kinds of labels of which the least and the greatest are found in no time, where to group by them takes some."""


@dataclass(frozen=True)
class Facts:
    """What is known of the rows that count, and of each score in the order of the query."""

    labels: Mapping[str, int]
    """Rows that have each label, by its text."""

    meanings: Mapping[str, Hashable]
    """Labels by their text, the positive one among them, which may have no rows."""

    others: Mapping[str, int]
    """Rows that do not count, by the reason."""

    ranges: Sequence[tuple[float, float] | None]
    """Least and greatest finite value; None where there is none."""

    heaviest: float | None
    """Largest weight, of all rows; None without weights or rows."""

    @property
    def rows(self) -> int:
        """Rows that count."""
        return sum(self.labels.values())


@dataclass(frozen=True)
class RowsQuery:
    """The rows of a view in SQL: the roles of its columns, and the kind and the type in SQL of the label.

    The positive label of the query may be a guess as long as the labels are not known.
    """

    query: CountingQuery
    kind: str
    type: str

    @property
    def _label(self) -> str:
        """Numbers are compared as they are: to write them as text takes as long as all else."""
        name = dialect_of("spark").name(self.query.label)
        if self.kind not in NUMBERS:
            return TEXTS[self.kind].format(name)
        return f"{name} + CAST(0 AS {self.type})" if self.kind in ("float", "double") else name  # -0.0 is 0.0

    @property
    def _given(self) -> str:
        """Columns by their roles."""
        name, query = dialect_of("spark").name, self.query
        columns = [f"{self._label} AS label", f"{name(query.label)} AS value"]
        columns += [f"{name(key)} AS by_{i}" for i, key in enumerate(query.by, 1)]
        columns += [f"CAST({name(score)} AS DOUBLE) AS score_{i}" for i, score in enumerate(query.scores, 1)]
        columns += [f"CAST({name(query.weights)} AS DOUBLE) AS weight"] if query.weights else []
        return f"SELECT {', '.join(columns)} FROM {query.table}"

    @property
    def _gaps(self) -> str:
        """Whether a row lacks its label or a score."""
        gaps = ["label IS NULL"]
        gaps += ["isnan(label)"] if self.kind in ("float", "double") else []
        blanks = dialect_of("spark").literal(BLANKS)
        # Most labels begin with a letter: to look for nothing but blanks in these takes a third more time.
        begin = "label < '!' OR label > '~'"
        gaps += [f"(({begin}) AND TRIM(LEADING {blanks} FROM label) = '')"] if self.kind in _WORDS else []
        for i in range(1, len(self.query.scores) + 1):
            gaps += [f"score_{i} IS NULL", f"isnan(score_{i})"]
        return " OR ".join(gaps)

    def counted(self) -> str:
        """Return the query of the rows that count, once for each score."""
        query = self.query
        keys = "".join(f"{key}, " for key in query.keys)
        # A value instead of NULL, which is none of the rows: sums of what cannot be NULL take a fifth less.
        each = [
            f"SELECT {i} AS score_number, {keys}NVL(score_{i}, 0.0D) + 0.0D AS score, "
            f"IF(label <=> {self._positive}, 1L, 0L) AS truth, {'weight' if query.weights else '1'} AS weight "
            f"FROM ({self._given}) WHERE NOT ({self._gaps})" + (" AND weight > 0" if query.weights else "")
            for i in range(1, len(query.scores) + 1)
        ]
        return " UNION ALL ".join(each)

    @property
    def _positive(self) -> str:
        """The positive label; what cannot be one of these labels is NULL, which none is equal to."""
        text = dialect_of("spark").literal(self.query.positive)
        return f"TRY_CAST({text} AS {self.type})" if self.kind in NUMBERS else text

    def _marked(self) -> str:
        """All rows, with what becomes of each: 0 of those that count, or the number of the reason why they do not."""
        bad = self.query.bad_weight(dialect_of("spark"))
        weighs = f"WHEN {bad} THEN 1 WHEN weight = 0 THEN 2 " if self.query.weights else ""
        return f"SELECT *, CASE {weighs}WHEN {self._gaps} THEN 3 ELSE 0 END AS what FROM ({self._given})"

    def facts(self, spark: Any, positive: Hashable | None, rest: Any) -> tuple[RowsQuery, Facts]:
        """The query that knows which label is positive, and what is to know of the rows.

        One pass tells where there are two labels, which are numbers, of which the guess was right.

        Raises:
            InputError, OptionError: the labels do not tell which is positive, or not what was chosen.
        """
        found = self._of_sides(spark) if self.kind in _OF_ONE_SIZE else {}
        labels, meanings = _labels_of(found) or self._of_labels(spark)
        counted = {text: labels[text][0] for text in meanings}
        known, chosen = self._with_positive(meanings, positive, rest)
        found = found or known._of_sides(spark)
        scores = range(1, len(self.query.scores) + 1)
        ends = [(found["low", i], found["high", i]) for i in scores]
        return known, Facts(
            labels=counted,
            meanings={known.query.positive: chosen} | meanings,
            others={why: sum(rows[i] for rows in labels.values()) for i, why in enumerate(_REASONS, 1)},
            ranges=[None if pair[0] is None else pair for pair in ends],
            heaviest=found.get(("heaviest",)),
        )

    def _of_labels(self, spark: Any) -> _Labels:
        """Rows of each label that count, and, under no label, those that do not by the reason."""
        counts = ["COUNT(*)", *(f"COUNT_IF(what = {i})" for i in range(1, len(_REASONS) + 1))]
        named = ", ".join(f"{each} AS rows_{i}" for i, each in enumerate(counts))
        own = "IF(what = 0, label, NULL) AS own, IF(what = 0, value, NULL) AS first"
        # A text, kept as the first of its group, makes Spark sort the rows.
        known = "own" if self.kind in (*NUMBERS, *_WORDS) else "FIRST(first)"
        found = spark.sql(
            f"SELECT own, {known} AS known, {named} FROM (SELECT *, {own} FROM ({self._marked()})) GROUP BY own "
            f"LIMIT {MOST_LABELS}"
        ).toArrow()
        column = one_column.encoded(found.column("known"), self.query.label, "label")
        values = [(*column.values, None)[code] for code in column.codes]
        texts = map(text_of, values) if self.kind in NUMBERS else found.column("own").to_pylist()
        rows = zip(*(found.column(name).to_pylist() for name in found.column_names[2:]), strict=True)
        meanings = {None if value is None else text: value for text, value in zip(texts, values, strict=True)}
        return dict(zip(meanings, map(list, rows), strict=True)), {text: meanings[text] for text in meanings if text}

    def _of_sides(self, spark: Any) -> _Named:
        """What is asked of the rows of both classes, as the positive label was guessed: without groups, which cost."""
        hit = f"label <=> {self._positive}"
        columns = [f"what = 0 AND {'' if side == 'positive' else 'NOT '}({hit}) AS {side}" for side in _SIDES]
        rows = f"SELECT *, {', '.join(columns)} FROM ({self._marked()})"
        asked = list(self._aggregates().items())
        queries = -(-len(asked) // MOST_AGGREGATES)
        found: _Named = {}
        for part in (asked[i * len(asked) // queries : (i + 1) * len(asked) // queries] for i in range(queries)):
            named = ", ".join(f"{text} AS sum_{i}" for i, (_, text) in enumerate(part))
            (row,) = spark.sql(f"SELECT {named} FROM ({rows})").collect()
            found |= zip((name for name, _ in part), row, strict=True)
        return found

    def _aggregates(self) -> _Named:
        """Aggregates by what they are, of which side and score."""
        found: _Named = {("rows", why): f"COUNT_IF(what = {i})" for i, why in enumerate(_REASONS, 1)}
        found |= {("heaviest",): "MAX(weight)"} if self.query.weights else {}
        for side in _SIDES:
            found["rows", side] = f"COUNT_IF({side})"
            ends = {"least": "MIN", "greatest": "MAX"} if self.kind in _OF_ONE_SIZE else {}
            found |= {(what, side): f"{end}(label) FILTER (WHERE {side})" for what, end in ends.items()}
        for i in range(1, len(self.query.scores) + 1):
            finite = f"what = 0 AND ABS(score_{i}) < DOUBLE('Infinity')"
            found["low", i] = f"MIN(score_{i}) FILTER (WHERE {finite})"
            found["high", i] = f"MAX(score_{i}) FILTER (WHERE {finite})"
        return found

    def _with_positive(
        self, labels: Mapping[str, Hashable], positive: Hashable | None, rest: Any
    ) -> tuple[RowsQuery, Hashable]:
        """The same, knowing which of the labels is positive, and that label.

        Raises:
            InputError, OptionError: the labels do not tell, or not what was chosen.
        """
        if not labels:
            return self, positive
        codes = Encoded(self.query.label, np.zeros(0, np.uint8), tuple(dict.fromkeys(labels.values())))
        chosen = find_classes([codes], scored=True, positive=positive, rest=rest).labels[1]
        texts = [text for text, label in labels.items() if label == chosen]
        return replace(self, query=replace(self.query, positive=texts[0] if texts else text_of(chosen))), chosen

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


def text_of(label: Hashable) -> str:
    """How a number or truth value is written that Spark is to read."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _labels_of(found: _Named) -> _Labels | None:
    """Rows by their label, and those that do not count; None where one of the sides has more than one label."""
    others = [found.get(("rows", why), 0) for why in _REASONS]
    labels: dict[str | None, list[int]] = {None: [0, *others]} if any(others) else {}
    meanings: dict[str, Hashable] = {}
    for side in _SIDES:
        if not found or found["least", side] != found["greatest", side]:
            return None
        if found["rows", side]:
            label = plain(found["least", side])
            labels[text_of(label)] = [found["rows", side], *(0 for _ in others)]
            meanings[text_of(label)] = label
    return labels, meanings
