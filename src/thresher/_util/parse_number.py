"""Numbers, and measures with their parameters, as people write them."""

from __future__ import annotations

import math
import re
from typing import Any

MOST_REPLICATES = 10**6
"""Resamples, permutations and splits at the most: intervals and p values change little with more, and memory ends."""

_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?inf(inity)?", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?[0-9]+")


def parse_number(text: str) -> float:
    """Finite number from text: digits, a point, an exponent. Python would take `1_0`, `１０`, `nan` and `inf` too.

    Raises:
        ValueError: the text is not a number, or too large for float64.

    >>> parse_number("2.5e-1"), parse_number(" 7 ")
    (0.25, 7.0)
    """
    found = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
    if not math.isfinite(found):
        raise ValueError(f"{text!r} is not a number")
    return found


def parse_number_or_infinity(text: str) -> float:
    """Number from text, `inf` and `infinity` with a sign or without among them.

    Raises:
        ValueError: the text is neither, or too large for float64.

    >>> parse_number_or_infinity("-inf"), parse_number_or_infinity("0.5")
    (-inf, 0.5)
    """
    return float(text) if _INFINITE.fullmatch(text.strip()) else parse_number(text)


def is_number(text: str) -> bool:
    """Whether a text is a number that `parse_number_or_infinity` reads, however large.

    >>> is_number("1e400"), is_number("1_0"), is_number("\uff11")
    (True, False, False)
    """
    return bool(_NUMBER.fullmatch(text.strip()) or _INFINITE.fullmatch(text.strip()))


def parse_whole(text: str) -> int:
    """Whole number from text: digits, with a sign or without.

    Raises:
        ValueError: the text is not a whole number, or longer than Python reads.

    >>> parse_whole("-12")
    -12
    """
    if not _WHOLE.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def parse_share_or_number(text: str) -> float:
    """Number from text; a percentage is a share.

    Raises:
        ValueError: the text is neither.

    >>> parse_share_or_number("0.25"), parse_share_or_number("99%"), parse_share_or_number("5 %")
    (0.25, 0.99, 0.05)
    """
    return parse_number(text[:-1]) / 100 if text.endswith("%") else parse_number(text)


SIZES = {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
"""Units of memory, by their names."""


def parse_size(text: str) -> int:
    """Bytes from text: a number and a unit.

    Raises:
        ValueError: the text is not an amount.

    >>> parse_size("100MB"), parse_size("1.5 GiB")
    (100000000, 1610612736)
    """
    unit = next((each for each in SIZES if text.strip().upper().endswith(each)), None)
    if unit is None:
        raise ValueError(f"{text!r} is not an amount of memory")
    return round(parse_number(text.strip()[: -len(unit)]) * SIZES[unit])


_CALL = re.compile(r"\s*([^(:]*[^(:\s])\s*(?:\((.*)\)|:(.*))?\s*", re.DOTALL)
_PARTS = re.compile(r",(?![^{]*\})")


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and parameters of a measure that is written as `f_beta(beta=2)` or `f_beta:beta=2`.

    Raises:
        ValueError: a parameter lacks a value; its argument is the parameter.

    >>> parse_call("f_beta(beta=2)"), parse_call("weighted_kappa:weights=linear"), parse_call("auc")
    (('f_beta', {'beta': 2}), ('weighted_kappa', {'weights': 'linear'}), ('auc', {}))
    """
    found = _CALL.fullmatch(text)
    return (found[1], parse_parameters(found[2] or found[3] or "")) if found else (text, {})


def parse_parameters(text: str) -> dict[str, Any]:
    """Parameters that are written as `beta=2, weights="linear"`: whole numbers, numbers, and words.

    Raises:
        ValueError: a parameter lacks a value; the argument of the error is the text.
    """
    found: dict[str, Any] = {}
    for part in filter(str.strip, _PARTS.split(text)):
        name, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise ValueError(part.strip())
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    for kind in (parse_whole, parse_number_or_infinity):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("'\"")
