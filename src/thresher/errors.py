"""Every error thresher raises on purpose: a sentence with the problem, its place, and the fix.

A keyword in a sentence is a field, so that a command can spell it as its own option.

All derive from `ThresherError`, so that one `except` serves; each is also the built-in exception that
a caller would expect (`ValueError`, `AttributeError`, `ImportError`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self, TypeVar, cast

__all__ = [
    "ArgumentError",
    "FitError",
    "InputError",
    "InterruptedWarning",
    "MissingDependencyError",
    "MissingNameError",
    "OptionError",
    "RowsNeededError",
    "SavedFormError",
    "TaskError",
    "ThresherError",
    "UndefinedError",
    "UndefinedMeasureWarning",
    "UnknownMeasureError",
]


def ended(text: str) -> str:
    """Text with a final mark, by default a point.

    >>> ended("no such file"), ended("Did you mean 'auc'?")
    ('no such file.', "Did you mean 'auc'?")
    """
    return text if text.endswith((".", "!", "?", "=")) else f"{text}."


def capital(text: str) -> str:
    """Text with a capital first letter.

    >>> capital("average precision")
    'Average precision'
    """
    return text[:1].upper() + text[1:]


class Keyword(str):
    """Keyword of a function with a value, as Python writes it; `plain` is without quotes.

    >>> Keyword("positive", "…"), Keyword("missing", "'drop'", "drop").plain
    ('positive=…', 'drop')
    """

    name: str
    value: str
    plain: str

    def __new__(cls, name: str, value: str = "", plain: str | None = None) -> Keyword:
        found = super().__new__(cls, f"{name}={value}")
        found.name, found.value, found.plain = name, value, value if plain is None else plain
        return found

    def __getnewargs__(self) -> tuple[str, str, str]:  # type: ignore[override]
        return self.name, self.value, self.plain

    def __add__(self, other: str) -> Sentence:
        return Sentence(self, other)

    def __radd__(self, other: str) -> Sentence:
        return Sentence(other, self)


class Sentence(str):
    """Text joined from parts, some of them keywords; it reads as Python spells them.

    Adding keeps the fields; to format it, or to join it, gives plain text.

    >>> said = "Name it with " + Keyword("positive", "…") + "."
    >>> said, said.spelled(lambda word: f"--{word.name} {word.plain}")
    ('Name it with positive=….', 'Name it with --positive ….')
    """

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Sentence) else (part,)))
        found = super().__new__(cls, "".join(flat))
        found.parts = flat
        return found

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.parts

    def replaced(self, *parts: str) -> Self:
        """Return a sentence of other parts, with the same code where it is a note."""
        return type(self)(*parts)

    def __add__(self, other: str) -> Self:
        return self.replaced(self, other)

    def __radd__(self, other: str) -> Self:
        return self.replaced(other, self)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names of its keywords."""
        return tuple(part.name for part in self.parts if isinstance(part, Keyword))

    def cleaned(self, clean: Callable[[str], str]) -> Self:
        """Return the sentence with every text cleaned; the keywords stay."""
        return self.replaced(*(part if isinstance(part, Keyword) else clean(part) for part in self.parts))

    def spelled(self, spell: Callable[[Keyword], str]) -> Self:
        """Return the sentence with its keywords spelled in another way; nothing else is touched."""
        return self.replaced(*(spell(part) if isinstance(part, Keyword) else part for part in self.parts))


class Note(Sentence):
    """Sentence about a result, with a `code` for programs; every code is listed in `thresher.codes`.

    `parameter` is its first keyword, or None. Adding to a note keeps its code.

    >>> note = Note("assumed-threshold", "threshold 0.5 was assumed; ", Keyword("threshold", "…"), " sets another")
    >>> note, note.code, note.parameter, ("model a: " + note).code
    ('threshold 0.5 was assumed; threshold=… sets another', 'assumed-threshold', 'threshold', 'assumed-threshold')
    """

    code: str
    parameter: str | None

    def __new__(cls, code: str, *parts: str, parameter: str | None = None) -> Self:
        found = super().__new__(cls, *parts)
        found.code, found.parameter = code, parameter or next(iter(found.keywords), None)
        return found

    def __getnewargs_ex__(self) -> tuple[tuple[str, ...], dict[str, str | None]]:
        return (self.code, *self.parts), {"parameter": self.parameter}

    def replaced(self, *parts: str) -> Self:
        """Return a note with the same code and other words."""
        return type(self)(self.code, *parts, parameter=self.parameter)

    def to_dict(self) -> dict[str, str | None]:
        """Code, text and parameter as a plain dictionary."""
        return {"code": self.code, "text": str(self), "parameter": self.parameter}


class Reasoned:
    """Part of a result that has a `reason` for a missing value, interval or test."""

    __slots__ = ()

    reason: Note | None

    @property
    def reason_code(self) -> str | None:
        """Code of the reason, for programs (see `thresher.codes`); None without a reason."""
        return None if self.reason is None else self.reason.code


def with_cause(reason: Note | None, cause: Note | None) -> Note | None:
    """Join two reasons into one with the code of the first; one of them alone is unchanged."""
    return reason + f"; {cause}" if reason is not None and cause is not None else reason or cause


