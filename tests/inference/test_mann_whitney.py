"""Mann–Whitney's test against every choice of the positives, and against SciPy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts import ScoreTable
from thresher.inference import mann_whitney_test, rank_sum_test

SIDES = ("two-sided", "greater", "less")


def u_of(truth: np.ndarray, scores: np.ndarray) -> float:
    a, b = scores[truth == 1], scores[truth == 0]
    return float((a[:, None] > b).sum() + (a[:, None] == b).sum() / 2)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=8), st.sampled_from(SIDES))
def test_exact_is_the_share_of_all_choices(rows: list[tuple[int, int]], alternative: str) -> None:
    truth, scores = np.array(rows).T
    found = mann_whitney_test(ScoreTable.from_scores(truth, scores), alternative=alternative)
    p, n = int(truth.sum()), int((1 - truth).sum())
    if not p or not n:
        assert np.isnan(found.p_value)
        assert found.reason_code == "no-rows"
        return
    observed, middle, hits, total = u_of(truth, scores), p * n / 2, 0, 0
    for chosen in combinations(range(len(truth)), p):
        other = np.zeros(len(truth), dtype=int)
        other[list(chosen)] = 1
        u = u_of(other, scores)
        far = {"greater": u >= observed, "less": u <= observed, "two-sided": abs(u - middle) >= abs(observed - middle)}
        hits, total = hits + far[alternative], total + 1
    assert found.statistic == observed
    assert found.p_value == pytest.approx(hits / total, rel=1e-12)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("ties", [False, True])
def test_scipy_agrees(alternative: str, ties: bool) -> None:
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(3)
    truth = np.repeat([1, 0], [9, 14])
    scores = rng.permutation(23).astype(float) // (3 if ties else 1)
    table = ScoreTable.from_scores(truth, scores)
    for method in ("normal",) if ties else ("normal", "exact"):
        theirs = mannwhitneyu(
            scores[:9], scores[9:], alternative=alternative, method="asymptotic" if method == "normal" else "exact"
        )
        ours = mann_whitney_test(table, alternative=alternative, method=method)
        assert ours.statistic == theirs.statistic
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_equal_scores_differ_by_nothing() -> None:
    table = ScoreTable.from_scores([1, 0, 1], [2.0, 2.0, 2.0])
    assert mann_whitney_test(table).p_value == 1
    assert mann_whitney_test(table, method="normal").p_value == 1


def test_sixty_rows_are_exact_and_more_are_not() -> None:
    for n, word in ((60, "exact"), (61, "normal")):
        table = ScoreTable.from_scores(np.arange(n) % 2, np.arange(n))
        assert word in mann_whitney_test(table).method


def test_tiny_p_values_are_not_0() -> None:
    from scipy.stats import mannwhitneyu

    a, b = np.random.default_rng(5).normal([[1.6], [0.0]], size=(2, 250))
    ours = [rank_sum_test(a, b), mann_whitney_test(ScoreTable.from_scores(np.repeat([1, 0], 250), np.r_[a, b]))]
    theirs = mannwhitneyu(a, b, method="asymptotic").pvalue
    assert 0 < theirs < 1e-20
    assert [found.p_value for found in ours] == pytest.approx([theirs] * 2, rel=1e-10, abs=0)
