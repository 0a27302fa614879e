"""Tests by name, against SciPy, R's printed examples and their definitions."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
from thresher.errors import InputError, OptionError
from thresher.inference import (
    adjust_p_values,
    bowker_test,
    chi_squared_test,
    critical_difference,
    friedman_test,
    kendall_w_test,
    mcnemar_test,
    quade_test,
    rank_sum_test,
    sign_test,
    wald_interval,
    wilson_continuity_interval,
)

VALUES = [[5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4], [10, 9, 7, 13, 10],
          [19, 18, 28, 37, 58], [10, 7, 6, 8, 7]]  # fmt: skip
"""Hand creams sold in seven stores, five brands (Conover 1999, page 375), the example of R's quade.test."""


def test_quade_prints_what_the_textbook_prints() -> None:
    found = quade_test(VALUES)
    assert (round(found.statistic, 4), found.df, round(found.p_value, 5)) == (3.8293, (4, 24), 0.01519)


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=6))
def test_quade_by_its_definition(rows: list[list[int]]) -> None:
    n, k = len(rows), 3
    spread = stats.rankdata([max(r) - min(r) for r in rows])
    s = [[q * (r - 2) for r in stats.rankdata(row)] for q, row in zip(spread, rows, strict=True)]
    a = sum(v * v for row in s for v in row)
    b = sum(sum(row[j] for row in s) ** 2 for j in range(k)) / n
    found = quade_test(rows)
    if a == 0:
        assert (found.statistic, found.p_value) == (0, 1)
    elif a - b > 1e-9:
        assert found.statistic == pytest.approx((n - 1) * b / (a - b))
        assert found.p_value == pytest.approx(stats.f.sf((n - 1) * b / (a - b), k - 1, (n - 1) * (k - 1)))


def test_quade_where_all_rows_rank_alike_is_the_share_of_permutations() -> None:
    rows = [[1, 2, 3], [2, 3, 4], [7, 8, 9]]
    assert quade_test(rows).p_value == pytest.approx(1 / 36)
    orders = list(permutations([1, 2, 3]))
    alike = sum(a == b == c for a in orders for b in orders for c in orders)
    assert alike / len(orders) ** 3 == pytest.approx(1 / 36)


@given(st.lists(st.permutations([1, 2, 3, 4]), min_size=2, max_size=6))
def test_concordance_is_the_mean_correlation_of_ranks(rows: list[list[int]]) -> None:
    n, found = len(rows), kendall_w_test(rows)
    mean = np.mean([stats.spearmanr(a, b).statistic for a, b in combinations(rows, 2)])
    assert found.estimate == pytest.approx((1 + (n - 1) * mean) / n)
    assert found.p_value == friedman_test(rows, form="chi2").p_value


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_sign_test_is_the_binomial_test(pairs: list[tuple[int, int]]) -> None:
    a, b = ([p[i] for p in pairs] for i in (0, 1))
    above, n = sum(x > y for x, y in pairs), sum(x != y for x, y in pairs)
    for side in ("two-sided", "greater", "less"):
        expected = stats.binomtest(above, n, 0.5, alternative=side).pvalue if n else 1.0
        assert sign_test(a, b, alternative=side).p_value == pytest.approx(expected)
    with pytest.raises(InputError):
        sign_test([1, 2], [1])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_rank_sum_test_is_scipys(a: list[int], b: list[int]) -> None:
    found = rank_sum_test(a, b, method="normal")
    if len(set(a + b)) > 1:
        peer = stats.mannwhitneyu(a, b, method="asymptotic")
        assert (found.statistic, found.p_value) == (peer.statistic, pytest.approx(min(1, peer.pvalue)))
    if len(set(a + b)) == len(a + b):
        assert rank_sum_test(a, b).p_value == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue)


@given(st.lists(st.integers(0, 12), min_size=9, max_size=9))
def test_bowker_by_its_definition_and_mcnemar(cells: list[int]) -> None:
    table = np.reshape(cells, (3, 3))
    pairs = [(table[i, j], table[j, i]) for i, j in combinations(range(3), 2)]
    statistic = sum((x - y) ** 2 / (x + y) for x, y in pairs if x + y)
    df = sum(x + y > 0 for x, y in pairs)
    found = bowker_test(table)
    assert (found.statistic, found.df) == (pytest.approx(statistic), df)
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, df) if statistic else 1)
    two = table[:2, :2]
    if two[0, 1] + two[1, 0]:
        assert bowker_test(two).p_value == pytest.approx(mcnemar_test(two, method="chi2").p_value)


@given(st.lists(st.integers(1, 12), min_size=6, max_size=6), st.booleans())
def test_chi_squared_is_scipys(cells: list[int], correction: bool) -> None:
    for table in (np.reshape(cells, (2, 3)), np.reshape(cells[:4], (2, 2))):
        peer = stats.chi2_contingency(table, correction=correction)
        found = chi_squared_test(table, correction=correction)
        assert (found.statistic, found.p_value) == (pytest.approx(peer.statistic), pytest.approx(peer.pvalue))
    matrix = th.load_example("clinic")
    assert chi_squared_test(matrix).statistic == pytest.approx(200 * matrix.matthews_correlation**2)
    for table in ([[5, 0], [3, 0]], [[0, 0], [0, 0]]):
        found = chi_squared_test(table)
        assert (found.statistic, found.df, found.p_value) == (0, 0, 1)
    with pytest.raises(InputError):
        chi_squared_test([[1, -1], [2, 3]])


