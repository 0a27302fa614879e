"""scikit-learn's classification and ranking metrics, an order of magnitude faster, and some it lacks.

Change `from sklearn.metrics import …` to `from thresher.metrics import …`: names, parameters, defaults, returned
types, edge values, warnings and errors stay. No mathematics here: arguments are checked, counted by
`thresher.kernel` and handed to the formulas of the core.

"""

from importlib import import_module
from typing import Any

PLACES: dict[str, tuple[str, ...]] = {
    "warnings": ("UndefinedMetricWarning",),
}
"""Module of each public name; it is loaded when the name is first used."""

_MODULE_OF = {name: module for module, names in PLACES.items() for name in names}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605  one list, not two


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'thresher.metrics' has no attribute {name!r}")
    value = getattr(import_module(f"thresher.metrics.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
