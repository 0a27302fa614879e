"""Results as dataframes of the library that the user works in."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from thresher.errors import InputError, MissingDependencyError

LIBRARIES = {"polars": "DataFrame", "pandas": "DataFrame", "pyarrow": "table", "modin": "DataFrame"}
"""Library and its function from columns to a dataframe, in order of trial."""


def to_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """Dataframe of columns (arrays or lists of one length) in the named library, else the first one installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
        InputError: a text has half of a surrogate pair, which no file or column can hold.
    """
    tried = [name for name in (backend, *LIBRARIES) if name in LIBRARIES]
    library = next((name for name in tried if find_spec(name) is not None), None)
    if library is None:
        raise MissingDependencyError(
            "a dataframe needs a dataframe library, and none is installed: pip install polars (or pandas, or pyarrow); "
            "to_dict() works without one."
        )
    make = getattr(import_module("modin.pandas" if library == "modin" else library), LIBRARIES[library])
    data = {name: list(column) if isinstance(column, tuple) else column for name, column in columns.items()}
    try:
        return make(data, strict=False) if library == "polars" else make(data)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object!a} cannot be written as UTF-8 text: rename it before it is made a dataframe."
        ) from None


def frame_columns(result: Any, backend: str | None = None) -> Any:
    """Return a dataframe of `columns()`, in the named library, else the library of the data, else the first installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
    """
    return to_frame(result.columns(), backend or getattr(result, "backend", None))
