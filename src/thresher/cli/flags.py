"""Sentences of the library as the command says them: a keyword is spelled as the option of the same meaning."""

from __future__ import annotations

import re
from collections.abc import Collection

import click

from thresher.sentences import Keyword, Sentence

NAMED_ALIKE = (
    "closest_corner match_prevalence cost_fp cost_fn top_share where prevalence weight_kind missing on_error "
    "model_column threshold positive undefined rate_interval predicted groups cluster score direction label margin "
    "memory test ties document relevance_level relevance collection most query truth level fold rest key by "
    "correction trec_eval resolution decimal"
)
FLAGS = {name: f"--{name.replace('_', '-')}" for name in NAMED_ALIKE.split()} | {
    "maximize": "--max",
    "minimize": "--min",
    "top_k": "--top",
    "weights": "--weight",
    "scores": "--score",
    "probabilities": "--proba",
    "labels": "--classes",
    "cell": "--min-cell",
    "rng": "--seed",
}
"""Option of each keyword that has one and takes the same values."""

ALONE = {
    "costs": "--cost-fp with --cost-fn",
    "direction='lower'": "--lower-is-positive",
    "normalize=True": "--normalize",
    "pairs=True": "--pairs",
    "judged_only=True": "--judged-only",
    "band=True": "--band",
    "band=False": "--no-band",
}
"""What says a keyword, or a keyword with its value, without one."""


def options_of(command: click.Command) -> frozenset[str]:
    """Options of a command, in every spelling."""
    return frozenset(spelling for parameter in command.params for spelling in parameter.opts)


def as_flags(sentence: str, options: Collection[str] | None = None) -> str:
    """A sentence with its keywords spelled as the command's options; text that only looks so is left as it is.

    Advice of an option that is not among the `options`, those of the running command by default, is left out.

    >>> from thresher.sentences import choice, keyword
    >>> as_flags("Name score=… it with " + keyword("positive", "…") + "; see also " + choice("missing", "drop") + ".")
    'Name score=… it with --positive …; see also --missing drop.'
    """
    if not isinstance(sentence, Sentence):
        return str(sentence)
    if options is None and (context := click.get_current_context(silent=True)) is not None:
        options = options_of(context.command)
    return (sentence if options is None else _possible(sentence, options)).spelled(_flag)


def _possible(sentence: Sentence, options: Collection[str]) -> Sentence:
    """Sentence without the parts, after the first, that speak of an option that there is not."""
    parts: list[list[str]] = [[]]
    for piece in sentence.parts:
        for word in [piece] if isinstance(piece, Keyword) else re.split(r"(?<=[.;])(?= )", piece):
            before = parts[-1][-1] if parts[-1] else ""
            if word.startswith(" ") and before.endswith((".", ";")):
                parts.append([])
            parts[-1].append(word)
    kept = [part for i, part in enumerate(parts) if not i or not any(_is_foreign(word, options) for word in part)]
    *words, last = (word for part in kept for word in part)
    return Sentence(*words, last if isinstance(last, Keyword) else last.removesuffix(";"))


def _is_foreign(word: str, options: Collection[str]) -> bool:
    flag = _flag(word).partition(" ")[0] if isinstance(word, Keyword) else ""
    return flag.startswith("--") and flag not in options


def flag_of(name: str) -> str:
    """Option of a keyword.

    >>> flag_of("top_k"), flag_of("by")
    ('--top', '--by')
    """
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


def _flag(word: Keyword) -> str:
    alone = ALONE.get(str(word)) or ALONE.get(word.name)
    if alone is not None:
        return alone
    flag = FLAGS.get(word.name)
    return str(word) if flag is None else f"{flag} {word.plain}".rstrip()
