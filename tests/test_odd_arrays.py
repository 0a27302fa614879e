"""Every public door that takes arrays takes an odd one, or refuses it with a sentence of thresher's own."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from shares import examples
from thresher import metrics
from thresher.counts import ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import ThresherError

Y, S = [0, 1, 0, 1], [0.2, 0.9, 0.4, 0.7]

ITEMS = st.one_of(
    st.sampled_from([None, True, False, np.bool_(True), np.float32(0.5), np.int8(1), np.uint64(2**64 - 1)]),
    st.sampled_from([0, 1, 2**53 + 1, -(2**63), 10**400, 0.5, float("nan"), float("inf"), -0.0, 1j]),
    st.sampled_from([Decimal("0.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("1e400"), Fraction(1, 3)]),
    st.sampled_from(["0", "1", "", " ", "a", "\ud800", b"a", b"\xff", np.str_("a")]),
    st.sampled_from([date(2024, 1, 1), np.datetime64("2024", "ns"), np.timedelta64(1, "s"), np.datetime64("NaT")]),
    st.sampled_from([(), (1,), [1], [1, 2], {}, {1}, object, np.array(1), np.array([1, 2]), np.longdouble(1)]),
)


KINDS = ["?", "i1", "u8", ">i4", "f2", "f4", "g", ">f8", "c8", "M8[ns]", "M8[D]", "m8[s]", "U3", "S2", "O", "V8"]
NAMES = ["roc_auc_score", "accuracy_score", "brier_score_loss", "f1_score"]
SHAPES = st.sampled_from([(4,), (4, 1), (1, 4), (4, 2), (3,), (0,), (), (2, 2, 1)])


@st.composite
def columns(draw):
    """A column of four values: a list, an array of some type, or one of another shape, order or mask."""
    way = draw(st.integers(0, 4))
    if way == 0:
        return draw(st.lists(ITEMS, min_size=4, max_size=4))
    if way == 1:
        made = np.empty(4, dtype=object)
        made[:] = [draw(ITEMS) for _ in range(4)]
        return made
    shape = draw(SHAPES)
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


@pytest.mark.filterwarnings("ignore")
@given(
    columns(), st.integers(0, 2), st.sampled_from(["roc_auc_score", "accuracy_score", "brier_score_loss", "f1_score"])
)
@settings(max_examples=examples(100))
def test_metrics(column, place, name):
    metric = getattr(metrics, name)
    given_columns = [Y, Y if name in ("accuracy_score", "f1_score") else S, [1.0] * 4]
    given_columns[place] = column
    try:
        metric(*given_columns[:2], sample_weight=given_columns[2])
    except (ValueError, TypeError) as error:
        said(error)
