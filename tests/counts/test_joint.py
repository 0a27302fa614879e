"""Pairs of counted models: joint cells of rounded scores add up, are saved, and compare as the rows do."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import joint
from thresher.errors import InputError, OptionError

share = st.integers(0, 8).map(lambda i: i / 8)
some_rows = st.lists(st.tuples(st.integers(0, 1), share, share, st.integers(1, 3)), min_size=4, max_size=25)
MEASURES = ("auc", "gini", "brier_score", "log_loss", "accuracy", "recall", "specificity")


def drawn(seed, n, names="ab"):
    rng = np.random.default_rng(seed)
    y, shared = (rng.random(n) < 0.2).astype(int), rng.normal(size=n)
    scores = {
        name: 1 / (1 + np.exp(2 - (1.6 - 0.1 * i) * y - shared - 0.6 * rng.normal(size=n)))
        for i, name in enumerate(names)
    }
    return {"y": y, "site": rng.integers(0, 3, n), "w": rng.integers(1, 4, n), **scores}


def counted(rows, names=("a", "b"), **options):
    return th.count(rows, list(names), label="y", pairs=True, **options)


def same(one, two, rel=1e-7):
    for name in ("difference", "low", "high", "p_value", "standard_error"):
        ours, theirs = getattr(one, name), getattr(two, name)
        assert (ours is None) == (theirs is None), (one.measure, name)
        if ours is not None:
            assert ours == pytest.approx(theirs, rel=rel, abs=rel, nan_ok=True), (one.measure, name)
    assert (one.method, one.n, one.is_defined) == (two.method, two.n, two.is_defined)


@given(some_rows, st.booleans(), st.sampled_from(["higher", "lower"]))
def test_counts_compare_as_the_rows_do(found, weighted, direction):
    y, a, b, w = (list(column) for column in zip(*found, strict=True))
    y[0] = 1 - y[0] if len(set(y)) < 2 else y[0]
    rows, options = {"y": y, "a": a, "b": b, "w": w}, {"label": "y", "direction": direction}
    options |= {"weights": "w", "weight_kind": "frequency"} if weighted else {}
    threshold = {"a": 0.5, "b": 0.375}
    rows_first = th.evaluate(rows, scores=["a", "b"], threshold=threshold, **options)
    counts = th.count(rows, ["a", "b"], pairs=True, thresholds={"b": [0.375]}, **options)
    for measure in MEASURES if direction == "higher" else ("auc", "accuracy", "recall"):
        one, two = (
            each.compare("a", "b", measure=measure) for each in (th.evaluate(counts, threshold=threshold), rows_first)
        )
        if "alike" not in one.method + two.method:
            same(one, two)


@pytest.mark.parametrize("bits", [16, 6])
def test_paired_errors_of_many_rows_are_those_of_the_rows(bits, monkeypatch):
    rows = drawn(1, 60_000)
    monkeypatch.setattr(joint, "BITS", (bits,))
    counts = counted(rows, thresholds=[0.123])
    assert counts.pairs.bits == bits
    found, exact = (
        th.evaluate(each, **more, threshold=0.123)
        for each, more in ((counts, {}), (rows, {"scores": ["a", "b"], "label": "y"}))
    )
    one, two = found.compare("a", "b"), exact.compare("a", "b")
    assert one.standard_error == pytest.approx(two.standard_error, rel=1e-3)
    assert one.difference == pytest.approx(two.difference, rel=1e-9)
    one, two = (each.compare("a", "b", measure="brier_score") for each in (found, exact))
    assert one.difference == pytest.approx(two.difference, rel=1e-9)
    same(*(each.compare("a", "b", measure="accuracy") for each in (found, exact)))
    assert ("Models are compared by scores rounded to 6 bits." in counts.remarks) == (bits == 6)


@pytest.mark.parametrize("measure", ["auc", "average_precision", "brier_score", "log_loss", "ks_statistic"])
def test_a_comparison_is_the_difference_of_the_values_beside_it(measure, monkeypatch):
    """Its two values were those of the cells, up to a standard error away."""
    monkeypatch.setattr(joint, "BITS", (6,))
    found = th.evaluate(counted(drawn(8, 5000)))
    own = [found[name].estimate(measure).value for name in "ab"]
    one, two = found.compare("a", "b", measure=measure), found.compare("b", "a", measure=measure)
    assert (*one.values, one.difference) == (*own, own[0] - own[1])
    assert (one.difference, one.low, one.high) == (-two.difference, -two.high, -two.low)
    assert one.low < one.difference < one.high
    assert (one.p_value < 0.05) == (one.low > 0 or one.high < 0)
    assert one.p_value == pytest.approx(two.p_value, rel=1e-12)


@pytest.mark.parametrize("many", [2**18, 3000, 800])
@pytest.mark.parametrize("options", [{}, {"by": "site"}, {"weights": "w", "weight_kind": "frequency"}])
def test_parts_add_up_to_the_whole_in_any_order(many, options, monkeypatch):
    monkeypatch.setattr(joint, "MANY", many)
    rows = drawn(2, 6000, "abc")
    whole = counted(rows, "abc", thresholds={"b": [0.3]}, **options).pairs
    parts = [
        counted({name: column[i::3] for name, column in rows.items()}, "abc", thresholds={"b": [0.3]}, **options)
        for i in range(3)
    ]
    for order in permutations(parts):
        found = sum(order).pairs
        assert found.bits == whole.bits
        assert {key: found.groups[key] == cells for key, cells in whole.groups.items()} == dict.fromkeys(
            whole.groups, True
        )
    assert (whole.bits < 16) == (many < 6000)
    pair = parts[0].of_scores(["c", "a"]).pairs
    alone = counted({name: column[::3] for name, column in rows.items()}, "ca", **options).pairs
    assert {key: own.positive.sum() for key, own in pair.groups.items()} == {
        key: own.positive.sum() for key, own in alone.groups.items()
    }


def test_groups_are_compared_by_themselves_and_parts_keep_their_pairs(tmp_path):
    rows = drawn(3, 3000, "abc")
    counts = counted(rows, "abc", by="site", thresholds=[0.2])
    counts.save(tmp_path / "c.parquet")
    again = th.Counts.load(tmp_path / "c.parquet")
    assert again == counts
    exact = th.evaluate(rows, ["a", "b", "c"], label="y", by="site")
    for key, group in th.evaluate(again).groups.items():
        for one, two in zip(group.compare(), exact.groups[key].compare(), strict=True):
            assert one.difference == pytest.approx(two.difference, abs=1e-4)
            assert one.standard_error == pytest.approx(two.standard_error, rel=1e-3)
    whole = counted(rows, "abc", thresholds=[0.2])
    assert counts.only({}).pairs.groups[()] == whole.pairs.groups[()]
    both = th.Counts.of_parts({"x": whole, "y": whole}, by="part")
    assert both.only({"part": "y"}).pairs.groups[()] == whole.pairs.groups[()]
    assert (counts + counts).pairs.groups[(0,)].positive.sum() == 2 * counts.pairs.groups[(0,)].positive.sum()


def test_a_threshold_that_was_not_counted_is_said(monkeypatch):
    monkeypatch.setattr(joint, "BITS", (6,))
    rows = drawn(5, 3000)
    found = th.evaluate(counted(rows, thresholds=[0.3]), threshold={"a": 0.3, "b": 0.287})
    said = found.compare("a", "b", measure="accuracy")
    assert not said.is_defined
    assert said.reason_code == "hidden-pairs"
    assert found.compare("a", "b").is_defined


def test_scores_of_any_size_are_kept():
    y = [1, 0, 1, 0, 1, 0]
    a, b = [np.inf, -np.inf, 3.0, 3.0, 1e300, 0.0], [0.1, 0.1, 0.1, 0.2, 1e-200, 0.0]
    counts = th.count(y, {"a": a, "b": b}, pairs=True)
    same(*(each.compare("a", "b") for each in (th.evaluate(counts), th.evaluate(y, {"a": a, "b": b}))))


def test_what_counts_lack_is_said(monkeypatch):
    rows = drawn(6, 500)
    apart = th.count(rows, ["a", "b"], label="y")
    with pytest.raises(OptionError, match="count with pairs=True"):
        th.evaluate(apart).compare("a", "b")
    mixed = apart + counted(rows)
    assert mixed.pairs is None
    with pytest.raises(OptionError, match="Count every part with pairs to compare"):
        th.evaluate(mixed).compare("a", "b")
    monkeypatch.setattr(joint, "MOST", 100)
    monkeypatch.setattr(joint, "MANY", 100)
    with pytest.raises(InputError, match="Count fewer scores at a time, fewer groups, or without pairs"):
        counted(rows)
