"""Counts: how predictions fell against the truth. They add up, so parts, folds, files and machines merge."""

from thresher.counts.cells import Cells
from thresher.counts.collected import Counts
from thresher.counts.confusion import ConfusionMatrix
from thresher.counts.ranked import RankedLists
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable

__all__ = ["Cells", "ConfusionMatrix", "Counts", "RankedLists", "ScoreTable", "ThresholdTable"]
