"""The rows of every group, and how large the tables of so many groups may be."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError, OptionError
from thresher.predictions import Predictions
from thresher.predictions.columns import counted
from thresher.predictions.places import places_of
from thresher.sentences import choice, keyword

if TYPE_CHECKING:
    from thresher.counts import Counts

Group = tuple[Hashable, ...]


def check_room(held: int, most: int, *, rows: int) -> None:
    """Refuse so many bytes of distinct scores of the first rows, as putting them together takes twice as much.

    Raises:
        InputError: they are too many.
    """
    if 2 * held > most:
        raise InputError(
            f"counting {counted(rows, 'row')} exactly takes {2 * held / 1e9:.3g} GB, more than the {most / 1e9:.3g} GB "
            "of memory it may. Leave out "
            + choice("resolution", "exact")
            + " to round the scores, or give more "
            + keyword("memory", "…")
            + "."
        )


def check_cuts(thresholds: Any, names: Iterable[str]) -> None:
    """Refuse thresholds by name of what is none of these scores.

    Raises:
        OptionError: one is.
    """
    known = list(names)
    if isinstance(thresholds, Mapping) and (odd := next((name for name in thresholds if name not in known), None)):
        raise OptionError(keyword("thresholds", repr(odd)) + f": there is no such score, but {', '.join(known)}.")


def cuts_of(thresholds: Any, name: str) -> Sequence[float]:
    """Thresholds of a score, of those of all scores or by name."""
    found: Sequence[float] = thresholds.get(name, ()) if isinstance(thresholds, Mapping) else thresholds
    return found


def with_cuts(found: Counts, thresholds: Any) -> Counts:
    """Counts that know the thresholds that were named, of all scores or by name."""
    named = {name: tuple(dict.fromkeys(map(float, cuts))) for name in found if (cuts := cuts_of(thresholds, name))}
    return replace(found, thresholds=named)


def by_group(rows: Predictions) -> Iterator[tuple[Group, Any]]:
    """Places of the rows of every group that has some, with the values of its columns."""
    if not rows.by:
        yield (), slice(None)
        return
    sizes = [len(column.values) for column in rows.by.values()]
    code = np.ravel_multi_index([column.codes for column in rows.by.values()], sizes)
    for found, places in places_of(code):
        values = zip(rows.by.values(), np.unravel_index(found, sizes), strict=True)
        yield tuple(column.values[i] for column, i in values), places
