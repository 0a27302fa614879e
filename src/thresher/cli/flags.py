"""Sentences of the library as the command says them: a keyword is spelled as the option of the same meaning."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import cast

import click

from thresher.cli.kinds import FLAG
from thresher.cli.option_table import OPTIONS
from thresher.errors import Keyword, Sentence, Words

FLAGS = {word: row.flag for name, row in OPTIONS.items() for word in (row.keyword or name).split()}
"""Flag of each keyword."""

PHRASES = {"costs": "--cost-fp with --cost-fn", "direction='lower'": "--lower-is-positive", "style='paper'": "--paper"}
"""Flags for a keyword, or a keyword with its value, without one flag of its own."""


def as_flags(sentence: Words, options: Collection[str] | None = None) -> Words:
    """Spell the keywords of a sentence as the command's options; similar plain text is unchanged.

    Advice of an option outside `options`, by default the running command's, is left out.

    >>> from thresher.errors import choice, keyword
    >>> as_flags("Name score=… it with " + keyword("positive", "…") + "; see also " + choice("missing", "drop") + ".")
    'Name score=… it with --positive …; see also --missing drop.'
    """
    if not isinstance(sentence, Sentence):
        return sentence
    if options is None and (context := click.get_current_context(silent=True)) is not None:
        options = [flag for parameter in context.command.params for flag in parameter.opts]
    return cast(Words, (sentence if options is None else _possible(sentence, options)).spelled(_flag))


def _possible(sentence: Sentence, options: Collection[str]) -> Sentence:
    """Sentence without its later parts that name an unavailable option."""
    parts: list[list[str]] = [[]]
    for piece in sentence.parts:
        for word in [piece] if isinstance(piece, Keyword) else re.split(r"(?<=[.;])(?= )", piece):
            before = parts[-1][-1] if parts[-1] else ""
            if word.startswith(" ") and before.endswith((".", ";")):
                parts.append([])
            parts[-1].append(word)
    kept = [part for i, part in enumerate(parts) if not i or not any(_is_foreign(word, options) for word in part)]
    *words, last = (word for part in kept for word in part)
    return sentence.replaced(*words, last if isinstance(last, Keyword) else last.removesuffix(";"))


def _is_foreign(word: str, options: Collection[str]) -> bool:
    flag = _flag(word).partition(" ")[0] if isinstance(word, Keyword) else ""
    return flag.startswith("--") and flag not in options


def _flag(word: Keyword) -> str:
    phrase = PHRASES.get(str(word)) or PHRASES.get(word.name)
    flag = FLAGS.get(word.name)
    if phrase is not None or flag is None:
        return phrase or str(word)
    row = OPTIONS.get(word.name)
    if row is not None and row.kind is FLAG and word.plain in ("True", "False"):
        return flag if word.plain == "True" else row.flags.split("/")[-1]
    return f"{flag} {word.plain}".rstrip()
