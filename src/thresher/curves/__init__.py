"""Curves over all thresholds, as values that interpolate, draw themselves and turn into dataframes.

Each function takes one table of one score; for a batch of tables it raises an `InputError`.
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
