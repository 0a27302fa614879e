"""Permutation tests of a difference, and of two whole ROC curves."""
