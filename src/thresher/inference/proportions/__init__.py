"""Intervals of proportions, their differences and ratios; those of a proportion by option names.

The table is light, so that a command's help can list it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from thresher.registration import Registration, check_functions, later, put

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from thresher.inference.proportions.intervals import Interval

HOME = "thresher.inference.proportions.intervals"

INTERVALS: dict[str, Callable[..., Interval]] = {
    "wilson": later(f"{HOME}:wilson_interval"),
    "agresti-coull": later(f"{HOME}:agresti_coull_interval"),
    "jeffreys": later(f"{HOME}:jeffreys_interval"),
    "clopper-pearson": later(f"{HOME}:clopper_pearson_interval"),
    "wilson-continuity": later(f"{HOME}:wilson_continuity_interval"),
    "wald": later(f"{HOME}:wald_interval"),
}
"""Intervals by name; docs/coverage.md has their coverage."""


def register_interval(
    name: str, limits: Callable[[ArrayLike, ArrayLike, float], tuple[ArrayLike, ArrayLike]]
) -> Registration[Callable[..., Interval]]:
    """Add an interval of a proportion of your own, by name for `rate_interval=` and `interval=`.

    `limits` returns the lower and the upper limit from successes, trials and the level. After the call,
    `--rate-interval` of the commands takes the name too.

    Raises:
        ValueError: the name is taken, or `limits` is not a function.

    >>> from thresher import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_cells(tp=7, fp=3, fn=2, tn=11)
    >>> with register_interval("all", lambda successes, trials, level: (0.0, 1.0)):
    ...     matrix.estimate("recall", interval="all")
    Estimate(true_positive_rate = 0.7778 [0, 1], 95% all)
    """
    check_functions(limits=limits)
    return put(INTERVALS, name, partial(later(f"{HOME}:own_interval"), name, limits))
