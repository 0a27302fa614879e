"""Tables made part by part: exact ones as from all rows at once, binned ones within the bound that they state."""

import math
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher import kernel
from thresher.counts import ScoreTable
from thresher.counts.grid import Grid, _last, best_level
from thresher.errors import InputError, OptionError

SMALL = {"exact_rows": 8, "bins": 16}
"""Bounds of memory that a dozen rows reach."""

scores = st.one_of(
    st.floats(-4, 4),
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 1.0, 5e-324, -5e-324, math.inf, -math.inf]),
)
parts = st.lists(
    st.lists(st.tuples(st.integers(0, 1), scores, st.sampled_from([0.5, 1.0, 3.0])), max_size=25), max_size=6
)
directions = st.sampled_from(["higher", "lower"])


def columns(part):
    truth = np.array([row[0] for row in part], dtype=np.uint8)
    return truth, np.array([row[1] for row in part], dtype=float), np.array([row[2] for row in part], dtype=float)


def whole(rows, direction, **options):
    truth, score, weights = columns(rows)
    return ScoreTable.from_scores(truth, score, weights=weights if options else None, direction=direction, **options)


def auc(table):
    sums = kernel.delong_sums(table.positive, table.negative)
    return sums.twice_u / 2 / (sums.positives * sums.negatives) if sums.positives and sums.negatives else math.nan


def built(some, direction, weighted=False, **options):
    builder = ScoreTable.builder(direction=direction, **options)
    for part in some:
        truth, score, weights = columns(part)
        builder.update(truth, score, weights if weighted else None)
    return builder


@given(parts, directions)
def test_tolerance_0_is_exact(some, direction):
    found = built(some, direction, tolerance=0, **SMALL).table()
    assert found == whole(list(chain(*some)), direction)
    assert found.error_bound == 0


@given(parts, directions, st.booleans())
def test_bins_hold_the_rows_that_their_edges_say(some, direction, weighted):
    rows = list(chain(*some))
    table = built(some, direction, weighted, tolerance=1e-6, **SMALL).table()
    if table.widths is None:
        assert table == whole(rows, direction, **({"weight_kind": "importance"} if weighted else {})) or not rows
        return
    sign = 1 if direction == "higher" else -1
    starts = sign * table.scores
    assert (np.diff(starts) < 0).all()
    for name, label in (("positive", 1), ("negative", 0)):
        inside = [0.0] * len(starts)
        for y, score, weight in rows:
            at = sign * score
            places = [i for i, s in enumerate(starts) if at == s or s <= at < s + table.widths[i]]
            assert len(places) == 1
            inside[places[0]] += (weight if weighted else 1) * (y == label)
        assert getattr(table, name).tolist() == inside
    total = sum(w if weighted else 1 for *_, w in rows)
    assert total == table.P + table.N


@given(parts, directions, st.booleans())
def test_the_bound_holds(some, direction, weighted):
    rows = list(chain(*some))
    table = built(some, direction, weighted, tolerance=1e-6, **SMALL).table()
    exact = whole(rows, direction, **({"weight_kind": "importance"} if weighted else {}))
    if table.P and table.N:
        assert abs(auc(table) - auc(exact)) <= table.error_bound + 1e-12
    # Every threshold that is the edge of a bin gives the same matrix.
    for threshold in table.scores:
        if not (math.isinf(threshold) and threshold == (1 if direction == "higher" else -1) * math.inf):
            assert table.at(threshold).counts.tolist() == exact.at(threshold).counts.tolist()


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_the_widest_bins_begin_at_finite_scores(direction):
    scores = np.append(np.linspace(0, 1, 40), [1.6853373139334214e308, -1.7e308])
    table = ScoreTable.builder(tolerance=1e-6, direction=direction, **SMALL).update(np.arange(42) % 2, scores).table()
    assert np.isfinite(table.scores).all()
    assert table.N + table.P == 42


@given(parts, parts, directions)
def test_builders_merge(some, others, direction):
    options = {"tolerance": 1e-6, **SMALL}
    one, two = built(some, direction, **options), built(others, direction, **options)
    merged = one.merge(two).table()
    exact = whole(list(chain(*some, *others)), direction)
    assert (merged.P, merged.N) == (exact.P, exact.N)
    if exact.P and exact.N:
        assert abs(auc(merged) - auc(exact)) <= merged.error_bound + 1e-12


@given(parts, parts, directions)
def test_binned_tables_add_in_any_order(some, others, direction):
    options = {"tolerance": 1e-6, **SMALL}
    a, b = built(some, direction, **options).table(), built(others, direction, **options).table()
    assert a + b == b + a
    assert a + b + a == a + a + b


