"""Sums that variances are made of: both implementations against loops over rows."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel
from thresher.kernel import reference

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)

CELLS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]), st.integers(0, 3), st.integers(0, 3)), max_size=12
)


def _columns(cells: Any, weighted: bool) -> Any:
    scores = np.array([c[0] for c in cells], dtype=np.float64)
    kind = np.float64 if weighted else np.int64
    positive, negative = (np.array([c[k] for c in cells], dtype=kind) for k in (1, 2))
    squares = (positive * 1.5, negative * 0.5) if weighted else (None, None)
    return scores, positive, negative, squares


def _same(got: Any, want: Any) -> bool:
    return bool(got == pytest.approx(want, rel=1e-12, abs=1e-12))


@both
@given(CELLS, st.booleans())
def test_loss_moments_are_sums_over_the_rows_of_each_class(use, cells, weighted):
    scores, positive, negative, squares = _columns(cells, weighted)
    with brute.using(use):
        found = kernel.loss_moments(scores, positive, negative, *squares)
    for side, (counts, squared) in enumerate(((positive, squares[0]), (negative, squares[1]))):
        for name in ("brier_score", "log_loss", "mean_score"):
            rows = [i for i in range(len(scores)) if counts[i]]
            loss = [_loss(name, scores[i], side == 0) for i in rows]
            w = [float(counts[i]) for i in rows]
            q = w if squared is None else [float(squared[i]) for i in rows]
            zipped = list(zip(w, q, loss, strict=True))
            want = [sum(w), sum(a * c for a, _, c in zipped), sum(q)]
            want += [sum(b * c for _, b, c in zipped), sum(b * c * c for _, b, c in zipped)]
            assert all(_same(a, b) for a, b in zip(found.of(name)[side].tolist(), want, strict=True))


def _loss(name: str, score: float, positive: bool) -> float:
    if name == "mean_score":
        return score
    of_truth = score if positive else 1 - score
    if name == "brier_score":
        return (1 - of_truth) ** 2
    return math.inf if of_truth == 0 else -math.log(of_truth)


@both
@given(CELLS, st.booleans(), st.sampled_from([(1.0, 1.0), (0.5, 2.0)]))
def test_influence_is_the_derivative_of_average_precision(use, cells, weighted, scales):
    _, positive, negative, squares = _columns(cells, weighted)
    with brute.using(use):
        found = kernel.precision_influence(positive, negative, *squares, value=0.3, scales=scales)
    p, n = [float(x) * scales[0] for x in positive], [float(x) * scales[1] for x in negative]
    tp, fp = np.cumsum([0.0, *p])[1:], np.cumsum([0.0, *n])[1:]
    want = np.zeros((2, 3))
    for j in range(len(p)):
        later = [k for k in range(j, len(p)) if tp[k] + fp[k]]
        u = sum(p[k] * fp[k] / (tp[k] + fp[k]) ** 2 for k in later)
        v = sum(p[k] * tp[k] / (tp[k] + fp[k]) ** 2 for k in later)
        precision = tp[j] / (tp[j] + fp[j]) if tp[j] + fp[j] else 0.0
        for side, part in enumerate((precision - 0.3 + u, -v)):
            w = float((positive, negative)[side][j])
            q = w if squares[side] is None else float(squares[side][j])
            want[side] += q * part * part, w * part, q * part
    assert found == pytest.approx(want, rel=1e-12, abs=1e-12)


def test_long_tables_cross_blocks_and_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    n = 150_001
    scores, counts = np.sort(rng.random(n))[::-1].copy(), rng.integers(0, 3, (2, n))
    squares = rng.random((2, n)) * counts
    one = kernel.loss_moments(scores, *counts, *squares, threads=1)
    assert one.sums == pytest.approx(reference.loss_moments(scores, *counts, *squares, 1), rel=1e-11)
    assert (kernel.loss_moments(scores, *counts, *squares, threads=2).sums == one.sums).all()
    got = kernel.precision_influence(*counts, *squares, value=0.5)
    assert got == pytest.approx(reference.precision_influence(*counts, *squares, (1.0, 1.0), 0.5), rel=1e-9)
    plain = kernel.precision_influence(*counts.astype(np.float64), value=0.5)
    assert plain == pytest.approx(kernel.precision_influence(*counts, value=0.5), rel=1e-12)


@both
@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_a_score_that_is_no_probability_is_refused(use, score):
    with brute.using(use), pytest.raises(kernel.KernelInputError):
        kernel.loss_moments([0.5, score], [1, 1], [1, 1])
