"""Counts of more distinct scores than the memory holds, read again range by range: as exact as with all in memory."""

import contextlib
import math
import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import Counts, ScoreTable, held, reducing, saved
from thresher.counts.rank_sums import rank_form, rank_sums_from
from thresher.counts.reducing import Ranges, Reducing
from thresher.errors import InputError
from thresher.evaluation import exact_counting
from thresher.measures import find, measures
from thresher.measures.error_bounds import AT_OWN_PREVALENCE, EXACT, error_bound

MEASURES = [entry.name for entry in measures() if entry.needs == "table" and not entry.fitted]
ODD = np.array([0.0, -0.0, -1e-30, 5e-324, 0.25, 1.0, np.inf, -np.inf, 1e200, -1e200])


def drawn(seed):
    """Rows of all kinds: scores apart or crowded, ties, odd ones, classes that are empty, probabilities."""
    draws = np.random.default_rng(seed)
    n = int(draws.integers(1, 120))
    truth = (draws.random(n) < draws.choice([0.0, 0.1, 0.5, 1.0], p=[0.05, 0.25, 0.65, 0.05])).astype(np.uint8)
    score = draws.normal(size=n) * 10.0 ** draws.integers(-3, 4) + truth * draws.integers(0, 3)
    if draws.random() < 0.4:
        score = 1 / (1 + np.exp(-np.clip(score, -30, 30)))
    score = np.where(draws.random(n) < draws.choice([0.0, 0.5]), np.round(score, 1), score)
    score = np.where(draws.random(n) < draws.choice([0.0, 0.1]), draws.choice(ODD, n), score)
    return truth, score, draws.choice([1.0, 2.0, draws.choice([0.5, 3.0])], n), draws.integers(0, 3, n)


def close(a, b):
    return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a))


def counted(truth, score, weights, group, *, kind, direction, most, cuts=()):
    """Tables by group and of all rows, from three parts of the rows, of which so many are in hand at most."""
    options = {"direction": direction, "weight_kind": kind or "importance"}
    tables, parts = {}, np.array_split(np.arange(truth.size), 3)
    for key in np.unique(group).tolist():
        own = group == key
        weight = None if weights is None else weights[own]
        builder = ScoreTable.builder(tolerance=1e-3, exact_rows=4, bins=8, **options)
        tables[key,] = {"s": builder.update(truth[own], score[own], weight).table()}

    def again():
        for part in parts:
            by = {"g": SimpleNamespace(values=(0, 1, 2), codes=group[part])}
            yield SimpleNamespace(
                truth=truth[part].astype(np.uint8), scores={"s": score[part]}, by=by,
                weights=None if weights is None else weights[part], direction_of=lambda _: direction,
            ), 0  # fmt: skip

    memory = most * (9 if weights is None else 17) / exact_counting.SHARE
    with few_rows_at_a_time():
        return exact_counting.exactly(tables, again, memory=memory, rows=truth.size, thresholds=cuts)


