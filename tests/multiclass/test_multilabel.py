"""Tables of several labels a row, by loops over rows and labels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.multiclass import multilabel_average, multilabel_counts, multilabel_losses

TABLES = st.integers(1, 3).flatmap(
    lambda k: st.lists(
        st.tuples(*[st.integers(0, 1)] * (2 * k), st.sampled_from([1.0, 0.5, 3.0])), min_size=1, max_size=8
    )
)


def f1(tp, fp, fn):
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else math.nan


def recall(tp, _fp, fn):
    return tp / (tp + fn) if tp + fn else math.nan


def cells(truth, predicted, weights):
    both = sum(w for t, p, w in zip(truth, predicted, weights, strict=True) if t and p)
    return (
        both,
        sum(w for t, p, w in zip(truth, predicted, weights, strict=True) if p and not t),
        sum(w for t, p, w in zip(truth, predicted, weights, strict=True) if t and not p),
    )


@given(TABLES, st.sampled_from([("f1", f1), ("recall", recall)]), st.booleans())
def test_averages_are_those_of_loops(table, measure, weighted):
    name, formula = measure
    rows = np.array(table)
    k = (rows.shape[1] - 1) // 2
    truth, predicted = rows[:, :k], rows[:, k : 2 * k]
    w = rows[:, -1] if weighted else np.ones(len(rows))
    options = {"weights": w if weighted else None}
    of_labels = [cells(truth[:, j], predicted[:, j], w) for j in range(k)]
    of_rows = [cells(truth[i], predicted[i], np.ones(k)) for i in range(len(rows))]
    counts = multilabel_counts(truth, predicted, **options)
    got = np.stack([counts.cells.tp, counts.cells.fp, counts.cells.fn], axis=1)
    assert got == pytest.approx(np.array(of_labels))
    assert (counts.cells.n == pytest.approx(w.sum())) if k == 1 else np.allclose(counts.cells.n, w.sum())
    values, support = [formula(*c) for c in of_labels], [c[0] + c[2] for c in of_labels]
    want = {
        "macro": np.mean(values),
        "micro": formula(*np.sum(of_labels, axis=0)),
        "samples": np.average([formula(*c) for c in of_rows], weights=w),
        "weighted": sum(s * v for s, v in zip(support, values, strict=True) if s) / sum(support)
        if sum(support)
        else math.nan,
    }
    for how, expected in want.items():
        found = multilabel_average(truth, predicted, name, how=how, **options)
        assert found.value == pytest.approx(expected, nan_ok=True)
        assert (found.reason is None) == found.is_defined
    each = multilabel_average(truth, predicted, name, how="none", **options)
    assert [e.value for e in each.values()] == pytest.approx(values, nan_ok=True)
    filled = multilabel_average(truth, predicted, name, undefined=0, **options)
    assert filled.value == pytest.approx(np.nan_to_num(values).mean())
    sums = multilabel_losses(truth, predicted, **options)
    assert sums["subset_accuracy"].mean == pytest.approx(np.average((truth == predicted).all(axis=1), weights=w))
    assert sums["hamming_loss"].mean == pytest.approx(np.average((truth != predicted).mean(axis=1), weights=w))


def test_refusals_and_what_is_undefined():
    assert multilabel_counts(np.eye(2) == 1, np.eye(2)).tp.tolist() == [1, 1]
    assert "0 in place of undefined" in multilabel_average([[0, 1]], [[0, 1]], "recall", undefined=0).reason
