"""Calibration of one score as a whole: its summary, and the bands of its curve."""
