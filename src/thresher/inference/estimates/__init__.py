"""Estimates of measures: which method serves a measure, and the value with its interval by it."""
