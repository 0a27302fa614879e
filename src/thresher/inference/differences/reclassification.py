"""Net reclassification and integrated discrimination of two models, with a warning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import as_dict
from thresher.conventions import LEVEL, confidence_level, is_positive
from thresher.counts.row_columns import number_column, truth_column
from thresher.errors import InputError, OptionError
from thresher.inference.differences.means import mean_of
from thresher.inference.strata import Mean
from thresher.predictions.clipping import clipped
from thresher.results import Estimate
from thresher.upward_import import plot_method, to_frame_method

WARNING = (
    "both reward a miscalibrated model and can be positive for a useless addition: also read the net benefit, the "
    "calibration and the difference of the AUCs"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclassification:
    """Reclassification by a new model: `nri` = `nri_events` + `nri_nonevents`, and `idi`, with intervals.

    `warning` says why none of them should decide alone (Hilden & Gerds 2014; Pepe et al. 2015).
    """

    nri: Estimate
    nri_events: Estimate
    nri_nonevents: Estimate
    idi: Estimate
    cuts: tuple[float, ...] = ()
    warning: str = WARNING

    plot, to_frame, to_dict = plot_method, to_frame_method, as_dict

    def __repr__(self) -> str:
        return f"Reclassification(NRI {self.nri.format()}, IDI {self.idi.format()}; {self.warning})"


def reclassification(
    y_true: ArrayLike, old: ArrayLike, new: ArrayLike, *, cuts: Sequence[float] = (), level: float = LEVEL
) -> Reclassification:
    """Net reclassification improvement over classes of risk between `cuts` (none: any move), and the IDI.

    NRI = (up − down)/P among positives + (down − up)/N among negatives; a probability at a cut is above it. IDI = mean
    of new − old among positives less that among negatives. Intervals are Wald's, with independent classes and the
    variance of the rows' own moves. Both reward miscalibration: read the `warning`.

    Raises:
        InputError: unequal lengths, a truth that is not 0 or 1, a NaN, a probability outside [0, 1], or a class has
            fewer than two rows.
        OptionError: cuts do not rise strictly within (0, 1).

    >>> old, new = [0.3, 0.6, 0.4, 0.2, 0.6, 0.3], [0.6, 0.7, 0.3, 0.1, 0.4, 0.3]
    >>> found = reclassification([1, 1, 1, 0, 0, 0], old, new, cuts=[0.5])
    >>> round(found.nri.value, 4), round(found.idi.value, 4)
    (0.6667, 0.2)

    Source: Pencina, D'Agostino, D'Agostino & Vasan 2008; Pencina, D'Agostino & Steyerberg 2011.
    """
    truth = truth_column(y_true) == 1
    scores = [clipped(number_column(column, name)) for column, name in ((old, "old"), (new, "new"))]
    bounds = tuple(float(cut) for cut in cuts)
    if any(not 0 < cut < 1 for cut in bounds) or any(a >= b for a, b in pairwise(bounds)):
        raise OptionError(f"cuts={list(cuts)!r}: cuts must rise strictly between 0 and 1.")
    if len({truth.size, *(s.size for s in scores)}) > 1:
        raise InputError("truth, old and new must be of the same rows.")
    if any(((s < 0) | (s > 1)).any() for s in scores):
        raise InputError("old and new are probabilities, from 0 to 1: recalibrate scores first.")
    if min(int(truth.sum()), int((~truth).sum())) < 2:
        raise InputError("reclassification needs two rows of each class.")
    places = [sum(is_positive(s, cut, "higher").astype(np.int64) for cut in bounds) if bounds else s for s in scores]
    moves, gains = np.sign(places[1] - places[0]).astype(np.float64), scores[1] - scores[0]
    z = NormalDist().inv_cdf((1 + confidence_level(level)) / 2)
    up, down, more, less = map(mean_of, (moves[truth], -moves[~truth], gains[truth], -gains[~truth]))
    parts = {"nri": (up, down), "nri_events": (up,), "nri_nonevents": (down,), "idi": (more, less)}
    n = float(truth.size)
    found: dict[str, Any] = {name: _summed(name, of, z, level, n) for name, of in parts.items()}
    return Reclassification(cuts=bounds, **found)


def _summed(name: str, parts: Sequence[Mean], z: float, level: float, n: float) -> Estimate:
    value, error = sum(part.value for part in parts), math.sqrt(sum(part.variance for part in parts))
    known: dict[str, Any] = {"standard_error": error, "level": level, "n": n, "method": "Wald, independent classes"}
    return Estimate(name=name, value=value, low=value - z * error, high=value + z * error, **known)
