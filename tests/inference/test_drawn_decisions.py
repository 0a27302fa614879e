"""Resamples of decisions, drawn as rows that are decided alike, against resamples of the rows themselves."""

import numpy as np
import pytest

import thresher as th
from thresher import kernel
from thresher.counts import Cells
from thresher.inference.bootstrap import sample
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.intervals import bootstrap_difference, bootstrap_interval, bootstrap_replicates
from thresher.measures import find
from thresher.predictions import Categories, Predictions

CUTS = {"a": 0.5, "b": 0.4}
MEASURES = ("f1", "expected_cost(fp=1, fn=40)", "precision", "accuracy")
COST = {"cost_fp": 1, "cost_fn": 40}


def columns(n=150, seed=3):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    shared = rng.normal(size=n)
    return {"y": y} | {
        name: 1 / (1 + np.exp(-(lift * y + shared + rng.normal(size=n) - 1))) for name, lift in (("a", 2), ("b", 1))
    }


def predictions(found, **options):
    truth = found["y"].astype(np.uint8)
    return Predictions(truth=truth, classes=(0, 1), scores={name: found[name] for name in "ab"}, **options)


def value(truth, decided, measure, **parameters):
    matrix = th.ConfusionMatrix.from_predictions(truth, decided.astype(int), positive=1, labels=[1, 0])
    return float(find(measure)(matrix, **parameters))


def values_of_each(truth, decided, measure, **parameters):
    """Values of every resample, a row of truth and decisions for each."""
    cells = {"tp": truth & decided, "fp": ~truth & decided, "fn": truth & ~decided, "tn": ~truth & ~decided}
    return find(measure)(Cells.of(**{name: cell.sum(axis=1) for name, cell in cells.items()}), **parameters)


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize(("measure", "parameters"), [("f1", {}), ("expected_cost", COST)])
def test_values_are_spread_as_those_of_resampled_rows(stratified, measure, parameters):
    """Means, deviations, quantiles and the correlation of two models, each within four standard errors or so."""
    found, n = columns(), 3000
    config = Bootstrap(n=n, stratified=stratified)
    ours = bootstrap_replicates(
        predictions(found), measure, config, models=("a", "b"), threshold=0.5, **parameters
    ).values[:, :, 0]
    draws, rows = np.random.default_rng(11), np.arange(150)
    strata = [rows[found["y"] == side] for side in (0, 1)] if stratified else [rows]
    index = np.concatenate([draws.choice(stratum, (n, stratum.size)) for stratum in strata], axis=1)
    truth, decided = found["y"][index] == 1, [found[name][index] >= 0.5 for name in "ab"]
    theirs = np.stack([values_of_each(truth, said, measure, **parameters) for said in decided], axis=1)
    for one, two in (*zip(ours.T, theirs.T, strict=True), (ours[:, 0] - ours[:, 1], theirs[:, 0] - theirs[:, 1])):
        deviation = two.std()
        assert one.mean() == pytest.approx(two.mean(), abs=4 * deviation * (2 / n) ** 0.5)
        assert one.std() == pytest.approx(deviation, rel=0.08)
        for share, factor in ((0.025, 2.7), (0.5, 1.26), (0.975, 2.7)):  # √(p(1 − p))/φ(z_p)
            assert np.quantile(one, share) == pytest.approx(
                np.quantile(two, share), abs=4 * factor * deviation * (2 / n) ** 0.5
            )
    assert np.corrcoef(ours.T)[0, 1] == pytest.approx(np.corrcoef(theirs.T)[0, 1], abs=0.08)


@pytest.mark.parametrize("options", [
    {}, {"bootstrap": 100}, {"bootstrap": Bootstrap(n=100, method="bca", rng=4)},
    {"bootstrap": Bootstrap(n=100, method="basic", stratified=False)},
])  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_and_counts_give_the_same_numbers(options, weighted):
    """Rows were drawn one by one, and counts as cells, by another stream and another test."""
    rows = columns() | {"w": np.random.default_rng(0).integers(0, 4, 150)}
    how = {"label": "y"} | ({"weights": "w", "weight_kind": "frequency"} if weighted else {})
    exact = th.evaluate(rows, ["a", "b"], threshold=CUTS, **how)
    thresholds = {name: [cut] for name, cut in CUTS.items()}
    counts = th.evaluate(th.count(rows, ["a", "b"], pairs=True, thresholds=thresholds, **how), threshold=CUTS)
    for measure in MEASURES:
        assert counts.compare("a", "b", measure=measure, **options) == exact.compare(
            "a", "b", measure=measure, **options
        )


def test_weights_are_as_many_rows():
    found, weights = columns(), np.random.default_rng(1).integers(1, 4, 150)
    weighted = predictions(found, weights=weights.astype(float), weight_kind="frequency")
    repeated = predictions({name: np.repeat(values, weights) for name, values in found.items()})
    for method in ("percentile", "bca"):
        config = Bootstrap(n=50, method=method)
        one, two = (bootstrap_difference(x, "a", "b", "f1", config, threshold=0.5) for x in (weighted, repeated))
        assert (one.value, one.interval(0.95), one.p()) == (two.value, two.interval(0.95), two.p())
        one, two = (bootstrap_interval(x, "f1", config, model="a", threshold=0.5) for x in (weighted, repeated))
        assert one == two


