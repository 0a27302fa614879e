"""Partly labelled rows: a mask of the labelled ones, or a judge's labels and the gold rows with a human label too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.frozen_values import ReadOnly
from thresher.conventions import Floats
from thresher.errors import InputError, Note, OptionError, keyword, quoted
from thresher.predictions.columns import Columns, Encoded, code_type, counted
from thresher.predictions.labels import distinct_labels, kind, sorted_labels
from thresher.predictions.rows import LabelsKind, Predictions

VOTE = "majority vote"
"""Name of the labels that most of several judges give."""

UNKNOWN = 2
"""Code of one of several labels of a row that people did not give."""

GOLD, JUDGE = "\0gold", "\0judge"
"""Names of columns while the rows are checked, which a column of the user's own cannot have."""


def is_of_judge(name: str) -> bool:
    """Whether predicted labels are those of a judge, while the rows are checked."""
    return name.startswith(JUDGE)


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedLabels(ReadOnly):
    """All rows with the judge's labels as their truth, the `gold` rows among them, and each judge's labels of these.

    `judges` holds codes into the classes, of the vote of several judges last. With `is_sampled` the weights of the gold
    rows are their inverse sampling probabilities, and the rows are unweighted. Where a row may have several labels, the
    gold rows have all of them from people, and `people` are all rows with `UNKNOWN` for a label that people did not
    give.
    """

    rows: Predictions
    gold: NDArray[np.intp]
    judges: Mapping[str, NDArray[Any]]
    is_sampled: bool = False
    people: Predictions | None = None
    kind: ClassVar[LabelsKind] = "judge"

    @property
    def name(self) -> str:
        """The judge, or the vote of several."""
        return tuple(self.judges)[-1]

    @property
    def in_part(self) -> int:
        """Rows where people gave some of several labels."""
        if self.people is None:
            return 0
        return int(np.count_nonzero((self.people.truth != UNKNOWN).any(axis=1))) - len(self.gold)

    @property
    def judged_only(self) -> int:
        """Rows without a human label."""
        return len(self.rows) - len(self.gold) - self.in_part

    def take(self, _rows: Any, chosen: Callable[[Predictions], Any] | None = None) -> JudgedLabels | None:
        """Those of all rows that are chosen; None for gold rows alone, such as a resample."""
        if chosen is None:
            return None
        keep = np.asarray(chosen(self.rows))
        of_gold = keep[self.gold]
        place = np.cumsum(keep) - 1
        judges = {name: codes[of_gold] for name, codes in self.judges.items()}
        rows, people = self.rows.take(keep), None if self.people is None else self.people.take(keep)
        return replace(self, rows=rows, gold=place[self.gold[of_gold]], judges=judges, people=people)


@dataclass(frozen=True, slots=True, eq=False)
class LabelMask:
    """Mask of the labelled rows, until these are weighted to represent the others; for bounds, of all `rows`."""

    is_labelled: NDArray[np.bool_]
    rows: Predictions | None = None

    @property
    def kind(self) -> LabelsKind:
        """Treatment of the other rows."""
        return "weight" if self.rows is None else "bounds"

    def take(self, rows: Any, _chosen: Any = None) -> LabelMask | None:
        """Mask of some of the rows; bounds are for all of them."""
        return LabelMask(self.is_labelled[rows]) if self.rows is None else None


def merged(columns: Columns, judges: Sequence[Encoded], sampling: Floats | None) -> Columns:
    """Columns with the judge's label where a human label is missing, to be checked as those of other rows are."""
    gold = ~columns.truth.missing
    if not gold.any():
        raise InputError(
            f"no row has a human label: the column {columns.truth.name!r} is empty. Label some rows, drawn at random."
        )
    for judge in judges:
        _refuse_other_labels(columns.truth, judge)
    vote = judges[0] if len(judges) == 1 else majority(judges)
    labels = _union(columns.truth, vote)
    truth = replace(labels[0], codes=np.where(gold, labels[0].codes, labels[1].codes))
    told = {f"{JUDGE}{each.name}": each for each in judges} | ({f"{JUDGE}{VOTE}": vote} if len(judges) > 1 else {})
    is_gold = Encoded(GOLD, gold.astype(np.uint8), (False, True))
    weights = columns.weights if sampling is None else inverse(columns, sampling, gold)
    return replace(
        columns, truth=truth, predicted={**columns.predicted, **told}, by={**columns.by, GOLD: is_gold}, weights=weights
    )


