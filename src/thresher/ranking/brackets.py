"""What stands in the brackets of a measure of ranked lists, as in `P(rel=2)@5` or `nDCG(gains={1: 3, 2: 9})@10`."""

from __future__ import annotations

import re
from dataclasses import replace

from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.ranking.rows import MOST
from thresher.sentences import keyword
from thresher.written import number

Gains = tuple[tuple[int, float], ...]

TAKEN = (
    "rel=… (relevant from that relevance on), p=…, as in RBP(p=0.5), beta=…, gains={…} and dcg=… are written in "
    "brackets"
)
JUDGED_ONLY = keyword("judged_only", "True") + " takes unjudged results out of the lists for all measures alike"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brackets:
    """Parameters by name, and `rest`: those that stand without one, as after a point."""

    level: int | None = None
    gains: Gains = ()
    is_exponential: bool = False
    rest: str = ""


def in_brackets(inside: str, text: str) -> Brackets:
    """Parameters of a call; what would not be heeded is refused, as it would give another measure's number.

    Raises:
        OptionError: a parameter that there is not, or a value that it does not take; `text` is what was asked for.

    >>> in_brackets("rel=2, p=0.5", "RBP(rel=2, p=0.5)")
    Brackets(level=2, gains=(), is_exponential=False, rest='0.5')
    """
    found, rest = Brackets(), []
    for part in re.split(r",(?![^{]*})", inside):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or (key.isascii() and key.isdecimal()):
            rest += [part.strip()] * bool(part.strip())
        elif key == "p":
            rest.append(value)
        elif key == "beta":
            rest.append(repr(_number(value, text) ** 2))
        elif key == "rel":
            found = replace(found, level=_level(value, text))
        elif key == "gains":
            found = replace(found, gains=gains_of(value.strip("{}"), text))
        elif key == "dcg":
            found = replace(found, is_exponential=_is_exponential(value.strip("'\""), text))
        else:
            said = JUDGED_ONLY if key == "judged_only" else TAKEN
            raise OptionError(f"{text}: {part.strip()!r} is not taken here: " + said + ".")
    return replace(found, rest=",".join(rest))


def gains_of(written: str, text: str) -> Gains:
    """Gains by relevance, rising by it, from 1=3.5,2=9 or 1: 3.5, 2: 9.

    Raises:
        OptionError: a part is no relevance with its gain.
    """
    pairs = [re.split("[=:]", part, maxsplit=1) for part in written.split(",") if part.strip()]
    parts = [tuple(piece.strip(" '\"") for piece in pair) for pair in pairs]
    if any(len(pair) < 2 or not (pair[0].isascii() and pair[0].isdecimal()) or not pair[1] for pair in parts):
        raise OptionError(f"{text}: gains are written relevance=gain, such as 1=3.5,2=9.")
    return tuple(sorted((int(level), _number(gain, text)) for level, gain in parts))


def _number(value: str, text: str) -> float:
    try:
        return number(value)
    except ValueError:
        raise OptionError(f"{text}: {value!r} is no number.") from None


def _level(value: str, text: str) -> int:
    if not (value.isascii() and value.isdecimal()) or not 1 <= int(value) <= MOST:
        raise OptionError(f"{text}: rel is a whole number of at least 1 and at most {MOST:,}.")
    return int(value)


def _is_exponential(value: str, text: str) -> bool:
    if value not in ("log2", "exp-log2"):
        raise OptionError(f"{text}: dcg is 'log2' (gain = relevance) or 'exp-log2' (gain = 2^relevance − 1).")
    return value == "exp-log2"
