"""Partly labelled rows, with a judge's labels or without, from arrays, a dataframe or files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError, Note, OptionError, choice
from thresher.predictions import Columns, Predictions, build
from thresher.predictions.build import without_labels
from thresher.predictions.judged import JUDGE, LabelMask, merged, noted, parted
from thresher.readers.arrays import columns_by_name, series_name
from thresher.readers.roles import Join, roles, several_names
from thresher.readers.series import encoded, floats


def read_judged(
    data: Any, given: Mapping[str, Any], of_judge: Mapping[str, Any], join: Join, progress: Any, **options: Any
) -> Predictions:
    """Read gold rows with all judged rows beside them; a judge's labels are read and checked as predicted labels are.

    >>> rows = read_judged([1, None, 0, None], {"label": None, "scores": [0.9, 0.8, 0.3, 0.1]},
    ...                    {"judge": [1, 1, 0, 0], "sampling": None}, Join(), None)
    >>> len(rows), len(rows.partial_labels.rows), rows.partial_labels.gold.tolist(), rows.partial_labels.name
    (2, 4, [0, 2], 'judge')
    """
    from thresher.readers import read_columns

    judge, sampling = of_judge["judge"], of_judge["sampling"]
    if given["label"] is None:
        [columns] = read_columns(data, dict(given), join, progress)
        arrays = columns_by_name(judge, series_name(judge, "judge"), "judge")
        judges = [encoded(each, name, "label") for name, each in arrays.items()]
        probability = None if sampling is None else floats(sampling, "sampling", "probability", columns.notes)
    else:
        roles(**given)  # it refuses columns without a model
        names = several_names(judge, "judge")
        predicted = several_names(given["predicted"], "predicted")
        asked = {**given, "predicted": predicted | {f"{JUDGE}{name}": name for name in names.values()}}
        [columns] = read_columns(data, asked | ({"weights": sampling} if sampling is not None else {}), join, progress)
        judges = [columns.predicted.pop(f"{JUDGE}{name}") for name in names.values()]
        probability = columns.weights if sampling is not None else None
    columns = merged(columns, judges, probability)
    return noted(parted(build(columns, **options), is_sampled=sampling is not None))


FLAG = "\0verified"
"""Name of the column of checked rows while they are read, which a column of the user's own cannot have."""
FLAGS = {"1": True, "0": False, "true": True, "false": False, "1.0": True, "0.0": False, "yes": True, "no": False}


def read_partly_labelled(
    data: Any, given: Mapping[str, Any], verified: Any, join: Join, progress: Any, **options: Any
) -> Predictions:
    """Read rows where some lack a label, or were not verified; `partial_labels` marks the others or has all rows.

    >>> options = {"label": None, "scores": None, "predicted": [1, 1, 0], "missing": "weight"}
    >>> named = {name: options.pop(name) for name in ("label", "scores", "predicted")}
    >>> read_partly_labelled([1, 0, 1], named, [1, 1, 0], Join(), None, **options).partial_labels.is_labelled
    array([ True,  True, False])
    """
    columns = _with_gaps(data, given, verified, join, progress)
    columns, labelled = without_labels(columns)
    rows = build(columns, **options | {"missing": "error"})
    if options["missing"] == "weight":
        return replace(rows, partial_labels=LabelMask(labelled))
    if len(rows.classes) != 2 or rows.weights is not None:
        raise OptionError(choice("missing", "bounds") + " is for two classes without weights.")
    counts = f"{int((~labelled).sum()):,} of {len(rows):,} rows lack a verified label"
    text = f"{counts}: values, intervals and comparisons use the labelled rows only."
    note = Note("rows-without-label", text, parameter="missing")
    return replace(rows.take(labelled), partial_labels=LabelMask(labelled, rows), notes=(*rows.notes, note))


def _with_gaps(data: Any, given: Mapping[str, Any], verified: Any, join: Join, progress: Any) -> Columns:
    """Columns without the labels of rows that were not verified."""
    from thresher.readers import read_columns

    is_column = isinstance(verified, str) and given["label"] is not None
    asked = dict(given)
    if is_column:
        roles(**given)  # it refuses columns without a model
        asked["predicted"] = several_names(given["predicted"], "predicted") | {FLAG: verified}
    [columns] = read_columns(data, asked, join, progress)
    if verified is None:
        return columns
    flag = columns.predicted.pop(FLAG) if is_column else encoded(verified, "verified", "label")
    if len(flag.codes) != len(columns.truth.codes):
        raise InputError(f"verified has {len(flag.codes):,} rows, and there are {len(columns.truth.codes):,} labels.")
    is_verified = truth_values(np.array([*flag.values, None], dtype=object)[flag.codes], flag.name)
    codes = np.where(is_verified, columns.truth.codes, len(columns.truth.values))
    return replace(columns, truth=replace(columns.truth, codes=codes))


def truth_values(values: NDArray[Any], name: str) -> NDArray[np.bool_]:
    """Truth values of a column of 0 and 1, or true and false."""
    found = [FLAGS.get(str(value).lower()) for value in values]
    if None in found:
        row = found.index(None)
        raise InputError(f"row {row + 1:,} of {name!r} is {str(values[row])!r}, not 0 or 1, or true or false.")
    return np.array(found, dtype=bool)
