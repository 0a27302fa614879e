"""Areas, distances and losses of two classes computed on the arrays' device, and distinct rows for other metrics.

The sums are of whole numbers, or in float64. Only the numbers, or the distinct rows with their counts, are copied.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from thresher._util.foreign_arrays import DistinctPairs, has_float64, is_on_device, namespace, without_half_precision


class SortedClasses(NamedTuple):
    """Scores of the positives and of the negatives, each sorted, on their device; `xp` are its library's functions."""

    xp: Any
    positives: Any
    negatives: Any

    def at_least(self, scores: Any) -> tuple[Any, Any]:
        """Return how many positives and how many negatives have each of some scores or a higher one."""
        below = [self.xp.searchsorted(each, scores) for each in (self.positives, self.negatives)]
        return self.positives.shape[0] - below[0], self.negatives.shape[0] - below[1]


def distinct_rows(*columns: Any) -> tuple[Any, ...]:
    """Return truth, prediction and weights: on a device the distinct rows and how often each is there, else as given.

    Weighted rows and tables are left where they are, and are copied when they are read.
    """
    truth, prediction, weights = columns
    if weights is not None or not _are_columns(truth, prediction):
        return columns
    return DistinctPairs(truth, prediction).to_host()


def _are_columns(truth: Any, prediction: Any) -> bool:
    both = is_on_device(truth) and is_on_device(prediction)
    return both and len(truth.shape) == 1 and truth.shape == prediction.shape and bool(truth.shape[0])


def _classes(truth: Any, scores: Any) -> SortedClasses | None:
    """Return the sorted scores of labels 0 and 1; None for anything else, for which the host finds the error."""
    if (found := _two_classes(truth, scores)) is None:
        return None
    xp, is_positive, scores, sound = found
    if not bool(sound & xp.all(xp.isfinite(scores))):
        return None
    return SortedClasses(xp, xp.sort(scores[is_positive]), xp.sort(scores[~is_positive]))


def _two_classes(truth: Any, numbers: Any) -> tuple[Any, Any, Any, Any] | None:
    """Return the library, which rows are positive, the numbers, and whether both labels occur and no other."""
    if not _are_columns(truth, numbers) or not has_float64(numbers):
        return None
    xp = namespace(truth)
    truth = xp.astype(truth, xp.uint8) if truth.dtype == xp.bool else without_half_precision(truth)
    is_positive = truth == 1
    sound = xp.all(is_positive | (truth == 0)) & xp.any(is_positive) & ~xp.all(is_positive)
    return xp, is_positive, without_half_precision(numbers), sound


def auc(truth: Any, scores: Any) -> float | None:
    """Return the area under the ROC curve by two sorts and whole numbers; None where `_classes` gives None."""
    if (found := _classes(truth, scores)) is None:
        return None
    xp, positives, negatives = found
    sides = [xp.searchsorted(negatives, positives, side=side) for side in ("left", "right")]
    twice_u: int = sum(int(xp.sum(xp.astype(side, xp.int64))) for side in sides)
    return float(twice_u / (2 * positives.shape[0] * negatives.shape[0]))


def average_precision(truth: Any, scores: Any) -> float | None:
    """Return the mean precision at the positives; None where `_classes` gives None."""
    if (found := _classes(truth, scores)) is None:
        return None
    xp = found.xp
    true, false = (xp.astype(each, xp.float64) for each in found.at_least(found.positives))
    return float(xp.mean(true / (true + false)))


def ks_distance(truth: Any, scores: Any) -> float | None:
    """Return the largest distance between both distributions of scores; None where `_classes` gives None."""
    if (found := _classes(truth, scores)) is None:
        return None
    xp, far = found.xp, 0.0
    for scores_of_class in (found.positives, found.negatives):
        true, false = (xp.astype(each, xp.float64) for each in found.at_least(scores_of_class))
        gap = true / found.positives.shape[0] - false / found.negatives.shape[0]
        far = max(far, float(xp.max(xp.abs(gap))))
    return far


def _chances(truth: Any, probabilities: Any) -> tuple[Any, Any, float] | None:
    """Return the functions, the probabilities of true classes and their precision; None where the host has to look."""
    if (found := _two_classes(truth, probabilities)) is None:
        return None
    xp, happened, given, sound = found
    if not bool(sound & xp.all((given >= 0) & (given <= 1))):
        return None
    wide = xp.astype(given, xp.float64)
    return xp, xp.where(happened, wide, 1 - wide), float(xp.finfo(given.dtype).eps)


def log_loss(truth: Any, probabilities: Any) -> float | None:
    """Return the mean of −ln of the probability of the true class; None where `_chances` gives None."""
    if (found := _chances(truth, probabilities)) is None:
        return None
    xp, chances, least = found
    return -float(xp.mean(xp.log(xp.clip(chances, least, 1 - least))))


def brier_score(truth: Any, probabilities: Any) -> float | None:
    """Return the mean squared distance from the truth; None where `_chances` gives None."""
    if (found := _chances(truth, probabilities)) is None:
        return None
    xp, chances, _ = found
    return float(xp.mean((1 - chances) ** 2))
