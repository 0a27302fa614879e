"""Values stay what they are: no two labels, groups or scores become one on their way, or an error says so."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.readers import load
from thresher.readers.numbers import Apart, number_objects
from written_files import parquet, write

ODD = 2**53 + 1
"""The first whole number that float64 does not hold."""


@pytest.mark.parametrize("positive", [str(ODD), f"{ODD}.0", ODD, np.int64(ODD)])
def test_the_positive_label_is_compared_exactly(positive):
    for y in ([ODD - 1, ODD], [ODD, ODD - 1]):
        assert load(y, [0.1, 0.2], positive=positive).classes == (ODD - 1, ODD)
    write("x.csv", f"y,a\n{ODD - 1},1\n{ODD},2\n")
    assert load("x.csv", "a", label="y", positive=positive).classes == (ODD - 1, ODD)


def test_a_float_names_only_the_label_that_it_is():
    assert load([ODD - 1, ODD], [0.1, 0.2], positive=np.float64(ODD)).classes == (ODD, ODD - 1)


def test_stated_classes_are_compared_exactly():
    stated = [str(ODD - 1), str(ODD), str(ODD + 2)]
    rows = load([ODD - 1, ODD, ODD], probabilities=[[0.2, 0.3, 0.5]] * 3, labels=stated)
    assert rows.classes == (ODD - 1, ODD, ODD + 2)
    rows = load([1, 2, 2], probabilities=[[0.2, 0.3, 0.5]] * 3, labels=["1", "2", "1e999999999"])
    assert rows.classes[2] == Decimal("1e999999999")


@pytest.mark.parametrize("kind", ["DECIMAL(38, 0)", "DECIMAL(18, 0)", "DECIMAL(20, 2)", "BIGINT", "UBIGINT"])
def test_identifiers_of_a_typed_file_stay_apart(kind):
    parquet("x.parquet", f"SELECT i % 2 AS y, 0.5 AS a, ({ODD - 1} + i % 2)::{kind} AS g FROM range(4) t(i)")
    rows = load("x.parquet", "a", label="y", by="g", fold="g", cluster="g")
    for column in (rows.by["g"], rows.fold, rows.cluster):
        assert column.values == (ODD - 1, ODD)
        assert column.codes.tolist() == [0, 1, 0, 1]
    rows = load("x.parquet", "a", label="g", positive=str(ODD))
    assert rows.classes == (ODD - 1, ODD)
    assert rows.truth.tolist() == [0, 1, 0, 1]


def test_decimals_are_the_floats_that_are_written_alike():
    parquet(
        "x.parquet", "SELECT i % 2 AS y, i / 10::DECIMAL(5, 1) AS a, (i / 10)::DECIMAL(9, 2) AS g FROM range(4) t(i)"
    )
    rows = load("x.parquet", "a", label="y", by="g")
    assert rows.by["g"].values == (0, 0.1, 0.2, 0.3)
    assert rows.scores["a"].tolist() == [0, 0.1, 0.2, 0.3]


def test_decimal_scores_are_refused_only_where_two_become_one():
    parquet("x.parquet", "SELECT i % 2 AS y, ('0.1234567890123456789' || i)::DECIMAL(38, 20) AS a FROM range(4) t(i)")
    with pytest.raises(InputError, match=r"holds 0\.12345678901234567893 in row 4 of x.parquet, which float64 cannot"):
        load("x.parquet", "a", label="y")
    parquet(
        "x.parquet", "SELECT i % 2 AS y, ('0.' || i || '234567890123456789')::DECIMAL(38, 20) AS a FROM range(4) t(i)"
    )
    assert load("x.parquet", "a", label="y").scores["a"][3] == pytest.approx(0.3234567890123457, abs=1e-16)


@pytest.mark.parametrize("text", ["1_000", "+-1", "1e400", "-1e400", "9" * 400])
def test_text_that_is_no_number_of_float64_is_no_score(text):
    said = "is not a number" if {"_", "-"} & set(text[1:]) else "is too large for float64"
    if said.startswith("is too"):
        with pytest.raises(InputError, match=said):
            load(write("x.jsonl", f'{{"y":0,"a":{text}}}\n{{"y":1,"a":1}}\n'), "a", label="y")


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1e400", "1e401"], ("1e400", "1e401")), (["9" * 5000, "8" * 5000], ("8" * 5000, "9" * 5000)),
        (["0.10000000000000000001", "0.1"], ("0.1", "0.10000000000000000001")),
        ([f"{ODD}.0", f"{ODD - 1}.0"], (f"{ODD - 1}.0", f"{ODD}.0")),
        (["1e23", "1" + "0" * 23, "0"], ("0", "1" + "0" * 23, "1e23")), (["1.50", "1.5", "2"], ("1.5", "1.50", "2")),
        (["1.1", "1.10"], ("1.1", "1.10")), (["1.10", "2"], ("1.10", "2")), (["2.5", "1e-05", "3"], (1e-05, 2.5, 3)),
        (["1e-400", "0"], ("0", "1e-400")),
    ],
)  # fmt: skip
def test_groups_of_a_text_file_are_exact(texts, values):
    rows = "".join(f"{i % 2},{i},{text}\n" for i, text in enumerate(texts))
    assert load(write("x.csv", "y,a,g\n" + rows), "a", label="y", by="g").by["g"].values == values


@pytest.mark.parametrize("digits", [400, 5000])
def test_numbers_of_very_many_digits_are_no_labels(digits):
    write("x.jsonl", f'{{"y":{"1" * digits},"a":1}}\n{{"y":1,"a":2}}\n')
    with pytest.raises(InputError, match=r"column 'y' has '111.*write numbers of so many digits as text"):
        load("x.jsonl", "a", label="y", positive=1)
    assert load([10**300, 1], [0.1, 0.2], positive=1).classes == (10**300, 1)


TIED = [
    np.longdouble(1) + np.arange(3) * np.longdouble(2) ** -60,
    [np.longdouble(1), np.longdouble(1) + np.longdouble(2) ** -60, np.longdouble(2)],
    [Decimal(1), Decimal("1.00000000000000000001"), Decimal(2)],
    [Fraction(1), 1 + Fraction(1, 2**60), Fraction(2)],
    np.array([10**30, 10**30 + 1, 1], dtype=object),
    [ODD, 0.5, 1],
    [2**63, 2**63 + 1, -1],
    [Decimal("1e400"), Decimal(1), Decimal(2)],
    [10**400, 1.5, 2],
]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="long double is float64 here")
@pytest.mark.parametrize("scores", TIED, ids=range(len(TIED)))
def test_scores_that_float64_would_tie_are_refused(scores):
    with pytest.raises(InputError, match=r"score.*float64"):
        load([0, 1, 0], scores)


def test_wide_numbers_that_stay_apart_are_scores():
    for scores in (
        np.array([1.5, 2.25, 3], dtype=np.longdouble),
        [Decimal("0.1"), Decimal("0.2"), Decimal("Infinity")],
        [Fraction(1, 3), Fraction(2, 3), 1],
    ):
        assert load([0, 1, 0], scores).scores["score"].tolist() == [float(score) for score in scores]


@pytest.mark.parametrize(
    "values",
    [
        [ODD - 1, ODD, 0.5],
        [2**63, 2**63 + 1, -1],
        [Decimal(ODD - 1), Decimal(ODD), Decimal("0.5")],
        [2**70, 2**70 + 1, 0],
    ],
)
def test_groups_of_large_numbers_stay_apart(values):
    assert load([0, 1, 0], [1, 2, 3], by=values).by["group"].values == tuple(sorted(values))


def test_missing_decimals_are_missing():
    for gone in (Decimal("NaN"), Decimal("sNaN")):
        with pytest.raises(InputError, match="is empty in row 1"):
            load([gone, Decimal(1)], [0.1, 0.2])
        assert load([0, 1], [0.1, 0.2], by=[gone, gone]).by["group"].values == ("(missing)",)


EPOCH = datetime(1970, 1, 1)


@pytest.mark.parametrize(
    ("unit", "values"),
    [
        ("M8[D]", (date(1970, 1, 1), date(1970, 1, 2), date(1970, 1, 3))),
        ("M8[us]", tuple(EPOCH + timedelta(microseconds=i) for i in range(3))),
        (">M8[us]", tuple(EPOCH + timedelta(microseconds=i) for i in range(3))),
        ("m8[us]", tuple(timedelta(microseconds=i) for i in range(3))),
        ("M8[ns]", tuple(f"1970-01-01T00:00:00.00000000{i}" for i in range(3))),
        ("m8[ns]", tuple(f"{i} nanoseconds" for i in range(3))),
    ],
)
def test_times_of_numpy_stay_apart(unit, values):
    rows = load([0, 1, 0], [1, 2, 3], by=np.arange(3).astype(unit), cluster=list(np.arange(3).astype(unit)))
    assert rows.by["group"].values == rows.cluster.values == values


def test_whole_microseconds_are_times_of_python_whatever_the_unit():
    days = np.array(["2024-01-02", "2024-01-01", "NaT"], dtype="M8[ns]")
    rows = load([0, 1, 0], [1, 2, 3], by=days)
    assert rows.by["group"].values == (datetime(2024, 1, 1), datetime(2024, 1, 2), "(missing)")
    assert rows.by["group"].codes.tolist() == [1, 0, 2]
    far = np.array([0, 10**6], dtype="M8[Y]")
    assert load([0, 1], [1, 2], by=far).by["group"].values == ("1001970", "1970")


def test_timestamps_of_a_file():
    kinds = {
        "DATE": date(2024, 1, 1),
        "TIMESTAMP": datetime(2024, 1, 1),
        "TIMESTAMPTZ": datetime(2024, 1, 1, tzinfo=UTC),
    }
    for kind, value in kinds.items():
        parquet("x.parquet", f"SELECT i % 2 AS y, i AS a, '2024-01-01 00:00:00+00'::{kind} AS g FROM range(4) t(i)")
        assert load("x.parquet", "a", label="y", by="g").by["g"].values == (value,)
    parquet("x.parquet", "SELECT i % 2 AS y, i AS a, make_timestamp_ns(i) AS g FROM range(4) t(i)")
    assert len(load("x.parquet", "a", label="y", by="g").by["g"].values) == 4
    parquet("x.parquet", "SELECT i % 2 AS y, i AS a, TIME '10:00:00' AS g FROM range(4) t(i)")
    assert load("x.parquet", "a", label="y", by="g").by["g"].values == (time(10),)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_of_numpy_is_an_array_of_two_dimensions():
    column = np.matrix([[0], [1]])
    rows = load(column, column, weights=column + 1, by=column)
    assert rows.scores["score"].tolist() == rows.truth.tolist() == [0, 1]
    with pytest.raises(InputError, match=r"has shape \(1, 2\): one value a row"):
        load(column.T, [0, 1])


@pytest.mark.parametrize("role", ["by", "fold", "cluster", "label"])
def test_nanoseconds_of_a_parquet_file_stay_apart(role):
    time = "make_timestamp_ns(1704067200000000000 + i % 2)"
    parquet("x.parquet", f"SELECT i // 2 % 2 AS y, i * 7 % 11 AS a, {time} AS t FROM range(20) t(i)")
    positive = "2024-01-01T00:00:00.000000001" if role == "label" else 1
    found = load("x.parquet", "a", positive=positive, **{"label": "y", role: "t"})
    columns = {"by": found.by.get("t"), "fold": found.fold, "cluster": found.cluster}
    values = found.classes if role == "label" else columns[role].values
    assert sorted(str(value)[-3:] for value in values) == ["000", "001"]


@pytest.mark.parametrize("most", [np.inf, 3, 1])
def test_decimals_of_parts_are_compared(most):
    """Of more than are remembered none may be one that float64 rounds."""

    def part(*texts):
        held = Apart(most)
        for text in texts:
            number_objects([Decimal(text)], "s", "score", [], apart=held)
        return held

    for one, other in ((["0.5", "0.1", "0.2"], ["0.3"]), (["0.3"], ["0.5", "0.1", "0.2"])):
        whole = Apart(most)
        for each in (one, other, ["0.1"]):
            whole.add(part(*each), "s", "score")
        with pytest.raises(InputError, match=r"0\.10000000000000000001"):
            whole.add(part("0.10000000000000000001"), "s", "score")
