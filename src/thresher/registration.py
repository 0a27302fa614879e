"""Registration of a user's additions to the package, and their removal."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, TypeVar

from thresher._util.fast_dataclass import dataclass
from thresher.errors import OptionError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Registration(Generic[T]):
    """Something that was registered: `value`, and `undo()`, which a `with` block calls at its end."""

    value: T
    undo: Callable[[], None]

    def __enter__(self) -> T:
        return self.value

    def __exit__(self, *_raised: object) -> None:
        self.undo()

    def __repr__(self) -> str:
        return f"<registered: {self.value!r}>"


def put(table: dict[str, Any], name: str, value: T) -> Registration[T]:
    """Put a value into a table under a name that is free."""
    if not isinstance(name, str):
        raise OptionError(f"{name!r} is not a name: it is registered under a text.")
    if name in table:
        raise OptionError(f"{name!r} is registered already: undo that first, or take another name.")
    table[name] = value
    return Registration(value, lambda: table.pop(name, None) and None)


def check_functions(**named: Any) -> None:
    """Refuse a value that is not a function where one is registered."""
    for name, value in named.items():
        if not callable(value):
            raise OptionError(f"{name} is {value!r}: give a function.")


def later(place: str) -> Callable[..., Any]:
    """Function of a module, as in "thresher.curves.roc_and_precision:roc_curve", loaded when it is first called.

    So a command's help can list the table without loading the computation.
    """
    module, _, name = place.partition(":")

    def call(*given: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*given, **options)

    return call
