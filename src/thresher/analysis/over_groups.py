"""What a report of counts says of its groups together: the mean of each measure where groups are sites that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher.errors import OptionError
from thresher.measures.shown import OVER_GROUPS

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation
    from thresher.inference.differences.over_sites import RandomEffects

MOST_GROUPS = 200
"""Groups up to which a report sums up."""


def means_over_groups(evaluation: Evaluation) -> tuple[tuple[str, RandomEffects], ...]:
    """Mean of each measure over the groups of counts by one column, as a random effect, with the model that it is of.

    Rows of one place fall in groups of another kind, such as ages, of which no group is drawn at random: none of rows.
    """
    rows = evaluation.predictions
    if rows.counts is None or len(rows.by) != 1 or not 2 <= len(evaluation.groups) <= MOST_GROUPS:
        return ()
    return tuple(_means(evaluation))


def _means(evaluation: Evaluation) -> Iterator[tuple[str, RandomEffects]]:
    for measure in OVER_GROUPS:
        try:
            found = evaluation.groups.random_effects(measure)
        except OptionError:  # no group has a value of it
            continue
        yield from found.items()
