"""A name that is nearly one of a picture or of an attribute is answered with the one that was meant."""

from __future__ import annotations

import pytest

import thresher as th
from thresher.errors import OptionError


@pytest.fixture(scope="module")
def ev() -> th.Evaluation:
    return th.evaluate([1, 0, 1, 0], {"a": [0.9, 0.6, 0.4, 0.1]})


@pytest.mark.parametrize(("written", "meant"), [("rok", "roc"), ("gain_curv", "gain_curve"), ("listin", "listing")])
def test_an_attribute_that_was_meant_is_named(ev: th.Evaluation, written: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{written}': did you mean {meant}\?$"):
        getattr(ev["a"], written)


ROCK = r"kind='rock' is not one of its values: .* Did you mean 'roc'\?"


@pytest.mark.peer
def test_a_kind_of_picture_that_was_meant_is_named(ev: th.Evaluation) -> None:
    for ask in (ev["a"].plot, ev.plot):
        with pytest.raises(OptionError, match=ROCK):
            ask("rock")


def test_a_kind_of_curve_that_was_meant_is_named(ev: th.Evaluation) -> None:
    with pytest.raises(OptionError, match=ROCK):
        ev["a"].curve("rock")
    with pytest.raises(OptionError, match=r"'decision'\.$"):
        ev["a"].curve("zzz")
