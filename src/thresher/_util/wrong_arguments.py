"""Why a call failed: its arguments held against the signature of the function, in one sentence."""

from __future__ import annotations

import builtins
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.did_you_mean import BY_PLACE, JUDGED, called_here
from thresher.errors import ArgumentError, InputError, ThresherError, ended, quoted

SELF = ("self", "cls", "_cls")
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
NUMBERS = {float: Real, int: Integral, complex: Real}


def wrong_argument(
    function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], problem: Exception
) -> ThresherError | None:
    """Return the error that names the wrong argument; None if the arguments are right."""
    signature = inspect.signature(function)
    called = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__").removesuffix(".__new__")
    try:
        bound = signature.bind(*args, **named).arguments
    except TypeError:
        return ArgumentError(_unbound(called, signature, args, named))
    taken = signature.parameters
    given = {name: value for name, value in bound.items() if name not in SELF and taken[name].kind not in SEVERAL}
    hints = {name: _resolved(taken[name].annotation, function) for name in given}
    for name, value in given.items():
        if not _fits(value, hints[name]):
            is_short = value is None or isinstance(value, str | int | float | bool)
            kind = quoted(value) if is_short else f"a {type(value).__name__}"
            return ArgumentError(f"{called}() takes {name}: {taken[name].annotation}, not {kind}.")
    if isinstance(problem, KeyError):
        missing = [name for name, value in given.items() if isinstance(value, str) and problem.args[:1] == (value,)]
        if missing:
            return ArgumentError(
                f"{called}() was given {missing[0]}={quoted(given[missing[0]])}, which does not exist."
            )
    if passed := next((name for name in named if f"unexpected keyword argument '{name}'" in str(problem)), None):
        return ArgumentError(f"{called}() passes {passed}=… on, where it is not taken: {problem}.")
    return _of_arrays(called, given, problem) or _of_open(called, given, hints, str(problem))


def _unbound(called: str, signature: inspect.Signature, args: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    known = {name: p for name, p in signature.parameters.items() if name not in SELF}
    takes = f"It takes {_listed(known)}."
    places = [name for name, p in known.items() if p.kind in POSITIONAL]
    own = len(args) - (len(known) < len(signature.parameters))
    if unknown := next((name for name in named if name not in known), None):
        if here := called_here(unknown, known):
            return f"{called}() has no {unknown}; {here}."
        near = difflib.get_close_matches(unknown, known, n=1, cutoff=0.5)
        meant = f": did you mean {near[0]}=…?" if near else "."
        return f"{called}() does not take {unknown}=…{meant} {takes}"
    if own > len(places):
        values = "value" if own == 1 else "values"
        text = f"{called}() was given {own} {values} by place, and takes {len(places)}"
        if called == "evaluate" and hasattr(type(args[0]), "predict"):
            return f"{text}. {JUDGED}."
        return f"{text}. {BY_PLACE[called]}." if called in BY_PLACE else f"{text}; name the others. {takes}"
    if twice := next((name for name in places[: max(own, 0)] if name in named), None):
        return f"{called}() was given {twice} twice, by its place and by its name. {takes}"
    given = {*places[: max(own, 0)], *named}
    missing = [n for n, p in known.items() if p.default is p.empty and n not in given and p.kind not in SEVERAL]
    return f"{called}() needs {' and '.join(missing) or 'other arguments'}. {takes}"


def _listed(known: Mapping[str, inspect.Parameter]) -> str:
    places = [name for name, p in known.items() if p.kind in POSITIONAL]
    names = [name for name, p in known.items() if p.kind == p.KEYWORD_ONLY]
    parts = [", ".join(places)] if places else []
    parts += [f"by name, {', '.join(names)}"] if names else []
    return " and, ".join(parts) or "no arguments"


class _Names(dict[str, Any]):
    """Namespace of an annotation: its module, Python, a loaded module of this package, else Any."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            return getattr(builtins, name)
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("thresher.") and name in vars(module):
                return vars(module)[name]
        return Any


def _resolved(annotation: Any, function: Any) -> Any:
    if not isinstance(annotation, str):
        return Any if annotation is inspect.Parameter.empty else annotation
    try:
        return eval(annotation, {}, _Names(function.__globals__))
    except Exception:
        return Any


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value matches a type as far as visible; the contents of arrays are checked elsewhere."""
    origin, parts = get_origin(hint), get_args(hint)
    # NumPy's NDArray may be a type alias, from Python 3.12 on.
    origin = get_origin(getattr(origin, "__value__", None)) or origin
    if hint is ArrayLike:
        return not _is_no_array(value)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in parts)
    if origin is Literal:
        return isinstance(value, str | int | float | bool | NoneType) and value in parts
    kind = NoneType if hint is None else origin or hint
    if kind is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    return _is_of(value, kind)


