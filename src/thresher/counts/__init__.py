"""Counts: how predictions fell against the truth. They add up, so parts, folds, files and machines merge."""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "cells": ("Cells",),
    "collected": ("Counts",),
    "confusion": ("ConfusionMatrix",),
    "ranked": ("RankedLists",),
    "scores": ("ScoreTable",),
    "thresholds": ("ThresholdTable",),
}
"""Module → public names; loaded at first use, so that one of them does not cost the import of all."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES, is_guarded=False)
