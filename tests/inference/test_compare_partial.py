"""The difference of two partial areas: DeLong's over the whole range, rows by hand, and the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

import thresher as th
from thresher.errors import OptionError
from thresher.inference import delong_test, delong_test_unpaired

RNG = np.random.default_rng(3)
Y = np.repeat([1, 0], [60, 90])
A = Y + RNG.normal(size=150)
B = 0.5 * Y + 0.5 * A + RNG.normal(size=150)
EV = th.evaluate(Y, {"a": A, "b": B})


@pytest.mark.parametrize("part", ["fpr<=1", "tpr>=0", "fpr=0:1"])
def test_over_the_whole_range_it_is_delong(part: str) -> None:
    found, known = EV.compare("a", "b", measure=part), delong_test(Y, A, B)
    assert found.difference == pytest.approx(known.estimate)
    assert found.statistic == pytest.approx(known.statistic)
    assert found.p_value == pytest.approx(known.p_value)


@pytest.mark.parametrize("part", ["fpr<=0.2", "fpr=0.1:0.3", "specificity>=0.8", "tpr>=0.7"])
def test_values_are_those_of_the_models_and_the_bootstrap_agrees(part: str) -> None:
    found = EV.compare("a", "b", measure=part)
    own = [EV[name].partial_area(part).raw for name in ("a", "b")]
    assert found.values == pytest.approx((own[0].value, own[1].value), rel=1e-13)
    assert found.difference == pytest.approx(own[0].value - own[1].value)
    assert EV["a"].estimate(part).interval == own[0].interval
    drawn = EV.compare("a", "b", measure=part, bootstrap=th.Bootstrap(n=400, rng=1))
    assert drawn.difference == pytest.approx(found.difference)
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.25)


def test_different_rows_and_two_way_areas() -> None:
    groups = np.arange(150) % 2
    ev = th.evaluate(Y, {"a": A}, by=groups)
    found = ev.compare("a", by="group", measure="fpr<=1")[0]
    halves = [(Y[groups == g], A[groups == g]) for g in (0, 1)]
    assert abs(found.statistic) == pytest.approx(abs(delong_test_unpaired(*halves[0], *halves[1]).statistic))
    same = th.evaluate(Y, {"a": A, "b": np.exp(A)}).compare("a", "b", measure="fpr<=0.2")
    assert (same.difference, same.p_value, same.low, same.high) == (0, 1, 0, 0)
    both = EV.compare("a", "b", measure="fpr<=0.3,tpr>=0.5", bootstrap=50)
    own = [EV[name].partial_area("fpr<=0.3,tpr>=0.5").raw.value for name in ("a", "b")]
    assert both.difference == pytest.approx(own[0] - own[1])
    assert EV["a"].estimate("recall>=0.8").value == EV["a"].partial_area("recall>=0.8").raw.value
    with pytest.raises(OptionError, match="does not serve"):
        EV.compare("a", "b", measure="fpr<=0.2", test="permutation")
    with pytest.raises(OptionError, match="low < high"):
        EV.compare("a", "b", measure="fpr<=0")


@pytest.mark.slow
def test_it_errs_as_often_as_it_says() -> None:
    rng, found = np.random.default_rng(8), []
    for _ in range(400):
        common = rng.normal(size=120)
        y = np.repeat([1, 0], [50, 70])
        a, b = (y + common + rng.normal(size=120) for _ in range(2))
        found.append(th.evaluate(y, {"a": a, "b": b}).compare("a", "b", measure="fpr<=0.3").p_value < 0.05)
    assert 0.025 < np.mean(found) < 0.08
