"""Public names, each imported from its module at its first use."""

from thresher.counts.cells import Cells as Cells
from thresher.counts.collected import Counts as Counts
from thresher.counts.confusion import ConfusionMatrix as ConfusionMatrix
from thresher.counts.ranked import RankedLists as RankedLists
from thresher.counts.scores import ScoreTable as ScoreTable
from thresher.counts.thresholds import ThresholdTable as ThresholdTable
