"""What pictures are drawn from, against a slow reading of the same rows; no drawing library is needed."""

import itertools

import numpy as np
import pytest

import thresher as th
from thresher.calibration.maps import BetaMap, LogisticMap, PiecewiseMap
from thresher.counts import ScoreTable
from thresher.curves import coverage_curve
from thresher.decisions import choose
from thresher.decisions.isometrics import iso_accuracy, precision_of_f_beta
from thresher.multiclass import roc_surface
from thresher.plot.matrices import CELLS, whole_people
from thresher.plot.side_by_side import pair_grid
from thresher.resampling import KFold, LeaveOneOut, RandomSubsampling, TimeSplits, split_roles

Y = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
S = [0.9, 0.8, 0.7, 0.6, 0.6, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def test_a_coverage_curve_counts_rows_at_every_threshold():
    curve = coverage_curve(ScoreTable.from_scores(Y, S))
    for x, y, cut in zip(curve.x, curve.y, curve.thresholds, strict=True):
        taken = [label for label, score in zip(Y, S, strict=True) if score >= cut]
        assert (x, y) == (taken.count(0), taken.count(1))
    weighted = coverage_curve(ScoreTable.from_scores(Y, S, weights=[2] * 11))
    assert weighted.y.tolist() == (2 * curve.y).tolist()


def test_a_grid_of_pairs_has_the_pairs_that_are_counted():
    model = th.evaluate(Y, S)["score"]
    grid = pair_grid(model.scores)
    assert [(grid == code).sum() for code in (2, 1, 0)] == [
        model.pairs.concordant, model.pairs.tied, model.pairs.discordant
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_a_surface_is_the_share_of_the_middle_class_and_its_integral_the_volume(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = 4, 3, 5
    y, s = np.repeat([1, 2, 3], sizes), rng.permutation(12) + np.repeat([0, 2, 4], sizes)
    s = s + rng.random(12) / 2
    found = roc_surface(y, s, points=61)
    a, b, c = (s[y == k] for k in (1, 2, 3))
    for i, j in ((0, 0), (15, 12), (30, 60), (60, 24), (45, 36)):
        u, v = found.first[i], found.last[j]
        cuts = [-np.inf, *np.sort(s)]
        best = max(
            ((b > low) & (b < high)).mean()
            for low, high in itertools.product(cuts, [*cuts[1:], np.inf])
            if (a <= low).mean() >= u - 1e-9 and (c >= high).mean() >= v - 1e-9
        )
        assert found.middle[i, j] == pytest.approx(best)
    # 60 is a multiple of both sizes, so that every step of the surface is a whole number of the grid's.
    assert found.middle[1:, 1:].mean() == pytest.approx(found.volume)
    assert found.volume == pytest.approx(np.mean([x < m < z for x, m, z in itertools.product(a, b, c)]))


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_precision_on_a_line_of_equal_f(beta: float) -> None:
    recall = np.array([0.3, 0.6, 0.9])
    precision = precision_of_f_beta(0.4, recall, beta=beta)
    known = ~np.isnan(precision)
    p, r = precision[known], recall[known]
    assert known.any()
    assert ((1 + beta**2) * p * r / (beta**2 * p + r)).tolist() == pytest.approx([0.4] * known.sum())


def test_a_choice_has_its_criterion_over_all_thresholds():
    table = ScoreTable.from_scores(Y, S)
    for criterion in ("max f1", "youden", "closest", "match_prevalence"):
        found = choose(table, criterion)
        assert found.curve.at(found.thresholds[0]) == pytest.approx(found.value)
        best = np.nanmin if criterion in ("closest", "match_prevalence") else np.nanmax
        assert best(found.curve.y) == pytest.approx(found.value)
    f1 = choose(table, "max f1").curve
    taken = [[label for label, score in zip(Y, S, strict=True) if score >= cut] for cut in f1.thresholds]
    assert f1.y.tolist() == pytest.approx([2 * sum(part) / (len(part) + sum(Y)) for part in taken])


@pytest.mark.parametrize("method", [KFold(k=3), LeaveOneOut(), RandomSubsampling(4), TimeSplits(k=3)])
def test_a_table_of_splits_says_who_trains_and_who_tests(method) -> None:
    found = split_roles(method, [0, 1] * 6, rng=7)
    table, count = found.codes, found.count
    assert len(table) == count
    if isinstance(method, KFold | LeaveOneOut):
        assert ((table == 3).sum(axis=0) == 1).all()
        assert ((table == 1).sum(axis=0) == count - 1).all()
    assert set(np.unique(table)) <= {0, 1, 3}


def test_people_are_whole_and_add_up():
    cells = th.ConfusionMatrix.from_counts([[97, 2], [1, 3]], labels=(0, 1)).cells
    found = whole_people(cells, 1000)
    assert sum(found.values()) == 1000
    assert all(abs(found[name] - 1000 * getattr(cells, name) / 103) < 1 for name in CELLS)


def test_points_of_a_map_are_what_it_gives():
    maps = (
        PiecewiseMap(method="isotonic", x=np.array([-2.0, 3.0]), y=np.array([0.1, 0.9])),
        LogisticMap(method="platt", intercept=1.0, slope=-2.0), LogisticMap(method="platt", intercept=1.0, slope=0.0),
        BetaMap(intercept=0.1, a=1.0, b=2.0, clip=1e-6),
    )  # fmt: skip
    for found in maps:
        x, y = found.points
        assert y.tolist() == found.transform(x).tolist()
    assert (maps[0].points[0][0], maps[0].points[0][-1]) == (-2.0, 3.0)
    assert sorted(maps[1].points[1])[0] == pytest.approx(0.0067, rel=0.01)


def test_ends_of_a_line_lie_on_the_square():
    line = iso_accuracy(0.8, prevalence=0.25)
    assert line.ends is not None
    (x0, x1), (y0, y1) = line.ends
    assert (x0, y0, y1) == pytest.approx((0.0, 0.2, 1.0))
    assert 3 * x1 + 0.2 == pytest.approx(1.0)
    assert iso_accuracy(1.6, prevalence=0.25).ends is None
