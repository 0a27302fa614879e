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


@pytest.mark.parametrize("tied", [0, 200])
def test_loss_moments_of_long_tables_are_those_of_their_rows(tied):
    """Stretches of scores with one row each go another way than those with ties."""
    rng = np.random.default_rng(2)
    scores = np.sort(np.append(rng.random(998), [0.0, 1.0, 5e-324, 1 - 2**-53]))[::-1]
    positive = rng.integers(0, 2, scores.size)
    positive[[0, -1]] = 1, 0  # certain and right
    negative = 1 - positive
    positive[rng.choice(scores.size - 2, tied, replace=False) + 1] += 1
    found = kernel.loss_moments(scores, positive, negative)
    want = reference.loss_moments(scores, positive, negative, None, None, 1)
    for name in ("brier_score", "log_loss", "mean_score"):
        assert found.of(name) == pytest.approx(kernel.values.LossMoments(want).of(name), rel=1e-13)


def _loss(name: str, score: float, positive: bool) -> float:
    if name == "mean_score":
        return score
    of_truth = score if positive else 1 - score
    if name == "brier_score":
        return (1 - of_truth) ** 2
    return math.inf if of_truth == 0 else -math.log(of_truth)


ROWS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 5e-324, 1e-17, 1 - 2**-53, 0.5**0.5])),
    ),
    max_size=12,
)


@both
@given(ROWS)
def test_loss_moments_of_untied_rows_are_sums_over_them(use, rows):
    truth = np.array([row[0] for row in rows], dtype=np.int64)
    scores = np.array([row[1] for row in rows], dtype=np.float64)
    with brute.using(use):
        found = kernel.loss_moments(scores, truth, 1 - truth)
    for name in ("brier_score", "log_loss", "mean_score"):
        for side, label in enumerate((1, 0)):
            own = [_loss_of_row(name, s, label) for y, s in rows if y == label]
            want = [len(own), sum(own), len(own), sum(own), sum(c * c for c in own)]
            got = found.of(name)[side].tolist()
            assert all(g == pytest.approx(w, rel=1e-14, abs=1e-300) for g, w in zip(got, want, strict=True))


def _loss_of_row(name: str, score: float, label: int) -> float:
    if name == "mean_score":
        return score
    if name == "brier_score":
        return (label - score) ** 2
    if label:
        return -math.log(score) if score else math.inf
    return -math.log1p(-score) if score < 1 else math.inf


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


def test_long_tables_cross_blocks():
    rng = np.random.default_rng(0)
    n = 150_001
    scores, counts = np.sort(rng.random(n))[::-1].copy(), rng.integers(0, 3, (2, n))
    squares = rng.random((2, n)) * counts
    one = kernel.loss_moments(scores, *counts, *squares)
    assert one.sums == pytest.approx(reference.loss_moments(scores, *counts, *squares, 1), rel=1e-11)
    got = kernel.precision_influence(*counts, *squares, value=0.5)
    assert got == pytest.approx(reference.precision_influence(*counts, *squares, (1.0, 1.0), 0.5), rel=1e-9)
    plain = kernel.precision_influence(*counts.astype(np.float64), value=0.5)
    assert plain == pytest.approx(kernel.precision_influence(*counts, value=0.5), rel=1e-12)


def test_many_untied_rows_cross_blocks():
    rng = np.random.default_rng(0)
    n = 150_001
    truth, scores = rng.integers(0, 2, n), rng.random(n) ** 9
    one = kernel.loss_moments(scores, truth, 1 - truth)
    assert one.sums == pytest.approx(reference.loss_moments(scores, truth, 1 - truth, None, None, 1), rel=1e-12)


def test_the_logarithm_of_a_row_is_right_to_its_last_bits():
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.random(500), np.exp(-700 * rng.random(500)), 0.5**0.5 + (rng.random(100) - 0.5) / 1e9])
    for score in scores:
        found = [kernel.loss_moments([score], [y], [1 - y]).of("log_loss")[1 - y, 1] for y in (0, 1)]
        assert found == pytest.approx([-math.log1p(-score), -math.log(score)], rel=6e-16, abs=0)


@both
@pytest.mark.parametrize("rows", [(5, 300), (100, 150_000)])
def test_the_first_score_that_is_no_probability_is_named(use, rows):
    """Also where rows with ties come before rows without, and rows of one thread before those of another."""
    scores, positive = np.linspace(1, 0, 200_000), np.arange(200_000) % 2
    negative = 1 - positive
    positive[0] = 2
    scores[list(rows)] = math.nan, 2.0
    with brute.using(use), pytest.raises(kernel.KernelInputError) as raised:
        kernel.loss_moments(scores, positive, negative)
    assert raised.value.row == rows[0]


@both
@pytest.mark.parametrize("bad", [[math.nan, 1.0000001], [-1e-9, math.nan], [1.0000001, math.nan]])
def test_the_first_of_two_bad_scores_is_named_whichever_thread_finds_one_first(use, bad):
    block, last = 2**16, 2**16 - 1
    scores = np.full(4 * block, 0.5)
    scores[[last, block]] = bad
    one = np.ones(scores.size, dtype=np.int64)
    for _ in range(20):
        with brute.using(use), pytest.raises(kernel.KernelInputError) as raised:
            kernel.loss_moments(scores, one, one, threads=2)
        assert (raised.value.row, raised.value.kind) == (last, "score_nan" if math.isnan(bad[0]) else "score_range")
