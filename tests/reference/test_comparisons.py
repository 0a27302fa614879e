"""Tests of differences against pROC and base R on data that may not ship."""

import numpy as np
import pytest

import reference_values as reference
from thresher.inference.auc.delong_rows import delong_covariance
from thresher.inference.auc.tests import delong_test, delong_test_unpaired

pytestmark = pytest.mark.reference

SCORES = reference.SCORES["asah"]
PAIRS = [(a, b) for i, a in enumerate(SCORES) for b in SCORES[i + 1 :]]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_paired_delong(a, b):
    y, first, second = reference.truth("asah"), reference.scores("asah", a), reference.scores("asah", b)
    want = reference.value("asah", f"proc/test_paired/{a}_vs_{b}")
    found = delong_test(y, first, second)
    assert found.statistic == pytest.approx(want["statistic"]["Z"], abs=1e-10)
    assert found.p_value == pytest.approx(want["p.value"], rel=1e-9)
    assert [found.low, found.high] == pytest.approx(want["conf.int"], abs=1e-12)
    for side in ("less", "greater"):
        want = reference.value("asah", f"proc/test_paired_{side}/{a}_vs_{b}")
        assert delong_test(y, first, second, alternative=side).p_value == pytest.approx(want, rel=1e-9)
    cov = reference.value("asah", f"proc/cov_delong/{a}_vs_{b}")
    assert delong_covariance(y, [first, second]).covariance[0, 1] == pytest.approx(cov, abs=1e-15)


@pytest.mark.parametrize("score", SCORES)
def test_unpaired_delong_by_gender(score):
    y, s = reference.truth("asah"), reference.scores("asah", score)
    gender = np.array(reference.columns("asah")["gender"])
    rows = [(y[gender == g], s[gender == g]) for g in ("Male", "Female")]
    want = reference.value("asah", f"proc/test_unpaired/{score}_by_gender")
    found = delong_test_unpaired(*rows[0], *rows[1], distribution="t")
    assert found.statistic == pytest.approx(want["statistic"]["D"], abs=1e-12)
    assert found.df == pytest.approx(want["parameter"]["df"], rel=1e-12)
    assert found.p_value == pytest.approx(want["p.value"], rel=1e-10)
