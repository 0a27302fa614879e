"""Options, with scikit-learn's wording of refusals, and the warning about undefined values."""

from __future__ import annotations

import sys
import warnings
from numbers import Integral, Real
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


def check_count(function: str, name: str, value: Any) -> None:
    """Check that an option is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"The {name!r} parameter of {function} must be an int in the range [1, inf). Got {value!r} instead."
        )


def as_range(function: str, name: str, value: Any) -> tuple[float, float]:
    """Return the lower and upper limit that an option names."""
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        raise ValueError(
            f"The {name!r} parameter of {function} must be two numbers, (low, high). Got {value!r} instead."
        ) from None
    return low, high


class UndefinedMetricWarning(UserWarning):
    """A metric is 0/0 on these data and was set to a stated value."""


def warning_class() -> type[Warning]:
    """Return the warning class that the user's filters know.

    >>> issubclass(warning_class(), UserWarning)
    True
    """
    loaded: Any = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning)
    return found


def warn_undefined(message: str, *, stacklevel: int = 3) -> None:
    """Warn that a metric is undefined; the default stack level points at the caller of the metric."""
    warnings.warn(message, warning_class(), stacklevel=stacklevel)
