"""Kinds of values that options take, each with its check and the sentence that every command gives; and an option."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from thresher._util.did_you_mean import did_you_mean
from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.parse_number import (
    MOST_REPLICATES,
    parse_number,
    parse_share_or_number,
    parse_size,
    parse_whole,
)
from thresher.errors import OptionError, ThresherError
from thresher.registration import later

completion_item = later("click.shell_completion:CompletionItem")

FORMS = {"md": "markdown", "txt": "text", "htm": "html", "tex": "latex"}
"""Other names of a form: its file suffixes."""

DIALECTS = ("bigquery", "clickhouse", "duckdb", "postgres", "snowflake", "spark", "tsql")
SYSTEMS = {"sqlserver": "tsql", "sql-server": "tsql", "mssql": "tsql", "postgresql": "postgres"}
"""Other names of a dialect → its name."""

FLAG = bool
"""Kind of an option without a value."""

LONGEST = 40
"""Characters of a value that a sentence repeats."""


def shown(value: Any) -> str:
    """Return a value for a sentence, cut where it is long."""
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
        """Long flag, its name in sentences.

        >>> Option("--proba --probabilities", FLAG, "").flag, Option("-m --measure", FLAG, "").flag
        ('--proba', '--measure')
        """
        return next(each for each in self.flags.partition("/")[0].split() if each.startswith("--"))

    def of_command(self, command: str) -> Option:
        """Return the option as a command has it."""
        return replace(self, **self.variants[command]) if command in self.variants else self


class ParsedValue(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A value that is read from text; its error describes the valid values."""

    name = "value"

    def __init__(self, metavar: str, read: Callable[[str], Any]) -> None:
        self.metavar, self.read = metavar, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of the text."""
        try:
            return self.read(value) if isinstance(value, str) else value
        except ValueError as problem:
            self.fail(str(problem), param, ctx)


def share(what: str, example: str, *, whole: bool = False) -> ParsedValue:
    """Kind of a share strictly between 0 and 1, or up to a `whole`, as 0.05 or 5%."""

    def read(given: str) -> float:
        text = given.strip()
        try:
            number = parse_share_or_number(text)
        except ValueError:
            raise ValueError(f"{shown(text)} is not {what} such as {example}.") from None
        if not (0 < number < 1 or (whole and number == 1)):
            between = "above 0 and at most 1" if whole else "strictly between 0 and 1"
            meant = f"; for {number:g} percent say {number:g}%" if 1 < number < 100 and not text.endswith("%") else ""
            raise ValueError(f"{text} is not {what}, which is {between}, such as {example}{meant}.")
        return number

    return ParsedValue("SHARE", read)


_TOP = share("a share of the rows", "0.05 or 5%", whole=True)


def _budget(text: str) -> dict[str, float]:
    """Highest scores, as 100 rows or as 5% of the rows, by the keyword of `choose`.

    >>> BUDGET.convert("100", None, None), BUDGET.convert("5%", None, None)
    ({'top_k': 100.0}, {'top_share': 0.05})
    """
    try:
        number = parse_number(text)
    except ValueError:
        if text.rstrip().endswith("%"):
            return {"top_share": _TOP.read(text)}
        raise ValueError(f"{shown(text)} is not a number of rows such as 100, or a share such as 5%.") from None
    return {"top_share": number} if 0 < number < 1 else {"top_k": number}


def amount(what: str, metavar: str) -> ParsedValue:
    """Kind of a finite number."""

    def read(text: str) -> float:
        try:
            return parse_number(text)
        except ValueError:
            raise ValueError(f"{shown(text)} is not {what}, a finite number.") from None

    return ParsedValue(metavar, read)


def whole_number(what: str, *, least: int, most: float = math.inf) -> ParsedValue:
    """Kind of a whole number of at least `least`, and at most `most`."""

    def read(text: str) -> int:
        try:
            number = parse_whole(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise ValueError(f"{shown(text)} is not {what}, a whole number of at least {least}.")
        if number > most:
            raise ValueError(f"{shown(text)} is too large for {what}: take at most {most:,}.")
        return number

    return ParsedValue("N", read)


LEAST_MEMORY = 64 * 10**6


def _memory(text: str) -> int:
    """Bytes of an amount of memory, as 2GB or 512MB."""
    try:
        found = parse_size(text)
    except (OverflowError, ValueError):
        found = 0
    if found < LEAST_MEMORY:
        raise ValueError(f"{shown(text)} is not an amount of memory of at least 64MB, such as 2GB or 512MB.")
    return found


def _bits(text: str) -> int | str:
    """Significant bits of rounded scores, or exact."""
    from thresher.counts.rounding import COARSEST, FINEST, check_resolution

    try:
        return check_resolution(int(text) if text.isdecimal() else text) or "exact"
    except OptionError:
        raise ValueError(f"{shown(text)} is not a resolution: {COARSEST} to {FINEST} bits, or exact.") from None


def _policy(text: str) -> str | float:
    """Policy for 0/0."""
    if text in ("nan", "warn", "raise"):
        return text
    try:
        return parse_number(text)
    except ValueError:
        raise ValueError(f"{text!r} is not nan, warn, raise or a number.") from None


class NameChoice(click.Choice[str]):
    """One of some names; each may have others."""

    def __init__(self, choices: Iterable[str], others: Mapping[str, str]) -> None:
        super().__init__(tuple(choices))
        self.others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        meant = self.others.get(str(value).lower(), value)
        return super().convert(meant if meant in self.choices else value, param, ctx)


class Text(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """Any text; `decode` turns command-line words into UTF-8, the encoding of column names."""

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

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """Complete a known name in a shell."""
        return [completion_item(name) for name in self.names() if name.startswith(incomplete)]


class FilePath(Text):
    """A file that is read, or one of some names; a shell completes both."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Complete a name, unless the command line has one already, or leave files to the shell."""
        given = set(_several(ctx.params.get(str(param.name))))
        names = [] if given & set(self.names()) else super().shell_complete(ctx, param, incomplete)
        return names or [completion_item(incomplete, type="file")]


