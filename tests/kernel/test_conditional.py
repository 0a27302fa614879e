"""One score column for every class: every implementation against loops over pairs of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import brute
from shares import examples
from thresher import kernel
from thresher.kernel import backend, reference

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
ROWS = st.lists(
    st.tuples(st.integers(0, 3), *[st.integers(-1, 2)] * 4, st.sampled_from([0, 1, 2.5])), min_size=1, max_size=20
)


def above(a, b):
    """2 when a is higher, 1 when tied, else 0."""
    return int(np.sign(a - b)) + 1


def columns(rows, weighted):
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    codes, scores = table[:, 0].astype(np.int64), table[:, 1:5]
    return codes, scores, table[:, 5] if weighted else np.ones(len(table))


def pairs(codes, scores, weights):
    """Twice the weight of ordered pairs of every two classes."""
    want = np.zeros((4, 4))
    for i, k in enumerate(codes):
        for j, other in enumerate(codes):
            if k != other:
                want[k, other] += weights[i] * weights[j] * above(scores[i, k], scores[j, k])
    return want


def cells(codes, scores, weights):
    """Twice the pairs of true cells above the others of each column, and each row's part in them from both sides."""
    micro, own, others = np.zeros(4), np.zeros(len(codes)), np.zeros(len(codes))
    for i, k in enumerate(codes):
        for j, true in enumerate(codes):
            for other in set(range(4)) - {true}:
                tall = above(scores[i, k], scores[j, other])
                micro[other] += weights[i] * weights[j] * tall
                own[i] += weights[j] * tall
                others[j] += weights[i] * tall
    return micro, np.where(weights > 0, own, 0), np.where(weights > 0, others, 0)


def moments(codes, scores, weights, squared):
    """Σω, Σω·m, Σω·m² of the share of the other side that each row misses."""
    want = np.zeros((4, 2, 3))
    for k in range(4):
        for i in np.flatnonzero(weights > 0):
            rivals = np.flatnonzero((codes != k) if codes[i] == k else (codes == k))
            total = weights[rivals].sum()
            sign = 1 if codes[i] == k else -1
            lost = sum(weights[j] * (2 - above(sign * scores[i, k], sign * scores[j, k])) for j in rivals) / 2
            omega = weights[i] ** 2 if squared else weights[i]
            with np.errstate(invalid="ignore"):
                missed = np.divide(lost, total)
            want[k, int(codes[i] != k)] += omega * missed ** np.arange(3)
    return want


def influence(codes, scores, weights, c):
    """Each row's chance of winning against a random row of another class, from both sides, times the coefficients."""
    totals = np.bincount(codes, weights=weights, minlength=4)
    want = np.zeros(len(codes))
    for i, mine in enumerate(codes):
        for j, other in enumerate(codes):
            if mine != other and weights[i] > 0 and weights[j] > 0:
                share = weights[j] / totals[other] / 2
                want[i] += share * c[mine, other] * above(scores[i, mine], scores[j, mine])
                want[i] += share * c[other, mine] * above(scores[j, other], scores[i, other])
    return want


@both
@given(ROWS, st.booleans(), st.booleans())
def test_sums_are_those_of_pairs(use, rows, weighted, squared):
    codes, scores, weights = columns(rows, weighted)
    c = np.random.default_rng(0).integers(0, 9, (2, 4, 4)).astype(float)
    with backend.using(use):
        found = kernel.conditional_sums(codes, scores, weights if weighted else None, squared=squared, coefficients=c)
    assert np.array_equal(found.twice, pairs(codes, scores, weights))
    micro, own, others = cells(codes, scores, weights)
    assert np.array_equal(found.micro, micro)
    assert np.array_equal(found.own, own)
    assert np.array_equal(found.others, others)
    # A side without rivals has 0/0 as its share.
    want = moments(codes, scores, weights, squared)
    known = np.isfinite(want).all(axis=-1)
    assert found.moments[known] == pytest.approx(want[known], rel=1e-12, abs=1e-12)
    for part, coefficients in zip(found.influence, c, strict=True):
        assert part == pytest.approx(influence(codes, scores, weights, coefficients), rel=1e-12, abs=1e-12)
    assert found.twice.dtype == found.micro.dtype == (np.float64 if weighted else np.int64)


@both
def test_memory_may_lie_in_any_order(use):
    rng = np.random.default_rng(1)
    codes, scores = rng.integers(0, 20, 300), rng.normal(size=(300, 20)).round(1)
    wide = np.zeros((600, 40))
    wide[::2, ::2] = scores
    with backend.using(use):
        want = kernel.conditional_sums(codes, scores)
        reversed_twice = np.ascontiguousarray(scores[:, ::-1])[:, ::-1]
        for layout in (np.asfortranarray(scores), wide[::2, ::2], reversed_twice, scores.tolist()):
            found = kernel.conditional_sums(codes, layout)
            assert np.array_equal(found.twice, want.twice)
            assert np.array_equal(found.moments, want.moments)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "weighted"), [(1, False), (2, True)])
