"""What a comparison and a test show of themselves on one line."""

import math

import pytest

import thresher as th
from thresher.results import TestResult

SCORES = {
    "a": [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4],
    "b": [5, 9, 6, 4, 3, 2, 7, 8, 5, 1],
    "c": [1, 2, 3, 4, 5, 6, 7, 8, 9, 9],
}
EVALUATION = th.evaluate([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], SCORES, by=list("xxxxxyyyyy"))


def test_a_comparison_is_one_line_with_the_numbers_that_matter():
    found = EVALUATION.compare("a", "b")
    assert repr(found) == "Comparison(auc of a − b = 0.24 [-0.199, 0.628], p = 0.3, DeLong's paired score test)"
    assert str(found) == found.sentence


def test_several_are_a_line_each_with_adjusted_p_values():
    lines = repr(EVALUATION.compare()).splitlines()
    assert (lines[0], len(lines), lines[-1]) == ("Comparisons([", 5, "])")
    assert all(" after Holm, " in line for line in lines[1:-1])


def test_what_is_undefined_says_why():
    by = [line for line in repr(EVALUATION.compare(by="group")).splitlines() if "group" in line]
    assert len(by) == 9
    assert all("undefined" in line and "None" not in line and "nan" not in line for line in by)
    bare = TestResult(method="t test", statistic=math.nan, p_value=math.nan, reason="there are no rows")
    assert repr(bare) == "TestResult(t test: undefined, there are no rows)"


@pytest.mark.parametrize("options", [{}, {"positive": "c" * 500}])
def test_long_labels_are_cut_in_errors(options):
    with pytest.raises(th.ThresherError, match="…") as caught:
        th.evaluate(["a" * 500, "b" * 500], [1, 2], **options)
    assert len(str(caught.value)) < 400
