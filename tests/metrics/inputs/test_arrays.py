"""Columns from whatever the user has, and what is refused."""

import numpy as np
import pytest

from thresher.metrics import (
    accuracy_score,
    average_precision_score,
    confusion_matrix,
    f1_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from thresher.metrics.inputs.arrays import as_array, as_numbers, as_vector, as_weights, check_lengths, sample_count

TRUTH, PREDICTED = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]


def test_layouts_are_read_and_not_changed():
    base = np.arange(10)
    assert as_vector(base, "x") is base
    assert as_vector(base[::2], "x").tolist() == [0, 2, 4, 6, 8]
    assert as_vector(base[:, None], "x").tolist() == base.tolist()
    assert as_vector(range(3), "x").tolist() == [0, 1, 2]


def test_matrix_sparse_and_complex_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"np\.matrix"), pytest.warns(PendingDeprecationWarning):
        as_vector(np.matrix([1, 2]), "x")
    with pytest.raises(TypeError, match="Sparse data"):
        as_vector(sparse.csr_array(np.eye(2)), "x")
    with pytest.raises(ValueError, match="Complex data not supported"):
        as_vector([1j, 2], "x")


def test_a_finite_column_whose_sum_overflows_is_finite():
    assert as_numbers(np.array([1e308, 1e308]), "x").size == 2


def test_numbers_keep_their_precision_unless_floats_are_asked_for():
    assert as_numbers([1, 2], "x").dtype.kind == "i"
    assert as_numbers([1, 2], "x", floats=True).dtype == np.float64
    assert as_numbers(np.float32([1, 2]), "x", floats=True).dtype == np.float32
    assert as_numbers(np.float16([1, 2]), "x", floats=True).dtype == np.float16
    assert as_numbers(np.longdouble([1, 2]), "x", floats=True).dtype == np.float64
    assert as_numbers(np.array([1, 2], dtype=object), "x").dtype == np.float64


def test_lengths():
    assert check_lengths([1, 2], None, np.zeros((2, 3))) == 2
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[2, 1\]"):
        check_lengths([1, 2], [1])
    for bad in (3, np.float64(3), object()):
        with pytest.raises(TypeError):
            sample_count(bad)


def test_weights_keep_their_type():
    assert as_weights(None, 3) is None
    assert as_weights([True, False, True], 3).tolist() == [1, 0, 1]
    assert as_weights(np.float32([1, 2]), 2).dtype == np.float32
    assert as_weights(np.longdouble([1, 2]), 2).dtype == np.float64


def test_empty_and_masked():
    assert as_array(np.ma.masked_array([1, 2], mask=[0, 0]), "x").tolist() == [1, 2]
    with pytest.raises(ValueError, match="Found empty input array"):
        accuracy_score([], [])


class ArrowOnly:
    """A column that speaks the Arrow stream and nothing else."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return self.column.__arrow_c_stream__(requested_schema)

    def __len__(self):
        return len(self.column)


def columns_of_every_library(values):
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    yield "pandas", pandas.Series(values)
    yield "pandas, other index", pandas.Series(values, index=range(10, 10 + len(values)))
    yield "pandas category", pandas.Series(values, dtype="category")
    yield "pandas one column", pandas.DataFrame({"a": values})
    yield "polars", polars.Series(values)
    yield "arrow", arrow.array(values)
    yield "chunked", arrow.chunked_array([values[:2], values[2:]])
    yield "arrow stream", ArrowOnly(arrow.chunked_array([values]))
    if isinstance(values[0], str):
        words = list(dict.fromkeys(values))
        codes = arrow.array([words.index(value) for value in values])
        yield "dictionary of views", arrow.DictionaryArray.from_arrays(codes, arrow.array(words, arrow.string_view()))
        yield "polars category", ArrowOnly(polars.Series(values, dtype=polars.Categorical))
    if isinstance(values[0], int):
        yield "nullable", pandas.Series(values, dtype="Int64")
        yield "nullable boolean", pandas.Series(values, dtype="boolean")


@pytest.mark.peer
def test_columns_of_dataframe_libraries():
    for names in ([0, 1], ["no", "yes"], ["negative diagnosis", "positive diagnosis"]):
        truth, predicted = ([names[v] for v in column] for column in (TRUTH, PREDICTED))
        expected = confusion_matrix(truth, predicted).tolist()
        pairs = zip(columns_of_every_library(truth), columns_of_every_library(predicted), strict=True)
        for (kind, y_true), (_, y_pred) in pairs:
            assert confusion_matrix(y_true, y_pred).tolist() == expected, kind
            assert f1_score(y_true, y_pred, pos_label=names[1]) == pytest.approx(0.8), kind
    truth, scores = [0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.8]
    pairs = list(zip(columns_of_every_library(truth), columns_of_every_library(scores), strict=False))
    for metric in (roc_auc_score, average_precision_score, roc_curve, precision_recall_curve):
        for (kind, y_true), (_, y_score) in pairs:
            np.testing.assert_equal(metric(y_true, y_score), metric(truth, scores), kind)


@pytest.mark.peer
def test_missing_values_of_nullable_columns_are_refused():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([1, None, 0], dtype="Int64")
    with pytest.raises(ValueError, match="NaN"):
        accuracy_score(column, [1, 0, 0])


@pytest.mark.peer
def test_frames_of_nullable_numbers_are_tables_of_numbers():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (30, 3)), rng.random((30, 3))
    expected = roc_auc_score(labels, scores)
    for backend in ("numpy_nullable", "pyarrow"):
        table, columns = (pandas.DataFrame(a).convert_dtypes(dtype_backend=backend) for a in (labels, scores))
        assert roc_auc_score(table, columns) == expected
        assert f1_score(table, table, average="macro") == 1.0
        with pytest.raises(ValueError, match="NaN"):
            roc_auc_score(table, columns.where(columns > 0.1))


def test_every_integer_type_counts_alike():
    expected = confusion_matrix(TRUTH, PREDICTED).tolist()
    for kind in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", ">i4", ">f8", "f2"):
        truth, predicted = np.array(TRUTH, dtype=kind), np.array(PREDICTED, dtype=kind)
        assert confusion_matrix(truth, predicted).tolist() == expected
        assert confusion_matrix(np.repeat(truth, 2)[::2], predicted[::-1][::-1]).tolist() == expected
        assert confusion_matrix(truth, PREDICTED).tolist() == expected