def note_forms(notes: Iterable[Note]) -> list[dict[str, str | None]]:
    """Notes as JSON types."""
    return [note.to_dict() for note in notes]


MOST_SHOWN = 80
"""Characters of a value that a sentence shows."""


def keyword(name: str, value: str = "") -> Keyword:
    """Keyword in a sentence, with a value as Python writes it; long ones, such as arrays, are cut off.

    >>> keyword("level", str(list(range(99))))
    'level=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 2…'
    """
    return Keyword(name, value if len(value) <= MOST_SHOWN else " ".join(value.split())[:MOST_SHOWN] + "…")


def choice(name: str, value: str) -> Keyword:
    """Keyword with one of the words it takes.

    >>> choice("missing", "drop")
    "missing='drop'"
    """
    return Keyword(name, repr(value), value)


def joined(between: str, items: Iterable[Any]) -> Sentence:
    """Items one after another with the same text between them, their fields kept."""
    first, *rest = items
    return Sentence(first, *(part for item in rest for part in (between, item)))


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


Words = TypeVar("Words", bound=str)


def of_each_model(said: Mapping[str, Iterable[Words]]) -> list[Words]:
    """Join the sentences of each name, the name before it; one that several share comes once.

    >>> of_each_model({"a": ["few rows", "one bin"], "b": ["few rows"]})
    ['a and b: few rows', 'a: one bin']
    """
    names: dict[Words, list[str]] = {}
    for name, lines in said.items():
        for line in dict.fromkeys(lines):
            names.setdefault(line, []).append(name)
    # Added, not formatted: a sentence keeps its keywords, a note its code.
    return [cast(Words, f"{listed(of)}: " + line) for line, of in names.items()]


def of_model(name: str, model: str, value: str) -> Keyword:
    """Keyword with its value for one of several models.

    >>> of_model("direction", "b", "lower"), of_model("direction", "b", "lower").plain
    ("direction={'b': 'lower', …}", 'b=lower')
    """
    return Keyword(name, f"{{{model!r}: {value!r}, …}}", f"{model}={value}")


class ThresherError(Exception):
    """The root of all errors that thresher raises on purpose.

    `sentence` is its text; the keywords of a `Sentence` are fields. `parameter` is the first of
    them, None without keywords.
    """

    @property
    def sentence(self) -> str:
        """Text of the error, with its fields."""
        given = self.args[0] if len(self.args) == 1 else None
        return given if isinstance(given, str) else str(self)

    @property
    def parameter(self) -> str | None:
        """Name of the parameter that it is about.

        >>> import thresher as th
        >>> try:
        ...     th.evaluate(["a", "b"], [0.1, 0.9])
        ... except ThresherError as error:
        ...     error.parameter
        'positive'
        """
        return next(iter(self.keywords), None)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names of its keywords, in order."""
        return self.sentence.keywords if isinstance(self.sentence, Sentence) else ()


class InputError(ThresherError, ValueError):
    """The data cannot be evaluated as they are: names the column, the first row, and the way out."""


class OptionError(ThresherError, ValueError):
    """An option has a value that it does not take: names the option and the values it does take."""


class ArgumentError(OptionError, TypeError):
    """A call has an unknown argument, or lacks one: lists the valid ones."""


class UnknownMeasureError(ThresherError, KeyError):
    """No measure has this name: offers the nearest names."""

    def __str__(self) -> str:
        # KeyError would show the sentence in quotes.
        return str(self.args[0])


class MissingNameError(ThresherError, KeyError):
    """A mapping lacks this name: lists its names."""

    def __str__(self) -> str:
        return str(self.args[0])


class UndefinedError(ThresherError, ArithmeticError):
    """A measure is 0/0 on these counts, with `undefined="raise"`."""


class TaskError(ThresherError, AttributeError):
    """An attribute belongs to another task (binary, multiclass, labels, multilabel) than this one."""


class RowsNeededError(ThresherError, TypeError):
    """The operation needs the rows, and only counts are left."""


class SavedFormError(ThresherError, ValueError):
    """A saved value is damaged, of another kind, or of a schema version that this release cannot read."""


class MissingDependencyError(ThresherError, ImportError):
    """An optional package is needed: says which, and the command that installs it."""


class FitError(ThresherError, RuntimeError):
    """An estimator raised an exception while it was fitted or predicted: names the model and the fold."""


class InterruptedWarning(UserWarning):
    """A long run was interrupted; the results until then are kept and returned."""


class LargeCopyWarning(UserWarning):
    """Rows on a device are copied to the host, because the request needs them there."""


class UndefinedMeasureWarning(UserWarning):
    """A measure is 0/0 on these counts, with `undefined="warn"`."""


def quoted(value: object, most: int = 60) -> str:
    """A value in a sentence: as in Python, cut when it is long.

    >>> quoted("ill"), quoted("x" * 100, most=5)
    ("'ill'", "'xxxx…")
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        text = f"a {type(value).__name__} that is too long to write"
    return text if len(text) <= most else f"{text[:most]}…"
