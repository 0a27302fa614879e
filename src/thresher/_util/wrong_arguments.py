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
NUMBERS = {float: Real, int: Integral, complex: Real}
WORDS = {
    float: "a number", int: "a whole number", str: "a text", bool: "True or False", NoneType: "None",
    np.ndarray: "a NumPy array", Mapping: "a dictionary", dict: "a dictionary", Sequence: "a list",
    Callable: "a function",
}  # fmt: skip


def wrong_argument(
    function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], problem: Exception
) -> ThresherError | None:
    """Return the error that names the wrong argument; None if the arguments are right."""
    signature = inspect.signature(function)
    called = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__").removesuffix(".__new__")
    try:
        bound = signature.bind(*args, **named)
    except TypeError:
        return ArgumentError(_unbound(called, signature, args, named))
    given = {name: value for name, value in _single(signature, bound.arguments) if name not in SELF}
    hints = {name: _resolved(signature.parameters[name].annotation, function) for name in given}
    for name, value in given.items():
        if not _fits(value, hints[name]):
            return ArgumentError(f"{called}() takes {name}=… as {_needed(hints[name])}, and {_kind(value)} was given.")
    if isinstance(problem, KeyError) and (missing := [n for n, v in given.items() if _is_key(v, problem)]):
        return ArgumentError(f"{called}() was given {missing[0]}={quoted(given[missing[0]])}, which does not exist.")
    if passed := next((name for name in named if f"unexpected keyword argument '{name}'" in str(problem)), None):
        return ArgumentError(f"{called}() passes {passed}=… on, where it is not taken: {problem}.")
    return _of_arrays(called, given, [name for name, hint in hints.items() if _is_open(hint)], problem)


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
        said = f"{called}() was given {own} {values} by place, and takes {len(places)}"
        if called == "evaluate" and hasattr(type(args[0]), "predict"):
            return f"{said}. {JUDGED}."
        return f"{said}. {BY_PLACE[called]}." if called in BY_PLACE else f"{said}; name the others. {takes}"
    if twice := next((name for name in places[: max(own, 0)] if name in named), None):
        return f"{called}() was given {twice} twice, by its place and by its name. {takes}"
    given = {*places[: max(own, 0)], *named}
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    missing = [n for n, p in known.items() if p.default is p.empty and n not in given and p.kind not in several]
    return f"{called}() needs {' and '.join(missing) or 'other arguments'}. {takes}"


def _listed(known: Mapping[str, inspect.Parameter]) -> str:
    places = [name for name, p in known.items() if p.kind in POSITIONAL]
    names = [name for name, p in known.items() if p.kind == p.KEYWORD_ONLY]
    parts = [", ".join(places)] if places else []
    parts += [f"by name, {', '.join(names)}"] if names else []
    return " and, ".join(parts) or "no arguments"


def _single(signature: inspect.Signature, bound: Mapping[str, Any]) -> list[tuple[str, Any]]:
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [(name, value) for name, value in bound.items() if signature.parameters[name].kind not in several]


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


def _origin(hint: Any) -> Any:
    """Return the generic type; NumPy's NDArray may be a type alias, from Python 3.12 on."""
    origin = get_origin(hint)
    return get_origin(getattr(origin, "__value__", None)) or origin


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value matches a type as far as visible; the contents of arrays are checked elsewhere."""
    origin, parts = _origin(hint), get_args(hint)
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


def _is_open(hint: Any) -> bool:
    """Return whether a matching value may still be wrong: its type is not a single class."""
    return hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False)


def _needed(hint: Any) -> str:
    origin = _origin(hint)
    if hint is ArrayLike:
        return "an array"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_needed, get_args(hint))))
    if origin is Literal:
        return " or ".join(map(repr, get_args(hint)))
    kind = origin or hint
    if kind is None:
        return "None"
    name = getattr(kind, "__name__", str(kind))
    return WORDS.get(kind, f"a {name}")


def _kind(value: Any) -> str:
    if value is None or isinstance(value, str | int | float | bool):
        return quoted(value)
    return f"a {type(value).__name__}"


def _of_arrays(called: str, given: Mapping[str, Any], loose: Sequence[str], problem: Exception) -> ThresherError | None:
    """Return the error of array arguments: not an array, not numeric, or of another length.

    `loose` arguments lack a type of their own; they may be to blame when all arrays fit.
    """
    arrays = {name: value for name, value in given.items() if _is_sized(value)}
    sizes = {name: len(value) for name, value in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{size:,} of {name}" for name, size in sizes.items())
        return InputError(f"{called}() matches values by position, and was given {listed}: they must have one length.")
    shapes = {name: value.shape for name, value in arrays.items() if isinstance(value, np.ndarray)}
    if isinstance(problem, IndexError) and len(set(shapes.values())) > 1:
        listed = ", ".join(f"{name} of {shape}" for name, shape in shapes.items())
        return InputError(f"{called}() was given {listed}: they must have the same shape.")
    for name, value in arrays.items():
        if not _is_numeric(value):
            return InputError(f"{called}() cannot read {name}=… as numbers: {quoted(value)}.")
    bare = [name for name, value in given.items() if isinstance(value, np.ndarray) and not value.ndim]
    if bare and "0-d" in str(problem):
        return ArgumentError(f"{called}() cannot work with {bare[0]}=…: it needs an array of at least one dimension.")
    for name, value in given.items():
        if name in loose and _is_to_blame(value, str(problem)):
            shown = f"an array of shape {np.shape(value)}" if name in arrays else quoted(value)
            return ArgumentError(f"{called}() cannot work with {name}=…, {shown}: {ended(str(problem))}")
    return None


def _is_to_blame(value: Any, problem: str) -> bool:
    """Return whether Python's or NumPy's error may be about this value."""
    if _is_sized(value):
        return re.search(r"arrays?\b|shape|unpack|broadcast|zip|dimension|numpy|list|hashable", problem) is not None
    if isinstance(value, Real) and not isinstance(value, bool):
        return re.search(r"0-dimensional|iterable|index|float|int|len", problem) is not None
    return value is not None or "None" in problem


def _is_key(value: Any, problem: KeyError) -> bool:
    return isinstance(value, str) and problem.args[:1] == (value,)


def _is_sized(value: Any) -> bool:
    has_length = hasattr(value, "__len__") and getattr(value, "ndim", 1) != 0
    return has_length and not isinstance(value, str | bytes | Mapping) and not _is_no_array(value)


def _is_numeric(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "buif"
    except (TypeError, ValueError):
        return False
