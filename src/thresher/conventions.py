"""The decisions every part of thresher keeps to, each with its reason.

Ties, order of thresholds, direction, the positive class, 0/0: another choice of any of these gives other
numbers from the same data, so each is made here, once, and has a contract test.

When two values count as equal: sums of rounded numbers differ in the last digits, and ties are to be returned.

Colors of models, the same on a page and in a plot.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.parse_number import is_number
from thresher.errors import OptionError, UndefinedError, UndefinedMeasureWarning, choice, keyword, quoted

_T = TypeVar("_T", bound=np.generic)
Floats = NDArray[np.float64]

Direction = Literal["higher", "lower"]
Directions = Direction | Mapping[str, Direction]
WeightKind = Literal["importance", "frequency"]
Missing = Literal["error", "drop"]
Unlabelled = Literal["error", "drop", "weight", "bounds"]
Undefined = Literal["nan", "warn", "raise"] | float
Task = Literal["binary", "multiclass", "labels", "multilabel"]

LEVEL = 0.95
"""Default confidence level of every interval."""

SEED = 0
"""Default seed: the same call gives the same number, today and next year."""

DEFAULT_THRESHOLD = 0.5
"""Default threshold when every score is in [0, 1]; a note always reports it."""

POSITIVE_LABELS: tuple[tuple[object, object], ...] = ((0, 1), (-1, 1), (False, True))
"""(negative, positive) pairs with a plain meaning; any other pair needs `positive=` from the user, because
the alphabet does not name the class that matters."""

MAX_CLASSES = 10_000
"""More distinct labels than this is an identifier or a score in the wrong place: a K×K matrix of it would
not fit in memory."""


WHOLE_FREQUENCY = (
    " A frequency counts equal rows, so it is a whole number. For other weights take "
    + choice("weight_kind", "importance")
    + "."
)
"""Advice where a frequency weight is not whole."""


def divide(numerator: ArrayLike, denominator: ArrayLike) -> NDArray[np.float64]:
    """Quotient of counts: 0/0 is NaN (undefined), x/0 is +inf; the one function that divides.

    >>> divide([1, 0, 3], [2, 0, 0])
    array([0.5, nan, inf])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))