def test_many_rows(seed, weighted):
    rng = np.random.default_rng(seed)
    codes, scores = rng.integers(0, 11, 9_000), rng.normal(size=(9_000, 11)).round(2)
    weights = rng.random(9_000) if weighted else None
    c = rng.random((3, 11, 11))
    want = reference.conditional_sums(codes, scores, weights, True, c, 1)
    first = kernel.conditional_sums(codes, scores, weights, coefficients=c)
    plain = kernel.conditional_sums(codes, scores, weights)
    assert all(np.array_equal(a, b) for a, b in zip(first[:3], plain[:3], strict=True))
    for ours, theirs in zip(first, want, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize(
    ("codes", "scores", "weights", "kind"),
    [
        ([0, 2], [[1.0, 2.0], [1.0, 2.0]], None, "truth_code"),
        ([0, 1], [[1.0, 2.0], [1.0, np.nan]], None, "score_nan"),
        ([0, 1], np.array([[1.0, 2.0], [1.0, np.nan]], order="F"), None, "score_nan"),
        ([0, 1], [[1.0, 2.0], [1.0, 2.0]], [1.0, -1.0], "weight_negative"),
    ],
)
@both
def test_bad_rows_are_named(codes, scores, weights, kind, use):
    with backend.using(use), pytest.raises(kernel.KernelInputError) as error:
        kernel.conditional_sums(np.array(codes), scores, weights)
    assert (error.value.kind, error.value.row) == (kind, 1)


@both
@pytest.mark.parametrize("classes", [0, 1, 3])
def test_no_rows_have_no_pairs(use, classes):
    none, scores = np.zeros(0, dtype=np.int64), np.zeros((0, classes))
    with backend.using(use):
        sums = kernel.conditional_sums(none, scores, coefficients=np.ones((1, classes, classes)))
        twice, micro = kernel.conditional_replicates(none, scores, np.zeros((2, 0), dtype=np.uint8))
    assert not sums.twice.any()
    assert [part.shape for part in (sums.twice, sums.influence, sums.own, sums.others)] == [
        (classes, classes), (1, 0), (0,), (0,),
    ]  # fmt: skip
    assert (twice.shape, micro.shape) == ((2, classes, classes), (2, classes))


@both
@given(rows=ROWS, weighted=st.booleans(), seed=st.integers(0, 99))
@settings(max_examples=examples(40))
def test_resamples_are_rows_repeated(use, rows, weighted, seed):
    codes, scores, weights = columns(rows, weighted)
    drawn = np.random.default_rng(seed).integers(0, 3, (3, codes.size)).astype(np.uint8)
    with backend.using(use):
        twice, micro = kernel.conditional_replicates(codes, scores, drawn, weights if weighted else None)
    for r, times in enumerate(drawn):
        index = np.repeat(np.arange(codes.size), times)
        assert np.array_equal(twice[r], pairs(codes[index], scores[index], weights[index]))
        assert np.array_equal(micro[r], cells(codes[index], scores[index], weights[index])[0])
    assert twice.dtype == micro.dtype == (np.float64 if weighted else np.int64)


def test_resamples_of_many_rows():
    rng = np.random.default_rng(8)
    codes, scores = rng.integers(0, 11, 2_000), rng.normal(size=(2_000, 11)).round(1)
    drawn = rng.integers(0, 4, (70, 2_000)).astype(np.uint8)
    found = kernel.conditional_replicates(codes, scores, drawn)
    want = reference.conditional_replicates(codes, scores, None, drawn[[0, 69]], 1)
    for part, expected in zip(found, want, strict=True):
        assert np.array_equal(part[[0, 69]], expected)


@pytest.mark.slow
def test_blocks_of_fewer_resamples_of_many_rows_count_the_same():
    """Above 2^18 distinct scores less than 64 resamples share a sort."""
    rng = np.random.default_rng(4)
    codes, scores = rng.integers(0, 2, 300_000), rng.random((300_000, 2))
    drawn = rng.integers(0, 3, (57, 300_000)).astype(np.uint8)
    twice, micro = kernel.conditional_replicates(codes, scores, drawn)
    for r in (0, 54, 55, 56):
        alone = kernel.conditional_replicates(codes, scores, drawn[r : r + 1])
        assert np.array_equal(twice[r], alone[0][0])
        assert np.array_equal(micro[r], alone[1][0])


def test_a_resample_of_too_many_rows_is_refused(monkeypatch):
    from thresher.kernel import classes

    monkeypatch.setattr(classes, "MOST_ROWS", 5)
    codes, scores = [0, 1], [[0.6, 0.4], [0.3, 0.7]]
    twice, _ = kernel.conditional_replicates(codes, scores, np.array([[2, 3]], dtype=np.uint8))
    assert twice[0, 0, 1] == 12
    with pytest.raises(ValueError, match="a resample holds more than 5 rows"):
        kernel.conditional_replicates(codes, scores, np.array([[1, 1], [2, 4]], dtype=np.uint8))