def _is_of(value: Any, kind: type) -> bool:
    if kind in NUMBERS:
        return isinstance(value, NUMBERS[kind]) and not isinstance(value, bool | np.bool_)
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is Sequence or issubclass(kind, list | tuple):
        return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)
    return callable(value) if kind.__name__ == "Callable" else isinstance(value, kind)


def _is_no_array(value: Any) -> bool:
    of_ours = type(value).__module__.startswith("thresher")
    return value is None or of_ours or callable(value) or isinstance(value, Mapping | set | bytes)


def _of_arrays(called: str, given: Mapping[str, Any], problem: Exception) -> ThresherError | None:
    """Return the error of arrays of different lengths, of other shapes, or not of numbers."""
    shapes = {name: _shape(value) for name, value in given.items() if _is_sized(value)}
    same = "length" if len({shape[0] for shape in shapes.values()}) > 1 else "shape"
    if same == "length" or (isinstance(problem, IndexError) and len(set(shapes.values())) > 1):
        listed = ", ".join(f"{name} of {shape[0] if same == 'length' else shape}" for name, shape in shapes.items())
        return InputError(f"{called}() was given {listed}: they must have the same {same}.")
    if words := next((name for name in shapes if not _is_numeric(given[name])), None):
        return InputError(f"{called}() cannot read {words}=… as numbers: {quoted(given[words])}.")
    return None


def _of_open(called: str, given: Mapping[str, Any], hints: Mapping[str, Any], problem: str) -> ThresherError | None:
    """Return the error of the first argument without a class of its own that may be to blame, 0-d arrays first."""
    bare = [name for name, value in given.items() if isinstance(value, np.ndarray) and not value.ndim]
    for name in [*(bare if "0-d" in problem else ()), *filter(lambda name: _is_open(hints[name]), given)]:
        value = given[name]
        is_scalar = isinstance(value, Real) and not isinstance(value, bool)
        about = ARRAY_WORDS if _is_sized(value) else SCALAR_WORDS if is_scalar else "None" if value is None else ""
        if re.search(about, problem):
            shown = f"an array of shape {np.shape(value)}" if isinstance(value, np.ndarray) else quoted(value)
            return ArgumentError(f"{called}() cannot work with {name}=…, {shown}: {ended(problem)}")
    return None


def _is_open(hint: Any) -> bool:
    """Return whether a matching value may still be wrong: its type is not a single class."""
    return hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False)


ARRAY_WORDS = r"arrays?\b|shape|unpack|broadcast|zip|dimension|numpy|list|hashable"
SCALAR_WORDS = "dimension|iterable|index|float|int|len"
"""Words of Python's and NumPy's errors that may be about an array, or about a number."""


def _shape(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else (len(value),)


def _is_sized(value: Any) -> bool:
    has_length = hasattr(value, "__len__") and getattr(value, "ndim", 1) != 0
    return has_length and not isinstance(value, str | bytes | Mapping) and not _is_no_array(value)


def _is_numeric(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "buif"
    except (TypeError, ValueError):
        return False
