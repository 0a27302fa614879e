"""Lazy frames and frames count and evaluate as the same columns in memory do."""

import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import nanoarrow as na
import numpy as np
import pytest

import thresher as th
from engine_cases import CASES, Case, check, check_refused, every_case, every_error, pieces, relation_of, type_of
from thresher.errors import InputError
from thresher.readers import frames, load


def _dictionaries(case: Case) -> Any:
    return iter(pieces(case.columns))


def _nanoarrow(case: Case) -> Any:
    """A stream of one batch, which can be read once."""
    decimals = na.decimal128(38, 10)
    kinds = {"VARCHAR": na.string(), "BOOLEAN": na.bool_(), "DOUBLE": na.float64(), "BIGINT": na.int64()}
    kinds |= {"DECIMAL(38, 10)": decimals, "FLOAT": na.float32()}
    times = {"DATE": (na.date32(), "M8[D]", np.int32), "TIMESTAMP": (na.timestamp("us"), "M8[us]", np.int64)}
    times["TIMESTAMP WITH TIME ZONE"] = (na.timestamp("us", timezone="UTC"), *times["TIMESTAMP"][1:])
    kinds |= {name: kind for name, (kind, *_) in times.items()}
    schema = na.struct({name: kinds[type_of(values)] for name, values in case.columns.items()})

    def column(values: list[Any]) -> Any:
        if (found := times.get(type_of(values))) is not None:
            kind, unit, size = found
            moments = np.array(["NaT" if value is None else value.isoformat()[:26] for value in values], unit)
            known = np.packbits(~np.isnat(moments), bitorder="little")
            return na.c_array_from_buffers(kind, len(values), [known, moments.astype(np.int64).astype(size)])
        if (kind := kinds[type_of(values)]) is not decimals:
            return na.c_array(values, kind)
        stored = (int(value.scaleb(10)).to_bytes(16, sys.byteorder, signed=True) for value in values)
        return na.c_array_from_buffers(kind, len(values), [None, b"".join(stored)])

    columns = [column(values) for values in case.columns.values()]
    batch = na.c_array_from_buffers(schema, len(case.columns["y"]), [None], children=columns)
    return na.ArrayStream(na.c_array_stream(batch))


MAKERS: dict[str, Callable[[Case], Any]] = {
    "iterator of dictionaries": _dictionaries, "DuckDB": relation_of, "Arrow": _nanoarrow
}  # fmt: skip
every_maker = pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in MAKERS.items()])


@every_maker
@every_case
def test_counts_are_those_of_arrays(make, case):
    check(make(case), case)


@every_maker
@every_error
def test_what_is_wrong_is_said_as_of_arrays(make, case, said):
    if make is not _dictionaries:  # columns of one type
        kinds = [{type(value) for value in values if value is not None} for values in case.columns.values()]
        assert all(len(each) <= 1 for each in kinds)
    check_refused(make(case), case, said)


@every_maker
def test_rows_are_evaluated_as_those_of_arrays(make):
    case = CASES["two scores with gaps"]
    named = {"label": "y", "missing": "drop"}
    found, want = load(make(case), ["s", "t"], **named), load(case.columns, ["s", "t"], **named)
    assert (found.truth.tolist(), found.dropped, found.notes) == (want.truth.tolist(), want.dropped, want.notes)
    assert [values.tolist() for values in found.scores.values()] == [[0.9, 0.4, 0.4, 0.3], [5.0, 2.0, 2.0, np.inf]]
    aucs = [th.evaluate(data, ["s", "t"], **named)["t"].auc for data in (make(case), case.columns)]
    assert aucs[0] == aucs[1]


def test_groups_folds_clusters_predictions_and_posteriors_come_in_batches():
    columns = {
        "y": ["a", "b", "c", "a", "b"], "p_a": [1.0, 0.0, 0.25, 1.0, 0.0], "p_b": [0.0, 1.0, 0.25, 0.0, 1.0],
        "p_c": [0.0, 0.0, 0.5, 0.0, 0.0], "f": [1, 2, 1, 2, 1], "c": [7, 7, 8, 9, 9], "g": ["n", "s", "n", None, "n"],
    }  # fmt: skip
    named = {"label": "y", "probabilities": "p_", "by": "g", "fold": "f", "cluster": "c"}
    found, want = load(iter(pieces(columns)), **named), load(columns, **named)
    assert found == want
    hard = {"label": "y", "predicted": "z", "positive": "a", "rest": "negative"}
    columns |= {"z": ["a", "b", "b", "b", "a"]}
    assert load(iter(pieces(columns)), **hard) == load(columns, **hard)


def test_a_count_reads_in_parts_that_do_not_grow():
    from thresher.readers import parts

    rows = np.arange(3_000)
    batches = ({"y": rows[i : i + 100] % 2, "s": rows[i : i + 100] % 17} for i in range(0, 3_000, 100))
    sizes = [len(part.rows) for part in parts.load_parts(batches, "s", label="y", most=250)]
    assert sizes == [300] * 10
    relation = duckdb.sql("SELECT (i % 2)::TINYINT AS y, (i % 17) / 4 AS s FROM range(500000) r(i)")
    sizes = [len(part.rows) for part in parts.load_parts(relation, "s", label="y", most=10_000)]
    assert (max(sizes) < 200_000, sum(sizes)) == (True, 500_000)  # a batch of DuckDB is a part


def test_an_error_of_the_users_own_iterator_is_not_hidden():
    def broken():
        yield {"y": [1, 0], "s": [0.5, 0.4]}
        raise KeyError("my own")

    with pytest.raises(InputError, match="the iterator failed at batch 2: KeyError: 'my own'") as found:
        th.count(broken(), "s", label="y")
    assert isinstance(found.value.__cause__, KeyError)


WIDE = [Decimal("0.1234567890123456789") + i * Decimal("1e-20") for i in range(2)]
"""Two decimals that are one float64."""


def test_more_decimals_than_are_remembered_are_numbers_unless_float64_rounds_them(monkeypatch):
    monkeypatch.setattr(frames, "REMEMBERED", 3)
    short, y = [Decimal(i) / 10 for i in range(8)], [0, 1] * 4
    found = th.count(iter(pieces({"y": y, "s": short})), "s", label="y")
    assert found["s"].scores.tolist() == [float(each) for each in short[::-1]]
    for scores in ([*short[:-1], WIDE[0]], [WIDE[0], *short[1:]]):
        with pytest.raises(
            InputError,
            match=r"holds too many decimals to compare, and .*6789.* cannot be represented as float64",
        ):
            th.count(iter(pieces({"y": y, "s": scores})), "s", label="y")


def test_labels_of_parts_are_checked_together(monkeypatch):
    from thresher.readers import parts

    monkeypatch.setattr(parts, "ROWS", 2)
    gaps = {"y": ["b", "a", "b", "c", "a", "c"], "s": [1.0, 2.0, 3.0, 4.0, None, None], "w": [1, 1, 1, 1, 1, 1]}
    with pytest.raises(InputError, match="has 3 labels, 'a', 'b', 'c'"):
        th.count(iter(pieces(gaps)), "s", label="y", positive="b", missing="drop")


def test_a_function_that_was_not_called_is_told_to_be():
    """The sentence was that the data were arrays, of which no column can be named."""

    def rows():
        yield {"y": [0, 1], "a": [0.1, 0.9]}

    for read in (th.evaluate, th.count):
        with pytest.raises(InputError, match=r"the data are the function rows, not its result: call it.* rows\(\)"):
            read(rows, "a", label="y")
        assert list(read(rows(), "a", label="y")) == ["a"]
