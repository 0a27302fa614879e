"""How many different rows a bootstrap sample holds: 63.2 % of them where there are many."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import SEED, Floats
from thresher.dataclass import dataclass
from thresher.errors import OptionError
from thresher.frozen import freeze_fields
from thresher.late import drawn
from thresher.plain import as_dict
from thresher.resampling.splits import SplitRows, stream
from thresher.resampling.splits import drawn as drawn_times

LIMIT = -math.expm1(-1)
"""Share of different rows in a sample of very many, 1 − 1/e."""

SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False, kw_only=True)
class DistinctRows:
    """Share of the n rows that a bootstrap sample of n draws holds: on average, and in one sample of each size.

    `expected` is 1 − (1 − 1/n)^n, which falls from 1 to 1 − 1/e = 63.2 %; `sampled` is that of one sample drawn.
    """

    n: NDArray[np.int64]
    expected: Floats
    sampled: Floats

    plot = drawn

    def __post_init__(self) -> None:
        freeze_fields(self, "n", "expected", "sampled")

    def to_frame(self, backend: str | None = None) -> Any:
        """One row for each number of rows as a dataframe of the library named, else the first installed.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.frames import to_frame

        return to_frame({"n": self.n, "expected": self.expected, "sampled": self.sampled}, backend)

    to_dict = as_dict

    def __repr__(self) -> str:
        return f"DistinctRows(n {self.n[0]:,} to {self.n[-1]:,}: {self.expected[0]:.3f} to {self.expected[-1]:.3f})"


def distinct_rows(sizes: Iterable[int] = SIZES, *, rng: int = SEED) -> DistinctRows:
    """Share of different rows in bootstrap samples of some sizes, expected and drawn.

    Args:
        sizes: numbers of rows, of each of which a sample is drawn.
        rng: seed of the samples.

    Raises:
        OptionError: a size is no whole number of at least 1, or there is none.

    >>> found = distinct_rows([1, 2, 10])
    >>> found.expected.round(4).tolist()
    [1.0, 0.75, 0.6513]
    """
    n = np.array(list(sizes))
    if n.dtype.kind not in "iu" or n.ndim != 1 or not n.size or (n < 1).any():
        raise OptionError("sizes are whole numbers of rows, each at least 1.")
    every = [drawn_times(SplitRows(truth=np.zeros(size, dtype=np.int64)), stream(rng, size)) for size in n.tolist()]
    with np.errstate(divide="ignore"):  # a sample of one row is that row: log 0
        expected = -np.expm1(n * np.log1p(-1 / n))
    return DistinctRows(n=n, expected=expected, sampled=np.array([(times > 0).mean() for times in every]))
