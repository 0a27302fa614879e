"""A number of resamples that no memory holds is refused in a sentence by everything that takes such a number."""

from __future__ import annotations

import thresher as th
from thresher._util.parse_number import MOST_REPLICATES


def test_the_most_is_allowed() -> None:
    assert th.Bootstrap(n=MOST_REPLICATES).n == 10**6
