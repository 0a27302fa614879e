"""Pairs of scores in counts that add up: cells of two bins, whose moments are those of the rows within a bound."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

import thresher as th
from thresher.counts import Counts
from thresher.counts.added_pairs import error_of_differences
from thresher.counts.joint import Axis, joint_form, joint_from
from thresher.counts.remarks import BY_GROUP, BY_PART, OF_SOME
from thresher.errors import InputError, OptionError
from thresher.results import rounded_up


def drawn(seed, rows=400, *, digits=None, scale=1.0):
    """Rows with two good scores that go together and a third that does not."""
    draws = np.random.default_rng(seed)
    y = (draws.random(rows) < 0.4).astype(int)
    a = draws.normal(y, 1.0)
    found = {
        "y": y,
        "a": a,
        "b": a + draws.normal(0, 0.5, rows),
        "c": draws.normal(y, 2.0),
        "w": draws.integers(1, 4, rows),
    }
    if digits is not None:
        found = {name: np.round(column, digits) for name, column in found.items()}
    return {name: column * scale if name in "abc" else column for name, column in found.items()}


def together(days):
    return {name: np.concatenate([day[name] for day in days]) for name in days[0]}


def counted(rows, **options):
    return th.count(rows, ["a", "b", "c"], label="y", pairs=True, **options)


def added(days, **options):
    parts = [counted(day, **options) for day in days]
    return sum(parts[1:], parts[0])


FREQUENCY = {"weights": "w", "weight_kind": "frequency"}


@pytest.mark.parametrize("options", [{}, FREQUENCY, {"direction": "lower"}], ids=["rows", "weights", "lower"])
def test_few_scores_are_compared_as_their_rows_are(options):
    """Every bin has one score, so that nothing is off."""
    days = [drawn(i, digits=0) for i in range(3)]
    found, want = added(days, **options), th.evaluate(together(days), scores=["a", "b", "c"], label="y", **options)
    assert not found.pairs.slack.any()
    evaluation = th.evaluate(found)
    for a, b in combinations("abc", 2):
        ours, theirs = evaluation.compare(a, b), want.compare(a, b)
        assert (ours.low, ours.high, ours.p_value) == pytest.approx((theirs.low, theirs.high, theirs.p_value), rel=1e-9)
    assert not any("cells of bins" in note for note in evaluation.notes)


@pytest.mark.parametrize("options", [{}, FREQUENCY, {"direction": "lower"}], ids=["rows", "weights", "lower"])
@pytest.mark.parametrize("scale", [1.0, *(pytest.param(scale, marks=pytest.mark.slow) for scale in (1e250, 1e-250))])
def test_the_moments_of_a_sum_are_those_of_the_rows_within_their_slack(options, scale):
    days = [drawn(i, rows=300 + 200 * i, scale=scale) for i in range(3)]
    found, want = added(days, **options).pairs, counted(together(days), **options).pairs
    assert found.centers == pytest.approx(want.centers)
    off = np.abs(found.second - want.second)
    assert (off <= found.slack + 1e-9).all()
    assert 0 < found.slack.max() < 0.02 * found.second.max() * 3
    assert not np.einsum("sii->si", found.slack).any()


def test_the_error_of_a_difference_is_said_and_kept():
    days = [drawn(i, rows=1000) for i in range(2)]
    found, want = added(days), counted(together(days))
    share = error_of_differences(found.pairs)
    assert 0 < share < 0.2
    assert any(f"known to ±{rounded_up(100 * share)} %" in note for note in th.evaluate(found).notes)
    for a, b in combinations("abc", 2):
        ours, theirs = (th.evaluate(each).compare(a, b) for each in (found, want))
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-12)
        widths = [each.high - each.low for each in (ours, theirs)]
        assert abs(widths[0] / widths[1] - 1) <= 1.05 * share
        assert abs(widths[0] / widths[1] - 1) < 0.01


def test_infinite_scores_and_scores_that_crowd_are_held():
    days = []
    for i in range(2):
        rows = drawn(i)
        rows["a"] = np.exp(-60 * np.random.default_rng(i).random(400))
        rows["a"][:20], rows["a"][20:30], rows["b"][:9] = np.inf, -np.inf, 1.7e308
        days.append(rows)
    found, want = added(days).pairs, counted(together(days)).pairs
    assert (np.abs(found.second - want.second) <= found.slack + 1e-9).all()


def test_decisions_and_losses_of_a_sum_are_exact():
    days = [drawn(i) for i in range(2)]
    for day in days:
        day |= {name: 1 / (1 + np.exp(-day[name])) for name in "abc"}
    found = added(days, thresholds={"a": [0.6], "b": [0.5]}).pairs.sums
    want = counted(together(days), thresholds={"a": [0.6], "b": [0.5]}).pairs.sums
    assert (found.cuts, found.both.tolist()) == (want.cuts, want.both.tolist())
    assert found.squares == pytest.approx(want.squares)


def test_decisions_that_one_part_does_not_say_are_left_out():
    one, two = (counted(drawn(0), thresholds={"a": cuts, "b": [0.5], "c": [0.5]}) for cuts in ([0.1, 0.6], [0.6]))
    assert (one + two).pairs.sums.cuts == (("a", 0.6), ("b", 0.5), ("c", 0.5))


def test_parts_without_pairs_leave_none():
    alone = th.count(drawn(0), ["a", "b", "c"], label="y")
    mixed = alone + counted(drawn(1))
    assert (mixed.pairs, mixed.notes, (alone + alone).notes) == (None, (OF_SOME,), ())
    assert sum([mixed, alone, counted(drawn(1))]).notes == (OF_SOME,)
    apart = th.Counts.of_parts({"x": counted(drawn(1)), "y": counted(drawn(2))}, by="site")
    assert (apart.pairs, apart.notes) == (None, (BY_PART,))
    assert (counted(drawn(1)) + alone).pairs is None


def test_groups_by_themselves_have_no_pairs_and_say_so():
    """The error asked to count with pairs, as these were."""
    found = th.count(drawn(0) | {"g": np.arange(400) % 2}, ["a", "b"], label="y", by="g", pairs=True)
    some, every = found.only({"g": 1}), found.only({})
    assert (some.pairs, some.notes, every.pairs, every.notes) == (None, (BY_GROUP,), found.pairs, ())
    with pytest.raises(OptionError, match="pairs are left out, as they are of the rows of all groups together"):
        th.evaluate(some).compare("a", "b")
    assert th.evaluate(every).compare("a", "b").p_value == th.evaluate(found).compare("a", "b").p_value
    assert th.count(drawn(0) | {"g": np.arange(400) % 2}, "a", label="y", by="g").only({"g": 1}).notes == ()


def test_bins_are_counted_as_the_rows_of_them(monkeypatch):
    """Tables in bins, whose edges are cut at thresholds too."""
    for name, most in (("EXACT_ROWS", 64), ("LEAST", 8), ("BINS", 256)):
        monkeypatch.setattr(f"thresher.evaluation.group_tables.{name}", most)
    days = [drawn(i) for i in range(2)]
    options = {"tolerance": 1e-2, "thresholds": [0.3]}
    found = added(days, **options)
    assert found["a"].binned
    assert [found.pairs.cells.rows["a", "b"].sum(axis=1).tolist()] == [[found["a"].P, found["a"].N]]
    exact = counted(together(days), tolerance=0).pairs
    assert found.pairs.second == pytest.approx(exact.second, abs=0.05 * exact.second.max())


def test_the_bins_of_two_axes_are_nested_or_apart():
    axes = [Axis.of(counted(drawn(i))["a"]) for i in range(2)]
    both = axes[0] + axes[1]
    assert both == axes[1] + axes[0]
    assert (both.starts[1:] >= (both.starts + both.widths)[:-1]).all()
    for axis in axes:
        at = both.places(axis.starts)
        assert (both.starts[at] <= axis.starts).all()
        assert ((axis.starts + axis.widths) <= (both.starts + both.widths)[at]).all()


def test_pairs_are_saved_with_their_cells(tmp_path):
    for found in (counted(drawn(0)), added([drawn(0), drawn(1)])):
        found.save(tmp_path / "c.parquet")
        assert Counts.load(tmp_path / "c.parquet") == found


CHANGES = {
    "cannot be read": lambda form: form["axes"][0].pop(),
    "not of its scores": lambda form: form["pairs"].pop(),
    "out of order": lambda form: form["pairs"][0][2].reverse(),
    "not of its rows": lambda form: form["pairs"][0][3][0].__setitem__(0, 99.0),
}


@pytest.mark.parametrize("said", CHANGES)
def test_cells_that_do_not_fit_are_refused(said):
    found = counted(drawn(0)).pairs
    form = json.loads(json.dumps(joint_form(found.cells)))
    assert joint_from(form, found.names, found.totals) == found.cells
    CHANGES[said](form)
    with pytest.raises(InputError, match=said):
        joint_from(form, found.names, found.totals)
