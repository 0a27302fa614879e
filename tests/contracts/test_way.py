"""How far it is from an attribute to the formula: files on the way, and calls of Python, guards included."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import thresher as th

HOME = str(Path(th.__file__).parent)
Y = np.arange(500) % 2
SCORES = np.clip(np.random.default_rng(0).normal(0.4 + 0.2 * Y, 0.2), 0, 1)


def walked(measure: str, evaluation: th.Evaluation, formula: str) -> tuple[list[str], list[str]]:
    """Files of this package, one for each call, and those on the way to the first call of a formula."""
    calls: list[str] = []
    way: list[str] = []

    def heed(frame: FrameType, event: str, _argument: Any) -> None:
        place = frame.f_code.co_filename
        if event != "call" or not place.startswith(HOME):
            return
        calls.append(place)
        above: FrameType | None = frame
        if frame.f_code.co_name == formula and not way:
            while above is not None:
                way.append(above.f_code.co_filename)
                above = above.f_back

    sys.setprofile(heed)
    try:
        getattr(evaluation, measure)
    finally:
        sys.setprofile(None)
    return calls, [each for each in dict.fromkeys(way) if each.startswith(HOME)]


@pytest.fixture
def evaluated() -> Callable[[], th.Evaluation]:
    assert th.Estimate.__init__.__wrapped__  # guarded from its first reading on
    warm = th.evaluate(Y, SCORES)
    assert warm.auc.value > warm.recall.value / 2  # imports are no part of the way
    return lambda: th.evaluate(Y, SCORES)


def test_the_auc_is_eight_files_from_its_formula(evaluated):
    calls, way = walked("auc", evaluated(), "delong_variance")
    assert 3 <= len(way) <= 8, way
    assert len(set(calls)) <= 25
    assert len(calls) <= 60
    assert sum(each.endswith("/front_door.py") for each in calls) <= 3  # a table, and an `Estimate` twice


def test_a_rate_is_eight_files_from_its_interval(evaluated):
    calls, way = walked("recall", evaluated(), "wilson_interval")
    assert 3 <= len(way) <= 8, way
    assert len(calls) <= 107


@pytest.mark.parametrize("measure", ["auc", "recall"])
def test_what_is_known_is_two_calls_away(evaluated, measure):
    evaluation = evaluated()
    getattr(evaluation, measure)
    assert len(walked(measure, evaluation, "")[0]) <= 2
    assert walked(measure, evaluation["score"], "")[0] == []