def _refuse_other_labels(truth: Encoded, judge: Encoded) -> None:
    """Refuse scores in place of labels, and labels that a judge writes in another way than people do."""
    own, other = judge.seen().values, truth.seen().values
    part = next((each for each in own if isinstance(each, float) and each % 1 and each not in other), None)
    if part is not None:
        raise InputError(
            f"judge {judge.name!r} has fractions such as {part!r}: it looks like a score. Give the judge's labels."
        )
    by_kind = [{(kind(value), value) for value in values} for values in (own, other)]
    # One label each may be two classes that share no row by chance.
    one_each = len(own) == len(other) == 1 and kind(own[0]) == kind(other[0])
    if own and other and not one_each and not by_kind[0] & by_kind[1]:
        raise InputError(
            f"judge {judge.name!r} has {_some(own)}, label {truth.name!r} has {_some(other)}: write them alike."
        )


def _some(values: Sequence[Any]) -> str:
    *first, last = map(quoted, sorted_labels(values)[:3])
    return f"{', '.join(first)}{' and ' if first else ''}{last}" + ", …" * (len(values) > 3)


def parted(rows: Predictions, *, is_sampled: bool) -> Predictions:
    """Gold rows of checked rows, with all of them beside; of several labels a gold row has all from people."""
    told = {name.removeprefix(JUDGE): codes for name, codes in rows.predicted.items() if name.startswith(JUDGE)}
    own = {name: codes for name, codes in rows.predicted.items() if not name.startswith((JUDGE, GOLD))}
    by = {name: each for name, each in rows.by.items() if name != GOLD}
    base, people = replace(rows, predicted=own, by=by), None
    if rows.task == "multilabel":
        known = rows.predicted[GOLD] == 1
        people = replace(base, truth=np.where(known, rows.truth, UNKNOWN).astype(np.uint8))
        is_gold, why = known.all(axis=1), "no row has a human label in every column. Label some rows whole."
    else:
        is_gold = np.array([*rows.by[GOLD].values], dtype=bool)[rows.by[GOLD].codes]
        why = "no gold row is left: each lacks a value in another column. Fill these in."
    if not (gold := np.flatnonzero(is_gold)).size:
        raise InputError(why)
    vote = told[tuple(told)[-1]]
    unweighted: dict[str, Any] = {"weights": None, "weight_kind": None} if is_sampled else {}
    every = replace(base, truth=vote, notes=(), dropped=0, **unweighted)
    judges = {name: codes[gold] for name, codes in told.items()}
    judged = JudgedLabels(rows=every, gold=gold, judges=judges, is_sampled=is_sampled, people=people)
    return replace(base.take(gold), partial_labels=judged)


def majority(judges: Sequence[Encoded]) -> Encoded:
    """Label that most judges give each row; a tie goes to the judge named first.

    >>> given = {"a": [0, 2], "b": [1, 1]}
    >>> judges = [Encoded(name, np.array(codes, np.uint8), ("no", "yes")) for name, codes in given.items()]
    >>> majority(judges).codes.tolist()
    [0, 1]
    """
    alike = _union(*judges)
    values, given = alike[0].values, np.stack([each.codes for each in alike])
    votes = np.stack([(given == code).sum(axis=0) for code in range(len(values))])
    # Of the labels with the most votes the first judge's own wins.
    best = np.full(given.shape[1], len(values), dtype=given.dtype)
    most = votes.max(axis=0, initial=0)
    for codes in given[::-1]:
        own = np.minimum(codes, len(values) - 1)
        wins = (codes < len(values)) & (votes[own, np.arange(given.shape[1])] == most)
        best = np.where(wins, codes, best)
    return replace(alike[0], name=VOTE, codes=best)


