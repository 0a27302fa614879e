"""Dataframes of the libraries that users bring: every column type by its own buffers."""

import datetime
from types import SimpleNamespace

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.readers import load
from thresher.results import to_frame

pytestmark = pytest.mark.peer

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

DATA = {"y": ["no", "yes", "yes", "no"], "a": [0.25, 0.5, 1.0, 2.0], "site": ["n", None, "s", "n"], "w": [1, 2, 3, 4]}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", FRAMES)
def test_the_same_table_in_every_library(library):
    rows = load(FRAMES[library](DATA), "a", label="y", positive="yes", by="site", weights="w", cluster="site")
    expected = load(DATA, "a", label="y", positive="yes", by="site", weights="w", cluster="site")
    assert rows.backend == library
    assert rows.truth.tolist() == expected.truth.tolist() == [0, 1, 1, 0]
    assert rows.scores["a"].tolist() == expected.scores["a"].tolist()
    assert rows.weights.tolist() == [1, 2, 3, 4]
    assert rows.by == expected.by
    assert rows.by["site"].values == ("n", "s", "(missing)")


@pytest.mark.parametrize("library", FRAMES)
def test_series_are_arrays(library):
    frame = FRAMES[library](DATA)
    rows = load(frame["y"], {"m": frame["a"]}, positive="yes", by=frame["site"], weights=frame["w"])
    assert rows.truth.tolist() == [0, 1, 1, 0]
    assert rows.scores["m"].tolist() == DATA["a"]
    assert len(rows.by) == 1
    narrow = frame[["y"]] if library != "pyarrow" else frame.select(["y"])
    assert load(narrow, frame["a"], positive="yes").truth.tolist() == [0, 1, 1, 0]


LABELS = {
    "pandas object": pd.Series(["b", "a", None, "b"], dtype=object),
    "pandas str": pd.Series(["b", "a", None, "b"]),
    "pandas string": pd.Series(["b", "a", None, "b"], dtype="string"),
    "pandas python string": pd.Series(["b", "a", None, "b"], dtype="string[python]"),
    "pandas arrow string": pd.Series(["b", "a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
    "pandas large string": pd.Series(["b", "a", None, "b"], dtype=pd.ArrowDtype(pa.large_string())),
    "pandas categorical": pd.Series(["b", "a", None, "b"], dtype=pd.CategoricalDtype(["unused", "b", "a"])),
    "pandas categorical values": pd.Categorical(["b", "a", None, "b"]),
    "pandas index": pd.Index(["b", "a", None, "b"]),
    "pandas sliced": pd.Series(["x", "b", "x", "a", "x", None, "x", "b"])[1::2],
    "polars string": pl.Series(["b", "a", None, "b"]),
    "polars categorical": pl.Series(["b", "a", None, "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", "a", None, "b"], dtype=pl.Enum(["unused", "b", "a"])),
    "polars sliced": pl.Series(["x", "b", "a", None, "b", "x"])[1:5],
    "arrow string": pa.array(["b", "a", None, "b"]),
    "arrow string view": pa.array(["b", "a", None, "b"], pa.string_view()),
    "arrow chunked": pa.chunked_array([["b"], [], ["a", None, "b"]]),
    "arrow dictionary": pa.array(["b", "a", None, "b"]).dictionary_encode(),
    "arrow null in dictionary": pa.DictionaryArray.from_arrays([0, 1, 2, 0], ["b", "a", None]),
    "arrow dictionaries": pa.chunked_array([pa.array(part).dictionary_encode() for part in (["b"], ["a", None, "b"])]),
    "arrow sliced": pa.array(["x", "b", "a", None, "b"])[1:],
    "arrow sliced dictionary": pa.array(["x", "b", "a", None, "b"]).dictionary_encode()[1:],
}  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_text_labels_of_every_type(name):
    rows = load(LABELS[name], [1, 2, 3, 4], positive="b", missing="drop")
    assert rows.classes == ("a", "b")
    assert rows.truth.tolist() == [1, 0, 1]
    assert rows.dropped == 1


LONG = ["x", "positive diagnosis", "negative diagnosis", None, "positive diagnosis"]
VIEWS = pa.array(LONG[:3], pa.string_view())
CODED = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 1]), VIEWS)
LONG_WORDS = {
    "polars categorical": pl.Series(LONG, dtype=pl.Categorical)[1:],
    "polars enum": pl.Series(LONG, dtype=pl.Enum(LONG[:3]))[1:],
    "arrow string view": pa.array(LONG, pa.string_view())[1:],
    "arrow dictionary of string views": CODED[1:],
    "arrow chunks of dictionaries": pa.chunked_array([CODED[:2], CODED[2:]])[1:],
    "pandas str": pd.Series(LONG[1:]),
    "pandas string view": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([LONG[1:]], pa.string_view()))),
    "pandas dictionary of string views": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([CODED[1:]]))),
}


