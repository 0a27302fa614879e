"""Rows that may have several labels: a column of 0 and 1 for every label, and scores or predictions beside them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import Missing, WeightKind
from thresher.errors import InputError, OptionError, keyword
from thresher.predictions.build import check_scale, facts, units_without_value, without_missing, without_zero_weights
from thresher.predictions.columns import ClassColumns, Columns, Encoded
from thresher.predictions.judged import GOLD, JUDGE, VOTE, inverse, noted, parted
from thresher.predictions.probabilities import class_order, each_clipped, placed, within_names
from thresher.predictions.rows import Predictions
from thresher.readers import arrays
from thresher.readers.arrays import class_columns
from thresher.readers.columns import values_of_texts
from thresher.readers.roles import (
    MARKS,
    SINGLE,
    Named,
    Roles,
    check_names,
    find_columns,
    refuse_double_roles,
    wanted_columns,
)

Matrices = dict[str, ClassColumns]


@dataclass(frozen=True)
class _Given:
    truth: ClassColumns
    scores: Matrices
    predicted: Matrices
    labels: Sequence[Hashable]
    columns: Columns
    judges: Matrices


def load_multilabel(
    data: Any,
    named: dict[str, Any],
    *,
    labels: Sequence[Hashable] | None = None,
    paths: Sequence[str] | None = None,
    progress: Any = None,
    **options: Any,
) -> Predictions:
    """Check arrays, or columns of a dataframe or of files, and make them predictions of a multilabel task."""
    if named["scores"] is not None and named["probabilities"] is not None:
        both = keyword("scores") + " and " + keyword("probabilities")
        raise OptionError(both + " are both given; in a multilabel task they mean the same.")
    named = named | {"scores": named["probabilities"] if named["scores"] is None else named["scores"]}
    given = _from_arrays(data, named) if named["label"] is None else _from_table(data, named, paths, progress)
    names = given.labels if labels is None else labels
    judges, columns, is_sampled = given.judges, given.columns, named["sampling"] is not None
    if is_sampled and columns.weights is not None:
        sampled = np.asarray((~np.isnan(given.truth.values)).any(axis=1))
        columns = replace(columns, weights=inverse(columns, columns.weights, sampled))
    rows = build_multilabel(columns, given.truth, given.scores, given.predicted, judges, labels=names, **options)
    return noted(parted(rows, is_sampled=is_sampled)) if judges else rows


def _from_arrays(data: Any, named: Mapping[str, Any]) -> _Given:
    truth, judged = class_columns(data, "truth"), named["scores"]
    others = {role: named[role] for role in ("weights", "by", "fold", "cluster")}
    others["weights"] = named["weights"] if named["sampling"] is None else named["sampling"]
    arrays.check_indexes(data, {"scores": judged, "predicted": named["predicted"], **others})
    alone = "model" if judged is not None and not isinstance(judged, Mapping) else "predicted"

    def matrices(values: Any, single: str, role: str) -> Matrices:
        return {m: class_columns(v, m) for m, v in arrays.columns_by_name(values, single, role).items()}

    return _Given(
        truth=truth,
        scores=matrices(judged, "model", "scores"),
        predicted=matrices(named["predicted"], alone, "predicted"),
        judges=matrices(named["judge"], "judge", "judge"),
        labels=list(truth.columns) if truth.named else list(range(len(truth.columns))),
        columns=arrays.add_other_columns(Columns(truth=_no_class(len(truth.values))), **others),
    )


def _from_table(data: Any, named: Mapping[str, Any], paths: Sequence[str] | None, progress: Any) -> _Given:
    if named["sampling"] is not None:
        named = {**named, "weights": named["sampling"]}
    if paths is None:
        from thresher.readers.frames import columns_of, read_frame

        found = label_roles(named, columns_of(data)[0], "the dataframe")
        columns = read_frame(data, found.roles)
    else:
        from thresher.readers.csv_files import read_small
        from thresher.readers.duckdb_files import column_names, read_files
        from thresher.readers.files import find_files

        by = [named["by"]] if isinstance(named["by"], str) else named["by"] or ()
        names, where = column_names(paths, [*by, named["fold"], named["cluster"], named["weights"]])
        found = label_roles(named, names, where)
        files = find_files(paths)
        columns = read_small(files, found.roles) or next(read_files(files, found.roles, progress))
    return _Given(
        truth=indicators(columns, found.truth),
        scores=dict(columns.posteriors),
        predicted={model: indicators(columns, each) for model, each in found.predicted.items()},
        judges={model: indicators(columns, each) for model, each in found.judges.items()},
        labels=found.labels,
        columns=replace(columns, truth=_no_class(len(columns.truth.codes)), posteriors={}, predicted={}),
    )


def _no_class(rows: int) -> Encoded:
    return Encoded("labels", np.zeros(rows, dtype=np.uint8), (0,))


@dataclass(frozen=True)
class LabelRoles:
    """Columns of 0 and 1 by role, with all columns in the `roles` that readers know; `labels` are names of the labels.

    They are in the order of the columns of `truth`. Scores are posteriors to a reader.
    """

    truth: Named
    labels: tuple[str, ...]
    predicted: Mapping[str, Named]
    roles: Roles
    judges: Mapping[str, Named]


def label_roles(named: Mapping[str, Any], available: Sequence[str], where: str) -> LabelRoles:
    """Find the columns; in `label` a pattern such as `tag_*` matches one column for every label."""
    by = (named["by"],) if isinstance(named["by"], str) else tuple(named["by"] or ())
    others = [*by, *(named[role] for role in ("weights", "fold", "cluster") if named[role] is not None)]
    truth, labels = _labels(named["label"], available, others, where)
    check_names([*truth.columns, *others], available, where)
    taken = [*others, *truth.columns]
    judged = {
        role: find_columns(wanted_columns(named[role], role), available, taken, where, what=what, part="label")
        for role, what in (("scores", "scores"), ("predicted", "predictions"), ("judge", "labels of a judge"))
    }
    check_names([n for found in judged.values() for each in found.values() for n in each.columns], available, where)
    names = _as_in_patterns(labels, [each for found in judged.values() for each in found.values()])
    judges = {"judge" if name == SINGLE else name: each for name, each in judged["judge"].items()}
    coded = [column for each in (truth, *judged["predicted"].values(), *judges.values()) for column in each.columns]
    single = {role: named[role] for role in ("weights", "fold", "cluster")}
    roles = Roles(
        label=coded[0],
        predicted={n: n for n in coded[1:]},
        posteriors=judged["scores"],
        posterior="score",
        by=by,
        **single,
    )
    parts = [("the labels", truth)]
    parts += [(f"the scores of {model!r}", each) for model, each in judged["scores"].items()]
    parts += [(f"the predictions of {model!r}", each) for model, each in judged["predicted"].items()]
    parts += [(f"the judge {model!r}", each) for model, each in judges.items()]
    weights = [] if named["weights"] is None else [("the weights", named["weights"])]
    refuse_double_roles([*((text, column) for text, each in parts for column in each.columns), *weights], roles)
    return LabelRoles(truth=truth, labels=names, predicted=judged["predicted"], roles=roles, judges=judges)


def _labels(given: Any, available: Sequence[str], others: Sequence[str], where: str) -> tuple[Named, tuple[str, ...]]:
    names = [str(name) for name in given]
    patterns = [name for name in names if any(mark in name for mark in MARKS) and name not in available]
    if not patterns:
        return Named(tuple(names)), tuple(names)
    if len(names) > 1:
        raise OptionError(
            keyword("label", repr(names)) + ": give one pattern such as 'tag_*', or the names of the columns."
        )
    asked = wanted_columns({"labels": patterns[0]})
    [found] = find_columns(asked, available, others, where, what="labels", part="label").values()
    return found, found.classes or found.columns


def _as_in_patterns(labels: tuple[str, ...], judged: Sequence[Named]) -> tuple[str, ...]:
    """Names of the labels as the patterns of the scores have them, where they only add one beginning and end to them.

    >>> _as_in_patterns(("tag_a", "tag_b"), [Named(("net_b", "net_a"), ("b", "a"))])
    ('a', 'b')
    """
    for each in judged:
        places = None if each.classes is None else within_names(labels, each.classes)
        if places is not None and each.classes is not None:
            return tuple(text for _, text in sorted(zip(places, each.classes, strict=True)))
    return labels


def indicators(columns: Columns, named: Named) -> ClassColumns:
    """Coded columns of 0 and 1, or of truth values, as a matrix; NaN where a value is missing."""
    coded = {columns.truth.name: columns.truth, **columns.predicted}
    values = np.empty((len(columns.truth.codes), len(named.columns)), order="F")
    for place, name in enumerate(named.columns):
        if len(coded[name].codes) != len(values):
            raise InputError(
                f"column {name!r} has {len(coded[name].codes):,} rows and {columns.truth.name!r} {len(values):,}: "
                f"columns of one table are equally long."
            )
        values[:, place] = _numbers(coded[name], columns)
    return ClassColumns(values, named.columns, named.classes, named=True)


def _numbers(column: Encoded, columns: Columns) -> Any:
    known = np.full(len(column.values) + 1, np.nan)
    for code, value in enumerate(column.values):
        meant: Any = values_of_texts([value])[value] if isinstance(value, str) else value
        if isinstance(meant, str):
            row = columns.locate(int(np.argmax(column.codes == code)))
            raise InputError(
                f"the label column {column.name!r} holds {meant!r} in {row}: with several label columns each is 1 "
                f"where the row has the label, else 0."
            )
        known[code] = np.nan if meant is None else float(meant)
    return known[column.codes]


def refuse(named: Mapping[str, Any], positive: Any, rest: Any, direction: Any, normalize: bool) -> None:
    """Refuse options of other tasks.

    Raises:
        OptionError: one of them was given.
        InputError: there is nothing to judge.
    """
    for option, value, plain in (("positive", positive, None), ("rest", rest, None), ("direction", direction, "higher"),
                                 ("normalize", normalize, False)):  # fmt: skip
        if value != plain:
            raise OptionError(
                keyword(option, repr(value)) + " is not for a multilabel task, in which a row may have any labels."
            )
    if all(named[name] is None for name in ("scores", "probabilities", "predicted")):
        nothing = "there is nothing to judge: pass scores, or " + keyword("predicted")
        raise InputError(nothing + " labels, beside the matrix of labels.")


def refuse_joins(joins: Mapping[str, Any]) -> None:
    """Refuse tables that must be put together first."""
    for option, value in joins.items():
        if value is not None:
            apart = " is not for several label columns: write labels and scores of a row on one line."
            raise OptionError(keyword(option, repr(value)) + apart)


TRUTH = "the labels"


def build_multilabel(
    columns: Columns,
    truth: ClassColumns,
    scores: Mapping[str, ClassColumns],
    predicted: Mapping[str, ClassColumns],
    judges: Mapping[str, ClassColumns],
    *,
    labels: Sequence[Hashable],
    weight_kind: WeightKind = "importance",
    missing: Missing = "error",
) -> Predictions:
    """Check matrices against each other and make them predictions."""
    names = class_order(labels) or ()
    if len(names) != len(truth.columns):
        raise OptionError(
            keyword("labels", "…") + f" names {len(names)} labels, and the matrix has {len(truth.columns)} columns."
        )
    roles = {"score": scores, "prediction": predicted, "judge": judges}
    named = [(role, m) for role, models in roles.items() for m in models]
    parts = {TRUTH: truth} | {f"{role} {m}": roles[role][m] for role, m in named}
    _check_lengths(parts)
    parts = {said: _in_order(said, part, names) for said, part in parts.items()}
    columns.posteriors = parts | _merged(parts[TRUTH], {m: parts[f"judge {m}"] for m in judges})
    columns, left_out = without_zero_weights(columns)
    check_scale(columns, weight_kind)
    spelled = {"score": "scores of", "prediction": "predictions of", "judge": "labels of the judge"}
    whose = {f"{role} {m}": f"{spelled[role]} {m!r}" for role, m in named}
    columns, dropped, said = without_missing(columns, missing, parts={TRUTH: "labels"} | whose)
    found = columns.posteriors
    clipped, rounded = each_clipped({model: found[f"score {model}"].values for model in scores})
    given = [(m, f"prediction {m}", f"the prediction {m!r}") for m in predicted]
    given += [(f"{JUDGE}{m}", f"judge {m}", f"the judge {m!r}") for m in judges]
    given += [(m, m, "") for m in (f"{JUDGE}{VOTE}", GOLD) if m in found]
    decided = {m: _indicator(found[part], said, columns) for m, part, said in given}
    return Predictions(
        truth=_indicator(found[TRUTH], TRUTH, columns),
        classes=names,
        task="multilabel",
        posteriors=clipped,
        predicted=decided,
        notes=(*columns.notes, *rounded, *left_out, *said, *units_without_value(columns)),
        dropped=dropped,
        label="labels",
        **facts(columns, weight_kind),
    )


def _merged(truth: ClassColumns, judges: Matrices) -> Matrices:
    """Truth with the label of most judges where people gave none, and a mark of the labels that they gave.

    A tie goes to the judge named first; a label that a judge lacks is missed there.
    """
    if not judges:
        return {}
    given, known = np.stack([each.values for each in judges.values()]), ~np.isnan(truth.values)
    share = np.nan_to_num(given.mean(axis=0))
    vote = np.where(share == 0.5, given[0], np.rint(share))
    found = {TRUTH: np.where(known, truth.values, vote), GOLD: known.astype(np.float64)}
    found |= {f"{JUDGE}{VOTE}": vote} if len(judges) > 1 else {}
    return {name: replace(truth, values=values) for name, values in found.items()}


def _check_lengths(parts: Mapping[str, ClassColumns]) -> None:
    truth = parts[TRUTH]
    rows, width = truth.values.shape
    for name, part in parts.items():
        if part.named and part.values.shape[0] != rows:
            raise InputError(f"the columns of {name} have {len(part.values):,} rows, the labels {rows:,}.")
        if part.named and part.values.shape[1] != width:
            raise InputError(
                f"there are {width} labels ({', '.join(truth.columns)}), and the columns of {name} are "
                f"{len(part.columns)}: {', '.join(part.columns)}. Name one column for every label."
            )
        if part.values.shape != (rows, width):
            raise InputError(
                f"the matrix of {name} has shape {part.values.shape}, the matrix of labels {(rows, width)}."
            )


def _in_order(said: str, part: ClassColumns, names: Sequence[Hashable]) -> ClassColumns:
    if said == TRUTH:
        return ClassColumns(part.values, part.columns)
    places = placed(said, part, names, stated=True)
    values = part.values if places == list(range(len(places))) else np.asfortranarray(part.values[:, places])
    return ClassColumns(values, part.columns)


def _indicator(part: ClassColumns, said: str, columns: Columns) -> NDArray[Any]:
    odd = (part.values != 0) & (part.values != 1)
    if odd.any():
        row = int(np.argmax(odd.any(axis=1)))
        column = int(np.argmax(odd[row]))
        raise InputError(
            f"{said}: column {part.columns[column]!r} holds {part.values[row, column]:g} in {columns.locate(row)}: a "
            f"multilabel task has 1 for a label that the row has, else 0."
        )
    return part.values.astype(np.uint8)