@given(parts, directions)
def test_a_flipped_table_of_bins_has_the_flipped_auc(some, direction):
    table = built(some, direction, tolerance=1e-6, **SMALL).table()
    flipped = table.flipped()
    if table.P and table.N:
        assert auc(flipped) == pytest.approx(1 - auc(table), abs=1e-12)
        assert flipped.error_bound == pytest.approx(table.error_bound)
    if table.widths is not None:
        # A threshold at the name of a bin takes the whole bin, from whichever end one counts.
        exact = whole(list(chain(*some)), direction).flipped()
        for threshold in flipped.scores[np.isfinite(flipped.scores)]:
            assert flipped.at(threshold).counts.tolist() == exact.at(threshold).counts.tolist()


def test_frequency_weights_stay_whole_numbers():
    builder = ScoreTable.builder(weight_kind="frequency", **SMALL)
    builder.update(np.arange(40) % 2, np.linspace(0, 1, 40), np.full(40, 2.0))
    table = builder.table()
    assert table.positive.dtype == np.int64
    assert (table.P, table.N, table.weight_kind) == (40, 40, "frequency")
    assert table.widths is not None


@pytest.mark.parametrize("weights", [None, 2.0])
def test_counts_of_more_rows_than_32_bits_hold_are_widened(monkeypatch, weights):
    from thresher.counts import grid as module

    truth, score = np.arange(400) % 2, np.linspace(0, 1, 400)
    kind = {"weight_kind": "frequency"}
    given = None if weights is None else np.full(400, weights)
    once = ScoreTable.builder(**kind, **SMALL).update(truth, score, given).table()
    monkeypatch.setattr(module, "NARROW", 600)
    many = ScoreTable.builder(**kind, **SMALL)
    for _ in range(3):
        many.update(truth, score, given)
    assert many._grid.counts.dtype == (np.int64 if weights is None else np.float64)
    assert many.table() == once + once + once
    assert once.positive.dtype == many.table().positive.dtype == np.int64
    few = ScoreTable.builder(**SMALL).update(truth, score)
    few._grid.counts[...] = 2**32 - 1  # the most that fits
    assert few.table().positive.max() == 2**32 - 1


def test_a_saved_table_of_bins_comes_back(tmp_path):
    table = ScoreTable.builder(**SMALL).update(np.arange(40) % 2, np.linspace(0, 1, 40)).table()
    table.save(tmp_path / "counts.parquet")
    back = ScoreTable.load(tmp_path / "counts.parquet")
    assert back == table
    assert back.widths.tolist() == table.widths.tolist()


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("weighted", [False, True])
def test_tables_of_bins_are_added_in_their_bins(direction, weighted, monkeypatch):
    """As are parts that were counted apart: what their rows give when they are summed as tables, without a sum."""
    rng = np.random.default_rng(2)
    kind = {"weight_kind": "frequency"} if weighted else {}
    options = {"direction": direction, "exact_rows": 64, "bins": 2**13, "tolerance": 1e-2, **kind}
    parts = []
    for _ in range(4):
        truth, score = rng.integers(0, 2, 500), rng.random(500)
        weights = rng.integers(1, 4, 500) if weighted else None
        parts.append(ScoreTable.builder(**options).update(truth, score, weights).table())
    assert all(2 * part.scores.size > 64 for part in parts)
    assert {width for part in parts for width in part.widths} == {parts[0].widths[0]}
    inside = parts[0].scores[10:11]
    exact = ScoreTable.from_scores([1], inside, weights=[2.0] if weighted else None, direction=direction, **kind)
    want = parts[0] + parts[1] + parts[2] + parts[3] + exact
    builder = ScoreTable.builder(**options).add(exact)
    monkeypatch.setattr(ScoreTable, "__add__", None)
    for part in parts:
        builder.add(part)
    monkeypatch.undo()
    found = builder.table()
    for name in ("scores", "widths", "positive", "negative"):
        assert getattr(found, name).tolist() == getattr(want, name).tolist()
    assert found.losses == pytest.approx(want.losses, rel=1e-12, nan_ok=True)


def test_a_bin_that_lies_in_several_of_a_grid_is_not_counted_there():
    like = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    two = np.array([1, 1])
    table = ScoreTable(scores=np.array([0.5, 0.2]), positive=two, negative=two, binned=True, widths=np.full(2, 0.25))
    grid = Grid(like, 2, 2**10)
    left = grid.take(table)  # 0.2 to 0.45 lies in two quarters
    assert (left.scores.tolist(), left.positive.tolist()) == ([0.2], [1])
    assert grid.table().scores.tolist() == [0.5]


@given(st.integers(-40, 40), st.integers(0, 60), st.integers(-50, 120), st.integers(0, 80))
def test_the_last_that_holds_is_found_from_anywhere(low, more, near, holding):
    last = min(low + holding, low + more)
    asked = []

    def holds(number):
        asked.append(number)
        return number <= last

    assert _last(holds, low, low + more, near=near) == last
    assert len(asked) == len(set(asked))
    assert all(low < number <= low + more for number in asked)


