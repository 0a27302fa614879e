"""Kinds of values that options take, each with its check and the sentence that every command gives; and an option."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any

import click
from click.shell_completion import CompletionItem

from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.nearest import did_you_mean
from thresher.written import MOST_REPLICATES, share_or_number, size, whole
from thresher.written import number as number_in

FORMS = {"md": "markdown", "txt": "text", "htm": "html", "tex": "latex"}
"""Other names of a form, which are those of its files."""

DIALECTS = ("bigquery", "clickhouse", "duckdb", "postgres", "snowflake", "spark", "tsql")
SYSTEMS = {"sqlserver": "tsql", "sql-server": "tsql", "mssql": "tsql", "postgresql": "postgres"}
"""What a dialect is called elsewhere → its name."""

FLAG = bool
"""Kind of an option without a value."""

LONGEST = 40
"""Characters of a value that a sentence repeats."""


def shown(value: Any) -> str:
    """What was given, cut where it is long.

    >>> shown("1_0")
    "'1_0'"
    """
    text = str(value)
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


@dataclass(frozen=True)
class Option:
    """One option of the command; a kind is a type of click, `FLAG`, or a tuple of the words that it takes.

    `keyword` is its name in Python if that differs, `accepts` a flag that is taken as this one, `elsewhere` are flags
    of other tools, which an error answers with this one, and `variants` the facts that differ in a command.
    """

    flags: str
    kind: Any
    help: str
    many: bool = False
    default: Any = None
    required: bool = False
    keyword: str = ""
    accepts: str = ""
    elsewhere: str = ""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    name: str = ""
    heading: str = ""

    @property
    def flag(self) -> str:
        """Long flag, by which sentences name it.

        >>> Option("--proba --probabilities", FLAG, "").flag, Option("-m --measure", FLAG, "").flag
        ('--proba', '--measure')
        """
        return next(each for each in self.flags.partition("/")[0].split() if each.startswith("--"))

    def of_command(self, command: str) -> Option:
        """Return the option as a command has it."""
        return replace(self, **self.variants[command]) if command in self.variants else self


class ShareType(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A share strictly between 0 and 1, as 0.05 or 5%."""

    name = "share"
    metavar = "SHARE"

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

    def __init__(self, what: str, metavar: str = "N", *, above: float = -math.inf) -> None:
        self.what, self.metavar, self.above = what, metavar, above

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
    metavar = "BITS|exact"

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
    metavar = "N"

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
    metavar = "SIZE"

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


class NameChoice(click.Choice[str]):
    """One of some names; each may have others."""

    def __init__(self, choices: Iterable[str], others: Mapping[str, str]) -> None:
        super().__init__(tuple(choices))
        self.others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name.

        >>> NameChoice(["text", "markdown"], FORMS).convert("md", None, None)
        'markdown'
        """
        meant = self.others.get(str(value).lower(), value)
        return super().convert(meant if meant in self.choices else value, param, ctx)


class Text(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """Any text; `decode` makes of the words of a command line UTF-8, in which files name their columns."""

    name = "text"

    def __init__(self, metavar: str, *, decode: bool = False, names: Callable[[], Iterable[str]] = tuple) -> None:
        self.metavar, self.decode, self.names = metavar, decode, names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return the text.

        >>> Text("COLUMN", decode=True).convert("fa\\udcc3\\udca7on", None, None)
        'façon'
        """
        if self.decode:
            try:
                return str(value).encode("utf-8", "surrogateescape").decode("utf-8")
            except UnicodeError:
                pass
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Complete a name, of those that are known, in a shell."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class Policy(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """Policy for 0/0: nan, warn, raise, or a number."""

    name = "policy"
    metavar = "nan|warn|raise|NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | float:
        """Return the policy.

        >>> Policy().convert("warn", None, None), Policy().convert("0", None, None)
        ('warn', 0.0)
        """
        if value in ("nan", "warn", "raise"):
            return str(value)
        try:
            return number_in(str(value))
        except ValueError:
            self.fail(f"{value!r} is not nan, warn, raise or a number.", param, ctx)


class Registered(click.Choice[str]):
    """A name of a table that others add to: what it holds is looked up when it is asked for."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.names = names
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """Names that there are now.

        >>> RATE_INTERVAL.choices[0]
        'wilson'
        """
        return tuple(self.names())

    @choices.setter
    def choices(self, _: Any) -> None:
        """Nothing is kept."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, or which ones are near it.

        >>> RATE_INTERVAL.convert("wilson", None, None)
        'wilson'
        """
        known = self.choices
        if value not in known and (meant := did_you_mean(str(value), known)):
            self.fail(f"{shown(value)} is not one of {', '.join(map(repr, known))}.{meant}", param, ctx)
        return super().convert(value, param, ctx)


def _intervals() -> Iterable[str]:
    from thresher.inference.proportions.rate_intervals import INTERVALS

    return INTERVALS


def _methods() -> Iterable[str]:
    from thresher.resampling.method_forms import METHODS

    return (row.example for row in METHODS.values())


def _criteria() -> Iterable[str]:
    from thresher.decisions.criteria import NAMED

    return NAMED


COLUMN = Text("COLUMN", decode=True)
FILE = Text("FILE")
METHOD = Text("METHOD", names=_methods)
CRITERION = Text("TEXT", names=_criteria)
LEVEL = ShareType("a confidence level", "0.95")
PREVALENCE = ShareType("a prevalence", "0.001 or 0.1%")
TOP_SHARE = ShareType("a share of the rows", "0.05 or 5%", whole=True)
COST = Amount("a cost", "C")
MARGIN = Amount("a margin", "M")
ROW_COUNT = Amount("a number of rows", "K")
SEED = Whole("a seed", least=0)
RESAMPLES = Whole("a number of resamples", least=2, most=MOST_REPLICATES)
BITS = Resolution()
MEMORY = Bytes("an amount of memory")
POLICY = Policy()
DIALECT = NameChoice(DIALECTS, SYSTEMS)
RATE_INTERVAL = Registered(_intervals)
