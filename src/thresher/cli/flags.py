"""Sentences of the library as the command says them: a keyword is spelled as the option of the same meaning."""

from __future__ import annotations

from thresher.sentences import Keyword, Sentence

NAMED_ALIKE = (
    "closest_corner match_prevalence cost_fp cost_fn top_share where prevalence weight_kind missing on_error "
    "model_column threshold positive undefined rate_interval predicted groups cluster score direction label margin "
    "tolerance memory test ties document relevance_level relevance collection most query truth level fold rest key by "
    "correction trec_eval"
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
}
"""What says a keyword, or a keyword with its value, without one."""


def as_flags(sentence: str) -> str:
    """A sentence with its keywords spelled as the command's options; text that only looks so is left as it is.

    >>> from thresher.sentences import choice, keyword
    >>> as_flags("Name score=… it with " + keyword("positive", "…") + "; see also " + choice("missing", "drop") + ".")
    'Name score=… it with --positive …; see also --missing drop.'
    """
    return sentence.spelled(_flag) if isinstance(sentence, Sentence) else str(sentence)


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
