"""Interval of a volume under the ROC surface."""

from __future__ import annotations

import math

from thresher.conventions import LEVEL, confidence_level
from thresher.inference.multiclass._bounded_mean import bounded_estimate
from thresher.multiclass.volume import Volume
from thresher.results import Estimate


def volume_interval(volume: Volume, *, level: float = LEVEL) -> Estimate:
    """Estimate of a volume with the interval of a U-statistic, symmetric on the logit scale.

    The variance is Σ_k Var_k(h)/n_k, h being a row's chance of being told apart in a random tuple; that of the random
    tuples is added where the value was sampled. Where it is 0 the interval is Wilson's for as many tuples as
    the smallest class has rows.

    Raises:
        OptionError: the level is not between 0 and 1.

    >>> from thresher.multiclass import ordinal_volume
    >>> volume_interval(ordinal_volume([1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.3, 0.6, 0.6, 0.9]))
    Estimate(ordinal_volume = 0.625 [0.1141, 0.9557], 95% structural components, logit scale)

    Dreiseitl et al. (2000); Nakas and Yiannoutsos (2004).
    """
    confidence_level(level)
    name = f"{volume.kind}_volume"
    if volume.reason is not None:
        return Estimate(name=name, value=math.nan, reason=volume.reason)
    words = "structural components"
    if not volume.exact:
        words = f"structural components and {volume.tuples:,} random tuples"
    variance = volume.variance + volume.sampling_error**2
    n = float(len(volume.parts))
    return bounded_estimate(name, volume.value, variance, n=n, smallest=volume.smallest, words=words, level=level)
