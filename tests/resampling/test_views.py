"""What an assessment shows: averaged curves, tables, dictionaries, dataframes, seconds."""

import math

import numpy as np
import pytest

import thresher as th
from resampling_definitions import NearestMean, NearestNeighbour, two_classes
from thresher.errors import TaskError


def test_curves_averaged_over_the_folds_are_those_of_the_fold_tables():
    from thresher.inference.curves.averaged import averaged_curve

    X, y = two_classes(120, shift=0.7)
    a = th.assess({"m": NearestMean()}, X, y, method="repeated:2x4", progress=False)["m"]
    tables = []
    for split in range(8):
        part = a.source.splits.part(split)
        tables.append(th.ScoreTable.from_scores(y[a.source.splits.row[part]], a.source.judged.scores[part]))
    ours, theirs = a.average_roc(), averaged_curve(tables)
    assert ours.area.value == pytest.approx(theirs.area.value)
    assert np.allclose(ours.curve.y, theirs.curve.y)
    assert repr(ours.area) == repr(a.fold_mean("auc"))
    # The variance of a mean of 8 dependent splits is (1/8 + ρ/(1 − ρ))·s², not s²/8; a fourth of the rows is judged.
    correlation = 0.25 * 1.75 / 1.25
    inside = (ours.band.low > 0) & (ours.band.high < 1) & (theirs.band.low > 0) & (theirs.band.high < 1)
    wider = (ours.band.high - ours.band.low)[inside] / (theirs.band.high - theirs.band.low)[inside]
    assert inside.sum() > 5
    assert wider == pytest.approx(np.sqrt((1 / 8 + correlation / (1 - correlation)) * 8), rel=1e-6)
    assert (ours.band.low <= theirs.band.low).all()
    assert (ours.band.high >= theirs.band.high).all()
    assert repr(a.average_roc("pooled")) == repr(averaged_curve(tables, how="pooled"))
    assert np.array_equal(a.average_roc(interval="t").band.low, theirs.band.low)
    assert len(a.average_pr("threshold").average.tables) == 8
    labels = th.assess(NearestNeighbour(), X, y, method="kfold:3", progress=False)["NearestNeighbour"]
    with pytest.raises(TaskError):
        labels.average_roc()


@pytest.mark.peer
def test_the_frame_has_pooled_values_and_the_spread_of_the_folds():
    X, y = two_classes(90, shift=0.7)
    a = th.assess({"m": NearestMean()}, X, y, method="kfold:5", measures=["accuracy", "auc"], progress=False)
    frame = a.to_frame()
    assert frame["fold_sd"].to_list() == [a["m"].values(m).std(ddof=1) for m in ("accuracy", "auc")]
    assert frame["pooled"].to_list() == [a["m"].pooled(m).value for m in ("accuracy", "auc")]
    holdout = th.assess({"m": NearestMean()}, X, y, method="holdout", progress=False)
    assert "pooled" not in holdout.to_frame().columns
    assert math.isnan(holdout["m"].fold_sd("accuracy"))


def test_seconds_are_recorded_for_every_fit():
    X, y = two_classes(90)
    a = th.assess(NearestMean(), X, y, method="kfold:3", progress=False).judged["NearestMean"]
    assert (a.fit_seconds > 0).all()
    assert (a.predict_seconds > 0).all()
    assert (a.score_seconds > 0).all()
    assert a.fitted == ()
    kept = th.assess(NearestMean(), X, y, method="kfold:3", progress=False, keep_models=True).judged["NearestMean"]
    assert [type(model) for model in kept.fitted] == [NearestMean] * 3
