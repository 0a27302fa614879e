"""Counts with a least number of rows of a class: no smaller count is disclosed, and thresholds stay exact."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import ScoreTable


def hospital(seed=0, n=3000):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    score = np.round(1 / (1 + np.exp(1 - 1.5 * y - rng.normal(size=n))), 4)
    return {"y": y, "s": score, "t": np.round(score + rng.normal(size=n), 2), "site": rng.integers(0, 8, n) ** 2}


def counted(rows=None, **options):
    return th.count(hospital() if rows is None else rows, ["s", "t"], label="y", **options)


rows_of = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@given(rows_of, st.integers(1, 6), st.sampled_from(["higher", "lower"]), st.lists(st.integers(0, 12), max_size=2))
def test_no_small_count_is_disclosed(found, cell, direction, cuts):
    scores, positive, negative = zip(*found, strict=True)
    table = ScoreTable.from_counts(scores, positive, negative, direction=direction)
    counts = th.Counts(groups={(): {"s": table}}, thresholds={"s": tuple(map(float, cuts))})
    if any(0 < total < cell for total in (table.P, table.N)) or not table.P + table.N:
        return
    merged = counts.with_least(cell)
    own = merged["s"]
    for column in (own.positive, own.negative):
        assert not ((column > 0) & (column < cell)).any()
    assert (own.P, own.N) == (table.P, table.N)
    ordered = own.scores if direction == "lower" else -own.scores
    assert (np.diff(ordered) > 0).all()
    for cut in merged.thresholds.get("s", ()):
        assert (own.at(cut).counts == table.at(cut).counts).all()


@pytest.mark.parametrize("by", [None, "site"])
def test_measures_stay_near_and_named_thresholds_exact(by):
    counts = counted(by=by, thresholds={"s": [0.5], "t": [0.3, 99.0]}, pairs=True)
    found = counts.with_least(10)
    assert found.pairs is None
    assert found.least == 10
    for name in counts:
        one, two = (th.evaluate(each)[name].auc.value for each in (found, counts))
        assert one == pytest.approx(two, abs=5e-3 if by is None else 1e-2)
    assert (found["s"].at(0.5).counts == counts["s"].at(0.5).counts).all()
    assert found.thresholds == {"s": (0.5,), "t": (0.3, 99.0)}
    assert found.with_least(7) == found
    assert "no-pairs" in [note.code for note in found.notes]


def test_thresholds_that_merged_scores_do_not_keep_are_said():
    rows = hospital()
    counts, at = counted(rows, by="site"), th.evaluate(rows["y"], rows["s"], threshold=0.5).recall
    found = th.evaluate(counts.with_least(10).of_scores(["s"]))
    assert (found.recall, found["s"].threshold) == (at, 0.5)
    elsewhere = th.evaluate(counts.with_least(10).of_scores(["s"]), threshold=0.4)
    assert [note.code for note in elsewhere.notes if "0.4" in note] == ["approximate-threshold"]
    # Too few rows beyond 0.5, so that no threshold is exact: none is assumed.
    few = th.evaluate(th.count({"y": rows["y"], "s": rows["s"] / 1.7}, "s", label="y").with_least(300))
    assert (few["s"].threshold, few["s"].threshold_reason.code) == (None, "no-threshold")
    assert math.isnan(few.recall.value)
    assert math.isfinite(few.auc.value)


def test_a_threshold_is_kept_by_a_sum_if_both_parts_tell_it():
    parts = [counted(hospital(i)) for i in (1, 2)]
    at = (parts[0] + parts[1])["s"].at(0.5).counts.tolist()
    for one, two in (("exact", "merged"), ("merged", "exact"), ("merged", "merged")):
        pair = [part.with_least(10) if how == "merged" else part for part, how in zip(parts, (one, two), strict=True)]
        both = pair[0] + pair[1]
        assert 0.5 in both.thresholds["s"]
        assert both["s"].at(0.5).counts.tolist() == at
    rounded = counted(hospital(2), resolution=8)
    assert not (parts[0].with_least(10) + rounded).thresholds


def test_small_groups_are_left_out_and_said():
    rows = hospital()
    rows["site"] = np.where(np.arange(3000) < 20, "small", "large")
    rows["y"][:20] = np.arange(20) < 3
    counts = counted(rows, by="site")
    found = counts.with_least(5)
    assert list(found.groups) == [("large",)]
    assert found.read == counts.read - 20
    assert "1 group with fewer than 5 rows of a class left out (20 rows)." in found.notes
    hidden = counted({name: column[17:] for name, column in rows.items()}, by="site").with_least(5)
    assert "1 group with fewer than 5 rows of a class left out (fewer than 5 rows)." in hidden.notes


def test_a_threshold_that_would_tell_of_few_rows_is_said():
    cut = float(np.sort(hospital()["s"])[-40])
    found = counted(thresholds={"s": [cut]}).with_least(100)
    assert found.thresholds == {}
    assert any(f"The threshold {cut:g} of s leaves fewer than 100 rows of a class" in note for note in found.notes)


def test_sums_of_merged_counts_and_saved_ones_are_plain(tmp_path):
    days = [counted(hospital(i), by="site").with_least(8) for i in (1, 2)]
    both = days[0] + days[1]
    both.save(tmp_path / "c.parquet")
    assert th.Counts.load(tmp_path / "c.parquet") == both
    assert both.with_least(8) == both


def test_infinite_scores_are_merged():
    table = ScoreTable.from_counts([np.inf, 2.0, 1.0, -np.inf], [1, 3, 2, 1], [1, 1, 3, 2])
    found = th.Counts(groups={(): {"s": table}}).with_least(2)["s"]
    assert np.isfinite(found.scores).all()
    assert found.scores.tolist() == [2.0, 1.0]
