"""Where `ChosenThreshold` stood before `thresher.analysis`."""

from thresher.analysis.chosen import ChosenThreshold

__all__ = ["ChosenThreshold"]