@pytest.mark.parametrize("name", LONG_WORDS)
def test_words_of_more_than_12_bytes(name):
    """nanoarrow 0.9 ends the process where it copies or slices an array of views."""
    words, positive = LONG_WORDS[name], "positive diagnosis"
    rows = load(words, [1, 2, 3, 4], positive=positive, by=words, cluster=words, missing="drop")
    assert rows.classes == ("negative diagnosis", "positive diagnosis")
    assert rows.truth.tolist() == [1, 0, 1]
    assert set(rows.by["group"].values) == set(rows.classes)
    assert load(words, predicted=words, positive=positive, missing="drop").predicted["predicted"].tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="'score' holds text: 'positive diagnosis' in row 1"):
        load([1, 0, 1, 0], words)
    with pytest.raises(InputError, match="'weights' holds text: 'positive diagnosis' in row 1"):
        load([1, 0, 1, 0], [1, 2, 3, 4], weights=words)


def test_slices_of_batches_with_views():
    """A stream may give batches that begin inside their columns."""
    labels = pa.array([*LONG[:3], *LONG[1:3]], pa.string_view())
    columns = {"y": labels, "g": CODED, "s": pa.array([9, 0.1, 0.2, 0.3, 0.4])}
    part = pa.StructArray.from_arrays(list(columns.values()), names=list(columns))[1:]
    stream = SimpleNamespace(__arrow_c_stream__=pa.chunked_array([part]).__arrow_c_stream__)
    rows = load(stream, "s", label="y", positive=LONG[1], by="g")
    assert rows.truth.tolist() == [1, 0, 1, 0]
    assert [rows.by["g"].values[code] for code in rows.by["g"].codes] == [LONG[1], LONG[2], "(missing)", LONG[1]]


NUMBERS = {
    "pandas Int64": pd.Series([1, 0, None, 1], dtype="Int64"),
    "pandas UInt8": pd.Series([1, 0, None, 1], dtype="UInt8"),
    "pandas Float64": pd.Series([1, 0, None, 1], dtype="Float64"),
    "pandas float64": pd.Series([1, 0, None, 1]),
    "pandas arrow integers": pd.Series([1, 0, None, 1], dtype="int64[pyarrow]"),
    "pandas object": pd.Series([1, 0, None, 1], dtype=object),
    "pandas integers as categories": pd.Series([1, 0, None, 1], dtype="Int64").astype("category"),
    "polars": pl.Series([1, 0, None, 1]),
    "polars floats": pl.Series([1.0, 0.0, float("nan"), 1.0]),
    "polars sliced": pl.Series([9, 9, 1, 0, None, 1])[2:],
    "arrow": pa.array([1, 0, None, 1], pa.int8()),
    "arrow chunked": pa.chunked_array([pa.array([1, 0]), pa.array([None, 1], pa.int64())]),
    "arrow floats": pa.array([1.0, 0.0, None, 1.0], pa.float32()),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_with_gaps_as_labels_and_as_scores(name):
    values = NUMBERS[name]
    rows = load(values, [1, 2, 3, 4], missing="drop")
    assert rows.classes == (0, 1)
    assert all(type(label) is int for label in rows.classes)
    assert rows.truth.tolist() == [1, 0, 1]
    if "categories" not in name:
        assert load([0, 1, 1, 0], values, missing="drop").scores["score"].tolist() == [1, 0, 1]
        with pytest.raises(InputError, match="'score' is empty in row 3"):
            load([0, 1, 1, 0], values)


BOOLEANS = {
    "pandas boolean": pd.Series([True, False, None, True], dtype="boolean"),
    "pandas arrow": pd.Series([True, False, None, True], dtype="bool[pyarrow]"),
    "pandas object": pd.Series([True, False, None, True], dtype=object),
    "polars": pl.Series([True, False, None, True]),
    "arrow": pa.array([True, False, None, True]),
    "arrow sliced": pa.array([None, True, True, False, None, True])[2:],
}


@pytest.mark.parametrize("name", BOOLEANS)
def test_truth_values_with_gaps(name):
    rows = load(BOOLEANS[name], [1, 2, 3, 4], missing="drop")
    assert rows.classes == (False, True)
    assert all(type(label) is bool for label in rows.classes)
    assert rows.truth.tolist() == [1, 0, 1]
    scores = load([0, 1, 1, 0], BOOLEANS[name], missing="drop")
    assert scores.scores["score"].tolist() == [1, 0, 1]
    assert scores.notes[0].code == "boolean-as-number"


def test_a_pandas_category_in_a_score_column_is_text_though_it_has_codes():
    with pytest.raises(InputError, match=r"holds text: '0.5' in row 1"):
        load([0, 1], pd.Series(["0.5", "x"], dtype="category"))


def test_an_ordered_categorical_keeps_its_order():
    sizes = pd.Categorical(["large", "small", "medium"], categories=["small", "medium", "large", "huge"], ordered=True)
    rows = load([0, 1, 1], [1, 2, 3], by={"size": sizes})
    assert rows.by["size"].values == ("small", "medium", "large")
    truth = load(sizes, predicted={"m": sizes})
    assert truth.classes == ("small", "medium", "large")
    assert truth.truth.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "values", [pd.Series([2**53 + 1, 0], dtype="Int64"), pl.Series([2**53 + 1, 0]), pa.array([2**63 - 1, 0])]
)
def test_whole_numbers_that_float64_cannot_tell_apart_are_refused(values):
    with pytest.raises(InputError, match=r"whole numbers above 2\*\*53"):
        load([0, 1], values)


