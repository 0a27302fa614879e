"""`ListMeasure`: one parsed measure of ranked lists, such as `P.10`, `ndcg_cut_10`, `nDCG@10` or `RBP(p=0.5)`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from thresher._util.did_you_mean import nearest
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.parse_number import parse_number
from thresher.errors import OptionError, UnknownMeasureError, keyword
from thresher.measures import Measure, measures
from thresher.measures.ranked_lists import GROUPS, GROUPS_10, NOT_NUMBERS, RECALLS, RankedFormula
from thresher.measures.registry import cached_until_changed
from thresher.ranking.rows import MOST

Version = Literal[9, 10]

PARTS = re.compile(r"(?:\s*,\s*(?=[A-Za-z]|11.?pt)|(?<!,)\s+)(?![^(]*\))")
"""Where one text of several measures is cut: at blanks, and at commas before a letter, outside of brackets."""

UTILITY = (1.0, -1.0, 0.0, 0.0)

LARGEST = 2**53
"""Largest cut-off: up to it every whole number is a float of its own."""

LARGEST_NUMBER = 1_000_000
"""Largest multiple of R and weight of recall: larger ones give the same measure, and could not be counted."""


@dataclass(frozen=True, slots=True)
class ListMeasure:
    """A measure with its parameters: a cut-off (0: none), numbers, or gains by relevance.

    `level` is the least relevance that it calls relevant, None for the common one. `version` is the trec_eval version
    that it follows, where definitions differ.
    """

    entry: Measure
    cut: int = 0
    numbers: tuple[float, ...] = ()
    gains: tuple[tuple[int, float], ...] = ()
    level: int | None = None
    version: Version = 9

    @property
    def how(self) -> RankedFormula:
        """Computation of its values."""
        return self.entry.formula  # type: ignore[no-any-return]

    def with_arithmetic_mean(self) -> ListMeasure:
        """The same value of a query, to be put together by its mean."""
        return replace(self, entry=replace(self.entry, formula=replace(self.how, mean="arithmetic")))

    @property
    def name(self) -> str:
        """Name as trec_eval prints it; in brackets where trec_eval lacks the measure."""
        own = [] if self.level is None else [f"rel={self.level}"]
        if self.gains and self.cut:
            own.append("gains={" + ",".join(f"{level}:{gain:.15g}" for level, gain in self.gains) + "}")
        if not own:
            return self._plain_name
        cut = f"@{self.cut}" if self.cut else ""
        return f"{self.entry.name if cut else self._plain_name}({','.join(own)}){cut}"

    @property
    def _plain_name(self) -> str:
        base = self.entry.name
        if self.cut:
            return f"{base}_{self.cut}"
        if self._says_p:
            return base if self.numbers == self.how.defaults else f"{base}_p={self.numbers[0]:g}"
        if self.how.takes in ("recall", "multiple") or (self.how.takes == "number" and self._unusual):
            return f"{base}_{self.numbers[0]:.2f}" if self._is_short else f"{base}_{self.numbers[0]:g}"
        if self.how.takes in ("utility", "recalls") and self.numbers != (UTILITY if base == "utility" else RECALLS):
            return f"{base}_{','.join(f'{x:g}' for x in self.numbers)}"
        if self.gains:
            return f"{base}_{','.join(f'{level}={gain:g}' for level, gain in self.gains)}"
        return base

    @property
    def _says_p(self) -> bool:
        """Return whether trec_eval 10 has the measure, with persistences named as there."""
        return self.entry.name == "rbp_resid" or (self.entry.name == "rbp" and self.version == 10)

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest value of a query; there is none of either where a gain is negative."""
        return (-math.inf, math.inf) if any(gain < 0 for _, gain in self.gains) else self.entry.bounds

    @property
    def _unusual(self) -> bool:
        return self.numbers != self.how.defaults or self.entry.name.startswith("rbp")

    @property
    def _is_short(self) -> bool:
        return math.isclose(self.numbers[0], round(self.numbers[0], 2))

    @property
    def title(self) -> str:
        """Name in words."""
        words = self._plain_title
        return words if self.level is None else f"{words}, relevant from {self.level} on"

    @property
    def _plain_title(self) -> str:
        words = self.entry.title
        if self.cut:
            return words.replace("first k", f"first {self.cut}")
        if self.how.takes == "recall":
            return f"{words} {self.numbers[0]:g}"
        if self.how.takes == "multiple":
            return words.replace("multiples of R", f"{self.numbers[0]:g}·R")
        if self.entry.name.startswith("rbp"):
            return words.replace("persistence p", f"persistence {self.numbers[0]:g}")
        return words


