"""Two different numbers of one sentence are shown with as many digits as tell them apart, in every view."""

import re

import numpy as np
import pytest

import thresher as th
from lean_pages import full
from thresher.report.files import render


def nearly_all_negative(n=100_000, p=5_979):
    """Rows of which one more is decided rightly than always saying 0 decides."""
    y = np.arange(n) < p
    score = np.where(y, 0.2, 0.1)
    score[0] = 0.9
    return th.evaluate(y.astype(int), {"a": score})


@pytest.mark.parametrize("form", ["html", "json"])
def test_an_accuracy_is_not_higher_than_the_same_number(form):
    text = render(nearly_all_negative(), form)
    text = " ".join((re.sub(r"<[^>]*>", "", full(text)) if form == "html" else text).split())
    assert "0.94022" in text
    assert not re.search(
        r"accuracy,? (0\.\d+),? is (not above|above|higher than|no higher than|lower than|below)( the)? \1\b", text
    )


def test_values_of_a_comparison_are_told_apart():
    y = np.repeat([0, 1], 100_000)
    one = np.where(y == 1, 0.9, 0.1)
    one[:40] = 0.9
    other = np.where(y == 1, 0.9, 0.1)
    other[:42] = 0.9
    found = th.evaluate(y, {"a": one, "b": other}).compare("a", "b", measure="accuracy")
    assert [float(each) for each in re.findall(r"0\.\d+", found.sentence)[:2]] == [0.9998, 0.99979]


def test_the_gap_of_a_group_is_told_apart():
    y = np.tile([0, 1], 200_000)
    score = np.where(y == 1, 0.9, 0.1)
    group = np.repeat(["x", "y"], 200_000)
    score[np.arange(0, 200)] = 0.5
    score[np.arange(200_000, 200_202)] = 0.5
    found = th.evaluate(y, {"a": score}, by={"g": group}).groups.gaps("accuracy")
    for gap in found:
        one, two = re.findall(r"\((0\.\d+)\)", gap.sentence)[:2] or re.findall(r"0\.\d+", gap.sentence)[:2]
        assert one != two
