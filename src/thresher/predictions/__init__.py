"""Predictions: the checked, compact rows that everything else is derived from. All checking happens here, once."""

from thresher.predictions.build import build
from thresher.predictions.columns import Columns, Encoded
from thresher.predictions.rows import Categories, Predictions

__all__ = ["Categories", "Columns", "Encoded", "Predictions", "build"]
