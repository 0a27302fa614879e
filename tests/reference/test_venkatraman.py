"""Venkatraman's test against pROC: its statistic exactly, its p value within Monte Carlo error."""

import numpy as np
import pytest

import reference_values
from reference_values import value
from thresher.inference.comparing.permutation import generator
from thresher.inference.comparing.resampling import rank_errors, venkatraman_test, venkatraman_test_unpaired

pytestmark = pytest.mark.reference

PAIRS = [("s100b", "ndka"), ("wfns", "ndka")]


def by_order(scores):
    """Ranks with ties broken by the order of rows, as pROC has them."""
    return np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1.0


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_paired(a, b):
    positive = reference_values.truth("asah") == 1
    want = value("asah", f"mc/venkatraman_paired_{a}_{b}")
    first, second = (by_order(reference_values.scores("asah", name)) for name in (a, b))
    observed = rank_errors(first, second, positive)
    assert observed == want["statistic"]["E"]
    # pROC's own permutations: ranks blurred by ± ½, swapped, ranked again.
    values = []
    for r in range(4_000):
        random = generator(0, r)
        one, two = first + random.random(first.size) - 0.5, second + random.random(first.size) - 0.5
        swap = random.random(first.size) < 0.5
        values.append(rank_errors(*(by_order(np.where(swap, *x)) for x in ((second, one), (first, two))), positive))
    p = want["p.value"]
    error = np.sqrt(p * (1 - p) * (1 / 4_000 + 1 / 10_000))
    assert np.mean(np.array(values) >= observed) == pytest.approx(p, abs=4 * error)
    # Ties by expectation are another statistic, with 113 rows not far from that one.
    found = venkatraman_test(positive.astype(int), *(reference_values.scores("asah", n) for n in (a, b)), n=4_000)
    assert found.p_value == pytest.approx(p, abs=4 * error + 0.01)


def test_unpaired_differs_from_proc_by_its_mixing_proportion_only():
    """pROC mixes with (P₁ + P₂)/(2·n₁), which is wrong for 42 and 71 rows; the p value stays of the same size."""
    truth, score = reference_values.truth("asah"), reference_values.scores("asah", "s100b")
    male = np.array(reference_values.columns("asah")["gender"]) == "Male"
    want = value("asah", "mc/venkatraman_unpaired_s100b_gender")
    found = venkatraman_test_unpaired(truth[male], score[male], truth[~male], score[~male], n=4_000)
    assert found.statistic != pytest.approx(want["statistic"]["E"], abs=1e-3)
    assert found.p_value == pytest.approx(want["p.value"], abs=0.1)
