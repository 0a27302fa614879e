"""Intervals of proportions, of their differences, and of ratios of proportions."""
