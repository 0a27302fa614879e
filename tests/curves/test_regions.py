"""Parts of a curve in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.curves.regions import Part, part_of

RATES = st.integers(0, 100).map(lambda k: k / 100)


@given(st.sampled_from(["fpr", "tpr", "recall"]), RATES, RATES)
def test_text_of_a_part_reads_back(rate, low, high):
    if low < high:
        part = Part(region=f"{rate}_range", low=low, high=high)
        assert part_of(str(part)) == part


@given(RATES, RATES)
def test_text_of_two_bounds_reads_back(low, high):
    if high > 0 and low < 1:
        part = Part(region="two_way", low=low, high=high)
        assert part_of(str(part)) == part
        first, second = str(part).split(",")
        assert part_of(f"{second} , {first}") == part


@pytest.mark.parametrize(("text", "same"), [
    ("specificity>=0.9", "fpr<=0.1"), ("sensitivity ≥ 0.9", "tpr>=0.9"), ("Specificity=0.8:0.95", "fpr=0.05:0.2"),
    ("fpr<=0.1, sensitivity>=0.8", "fpr<=0.1,tpr>=0.8"),
])  # fmt: skip
def test_other_names_of_the_same_part(text, same):
    assert part_of(text) == part_of(same)
