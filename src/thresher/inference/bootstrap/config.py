"""`Bootstrap`: how replicates are drawn, and the kind of interval."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.parse_number import MOST_REPLICATES
from thresher.conventions import SEED, check_whole, option
from thresher.errors import OptionError, keyword

Method = Literal["percentile", "basic", "bca", "studentized"]

LABELS = {"percentile": "percentile", "basic": "basic", "bca": "BCa", "studentized": "studentized"}


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Settings of a bootstrap; a value, so that the same settings give the same numbers.

    `n` replicates (2 to 1,000,000). `method`: "percentile", "basic" (2θ − quantile), "bca" (bias-corrected and
    accelerated, with the jackknife), or "studentized" (for measures with a standard error). `stratified` keeps the
    class sizes, as those of a case-control study; else rows are drawn together, so that intervals allow for a random
    prevalence, and replicates without a class are left out where a measure needs both. `clusters` is the name of a
    group column to draw whole groups, or False for rows; by default the predictions' cluster column, if any. `rng` is
    the seed.

    Quantiles are as in R's `boot.ci`: order statistic (n + 1)·α, linear on the normal quantile scale in between.

    Raises:
        OptionError: a setting has a value that it does not take.

    >>> Bootstrap(n=500, method="bca")
    Bootstrap(n=500, method='bca', stratified=False, clusters=None, rng=0)

    Efron & Tibshirani 1993; Davison & Hinkley 1997, section 5.2.
    """

    n: int = 2000
    method: Method = "percentile"
    stratified: bool = False
    clusters: str | bool | None = None
    rng: int = SEED

    def __post_init__(self) -> None:
        option("method", self.method, tuple(LABELS))
        option("stratified", self.stratified, (True, False))
        check_whole("n", self.n, 2, MOST_REPLICATES)
        check_whole("rng", self.rng, 0, 2**63 - 1)
        if self.clusters is True:
            raise OptionError("clusters=True: name the group column, or leave it out to use the cluster column.")

    def describe(self, drawn: str) -> str:
        """Settings in words, for a result's `method`."""
        return f"bootstrap {LABELS[self.method]}, {self.n:,} replicates of {drawn}, seed {self.rng}"


def as_bootstrap(given: Any, rng: int = SEED) -> Bootstrap:
    """Settings from a `Bootstrap`, a number of replicates, or None for the default."""
    if given is None:
        return Bootstrap(rng=rng)
    if isinstance(given, Bootstrap):
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        check_whole("bootstrap", given, 2, MOST_REPLICATES)
        return Bootstrap(n=int(given), rng=rng)
    raise OptionError(keyword("bootstrap", repr(given)) + " is neither a Bootstrap(…) nor a number of replicates.")
