"""McNemar's test by its definition, against R, and where nothing is discordant."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import comparison_definitions as by_definition
import example_rows
from golden_values import load
from thresher.inference.differences.tests_of_counts import METHODS, agreement_table, mcnemar_test

COUNTS = st.integers(0, 40)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_exact_and_mid_p_are_binomial_sums(both, b, c, neither):
    table = [[both, b], [c, neither]]
    if not b + c:
        return
    tail, mass = by_definition.binomial_tail(min(b, c), b + c), by_definition.binomial_mass(b, b + c)
    exact, mid = (mcnemar_test(table, method=method).p_value for method in ("exact", "mid-p"))
    assert exact == pytest.approx(min(1.0, 2 * tail), rel=1e-10)
    assert mid == pytest.approx(1 - mass / 2 if b == c else 2 * tail - mass, rel=1e-10)
    for side, wins in (("greater", c), ("less", b)):
        one = mcnemar_test(table, method="exact", alternative=side).p_value
        assert one == pytest.approx(by_definition.binomial_tail(wins, b + c), rel=1e-10)


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.sampled_from(METHODS))
def test_exchange_of_the_models_changes_the_sign(both, b, c, neither, method):
    if not both + b + c + neither:
        return
    one, two = (mcnemar_test(t, method=method) for t in ([[both, b], [c, neither]], [[both, c], [b, neither]]))
    assert one.p_value == two.p_value
    assert one.estimate == -two.estimate
    assert one.low == pytest.approx(-two.high, abs=1e-12)
    assert 0 <= one.p_value <= 1


GOLDEN = [
    (name, key.split("/")[1])
    for name in ("breast_cancer", "digit_eight")
    for key in load(name)["results"]
    if key.endswith("/discordant_at_0.5")
]


@pytest.mark.parametrize(("name", "pair"), GOLDEN)
def test_golden_values_of_r(name, pair):
    results = load(name)["results"]
    y = example_rows.truth(name)
    right = [(example_rows.scores(name, model) >= 0.5) == y for model in pair.split("_vs_")]
    table = agreement_table(*right)
    p = {key: results[f"base/{pair}/{key}"]["value"] for key in ("mcnemar", "mcnemar_continuity", "mcnemar_exact_p")}
    for method, key in (("chi2", "mcnemar"), ("chi2-corrected", "mcnemar_continuity")):
        found = mcnemar_test(table, method=method)
        want = p[key]
        assert found.p_value == pytest.approx(want["p.value"], rel=1e-9)
        assert found.statistic == pytest.approx(next(iter(want["statistic"].values())), rel=1e-12)
    assert mcnemar_test(table, method="exact").p_value == pytest.approx(p["mcnemar_exact_p"], rel=1e-9)


def test_without_rows_there_is_no_p_value():
    assert math.isnan(mcnemar_test([[0, 0], [0, 0]]).p_value)
