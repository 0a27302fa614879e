"""Guard of public functions and classes: an error names the wrong argument and the valid ones.

A valid call is unchanged, except for a check of pandas indexes; errors of Python and NumPy are explained.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial, update_wrapper
from types import FunctionType
from typing import Any, TypeVar

from thresher.errors import ArgumentError, InputError, ThresherError

T = TypeVar("T")

RAW = (TypeError, AttributeError, ValueError, LookupError, ArithmeticError)
"""Errors of Python and NumPy that a wrong argument causes."""

MARK = "_says_what_is_wrong"


def guarded(value: T) -> T:
    """Guard a function, or a class in place: wrong arguments raise a `ThresherError`. Return other values unchanged.

    Of a class it is the making of a value and its own public methods.

    >>> @guarded
    ... def share(part: float, *, of: float) -> float:
    ...     return part / of
    >>> share(1, off=2)
    Traceback (most recent call last):
    thresher.errors.ArgumentError: share() does not take off=…: did you mean of=…? It takes part and, by name, of.
    """
    made: Any = value
    if isinstance(value, FunctionType):
        made = _function(value)
    elif isinstance(value, type):
        made = _class(value)
    return made  # type: ignore[no-any-return]


def _function(function: FunctionType) -> FunctionType:
    if getattr(function, MARK, False):
        return function
    own, raw, answer, again, refuse, loaded = (
        ThresherError,
        RAW,
        _answer,
        _answer_again,
        refuse_other_order,
        sys.modules,
    )
    kinds, attribute = partial(map, type), getattr

    def called(*args: Any, **named: Any) -> Any:
        try:
            series = attribute(loaded.get("pandas"), "Series", None)
            if series is not None and series in kinds((*args, *named.values())):
                refuse(args, named)
            return function(*args, **named)
        except own as inner:
            outer = again(function, args, named, inner)
            if outer is None:
                raise
            raise outer from inner.__cause__
        except raw as problem:
            own_names, error = answer(function, args, named, problem)
            if own_names:
                return called(*args, **own_names)
            if error is None:
                raise
            raise error from problem

    # Its globals are those of the function, by which doctest knows the module that it belongs to; those of a named
    # tuple's `__new__` have no built-in names, so that `called` uses none.
    made = FunctionType(called.__code__, function.__globals__, function.__name__, None, called.__closure__)
    update_wrapper(made, function)
    setattr(made, MARK, True)
    return made


def _class(kind: type) -> type:
    if MARK in vars(kind) or issubclass(kind, BaseException) or getattr(kind, "_is_protocol", False):
        return kind
    makes = "__new__" if issubclass(kind, tuple) else "__init__"
    for name, member in list(vars(kind).items()):
        if name.startswith("_") and name != makes:
            continue
        if isinstance(member, FunctionType):
            setattr(kind, name, _function(member))
        elif isinstance(member, classmethod | staticmethod) and isinstance(member.__func__, FunctionType):
            setattr(kind, name, type(member)(_function(member.__func__)))
    setattr(kind, MARK, True)
    return kind


def refuse_other_order(args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Refuse pandas series that hold one index in different orders: values are matched by position.

    An index that is only different, such as one that was reset, says nothing about the order.
    """
    found = [v for v in (*args, *named.values()) if type(v) is sys.modules["pandas"].Series]
    for other in found[1:]:
        mine, theirs = found[0].index, other.index
        if mine is theirs or len(mine) != len(theirs) or mine.equals(theirs):
            continue
        if mine.is_unique and theirs.isin(mine).all():
            raise InputError(
                "two of the series have the same index in different orders, while values are matched by position: "
                "align them first, as in other.loc[first.index]."
            )


def _answer(
    function: FunctionType, args: tuple[Any, ...], named: dict[str, Any], problem: Exception
) -> tuple[dict[str, Any] | None, ThresherError | None]:
    """Return the arguments under the function's own names where the command's were used, else the error."""
    # Loaded when it is needed: the names of a package, such as the help of a command, cost no NumPy.
    from thresher._util.did_you_mean import own_names
    from thresher._util.wrong_arguments import wrong_argument

    # The call has not begun if its keywords are to blame.
    found = own_names(function, named) if named and isinstance(problem, TypeError) else None
    return found, None if found else wrong_argument(function, args, named, problem)


def _answer_again(
    function: FunctionType, args: tuple[Any, ...], named: dict[str, Any], inner: ThresherError
) -> ThresherError | None:
    """Return the error in this function's own name where one that it called refused an argument."""
    problem = inner.__cause__
    if not (isinstance(inner, ArgumentError) and isinstance(problem, RAW)):
        return None
    outer = _answer(function, args, named, problem)[1]
    return outer if isinstance(outer, ArgumentError) else None
