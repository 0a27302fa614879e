"""Kinds of values that options take, each with the check and the sentence that every command gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from thresher.cli.exit import CommandError
from thresher.errors import OptionError
from thresher.inference.proportions.rate_intervals import INTERVALS
from thresher.nearest import did_you_mean
from thresher.written import MOST_REPLICATES, share_or_number, size, whole
from thresher.written import number as number_in

ALIASES = {"md": "markdown", "txt": "text", "htm": "html", "tex": "latex"}
"""Other names of a form, which are those of its files."""

T = TypeVar("T")

LONGEST = 40
"""Characters of a value that a sentence repeats."""


def shown(value: Any) -> str:
    """What was given, cut where it is long.

    >>> shown("1_0")
    "'1_0'"
    """
    text = str(value)
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def by_model(flag: str, texts: Iterable[str], value: Callable[[str], T], kinds: str) -> dict[str | None, T]:
    """Values that `[MODEL=]VALUE` gives to one model, or to all, None; a model's name may hold an equals sign.

    `value` raises ValueError for what is neither of the `kinds`.

    >>> by_model("--threshold", ["0.5", "net=0.3"], float, "a number nor MODEL=NUMBER")
    {None: 0.5, 'net': 0.3}
    """
    found: dict[str | None, T] = {}
    for text in texts:
        name, equals, said = text.rpartition("=")
        model = name if equals else None
        if model in found:
            raise CommandError(f"{flag} is given twice for {'all models' if model is None else repr(model)}.")
        try:
            found[model] = value(said)
        except ValueError:
            raise CommandError(f"{flag} {text!r} is neither {kinds}.") from None
    return found


class ShareType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A share strictly between 0 and 1, as 0.05 or 5%."""

    name = "share"

    def __init__(self, what: str, example: str, *, whole: bool = False) -> None:
        self.what, self.example, self.whole = what, example, whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share as a number.

        >>> ShareType("a share", "5%").convert("5%", None, None)
        0.05
        """
        if isinstance(value, float):
            return value
        text = str(value).strip()
        try:
            number = share_or_number(text)
        except ValueError:
            self.fail(f"{shown(text)} is not {self.what} such as {self.example}.", param, ctx)
        if not (0 < number < 1 or (self.whole and number == 1)):
            between = "above 0 and at most 1" if self.whole else "strictly between 0 and 1"
            meant = f"; for {number:g} percent say {number:g}%" if 1 < number < 100 and not text.endswith("%") else ""
            self.fail(f"{text} is not {self.what}, which is {between}, such as {self.example}{meant}.", param, ctx)
        return number


class Amount(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A finite number."""

    name = "number"

    def __init__(self, what: str, *, above: float = -math.inf) -> None:
        self.what, self.above = what, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number.

        >>> Amount("a cost").convert("20", None, None)
        20.0
        """
        try:
            number = number_in(str(value))
        except ValueError:
            number = math.nan
        if not number > self.above:
            more = "" if self.above == -math.inf else f" above {self.above:g}"
            self.fail(f"{shown(value)} is not {self.what}, a finite number{more}.", param, ctx)
        return number


class Resolution(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """Significant bits of rounded scores, or exact."""

    name = "bits"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the bits, or "exact".

        >>> Resolution().convert("12", None, None), Resolution().convert("exact", None, None)
        (12, 'exact')
        """
        from thresher.counts.rounding import COARSEST, FINEST, check_resolution

        try:
            return check_resolution(int(value) if str(value).isdecimal() else value) or "exact"
        except OptionError:
            self.fail(f"{shown(value)} is not a resolution: {COARSEST} to {FINEST} bits, or exact.", param, ctx)


class Whole(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A whole number of at least `least`, and at most `most`."""

    name = "whole number"

    def __init__(self, what: str, *, least: int, most: float = math.inf) -> None:
        self.what, self.least, self.most = what, least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number.

        >>> Whole("a seed", least=0).convert("7", None, None)
        7
        """
        try:
            number = whole(str(value))
        except ValueError:
            number = self.least - 1
        if number < self.least:
            self.fail(f"{shown(value)} is not {self.what}, a whole number of at least {self.least}.", param, ctx)
        if number > self.most:
            self.fail(f"{shown(value)} is too large for {self.what}: take at most {self.most:,}.", param, ctx)
        return number


class Bytes(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """An amount of memory, as 2GB or 512MB."""

    name = "size"

    def __init__(self, what: str) -> None:
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes.

        >>> Bytes("a size").convert("1.5 GB", None, None)
        1500000000
        """
        if isinstance(value, int):
            return value
        try:
            found = size(str(value))
        except (OverflowError, ValueError):
            found = 0
        if found < LEAST_MEMORY:
            self.fail(f"{shown(value)} is not {self.what} of at least 64MB, such as 2GB or 512MB.", param, ctx)
        return found


LEAST_MEMORY = 64 * 10**6


class Form(click.Choice[str]):
    """The form of what is written, by its name or by the suffix of its files."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Name of the form.

        >>> Form(["text", "markdown"]).convert("md", None, None)
        'markdown'
        """
        asked = ALIASES.get(str(value).lower(), value)
        return super().convert(asked if asked in self.choices else value, param, ctx)


class Registered(click.Choice[str]):
    """A name of a table that others add to: what it holds is looked up when it is asked for."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.names = names
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """Names that there are now.

        >>> Registered(lambda: INTERVALS).choices[0]
        'wilson'
        """
        return tuple(self.names())

    @choices.setter
    def choices(self, _: Any) -> None:
        """Nothing is kept."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, or which ones are near it.

        >>> Registered(lambda: INTERVALS).convert("wilson", None, None)
        'wilson'
        """
        known = self.choices
        if value not in known and (meant := did_you_mean(str(value), known)):
            self.fail(f"{shown(value)} is not one of {', '.join(map(repr, known))}.{meant}", param, ctx)
        return super().convert(value, param, ctx)


LEVEL = ShareType("a confidence level", "0.95")
PREVALENCE = ShareType("a prevalence", "0.001 or 0.1%")
TOP_SHARE = ShareType("a share of the rows", "0.05 or 5%", whole=True)
COST = Amount("a cost")
SEED = Whole("a seed", least=0)
RESAMPLES = Whole("a number of resamples", least=2, most=MOST_REPLICATES)
RATE_INTERVAL = Registered(lambda: INTERVALS)
