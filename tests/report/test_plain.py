"""Labels of any kind become what JSON can hold, and text that every encoding can write."""

import datetime
import decimal
import enum
import fractions
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher._util.json_values import finite, label_to_jsonable, plain_text


class Color(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        (np.int64(3), 3), (np.bool_(True), True), (np.str_("yes"), "yes"), (np.float32(0.5), 0.5),
        (float("nan"), "nan"), (np.float64("-inf"), "-inf"), (None, None), (b"yes", "yes"), (b"\xff", "�"),
        (datetime.date(2024, 5, 1), "2024-05-01"), (np.datetime64("2024-05-01"), "2024-05-01"),
        (decimal.Decimal("1.5"), "1.5"), (fractions.Fraction(1, 3), "1/3"), (Color.RED, "Color.RED"),
        ((1, "a"), "(1, 'a')"), ("\ud800", "?"),
    ],
)  # fmt: skip
def test_label_is_a_json_type(label, plain):
    found = label_to_jsonable(label)
    assert found == plain
    assert type(found) is type(plain)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@given(st.text() | st.binary() | st.integers() | st.floats() | st.booleans() | st.none())
def test_text_can_be_written(label):
    plain_text(label).encode("utf-8")
    json.dumps(label_to_jsonable(label), allow_nan=False).encode("utf-8")


@given(st.floats() | st.integers(0, 2**70))
def test_finite_number_is_the_same_number_or_nothing(value):
    found = finite(value)
    assert found == value if math.isfinite(value) else found is None
