"""Which columns hold the posteriors of which model and class: by a list, a prefix, or a pattern of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher.dataclass import dataclass
from thresher.errors import InputError, OptionError, quoted
from thresher.sentences import keyword

MARKS = ("<class>", "*")
"""What stands for the class in a pattern of column names."""

SINGLE = "model"
"""Name of a model whose columns are listed without one."""


def by_text(values: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """A dictionary with its names as text.

    Raises:
        InputError: two names read alike, such as 0 and "0", so that one would be lost.
    """
    found = {str(name): value for name, value in values.items()}
    if len(found) < len(values):
        twice = next(text for text in found if [str(name) for name in values].count(text) > 1)
        alike = ", ".join(quoted(name) for name in values if str(name) == twice)
        raise InputError(f"{what} has two names that read alike: {alike}.")
    return found


@dataclass(frozen=True)
class WantedColumns:
    """Columns of one model as they were asked for: names, or what stands before and after the class."""

    model: str
    columns: tuple[str, ...] = ()
    before: str = ""
    after: str = ""

    @property
    def pattern(self) -> str:
        """The pattern as it is said in errors."""
        return f"{self.before}*{self.after}"


@dataclass(frozen=True)
class Named:
    """Columns of one model, and the text of the class of each when a pattern found them."""

    columns: tuple[str, ...]
    classes: tuple[str, ...] | None = None


def wanted_columns(given: Any, option: str = "probabilities") -> dict[str, WantedColumns]:
    """Columns asked for, by model: a prefix or pattern, a list of columns, patterns, or a dictionary of these by name.

    `proba_` is a prefix; `*` or `<class>` stands for the class elsewhere, as in `p(<class>)`.

    Raises:
        OptionError: what was given is none of these.
    """
    if given is None:
        return {}
    if isinstance(given, str):
        found = [_pattern(given, None)]
    elif isinstance(given, Mapping):
        found = [_one(model, value, option) for model, value in by_text(given, option).items()]
    elif isinstance(given, Iterable):
        names = list(given)
        if not names or not all(isinstance(name, str) for name in names):
            raise _refusal(given, option)
        patterns = [any(mark in name for mark in MARKS) for name in names]
        if any(patterns) and not all(patterns):
            raise OptionError(
                keyword(option, repr(names)) + " mixes patterns and names of columns: give one or the other."
            )
        found = [_pattern(name, None) for name in names] if all(patterns) else [WantedColumns(SINGLE, tuple(names))]
    else:
        raise _refusal(given, option)
    if not found:
        raise OptionError(keyword(option, "…") + " is empty: name the columns of at least one model.")
    by_model = {each.model: each for each in found}
    if len(by_model) < len(found):
        raise OptionError(keyword(option, "…") + " gives two models one name: name them with a dictionary.")
    return by_model


def _refusal(given: Any, option: str) -> OptionError:
    text = repr(given)
    return OptionError(
        keyword(option, text if len(text) <= 60 else f"{text[:60]}…")
        + ": with a dataframe or a file these are names of "
        "columns, a prefix such as 'proba_', or a dictionary of these by model."
    )


def _one(model: str, value: Any, option: str) -> WantedColumns:
    if isinstance(value, str):
        return _pattern(value, model)
    if isinstance(value, Iterable):
        names = tuple(value)
        if names and all(isinstance(name, str) for name in names):
            return WantedColumns(model, names)
    raise _refusal(value, option)


def _pattern(text: str, model: str | None) -> WantedColumns:
    """Prefix, or what stands around a mark; the model is called by what stands before the class."""
    mark = next((mark for mark in MARKS if mark in text), None)
    before, _, after = text.partition(mark) if mark is not None else (text, "", "")
    if any(mark in after for mark in MARKS):
        raise OptionError(f"{text!r} names the class twice: one * or <class> stands for it.")
    return WantedColumns(
        model or before.rstrip("_-.:([ ") or after.lstrip("_-.:)] ") or SINGLE, before=before, after=after
    )


def resolved(
    wanted: Mapping[str, WantedColumns],
    available: Sequence[str],
    spoken_for: Iterable[str | None],
    where: str,
    *,
    what: str = "probabilities",
    part: str = "class",
) -> dict[str, Named]:
    """Columns of every model among those that there are; errors say `what` they hold, one for every `part`.

    Raises:
        InputError: a pattern fits fewer than two columns.
    """
    taken = {name for name in spoken_for if name is not None}
    return {model: _found(each, available, taken, where, what, part) for model, each in wanted.items()}


def _found(each: WantedColumns, available: Sequence[str], taken: set[str], where: str, what: str, part: str) -> Named:
    if each.columns:
        return Named(each.columns)
    room = len(each.before) + len(each.after)
    columns = tuple(
        name
        for name in available
        if isinstance(name, str)
        and name not in taken
        and len(name) > room
        and name.startswith(each.before)
        and name.endswith(each.after)
    )
    if len(columns) < 2:
        found = "no column is" if not columns else f"only {columns[0]!r} is"
        if not columns and each.before in available and not each.after:
            found = f"{each.before!r} is one column alone"
        listed = ", ".join(map(repr, available[:40])) + (", …" if len(available) > 40 else "")
        raise InputError(
            f"{where} has no columns of {what} that are called {each.pattern!r}, one for every {part}: {found}. "
            f"Its columns are {listed or 'none'}."
        )
    end = None if not each.after else -len(each.after)
    return Named(columns, tuple(name[len(each.before) : end] for name in columns))
