"""Properties that are computed once and kept, without a lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class cached_property(Generic[_T]):  # noqa: N801 - named after its model
    """A property that is computed at first access and stored in the value's own dictionary.

    The standard library's property locks the whole class before Python 3.12: evaluations in two threads waited for each
    other, and a process forked during a computation waited forever. Here two simultaneous threads compute
    the same value twice.
    """

    def __init__(self, function: Callable[[Any], _T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> cached_property[_T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        """The value; on the class the property itself."""
        if instance is None:
            return self
        # Kept under its name, the value hides this from now on. The first that was kept is the one for all threads.
        return vars(instance).setdefault(self.name, self.function(instance))


@contextmanager
def scoped(value: _T, *large: str) -> Iterator[_T]:
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