def test_dates_are_groups():
    days = [datetime.date(2024, 5, 2), datetime.date(2024, 5, 1)]
    for values in (pl.Series(days), pa.array(days), pd.Series(days)):
        column = next(iter(load([0, 1], [1, 2], by=values).by.values()))
        assert [str(value) for value in column.values] == ["2024-05-01", "2024-05-02"]


@pytest.mark.parametrize("library", FRAMES)
def test_a_column_that_is_not_there_is_told_with_the_nearest(library):
    with pytest.raises(InputError, match=r"has no column 'sight'\. Did you mean 'site'\? Its columns are 'y', 'a'"):
        load(FRAMES[library](DATA), "a", label="y", positive="yes", by="sight")


def test_a_frame_of_no_rows():
    with pytest.raises(InputError, match="there are no rows"):
        load(pd.DataFrame({"y": [], "a": []}), "a", label="y")


def test_series_of_one_index_in_another_order_are_refused():
    y = pd.Series([0, 1, 1], index=[10, 11, 12])
    with pytest.raises(InputError, match="scores 'm' has the index of the labels in another order"):
        load(y, {"m": pd.Series([1, 2, 3], index=[12, 11, 10])})
    assert len(load(y, {"m": pd.Series([1, 2, 3], index=[10, 11, 12])})) == 3
    assert len(load(y, {"m": pd.Series([1, 2, 3])})) == 3


@pytest.mark.parametrize("option", ["scores", "weights", "by", "cluster", "fold", "predicted"])
def test_series_whose_indexes_overlap_in_part_are_refused(option):
    """Rows were matched by position, though the indexes told that they are others."""
    y = pd.Series([0, 1, 1], index=[10, 11, 12])
    values = [1, 0, 1] if option == "predicted" else [1, 2, 1]
    given = {"scores": [1, 2, 3]} if option != "predicted" else {}
    given |= {option: pd.Series(values, index=[11, 12, 13])}
    with pytest.raises(
        InputError, match=r"shares 2 of 3 index labels with the labels\. .* keep the rows that both have"
    ):
        load(y, **given)
    for index in (range(3), [20, 21, 22], ["a", "b", "c"]):  # reset, or of something else
        for truth in (y, y.set_axis([1, 5, 7])):
            assert len(load(truth, **given | {option: pd.Series(values, index=index)})) == 3
    assert len(load(y.reset_index(drop=True), **given | {option: pd.Series(values, index=[2, 1, 3])})) == 3


def test_tables_of_labels_and_of_scores_are_held_to_one_index():
    truth = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=[5, 6, 7])
    scores = pd.DataFrame({"a": [0.9, 0.2, 0.4], "b": [0.3, 0.8, 0.1]})
    assert len(load(truth, scores)) == 3
    for index, said in (([7, 6, 5], "in another order"), ([6, 7, 8], "shares 2 of 3")):
        with pytest.raises(InputError, match=said):
            load(truth, scores.set_axis(index))


