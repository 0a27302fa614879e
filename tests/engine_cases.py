"""Small tables with everything that an engine may get wrong, and what it is to count of each: what arrays give."""

from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pytest

import thresher as th
from thresher.errors import ThresherError

INF, NAN = float("inf"), float("nan")


class Case(NamedTuple):
    """Columns and the options of `count`; `names` are the scores."""

    columns: dict[str, list[Any]]
    options: dict[str, Any]
    scores: tuple[str, ...] = ("s",)


def _case(y: list[Any], s: list[Any], *, more: dict[str, list[Any]] | None = None, **options: Any) -> Case:
    columns = {"y": y, "s": s, **(more or {})}
    return Case(columns, options, ("s", "t") if "t" in columns else ("s",))


Y = [1, 0, 1, 0, 1, 0, 0, 1]
S = [0.9, 0.8, 0.8, 0.4, 0.4, 0.4, -3.5, 1e-9]
FREQUENCY = {"weight_kind": "frequency"}
CASES = {
    "ties": _case(Y, S),
    "signed zeros": _case([1, 0, 0, 1, 1, 0], [0.0, -0.0, 0.0, -0.0, -1e-9, 1e-9]),
    "infinities": _case(Y, [INF, INF, -INF, 0.5, -INF, 0.25, 1e300, -1e300]),
    "lower": _case(Y, [INF, 0.5, -0.0, 0.0, -INF, 0.25, -0.5, 1.0], direction="lower"),
    "both directions": _case(
        Y, S, more={"t": [5.0, 4.0, -0.0, 2.0, 2.0, INF, 1.0, 0.0]}, direction={"s": "higher", "t": "lower"}
    ),
    "minus one": _case([-1, -1, -1, 1, 1, -1], [0.1, 0.2, 0.3, 0.3, 0.4, 0.5]),
    "fractions of labels": _case([0.0, 1.0, 0.0, 1.0], [0.1, 0.2, 0.2, 0.3]),
    "truth values": _case([True, False, True, True], [0.1, 0.2, 0.2, 0.3]),
    "texts": _case(["no", "yes", "no", "Zürich"], [0.1, 0.2, 0.2, 0.3], positive="yes", rest="negative"),
    "two texts": _case(["it's", "yes", "it's", "yes"], [0.1, 0.2, 0.2, 0.3], positive="it's"),
    "words of more than 12 bytes": _case(
        ["positive diagnosis", "negative diagnosis"] * 4, S, by="g", positive="positive diagnosis",
        more={"g": ["Universitätsspital", "Zürich", None, "Zürich"] * 2},
    ),
    "numbers of labels": _case([3, 7, 3, 7, 7], [0.1, 0.2, 0.2, 0.3, 0.1], positive=3),
    "a positive label that comes late": _case([3, 3, 3, 3, 7, 7], S[:6], positive="7"),
    "a positive label among others": _case([1, 3, 3, 1, 7, 1], S[:6], positive="7", rest="negative"),
    "one class": _case([0, 0, 0], [0.1, 0.2, 0.2]),
    "one class named": _case(["no", "no", "no"], [0.1, 0.2, 0.2], positive="yes"),
    "one number, another positive": _case([5, 5, 5], [0.1, 0.2, 0.2], positive=6),
    "blank texts": _case(["a", "", "b", " ", "a"], [0.1, 0.2, 0.2, 0.5, 0.3], positive="a", missing="drop"),
    "gaps": _case([1, 0, None, 0, 1, 1, None], [0.9, NAN, 0.8, None, 0.4, 0.3, 0.2], missing="drop"),
    "two scores with gaps": _case(
        [1, 0, 1, 0, 1, 0], [0.9, NAN, 0.8, 0.4, 0.4, 0.3], more={"t": [5.0, 4.0, None, 2.0, 2.0, INF]}, missing="drop"
    ),
    "frequencies": _case(Y, S, more={"w": [1, 2, 0, 4, 5, 6, 7, 0]}, weights="w", weight_kind="frequency"),
    "groups": _case(Y, S, more={"g": ["b", "a", "b", None, "a", "b", "c", None]}, by="g"),
    "two groups": _case(
        Y, S, more={"g": ["b", "a", "b", "b", "a", "b", "c", "a"], "h": [1, 2, 1, 1, 2, 2, 10, 2]}, by=["g", "h"]
    ),
    "true groups": _case(Y, S, more={"g": [True, False, None, True, False, True, True, False]}, by="g"),
    "labels of rows that do not count": _case(
        ["a", "odd", "b", "odd", "a", "b"], [0.1, NAN, 0.2, 0.4, 0.6, 0.8], more={"w": [1, 1, 1, 0, 2, 3]},
        weights="w", weight_kind="frequency", positive="a", missing="drop",
    ),
    "batches of which nothing counts": _case(
        [1, 1, 0, 0, 1, 1, 0, 0], [0.1, 0.2, NAN, NAN, 0.3, 0.3, 0.4, 0.4], more={"w": [0, 0, 1, 1, 2, 3, 1, 1]},
        weights="w", weight_kind="frequency", missing="drop",
    ),
    "nothing at the end": _case([0, 1, 0, 1], [0.1, 0.2, NAN, None], missing="drop"),
    "whole scores": _case(Y, [3, 3, 2, 2, 1, 1, 0, -4]),
    "true scores": _case(Y, [True, False, True, True, False, True, False, False]),
    "decimals of scores": _case(Y, [Decimal(f"{s:.10f}") for s in (*S[:-1], -0.1234567891)]),
    "decimals beside wide ones": _case([1, 0, 1], [Decimal("1234567890123456.5"), Decimal("-0.1"), Decimal("0.3")]),
    "the largest whole score": _case([1, 0, 1, 0], [2**53, -(2**53), 3, 1]),
    "odd names": _case(Y, S, more={'g"; DROP\'': [1, 1, 1, 2, 2, 2, 3, 3]}, by='g"; DROP\''),
}  # fmt: skip

