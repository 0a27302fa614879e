"""Columns of types that Arrow and dataframe libraries have and NumPy has not: read as they are, or refused by name."""

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, ThresherError
from thresher.readers import load

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.peer

Y, S, ODD = [0, 1, 0, 1], [0.1, 0.8, 0.3, 0.7], 2**53 + 1


def test_objects_of_polars_are_values_and_not_addresses():
    assert load(Y, pl.Series(S, dtype=pl.Object)).scores["score"].tolist() == S
    rows = load(pl.Series(["a", "b", "a", "b"], dtype=pl.Object), S, positive="b", by=pl.Series(Y, dtype=pl.Object))
    assert rows.classes == ("a", "b")
    assert rows.by["group"].values == (0, 1)
    frame = pl.DataFrame({"y": pl.Series(Y, dtype=pl.Object), "s": pl.Series(S, dtype=pl.Object)})
    assert load(frame, "s", label="y").scores["s"].tolist() == S
    posteriors = pl.DataFrame({str(k): pl.Series([k == y for y in (0, 1, 2)], dtype=pl.Object) for k in range(3)})
    assert load([0, 1, 2], probabilities=posteriors).posteriors["model"].tolist() == np.eye(3).tolist()


def test_null_columns_have_no_value():
    gone = pl.Series([None] * 4)
    for columns in ((Y, gone), (gone, S)):
        with pytest.raises(InputError, match="is empty in row 1"):
            load(*columns)
    assert load(Y, S, by=gone).by["group"].values == ("(missing)",)
    assert load(Y, S, by=pa.nulls(4)).by["group"].values == ("(missing)",)


@pytest.mark.parametrize("role", ["label", "scores", "weights"])
def test_null_columns_of_parquet_have_no_value(tmp_path, role):
    """They were said to be of a type that is not a number."""
    import pyarrow.parquet as pq

    table = pa.table({"label": Y, "scores": S, "weights": [1, 2, 1, 1], role: pa.nulls(4)})
    pq.write_table(table, tmp_path / "x.parquet")
    for data in (table, tmp_path / "x.parquet"):
        with pytest.raises(InputError, match=r"is empty in row 1|is missing in row 1"):
            th.count(data, "scores", label="label", weights="weights", weight_kind="frequency")


def test_integers_of_128_bits():
    wide = pl.Series([ODD - 1, ODD, 2**100, 0], dtype=pl.Int128)
    assert load(pl.Series(Y, dtype=pl.Int128), S).truth.tolist() == Y
    assert load(Y, S, by=wide).by["group"].values == (0, ODD - 1, ODD, 2**100)
    assert load(Y, pl.Series([1, None, 3, 4], dtype=pl.Int128), missing="drop").scores["score"].tolist() == [1, 3, 4]
    with pytest.raises(InputError, match="cannot tell apart"):
        load(Y, wide)


def test_run_end_encoded_columns():
    runs = pa.RunEndEncodedArray.from_arrays([2, 4], [0, 1])
    table = pa.table({"y": runs, "s": pa.RunEndEncodedArray.from_arrays([2, 4], [0.5, 1.0]), "g": runs})
    rows = load(table, "s", label="y", by="g")
    assert rows.truth.tolist() == rows.by["g"].codes.tolist() == [0, 0, 1, 1]
    assert rows.scores["s"].tolist() == [0.5, 0.5, 1, 1]


@pytest.mark.parametrize("width", [32, 64, 128, 256])
def test_decimals_of_arrow(width):
    kind = getattr(pa, f"decimal{width}")(5, 1)
    column = pa.array([Decimal("0.5"), Decimal("1"), Decimal("0.5"), Decimal("1")], type=kind)
    assert load(Y, column).scores["score"].tolist() == [0.5, 1, 0.5, 1]
    assert load(Y, S, by=column).by["group"].values == (0.5, 1)


@pytest.mark.parametrize("width", [32, 64, 128, 256])
def test_decimals_of_arrow_may_be_negative_missing_or_a_slice(width):
    kind = getattr(pa, f"decimal{width}")(5, 1)
    values = [Decimal("9"), Decimal("-1.5"), None, Decimal("0.5"), Decimal("-0.1"), Decimal("7")]
    column = pa.array(values, type=kind)
    for start in range(3):
        part = column.slice(start, 3)
        want = [float(value) for value in values[start : start + 3] if value is not None]
        assert load(Y[:3], part, missing="drop").scores["score"].tolist() == want
    signs = pa.array([Decimal(3), Decimal(-1), Decimal(1), Decimal(-1), Decimal(1)], type=kind)
    rows = load(signs.slice(1), S, by=signs.slice(1))
    assert rows.truth.tolist() == [0, 1, 0, 1]
    assert rows.by["group"].values == (-1, 1)


@pytest.mark.parametrize("width", [128, 256])
def test_decimals_of_a_dictionary_keep_their_sign(width):
    kind = getattr(pa, f"decimal{width}")(5, 1)
    values = [Decimal("9"), Decimal("-1.5"), Decimal("0.5"), Decimal("-0.1"), None]
    column = pa.array(values, type=kind).dictionary_encode()
    for start, end in ((0, 4), (1, 5), (1, 4)):
        part, want = column.slice(start, end - start), [float(v) for v in values[start:end] if v is not None]
        assert load(Y[: end - start], part, missing="drop").scores["score"].tolist() == want


