"""Decisions: costs and prevalence, the hull, lines of equal value, and where to put the threshold."""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
