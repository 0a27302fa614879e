"""Rankings of many items a row: how well the order of the scores puts the relevant items first."""

from thresher.ranking.gain import discounted_gain, normalized_gain
from thresher.ranking.labels import coverage, label_precision, misordered_share

__all__ = ["coverage", "discounted_gain", "label_precision", "misordered_share", "normalized_gain"]
