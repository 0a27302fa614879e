"""The decorator `dataclass` for values that cannot be written to, made faster than by `dataclasses`.

A report defines some 150 of them, and compiling six methods for each took a tenth of the time of a small one. Here only
`__init__` is compiled; the other methods are the same for every class. They behave like the methods of `dataclasses`,
whose functions are given on, so that a module needs one import.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, field, fields, replace
from operator import attrgetter
from reprlib import recursive_repr
from types import FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["asdict", "dataclass", "field", "fields", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(kind: type | None = None, /, **options: bool) -> Any:
        """`dataclasses.dataclass`; a frozen class without a dataclass above it is made here.

        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.5), Point(1.5) == Point(1.5, 0), len({Point(1.5), Point(1.5, 0)})
        (Point(x=1.5, y=0.0), True, 1)
        """
        return _made(kind, **options) if kind else lambda kind: _made(kind, **options)


class _Made:
    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _made(kind: type, *, frozen: bool = False, eq: bool = True, **options: Any) -> type:
    if not frozen or hasattr(kind, "__dataclass_params__"):
        return dataclasses.dataclass(frozen=frozen, eq=eq, **options)(kind)
    kind.__doc__ = kind.__doc__ or kind.__name__
    bare: Any = dataclasses.dataclass(init=False, repr=False, eq=False, **options)(kind)
    said = bare.__dataclass_params__
    said.init = said.repr = said.frozen = True
    said.eq = eq
    parts = fields(bare)
    methods = {"__init__": _init(bare, parts), "__repr__": _repr(parts), **_frozen(bare, parts)}
    methods |= _compared(parts) if eq else {}
    for name, method in methods.items():
        method.__qualname__ = f"{bare.__qualname__}.{name}"
    methods |= {"__getstate__": _state, "__setstate__": _set_state} if options.get("slots") else {}
    own = set(vars(bare))
    if "__eq__" in own and bare.__hash__ is None:  # what Python writes beside a class's own `__eq__`
        own.remove("__hash__")
    for name in methods.keys() - own:
        setattr(bare, name, methods[name])
    return bare  # type: ignore[no-any-return]


def _init(kind: type, parts: tuple[Field[Any], ...]) -> Callable[..., None]:
    # In the globals of its module, by which doctest knows where a method belongs.
    home = sys.modules[kind.__module__].__dict__
    known: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    known |= {f"_is_{part.name}": part.default for part in parts if part.default is not MISSING}
    known |= {f"_new_{part.name}": part.default_factory for part in parts if part.default_factory is not MISSING}
    init = _compiled(parts, hasattr(kind, "__post_init__"), known, home)
    init.__annotations__ = {part.name: part.type for part in parts if part.init} | {"return": None}
    return init


def _compiled(
    parts: tuple[Field[Any], ...], is_checked: bool, known: dict[str, Any], home: dict[str, Any]
) -> FunctionType:
    values = {part.name: _value(part) for part in parts}
    lines = [f"_set(self, {name!r}, {value})" for name, value in values.items() if value]
    lines += ["self.__post_init__()"] if is_checked else []
    taken = [_parameter(part) for part in parts if part.init and not part.kw_only]
    by_name = [_parameter(part) for part in parts if part.init and part.kw_only]
    signature = ", ".join(["self", *taken, *(["*", *by_name] if by_name else [])])
    text = f"def made({', '.join(known)}):\n def __init__({signature}):\n  " + "\n  ".join(lines or ["pass"])
    found: dict[str, Any] = {}
    exec(f"{text}\n return __init__", home, found)
    init: FunctionType = found["made"](**known)
    return init


def _parameter(part: Field[Any]) -> str:
    if part.default_factory is not MISSING:
        return f"{part.name}=_MADE"
    return part.name if part.default is MISSING else f"{part.name}=_is_{part.name}"


def _value(part: Field[Any]) -> str:
    name = part.name
    if part.default_factory is not MISSING:
        return f"_new_{name}() if {name} is _MADE else {name}" if part.init else f"_new_{name}()"
    if part.init:
        return name
    return "" if part.default is MISSING else f"_is_{name}"


def _repr(parts: tuple[Field[Any], ...]) -> Callable[[Any], str]:
    names = [part.name for part in parts if part.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _compared(parts: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    names = [part.name for part in parts if part.compare]
    values: Callable[[Any], Any]
    values = attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)
    hashed = [part.name for part in parts if (part.compare if part.hash is None else part.hash)]

    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(tuple(getattr(self, name) for name in hashed))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _frozen(kind: Any, parts: tuple[Field[Any], ...]) -> dict[str, Callable[..., None]]:
    names = frozenset(part.name for part in parts)

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
        if type(self) is kind or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(kind, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: N807
        if type(self) is kind or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(kind, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _state(self: Any) -> list[Any]:
    return [getattr(self, part.name) for part in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for part, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, part.name, value)
