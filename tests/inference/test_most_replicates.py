"""A number of resamples that no memory holds is refused in a sentence by everything that takes such a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import inference, ranking, resampling
from thresher._util.parse_number import MOST_REPLICATES
from thresher.counts import ScoreTable
from thresher.errors import OptionError

Y, S = [1, 0, 1, 0, 1, 0], [0.9, 0.4, 0.6, 0.5, 0.3, 0.2]
TABLE = ScoreTable.from_scores(Y, S)
TOO_MANY = 10**9
QRELS, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}

CALLS: dict[str, Callable[[int], Any]] = {
    "evaluate": lambda n: th.evaluate(Y, S, bootstrap=n),
    "NumPy's number": lambda n: th.evaluate(Y, S, bootstrap=np.int64(n)),  # type: ignore[arg-type]
    "compare": lambda n: th.evaluate(Y, {"a": S, "b": S[::-1]}).compare("a", "b", bootstrap=n),
    "Bootstrap": lambda n: th.Bootstrap(n=n),
    "rank": lambda n: th.rank(QRELS, RUN, bootstrap=n),
    "permutation_test": lambda n: inference.permutation_test(Y, S, S[::-1], n=n),
    "permutation_test_unpaired": lambda n: inference.permutation_test_unpaired(Y, S, Y, S[::-1], n=n),
    "venkatraman_test": lambda n: inference.venkatraman_test(Y, S, S[::-1], n=n),
    "venkatraman_test_unpaired": lambda n: inference.venkatraman_test_unpaired(Y, S, Y, S[::-1], n=n),
    "calibration_band": lambda n: inference.calibration_band(TABLE, n=n),
    "calibration_summary": lambda n: inference.calibration_summary(TABLE, bootstrap=n),
    "query_difference": lambda n: ranking.query_difference(
        np.array([0.1, 0.4, 0.3]), np.array([0.2, 0.1, 0.5]), test="randomization", n=n
    ),
    "repeated folds": lambda n: resampling.KFold(5, repeats=n),
    "subsampling": resampling.RandomSubsampling,
    "out of bag": th.Bootstrap632,
}


@pytest.mark.parametrize("name", CALLS)
def test_too_many_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=r"is too large: take at most 1,000,000\.$"):
        CALLS[name](TOO_MANY)


def test_the_most_is_allowed() -> None:
    assert th.Bootstrap(n=MOST_REPLICATES).n == 10**6
    with pytest.raises(OptionError, match="bootstrap=1: a whole number of at least 2 is needed"):
        th.evaluate(Y, S, bootstrap=1)
