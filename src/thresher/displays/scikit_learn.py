"""Modules of scikit-learn, whose displays draw ours, and the signatures of its methods."""

from __future__ import annotations

from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, getattr_static, signature
from typing import Any

from thresher.errors import MissingDependencyError

METHODS = ("__init__", "plot", "from_estimator", "from_predictions", "from_cv_results")


def part_of_scikit_learn(name: str) -> Any:
    """Return a module of scikit-learn."""
    try:
        return import_module(f"sklearn.{name}")
    except ImportError as error:
        raise MissingDependencyError("displays need scikit-learn: pip install scikit-learn.") from error


def show_signatures(display: type) -> type:
    """Give the methods of a display the signatures of scikit-learn's, and `band=` where ours take it.

    Ours pass most options on, and one method serves several displays.
    """
    base = next(kind for kind in display.__mro__[1:] if kind.__name__ == display.__name__)
    for name in METHODS:
        if hasattr(base, name):
            method = getattr_static(display, name)
            own = _with_signature(getattr(method, "__func__", method), getattr_static(base, name))
            setattr(display, name, classmethod(own) if isinstance(method, classmethod) else own)
    return display


def _with_signature(function: Any, other: Any) -> Any:
    """Return a function with the signature of another one, and with `band` where it takes it."""

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        return function(*args, **named)

    parameters = list(signature(getattr(other, "__func__", other)).parameters.values())
    band = signature(function).parameters.get("band")
    if band is not None:
        at = len(parameters) - (parameters[-1].kind is Parameter.VAR_KEYWORD)
        parameters.insert(at, band)
    vars(called)["__signature__"] = Signature(parameters)
    return called