DAYS = [date(2020, 1, 1), date(1815, 6, 18), date(2020, 1, 1), date(1815, 6, 18)]
MOMENTS = [datetime(2020, 10, 25, hour, 30, 0, 123456) for hour in (0, 1, 0, 1)]  # one hour in Berlin
ZONED = [moment.replace(tzinfo=UTC) for moment in MOMENTS]
TENTHS = [np.float32(tenth / 10) for tenth in (9, 8, 8, 4, 1, 1, 3, 4)]
TYPED = CASES | {
    "dates": _case(DAYS, S[:4], positive=DAYS[1]),
    "dates named by text": _case([*DAYS, None], S[:5], positive="1815-06-18", missing="drop"),
    "one date": _case(DAYS[:1] * 2, S[:2], positive=DAYS[1]),
    "several dates": _case([*DAYS, date(2021, 1, 1)], S[:5], positive=DAYS[0], rest="negative"),
    "moments": _case(MOMENTS, S[:4], positive=MOMENTS[1]),
    "moments with a zone": _case(ZONED, S[:4], positive=ZONED[1]),
    "dates of groups": _case(Y[:5], S[:5], more={"g": [*DAYS, None]}, by="g"),
    "moments of groups": _case(Y[:5], S[:5], more={"g": [*MOMENTS, None]}, by="g"),
    "decimals of labels": _case([Decimal("0.5"), Decimal("1.0"), Decimal("0.5")], S[:3], positive=0.5),
    "NaN and None are texts": _case(["NaN", "None", "NaN", "None"], S[:4], positive="NaN"),
    "nan and null are texts": _case(["nan", "null", "", "null"], S[:4], positive="null", missing="drop"),
    "blanks of any kind": _case(["a", "\t", "b", "\n", "\u3000", "\x1f\x85"], S[:6], positive="a", missing="drop"),
    "an infinite label": _case([INF, 0.5, INF], S[:3], positive=0.5),
    "float32 scores": _case(Y, TENTHS, thresholds=[float(TENTHS[4])]),
    "float32 labels": _case(TENTHS[3:6], S[:3], positive=float(TENTHS[3])),
    "float32 groups": _case(Y, S, more={"g": TENTHS}, by="g"),
    "true weights": _case(Y, S, more={"w": [True, True, False, True] * 2}, weights="w", **FREQUENCY),
}  # fmt: skip
"""The same, and columns of types that what is written in a file, or to a warehouse's result, has not."""

