"""Tables made part by part: exact, or of rounded scores, they are those of all rows at once."""

import math
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts import ScoreTable, builder
from thresher.counts.rounding import as_counted
from thresher.errors import InputError

scores = st.one_of(
    st.floats(-4, 4),
    st.floats(0, 1),
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 0.3, 0.5, 1.0, 5e-324, 2.0**-960, 2.0**960, 1e300, math.inf, -math.inf]),
)
parts = st.lists(
    st.lists(st.tuples(st.integers(0, 1), scores, st.sampled_from([0.5, 1.0, 3.0])), max_size=25), max_size=6
)
directions = st.sampled_from(["higher", "lower"])
kinds = st.sampled_from([None, "importance", "frequency"])
thresholds = st.lists(st.one_of(st.floats(0, 1), st.floats(-4, 4)), max_size=3)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Pages are opened for few rows, so that a dozen rows reach them."""
    monkeypatch.setattr(builder, "SPARSE", 2**12)
    monkeypatch.setattr(builder, "IN_TABLES", 4)


def columns(part):
    truth = np.array([row[0] for row in part], dtype=np.uint8)
    return truth, np.array([row[1] for row in part], dtype=float), np.array([row[2] for row in part], dtype=float)


def weights_of(weights, kind):
    """Weights of a kind: frequencies are whole."""
    return None if kind is None else np.ceil(weights) if kind == "frequency" else weights


def built(some, direction, kind=None, **options):
    made = ScoreTable.builder(direction=direction, weight_kind=kind or "importance", **options)
    for part in some:
        truth, score, weights = columns(part)
        made.update(truth, score, weights_of(weights, kind))
    return made


def whole(rows, direction, kind=None, bits=None, cuts=()):
    """Table of all rows at once, whose scores NumPy rounds."""
    truth, score, weights = columns(rows)
    given = {"weights": weights_of(weights, kind), "weight_kind": kind} if kind else {}
    return ScoreTable.from_scores(truth, as_counted(score, bits, sorted(cuts), direction), direction=direction, **given)


def same(found, expected):
    """Whether two tables have the same rows; of nothing there is no kind of weights."""
    return all(
        np.array_equal(getattr(found, name), getattr(expected, name))
        for name in ("scores", "positive", "negative")
    ) and (not expected.scores.size or found.weight_kind == expected.weight_kind)  # fmt: skip


@given(parts, directions, kinds, st.sampled_from([2, 8, 1000]))
def test_exact_tables_are_those_of_all_rows(some, direction, kind, rows):
    found = built(some, direction, kind, resolution="exact", rows_in_hand=rows).table()
    assert same(found, whole(list(chain(*some)), direction, kind))
    assert (found.resolution, found.auc_bound) == (None, 0)


@given(parts, directions, kinds, st.sampled_from([8, 16, 24]), thresholds, st.sampled_from([2, 8, 1000]))
def test_rounded_tables_are_those_of_all_rounded_rows(some, direction, kind, bits, cuts, rows_in_hand):
    found = built(some, direction, kind, resolution=bits, thresholds=cuts, rows_in_hand=rows_in_hand).table()
    rows = list(chain(*some))
    assert same(found, whole(rows, direction, kind, bits, cuts))
    exact = whole(rows, direction, kind)
    for cut in cuts if rows else ():
        assert found.at(cut).counts.tolist() == exact.at(cut).counts.tolist()


@given(parts, parts, directions, st.sampled_from([None, 12]), thresholds)
def test_parts_add_up_to_the_whole(some, others, direction, bits, cuts):
    options = {"resolution": bits, "exact_rows": 8, "rows_in_hand": 4, "thresholds": cuts}
    one, two = built(some, direction, **options), built(others, direction, **options)
    every = built([*some, *others], direction, **options).table()
    added = one.table() + two.table()
    if bits:
        assert added == every == one.merge(two).table() or not every.scores.size
    assert (added.P, added.N) == (every.P, every.N)


@given(parts, directions, kinds, thresholds)
def test_scores_are_rounded_once_there_are_many(some, direction, kind, cuts):
    rows = list(chain(*some))
    found = built(some, direction, kind, exact_rows=8, rows_in_hand=4, thresholds=cuts).table()
    if len({score for _, score, _ in rows}) > 8:
        assert found.resolution == 16
        assert same(found, whole(rows, direction, kind, 16, cuts))
    else:
        assert found.resolution is None
        assert same(found, whole(rows, direction, kind))


def test_the_auc_is_within_its_bound():
    rng = np.random.default_rng(1)
    truth, score = rng.integers(0, 2, 20_000), rng.beta(0.3, 0.3, 20_000)
    exact = ScoreTable.from_scores(truth, score)
    for bits in (8, 16):
        found = ScoreTable.builder(resolution=bits).update(truth, score).table()
        assert 0 < found.auc_bound < 2.0 ** (2 - bits)
        assert abs(_auc(found) - _auc(exact)) <= found.auc_bound


def _auc(table):
    below = table.N - np.cumsum(table.negative) + table.negative / 2
    return float((table.positive * below).sum() / (table.P * table.N))


@pytest.mark.parametrize("weights", [None, 2.0])
def test_counts_of_more_rows_than_32_bits_hold_are_widened(monkeypatch, weights):
    monkeypatch.setattr(builder, "NARROW", 700)
    truth, score = np.arange(400) % 2, np.linspace(0, 1, 400)
    made = ScoreTable.builder(weight_kind="frequency", resolution=8, rows_in_hand=100)
    for _ in range(3):
        made.update(truth, score, None if weights is None else np.full(400, weights))
    table = made.table()
    assert table.positive.dtype == np.int64
    assert table.P == table.N == 600 * (weights or 1)


def test_a_score_has_one_row_where_both_ends_of_its_rounding_meet():
    score = np.array([1.0, math.nextafter(1, 2), math.nextafter(1, 0), 0.5, math.nextafter(0.5, 1), -0.0, 5e-324] * 3)
    truth = np.arange(score.size) % 2
    found = ScoreTable.builder(resolution=8).update(truth, score).table()
    assert (np.diff(found.scores) < 0).all()
    assert same(found, ScoreTable.from_scores(truth, as_counted(score, 8, [], "higher")))


def test_memory_grows_with_rounded_scores_only():
    made = ScoreTable.builder(resolution=8, rows_in_hand=1000)
    rng = np.random.default_rng(2)
    sizes = []
    for _ in range(4):
        made.update(rng.integers(0, 2, 50_000), rng.random(50_000))
        sizes.append(made.nbytes)
    assert sizes[-1] <= sizes[0] + 2**14


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("rows", [1, 1000])
def test_what_the_caller_gave_stays(direction, rows):
    """Rows in hand are overwritten by their table; those of the caller are not."""
    truth, score = np.array([0, 1], dtype=np.uint8), np.array([0.1, 0.9])
    made = ScoreTable.builder(resolution="exact", rows_in_hand=rows, direction=direction).update(truth, score)
    assert made.table().scores.size == 2
    assert (truth.tolist(), score.tolist()) == ([0, 1], [0.1, 0.9])


@pytest.mark.parametrize("hand", [1, 1000])
@pytest.mark.parametrize("resolution", [None, 16])
@pytest.mark.parametrize(
    ("rows", "said"),
    [(([1, 2], [0.5, 0.5]), "row 1 "), (([1, 0], [0.5, math.nan]), "row 1 "), (([1, 0], [0.5, 0.5], [1, -1]), "row 1 "),
     (([1], [0.5, 0.5]), "length"), (([1, 0], [0.5, 0.5], [1, math.inf]), "row 1 ")],
)  # fmt: skip
def test_bad_rows_are_named(resolution, rows, said, hand):
    made = ScoreTable.builder(resolution=resolution, rows_in_hand=hand, exact_rows=1)
    made.update(*([[1, 0], [0.25, 0.125], [1, 1]][: len(rows)]))
    with pytest.raises(InputError, match=said):
        made.update(*rows)


def test_coarser_tables_are_refused():
    coarse = ScoreTable.from_scores([1, 0], [0.9, 0.1]).rounded(8)
    with pytest.raises(InputError, match="rounded to 8 bits, and a builder of 16 bits cannot count them"):
        ScoreTable.builder(resolution=16).add(coarse)
    assert ScoreTable.builder().add(coarse).update([1], [0.3]).table().resolution == 8


def test_thresholds_and_merged_scores_of_added_tables_stay():
    """They are none of the rounded scores, so that counting them in pages would move them."""
    rng = np.random.default_rng(5)
    table = ScoreTable.from_scores(rng.integers(0, 2, 500), rng.random(500)).rounded(8, [0.3337])
    assert 0.3337 in table.scores
    made = ScoreTable.builder(resolution=8, rows_in_hand=100).update(rng.integers(0, 2, 500), rng.random(500))
    assert 0.3337 in made.add(table).table().scores
