"""Names of measures as headings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from thresher.errors import capital, ended
from thresher.measures import find
from thresher.measures.label_sets import LabelAverage, of_label_sets
from thresher.measures.posteriors import of_posteriors
from thresher.measures.registry import Measure
from thresher.measures.shown import RANKING
from thresher.measures.titles import HOWS, title_of

Said = TypeVar("Said")

MOST_GROUPS = 50
"""Groups shown to a reader: the largest, in their own order; data forms hold all."""


def is_average(name: str) -> bool:
    """Whether a name belongs to an average of decisions over the classes."""
    how, _, rest = name.partition("_")
    return how in HOWS and bool(rest) and name not in RANKING


def heading_of(name: str) -> str:
    """Title of a measure as a heading."""
    return capital(title_of(name))


def gathered(pairs: Iterable[tuple[Said, str]]) -> dict[Said, list[str]]:
    """Group distinct names by their text."""
    found: dict[Said, list[str]] = {}
    for text, name in pairs:
        names = found.setdefault(text, [])
        if name not in names:
            names.append(name)
    return found


def by_method(pairs: Iterable[tuple[str, str]]) -> str:
    """Return methods with their uses; a method of two parts stays one.

    >>> by_method([("Wilson", "recall"), ("Wilson", "precision"), ("z test; Newcombe", "accuracy")])
    'Wilson (recall, precision); z test, with Newcombe (accuracy)'
    """
    found = gathered(pairs).items()
    return "; ".join(f"{method.replace('; ', ', with ')} ({', '.join(names)})" for method, names in found)


def sentence(text: str) -> str:
    """Text with a capital first letter and a full stop."""
    return ended(capital(text))


def formula_of(name: str, *, task: str = "binary") -> str:
    """Return the formula of a measure as text; empty if unknown.

    >>> formula_of("brier_score", task="multiclass"), formula_of("macro_f1", task="multiclass")
    ('mean of Σ_k (p_k − y_k)²', 'mean of the F1 of each class against the rest')
    """
    if is_average(name):
        each = "label" if task == "multilabel" else "class against the rest"
        return AVERAGE_TEXT[name.partition("_")[0]].format(title_of(name.partition("_")[2]), each)
    if (found := _of_several(name, task)) is not None:
        return found.text
    try:
        return find(name).text
    except KeyError:
        return ""


def _of_several(name: str, task: str) -> Measure | None:
    """Measure of more than two classes, or of labels."""
    found = of_label_sets(name) if task == "multilabel" else None
    return found or (None if task == "binary" else of_posteriors(name))


AVERAGE_TEXT = {
    "macro": "mean of the {} of each {}",
    "weighted": "mean of the {} of each {}, weighted by its rows",
    "micro": "{} of the cells summed over each {}",
    "samples": "mean over rows of the {} of the row's labels",
}


def definition_of(name: str, *, task: str = "binary") -> str:
    """Return the first sentence about a measure; empty for unlisted names, and averages that their formula explains."""
    if (found := _of_several(name, task)) is not None:
        return "" if isinstance(found.formula, LabelAverage) else found.summary
    try:
        lines = (find(name).__doc__ or "").splitlines()
    except KeyError:
        return ""
    return lines[0] if lines else ""
