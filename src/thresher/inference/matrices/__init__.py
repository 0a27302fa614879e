"""Intervals of the measures of a confusion matrix, by cells and by means over classes."""
