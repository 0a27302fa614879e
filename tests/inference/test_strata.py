"""Variances of means over strata against their definitions."""

import numpy as np
import pytest

from thresher.inference.strata import Contributions, Stratum, split

RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(2, 300))
W = RNG.integers(1, 5, 300).astype(float)


def test_rows_that_count_once_have_the_covariance_of_their_mean():
    found = Stratum.of(300).covariance([X, Y])
    assert found == pytest.approx(np.cov(X, Y) / 300, rel=1e-12)
    assert Stratum.of(300).mean(X)[:2] == pytest.approx((X.mean(), found[0, 0]), rel=1e-12)


def test_frequencies_repeat_rows():
    times = W.astype(int)
    repeated = Stratum.of(times.sum()).mean(np.repeat(X, times))
    assert Stratum.of(300, W, "frequency").mean(X) == pytest.approx(repeated, rel=1e-12)


def test_importance_is_linearised():
    """Var = n/(n − 1)·Σ e² with e = w·(x − x̄)/Σw and n = (Σw)²/Σw²; equal weights are as none."""
    mean, n = np.average(X, weights=W), W.sum() ** 2 / (W**2).sum()
    variance = n / (n - 1) * ((W * (X - mean) / W.sum()) ** 2).sum()
    assert Stratum.of(300, W).mean(X) == pytest.approx((mean, variance, n), rel=1e-12)
    assert Stratum.of(300, np.full(300, 2.5)).mean(X) == pytest.approx(Stratum.of(300).mean(X), rel=1e-12)


def test_strata_are_split_by_masks_or_places():
    above = X > 0
    for places in ((above, ~above), (np.flatnonzero(above), np.flatnonzero(~above))):
        strata = split(places, W, "importance")
        assert [each.total for each in strata] == [W[above].sum(), W[~above].sum()]


def test_one_row_has_no_variance_and_no_row_no_mean():
    assert np.isnan(Stratum.of(1).mean(X[:1]).variance)
    assert np.isnan(Stratum.of(0).mean(X[:0]).value)


@pytest.mark.parametrize("is_paired", [True, False])
def test_a_difference_has_both_variances_less_what_the_same_rows_share(is_paired):
    above = X > 0
    places = (above, ~above)
    one, two = (Contributions(split(places, None, None), (v[above], v[~above])) for v in (X, Y))
    shared = sum(np.cov(X[own], Y[own])[0, 1] / own.sum() for own in places) if is_paired else 0.0
    expected = one.variance + two.variance - 2 * shared
    assert sum(one.apart(two, is_paired=is_paired)) == pytest.approx(expected, rel=1e-12)
    assert one.variance == pytest.approx(sum(X[own].var(ddof=1) / own.sum() for own in places), rel=1e-12)
