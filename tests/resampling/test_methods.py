"""Methods as values and as text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import OptionError
from thresher.resampling import (
    Bootstrap632,
    Bootstrap632Plus,
    BootstrapOOB,
    GroupKFold,
    Holdout,
    KFold,
    LeaveOneOut,
    Nested,
    OptimismBootstrap,
    RandomSubsampling,
    Resubstitution,
    TimeSplits,
    method_of,
)
from thresher.resampling.foreign import Splitter
from thresher.resampling.method_forms import as_method
from thresher.resampling.splits import SplitRows


@pytest.mark.parametrize(("text", "method"), [
    ("kfold", KFold(10)), ("kfold:5", KFold(5)), ("K-Fold : 5", KFold(5)), ("cv:3", KFold(3)),
    ("repeated", KFold(10, repeats=5)), ("repeated:3x7", KFold(7, repeats=3)), ("5x2", KFold(2, repeats=5)),
    ("loo", LeaveOneOut()), ("leave_one_out", LeaveOneOut()), ("holdout", Holdout()),
    ("holdout:0.25", Holdout(test=0.25)), ("holdout:1/4", Holdout(test=0.25)), ("holdout:100", Holdout(test=100)),
    ("subsampling:20", RandomSubsampling(20)), ("groups:4", GroupKFold(4)), ("time:4", TimeSplits(4)),
    ("nested", Nested(KFold(5), KFold(5))), ("nested:5x3", Nested(KFold(5), KFold(3))), ("oob", BootstrapOOB(200)),
    ("bootstrap:50", BootstrapOOB(50)), ("632:50", Bootstrap632(50)), (".632:50", Bootstrap632(50)),
    ("bootstrap632:200", Bootstrap632(200)), ("632+:50", Bootstrap632Plus(50)),
    ("bootstrap632plus:50", Bootstrap632Plus(50)), ("optimism:50", OptimismBootstrap(50)),
    ("resubstitution", Resubstitution()),
])  # fmt: skip
def test_text_forms(text, method):
    assert method_of(text) == method


def test_what_a_method_may_be_given_as():
    assert as_method(KFold(3)) == KFold(3)
    assert as_method("kfold:3") == as_method(3) == KFold(3)
    for wrong in (KFold, None, 2.5, object()):
        with pytest.raises(OptionError):
            as_method(wrong)


class Halves:
    def split(self, X, y=None, groups=None):  # noqa: ARG002
        n = len(X)
        yield np.arange(n // 2), np.arange(n // 2, n)
        yield np.arange(n // 2, n), np.arange(n // 2)


def test_any_object_with_split_serves_and_partitions_are_repeats():
    rows = SplitRows(truth=np.zeros(8, dtype=int))
    found = list(Splitter(Halves()).splits(rows, 0))
    assert [(s.repeat, s.fold) for s in found] == [(0, 0), (0, 1)]
    pairs = [([0, 1, 2, 3], [4, 5]), ([0, 1, 2, 3], [4, 6])]
    assert [(s.repeat, s.fold) for s in as_method(pairs).splits(rows, 0)] == [(0, 0), (1, 0)]
    mask = np.arange(8) < 4
    (split,) = as_method([(mask, ~mask)]).splits(rows, 0)
    assert split.test.tolist() == [4, 5, 6, 7]


def test_what_a_splitter_gives_serves_as_often_as_a_list():
    rows = SplitRows(truth=np.zeros(8, dtype=int))
    method = as_method(Halves().split(np.zeros(8)))
    assert method.count(rows) == 2
    assert [len(list(method.splits(rows, 0))) for _ in range(2)] == [2, 2]
    assert method.summary == "2 given splits"


@given(st.text(max_size=12))
def test_any_text_is_a_method_or_an_error_in_words(text):
    try:
        found = method_of(text)
    except OptionError:
        return
    assert hasattr(found, "combine")
