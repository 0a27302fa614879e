"""Fisher's mid-p test of two shares: against a count of all tables, its size, and where it is used."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.differences.means import Mean, unpaired_share_difference
from thresher.inference.differences.tests_of_counts import fisher_mid_p

TRIALS = st.tuples(st.integers(1, 12), st.integers(1, 12))


def tables(total, trials):
    """Ways of each first count, as whole numbers."""
    return {
        k: math.comb(trials[0], k) * math.comb(trials[1], total - k)
        for k in range(trials[0] + 1)
        if 0 <= total - k <= trials[1]
    }


@given(TRIALS, st.data())
def test_it_counts_the_tables_that_are_as_likely_or_less(trials, data):
    successes = tuple(data.draw(st.integers(0, n)) for n in trials)
    ways = tables(sum(successes), trials)
    seen, every = ways[successes[0]], sum(ways.values())
    p = fisher_mid_p(successes, trials)
    expected = sum(w for w in ways.values() if w < seen) + sum(w for w in ways.values() if w == seen) / 2
    assert p("two-sided") == pytest.approx(expected / every, rel=1e-9)
    for side, beyond in (("greater", lambda k: k > successes[0]), ("less", lambda k: k < successes[0])):
        expected = sum(w for k, w in ways.items() if beyond(k)) + seen / 2
        assert p(side) == pytest.approx(expected / every, rel=1e-9)


def binomials(n, rate):
    return [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]


@pytest.mark.parametrize(("trials", "of_z"), [((6, 60), 0.07), ((5, 50), 0.07), ((8, 8), 0.07)])
def test_few_rows_reject_no_more_often_than_they_should(trials, of_z):
    """Type I error by counting every outcome: at most 5.8 %, where z rejects up to 8 % and more."""
    n, m = trials
    exact = [[fisher_mid_p((x, y), trials)("two-sided") <= 0.05 for y in range(m + 1)] for x in range(n + 1)]
    worst, worst_z = 0.0, 0.0
    for rate in (0.02, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5):
        one, two = binomials(n, rate), binomials(m, rate)
        worst = max(worst, sum(p * q for x, p in enumerate(one) for y, q in enumerate(two) if exact[x][y]))
        worst_z = max(
            worst_z, sum(p * q for x, p in enumerate(one) for y, q in enumerate(two) if _by_z((x, y), trials) <= 0.05)
        )
    assert worst < 0.058
    assert worst_z > of_z


def _by_z(successes, trials):
    pooled = sum(successes) / sum(trials)
    error = math.sqrt(pooled * (1 - pooled) * sum(1 / n for n in trials))
    gap = successes[0] / trials[0] - successes[1] / trials[1]
    return math.erfc(abs(gap) / error / math.sqrt(2)) if error and gap else 1.0


def test_it_serves_where_fewer_than_five_are_expected():
    def method(successes, trials, **options):
        one, two = (Mean(x / n, math.nan, n) for x, n in zip(successes, trials, strict=True))
        return unpaired_share_difference(one, two, **options).method

    assert method((3, 100), (6, 300)).startswith("Fisher's mid-p")
    assert method((30, 100), (60, 300)).startswith("z test")
    assert method((3, 100), (6, 300), effective=True).startswith("z test")
    assert method((2.5, 100), (6, 300)).startswith("z test")


def test_a_few_rows_against_very_many():
    p = fisher_mid_p((3, 10**8), (4, 10**9))
    assert p("greater") == pytest.approx(4 * 0.1**3 * 0.9 / 2 + 0.1**4, rel=1e-5)
