"""Counts: how predictions fell against the truth. They add up, so parts, folds, files and machines merge."""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, is_guarded=False)
