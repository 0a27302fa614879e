"""`ListMeasure`: one measure as someone asked for it, such as `P.10`, `ndcg_cut_10`, `nDCG@10` or `RBP(p=0.5)`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from thresher.errors import OptionError, UnknownMeasureError
from thresher.measures import Measure, measures
from thresher.measures.ranked_lists import RECALLS, RankedFormula
from thresher.measures.registry import cached_until_changed
from thresher.nearest import nearest
from thresher.ranking.catalogue import GROUPS, NOT_NUMBERS
from thresher.sentences import keyword
from thresher.written import number

UTILITY = (1.0, -1.0, 0.0, 0.0)

LARGEST = 2**53
"""Largest cut-off: up to it every whole number is a float of its own."""

LARGEST_NUMBER = 1_000_000
"""Largest multiple of R and weight of recall: more is no other measure, and could not be counted."""

ELSEWHERE = {
    "rel": (
        keyword("relevance_level", "…") + " says from which relevance on a document is relevant, in all measures alike"
    ),
    "dcg": "ndcg_exp, dcg_exp and their cut-offs take the gain 2^relevance − 1, ndcg and dcg the relevance",
    "beta": "the number of set_F is β², so that set_F.4 is that of β = 2",
}
"""Parameters that other programs write in brackets, and how they are said here."""


@dataclass(frozen=True, slots=True)
class ListMeasure:
    """A measure with its parameters: a cut-off (0: none), numbers, or gains by relevance."""

    entry: Measure
    cut: int = 0
    numbers: tuple[float, ...] = ()
    gains: tuple[tuple[int, float], ...] = ()

    @property
    def how(self) -> RankedFormula:
        """How its values come about."""
        return self.entry.formula  # type: ignore[no-any-return]

    def with_arithmetic_mean(self) -> ListMeasure:
        """The same value of a query, to be put together by its mean."""
        return replace(self, entry=replace(self.entry, formula=replace(self.how, mean="arithmetic")))

    @property
    def name(self) -> str:
        """Name as trec_eval prints it."""
        base = self.entry.name
        if self.cut:
            return f"{base}_{self.cut}"
        if self.how.takes in ("recall", "multiple") or (self.how.takes == "number" and self._unusual):
            return f"{base}_{self.numbers[0]:.2f}" if self._is_short else f"{base}_{self.numbers[0]:g}"
        if self.how.takes in ("utility", "recalls") and self.numbers != (UTILITY if base == "utility" else RECALLS):
            return f"{base}_{','.join(f'{x:g}' for x in self.numbers)}"
        if self.gains:
            return f"{base}_{','.join(f'{level}={gain:g}' for level, gain in self.gains)}"
        return base

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


def wanted(names: str | Sequence[str]) -> tuple[ListMeasure, ...]:
    """Measures by name, each once, in order; a name without its parameter stands for trec_eval's usual ones.

    A parameter follows a point, an underscore or an @: `P.10`, `P_10`, `P@10`, several with commas: `P.5,10`. Groups
    are "official", "set", "all_trec" (trec_eval's own), "summary" and "all".

    Raises:
        UnknownMeasureError: no measure has that name; the nearest ones are listed.
        OptionError: a parameter that the measure does not take.

    >>> [one.name for one in wanted(["map", "nDCG@10", "P.5,10"])]
    ['map', 'ndcg_cut_10', 'P_5', 'P_10']
    """
    if not isinstance(names, Iterable):
        raise OptionError(f"measures={names!r}: name measures by text, such as 'map' or ['map', 'P.10'].")
    listed = [names] if isinstance(names, str) else list(names)
    found: dict[str, ListMeasure] = {}
    for text in listed:
        if not isinstance(text, str):
            raise OptionError(f"{text!r}: a measure is named by text, such as 'map' or 'P.10'.")
        for one in _parsed(text):
            found.setdefault(one.name, one)
    if not found:
        raise OptionError("name at least one measure, such as 'map' or 'ndcg_cut.10'.")
    return tuple(found.values())


def find_ranking(name: str) -> Measure | None:
    """The family that a name such as ndcg_cut.10 or nDCG@10 belongs to; None when there is none, or a group of them."""
    try:
        families = {one.entry.name: one.entry for one in wanted(name)}
    except (UnknownMeasureError, OptionError):
        return None
    return next(iter(families.values())) if len(families) == 1 else None


@cached_until_changed
def _parsed(text: str) -> list[ListMeasure]:
    group = GROUPS.get(text.strip().casefold())
    if group is not None:
        return [one for name in group for one in _parsed(name)]
    base, parameters = _split(text.strip())
    if base in NOT_NUMBERS:
        raise OptionError(f"{base} is not computed here: {NOT_NUMBERS[base]}.")
    entry = _entry(base, bool(parameters) and "=" not in parameters, text)
    return _with_parameters(entry, parameters, text)


def _split(text: str) -> tuple[str, str]:
    """Base name and parameters, which follow a point, an @, brackets, or an underscore and a number."""
    call = re.fullmatch(r"([^()]+)\(([^()]*)\)(?:@([0-9]+))?", text)
    if call:
        return call[1], _in_brackets(call[2], call[3], text)
    exact = next((e.name for e in measures("ranked lists") if text.casefold() in (e.name.casefold(), *e.aliases)), None)
    if exact is not None or text in NOT_NUMBERS:
        return text, ""
    found = re.fullmatch(r"([A-Za-z0-9][A-Za-z_0-9-]*?)(?:[.@]|_(?=[0-9.=,-]+$))(?:p=)?([-0-9.=,eE]+)", text)
    return (found[1], found[2]) if found else (text, "")


def _in_brackets(inside: str, cut: str | None, text: str) -> str:
    """Parameter of a call such as RBP(p=0.5): a parameter that is not heeded would give another measure's number."""
    key, equals, _ = inside.partition("=")
    key = key.strip()
    if equals and not key.isdecimal() and key != "p":
        known = ELSEWHERE.get(key, "p=… alone is written in brackets, as in RBP(p=0.5)")
        raise OptionError(f"{text}: {inside!r} is not taken here: " + known + ".")
    if inside and cut:
        raise OptionError(f"{text}: {inside!r} and a cut-off do not go together: name one of them.")
    return cut or inside.removeprefix("p=")


def _entry(base: str, has_parameters: bool, text: str) -> Measure:
    """Entry of a name: exact first, then in any case, then by alias; one that takes a cut-off where one is given."""
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
        return [ListMeasure(entry, gains=_gains(text, whole))]
    if entry.formula.takes in ("nothing", "gains") and text:
        raise OptionError(f"{whole}: {entry.name} takes no such parameter.")
    numbers = tuple(_number(part, whole) for part in text.split(",") if part) or entry.formula.defaults
    if entry.formula.takes == "cut":
        if any(number != int(number) or not 1 <= number <= LARGEST for number in numbers):
            raise OptionError(f"{whole}: a cut-off is a whole number of at least 1 and at most {LARGEST:,}.")
        return [ListMeasure(entry, cut=int(number)) for number in numbers]
    if entry.formula.takes == "utility":
        return [ListMeasure(entry, numbers=_four(numbers or UTILITY, whole))]
    if entry.formula.takes == "recalls":
        return [ListMeasure(entry, numbers=tuple(_share(x, whole) for x in numbers or RECALLS))]
    if entry.formula.takes == "recall":
        return [ListMeasure(entry, numbers=(_share(x, whole),)) for x in numbers]
    if any(not 0 <= number <= LARGEST_NUMBER for number in numbers):
        raise OptionError(f"{whole}: the parameter of {entry.name} is between 0 and {LARGEST_NUMBER:,}.")
    if entry.name.startswith("rbp") and not all(0 < number < 1 for number in numbers):
        raise OptionError(f"{whole}: a persistence lies between 0 and 1.")
    return [ListMeasure(entry, numbers=(x,)) for x in numbers] if numbers else [ListMeasure(entry)]


def _number(text: str, whole: str) -> float:
    try:
        return number(text)
    except ValueError:
        raise OptionError(f"{whole}: {text!r} is no number.") from None


def _share(number: float, whole: str) -> float:
    if not 0 <= number <= 1:
        raise OptionError(f"{whole}: a recall lies between 0 and 1.")
    return number


def _four(numbers: tuple[float, ...], whole: str) -> tuple[float, ...]:
    if len(numbers) != 4:
        raise OptionError(f"{whole}: utility takes four numbers: of found, false, missed and other documents.")
    return numbers


def _gains(text: str, whole: str) -> tuple[tuple[int, float], ...]:
    pairs = [part.partition("=") for part in text.split(",") if part]
    if any(not (level.isascii() and level.isdecimal()) or not gain for level, _, gain in pairs):
        raise OptionError(f"{whole}: gains are written relevance=gain, such as 1=3.5,2=9.")
    return tuple(sorted((int(level), _number(gain, whole)) for level, _, gain in pairs))
