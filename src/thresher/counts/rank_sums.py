"""What the order of rows says that bins of them no longer tell: areas, and the sums of squares of placements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import kernel
from thresher.dataclass import dataclass
from thresher.errors import InputError


@dataclass(frozen=True, eq=False, kw_only=True)
class RankSums:
    """Sums over all rows in their order, of the table whose counts these are: of any other they say nothing.

    A table with such sums has every vertex of both hulls of the ROC as a score that stands for itself.
    """

    placements: kernel.DelongSums
    precision: kernel.PrAreas
    positive: NDArray[Any]
    negative: NDArray[Any]

    def are_of(self, positive: NDArray[Any], negative: NDArray[Any]) -> bool:
        """Whether these are the counts that the sums belong to."""
        return np.array_equal(self.positive, positive) and np.array_equal(self.negative, negative)


def rank_form(sums: RankSums | None) -> list[str] | None:
    """Sums as texts that come back to the last bit.

    >>> rank_form(None)
    """
    if sums is None:
        return None
    whole = isinstance(sums.placements.twice_u, int)
    return [str(sums.placements.twice_u) if whole else float(sums.placements.twice_u).hex()] + [
        float(value).hex() for value in (*sums.placements[1:3], *sums.precision)
    ]


def rank_sums_from(form: Any, positive: NDArray[Any], negative: NDArray[Any]) -> RankSums | None:
    """Sums from their texts, of a table of these counts.

    Raises:
        InputError: they are not as `rank_form` makes them, or cannot be those of the counts.
    """
    if form is None:
        return None
    p, n = positive.sum().item(), negative.sum().item()
    try:
        first, *rest = form
        twice_u = int(first) if positive.dtype.kind == "i" else float.fromhex(first)
        sum10, sum01, *areas = (float.fromhex(text) for text in rest)
        precision = kernel.PrAreas(*areas)
    except (TypeError, ValueError, OverflowError):
        raise InputError("its sums of ranks cannot be read") from None
    if not 0 <= twice_u <= 2 * p * n * (1 + 1e-9) or min(sum10, sum01, *areas) < 0:
        raise InputError("its sums of ranks are not of its counts")
    return RankSums(
        placements=kernel.DelongSums(twice_u, sum10, sum01, p, n), precision=precision, positive=positive,
        negative=negative,
    )  # fmt: skip
