"""A value at which a measure is read, or a bound that it has to keep, lies in the range of that measure."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.counts import ScoreTable
from thresher.curves import value_at
from thresher.errors import OptionError
from thresher.measures.measure_text import parse_measure

TABLE = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
OUTSIDE = [
    "recall@fpr=5", "recall@fpr=-0.1", "recall@fpr=inf", "sensitivity@specificity=2", "precision@recall=-1",
    "fpr@recall=150%", "f1@recall=3", "lift@fpr=2", "recall@precision=1.5", "recall@mcc=2", "precision@kappa=-3",
    "recall@lift=-2", "recall@top=2", "precision@k=-1", "recall@f1=5",
]  # fmt: skip


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_value_that_the_other_measure_never_has_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"^'.*': .* ranges from .* to .*, so no threshold has this value\."):
        parse_measure(text)


@pytest.mark.parametrize(
    "text", ["recall@fpr=0", "recall@fpr=1", "recall@specificity=100%", "lift@k=1000", "f1@mcc=-1"]
)
def test_the_ends_of_a_range_are_in_it(text: str) -> None:
    assert parse_measure(text).at is not None


@pytest.mark.parametrize(("at", "value"), [("fpr", 5), ("fpr", -1), ("recall", math.nan), ("k", -1), ("top", 1.1)])
@pytest.mark.parametrize("rule", ["interpolated", "best"])
def test_no_value_is_read_outside_a_range(at: str, value: float, rule: str) -> None:
    with pytest.raises(OptionError, match="so no threshold has this value"):
        value_at(TABLE, "recall", at=at, value=value, rule=rule)


@pytest.mark.parametrize("bound", ["fpr<=3", "recall>=-1", "lift>=-3", "mcc<=2", "fpr<=300%", "precision>=2"])
def test_a_bound_that_decides_nothing_is_refused(bound: str) -> None:
    model = th.evaluate([1, 1, 0, 1, 0, 0], np.array([0.9, 0.8, 0.7, 0.4, 0.3, 0.1]))["score"]
    with pytest.raises(OptionError, match="so this decides nothing"):
        model.choose(f"max recall s.t. {bound}")
