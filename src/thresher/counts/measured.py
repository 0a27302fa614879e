"""Every registered measure as an attribute of a counted value (the stub beside this file is generated)."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from thresher.upward_import import refuse_call, upward_import

Value_co = TypeVar("Value_co", covariant=True)


class Measured(Generic[Value_co]):
    """Gives a counted value its measures: `matrix.accuracy`, `table.true_positive_rate`, `matrix.f_beta(beta=2)`."""

    __slots__ = ()
    __call__ = refuse_call

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if hasattr(type(self), name):
            # A property that raised an AttributeError of its own (a TaskError is one): once more, so that it is seen.
            return object.__getattribute__(self, name)
        return upward_import("measures").attribute(self, name)

    def __dir__(self) -> list[str]:
        return sorted(
            {*object.__dir__(self), *(entry.name for entry in upward_import("measures").measures("cells", "matrix"))}
        )