def test_chi_squared_at_a_prevalence_is_of_as_many_rows_at_it() -> None:
    matrix = th.ConfusionMatrix.from_cells(tp=30, fn=10, fp=40, tn=120)
    moved = matrix.with_prevalence(0.5)
    assert moved.chi_squared == pytest.approx(chi_squared_test([[75, 25], [25, 75]]).statistic)
    assert moved.chi_squared == pytest.approx(200 * moved.mcc**2)


def test_chi_squared_has_neither_interval_nor_test_of_a_difference() -> None:
    rng = np.random.default_rng(4)
    truth, noise = np.arange(40) % 2, rng.random((2, 40))
    scores = {"a": (truth + 2 * noise[0]) / 3, "b": noise[1]}
    plain, drawn = (th.evaluate(truth, scores, bootstrap=b) for b in (None, 20))
    each = (
        plain["a"].chi_squared,
        plain["a"].estimate("chisq"),
        plain["a"].estimate("chisq", bootstrap=20),
        plain["a"].estimate("chisq@fpr=0.1", bootstrap=20),
        drawn["a"].chi_squared,
        drawn["a"].estimate("chisq"),
    )
    for found in each:
        assert found.value > 0
        assert found.low is None
        assert found.reason_code == "no-formula"
    for evaluation in (plain, drawn):
        assert "chi_squared" not in evaluation["a"].measures
        with pytest.raises(OptionError, match=r"Pearson's χ² has no interval and no test .*chi_squared_test"):
            evaluation.compare("a", "b", measure="chisq")
    of_classes = th.evaluate(np.arange(30) % 3, rng.dirichlet([1, 1, 1], 30), bootstrap=20)["model"]
    assert (of_classes.chi_squared.low, of_classes.macro_chisq.low) == (None, None)
    assert of_classes.confusion_matrix.average("chisq", how="macro").reason == of_classes.chi_squared.reason
    assert "chi_squared" not in of_classes.measures


P = st.lists(st.floats(0, 1).map(lambda p: round(p, 3)), min_size=1, max_size=6)


def simes(p: list[float]) -> float:
    return min(len(p) * value / (i + 1) for i, value in enumerate(sorted(p)))


@given(P)
def test_corrections_by_closed_testing_and_scipy(p: list[float]) -> None:
    m = len(p)
    sets = [c for size in range(1, m + 1) for c in combinations(range(m), size)]
    closed = {
        "holm": lambda own: min(1, len(own) * min(p[i] for i in own)),
        "hommel": lambda own: simes([p[i] for i in own]),
    }
    for method, test in closed.items():
        expected = [max(test(own) for own in sets if i in own) for i in range(m)]
        assert adjust_p_values(p, method=method) == pytest.approx(np.minimum(expected, 1))
    order = sorted(p)
    hochberg = [min((m - j) * order[j] for j in range(m) if order[j] >= value) for value in p]
    assert adjust_p_values(p, method="hochberg") == pytest.approx(np.minimum(hochberg, 1))
    assert adjust_p_values(p, method="bonferroni") == pytest.approx(np.minimum(np.array(p) * m, 1))
    for ours, theirs in (("bh", "bh"), ("by", "by"), ("fdr", "bh"), ("BH", "bh"), ("benjamini-yekutieli", "by")):
        assert adjust_p_values(p, method=ours) == pytest.approx(stats.false_discovery_control(p, method=theirs))
    with pytest.raises(OptionError, match="hommel"):
        adjust_p_values(p, method="sidak")


def test_nemenyi_and_bonferroni_dunn_p_values_agree_with_the_critical_difference() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(loc=(0, 0.3, 0.9, 1.2), size=(12, 4))
    names = ["a", "b", "c", "d"]
    for control in (None, "a"):
        found = critical_difference(values, models=names, control=control)
        ranks = dict(zip(found.models, found.mean_ranks, strict=True))
        for (one, two), p in found.p_values.items():
            assert (p < 0.05) == (abs(ranks[one] - ranks[two]) > found.critical_difference)
    nemenyi = critical_difference(values, models=names).p_values
    (one, two), p = next(iter(nemenyi.items()))
    gap = abs(ranks[one] - ranks[two]) / np.sqrt(4 * 5 / (6 * 12))
    drawn = rng.normal(size=(200_000, 4))
    assert p == pytest.approx((np.ptp(drawn, axis=1) > gap * np.sqrt(2)).mean(), abs=0.005)


def test_wald_and_wilson_with_continuity_by_their_definitions_and_printed_values() -> None:
    # Newcombe 1998, table I: 81/263, 15/148, 0/20, 1/29 by methods 1 and 4.
    for x, n, wald, corrected in (
        (81, 263, (0.2522, 0.3638), (0.2535, 0.3682)), (15, 148, (0.0527, 0.1500), (0.0598, 0.1644)),
        (0, 20, (0.0, 0.0), (0.0, 0.2005)), (1, 29, (0.0, 0.1009), (0.0018, 0.1963)),
    ):  # fmt: skip
        one, two = wald_interval(x, n), wilson_continuity_interval(x, n)
        assert (round(one.low, 4), round(one.high, 4)) == wald
        assert (round(two.low, 4), round(two.high, 4)) == corrected
        peer = stats.binomtest(x, n).proportion_ci(method="wilsoncc")
        assert (two.low, two.high) == pytest.approx((peer.low, peer.high))
    assert np.isnan(wald_interval(0, 0).low)
    assert np.isnan(wilson_continuity_interval(0, 0).high)
    assert wilson_continuity_interval([0, 5], [5, 5]).high[1] == 1
    matrix = th.load_example("cancer")
    for name in ("wald", "wilson-continuity"):
        assert matrix.estimate("recall", interval=name).low < 0.3
        assert th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], rate_interval=name)["score"].recall.low is not None