@contextlib.contextmanager
def few_rows_at_a_time():
    """As of many rows: several stretches, of several parts, of which few rows are kept."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reducing, "SHARES", (0.5,))
        patched.setattr(held, "CHUNK", 16)
        patched.setattr(held, "PART", 20)
        patched.setattr(held, "AT_ONCE", 10)
        yield patched


@given(
    seed=st.integers(0, 10**6),
    direction=st.sampled_from(["higher", "lower"]),
    kind=st.sampled_from([None, "frequency", "importance"]),
    is_grouped=st.booleans(),
    most=st.sampled_from([40, 1000]),
)
def test_every_measure_is_that_of_the_rows_or_within_its_bound(seed, direction, kind, is_grouped, most):
    truth, score, drawn_weights, group = drawn(seed)
    drawn_weights = np.ceil(drawn_weights) if kind == "frequency" else drawn_weights
    weights = None if kind is None else drawn_weights
    group = group if is_grouped else np.zeros_like(group)
    tables, whole = counted(truth, score, weights, group, kind=kind, direction=direction, most=most, cuts=[0.3])
    options = {"direction": direction, "weight_kind": kind or "importance"}
    for key, table in [(key, each["s"]) for key, each in tables.items()] + [(None, t) for t in whole.values()]:
        own = np.ones(truth.size, bool) if key is None else group == key[0]
        exact = ScoreTable.from_scores(
            truth[own], score[own], weights=None if weights is None else weights[own], **options
        )
        assert pytest.approx((exact.P, exact.N)) == (table.P, table.N)
        assert table.at(0.3).counts == pytest.approx(exact.at(0.3).counts)
        check(table, exact)
        if exact.P and exact.N:
            check(table.with_prevalence(0.2), exact.with_prevalence(0.2))


@given(
    seed=st.integers(0, 10**6),
    direction=st.sampled_from(["higher", "lower"]),
    kind=st.sampled_from([None, "frequency", "importance"]),
    is_grouped=st.booleans(),
    memory=st.sampled_from([600, 1500, 5000]),
)
def test_rows_that_are_held_are_counted_as_those_read_again(seed, direction, kind, is_grouped, memory):
    truth, score, weights, group = drawn(seed)
    assume(0 < truth.sum() < truth.size)
    weights = np.ceil(weights) if kind == "frequency" else weights
    rows = {"y": truth, "s": score, "w": weights, "g": group if is_grouped else np.zeros_like(group)}
    options = {"direction": direction, "weight_kind": kind or "importance"}
    how = {"label": "y", "positive": 1, "weights": None if kind is None else "w", "by": "g"} | options
    with few_rows_at_a_time() as patched:
        patched.setattr(exact_counting, "LEAST", 8)
        counts = th.count(rows, "s", tolerance=0, memory=memory, thresholds=[0.3], **how)
    for key, tables in counts.groups.items():
        own = rows["g"] == key[0]
        given = {} if kind is None else {"weights": weights[own]}
        exact = ScoreTable.from_scores(truth[own], score[own], **given, **options)
        assert pytest.approx((exact.P, exact.N)) == (tables["s"].P, tables["s"].N)
        assert tables["s"].at(0.3).counts == pytest.approx(exact.at(0.3).counts)
        assert tables["s"].error_bound == 0
        check(tables["s"], exact)
    exact = ScoreTable.from_scores(truth, score, **({} if kind is None else {"weights": weights}), **options)
    check(counts["s"], exact)


def check(table, exact):
    for name in MEASURES:
        bound = error_bound(name, table)
        if bound is None or bound == math.inf:
            continue
        value, true = float(find(name)(table)), float(find(name)(exact))
        if table.rank_sums is not None and (name in EXACT or (table.prior is None and name in AT_OWN_PREVALENCE)):
            assert bound == 0, name
        assert close(value, true) or abs(value - true) <= bound + 1e-9, (name, value, true, bound)


def test_counts_beyond_the_memory_are_as_those_in_memory(tmp_path, monkeypatch):
    draws = np.random.default_rng(3)
    truth = draws.integers(0, 2, 4000)
    rows = {"y": truth, "s": 1 / (1 + np.exp(-draws.normal(truth, 1.0))), "g": draws.integers(0, 3, 4000)}
    path = tmp_path / "rows.parquet"
    saved.write_parquet(path, rows, {})
    monkeypatch.setattr(exact_counting, "LEAST", 64)
    exact = th.evaluate(rows, "s", label="y", by="g", threshold=0.3)
    for data, memory in ((rows, 40_000), (str(path), 40_000), (str(path), 75_000)):  # 75 kB hold all rows
        counts = th.count(data, "s", label="y", by="g", tolerance=0, memory=memory, thresholds=[0.3])
        found = th.evaluate(pickle.loads(pickle.dumps(counts)), threshold=0.3)
        assert counts["s"].binned
        assert counts["s"].scores.size < 1000
        for whole, part in ((exact, found), *((exact.groups[g], found.groups[g]) for g in (0, 1, 2))):
            area, true = part["s"].auc, whole["s"].auc
            assert (area.low, area.high, area.error_bound) == (pytest.approx(true.low), pytest.approx(true.high), 0)
            assert area.value == true.value
            for name in ("average_precision", "ks_statistic", "brier_score", "f1"):
                one, two = whole["s"].estimate(name), part["s"].estimate(name)
                assert (two.value, two.error_bound) == (pytest.approx(one.value, rel=1e-12), 0)
        chosen, best = (each["s"].choose(maximize="youden").threshold for each in (exact, found))
        assert chosen == best
        counts.save(tmp_path / "a.counts.parquet")
        again = Counts.load(tmp_path / "a.counts.parquet")
        assert again.groups[0,]["s"].rank_sums.placements == counts.groups[0,]["s"].rank_sums.placements


@pytest.mark.slow
def test_scores_are_compared_by_their_exact_areas(monkeypatch):
    draws = np.random.default_rng(5)
    truth = draws.integers(0, 2, 3000)
    rows = {"y": truth, "a": draws.normal(truth), "b": draws.normal(truth / 2)}
    monkeypatch.setattr(exact_counting, "LEAST", 64)
    counts = th.count(rows, ["a", "b"], label="y", tolerance=0, memory=40_000, pairs=True)
    exact, found = (th.evaluate(each, **how).compare("a", "b", measure="auc") for each, how in (
        (rows, {"label": "y", "scores": ["a", "b"]}), (counts, {})))  # fmt: skip
    assert counts["a"].binned
    assert found.difference == pytest.approx(exact.difference, abs=1e-14)
    assert found.low == pytest.approx(exact.low, abs=1e-4)


def test_rows_that_come_once_or_change_are_refused(monkeypatch):
    truth, score = np.arange(5000) % 2, np.linspace(0, 1, 5000)
    monkeypatch.setattr(exact_counting, "LEAST", 64)
    batches = ({"y": truth[part], "s": score[part]} for part in (slice(0, 3000), slice(3000, 5000)))
    with pytest.raises(InputError, match=r"4e-05 GB of memory that they may, and the rows come once, .* or a table"):
        th.count(batches, "s", label="y", tolerance=0, memory=40_000)
    batches = ({"y": truth[part], "s": score[part]} for part in (slice(0, 3000), slice(3000, 5000)))
    found = th.count(batches, "s", label="y", tolerance=0, memory=100_000)["s"]  # which holds all rows
    assert (found.binned, found.error_bound) == (True, 0)
    coarse = ScoreTable.builder(tolerance=1e-3, exact_rows=4, bins=8).update(truth, score).table()
    table = reducing.Reducing(coarse, step=2)
    table.add(ScoreTable.from_scores(truth[1:], score[1:]))
    with pytest.raises(InputError, match="the rows changed"):
        table.table()


@pytest.mark.parametrize(
    "form", [["x"] * 6, ["1"], 7, ["99", *["0x0p+0"] * 5], ["1", "-0x1p+0", *["0x0p+0"] * 4], ["1.5", *["0x0p+0"] * 5]]
)
def test_sums_that_no_rows_have_are_refused(form):
    counts = np.array([2, 1])
    with pytest.raises(InputError, match="its sums of ranks"):
        rank_sums_from(form, counts, counts)


def test_sums_come_back_and_belong_to_their_counts_alone():
    truth, score = np.arange(300) % 2, np.random.default_rng(4).random(300)
    tables = {(): {"s": ScoreTable.builder(tolerance=1e-3, exact_rows=4, bins=8).update(truth, score).table()}}
    reduced = Reducing(tables[()]["s"], step=20)
    reduced.add(ScoreTable.from_scores(truth, score))
    table = reduced.table()
    again = rank_sums_from(rank_form(table.rank_sums), table.positive, table.negative)
    assert (again.placements, again.precision) == (table.rank_sums.placements, table.rank_sums.precision)
    assert table.with_prevalence(0.3).rank_sums is not None
    assert (table + table).rank_sums is None
    assert table.flipped().rank_sums is None
    assert replace(table, positive=table.positive[::-1].copy()).rank_sums is None
    assert "rank_sums" not in table.to_dict()


@pytest.mark.parametrize("memory", [20_000, pytest.param(80_000, marks=pytest.mark.slow)])
def test_few_distinct_scores_of_many_rows_stay_a_table_of_scores(memory):
    draws = np.random.default_rng(6)
    truth, score = draws.integers(0, 2, 5000), draws.integers(0, 40, 5000) / 40
    with few_rows_at_a_time() as patched:
        patched.setattr(exact_counting, "LEAST", 8)
        found = th.count({"y": truth, "s": score}, "s", label="y", tolerance=0, memory=memory)["s"]
    assert found == ScoreTable.from_scores(truth, score)


def test_a_score_that_most_rows_have_takes_no_room_of_its_own():
    truth, score = np.arange(6000) % 2, np.where(np.arange(6000) % 3 > 0, 0.5, np.arange(6000) / 6000)
    bins = ScoreTable.builder(tolerance=1e-3, exact_rows=4, bins=8).update(truth, score).table()
    ranges, found = Ranges({(): bins}, most=4000), []
    while not ranges.is_done:
        for part in np.array_split(np.arange(6000), 5):
            ranges.add((), truth[part], score[part], None)
        found += [part[()] for part in ranges.chunks()]
        ranges.following()
    exact = ScoreTable.from_scores(truth, score)
    for name in ("scores", "positive", "negative"):
        assert np.array_equal(np.concatenate([getattr(part, name) for part in found]), getattr(exact, name))


def test_a_group_that_was_not_there_before_is_said():
    """A file that was written anew between two passes; it was a KeyError."""
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    with pytest.raises(InputError, match="the rows changed while they were counted"):
        exact_counting.reduce_chunks([{("new",): table}], {})
