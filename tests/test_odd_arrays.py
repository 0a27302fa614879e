"""Every public door that takes arrays takes an odd one, or refuses it with a sentence of thresher's own."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from contracts.array_doors import doors
from shares import examples
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import ThresherError

Y, S = [0, 1, 0, 1], [0.2, 0.9, 0.4, 0.7]

ITEMS = st.one_of(
    st.sampled_from([None, True, False, np.bool_(True), np.float32(0.5), np.int8(1), np.uint64(2**64 - 1)]),
    st.sampled_from([0, 1, 2**53 + 1, -(2**63), 10**400, 0.5, float("nan"), float("inf"), -0.0, 1j]),
    st.sampled_from([Decimal("0.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("1e400"), Fraction(1, 3)]),
    st.sampled_from(["0", "1", "", " ", "a", "\ud800", b"a", b"\xff", np.str_("a")]),
    st.sampled_from([date(2024, 1, 1), np.datetime64("2024", "ns"), np.timedelta64(1, "s"), np.datetime64("NaT", "s")]),
    st.sampled_from([(), (1,), [1], [1, 2], {}, {1}, object, np.array(1), np.array([1, 2]), np.longdouble(1)]),
)


KINDS = ["?", "i1", "u8", ">i4", "f2", "f4", "g", ">f8", "c8", "M8[ns]", "M8[D]", "m8[s]", "U3", "S2", "O", "V8"]
SHAPES = st.sampled_from([(4,), (4, 1), (1, 4), (4, 2), (3,), (0,), (), (2, 2, 1)])


@st.composite
def columns(draw, size=4):
    """A column of some values: a list, an array of some type, or one of another shape, order or mask."""
    way = draw(st.integers(0, 4))
    if way == 0:
        return draw(st.lists(ITEMS, min_size=size, max_size=size))
    if way == 1:
        made = np.empty(size, dtype=object)
        made[:] = [draw(ITEMS) for _ in range(size)]
        return made
    shape = tuple(size if n == 4 else n for n in draw(SHAPES))
    array = np.resize(np.array([0, 1, 0, 1]), shape).astype(draw(st.sampled_from(KINDS)))
    if way == 2:
        return array
    if way == 3:
        return np.ma.MaskedArray(array, mask=np.resize(np.array([False, True]), shape))
    return draw(st.sampled_from([lambda a: a[::-1], np.asfortranarray, iter, tuple, list, set, type, str]))


def said(error: Exception) -> None:
    """The error is a sentence, not the bare words of NumPy or of Python."""
    assert len(str(error).split()) > 3


@given(columns(), st.sampled_from(["y", "scores", "predicted", "weights", "by", "fold", "cluster", "probabilities"]))
@settings(max_examples=examples(150))
def test_evaluate(column, role):
    options = {"y": Y, "scores": S} | {role: column}
    if role in ("predicted", "probabilities"):
        del options["scores"]
    try:
        ev = th.evaluate(options.pop("y"), options.pop("scores", None), positive=1 if role != "y" else None, **options)
    except ThresherError as error:
        said(error)
    else:
        assert len(ev.predictions) <= 4


@given(columns(), st.integers(0, 1), st.sampled_from([ScoreTable, ThresholdTable, ConfusionMatrix]))
@settings(max_examples=examples(100))
def test_counts(column, place, kind):
    given_columns = [Y, Y if kind is ConfusionMatrix else S]
    given_columns[place] = column
    make = kind.from_predictions if kind is ConfusionMatrix else kind.from_scores
    try:
        make(*given_columns)
    except ThresherError as error:
        said(error)


def test_the_doors_are_found_and_their_calls_work():
    assert len(doors()) > 90
    assert len({name.split(".")[1] for name in doors()}) > 8
    for name in ("thresher.assess", "thresher.inference.delong_test", "thresher.metrics.det_curve"):
        assert {"y_true", "y"} & set(doors()[name][2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(8))
def test_the_calls_work(part):
    for function, fitting, _ in list(doors().values())[part::8]:
        function(**fitting)


@pytest.mark.filterwarnings("ignore")
@given(st.data(), columns(8))
@settings(max_examples=examples(250))
def test_every_function_that_takes_labels_or_scores(data, column):
    name = data.draw(st.sampled_from(sorted(doors())))
    called(name, data.draw(st.sampled_from(doors()[name][2])), column)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(doors()))
def test_each_function_that_takes_labels_or_scores(name):
    @given(st.sampled_from(doors()[name][2]), columns(8))
    @settings(max_examples=60)
    def run(role, column):
        called(name, role, column)

    run()


def called(name, role, column):
    """Call a function with an odd column; what it does not take it refuses in words."""
    function, fitting, _ = doors()[name]
    try:
        function(**fitting | {role: column})
    except ThresherError as error:
        said(error)
    except (ValueError, TypeError) as error:
        assert name.startswith("thresher.metrics."), (name, role, column)
        said(error)


CLOSE = {
    "longdouble": np.longdouble(0.5) + np.arange(8) * np.finfo(np.longdouble).eps,
    "whole": np.array([2**53 + i for i in range(8)]),
    "decimal": np.array([Decimal("0.5") + Decimal(i).scaleb(-25) for i in range(8)]),
    "fraction": np.array([Fraction(10**20 + i, 3 * 10**20) for i in range(8)]),
}
"""Eight numbers each, all different, of which float64 makes one or two."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", CLOSE)
def test_scores_that_float64_cannot_tell_apart_never_tie_in_silence(kind):
    tied = []
    for name, (function, fitting, taken) in doors().items():
        for role in {"y_score", "a", "scores"} & set(taken):
            if np.shape(fitting[role]) != (8,):
                continue
            ranked = function(**fitting | {role: np.arange(8.0) / 8})
            try:
                found = function(**fitting | {role: CLOSE[kind]})
            except (ThresherError, ValueError):
                continue
            # What is not refused is ranked exactly: of a curve the rates, whose thresholds are the scores themselves.
            if not name.startswith("thresher.metrics.") or not np.allclose(
                *(np.ravel(x[0] if isinstance(x, tuple) else x) for x in (found, ranked))
            ):
                tied.append((name, role))
    assert tied == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "given_arguments", "sentence"),
    [
        ("inference.delong_test_unpaired", {"weights": np.array(False)}, "weights"),
        ("ranking.label_precision", {"relevant": np.ones((8, 1), bool)}, "must have the same shape"),
        ("ranking.discounted_gain", {"gains": np.ones((8, 1))}, "must have the same shape"),
    ],
)
def test_odd_columns_that_once_escaped(name, given_arguments, sentence):
    function, fitting, _ = doors()[f"thresher.{name}"]
    with pytest.raises((ThresherError, ValueError), match=sentence):
        function(**fitting | given_arguments)
