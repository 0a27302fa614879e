"""Differences by resampling: for measures that no formula serves."""

from __future__ import annotations

from typing import Any

from thresher.inference.compare_difference import Difference, undefined_difference
from thresher.inference.compare_measure import Wanted
from thresher.inference.compare_rows import Side


def by_resampling(a: Side, b: Side, wanted: Wanted, test: str, bootstrap: Any, *, is_paired: bool) -> Difference:
    """Difference by the bootstrap, or a permutation test, of two models on the same rows or on different ones."""
    del a, b, test, bootstrap, is_paired
    return undefined_difference("bootstrap", f"the bootstrap of a difference of {wanted.title} is not available")