def list_measures(names: str | Sequence[str], version: Version = 9) -> tuple[ListMeasure, ...]:
    """Parse measures, each once, in order; a name without its parameter means trec_eval's default parameters.

    A parameter follows a point, an underscore or an @: `P.10`, `P_10`, `P@10`, several with commas: `P.5,10`; others
    are in brackets: `RBP(p=0.5)`, `AP(rel=2)`, `nDCG(gains={1: 3, 2: 9})@10`. One text may name several measures,
    apart by blanks. Groups are "official", "set", "all_trec" (trec_eval's own), "summary" and "all".

    Raises:
        UnknownMeasureError: no measure has that name; the nearest ones are listed.
        OptionError: a parameter that the measure does not take.

    >>> [one.name for one in list_measures(["map", "nDCG@10", "P.5,10"])]
    ['map', 'ndcg_cut_10', 'P_5', 'P_10']
    >>> [one.name for one in list_measures("AP(rel=2) P(rel=2)@5 SetF(beta=2)")]
    ['map(rel=2)', 'P(rel=2)@5', 'set_F_4.00']
    """
    if not isinstance(names, Iterable):
        raise OptionError(f"measures={names!r}: name measures by text, such as 'map' or ['map', 'P.10'].")
    listed = [names] if isinstance(names, str) else list(names)
    found: dict[str, ListMeasure] = {}
    for text in listed:
        if not isinstance(text, str):
            raise OptionError(f"{text!r}: a measure is named by text, such as 'map' or 'P.10'.")
        for one in _all_of(text, version):
            found.setdefault(one.name, one)
    if not found:
        raise OptionError("name at least one measure, such as 'map' or 'ndcg_cut.10'.")
    return tuple(found.values())


def _all_of(text: str, version: Version) -> list[ListMeasure]:
    parts = PARTS.split(text.strip())
    try:
        return _parsed(text, version)
    except (UnknownMeasureError, OptionError):
        if len(parts) < 2 or not any(_is_known(part, version) for part in parts):
            raise
    return [one for part in parts for one in _parsed(part, version)]


def _is_known(text: str, version: Version) -> bool:
    try:
        return bool(_parsed(text, version))
    except (UnknownMeasureError, OptionError):
        return False


def find_ranking(name: str) -> Measure | None:
    """The family that a name such as ndcg_cut.10 or nDCG@10 belongs to; None when there is none, or a group of them."""
    try:
        families = {one.entry.name: one.entry for one in list_measures(name)}
    except (UnknownMeasureError, OptionError):
        return None
    return next(iter(families.values())) if len(families) == 1 else None


@cached_until_changed
def _parsed(text: str, version: Version) -> list[ListMeasure]:
    group = (GROUPS | (GROUPS_10 if version == 10 else {})).get(text.strip().casefold())
    if group is not None:
        return [one for name in group for one in _parsed(name, version)]
    base, parameters, brackets = _split(text.strip())
    if base in NOT_NUMBERS:
        raise OptionError(f"{base} is not computed here: {NOT_NUMBERS[base]}.")
    if brackets.is_exponential:
        if base.casefold() not in ("ndcg", "dcg"):
            raise OptionError(f"{text}: dcg belongs to nDCG and DCG.")
        base += "_exp"
    entry = _of_version(_entry(base, bool(parameters) and "=" not in parameters, text), version)
    found = _with_parameters(entry, parameters, text)
    if brackets.level is not None and not entry.formula.asks_relevance:
        raise OptionError(f"{text}: {entry.name} does not use relevance, so it takes no rel.")
    if brackets.gains and not (entry.formula.gain == "linear" and entry.name != "rbp"):
        raise OptionError(f"{text}: {entry.name} takes no gains.")
    followed: Version = version if entry.name == "rbp" or "interpolated" in entry.formula.kinds else 9
    return [replace(one, gains=brackets.gains or one.gains, level=brackets.level, version=followed) for one in found]


@cached_until_changed
def _of_version(entry: Measure, version: Version) -> Measure:
    """Return the family in a version of trec_eval: version 10's rbp has p = 0.9 and gains by relevance."""
    if version == 9 or entry.name != "rbp":
        return entry
    return replace(entry, formula=replace(entry.formula, defaults=(0.9,), gain="linear"))


def _split(text: str) -> tuple[str, str, Brackets]:
    """Split a name into base and parameters, which follow a point, @, brackets, or an underscore and a number."""
    call = re.fullmatch(r"([^()]+)\(([^()]*)\)(?:@([0-9,]+))?", text)
    if call:
        base, own, _ = _split(call[1].strip())
        brackets = in_brackets(call[2], text)
        given = [part for part in (own, brackets.rest, call[3]) if part]
        if len(given) > 1:
            raise OptionError(f"{text}: {given[0]!r} and {given[1]!r} do not go together: name one of them.")
        return base, given[0] if given else "", brackets
    exact = next((e.name for e in measures("ranked lists") if text.casefold() in (e.name.casefold(), *e.aliases)), None)
    if exact is not None or text in NOT_NUMBERS:
        return text, "", Brackets()
    found = re.fullmatch(r"([A-Za-z0-9][A-Za-z_0-9-]*?)(?:[.@]|_(?=(?:p=)?[0-9.=,-]+$))(?:p=)?([-0-9.=,eE]+)", text)
    return (found[1], found[2], Brackets()) if found else (text, "", Brackets())