@pytest.mark.parametrize("stratified", [True, False])
def test_heavy_rows_are_drawn_by_their_weights(stratified, monkeypatch):
    """The same draws as of repeated rows, and with still heavier weights draws that scatter alike."""
    found, weights = columns(), np.random.default_rng(1).integers(0, 4, 150)
    rows = predictions(found, weights=weights.astype(float), weight_kind="frequency")
    config = Bootstrap(n=400, stratified=stratified)

    def values(measure):
        return bootstrap_replicates(rows, measure, config, models=("a", "b")).values[..., 0]

    for measure in ("average_precision", "brier_score"):
        repeated = values(measure)
        with monkeypatch.context() as patch:
            patch.setattr(sample, "FOLDED", 0)
            assert values(measure) == pytest.approx(repeated, rel=1e-12)
            patch.setattr(sample, "DRAWN_AT_ONCE", 0)
            at_once = values(measure)
        assert np.cov(at_once.T) == pytest.approx(np.cov(repeated.T), rel=0.3)
        assert at_once.mean(axis=0) == pytest.approx(repeated.mean(axis=0), abs=repeated.std() / 5)


@pytest.mark.parametrize("kind", ["importance", "clusters"])
def test_rows_that_do_not_count_alike_are_drawn_themselves(kind):
    found, config = columns(), Bootstrap(n=8, stratified=False)
    weights = np.random.default_rng(5).random(150) if kind == "importance" else np.ones(150)
    unit = np.arange(150) if kind == "importance" else np.arange(150) // 3
    options = {"weights": weights, "weight_kind": "importance"} if kind == "importance" else {}
    rows = predictions(found, **options, **({"cluster": Categories.of(unit)} if kind == "clusters" else {}))
    values = bootstrap_replicates(rows, "f1", config, models=("a", "b"), threshold=0.5).values
    for drawn, pair in zip(kernel.draws([unit[-1] + 1], config.n, seed=0), values[:, :, 0], strict=True):
        for name, ours in zip("ab", pair, strict=True):
            times = weights * drawn[unit]
            tp, called, positive = (
                times[which].sum()
                for which in (
                    (found[name] >= 0.5) & (found["y"] == 1), found[name] >= 0.5, found["y"] == 1,
                )
            )  # fmt: skip
            assert ours == pytest.approx(2 * tp / (called + positive))


def test_the_acceleration_is_that_of_each_row_left_out():
    found = columns()
    config = Bootstrap(n=999, method="bca")
    drawn = bootstrap_replicates(predictions(found), "f1", config, models=("a", "b"), threshold=0.5)
    left = np.array(
        [[value(np.delete(found["y"], i), np.delete(found[name], i) >= 0.5, "f1") for name in "ab"] for i in range(150)]
    )
    influence = -(left[:, 0] - left[:, 1])
    influence -= influence.mean()
    from thresher.inference.bootstrap.intervals import unit_by_unit
    from thresher.inference.variance import differences

    pair = zip(drawn.sample.models, drawn.statistics, strict=True)
    one, two = (unit_by_unit(drawn.sample, scored, resolved[0]) for scored, resolved in pair)
    assert differences(one, two).acceleration == pytest.approx(
        (influence**3).sum() / (6 * (influence**2).sum() ** 1.5), rel=1e-9
    )


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_no_row_is_drawn(direction, monkeypatch):
    """Ten million rows took minutes, and two thousand resamples of eight numbers take a moment."""
    for name in ("draws", "replicates"):
        monkeypatch.setattr(kernel, name, lambda *_given, **_options: pytest.fail("rows are drawn one by one"))
    found = columns()
    ev = th.evaluate(found, ["a", "b"], label="y", threshold=CUTS, direction=direction)
    for measure in MEASURES:
        for options in ({}, {"bootstrap": 50}):
            assert ev.compare("a", "b", measure=measure, **options).low is not None
        assert "bootstrap" in ev["a"].estimate(measure, bootstrap=50).method
    halves = th.evaluate(found | {"half": np.arange(150) % 2}, ["a"], label="y", threshold=0.5, by="half")
    assert all(each.low is not None for each in halves.compare(by="half", measure="f1", bootstrap=50))


@pytest.mark.filterwarnings("error")
def test_infinite_losses_of_groups_are_said_without_a_warning_of_numpy():
    rows = {"y": [1, 0, 1, 0] * 3, "s": [0.0, 0.2, 0.8, 1.0] * 3, "g": ["p", "q"] * 6}
    (found,) = th.evaluate(rows, "s", label="y", by="g").compare(by="g", measure="log_loss")
    assert found.reason_code == "infinite"
