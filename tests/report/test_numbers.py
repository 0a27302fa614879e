"""Numbers as people read them: never a 0 or a 1 that the value is not, and always the nearest that fits."""

import math
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thresher.report import numbers
from thresher.results import Estimate

SHARES = st.floats(0, 1) | st.integers(1, 10_000).flatmap(lambda n: st.integers(0, n).map(lambda k: k / n))


@given(SHARES)
@example(0.99995)
@example(0.00005)
@example(1 / 32)
@example(5e-324)
def test_number_is_the_nearest_and_says_so_where_it_cannot_be(value):
    text = numbers.number(value)
    if text.startswith(">"):
        assert 0.9999 < value < 1
        return
    assert abs(Decimal(text) - Decimal(value)) <= Decimal("0.00005")
    assert (Decimal(text) == 0) == (value == 0)
    assert (Decimal(text) == 1) == (value == 1)


@given(st.floats(1e-300, 1e308), st.floats(1e-300, 1e308))
@example(1e250, 1e-250)
def test_an_interval_of_any_size_is_short(value, low):
    """From 1e200 on it was an error."""
    low = min(value, low)
    assert len(numbers.estimated(Estimate(name="lift", value=value, low=low, high=value))) <= 40


@given(st.floats(-1e300, 1e300))
def test_number_of_any_size_is_short_and_keeps_four_digits(value):
    text = numbers.number(value)
    assert len(text) <= 12
    if abs(value) >= 1:
        assert float(text) == pytest.approx(value, rel=5.1e-4)
    assert numbers.number(-value).strip("<->") == text.strip("<->")


def test_ties_go_away_from_zero_as_in_the_script():
    assert numbers.number(0.03125) == "0.0313"
    assert numbers.recognized(0.0625) == "6.3 %"
    assert numbers.percent(0.0625) == "6.3 %"


@given(SHARES)
@example(0.99999)
@example(0.999)
def test_percent_is_all_or_nothing_only_when_it_is(share):
    for text in (numbers.percent(share), numbers.recognized(share)):
        shown = text.removesuffix(" %")
        whole = shown.lstrip("<>")
        assert (float(whole) == 100 and whole == shown) == (share == 1)
        assert (float(whole) == 0 and whole == shown) == (share == 0)


@given(st.floats(-1e300, 1e300))
def test_threshold_reads_back_to_six_digits(value):
    assert float(numbers.cut(value)) == pytest.approx(value, rel=5.1e-6, abs=0)


@given(st.integers(0, 10**15) | st.floats(0, 1e9))
def test_count_reads_back(value):
    assert float(numbers.count(value).replace(",", "")) == pytest.approx(value, abs=0.0051)


def test_what_is_missing_is_said():
    assert numbers.number(math.nan) == numbers.percent(math.nan) == numbers.recognized(math.nan) == "undefined"
    assert numbers.percent(None) == "undefined"
    assert [numbers.number(x) for x in (math.inf, -math.inf)] == ["∞", "-∞"]
    assert numbers.cut(None) == "none"


@pytest.mark.parametrize(("name", "text"), [("auc", ">0.99"), ("calibration_slope", "1.00"), ("lift", "1.00")])
def test_only_a_bounded_measure_is_never_rounded_to_its_bound(name, text):
    value = Estimate(name=name, value=0.996, low=0.996, high=1.0)
    assert numbers.estimated(value, 2) == f"{text} [{text}, 1.00]"


def test_a_difference_of_bounded_measures_is_bounded():
    assert numbers.value_text(Estimate(name="auc", value=-0.999), 2) == "<-0.99"
    assert numbers.value_text(Estimate(name="log_loss", value=-0.999), 2) == "-1.00"
