"""A measure as people write it on one line: `auc`, `f_beta:beta=2`, `recall@fpr=0.01`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thresher.errors import OptionError, UnknownMeasureError
from thresher.measures import Measure, find, measures
from thresher.measures.averaging import class_average
from thresher.measures.posteriors import of_posteriors
from thresher.measures.registry import known
from thresher.nearest import nearest
from thresher.written import number_or_infinity

FIXED = {
    ("true_positive_rate", "false_positive_rate"): ("fpr", 1.0, 0.0),
    ("false_negative_rate", "false_positive_rate"): ("fpr", -1.0, 1.0),
    ("true_positive_rate", "true_negative_rate"): ("fpr", 1.0, 0.0),
    ("false_positive_rate", "true_positive_rate"): ("tpr", 1.0, 0.0),
    ("true_negative_rate", "true_positive_rate"): ("tpr", -1.0, 1.0),
}
"""Rates at an operating point: which rate is fixed, and the rate asked for as slope·rate + constant of the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A registered measure with its parameters, at a fixed value of another one where `at` names it."""

    text: str
    entry: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    at: Measure | None = None
    at_value: float = math.nan

    @property
    def title(self) -> str:
        """Name in words, such as `recall at false positive rate 0.01`; words that were written stay as they are."""
        own, _, other = self.text.partition("@")
        given = "".join(f" ({name} {value:g})" for name, value in self.parameters.items())
        at = f" at {_in_words(other, self.at)} {self.at_value:g}" if self.at else ""
        return f"{_in_words(own, self.entry)}{given}{at}"

    @property
    def is_plain(self) -> bool:
        """Whether it is a measure by its name alone."""
        return self.at is None and not self.parameters

    @property
    def needs_threshold(self) -> bool:
        """Whether the value is that of decisions at a threshold."""
        return self.at is None and self.entry.needs != "table"

    @property
    def sign(self) -> float:
        """1 where more is better, −1 where less is."""
        return -1.0 if self.entry.better == "lower" else 1.0

    @property
    def fixed(self) -> tuple[str, float, float, float] | None:
        """Fixed rate ("fpr" or "tpr"), its value, and the slope and constant of the rate asked for; else None."""
        found = FIXED.get((self.entry.name, self.at.name)) if self.at else None
        if found is None:
            return None
        value = 1 - self.at_value if self.at and self.at.name == "true_negative_rate" else self.at_value
        return found[0], value, found[1], found[2]


def _in_words(written: str, entry: Measure) -> str:
    """Title of a measure, or the other name of it that was written."""
    name = written.replace("=", ":").partition(":")[0].strip().lower()
    return entry.title_as(name)


def wanted(text: str) -> Wanted:
    """Measure from its text: a name or alias, parameters after a colon, and `@OTHER=VALUE` for a fixed other one.

    A fixed value from 0 to 1 may be a percentage.

    Raises:
        UnknownMeasureError: a name is none.
        OptionError: a parameter or the value is none, or the measure is a function or a scorer.

    >>> wanted("recall@specificity=99%").title, wanted("tpr@fpr=0.01").title, wanted("f_beta:beta=2").title
    ('recall at specificity 0.99', 'recall (sensitivity) at false positive rate 0.01', 'F-beta (beta 2)')
    """
    if not isinstance(text, str):
        raise OptionError(f"measure={_shown(text)}: a measure is named by a text, such as 'f1' or 'recall@fpr=0.01'.")
    head, _, point = text.partition("@")
    name, _, given = head.partition(":")
    entry = _entry(name)
    parameters = entry.checked(dict(_pair(piece, text) for piece in given.split(",") if piece))
    if not point:
        return Wanted(text=text, entry=entry, parameters=parameters)
    other, value = _pair(point.removesuffix("%"), text)
    at = find(other)
    if "table" in (entry.needs, at.needs):
        raise OptionError(f"{text!r}: only a measure of decisions can be read at the value of another one.")
    if point.endswith("%"):
        value = percentage(value, at, text)
    return Wanted(text=text, entry=entry, parameters=parameters, at=at, at_value=value)


def _shown(given: object) -> str:
    """A function by its name; anything else as Python shows it."""
    return f"the function {given.__name__}" if hasattr(given, "__name__") else repr(given)


def _entry(name: str) -> Measure:
    """Registered measure of counts, scores, posteriors or label sets, or an average over classes.

    Raises:
        UnknownMeasureError: there is none.
    """
    found = known(name) or of_posteriors(name) or class_average(name) or known(name, "label sets")
    if found is not None:
        return found
    try:
        return find(name)
    except UnknownMeasureError as error:
        rows = [*measures("posteriors"), class_average("macro_f1"), of_posteriors("top_2_accuracy")]
        near = nearest(name, [n for row in rows if row for n in (row.name, *row.aliases)])
        hint = f" Of several classes there are {', '.join(near)}." if near else ""
        raise UnknownMeasureError(f"{error}{hint}") from None


def percentage(value: float, entry: Measure, text: str) -> float:
    """Share that a percentage of a measure is.

    Raises:
        OptionError: the measure does not lie between 0 and 1.
    """
    low, high = entry.bounds
    if not 0 <= low <= high <= 1:
        raise OptionError(f"{text!r}: {entry.title} is no share, so that it has no percentage.")
    return value / 100


def _pair(piece: str, text: str) -> tuple[str, float]:
    name, equals, value = piece.partition("=")
    try:
        number = number_or_infinity(value)
    except ValueError:
        equals, number = "", math.nan
    if not equals:
        raise OptionError(f"{text!r}: after ':' or '@' comes NAME=NUMBER, such as recall@fpr=0.01, not {piece!r}.")
    return name.strip(), number
