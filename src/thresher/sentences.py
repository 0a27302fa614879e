"""Sentences in which keywords of the library stand as fields, so that a command can spell them as its own options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any


def ended(text: str) -> str:
    """Text with the mark of its end, a point unless it has one.

    >>> ended("no such file"), ended("Did you mean 'auc'?")
    ('no such file.', "Did you mean 'auc'?")
    """
    return text if text.endswith((".", "!", "?")) else f"{text}."


class Keyword(str):
    """Keyword of a function with the value that it is spoken of with, as Python writes it; `plain` has no quotes.

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
    """Text put together of parts, of which some are keywords; it reads as Python spells them.

    Adding keeps the fields; to format it, or to join it, gives plain text.

    >>> said = "Name it with " + Keyword("positive", "…") + "."
    >>> said, said.spelled(lambda word: f"--{word.name} {word.plain}")
    ('Name it with positive=….', 'Name it with --positive ….')
    """

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Sentence:
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Sentence) else (part,)))
        found = super().__new__(cls, "".join(flat))
        found.parts = flat
        return found

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.parts

    def __add__(self, other: str) -> Sentence:
        return Sentence(self, other)

    def __radd__(self, other: str) -> Sentence:
        return Sentence(other, self)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names of the keywords it speaks of."""
        return tuple(part.name for part in self.parts if isinstance(part, Keyword))

    def cleaned(self, clean: Callable[[str], str]) -> Sentence:
        """Sentence of which every text has been cleaned; the keywords stay."""
        return Sentence(*(part if isinstance(part, Keyword) else clean(part) for part in self.parts))

    def spelled(self, spell: Callable[[Keyword], str]) -> str:
        """Text with its keywords spelled in another way; nothing else is touched."""
        return "".join(spell(part) if isinstance(part, Keyword) else part for part in self.parts)


def keyword(name: str, value: str = "") -> Keyword:
    """Keyword in a sentence, with a value as Python writes it."""
    return Keyword(name, value)


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


def of_each(said: Mapping[str, Iterable[str]]) -> list[str]:
    """What is said of each name, the name before it; what is the same of several is said once.

    >>> of_each({"a": ["few rows", "one bin"], "b": ["few rows"]})
    ['a and b: few rows', 'a: one bin']
    """
    names: dict[str, list[str]] = {}
    for name, lines in said.items():
        for line in dict.fromkeys(lines):
            names.setdefault(line, []).append(name)
    # Added, not formatted: a sentence keeps the keywords that it names.
    return [f"{listed(of)}: " + line for line, of in names.items()]


def of_model(name: str, model: str, value: str) -> Keyword:
    """Keyword with what it is to be for one of several models.

    >>> of_model("direction", "b", "lower"), of_model("direction", "b", "lower").plain
    ("direction={'b': 'lower', …}", 'b=lower')
    """
    return Keyword(name, f"{{{model!r}: {value!r}, …}}", f"{model}={value}")