class Column(Text):
    """A column of the files that the command line names before it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """Complete the name of a column, from the first rows of the files."""
        from thresher.readers.duckdb_files import describe

        files = [word for name in COLUMNS_OF for word in _several(ctx.params.get(name)) if word != "-"]
        found: dict[str, str] = {}
        for file in files:
            with suppress(ThresherError, OSError):  # a word that is not a file, such as a kind of picture
                found |= dict(describe([file]))
        return [completion_item(name, help=kind) for name, kind in found.items() if name.startswith(incomplete)]


COLUMNS_OF = ("files", "truth", "qrels", "runs")
"""Arguments and options for files with the columns."""


def _several(given: str | Iterable[str] | None) -> Iterable[str]:
    return () if given is None else (given,) if isinstance(given, str) else given


class Registered(click.Choice[str]):
    """A name of a table that others add to: its names are looked up at each use."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self.names = names
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """Names that there are now."""
        return tuple(self.names())

    @choices.setter
    def choices(self, _: Any) -> None:
        """Nothing is kept."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, or which ones are near it."""
        known = self.choices
        if value not in known and (meant := did_you_mean(str(value), known)):
            self.fail(f"{shown(value)} is not one of {', '.join(map(repr, known))}.{meant}", param, ctx)
        return super().convert(value, param, ctx)


def _table(module: str, name: str) -> Any:
    return getattr(import_module(f"thresher.{module}"), name)


COLUMN = Column("COLUMN", decode=True)
FILE = FilePath("FILE")
METHOD = Text("METHOD", names=lambda: (row.example for row in _table("resampling.method_forms", "METHODS").values()))
CRITERION = Text("TEXT", names=lambda: _table("decisions.criteria", "NAMED"))
LEVEL = share("a confidence level", "0.95")
PREVALENCE = share("a prevalence", "0.001 or 0.1%")
COST = amount("a cost", "C")
RATE = share("a rate", "0.9 or 90%")
CORRELATION = amount("a correlation", "R")
MARGIN = amount("a margin", "M")
BUDGET = ParsedValue("K|SHARE", _budget)
SEED = whole_number("a seed", least=0)
RESAMPLES = whole_number("a number of resamples", least=2, most=MOST_REPLICATES)
BITS = ParsedValue("BITS|exact", _bits)
MEMORY = ParsedValue("SIZE", _memory)
POLICY = ParsedValue("nan|warn|raise|NUMBER", _policy)
DIALECT = NameChoice(DIALECTS, SYSTEMS)
RATE_INTERVAL = Registered(lambda: _table("inference.proportions", "INTERVALS"))
