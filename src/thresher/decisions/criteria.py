"""Criteria by which a threshold is chosen, as small values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass, field
from thresher.conventions import option
from thresher.counts import Cells
from thresher.curves.measure_curve import COMPARISONS, decision_measure
from thresher.decisions.costs import Costs
from thresher.errors import OptionError, ended
from thresher.measures.measure_text import check_within
from thresher.registration import Registration, put


def _check(measure: str, parameters: Mapping[str, Any]) -> None:
    """Check that a measure of decisions has the name and takes the parameters."""
    entry = decision_measure(measure)
    entry.checked(dict(parameters))


def call_text(measure: str, parameters: Mapping[str, Any]) -> str:
    """Return a measure with its parameters."""
    given = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return f"{measure}({given})" if given else measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A bound that a measure of the decisions has to keep."""

    measure: str
    comparison: Literal["<=", ">=", "<", ">"]
    bound: float
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        option("comparison", self.comparison, tuple(COMPARISONS))
        _check(self.measure, self.parameters)
        if math.isnan(self.bound):
            raise OptionError(f"the bound of {self.measure} is NaN, and no number.")
        check_within(self.bound, decision_measure(self.measure), str(self))

    def __str__(self) -> str:
        return f"{call_text(self.measure, self.parameters)} {self.comparison} {self.bound:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """Highest or lowest value of a measure, where all constraints hold; None is the measure's better side."""

    measure: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    lowest: bool | None = None

    def __post_init__(self) -> None:
        _check(self.measure, self.parameters)
        if self.lowest is None and decision_measure(self.measure).better == "neither":
            raise OptionError(f"no side of {self.measure} is better: say max or min.")

    @property
    def seeks_lowest(self) -> bool:
        """Whether the lowest value is sought."""
        return decision_measure(self.measure).better == "lower" if self.lowest is None else self.lowest

    def __str__(self) -> str:
        goal = f"{'min' if self.seeks_lowest else 'max'} {call_text(self.measure, self.parameters)}"
        return goal + (f" s.t. {' and '.join(map(str, self.constraints))}" if self.constraints else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosestCorner:
    """Smallest distance from (0, 1) in ROC space: (1 − TPR)² + fpr_weight·FPR²."""

    fpr_weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.fpr_weight < math.inf:
            raise OptionError(f"fpr_weight={self.fpr_weight!r}: a weight is a finite number > 0.")

    def __str__(self) -> str:
        return "closest to (0, 1)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most predicted positives that a budget allows: the top `k` rows or the top `share`.

    With importance weights both are of the weight.
    """

    k: float | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if (self.k is None) == (self.share is None):
            raise OptionError("a budget is either k= rows or a share= of them.")
        if self.k is not None and not 0 <= self.k < math.inf:
            raise OptionError(f"a budget of {self.k:g} rows: it is a number of rows ≥ 0.")
        if self.share is not None and not 0 <= self.share <= 1:
            percent = f"{100 * self.share:g} %"
            raise OptionError(f"a budget of {percent} of the rows: a share is in [0, 1], such as 0.05 for the top 5 %.")

    def __str__(self) -> str:
        return f"top {self.k:g}" if self.k is not None else f"top {100 * (self.share or 0.0):g}%"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPrevalence:
    """The share of predicted positives nearest to the prevalence: |P' − P|/n smallest."""

    def __str__(self) -> str:
        return "predicted prevalence = prevalence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Sensitivity and specificity brought together: |TPR − TNR| smallest ("equal"), or min(TPR, TNR) largest."""

    goal: Literal["equal", "max_min"] = "equal"

    def __post_init__(self) -> None:
        option("goal", self.goal, ("equal", "max_min"))

    def __str__(self) -> str:
        return "sensitivity = specificity" if self.goal == "equal" else "max of min(sensitivity, specificity)"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCriterion:
    """A criterion that a user registered: the worth of a threshold by its four cells, and the better side."""

    name: str
    text: str
    values: Callable[[Cells], ArrayLike]
    lowest: bool = False

    def __str__(self) -> str:
        return self.name.replace("_", " ")


Criterion = Costs | Best | ClosestCorner | Budget | MatchPrevalence | Balance | OwnCriterion

NAMED: dict[str, Criterion] = {
    "youden": Best(measure="informedness"),
    "closest": ClosestCorner(),
    "closest_corner": ClosestCorner(),
    "closest.topleft": ClosestCorner(),
    "prevalence": MatchPrevalence(),
    "match_prevalence": MatchPrevalence(),
    "sensitivity=specificity": Balance(),
    "equal_rates": Balance(),
    "max_min": Balance(goal="max_min"),
    # Of a score that is better than chance: χ² = n·φ² is largest, and its p least, where φ is.
    **dict.fromkeys(("chisq", "chi_squared"), Best(measure="matthews_correlation")),
}
"""Criteria that go by one word."""


def own_criteria() -> dict[str, OwnCriterion]:
    """Return the criteria that were registered, by name."""
    return {name: each for name, each in NAMED.items() if isinstance(each, OwnCriterion)}


_EXAMPLE = Cells(tp=np.array([0.0, 7]), fp=np.array([0.0, 3]), fn=np.array([9.0, 2]), tn=np.array([14.0, 11]))
"""Counts that a new criterion is tried on, so that a wrong one fails here and not in a report."""


def register_criterion(values: Callable[[Cells], ArrayLike], *, lowest: bool = False) -> Registration[OwnCriterion]:
    """Add a criterion of your own, until `undo()` or the end of a `with` block.

    It is then `choose("NAME")`, `choose(maximize="NAME")`, `thresher threshold --criterion NAME`, is listed by
    `thresher threshold --list`, and is among the thresholds of every report and its JSON.

    Args:
        values: function of `Cells` that gives the worth of each threshold, named as the criterion, with one sentence
            about it. The cells are arrays, at the prevalence that was stated.
        lowest: whether the lowest value is the best.

    Raises:
        OptionError: there is a criterion of this name, or no sentence about it.

    >>> from thresher.counts import ScoreTable
    >>> from thresher.decisions import choose
    >>> def misses_and_alarms(c):
    ...     "Misses, and twice the alarms."
    ...     return c.fn + 2 * c.pred_pos
    >>> with register_criterion(misses_and_alarms, lowest=True):
    ...     choose(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]), "misses and alarms")
    Choice(misses and alarms: 3 at threshold inf)
    """
    name, text = values.__name__, inspect.getdoc(values)
    if not text or not name.isidentifier() or name != name.lower():
        raise OptionError(f"criterion {name!r}: give a function with a name in small letters and a short docstring.")
    words = text.split("\n\n", maxsplit=1)[0].replace("\n", " ")
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            np.asarray(values(_EXAMPLE), dtype=np.float64)
    except Exception as problem:  # whatever a user's function raises
        raise OptionError(f"criterion {name!r} fails on an example: {ended(str(problem))}") from problem
    return put(NAMED, name, OwnCriterion(name=name, text=words, values=values, lowest=lowest))
