"""The one place where a lower layer reaches a higher one, by name and only when it is called.

`matrix.accuracy` and `curve.plot()` read well, yet counts must not import measures, nor curves a plotting
library. So the lower layer names the function here, for loading at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from thresher.errors import ArgumentError

PLACES = {
    "load": "thresher.readers:load",
    "saved_predictions": "thresher.readers.saved",
    "measures": "thresher.measures.registry",
    "estimates": "thresher.inference.estimates.of_matrices",
    "average": "thresher.measures.averaging:average",
    "formulas": "thresher.inference.formulas",
    "pictures": "thresher.plot.drawing",
    "form": "thresher.report.forms:form",
    "area_of_part": "thresher.curves.regions:area_of_part",
    "single_model": "thresher.evaluation.models:single_model",
}


def upward_import(name: str) -> Any:
    """Load a named function of a higher layer, or a module of several."""
    module, _, attribute = PLACES[name].partition(":")
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def plot_method(result: Any, ax: Any = None, **options: Any) -> Any:
    """Draw this result on matplotlib axes, new ones if none are given, and return them; see `thresher.plot`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    return upward_import("pictures").draw(result, ax=ax, **options)


def to_frame_method(result: Any, backend: str | None = None) -> Any:
    """Return the data of `plot` as a dataframe of the library named, else the first installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
    """
    return upward_import("pictures").frame(result, backend)


def refuse_call(result: Any, *_args: Any, **_named: Any) -> Any:
    """Say of a value that was called, as in `evaluation.auc()`, that it is not a function."""
    name = getattr(result, "name", type(result).__name__)
    raise ArgumentError(f"{name} is a value: leave out the parentheses.")


def as_text(result: Any) -> str:
    """Text that shows this result."""
    return str(upward_import("form")(result, "text"))


def form_dict(result: Any) -> dict[str, Any]:
    """Everything in this result as JSON types; undefined and infinite numbers are null, beside their reasons."""
    return dict(upward_import("form")(result, "dict"))


def as_html(result: Any) -> str:
    """Return the notebook's view of this result."""
    return str(upward_import("form")(result, "html"))


def as_latex(result: Any) -> str:
    """Tables as LaTeX, with the rules of booktabs; names and labels are escaped."""
    return str(upward_import("form")(result, "latex"))
