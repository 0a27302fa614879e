"""Sentences of the library as the command says them: a keyword is spelled as the option of the same meaning."""

from __future__ import annotations

from thresher.sentences import Keyword, Sentence

FLAGS = {
    "closest_corner": "--closest-corner",
    "match_prevalence": "--match-prevalence",
    "maximize": "--max",
    "minimize": "--min",
    "cost_fp": "--cost-fp",
    "cost_fn": "--cost-fn",
    "top_share": "--top-share",
    "top_k": "--top",
    "where": "--where",
    "prevalence": "--prevalence",
    "weight_kind": "--weight-kind",
    "missing": "--missing",
    "on_error": "--on-error",
    "model_column": "--model-column",
    "threshold": "--threshold",
    "positive": "--positive",
    "undefined": "--undefined",
    "rate_interval": "--rate-interval",
    "predicted": "--predicted",
    "weights": "--weight",
    "groups": "--groups",
    "cluster": "--cluster",
    "scores": "--score",
    "score": "--score",
    "probabilities": "--proba",
    "labels": "--classes",
    "direction": "--direction",
    "label": "--label",
    "margin": "--margin",
    "tolerance": "--tolerance",
    "memory": "--memory",
    "cell": "--min-cell",
    "test": "--test",
    "ties": "--ties",
    "document": "--document",
    "relevance_level": "--relevance-level",
    "relevance": "--relevance",
    "collection": "--collection",
    "most": "--most",
    "query": "--query",
    "truth": "--truth",
    "level": "--level",
    "fold": "--fold",
    "rest": "--rest",
    "key": "--key",
    "rng": "--seed",
    "by": "--by",
    "correction": "--correction",
    "trec_eval": "--trec-eval",
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


def _flag(word: Keyword) -> str:
    alone = ALONE.get(str(word)) or ALONE.get(word.name)
    if alone is not None:
        return alone
    flag = FLAGS.get(word.name)
    return str(word) if flag is None else f"{flag} {word.plain}".rstrip()
