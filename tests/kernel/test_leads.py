"""Who lies above whom, against the same walk in fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given

from kernel import brute
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)


def path(positive, negative):
    """(u, v) = (TPR + FPR, TPR − FPR) of every row, from (0, 0), as fractions."""
    tp, fp = ([Fraction(0)] for _ in range(2))
    for a, b in zip(positive.tolist(), negative.tolist(), strict=True):
        tp.append(tp[-1] + Fraction(a))
        fp.append(fp[-1] + Fraction(b))
    return [(a / tp[-1] + b / fp[-1], a / tp[-1] - b / fp[-1]) for a, b in zip(tp, fp, strict=True)]


def at(line, u):
    for (u0, v0), (u1, v1) in pairwise(line):
        if u0 <= u <= u1 and u1 > u0:
            return v0 + (v1 - v0) * (u - u0) / (u1 - u0)
    raise AssertionError(u)


def leads(first, second):
    """Kinds, and ends as (FPR, TPR)."""
    lines = path(*first), path(*second)
    us = sorted({u for line in lines for u, _ in line})
    gaps = [at(lines[0], u) - at(lines[1], u) for u in us]
    found = []
    for (u0, g0), (u1, g1) in pairwise(zip(us, gaps, strict=True)):
        if g0 * g1 < 0:
            middle = u0 + (u1 - u0) * g0 / (g0 - g1)
            found += [(g0 > 0, g0 < 0, middle), (g1 > 0, g1 < 0, u1)]
        else:
            found.append((g0 + g1 > 0, g0 + g1 < 0, u1))
    kinds, ends = [], [Fraction(0)]
    for above, below, end in found:
        kind = int(above) - int(below)
        if kinds and kinds[-1] == kind:
            ends[-1] = end
        else:
            kinds.append(kind)
            ends.append(end)
    points = [((u - at(lines[0], u)) / 2, (u + at(lines[0], u)) / 2) for u in ends]
    return kinds, np.array(points, dtype=float)


@both
@given(brute.tables(max_size=10), brute.tables(max_size=10))
def test_leads_by_definition(use, first, second):
    assume(all(column.any() for table in (first, second) for column in table))
    with brute.using(use):
        got = kernel.leads(*first, *second)
    kinds, points = leads(first, second)
    assert got.kinds.tolist() == kinds
    np.testing.assert_allclose(np.stack([got.fpr, got.tpr], axis=-1), points, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sizes", [(2_000, 2_000), (2_000, 700)])
def test_implementations_agree_on_large_tables(weighted, sizes):
    rng = np.random.default_rng(3)
    tables = []
    for size in sizes:
        # Blocks with the same rows in another order: both curves come back to the diagonal and cross again.
        blocks = np.stack([rng.permuted(np.tile([0, 0, 1, 1, 2], (size // 5, 1)), axis=1) for _ in range(2)])
        columns = blocks.reshape(2, size)
        tables += list(columns * rng.random((2, size)) if weighted else columns)
    found = []
    for use in brute.IMPLEMENTATIONS:
        with brute.using(use):
            found.append(kernel.leads(*tables))
    for got in found[1:]:
        np.testing.assert_array_equal(got.kinds, found[0].kinds)
        np.testing.assert_allclose(got.fpr, found[0].fpr, atol=1e-12)
        np.testing.assert_allclose(got.tpr, found[0].tpr, atol=1e-12)
    assert found[0].kinds.size > 20


@both
def test_one_row_in_a_trillion_decides(use):
    """Products of counts go far beyond 64 bits, and no difference is lost."""
    large = 3 * 10**9
    with brute.using(use):
        got = kernel.leads([large + 1, large - 1], [large, large], [large, large], [large, large])
        same = kernel.leads([large, large], [large, large], [1, 1], [1, 1])
    assert got.kinds.tolist() == [1]
    assert same.kinds.tolist() == [0]


@both
def test_what_is_refused(use):
    with brute.using(use):
        with pytest.raises(ValueError, match="positives and negatives"):
            kernel.leads([1], [0], [1], [1])
        with pytest.raises(kernel.KernelInputError, match="negative"):
            kernel.leads([1], [1], [-1, 3], [1, 1])
        with pytest.raises(kernel.KernelInputError, match="add up"):
            kernel.leads([2**62, 2**62], [1, 1], [1], [1])
        with pytest.raises(kernel.KernelInputError, match="NaN"):
            kernel.leads([1.0], [np.nan], [1], [1])
        with pytest.raises(ValueError, match="length"):
            kernel.leads([1], [1, 1], [1], [1])
