"""Measures of decisions and scores. Importing this package registers them all."""

from thresher.measures.rates import true_positive_rate
from thresher.measures.registry import REGISTRY, Measure, find, measures

__all__ = ["REGISTRY", "Measure", "find", "measures", "true_positive_rate"]
