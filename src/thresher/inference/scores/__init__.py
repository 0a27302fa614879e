"""Intervals of the other measures of a score: average precision, distances, losses and calibration."""
