"""Frozen values: read-only arrays, equality by fields, pickling, checks before addition, and cached properties."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from numbers import Real
from types import MappingProxyType
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError, OptionError, keyword

_T = TypeVar("_T", bound=np.generic)
_K = TypeVar("_K")


def freeze(array: NDArray[_T]) -> NDArray[_T]:
    """Read-only view of an array (the caller's own array stays writable)."""
    view = array.view()
    view.flags.writeable = False
    return view


class ReadOnly:
    """A frozen dataclass value that makes its arrays read-only."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # every class below is a dataclass
            if isinstance(array := getattr(self, field.name), np.ndarray):
                object.__setattr__(self, field.name, freeze(array))


def unchecked(kind: type[_K], **values: Any) -> _K:
    """Make a frozen value of fields that fit, with arrays that nothing else holds, without the checks of its class."""
    made = object.__new__(kind)
    for each in values.values():
        if type(each) is np.ndarray:
            each.flags.writeable = False
    vars(made).update(values)
    return made


def rebuilt(value: Any) -> tuple[Any, ...]:
    """How a dataclass value is pickled (`__reduce__`): by fields, so that the copy is checked and frozen."""
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    proxies = {name: dict(each) for name, each in found.items() if isinstance(each, MappingProxyType)}
    return _build, (type(value), found | proxies)


def _build(kind: Any, values: dict[str, Any]) -> Any:
    return kind(**values)


class ByFields(ReadOnly):
    """A value with read-only arrays, equality and pickling by its fields, and without a hash."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        own = [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return isinstance(other, type(self)) and all(_same(getattr(self, n), getattr(other, n)) for n in own)

    __hash__ = None  # type: ignore[assignment]
    __reduce__ = rebuilt


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if a is None or b is None:
            return False
        has_nan = all(np.asarray(each).dtype.kind == "f" for each in (a, b))
        return np.array_equal(a, b, equal_nan=has_nan)
    return bool(a == b)


def check_prevalence(prevalence: float) -> float:
    """Check a prevalence: a number in [0, 1]."""
    if isinstance(prevalence, bool) or not isinstance(prevalence, Real) or not 0 <= prevalence <= 1:
        raise OptionError(keyword("prevalence", repr(prevalence)) + ": a prevalence is a share, between 0 and 1.")
    return float(prevalence)


def check_deciding(prevalence: float) -> float:
    """Check a prevalence at which thresholds are chosen: both classes occur there."""
    if check_prevalence(prevalence) in (0, 1):
        raise OptionError(
            keyword("prevalence", repr(prevalence)) + ": where all rows are of one class there is nothing to choose; "
            "give a share strictly between 0 and 1."
        )
    return float(prevalence)


def share_of(prevalence: float | None, skew: float | None, default: float | None = None) -> float:
    """Return the given prevalence, or the prevalence of a skew r = N/P, π = 1/(1 + r); else the default.

    Raises:
        OptionError: both were given, neither with no default, or one is out of range.

    >>> share_of(None, 9), share_of(0.25, None), share_of(None, None, 0.5)
    (0.1, 0.25, 0.5)
    """
    if skew is None and prevalence is None and default is not None:
        return default
    if skew is None and prevalence is not None:
        return check_prevalence(prevalence)
    if skew is None or prevalence is not None:
        raise OptionError("give either " + keyword("prevalence") + " or skew=, the ratio of negatives to positives.")
    if isinstance(skew, bool) or not isinstance(skew, Real) or not 0 <= skew < math.inf:
        raise OptionError(f"skew={skew!r}: a ratio of classes is a finite number ≥ 0.")
    return 1 / (1 + float(skew))


SPOKEN = {"weight_kind": "kinds of weights", "prior": "prevalences"}
"""Names of fields in a sentence, if different."""


def check_alike(a: Any, b: Any, names: tuple[str, ...]) -> None:
    """Check that two values can be added: the named fields agree."""
    for name in names:
        mine, theirs = getattr(a, name), getattr(b, name)
        if mine != theirs:
            plain = [dict(each) if isinstance(each, Mapping) else each for each in (mine, theirs)]
            text = " and ".join("none" if each is None else repr(each) for each in plain)
            raise InputError(f"values of different {SPOKEN.get(name, name)} cannot be added: {text}.")


Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - named after its model
    """A property that is computed at first access and stored in the value's own dictionary.

    The standard library's property locks the whole class before Python 3.12: evaluations in two threads waited for each
    other, and a process forked during a computation waited forever. Here two simultaneous threads compute
    the same value twice.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        """The value; on the class the property itself."""
        if instance is None:
            return self
        # Kept under its name, the value hides this from now on. The first that was kept is the one for all threads.
        return vars(instance).setdefault(self.name, self.function(instance))


@contextmanager
def scoped(value: Value, *large: str) -> Iterator[Value]:
    """Copy of a frozen value with its computed values; those that the copy computes are kept, except the large names.

    So values as large as the rows are freed at the end, unless they were computed before.

    >>> class Rows:
    ...     many = cached_property(lambda self: [1, 2, 3])
    ...     few = cached_property(lambda self: sum(self.many))
    >>> rows = Rows()
    >>> with scoped(rows, "many") as read:
    ...     read.few, list(vars(read))
    (6, ['many', 'few'])
    >>> vars(rows)
    {'few': 6}
    """
    copied = object.__new__(type(value))
    vars(copied).update(vars(value))
    yield copied
    for name, found in vars(copied).items():
        if name not in large:
            vars(value).setdefault(name, found)