WRONG = {
    "a gap in a score": (_case([1, 0, 1], [0.1, None, 0.3]), "score column 's' is empty"),
    "NaN in a score": (_case([1, 0, 1], [0.1, NAN, 0.3]), "score column 's' is empty"),
    "a gap in a label": (_case([1, None, 0], [0.1, 0.2, 0.3]), "label column 'y' is empty"),
    "three labels": (_case([0, 1, 0, 2], [0.1, 0.2, 0.3, 0.4]), "has 3 labels"),
    "labels that say nothing": (_case(["a", "b", "a", "b"], [0.1, 0.2, 0.3, 0.4]), "which of the labels"),
    "another positive label": (_case(["a", "b", "a"], [0.1, 0.2, 0.3], positive="c"), "is not among the labels"),
    "labels that look alike": (_case(["a", "b", "a "], [0.1, 0.2, 0.3], positive="b"), "differ only by blanks"),
    "a negative weight": (
        _case([0, 1, 1], [0.1, 0.2, 0.3], more={"w": [1, -1, 2]}, weights="w", **FREQUENCY),
        "weight column 'w'",
    ),
    "frequencies of half a row": (
        _case([0, 1, 1], [0.1, 0.2, 0.3], more={"w": [1.0, 2.5, 0.0]}, weights="w", weight_kind="frequency"),
        "weight",
    ),
    "no weight": (
        _case([0, 1, 1], [0.1, 0.2, 0.3], more={"w": [1.0, None, 2.0]}, weights="w", **FREQUENCY),
        "weight column 'w'",
    ),
    "weights of nothing": (_case([0, 1, 1], [0.1, 0.2, 0.3], more={"w": [0, 0, 0]}, weights="w", **FREQUENCY), "is 0"),
    "nothing left": (_case([0, 1], [None, NAN], missing="drop"), "no row is left"),
    "text for scores": (_case([0, 1], ["0.1", "x"]), "score column 's'"),
    "no such column": (_case([0, 1], [0.1, 0.2], by="h"), "no column 'h'"),
    "a whole score too many": (_case([0, 1, 1], [2**53 + 1, 2, 1]), "float64 cannot tell"),
    "a whole score too few": (_case([0, 1, 1], [1, 2, -(2**53) - 1]), "float64 cannot tell"),
    "decimals that become one": (
        _case([0, 1, 1], [Decimal(f"1234567890123456.000000000{i}") for i in range(3)]),
        "float64 cannot tell",
    ),
    "decimals that become one, of weights": (
        _case(
            [0, 1, 1],
            [Decimal(f"1234567890123456.000000000{i}") for i in range(3)],
            more={"w": [1.0, 2.0, 1.0]},
            weights="w",
            **FREQUENCY,
        ),
        "float64 cannot tell",
    ),
    "a whole weight too many": (
        _case([0, 1, 1], [0.1, 0.2, 0.3], more={"w": [2**53 + 1, 2, 1]}, weights="w", **FREQUENCY),
        "float64 cannot tell",
    ),
    "decimals that become one far apart": (
        _case([0, 1, 0, 1, 1], [Decimal(f"1234567890123456.{i}") for i in ("0", "25", "5", "75", "1")]),
        "float64 cannot tell",
    ),
    "an infinite weight": (
        _case([0, 1, 1], [0.1, 0.2, 0.3], more={"w": [1.0, INF, 2.0]}, weights="w", **FREQUENCY),
        "'w'",
    ),
}