def inner(values: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of products over the last axis. Not by BLAS, which wakes every processor for it and lets them spin after.

    >>> inner(np.array([[1, 2], [3, 4]]), np.array([10, 1]))
    array([12, 34])
    """
    return np.asarray(np.einsum("...i,i->...", values, weights))


def rising(values: NDArray[_T]) -> NDArray[_T]:
    """Return distinct values, rising, as `np.unique` does, which loads numpy.ma: a tenth of a report's imports.

    >>> rising(np.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    ordered = np.sort(values)
    first = np.ones(ordered.size, dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def sentinel(direction: Direction) -> float:
    """Threshold of the first row of every threshold table, where nothing is predicted positive.

    It is above all scores (below, when low scores are positive), because starting at the highest
    possible score would already call a score of exactly 1 positive.
    """
    return math.inf if direction == "higher" else -math.inf


def in_precision(scores: Floats, threshold: float, direction: Direction, near: Floats | None = None) -> float:
    """Return the threshold rounded as the scores are, where these are float32 or float16 numbers held in float64.

    In float32 0.7 is 0.699999988: compared in float64, rows scored 0.7 would be below a threshold of 0.7. NumPy
    rounds the threshold; so does this where a score, one of `near` if given, is then at it.

    >>> in_precision(np.array([0.7, 0.3], dtype=np.float32).astype(np.float64), 0.7, "higher")
    0.699999988079071
    >>> in_precision(np.array([0.7, 0.3]), 0.7, "higher"), in_precision(np.array([0.5, 0.25]), 0.50000001, "higher")
    (0.7, 0.50000001)
    """
    for kind, largest in ((np.float32, 2.0**24), (np.float16, 2.0**11)):
        if abs(threshold) >= largest:  # whole numbers from here on are not rounded decimals
            continue
        cut = float(kind(threshold))
        is_missed = cut < threshold if direction == "higher" else cut > threshold
        if is_missed and ((scores if near is None else near) == cut).any() and _is_of(scores, cut, kind):
            return cut
    return threshold


def _is_of(scores: Floats, score: float, kind: type[np.floating[Any]]) -> bool:
    """Return whether one of the scores is a number of a type by more than chance.

    In float64 one in 2**29 numbers is of float32, unless it is dyadic, as 5/8: then the others tell. Of float16 they
    always do, as shares of 1,024 trees are such numbers too; but these are multiples of one step, and float16 has
    finer steps near 0.
    """
    if kind is np.float32 and math.frexp(score)[0] * 2.0**16 % 1:
        return True
    values = scores[np.isfinite(scores)]
    with np.errstate(over="ignore"):
        if not np.array_equal(values.astype(kind), values):
            return False
    if not (np.frexp(values)[0] * 2.0 ** (16 if kind is np.float32 else 8) % 1).any():
        return False
    step = 2.0 ** (np.frexp(np.abs(values).max())[1] - 12)
    return kind is np.float32 or bool((values % step).any())


def is_positive(scores: NDArray[np.float64], threshold: float, direction: Direction) -> NDArray[np.bool_]:
    """Decision rule: positive iff score >= threshold (<= when low scores are positive).

    An infinite threshold of the sentinel's sign is the sentinel: nothing is positive, a score of
    the same infinity included.
    """
    if threshold == sentinel(direction):
        return np.zeros(np.shape(scores), dtype=bool)
    threshold = in_precision(scores, threshold, direction)
    return scores >= threshold if direction == "higher" else scores <= threshold


def check_named(name: str, given: Iterable[Any], known: Sequence[str], what: str = "models") -> None:
    """Check that an option by model names models that there are; the error lists them."""
    if unknown := next((model for model in given if model not in known), None):
        raise OptionError(
            keyword(name) + f" names {unknown!r}; the {what} are {', '.join(map(repr, known)) or 'none'}."
        )


def check_directions(given: Any) -> None:
    """Check a direction, or one for each model: "higher" or "lower"."""
    for value in given.values() if isinstance(given, Mapping) else [given]:
        option("direction", value, ("higher", "lower"))


def directions(given: Directions | Mapping[str | None, Direction], models: Sequence[str]) -> Directions:
    """Return one direction if all models share it, else a direction for each; None in a mapping is the rest.

    Raises:
        OptionError: there is no such model, one is not named, or none has scores that could be low.

    >>> directions("lower", ["a"]), directions({"a": "lower", "b": "lower"}, ["a", "b"])
    ('lower', 'lower')
    >>> directions({"b": "lower", None: "higher"}, ["a", "b"])
    {'a': 'higher', 'b': 'lower'}
    """
    if given == "lower" and not models:
        raise OptionError(choice("direction", "lower") + " is for scores; these are predicted labels.")
    if not isinstance(given, Mapping):
        return given
    check_named("direction", (name for name in given if name is not None), models, "models with scores")
    if lacking := [name for name in models if name not in given and None not in given]:
        raise OptionError(
            keyword("direction")
            + f" does not name the model {lacking[0]!r}: say of each whether its high or its low scores are positive, "
            + f"{lacking[0]!r}: 'higher' or {lacking[0]!r}: 'lower'."
        )
    rest: Mapping[Any, Direction] = given
    return common({name: rest[name if name in rest else None] for name in models})


def direction_of(given: Directions, model: str) -> Direction:
    """Direction of one model."""
    return given if isinstance(given, str) else given[model]


def common(found: Mapping[str, Direction]) -> Direction | dict[str, Direction]:
    """Return the common direction, or the direction of each model if they differ."""
    return dict(found) if len(set(found.values())) > 1 else next(iter(found.values()), "higher")


def option(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Check that an option has one of its values; the error lists them, and names the near ones."""
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        from thresher._util.did_you_mean import did_you_mean

        words = [each for each in allowed if isinstance(each, str)]
        meant = did_you_mean(value, words) if isinstance(value, str) else ""
        raise OptionError(keyword(name, repr(value)) + f" is not one of its values: {choices}.{meant}")


def confidence_level(level: float) -> float:
    """Check a confidence level: a number strictly between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise OptionError(
            keyword("level", repr(level)) + ": a confidence level is strictly between 0 and 1, such as 0.95."
        )
    return float(level)


def check_seed(rng: int) -> int:
    """Check a seed: a whole number of at least 0."""
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise OptionError(keyword("rng", repr(rng)) + ": a seed is a whole number of at least 0.")
    return int(rng)


def check_whole(name: str, value: object, least: int, most: float = math.inf) -> None:
    """Check a whole number of at least so much, and at most so much."""
    try:
        number = -math.inf if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -math.inf
    if number < least:
        raise OptionError(keyword(name, repr(value)) + f": a whole number of at least {least} is needed.")
    if number > most:
        raise OptionError(keyword(name, repr(value)) + f" is too large: take at most {most:,.0f}.")


def check_undefined(undefined: Undefined) -> None:
    """Check the policy for 0/0: "nan", "warn", "raise", or a number."""
    if undefined not in ("nan", "warn", "raise") and (
        isinstance(undefined, bool | str) or not isinstance(undefined, int | float)
    ):
        raise OptionError(
            keyword("undefined", repr(undefined)) + " is not one of its values: 'nan', 'warn', 'raise', or a number."
        )


def resolve_undefined(value: float, undefined: Undefined, name: str, reason: str) -> float:
    """Apply the caller's policy for 0/0 at the public edge: NaN, a warning, an error, or a number."""
    check_undefined(undefined)
    if not math.isnan(value) or undefined == "nan":
        return value
    if undefined == "raise":
        raise UndefinedError(f"{name} is undefined: {reason}.")
    if undefined == "warn":
        warnings.warn(f"{name} is undefined: {reason}.", UndefinedMeasureWarning, stacklevel=3)
        return value
    return float(undefined)


def stand_in(undefined: Undefined) -> float:
    """Return the substitute for 0/0 by the caller's policy; NaN without one.

    >>> stand_in(0), stand_in("warn")
    (0.0, nan)
    """
    return math.nan if isinstance(undefined, str) else float(undefined)


def spelled(label: Hashable, text: object) -> bool:
    """Return whether a text spells a label that is not text itself, as on a command line, which can only give text.

    >>> spelled(True, "true"), spelled(1, "1.0"), spelled(1, "01"), spelled("Yes", "yes"), spelled(1, "\uff11")
    (True, True, True, False, False)
    >>> from datetime import datetime
    >>> spelled(datetime(2024, 1, 2), "2024-01-02"), spelled(datetime(2024, 1, 2), "2024-01-02T00:00:00")
    (True, True)
    """
    if not isinstance(text, str) or isinstance(label, str):
        return False
    if isinstance(label, bool | np.bool_ | int | float | np.number):
        # A boolean column beside one of 0 and 1 has their labels, and is named by its own words all the same.
        return bool({"true": 1, "false": 0}.get(text.casefold()) == label) or _number_spelled(label, text)
    if isinstance(label, date):  # or a time
        with suppress(ValueError):
            return bool(type(label).fromisoformat(text) == label)
    return str(label) == text


def _number_spelled(label: float | np.number[Any] | np.bool_, text: str) -> bool:
    """Return whether a text is this number; whole numbers are compared as text: floats are inexact above 2**53."""
    value = label.item() if isinstance(label, np.generic) else label
    try:
        return is_number(text) and (Decimal(text) if isinstance(value, int) else float(text)) == value
    except (ValueError, ArithmeticError):
        return False


def classes_of_both(
    one: Sequence[Hashable], other: Sequence[Hashable], has_one: Sequence[bool], has_other: Sequence[bool]
) -> tuple[Hashable, Hashable] | None:
    """(negative, positive) labels of two parts of the rows together, or None where they are different.

    A part without a row of a label names it by guess ("not ill"), or as a text spells it: the other's name is taken.

    >>> classes_of_both(("not ill", "ill"), ("well", "ill"), (False, True), (True, True))
    ('well', 'ill')
    >>> classes_of_both(("not ill", "ill"), ("well", "ill"), (True, True), (True, True)) is None
    True
    """
    found: list[Hashable] = []
    for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
        is_open = (place == 0 and one[1] == other[1]) or spelled(mine, theirs) or spelled(theirs, mine)
        if mine != theirs and not (is_open and not (has_one[place] and has_other[place])):
            return None
        found.append(mine if has_one[place] else theirs)
    return found[0], found[1]


def positive_label(labels: Sequence[Hashable], positive: Hashable | None) -> Hashable:
    """Positive one of two labels: named by the caller, or plain from the pair; else an error that lists them.

    A command line can only give text, so a text that is not a label itself names the label that reads so.

    >>> positive_label((0, 1), None), positive_label((1, 2), "2"), positive_label(("ill", "well"), "ill")
    (1, 2, 'ill')
    """
    listed = ", ".join(map(quoted, labels))
    if positive is not None:
        positive = positive.item() if isinstance(positive, np.generic) else positive  # else numpy compares as floats
        chosen = [a for a in labels if a == positive] or [a for a in labels if spelled(a, positive)]
        if not chosen:
            from thresher._util.did_you_mean import did_you_mean

            texts = [a for a in labels if isinstance(a, str) and isinstance(positive, str)]
            near = did_you_mean(str(positive), texts)
            raise OptionError(keyword("positive", quoted(positive)) + f" is not among the labels {listed}.{near}")
        return chosen[0]
    for pair in POSITIVE_LABELS:
        if set(labels) == set(pair):
            return next(label for label in labels if label == pair[1])
    raise OptionError(
        f"which of the labels {listed} is positive? Name it with "
        + keyword("positive", "…")
        + "; only labels 0 and 1, -1 and 1, or False and True need no name."
    )


TIE_TOLERANCE = 1e-12
"""Relative difference below which two values tie: far above rounding, far below the differences of counts."""


def attaining(
    values: NDArray[np.float64], *, lowest: bool, eligible: NDArray[np.bool_] | None = None
) -> NDArray[np.intp]:
    """Return the places of the lowest (highest) value and of all that tie with it; NaN is not a value.

    >>> attaining(np.array([np.nan, 2.0, 0.1 + 0.2, 0.3]), lowest=True).tolist()
    [2, 3]
    """
    counted = values if eligible is None else np.where(eligible, values, np.nan)
    low, high = (float(extreme(counted, initial=start)) for extreme, start in ((np.min, np.inf), (np.max, -np.inf)))
    if np.isnan(low):
        low, high = (float(extreme.reduce(counted)) for extreme in (np.fmin, np.fmax))
    best = low if lowest else high
    if not np.isfinite(best):
        return np.flatnonzero(counted == best)
    if not np.isfinite(low) or not np.isfinite(high):
        finite = counted[np.isfinite(counted)]
        low, high = float(finite.min()), float(finite.max())
    slack = TIE_TOLERANCE * max(abs(low), abs(high))
    return np.flatnonzero(counted <= best + slack if lowest else counted >= best - slack)


LIGHT_COLORS = ("#0b5cad", "#b55415", "#215749", "#5d3b63", "#7b0522", "#726242", "#1f7789", "#10139e")
DARK_COLORS = ("#6fb1f5", "#e68b26", "#27b975", "#c983c0", "#ffbab6", "#e1d024", "#71e2fa", "#acafb4")
"""On a light and on a dark background; any two differ by a CIEDE2000 of at least 10 for normal vision, deuteranopia and
protanopia."""
