"""How the values of the splits become one estimate: what each method of resampling prescribes."""

from __future__ import annotations

from thresher.inference.compare_measure import Wanted
from thresher.resampling.estimates import headline, pooled_estimate
from thresher.resampling.methods import Method
from thresher.resampling.values import Source
from thresher.results import Estimate


def combined(source: Source, wanted: Wanted, method: Method, rng: int, level: float) -> Estimate:  # noqa: ARG001
    """Estimate of a measure by the rule of its method."""
    if method.combine == "mean":
        return headline(source, wanted, level, "folds" if source.splits.folds > 1 else "splits")
    if method.combine == "pooled":
        return pooled_estimate(source, wanted, level)
    raise NotImplementedError(method.combine)
