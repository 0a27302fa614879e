"""Kinds of targets: stated, and against scikit-learn's `type_of_target` on everything a user may bring."""

import numpy as np
import pytest

from thresher.metrics.inputs.labels import target_type

STATED = [
    ([0, 1], "binary"), ([0, 0], "binary"), ([], "binary"), ([0, 1, 2], "multiclass"), ([-1, 1], "binary"),
    ([3, 9], "binary"), ([1.0, 2.0], "binary"), ([1.0, 2.0, 3.0], "multiclass"), ([0.1, 0.6], "continuous"),
    (["a", "b", "a"], "binary"), (["a", "b", "c"], "multiclass"), (np.array(["a", "b"], dtype=object), "binary"),
    ([[0], [1]], "binary"), ([[1, 2], [3, 1]], "multiclass-multioutput"),
    ([[1.5, 2.0], [3.0, 1.6]], "continuous-multioutput"), ([[0, 1], [1, 1]], "multilabel-indicator"),
    ([[1, 2]], "multilabel-indicator"), ([[0.0, 1.0], [1.0, 1.0]], "multilabel-indicator"),
    (np.zeros((2, 3), dtype=bool), "multilabel-indicator"), (np.zeros((2, 2, 2)), "unknown"),
    (np.array([1, 2], dtype=object), "unknown"), ([["a", "b"], ["c", "d"]], "multiclass-multioutput"),
    ([True, False], "binary"), (np.array([0, 200, 255], dtype=np.uint8), "multiclass"),
    (np.array([-128, 127], dtype=np.int8), "binary"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "kind"), STATED)
def test_stated(target, kind):
    assert target_type(target) == kind


@pytest.mark.peer
@pytest.mark.parametrize("target", [target for target, _ in STATED])
def test_like_sklearn(target):
    multiclass = pytest.importorskip("sklearn.utils.multiclass")
    assert target_type(target) == multiclass.type_of_target(target)


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
@pytest.mark.parametrize("table", [[[0, 1], [1, 1]], [[4, 2], [3, 1]], [[0.5, 1], [0, 1]], [[1, 1], [1, 1]]])
def test_sparse_like_sklearn(kind, table):
    sparse = pytest.importorskip("scipy.sparse")
    multiclass = pytest.importorskip("sklearn.utils.multiclass")
    matrix = getattr(sparse, kind)(np.array(table))
    expected = multiclass.type_of_target(matrix if kind != "coo_array" else matrix.tocsr())
    assert target_type(matrix) == expected


@pytest.mark.parametrize("target", ["text", 3, None, object()])
def test_no_array(target):
    with pytest.raises(ValueError, match="Expected array-like"):
        target_type(target)


def test_bytes_and_ragged_rows():
    with pytest.raises(TypeError, match="bytes"):
        target_type([b"a", b"b"])
    with pytest.raises(ValueError, match="legacy multi-label"):
        target_type([[1, 2], [3]])


def test_nan_among_fractions():
    with pytest.raises(ValueError, match="y_true contains NaN"):
        target_type([0.5, np.nan], "y_true")
