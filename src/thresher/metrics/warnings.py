"""The warning for a metric that is 0/0: scikit-learn's own class when it is loaded, else one of the same name.

A user's filter for `sklearn.exceptions.UndefinedMetricWarning` must catch ours too, and scikit-learn must not be
imported to look its class up: so it is taken from the loaded modules at the moment of the warning.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any


class UndefinedMetricWarning(UserWarning):
    """A metric is 0/0 on these data and was set to a stated value."""


def warning_class() -> type[Warning]:
    """Class that `except` clauses and filters of the user's program know.

    >>> issubclass(warning_class(), UserWarning)
    True
    """
    loaded: Any = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = getattr(loaded, "UndefinedMetricWarning", UndefinedMetricWarning)
    return found


def warn_undefined(message: str, *, stacklevel: int = 3) -> None:
    """Warn that a metric is undefined; the default stack level points at the caller of the metric."""
    warnings.warn(message, warning_class(), stacklevel=stacklevel)
