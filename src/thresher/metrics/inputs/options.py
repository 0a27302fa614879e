"""Options: the values they take, in scikit-learn's wording of the refusal."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

LABELS = (int, float, str, np.generic, Real)


def check_choice(function: str, name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Check that an option is one of its values (None counts when it is listed)."""
    for choice in choices:
        if value is choice or (isinstance(value, str) and value == choice):
            return
    listed = ", ".join(map(repr, choices))
    raise ValueError(f"The {name!r} parameter of {function} must be one of {listed}. Got {value!r} instead.")


def check_flag(function: str, name: str, value: Any) -> None:
    """Check that an option is a boolean."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"The {name!r} parameter of {function} must be True or False. Got {value!r} instead.")


def check_positive_label_type(function: str, value: Any) -> None:
    """Check that a positive label is a number, a string, a boolean or None."""
    if value is not None and not isinstance(value, LABELS):
        raise ValueError(
            f"The 'pos_label' parameter of {function} must be a number, a string, a boolean or None. "
            f"Got {value!r} instead."
        )


def as_range(function: str, name: str, value: Any) -> tuple[float, float]:
    """Lower and upper limit that an option names."""
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        raise ValueError(
            f"The {name!r} parameter of {function} must be two numbers, (low, high). Got {value!r} instead."
        ) from None
    return low, high
