"""The registry: a measure is a formula of at most three lines plus a row of data about it.

Catalogue, command line, contract tests, table columns and attributes are generated from the rows; nothing else
about a measure is written anywhere.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide
from thresher.counts.cells import Cells
from thresher.errors import TaskError

Needs = Literal["cells", "matrix", "table"]
Better = Literal["higher", "lower", "neither"]
Array = NDArray[np.float64]
Ratio = tuple[Array, Array]

CONDITIONS: dict[str, Callable[[Cells], NDArray[np.bool_]]] = {
    "there are no rows": lambda c: c.n == 0,
    "there are no positives": lambda c: c.pos == 0,
    "there are no negatives": lambda c: c.neg == 0,
    "nothing is predicted positive": lambda c: c.pred_pos == 0,
    "nothing is predicted negative": lambda c: c.pred_neg == 0,
    "nothing is positive, neither in truth nor predicted": lambda c: c.pos + c.pred_pos == 0,
}
"""When a measure is 0/0, in the words that users read; a measure names those that apply to it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measure:
    """One measure: its formula and what is known about it.

    `needs` says what the formula reads: the four cells, the K×K matrix, or the score table. A `proportion`
    returns (successes, trials) and is divided here, so that intervals for proportions can use both.
    `undefined` names the conditions (see `CONDITIONS`) under which the value is NaN, and only then.
    `neutral` is the value of a classifier that knows nothing, where one exists whatever the prevalence.
    """

    name: str
    formula: Callable[..., Any]
    text: str
    aliases: tuple[str, ...] = ()
    needs: Needs = "cells"
    bounds: tuple[float, float] = (0.0, 1.0)
    better: Better = "higher"
    proportion: bool = False
    undefined: tuple[str, ...] = ()
    neutral: float | None = None
    source: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name in words."""
        return self.name.replace("_", " ")

    @property
    def needs_parameters(self) -> bool:
        """Whether some parameter has no default, so that the value cannot be shown unasked."""
        return any(default is inspect.Parameter.empty for default in self.parameters.values())

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return inspect.getdoc(self.formula) or ""

    def ratio(self, cells: Any, **parameters: float) -> Ratio:
        """Successes and trials of a proportion."""
        successes, trials = self.formula(cells, **parameters)
        return successes, trials

    def on(self, statistic: Any, **parameters: float) -> Array:
        """Value on the statistic that the formula needs (cells, or K×K counts)."""
        result = self.formula(statistic, **parameters)
        return divide(*result) if self.proportion else np.asarray(result, dtype=np.float64)

    def __call__(self, counts: Any, **parameters: float) -> Any:
        """Value on counts: a float, or an array over their batch axes; NaN where undefined."""
        value = self.on(statistic_of(self, counts), **parameters)
        return float(value) if np.ndim(value) == 0 else value

    def __repr__(self) -> str:
        return f"<measure {self.name}: {self.text}>"


REGISTRY: dict[str, Measure] = {}
"""Every measure by its name, in order of registration."""

_BY_ALIAS: dict[str, Measure] = {}


def measure(
    *aliases: str,
    text: str,
    needs: Needs = "cells",
    bounds: tuple[float, float] = (0.0, 1.0),
    better: Better = "higher",
    undefined: tuple[str, ...] = (),
    neutral: float | None = None,
    source: str = "",
) -> Callable[[Callable[..., Any]], Measure]:
    """Register the decorated formula; a formula that returns a pair is a proportion."""

    def register(formula: Callable[..., Any]) -> Measure:
        signature = inspect.signature(formula)
        options = list(signature.parameters.values())[1:]
        entry = Measure(
            name=formula.__name__,
            formula=formula,
            text=text,
            aliases=tuple(alias.replace(" ", "_") for alias in aliases),
            needs=needs,
            bounds=bounds,
            better=better,
            proportion="Ratio" in str(signature.return_annotation),
            undefined=undefined,
            neutral=neutral,
            source=source,
            parameters={option.name: option.default for option in options},
        )
        for name in (entry.name, *entry.aliases):
            if name in _BY_ALIAS:
                raise ValueError(f"two measures are called {name}")
            _BY_ALIAS[name] = entry
        REGISTRY[entry.name] = entry
        return entry

    return register


def find(name: str) -> Measure:
    """Measure of a name or alias (spaces and hyphens count as underscores).

    Raises:
        KeyError: there is none; the message offers the nearest names.

    >>> find("sensitivity") is find("true_positive_rate")
    True
    """
    _load()
    key = name.strip().lower().replace(" ", "_").replace("-", "_")
    if key in _BY_ALIAS:
        return _BY_ALIAS[key]
    near = difflib.get_close_matches(key, _BY_ALIAS, n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise KeyError(f"no measure is called {name!r}.{hint} `thresher measures` lists all.")


def measures(*needs: Needs) -> Iterator[Measure]:
    """Registered measures, all of them or those that need one of the named statistics."""
    _load()
    return (entry for entry in REGISTRY.values() if not needs or entry.needs in needs)


def attribute_names() -> list[str]:
    """Names and aliases of the measures that a confusion matrix has as attributes."""
    return [name for entry in measures("cells", "matrix") for name in (entry.name, *entry.aliases)]


def attribute(counts: Any, name: str) -> Any:
    """Value of a measure on counts; for a measure with parameters, a function of them."""
    _load()
    entry = _BY_ALIAS.get(name)
    if entry is None or entry.needs == "table":
        near = difflib.get_close_matches(name, attribute_names(), n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"{type(counts).__name__} has no attribute or measure {name!r}.{hint}")
    return partial(entry, counts) if entry.parameters else entry(counts)


def statistic_of(entry: Measure, counts: Any) -> Any:
    """What a measure's formula reads from a counted value."""
    if entry.needs == "table":
        return counts
    if entry.needs == "matrix" and hasattr(counts, "scaled"):
        return counts.scaled
    cells = counts if isinstance(counts, Cells) else counts.cells
    return cells.matrix() if entry.needs == "matrix" else cells


def reason_undefined(entry: Measure, counts: Any) -> str | None:
    """Why a measure is undefined on these counts of one decision, in words; None where it is defined."""
    try:
        cells = counts if isinstance(counts, Cells) else counts.cells
    except TaskError:
        return entry.undefined[0] if entry.undefined else None
    holding = [words for words in entry.undefined if bool(np.all(CONDITIONS[words](cells)))]
    return " and ".join(holding) or None


def _load() -> None:
    """Import the modules that hold the formulas; each registers its own."""
    import thresher.measures  # noqa: F401