every_case = pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in TYPED.items()])
every_error = pytest.mark.parametrize(
    ("case", "said"), [pytest.param(case, said, id=name) for name, (case, said) in WRONG.items()]
)


def pieces(columns: dict[str, list[Any]], rows: int = 2) -> list[dict[str, list[Any]]]:
    """Columns in batches, of which the second and the last are empty."""
    size = len(columns["y"])
    slices = [slice(i, i + rows) for i in range(0, size, rows)]
    return [{name: values[part] for name, values in columns.items()} for part in (*slices[:1], slice(0), *slices[1:],
                                                                                  slice(0))]  # fmt: skip


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One database for all tests, as to open one takes 30 ms; what is temporary is a cursor's own."""
    return duckdb.connect()


def relation_of(case: Case) -> Any:
    """Relation of a table whose types DuckDB finds by the values."""
    connection = database().cursor()
    types = {name: type_of(values) for name, values in case.columns.items()}
    columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in types.items())
    connection.execute(f"CREATE TEMP TABLE t ({columns})")
    connection.executemany(
        f"INSERT INTO t VALUES ({', '.join('?' * len(types))})",
        [
            [v.item() if isinstance(v, np.float32) else v for v in row]
            for row in zip(*case.columns.values(), strict=True)
        ],
    )
    return connection.table("t")


_TYPES = {
    Decimal: "DECIMAL(38, 10)", date: "DATE", datetime: "TIMESTAMP", np.float32: "FLOAT"
}  # fmt: skip


def type_of(values: list[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and (kind := _TYPES.get(next(iter(kinds)))) is not None:
        return f"{kind} WITH TIME ZONE" if getattr(values[0], "tzinfo", None) else kind
    return "VARCHAR" if str in kinds else "BOOLEAN" if kinds == {bool} else "DOUBLE" if float in kinds else "BIGINT"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check(data: Any, case: Case, *, note_of_truth: bool = True, **more: Any) -> None:
    """Counts of the data are those of the same columns as arrays."""
    found = th.count(data, list(case.scores), label="y", **case.options, **more)
    check_found(found, case)
    if note_of_truth:
        assert found.notes == th.count(case.columns, list(case.scores), label="y", **case.options).notes


def check_found(found: th.Counts, case: Case) -> None:
    """Counts are those of the columns of a case as arrays."""
    want = th.count(case.columns, list(case.scores), label="y", **case.options)
    assert (found.classes, found.label, found.by) == (want.classes, want.label, want.by)
    assert [type(label) for label in found.classes] == [type(label) for label in want.classes]
    assert (found.read, found.dropped, found.weightless) == (want.read, want.dropped, want.weightless)
    assert set(found.groups) == set(want.groups)
    assert {type(value) for key in found.groups for value in key} == {type(v) for key in want.groups for v in key}
    for key, tables in want.groups.items():
        assert list(found.groups[key]) == list(tables)
        for name, table in tables.items():
            _same(found.groups[key][name], table)


def _same(found: th.ScoreTable, want: th.ScoreTable) -> None:
    assert (found.direction, found.weight_kind, found.resolution) == (want.direction, want.weight_kind, None)
    assert found.scores.tobytes() == want.scores.tobytes()  # 0.0, and never -0.0
    for name in ("positive", "negative", "positive_squares", "negative_squares"):
        ours, theirs = getattr(found, name), getattr(want, name)
        assert (ours is None) == (theirs is None), name
        if ours is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def check_refused(data: Any, case: Case, said: str) -> None:
    """Data are refused with the same sentence, but for the row, which an engine without an order of rows cannot say."""
    with pytest.raises(ThresherError) as arrays:
        th.count(case.columns, list(case.scores), label="y", **case.options)
    assert said in str(arrays.value)
    with pytest.raises(ThresherError) as found:
        th.count(data, list(case.scores), label="y", **case.options)
    assert said in str(found.value)
    assert type(found.value) is type(arrays.value)