def _entry(base: str, has_parameters: bool, text: str) -> Measure:
    """Look up a name: exactly, ignoring case, by alias; with its cut-off if one is given."""
    rows = list(measures("ranked lists"))
    fits = [e for e in rows if e.name == base] or [e for e in rows if e.name.casefold() == base.casefold()]
    if not fits or (has_parameters and fits[0].formula.takes in ("nothing", "gains")):
        fits = [e for e in rows if base.casefold().replace(" ", "_") in e.aliases] + fits
        fits.sort(key=lambda e: (e.formula.takes == "cut") != has_parameters)
    if fits and fits[0].formula.takes == "cut" and not has_parameters and len(fits) > 1:
        fits = fits[1:]
    if fits:
        return fits[0]
    known = dict.fromkeys([*(e.name for e in rows), *(a for e in rows for a in e.aliases)])
    near = nearest(base, known) or nearest(base.rstrip("0123456789"), known)
    hint = f" Did you mean {' or '.join(near)}?" if near else f" There are {', '.join(e.name for e in rows)}."
    raise UnknownMeasureError(f"there is no ranking measure {text!r}.{hint}")


def _with_parameters(entry: Measure, text: str, whole: str) -> list[ListMeasure]:
    if entry.formula.takes == "gains" and "=" in text:
        return [ListMeasure(entry, gains=gains_of(text, whole))]
    if entry.formula.takes in ("nothing", "gains") and text:
        raise OptionError(f"{whole}: {entry.name} takes no such parameter.")
    numbers = tuple(_number(part, whole) for part in text.split(",") if part) or entry.formula.defaults
    if entry.formula.takes == "cut":
        if any(number != int(number) or not 1 <= number <= LARGEST for number in numbers):
            raise OptionError(f"{whole}: a cut-off is a whole number of at least 1 and at most {LARGEST:,}.")
        return [ListMeasure(entry, cut=int(number)) for number in numbers]
    if entry.formula.takes == "utility":
        if len(numbers) not in (0, 4):
            raise OptionError(f"{whole}: utility takes four numbers: of found, false, missed and other documents.")
        return [ListMeasure(entry, numbers=numbers or UTILITY)]
    if entry.formula.takes == "recalls":
        return [ListMeasure(entry, numbers=tuple(_share(x, whole) for x in numbers or RECALLS))]
    if entry.formula.takes == "recall":
        return [ListMeasure(entry, numbers=(_share(x, whole),)) for x in numbers]
    if any(not 0 <= number <= LARGEST_NUMBER for number in numbers):
        raise OptionError(f"{whole}: the parameter of {entry.name} is between 0 and {LARGEST_NUMBER:,}.")
    if entry.name.startswith("rbp") and not all(0 < number < 1 for number in numbers):
        raise OptionError(f"{whole}: a persistence is between 0 and 1.")
    return [ListMeasure(entry, numbers=(x,)) for x in numbers] if numbers else [ListMeasure(entry)]


def _number(text: str, whole: str) -> float:
    try:
        return parse_number(text)
    except ValueError:
        raise OptionError(f"{whole}: {text!r} is not a number.") from None


def _share(number: float, whole: str) -> float:
    if not 0 <= number <= 1:
        raise OptionError(f"{whole}: a recall is between 0 and 1.")
    return number


Gains = tuple[tuple[int, float], ...]

TAKEN = (
    "rel=… (relevant from that relevance on), p=…, as in RBP(p=0.5), beta=…, gains={…} and dcg=… are written in "
    "brackets"
)
JUDGED_ONLY = keyword("judged_only", "True") + " takes unjudged results out of the lists for all measures alike"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brackets:
    """Parameters by name, and `rest`: parameters without a name, as after a point."""

    level: int | None = None
    gains: Gains = ()
    is_exponential: bool = False
    rest: str = ""


def in_brackets(inside: str, text: str) -> Brackets:
    """Parameters of a call; an unused one is refused, as it would give another measure's number.

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
            if value.strip("'\"") not in ("log2", "exp-log2"):
                raise OptionError(f"{text}: dcg is 'log2' (gain = relevance) or 'exp-log2' (gain = 2^relevance − 1).")
            found = replace(found, is_exponential=value.strip("'\"") == "exp-log2")
        else:
            said = JUDGED_ONLY if key == "judged_only" else TAKEN
            raise OptionError(f"{text}: {part.strip()!r} is not taken here: " + said + ".")
    return replace(found, rest=",".join(rest))


def gains_of(written: str, text: str) -> Gains:
    """Gains by relevance, rising by it, from 1=3.5,2=9 or 1: 3.5, 2: 9."""
    pairs = [re.split("[=:]", part, maxsplit=1) for part in written.split(",") if part.strip()]
    parts = [tuple(piece.strip(" '\"") for piece in pair) for pair in pairs]
    if any(len(pair) < 2 or not (pair[0].isascii() and pair[0].isdecimal()) or not pair[1] for pair in parts):
        raise OptionError(f"{text}: gains are written relevance=gain, such as 1=3.5,2=9.")
    return tuple(sorted((int(level), _number(gain, text)) for level, gain in parts))


def _level(value: str, text: str) -> int:
    if not (value.isascii() and value.isdecimal()) or not 1 <= int(value) <= MOST:
        raise OptionError(f"{text}: rel is a whole number of at least 1 and at most {MOST:,}.")
    return int(value)