def test_decimals_of_chunks_are_compared():
    """Each chunk of a column was looked at alone."""
    wide = [[Decimal(f"0.1234567890123456789{i}")] for i in range(2)]
    column = pa.chunked_array(wide, type=pa.decimal128(38, 20))
    whole = pa.table({"y": [0, 1], "s": column})
    for way in (lambda: load([0, 1], column), lambda: load(whole, "s", label="y"),
                lambda: load(pl.from_arrow(whole, rechunk=False), "s", label="y"),
                lambda: load(whole.to_reader(), "s", label="y")):  # fmt: skip
        with pytest.raises(InputError, match=r"in row 1 and .* in row 2, which float64 cannot tell"):
            way()


def test_nested_columns_are_refused():
    views = pa.array([[1, 2]] * 4, type=pa.list_view(pa.int64()))
    for odd in (pa.array([[1, 2]] * 4), views, pl.Series([{"a": 1}] * 4), pl.Series([[1, 2]] * 4)):
        for columns in ((Y, odd), (odd, S)):
            with pytest.raises(InputError, match=r"column '(score|y_true)'"):
                load(*columns)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(range(4)).cast(pl.Datetime("ns")),
        pl.Series(range(4)).cast(pl.Duration("ns")),
        pl.Series(range(4)).cast(pl.Time),
        pl.Series(range(4)).cast(pl.Datetime("ns", "Europe/Berlin")),
        pd.Series(np.arange(4).astype("M8[ns]")),
        pd.Series(np.arange(4).astype("M8[ns]")).dt.tz_localize("UTC"),
        pd.Series(np.arange(4).astype("M8[ns]")).astype("timestamp[ns][pyarrow]"),
        pa.array(range(4)).cast(pa.time64("ns")),
        [pd.Timestamp(i) for i in range(4)],
    ],
    ids=range(9),
)
def test_nanoseconds_stay_apart(column):
    rows = load(Y, S, by=column, cluster=column)
    assert rows.by["group"].codes.tolist() == rows.cluster.codes.tolist() == [0, 1, 2, 3]


def test_the_hour_that_is_repeated_in_autumn_stays_two():
    utc = pl.Series([datetime(2020, 10, 25, 0, 30), datetime(2020, 10, 25, 1, 30), *[datetime(2020, 7, 1)] * 2])
    rows = load(Y, S, by=utc.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"))
    assert rows.by["group"].values[1:] == tuple(datetime(2020, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1))


@pytest.mark.parametrize("columns", [[0, 1], [("a", 1), ("b", 2)], [0, "s"]])
def test_columns_that_are_not_named_by_text(columns):
    frame = pd.DataFrame(list(zip(Y, S, strict=True)), columns=columns)
    for options in ({"scores": "s"}, {"probabilities": "p_"}, {"predicted": "p"}):
        with pytest.raises(ThresherError, match=r"Its columns are|one column for every class"):
            load(frame, label="y", **options)
    with pytest.raises(ThresherError, match=r"the name of a column|are names of columns"):
        load(frame, 1, label=0)


def test_half_a_surrogate_pair_is_no_text_of_a_dataframe():
    import thresher as th

    found = th.evaluate(["a", "\ud800"] * 4, {"m\ud800": np.arange(8) / 8}, positive="\ud800", by=["\ud800", "b"] * 4)
    with pytest.raises(InputError, match=r"'m\\ud800' cannot be written as UTF-8 text"):
        found.to_frame()


@pytest.mark.parametrize("role", ["by", "fold", "cluster"])
def test_times_of_the_type_int96_are_read_to_the_microsecond_and_that_is_said(tmp_path, role):
    import pyarrow.parquet as pq

    times = np.datetime64("2024-01-01T00:00:00.000000001", "ns") + np.arange(20) % 2
    table = pa.table({"y": [0, 0, 1, 1] * 5, "s": [i * 7 % 11 for i in range(20)], "t": times})
    for name, is_old in (("new", False), ("old", True)):
        pq.write_table(table, tmp_path / f"{name}.parquet", use_deprecated_int96_timestamps=is_old)
        found = th.evaluate(tmp_path / f"{name}.parquet", "s", label="y", positive=1, **{role: "t"}).predictions
        column = found.by["t"] if role == "by" else getattr(found, role)
        assert len(column.values) == (1 if is_old else 2)
        note = "Column 't' is of Parquet's old type INT96 and is read to the microsecond: times that differ by less"
        assert any(note in text for text in found.notes) is is_old


@pytest.mark.filterwarnings("error")
def test_numbers_that_a_database_gives_as_opaque_text_are_numbers():
    """ADBC gives PostgreSQL's numeric so."""

    def opaque(values, name):
        kind = pa.opaque(pa.string(), name, "PostgreSQL")
        return pa.ExtensionArray.from_storage(kind, pa.array(values))

    y, s = ["0", "1", "0", "1"], ["-0.10", "0.8", "0.30", "1e-3"]
    table = pa.table({"y": opaque(y, "numeric"), "s": opaque(s, "numeric"), "g": opaque(list("abab"), "citext")})
    found = th.count(table.to_reader(), "s", label="y", by="g")
    assert found.classes == (0, 1)
    assert found["s"] == th.ScoreTable.from_scores([0, 1, 0, 1], [-0.1, 0.8, 0.3, 1e-3])
    assert set(found.groups) == {("a",), ("b",)}
    with pytest.raises(InputError, match="score column 'g'"):
        th.count(table.to_reader(), "g", label="y")
    bare = pa.field("s", pa.string(), metadata={"ARROW:extension:name": "arrow.opaque"})
    named = pa.schema([pa.field("y", pa.int64()), bare])
    with pytest.raises(InputError, match="score column 's' holds text"):
        th.count(pa.table([[0, 1, 0, 1], s], schema=named).to_reader(), "s", label="y")
