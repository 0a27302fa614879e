"""Checks of a model against limits and against a baseline, for continuous integration."""

from thresher.gate.baseline import Baseline, load_baseline, no_drop_from_baseline
from thresher.gate.check import Check, Limit, at_least, at_most, limit, no_drop
from thresher.gate.forms import FORMS, junit_text

__all__ = [
    "FORMS",
    "Baseline",
    "Check",
    "Limit",
    "at_least",
    "at_most",
    "junit_text",
    "limit",
    "load_baseline",
    "no_drop",
    "no_drop_from_baseline",
]
