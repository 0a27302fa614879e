"""From the distinct labels of truth and predictions to classes: which they are, their order, which is positive."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.parse_number import is_number
from thresher.conventions import MAX_CLASSES, POSITIVE_LABELS, positive_label, spelled
from thresher.errors import InputError, Note, OptionError, choice, keyword, quoted
from thresher.predictions.columns import Encoded, too_many

SHOWN = 6

LONGEST = 310
"""Digits of the longest whole number that is a label; no float has more, and Python writes no more than 4,300."""


@dataclass(frozen=True)
class Classes:
    """Labels in code order (two: negative, positive), and where each label of the columns goes.

    `ordered` codes have a meaningful order: a given one, or the order of numbers or dates.
    """

    labels: tuple[Hashable, ...]
    place: Mapping[Hashable, int]
    notes: list[Note] = field(default_factory=list)
    ordered: bool = True


def python_label(value: Any) -> Any:
    """Label as a Python value; a float or decimal that is a whole number as int, so that 1.0 is the label 1.

    Another decimal becomes the float that is written alike, if there is one: no two become one label.

    >>> python_label(1.0), python_label(Decimal("0.10")), python_label(Decimal("0.10000000000000000001"))
    (1, 0.1, Decimal('0.10000000000000000001'))
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, np.longdouble):
        value = float(value) if float(value) == value else value
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, datetime | timedelta):
        return _of_time(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _of_decimal(value: Decimal) -> int | float | Decimal:
    if not value.is_finite() or value.adjusted() > LONGEST:
        return value
    if value == int(value):
        return int(value)
    return float(value) if Decimal(repr(float(value))) == value else value


def _of_time(value: datetime | timedelta) -> datetime | timedelta:
    """The same moment or span in Python's own type, which pandas' are not, if it is one of whole microseconds."""
    if isinstance(value, datetime):
        own: datetime | timedelta = datetime.combine(value.date(), value.timetz())
    else:
        own = timedelta(value.days, value.seconds, value.microseconds)
    return own if own == value else value


def kind(value: Any) -> str:
    """Return the kind of label that a value is, for errors."""
    if isinstance(value, bool | np.bool_):
        return "true/false"
    if isinstance(value, int | float | Decimal | np.number):
        return "numbers"
    if isinstance(value, str):
        return "text"
    return next((each.__name__ for each in (datetime, timedelta) if isinstance(value, each)), type(value).__name__)


def distinct_labels(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Distinct labels; labels of two kinds stay apart though Python takes them as equal.

    >>> distinct_labels([1, 0, 1.0, True])
    (1, 0, True)
    """
    return tuple(label for _, label in dict.fromkeys((kind(label), label) for label in labels))


def find_classes(
    columns: Sequence[Encoded],
    *,
    scored: bool,
    positive: Hashable | None,
    rest: Literal["negative"] | None,
    order: Sequence[Hashable] | None = None,
) -> Classes:
    """Classes of the label columns together (the truth first), by the rules of `thresher.conventions`.

    `order` names all classes in their order, those that no row has included.
    """
    if rest is not None and positive is None:
        raise OptionError(
            choice("rest", "negative")
            + " needs "
            + keyword("positive", "…")
            + ": it takes every other label as negative."
        )
    place, labels, ordered = _distinct(columns)
    notes = _look_alike(labels, columns[0].name, scored)
    if order is not None:
        place, labels, absent = _in_stated_order(place, labels, order, columns[0].name)
        notes += absent
    if len(labels) > MAX_CLASSES:
        raise too_many(columns[0].name, "label")
    if len(labels) == 1:
        pair, said = both_classes(labels[0], positive)
        return _two(pair, place, [*notes, said])
    if len(labels) == 2:
        chosen = positive_label(labels, positive)
        return _two((labels[labels.index(chosen) == 0], chosen), place, notes)
    if positive is None and not scored:
        ordered = ordered or order is not None or not has_text(labels)
        return replace(_more_than_two(labels, place, notes, columns[0].name), ordered=ordered)
    chosen = None if positive is None else positive_label(labels, positive)
    if rest is None:
        raise _several(labels, [column.name for column in columns], positive, scored=scored)
    others = listed([label for label in labels if label != chosen])
    said = Note("one-vs-rest", f"The label {chosen!r} is judged against all others together: {others}.")
    return _two((f"not {chosen}", chosen), place, [*notes, said])


def has_text(labels: Iterable[Hashable]) -> bool:
    """Return whether some label is text, which is without an order of its own.

    >>> has_text([1, 2, 3]), has_text(["low", "mid", "high"])
    (False, True)
    """
    return any(isinstance(label, str) for label in labels)


def check_order(title: str, labels: Sequence[Hashable]) -> None:
    """Refuse three or more classes that are text, for measures of ordered classes.

    >>> check_order("weighted kappa", ["high", "low", "mid"])
    Traceback (most recent call last):
    thresher.errors.InputError: weighted kappa needs ordered classes, and text is unordered: 'high', 'low', 'mid'...
    """
    if len(labels) > 2 and has_text(labels):
        raise InputError(
            f"{title} needs ordered classes, and text is unordered: {listed(labels)}. Name all classes with "
            + keyword("labels", "…")
            + ", the lowest first, or pass an ordered categorical."
        )


def _distinct(columns: Sequence[Encoded]) -> tuple[dict[Hashable, Hashable], list[Hashable], bool]:
    """Label of each value of the columns, the labels in order, and whether a column gives that order."""
    values = [(column.name, value) for column in columns for value in column.values]
    kinds: dict[str, tuple[str, Any]] = {}
    for name, value in values:
        kinds.setdefault(kind(value), (name, value))
    pure = all(len({kind(value) for value in column.values}) <= 1 for column in columns)
    as_number = pure and set(kinds) == {"true/false", "numbers"} and all(value in (0, 1) for _, value in values)
    if len(kinds) > 1 and not as_number:
        raise _mixed(kinds)
    meaning = {value: int(value) if as_number else python_label(value) for _, value in values}  # type: ignore[call-overload]
    scale = _scale(columns)
    labels = sorted_labels(
        meaning.values() if scale is None else [meaning[value] for value in scale], ordered=bool(scale)
    )
    return meaning, labels, scale is not None


def _scale(columns: Sequence[Encoded]) -> tuple[Hashable, ...] | None:
    """Values in the order of the ordered columns, which have all values and agree; None without such an order.

    A column without an order, such as labels predicted by a model, takes the others' order.
    """
    scales = dict.fromkeys(column.values for column in columns if column.ordered)
    found = max(scales, key=len, default=())
    named = all(set(column.values) <= set(found) for column in columns)
    agree = all([value for value in found if value in scale] == list(scale) for scale in scales)
    return found if found and named and agree else None


def _in_stated_order(
    place: dict[Hashable, Hashable], found: Sequence[Hashable], order: Sequence[Hashable], name: str
) -> tuple[dict[Hashable, Hashable], list[Hashable], list[Note]]:
    """Labels in the order that the user gives, as the data spell them; a text may name a label that is not text."""
    spelling = {wanted: next((a for a in found if a == wanted or spelled(a, wanted)), wanted) for wanted in order}
    labels = list(spelling.values())
    strangers = [label for label in found if label not in labels]
    if strangers:
        raise InputError(
            f"the label column {name!r} holds {strangers[0]!r}, which "
            + keyword("labels", "…")
            + f" does not name: it names {listed(list(order))}. All classes are to be named."
        )
    numbers = [label for label in found if kind(label) == "numbers"]
    if numbers and len(numbers) == len(found):
        labels = [_as_number(label) for label in labels]
    for k, label in enumerate(labels):
        if label in labels[:k]:
            first = order[labels.index(label)]
            raise OptionError(
                keyword("labels", "…")
                + f" names one class twice, as {first!r} and as {order[k]!r}: both are {label!r}."
            )
    absent = [label for label in labels if label not in found]
    said = Note("absent-class", f"No row has the label {listed(absent)}, which ", keyword("labels"), " names.")
    return place, labels, [said] if absent else []


def _as_number(label: Hashable) -> Hashable:
    """Number that a text spells, among labels that are numbers."""
    try:
        return python_label(Decimal(label)) if isinstance(label, str) and is_number(label) else label
    except ArithmeticError:
        return label


def sorted_labels(values: Iterable[Hashable], *, ordered: bool = False) -> list[Hashable]:
    """Distinct values sorted (by their text when they cannot be compared), or as given when ordered."""
    distinct = list(dict.fromkeys(values))
    if ordered:
        return distinct
    try:
        return sorted(distinct)  # type: ignore[type-var]
    except TypeError:
        return sorted(distinct, key=str)


def _mixed(kinds: Mapping[str, tuple[str, Any]]) -> InputError:
    (first, (name, a)), (second, (other, b)) = list(kinds.items())[:2]
    where = f"column {name!r} mixes" if name == other else f"columns {name!r} and {other!r} have"
    return InputError(
        f"the label {where} {first} and {second} ({a!r} and {b!r}), which are never equal: "
        f"convert the labels to one type first."
    )


def listed(labels: Sequence[Any]) -> str:
    """Labels as text, cut after the first few."""
    shown = ", ".join(map(quoted, labels[:SHOWN]))
    return shown if len(labels) <= SHOWN else f"{shown}, … ({len(labels):,} labels)"


def empty_classes(labels: Sequence[Any]) -> str:
    """Return the reason of a measure without rows of these classes."""
    return f"class {listed(labels)} is empty" if len(labels) == 1 else f"classes {listed(labels)} are empty"


def _look_alike(labels: Sequence[Hashable], name: str, scored: bool) -> list[Note]:
    """Refuse labels that differ only by surrounding blanks; say which differ only by case."""
    texts = [label for label in labels if isinstance(label, str)]
    alike: dict[str, str] = {}
    for text in texts:
        other = alike.setdefault(text.strip(), text)
        if other != text:
            raise InputError(
                f"the labels {other!r} and {text!r} of column {name!r} differ only by blanks around them; strip the "
                "blanks first."
            )
    folded: dict[str, str] = {}
    for text in texts:
        other = folded.setdefault(text.strip().casefold(), text)
        if other != text and (scored or len(labels) == 2):
            raise InputError(
                f"the labels {other!r} and {text!r} of column {name!r} differ only by case; write them alike first."
            )
        if other != text:
            return [
                Note("labels-by-case", f"The labels {other!r} and {text!r} differ only by case and are kept apart.")
            ]
    return []


def both_classes(label: Hashable, positive: Hashable | None) -> tuple[tuple[Hashable, Hashable], Note]:
    """Both labels when only one occurs, if known."""
    said = Note("one-class", f"Every row has the label {label!r}, so measures of both classes are undefined.")
    pair = next((p for p in POSITIVE_LABELS if any(label == p[i] and kind(label) == kind(p[i]) for i in (0, 1))), None)
    if positive is None:
        if pair is None:
            raise OptionError(
                f"the only label is {label!r}: say with "
                + keyword("positive", "…")
                + " which label is the positive one."
            )
        return (python_label(pair[0]), python_label(pair[1])), said
    if positive == label or spelled(label, positive):
        negative = next((a for a in pair if a != label), None) if pair is not None else None
        return (f"not {label}" if negative is None else negative, label), said
    if str(label).strip().casefold() == str(positive).strip().casefold():
        raise OptionError(
            keyword("positive", repr(positive)) + f" is not among the labels {label!r}: they differ by blanks or case."
        )
    other = next((a for a in pair or () if a == positive or spelled(a, positive)), positive)
    return (label, other), said + f" No row has the positive label {other!r}."


def _two(pair: tuple[Hashable, Hashable], place: Mapping[Hashable, Hashable], notes: list[Note]) -> Classes:
    codes = {value: int(label == pair[1]) for value, label in place.items()}
    return Classes(labels=pair, place=codes, notes=notes)


def _more_than_two(labels: list[Hashable], place: Mapping[Hashable, Hashable], notes: list[Note], name: str) -> Classes:
    parts = [label for label in labels if isinstance(label, float)]
    if parts:
        raise InputError(f"the label column {name!r} has fractions such as {parts[0]!r}: it looks like a score.")
    codes = {label: code for code, label in enumerate(labels)}
    return Classes(tuple(labels), {value: codes[label] for value, label in place.items()}, notes)


def _several(labels: list[Hashable], names: Sequence[str], positive: Hashable | None, *, scored: bool) -> InputError:
    """Error for three or more labels where two are needed."""
    fractions = any(isinstance(label, float) for label in labels)
    hint = " It has fractions, so it may be a score." if fractions else ""
    why = "one score ranks two classes" if scored else "a positive label is one of two"
    other = "Without " + keyword("positive", "…") + " all of them are judged as classes."
    if scored:
        other = "For several classes pass " + keyword("predicted", "…") + " or posteriors as "
        other += keyword("probabilities", "…") + "."
    truth, *predicted = names
    where = f"the label column {truth!r} has"
    if predicted:
        where = f"the label column {truth!r} and the predicted labels ({listed(predicted)}) together have"
    counted = f"{len(labels):,} labels, {', '.join(map(quoted, labels[:SHOWN]))}" + ", …" * (len(labels) > SHOWN)
    named = "Name one with " + keyword("positive", "…") + " and " if positive is None else "Give also "
    whom = "it" if positive is None else quoted(positive)
    judged = choice("rest", "negative") + f" to judge {whom} against all others. "
    return InputError(f"{where} {counted}, but {why}.{hint} " + named + judged + other)
