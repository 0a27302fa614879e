"""The jackknife of some data, as its interval and the BCa bootstrap take it."""

from typing import Any

from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import Jackknife, leave_one_out
from thresher.inference.bootstrap.sample import sample_of
from thresher.inference.bootstrap.statistics import resolve


def jackknife(data: Any, statistic: Any, *, model: str | None = None, threshold: float | None = None) -> Jackknife:
    """A statistic without each row, or each cluster, in turn."""
    sample = sample_of(data, (model,), Bootstrap(stratified=False))
    return leave_one_out(sample, sample.models[0], resolve(statistic, sample.models[0].table, threshold, {}))