def test_the_level_keeps_the_tolerance_of_rows_like_the_first():
    rng = np.random.default_rng(0)
    score = rng.beta(1, 30, 200_000)
    truth = (rng.random(score.size) < score).astype(np.uint8)
    table = ScoreTable.from_scores(truth, score)
    for tolerance in (1e-3, 1e-4, 1e-5):
        found = ScoreTable.builder(tolerance=tolerance, exact_rows=1000, bins=2**18)
        found = found.update(truth[:5000], score[:5000]).update(truth[5000:], score[5000:]).table()
        assert 0 < found.error_bound <= tolerance
        assert abs(auc(found) - auc(table)) <= found.error_bound
    # Sorted by label, the first rows say nothing about pairs: bins are as fine as memory allows.
    one_class = ScoreTable.from_scores(np.zeros(2000), score[:2000])
    assert best_level(one_class, 1e-3, 2**18) >= 18


def test_the_level_keeps_the_tolerance_where_a_class_is_rare():
    """Of some rows only, as of many, those of a class of six said nothing about it."""
    score = np.random.default_rng(9).exponential(size=300_000)
    truth = np.arange(score.size) < 6
    level = best_level(ScoreTable.from_scores(truth, score), 1e-5, 2**22)
    bins = ScoreTable.from_scores(truth, np.floor(score * 2.0**level))
    assert bins.positive @ bins.negative / 2 <= 1e-5 * int(bins.P) * int(bins.N)


def test_bins_follow_scores_that_come_later():
    """The first rows lie in [0, 1], later ones in [0, 1000]: bins get wider, none is lost."""
    rng = np.random.default_rng(0)
    builder = ScoreTable.builder(exact_rows=1000, bins=2**12)
    parts = [rng.random(3000), 1000 * rng.random(3000), rng.normal(0, 1e6, 3000)]
    for part in parts:
        builder.update(np.arange(part.size) % 2, part)
    table = builder.table()
    assert (table.P, table.N) == (4500, 4500)
    every = ScoreTable.from_scores(np.tile(np.arange(3000) % 2, 3), np.concatenate(parts))
    assert abs(auc(table) - auc(every)) <= table.error_bound


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda b: b.update([0, 1], [0.1, 0.2]).update([0], [0.1], [1.0]), "in every update"),
        (lambda b: b.update([0, 2], [0.1, 0.2]), "row 1"),
        (lambda b: b.update(np.arange(40) % 2, np.linspace(0, 1, 40)).update([0, 1], [0.5, np.nan]), "row 1"),
        (lambda b: b.update(np.arange(40) % 2, np.linspace(0, 1, 40)).update([0, 1], [0.5]), "length"),
        (lambda b: b.merge(ScoreTable.builder(direction="lower").update([1], [0.5])), "direction"),
        (lambda b: b.add(ScoreTable.from_scores([1], [0.5]).with_prevalence(0.1)), "prior"),
        (
            lambda b: b.add(ScoreTable.from_scores([1], [0.5], weights=[2.0], weight_kind="frequency")),
            "importance weights cannot count frequency",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(ScoreTable.builder(**SMALL))


def test_a_bad_row_among_many_is_named_from_the_first():
    scores = np.linspace(0, 1, 100)
    scores[70] = np.nan
    with pytest.raises(InputError, match="row 70"):
        ScoreTable.builder(**SMALL).update(np.arange(100) % 2, scores)


@pytest.mark.parametrize("tolerance", [-1, 1, math.nan, "a", True, None])
def test_a_tolerance_is_a_share(tolerance):
    with pytest.raises(OptionError, match="AUC may be off"):
        ScoreTable.builder(tolerance=tolerance)


def test_tables_of_bins_are_added_without_getting_coarser():
    """Parts that were counted apart keep the bound, however many they are."""
    draws = np.random.default_rng(3)
    truth = draws.integers(0, 2, 40_000)
    score = draws.normal(truth, 1.0)

    def made():
        return ScoreTable.builder(tolerance=1e-3, exact_rows=1000, bins=2**14)

    parts = [made().update(y, s).table() for y, s in zip(np.split(truth, 16), np.split(score, 16), strict=True)]
    whole = made()
    for part in parts:
        whole.add(part)
    table = whole.table()
    assert (table.P, table.N, table.binned) == (truth.sum(), (1 - truth).sum(), True)
    assert 0 < table.error_bound < 1e-3
    assert table.scores.size < 2**14
    assert table.widths.max() == max(part.widths.max() for part in parts)


def test_counts_that_are_not_whole_and_say_no_weights_are_refused():
    """They were cut to whole numbers in the bins: no rows were left."""
    parts = ScoreTable.from_counts(np.arange(50.0), np.full(50, 0.5), np.full(50, 0.25))
    with pytest.raises(InputError, match="these counts are not whole"):
        ScoreTable.builder(tolerance=1e-3).add(parts)
