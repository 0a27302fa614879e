"""An expected cost as the expected benefit that it is when the costs are gains."""

from __future__ import annotations

from dataclasses import replace

from thresher.results import Estimate


def as_benefit(cost: Estimate) -> Estimate:
    """Estimate of the mean gain of a decision, minus the expected cost; larger is better.

    >>> as_benefit(Estimate(name="expected_cost", value=-3.0, low=-3.5, high=-2.0, level=0.95, method="delta method"))
    Estimate(expected_benefit = 3 [2, 3.5], 95% delta method)
    """
    low, high = (None if end is None else 0.0 - end for end in (cost.high, cost.low))
    return replace(cost, name="expected_benefit", value=0.0 - cost.value, low=low, high=high)
