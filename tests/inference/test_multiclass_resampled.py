"""The bootstrap of several classes: each replicate against its rows, and intervals against other ones."""

import numpy as np
import pytest

from jackknifed import jackknife
from thresher.counts import ScoreTable
from thresher.inference import (
    Bootstrap,
    bootstrap_interval,
    multiclass_auc_estimates,
    multiclass_bootstrap,
    ordinal_volume_bootstrap,
    volume_interval,
)
from thresher.inference.multiclass.bootstrap import (
    STATISTICS,
    ClassUnits,
    auc_replicates,
    ordinal_replicates,
    volume_replicates,
)
from thresher.multiclass import Posteriors, conditional_auc, ordinal_volume, posterior_volume


def rows(n=60, classes=3, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    rng.shuffle(codes)
    scores = (np.eye(classes)[codes] + rng.normal(size=(n, classes))).round(1)
    return Posteriors.of(codes, scores, scores=True, weights=rng.integers(0, 4, n) if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_replicate_has_the_values_of_its_rows(weighted):
    given = rows(weighted=weighted)
    drawn = np.random.default_rng(1).integers(0, 3, (6, 60)).astype(np.uint8)
    names = STATISTICS[:-1]
    aucs, volumes = auc_replicates(given, names)(drawn), volume_replicates(given)(drawn)
    ordinal = ordinal_replicates(given.codes, given.matrix[:, 2], None, given.weights, "importance")[2](drawn)
    for r, times in enumerate(drawn):
        again = given.take(np.repeat(np.arange(60), times))
        auc = conditional_auc(again)
        want = [auc.hand_till, auc.hand_till_weighted, auc.macro, auc.weighted, auc.micro]
        assert aucs[r] == pytest.approx(want, rel=1e-12)
        assert volumes[r, 0] == pytest.approx(posterior_volume(again).value, rel=1e-12)
        want = ordinal_volume(again.codes, again.matrix[:, 2], weights=again.weights)
        assert ordinal[r, 0] == pytest.approx(want.value, rel=1e-12)


@pytest.mark.slow
def test_two_classes_have_the_bootstrap_of_the_auc():
    given = rows(80, 2)
    p = (1 / (1 + np.exp(-given.matrix[:, 1]))).round(3)
    table = ScoreTable.from_scores(given.codes == 1, p)
    for method in ("percentile", "basic", "bca"):
        config = Bootstrap(n=1500, method=method)
        found = multiclass_bootstrap(given.codes, np.column_stack([1 - p, p]), config)["hand_till"]
        want = bootstrap_interval(table, "auc", config)
        assert found.value == pytest.approx(want.value)
        # Other rows are drawn, as units stand in another order; the limits agree up to that.
        assert (found.low, found.high) == pytest.approx((want.low, want.high), abs=0.012)
        assert found.standard_error == pytest.approx(want.standard_error, rel=0.08)
        volume = multiclass_bootstrap(
            given.codes, np.column_stack([1 - p, p]), config, statistics=["posterior_volume"]
        )["posterior_volume"]
        assert (volume.low, volume.high) == pytest.approx((found.low, found.high), abs=1e-9)


def test_acceleration_is_that_of_the_jackknife():
    given = rows(50, 2, seed=4)
    p = (1 / (1 + np.exp(-given.matrix[:, 1]))).round(3)
    units = ClassUnits.of(given.codes)
    statistic = auc_replicates(Posteriors.of(given.codes, np.column_stack([1 - p, p])), ("hand_till",))
    left = np.concatenate([statistic(kept) for kept in units.left_out()])[:, 0]
    want = jackknife(ScoreTable.from_scores(given.codes == 1, p), "auc")
    influence = left.mean() - left
    assert (influence**3).sum() / (6 * (influence**2).sum() ** 1.5) == pytest.approx(want.acceleration, rel=1e-9)
    assert len(left) == 50
    assert sum(len(part) for part in units.left_out(7)) == 7


@pytest.mark.slow
def test_errors_are_near_those_of_the_formulas():
    given = rows(240, 3, seed=5)
    found = multiclass_bootstrap(given, config=Bootstrap(n=1000), statistics=STATISTICS)
    assert list(found) == list(STATISTICS)
    formulas = multiclass_auc_estimates(given)
    for name in STATISTICS[:-1]:
        assert found[name].value == formulas[name].value
        assert found[name].standard_error == pytest.approx(formulas[name].standard_error, rel=0.12)
    volume = volume_interval(posterior_volume(given))
    assert found["posterior_volume"].standard_error == pytest.approx(volume.standard_error, rel=0.12)
    ordinal = ordinal_volume_bootstrap(given.codes, given.matrix[:, 2], Bootstrap(n=1000, method="bca"))
    volume = volume_interval(ordinal_volume(given.codes, given.matrix[:, 2]))
    assert ordinal.standard_error == pytest.approx(volume.standard_error, rel=0.12)
    assert ordinal.low < volume.value < ordinal.high


def test_frequency_weights_draw_every_row_they_stand_for():
    given = rows(30)
    times = np.random.default_rng(3).integers(1, 4, 30)
    index = np.repeat(np.arange(30), times)
    config = Bootstrap(n=200)
    options = {"scores": True, "statistics": ["hand_till", "posterior_volume"]}
    weighted = multiclass_bootstrap(
        given.codes, given.matrix, config, weights=times, weight_kind="frequency", **options
    )
    repeated = multiclass_bootstrap(given.codes[index], given.matrix[index], config, **options)
    assert weighted == repeated
    one = ordinal_volume_bootstrap(given.codes, given.matrix[:, 2], config, weights=times, weight_kind="frequency")
    assert one == ordinal_volume_bootstrap(given.codes[index], given.matrix[index, 2], config)


def test_clusters_are_drawn_whole():
    given = rows(60)
    order = np.argsort(given.codes, kind="stable")
    given = given.take(order)
    groups = np.arange(60) // 5
    units = ClassUnits.of(given.codes, clusters=groups)
    assert units.drawn == "clusters within classes"
    for drawn in units.resamples(50, 0):
        per_group = drawn.reshape(50, 12, 5)
        assert (per_group == per_group[:, :, :1]).all()
        assert (drawn[:, :20].sum(axis=1) == 20).all()
    mixed = ClassUnits.of(given.codes, clusters=np.arange(60) % 7)
    assert mixed.drawn == "clusters of several classes"
    found = multiclass_bootstrap(given, config=Bootstrap(n=100, stratified=True), clusters=np.arange(60) % 7)
    assert "clusters of several classes" in found["hand_till"].method


def test_rows_drawn_together_may_lose_a_class_and_it_is_said():
    codes = np.array([0] * 20 + [1] * 20 + [2] * 2)
    scores = np.random.default_rng(0).normal(size=(42, 3)) + np.eye(3)[codes]
    config = Bootstrap(n=300, stratified=False)
    found = multiclass_bootstrap(codes, scores, config, scores=True)["hand_till"]
    assert "undefined in" in found.method
    assert "rows, seed" in found.method


def test_what_has_no_interval_says_why():
    codes = np.repeat([0, 1, 2], 4)
    perfect = multiclass_bootstrap(codes, np.eye(3)[codes], Bootstrap(n=50))["hand_till"]
    assert perfect.reason_code == "no-spread"
    absent = multiclass_bootstrap(codes, np.full((12, 4), 0.25), Bootstrap(n=50), labels=[0, 1, 2, 3])["hand_till"]
    assert "a class is empty" in absent.reason


def test_progress_and_seed():
    given, seen = rows(), []
    config = Bootstrap(n=100, rng=7)
    first = multiclass_bootstrap(given, config=config, progress=lambda done, wanted: seen.append((done, wanted)))
    assert seen[-1] == (100, 100)
    assert first == multiclass_bootstrap(given, config=config)
    assert first != multiclass_bootstrap(given, config=Bootstrap(n=100, rng=8))
