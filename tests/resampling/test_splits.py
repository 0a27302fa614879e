"""Folds and draws: what every split must obey, for any rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.resampling import (
    Bootstrap632,
    Bootstrap632Plus,
    BootstrapOOB,
    GroupKFold,
    Holdout,
    KFold,
    LeaveOneOut,
    OptimismBootstrap,
    RandomSubsampling,
    Resubstitution,
    TimeSplits,
)
from thresher.resampling.splits import SplitRows

truths = st.lists(st.integers(0, 3), min_size=12, max_size=60).map(lambda y: np.array(y, dtype=np.uint8))
grouped = truths.flatmap(
    lambda y: st.tuples(
        st.just(y), st.lists(st.integers(0, 8), min_size=len(y), max_size=len(y)).map(lambda g: _codes(np.array(g)))
    )
).filter(lambda pair: pair[1].max() >= 3)
seeds = st.integers(0, 2**32 - 1)


def _codes(values):
    return np.unique(values, return_inverse=True)[1]


def _splits(method, rows, rng=0):
    found = list(method.splits(rows, rng))
    assert len(found) == method.count(rows)
    return found


@given(truths, st.integers(2, 12), st.integers(1, 3), st.booleans(), seeds)
def test_every_row_is_judged_once_in_each_repeat_by_what_the_others_teach(truth, k, repeats, stratified, rng):
    splits = _splits(KFold(k, stratified=stratified, repeats=repeats), SplitRows(truth=truth), rng)
    for repeat in range(repeats):
        mine = [s for s in splits if s.repeat == repeat]
        assert [s.fold for s in mine] == list(range(k))
        assert np.array_equal(np.sort(np.concatenate([s.test for s in mine])), np.arange(len(truth)))
    for split in splits:
        assert np.array_equal(np.sort(np.concatenate([split.train, split.test])), np.arange(len(truth)))


@given(truths, st.integers(2, 12), seeds)
def test_stratified_folds_have_the_share_of_every_class_and_of_all_rows_within_one_row(truth, k, rng):
    splits = _splits(KFold(k), SplitRows(truth=truth), rng)
    sizes = [len(s.test) for s in splits]
    assert max(sizes) - min(sizes) <= 1
    for label in np.unique(truth):
        counts = [int((truth[s.test] == label).sum()) for s in splits]
        assert max(counts) - min(counts) <= 1


@given(truths, st.integers(2, 12), seeds)
def test_plain_folds_have_equal_sizes_within_one_row(truth, k, rng):
    sizes = [len(s.test) for s in _splits(KFold(k, stratified=False), SplitRows(truth=truth), rng)]
    assert max(sizes) - min(sizes) <= 1


def test_plain_folds_do_not_stratify():
    truth = np.repeat([0, 1], 50)
    rows = SplitRows(truth=truth)
    counts = {int(truth[s.test].sum()) for r in range(20) for s in _splits(KFold(5, stratified=False), rows, r)}
    assert len(counts) > 3


@given(grouped, st.integers(2, 4), st.booleans(), seeds)
def test_groups_are_never_split(pair, k, stratified, rng):
    truth, groups = pair
    rows = SplitRows(truth=truth, groups=groups)
    methods = [
        GroupKFold(k, stratified=stratified), KFold(k, stratified=stratified), Holdout(), RandomSubsampling(4),
        LeaveOneOut(), BootstrapOOB(4), Bootstrap632(4), OptimismBootstrap(4),
    ]  # fmt: skip
    for method in methods:
        for split in _splits(method, rows, rng):
            out = split.test if split.times is None else split.test[split.times[split.test] == 0]
            assert not set(groups[split.train]) & set(groups[out])
            if split.times is None:
                assert set(split.test) | set(split.train) == set(range(len(truth)))
    folds = _splits(GroupKFold(k, stratified=stratified), rows, rng)
    assert all(len(s.test) for s in folds)
    assert np.array_equal(np.sort(np.concatenate([s.test for s in folds])), np.arange(len(truth)))


def test_group_folds_even_out_the_classes():
    """Twelve groups, half of them all positive: every fold of three gets two of each kind."""
    groups = np.repeat(np.arange(12), 5)
    truth = (groups % 2).astype(np.uint8)
    for rng in range(20):
        for split in _splits(GroupKFold(3), SplitRows(truth=truth, groups=groups), rng):
            assert truth[split.test].sum() == 10


def test_unstratified_group_folds_even_out_the_sizes():
    groups = np.repeat(np.arange(6), [10, 1, 9, 2, 8, 3])
    rows = SplitRows(truth=np.zeros(33, dtype=np.uint8), groups=groups)
    assert sorted(len(s.test) for s in _splits(GroupKFold(3, stratified=False), rows)) == [11, 11, 11]


@given(truths, st.floats(0.1, 0.9), seeds)
def test_holdout_takes_its_share_and_that_of_every_class_within_one_row(truth, share, rng):
    (split,) = _splits(Holdout(test=share), SplitRows(truth=truth), rng)
    assert abs(len(split.test) - share * len(truth)) <= 0.5
    assert np.array_equal(np.sort(np.concatenate([split.train, split.test])), np.arange(len(truth)))
    for label in np.unique(truth):
        rows = int((truth == label).sum())
        assert abs(int((truth[split.test] == label).sum()) - rows * len(split.test) / len(truth)) < 1


@given(truths, seeds)
def test_subsampling_is_different_holdouts(truth, rng):
    splits = _splits(RandomSubsampling(5, test=0.25), SplitRows(truth=truth), rng)
    assert [s.repeat for s in splits] == [0, 1, 2, 3, 4]
    assert len({tuple(s.test) for s in splits}) > 1


@given(truths, seeds)
def test_leave_one_out_leaves_one_out(truth, rng):
    splits = _splits(LeaveOneOut(), SplitRows(truth=truth), rng)
    assert [s.test.tolist() for s in splits] == [[i] for i in range(len(truth))]
    assert all(len(s.train) == len(truth) - 1 and s.test[0] not in s.train for s in splits)


@given(truths, seeds)
def test_bootstrap_samples_hold_n_rows_and_judge_exactly_those_left_out(truth, rng):
    n = len(truth)
    for split in BootstrapOOB(5).splits(SplitRows(truth=truth), rng):
        assert len(split.train) == n
        assert set(split.test) == set(range(n)) - set(split.train)


def test_a_bootstrap_sample_covers_63_2_percent_of_the_rows():
    n, b = 1000, 400
    share = np.mean([len(np.unique(s.train)) / n for s in BootstrapOOB(b).splits(SplitRows(truth=np.zeros(n, int)), 1)])
    assert share == pytest.approx(1 - (1 - 1 / n) ** n, abs=0.002)
    assert share == pytest.approx(1 - np.exp(-1), abs=0.002)


@given(truths, seeds)
def test_the_632_family_and_optimism_learn_from_all_rows_first(truth, rng):
    rows, n = SplitRows(truth=truth), len(truth)
    for method in (Bootstrap632(3), Bootstrap632Plus(3), OptimismBootstrap(3)):
        first, *samples = _splits(method, rows, rng)
        assert np.array_equal(first.train, np.arange(n))
        assert np.array_equal(first.test, np.arange(n))
        assert (first.times == 1).all()
        assert len(samples) == 3
    for split in list(OptimismBootstrap(3).splits(rows, rng))[1:]:
        assert np.array_equal(split.times, np.bincount(split.train, minlength=n))
    (only,) = _splits(Resubstitution(), rows, rng)
    assert np.array_equal(only.train, only.test)
    assert len(_splits(Bootstrap632(3, apparent="per_sample"), rows, rng)) == 3


@given(st.integers(14, 60), st.integers(2, 5), st.integers(0, 3), st.sampled_from([None, 4]))
def test_time_splits_never_look_ahead(n, k, gap, window):
    splits = _splits(TimeSplits(k, gap=gap, window=window, test=2), SplitRows(truth=np.zeros(n, int)))
    assert np.concatenate([s.test for s in splits]).tolist() == list(range(n - 2 * k, n))
    for split in splits:
        assert split.train.max() == split.test.min() - gap - 1
        assert window is None or len(split.train) <= window


@pytest.mark.peer
@given(st.integers(12, 60), st.integers(2, 5))
def test_time_splits_are_those_of_scikit_learn(n, k):
    from sklearn.model_selection import TimeSeriesSplit

    ours = [(s.train.tolist(), s.test.tolist()) for s in _splits(TimeSplits(k), SplitRows(truth=np.zeros(n, int)))]
    theirs = [(a.tolist(), b.tolist()) for a, b in TimeSeriesSplit(k).split(np.zeros(n))]
    assert ours == theirs


@settings(max_examples=examples(20))
@given(truths, seeds)
def test_a_split_depends_on_the_seed_and_its_place_only(truth, rng):
    rows = SplitRows(truth=truth)
    for method in (KFold(3, repeats=2), BootstrapOOB(4), RandomSubsampling(4)):
        once, again = _splits(method, rows, rng), _splits(method, rows, rng)
        assert all(
            np.array_equal(a.test, b.test) and np.array_equal(a.train, b.train)
            for a, b in zip(once, again, strict=True)
        )
    more = _splits(BootstrapOOB(9), rows, rng)
    assert all(
        np.array_equal(a.train, b.train) for a, b in zip(_splits(BootstrapOOB(4), rows, rng), more, strict=False)
    )
    assert any(
        not np.array_equal(a.train, b.train) for a, b in zip(more, _splits(BootstrapOOB(9), rows, rng + 1), strict=True)
    )
