"""Which values tie, by definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.decisions.ties import TOLERANCE, attaining

VALUES = st.lists(
    st.one_of(st.sampled_from([math.nan, math.inf, -math.inf, 0.3, 0.1 + 0.2, 0.0]), st.integers(-3, 3)), max_size=9
)


def places(values, lowest, eligible):
    """Eligible values that are best, or as near to it as the tolerance of the largest finite one."""
    counted = [(i, v) for i, v in enumerate(values) if not math.isnan(v) and eligible[i]]
    if not counted:
        return []
    best = (min if lowest else max)(v for _, v in counted)
    if math.isinf(best):
        return [i for i, v in counted if v == best]
    slack = TOLERANCE * max(abs(v) for _, v in counted if math.isfinite(v))
    return [i for i, v in counted if math.isfinite(v) and abs(v - best) <= slack]


@pytest.mark.parametrize("lowest", [True, False])
@given(VALUES, st.lists(st.booleans(), min_size=9, max_size=9))
def test_ties_by_definition(lowest, values, kept):
    array = np.array(values, dtype=float)
    eligible = kept[: len(values)]
    assert attaining(array, lowest=lowest).tolist() == places(values, lowest, [True] * len(values))
    found = attaining(array, lowest=lowest, eligible=np.array(eligible, dtype=bool))
    assert found.tolist() == places(values, lowest, eligible)
