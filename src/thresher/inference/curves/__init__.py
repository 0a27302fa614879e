"""Uncertainty of curves: bands, mean curves, binormal curves and partial areas."""