def test_large_columns_cross_the_blocks():
    n = 300_001
    truth = np.tile([0, 1, 1], n // 3 + 1)[:n]
    names = np.array(["a", "a rather long label"])[truth]
    for values in (pl.Series(names), pa.array(names), pd.Series(names), names, names.tolist()):
        rows = load(values, truth, positive="a rather long label")
        assert np.array_equal(rows.truth, truth)
    gaps = pl.Series(names).to_frame("y").with_columns(
        y=pl.when(pl.int_range(n) % 7 == 0).then(None).otherwise(pl.col("y"))
    )["y"]  # fmt: skip
    assert np.array_equal(
        load(gaps, truth, positive="a rather long label", missing="drop").truth, truth[np.arange(n) % 7 != 0]
    )


@pytest.mark.parametrize("library", FRAMES)
def test_results_come_in_the_library_of_the_data(library):
    frame = to_frame({"a": (1, 2), "b": ["x", None], "c": np.array([0.5, np.nan])}, library)
    assert type(frame).__module__.split(".")[0] == library
    names = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert names == ["a", "b", "c"]
    assert frame.shape == (2, 3)
    assert type(to_frame({"a": [1]}, None)).__module__.startswith("polars")


def test_a_table_with_a_column_twice_is_refused():
    columns = [[1, 0], [0.1, 0.2], [0.3, 0.4]]
    names = ["label", "s", "s"]
    for table in (pa.table(columns, names=names), pd.DataFrame(np.transpose(columns), columns=names)):
        with pytest.raises(InputError, match="several columns named 's'"):
            load(table, ["s"], label="label")


def test_a_list_column_of_a_file_is_no_score(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "list.parquet"
    pq.write_table(pa.table({"label": [1, 0], "s": [[0.1], [0.2]]}), path)
    with pytest.raises(InputError, match=r"the score column 's' has type DOUBLE\[\], which is not a number"):
        load(path, ["s"], label="label")


def test_batches_of_pyarrow_are_tables():
    whole = pa.table(DATA)
    named = {"label": "y", "positive": "yes", "by": "site", "weights": "w"}
    expected = load(whole, "a", **named)
    reader = pa.RecordBatchReader.from_batches(whole.schema, whole.to_batches(max_chunksize=2))
    for data in (whole.combine_chunks().to_batches()[0], reader):
        rows = load(data, "a", **named)
        assert (rows.backend, rows.truth.tolist()) == ("pyarrow", expected.truth.tolist())
        assert rows.scores["a"].tolist() == expected.scores["a"].tolist()
        assert rows.by == expected.by


@pytest.mark.parametrize("library", FRAMES)
def test_a_table_of_scores_is_one_model_a_column(library):
    scores = {"a": DATA["a"], "b": [1.0, 2.0, 3.0, 4.0]}
    rows = load(DATA["y"], FRAMES[library](scores), positive="yes")
    assert {name: values.tolist() for name, values in rows.scores.items()} == scores
    assert list(load(DATA["y"], FRAMES[library]({"a": DATA["a"]}), positive="yes").scores) == ["a"]


@pytest.mark.parametrize("names", [("wrong", "right"), ("p_no", "p_yes")])
def test_a_table_of_two_posteriors_is_not_two_models(names):
    posteriors = pd.DataFrame({names[0]: [0.75, 0.5, 0.0, 0.25], names[1]: [0.25, 0.5, 1.0, 0.75]})
    with pytest.raises(InputError, match="take the positive class"):
        load(DATA["y"], posteriors, positive="yes")


def test_a_series_names_its_model():
    assert list(load(DATA["y"], pd.Series(DATA["a"], name="risk"), positive="yes").scores) == ["risk"]
    assert list(load(DATA["y"], pd.Series(DATA["a"]), positive="yes").scores) == ["score"]
    assert list(load(DATA["y"], predicted=pd.Series(DATA["y"], name="call"), positive="yes").predicted) == ["call"]


def test_a_missing_value_is_not_a_number_among_text():
    scores = pd.Series(["low", None, "high", "low"], dtype="category")
    with pytest.raises(InputError, match="score column 's' holds text: 'low' in row 1"):
        load(pd.DataFrame({"y": [1, 0, 1, 0], "s": scores}), label="y", scores="s")


def test_one_label_in_a_list_is_a_binary_task():
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "s": [0.9, 0.4, 0.6, 0.5]})
    assert load(frame, label=["y"], scores=["s"]) == load(frame, label="y", scores="s")


@pytest.mark.parametrize("role", ["fold", "cluster"])
def test_rows_without_a_fold_or_cluster_are_noted_in_every_task(role):
    units, y, s = ["a", None, "b", "a"], np.array([1, 0, 1, 0]), np.array([0.9, 0.4, 0.6, 0.5])
    found = [load(y, s, **{role: units}), load(np.c_[y, 1 - y], np.c_[s, s], **{role: units})]
    assert all(f"missing-{role}" in {note.code for note in rows.notes} for rows in found)
