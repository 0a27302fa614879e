"""Every registered measure as an attribute of a model's evaluation (the stub beside this file is generated)."""

from __future__ import annotations

from typing import Any

from thresher.curves.kinds import CURVES
from thresher.evaluation.estimate import estimate_of


class Estimated:
    """Gives a model's evaluation its measures, each an `Estimate` that is kept: `model.auc`, `model.macro_f1`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if hasattr(type(self), name):  # the property itself raised: show the user its own error
            return object.__getattribute__(self, name)
        for kind, row in CURVES.items():  # a curve that was registered
            if row.attribute == name:
                return self.curve(kind)  # type: ignore[attr-defined]
        return vars(self).setdefault(name, estimate_of(self, name))  # type: ignore[arg-type]


class OneModel:
    """Marks an evaluation, on which the attributes of its only model are read; the stub says which these are."""

    __slots__ = ()
