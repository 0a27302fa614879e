"""A reject option in words, as on a command line: "deferral=0.2", "upper=precision>=0.98,lower=npv>=0.99"."""

from __future__ import annotations

import re
from typing import Any

from thresher.errors import OptionError
from thresher.written import number, share_or_number

GRAMMAR = (
    "deferral=COST (with the costs of errors), accuracy=A, or upper=… and lower=…, each a threshold or a bound such as "
    "precision>=0.98"
)
_PART = re.compile(r"(?:^|,)\s*(deferral|accuracy|upper|lower)\s*(?:=|>=|≥)\s*")


def reject_rule(text: str) -> dict[str, Any]:
    """Options of `reject_option` from text.

    Raises:
        OptionError: the text is none; says what it may be.

    >>> reject_rule("deferral=0.2"), reject_rule("accuracy>=0.99")
    ({'deferral': 0.2}, {'accuracy': 0.99})
    >>> reject_rule("accuracy=99%")
    {'accuracy': 0.99}
    >>> reject_rule("upper=precision>=0.98, lower=0.2")
    {'upper': 'precision>=0.98', 'lower': 0.2}
    """
    start, *pieces = _PART.split(text.strip())
    names, values = pieces[::2], [value.strip() for value in pieces[1::2]]
    if start or not names or not all(values):
        raise OptionError(f"the reject option {text!r} is not understood; it is {GRAMMAR}.")
    if len(set(names)) < len(names):
        raise OptionError(f"the reject option {text!r} names one thing twice.")
    found = {name: _number(value, name) for name, value in zip(names, values, strict=True)}
    if wrong := next((name for name in ("deferral", "accuracy") if isinstance(found.get(name), str)), None):
        raise OptionError(f"the reject option {text!r}: {found[wrong]!r} is no number.")
    return found


def _number(value: str, name: str) -> float | str:
    """Number, of an accuracy also as a percentage, or the text of a bound."""
    try:
        return share_or_number(value) if name == "accuracy" else number(value)
    except ValueError:
        return value
