"""What a report of an assessment shows beside its numbers: splits, mean ranks over folds, facts of the models."""

import numpy as np
import pytest
from scipy.stats import rankdata

import thresher as th
from thresher.report.blocks import SplitParts
from thresher.report.render.html.plots import picture_of
from thresher.report.sections.assessment import facts, in_order, ranks, ranks_dict
from thresher.resampling import BootstrapOOB, KFold, TimeSplits
from thresher.resampling.data import splits_of_seed
from thresher.resampling.nearest_mean import NearestMean
from thresher.resampling.splits import BOTH, NEITHER, TESTS, TRAINS, row_parts

RNG = np.random.default_rng(20)
Y = RNG.integers(0, 2, 90)
X = RNG.normal(size=(90, 3)) + Y[:, None] * np.array([1.2, 0.5, 0.0])


class Column(NearestMean):
    """Nearest mean of one column, which leaves a mark of having been fitted."""

    def __init__(self, place=0):
        self.place = place

    def fit(self, X, y):
        self.coef_ = np.eye(3)[[self.place]]
        return super().fit(X[:, [self.place]], y)

    def decision_function(self, X):
        return super().decision_function(X[:, [self.place]])


def assessed(models=3, method=None, **options):
    named = {name: Column(place) for place, name in enumerate(("first", "second", "third")[:models])}
    options = {"method": method or KFold(5), "measures": ["accuracy", "auc"], "progress": False} | options
    return th.assess(named, X, Y, positive=1, **options)


@pytest.fixture(scope="module")
def three():
    return assessed(keep_models=True)


@pytest.mark.parametrize("method", [KFold(5), TimeSplits(k=4, gap=3, window=30), BootstrapOOB(3)])
def test_parts_of_rows_are_those_of_the_splits(method):
    found = assessed(1, method)
    parts = row_parts(splits_of_seed(found.method, found.rows, found.rng), found.n, 20)
    assert len(parts) == len(found.pairs())
    for line, (train, test) in zip(parts, found.pairs(), strict=True):
        often = {row: int((train == row).sum()) for row in range(found.n)}
        expected = [
            (BOTH if often[r] else TESTS) if r in set(test.tolist()) else min(often[r], 2) for r in range(found.n)
        ]
        assert line.tolist() == expected


def test_rows_stand_in_the_order_in_which_they_are_judged():
    parts = np.array([[TRAINS, TESTS, NEITHER, TRAINS], [TESTS, TRAINS, NEITHER, TESTS]], dtype=np.int8)
    assert in_order(parts).tolist() == [[NEITHER, TESTS, TRAINS, TRAINS], [NEITHER, TRAINS, TESTS, TESTS]]
    assert in_order(np.tile(parts, 100), most=8).tolist() == np.repeat(in_order(parts), 2, axis=1).tolist()


def test_a_picture_of_splits_has_a_run_for_every_part():
    parts = np.array([[TRAINS, TRAINS, TESTS], [TESTS, TRAINS, TRAINS]], dtype=np.int8)
    drawn = picture_of(SplitParts(parts=parts, description="two"), "x")
    assert 'class="part p1" d="M0 7h480M240 21h480"' in drawn
    assert 'class="part p3" d="M480 7h240M0 21h240"' in drawn
    assert "does both" not in drawn


def test_ranks_over_folds_are_those_of_scipy(three):
    values = np.column_stack([three[name].values("auc") for name in three])
    expected = dict(zip(three, rankdata(-values, axis=1).mean(axis=0), strict=True))
    found = ranks_dict(three)
    assert found["measure"] == "auc"
    assert found["mean_ranks"] == pytest.approx(expected)
    assert found["n"] == 5
    assert "Compare two models to learn which is better" in ranks(three).remarks[-1]


def test_repeats_do_not_count_rows_twice_and_two_models_have_no_ranks():
    assert ranks_dict(assessed(method=KFold(5, repeats=2)))["n"] == 5
    assert ranks(assessed(2)) is None
    assert ranks(assessed(method=BootstrapOOB(4))) is None


def test_facts_are_those_of_every_fit(three):
    rows = {row[:2]: row[2].text for row in facts(three).rows}
    assert rows[("second", "non-zero coefficients")] == "1"
    assert facts(assessed(1)) is None
