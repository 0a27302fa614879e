"""Gold rows beside a judge's labels, from arrays, a dataframe or files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.predictions import Predictions, build
from thresher.predictions.judged import JUDGE, merged, noted, parted
from thresher.readers.arrays import columns_by_name, series_name
from thresher.readers.roles import Join, roles, several_names
from thresher.readers.series import encoded, floats


def read_judged(
    data: Any, given: Mapping[str, Any], of_judge: Mapping[str, Any], join: Join, progress: Any, **options: Any
) -> Predictions:
    """Read gold rows with all judged rows beside them; a judge's labels are read and checked as predicted labels are.

    >>> rows = read_judged([1, None, 0, None], {"label": None, "scores": [0.9, 0.8, 0.3, 0.1]},
    ...                    {"judge": [1, 1, 0, 0], "sampling": None}, Join(), None)
    >>> len(rows), len(rows.judged.rows), rows.judged.gold.tolist(), rows.judged.name
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
