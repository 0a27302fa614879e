"""How much is tried by default: a part of the random examples and of long lists of cases, and by the gate the whole."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings


def examples(whole: int) -> int:
    """The part of this many that the profile in use takes, 5 at least."""
    return min(whole, max(5, whole * settings.default.max_examples // settings.get_profile("whole").max_examples))


def few(values: Iterable[Any], number: int) -> list[Any]:
    """Values for `parametrize`: as many as this, spread over them, by default, and the others as `slow`."""
    every = list(values)
    quick = {place * len(every) // number for place in range(number)}
    return [each if i in quick else _slow(each) for i, each in enumerate(every)]


def _slow(each: Any) -> Any:
    if isinstance(each, type(pytest.param())):
        return pytest.param(*each.values, marks=[*each.marks, pytest.mark.slow], id=each.id)
    return pytest.param(each, marks=pytest.mark.slow)