def _union(*columns: Encoded) -> list[Encoded]:
    """Columns as codes into the values of all of them."""
    values = distinct_labels(value for column in columns for value in column.values)
    place = {(type(value), value): code for code, value in enumerate(values)}
    found = []
    for column in columns:
        moved = [place.get((type(value), value), _near(value, values)) for value in column.values]
        codes = np.array([*moved, len(values)], dtype=code_type(len(values) + 1))[column.codes]
        found.append(replace(column, codes=codes, values=values))
    return found


def _near(value: Any, values: Sequence[Any]) -> int:
    """Place of an equal value of another type, such as 1 of 1.0."""
    return next((code for code, other in enumerate(values) if other == value), len(values))


def inverse(columns: Columns, sampling: Floats, gold: NDArray[np.bool_]) -> Floats:
    """Weights of the gold rows, 1/probability."""
    # Only labelled rows are weighted: the others may lack a probability, or have what the sampler left there.
    bad = gold & ~((sampling > 0) & (sampling <= 1))
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"the sampling probability is {sampling[row]:g} in {columns.locate(row)}: a gold row was drawn with a "
            "probability above 0 and at most 1. Give the probability that each row had of being labelled."
        )
    return np.where(gold, 1 / np.where(gold, sampling, 1.0), 1.0)


def refuse_options(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go with a judge."""
    if given.get("judge") is None:
        if given.get("sampling") is not None:
            raise OptionError(keyword("sampling", "…") + " is for gold rows beside a " + keyword("judge", "…")
                              + ". Without one, weight the labelled rows by 1/probability: "
                              + keyword("weights", "…") + ".")  # fmt: skip
        return
    if given.get("sampling") is not None and given.get("weights") is not None:
        raise OptionError(
            keyword("sampling", "…") + " and " + keyword("weights", "…") + " both weight the rows: give one of them."
        )
    for name, why in APART.items():
        value = given.get(name)
        if value is not None and not (isinstance(value, str) and value == "importance"):
            raise OptionError(keyword(name, "…") + " does not go with " + keyword("judge", "…") + f": {why}.")


APART = {
    "model_column": "name one column of scores for each model",
    "weight_kind": "frequencies repeat rows, and a gold row is labelled once",
}
"""Options that do not go with a judge, and why."""


def noted(rows: Predictions) -> Predictions:
    """Gold rows with a note on what a judge labelled."""
    judged: Any = rows.partial_labels
    some = f"{judged.in_part:,} with human labels in part, " if judged.in_part else ""
    label = "the majority vote of the judges" if judged.name == VOTE else f"the label of {judged.name}"
    text = (
        f"{counted(len(judged.gold), 'gold row')} with a human label, {some}{judged.judged_only:,} with {label} only; "
        "curves, thresholds, calibration and rates at a fixed rate use the gold rows alone."
    )
    notes = [*rows.notes, Note("judged-rows", text, parameter="judge")]
    for name, column in judged.rows.by.items():
        if (codes := np.setdiff1d(column.codes, rows.by[name].codes)).size:
            left = ", ".join(f"{name} = {column.values[code]}" for code in codes[:5]) + ", …" * (codes.size > 5)
            notes.append(Note("no-gold-rows", f"Groups without a gold row are left out: {left}.", parameter="judge"))
    if (many := len(judged.judges) - 1) > 1 and many % 2 == 0:
        first = quoted(next(iter(judged.judges)))
        alone = f", so the vote equals {first} alone" if many == 2 else ""
        tie = f"{many} judges can tie, and {first} breaks ties{alone}: use an odd number of judges."
        notes.append(Note("tied-judges", tie, parameter="judge"))
    return replace(rows, notes=tuple(notes))
