"""Titles of measures of every kind, by the names that they are written with."""

from __future__ import annotations

from thresher.measures.averaging import AVERAGES
from thresher.measures.posteriors import of_posteriors
from thresher.measures.registry import known

HOWS = (*AVERAGES, "samples")
"""How averages are made over classes, or over the labels of each row."""


def title_of(name: str) -> str:
    """Return the title of a measure, or of an average over classes or rows.

    >>> title_of("auc"), title_of("negative_predictive_value"), title_of("macro_f1")
    ('ROC AUC', 'negative predictive value', 'macro F1')
    """
    how, _, rest = name.partition("_")
    found = known(name) or of_posteriors(name) or known(name, "label sets")
    if found is None and how in HOWS and (averaged := known(rest)) is not None:
        return f"{how} {averaged.title_as(rest)}"
    return name.replace("_", " ") if found is None else found.title_as(name)
