"""Saved assessments: the same to the last bit, or an error in words."""

import math
import pickle

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Decision, NearestMean, NearestNeighbour, three_classes, two_classes
from shares import few
from thresher.errors import OptionError

METHODS = [
    th.KFold(4, repeats=2), th.Holdout(), th.LeaveOneOut(), th.TimeSplits(3), th.RandomSubsampling(3),
    th.Resubstitution(), th.BootstrapOOB(5, average="sample"), th.Bootstrap632(5, apparent="per_sample"),
    th.Bootstrap632Plus(5, average="sample"),
    th.Bootstrap632Plus(5), th.OptimismBootstrap(5), th.Nested(th.KFold(3), th.KFold(2), measure="auc"),
]  # fmt: skip


@pytest.mark.parametrize("method", few(METHODS, 4), ids=lambda m: type(m).__name__)
def test_what_is_loaded_is_what_was_saved(method, tmp_path):
    X, y = two_classes(40, shift=0.6)
    a = th.assess({"p": NearestMean(), "d": Decision(), "l": NearestNeighbour()}, X, y, method=method, progress=False)
    a.save(tmp_path / "a.parquet")
    b = th.Assessment.load(tmp_path / "a.parquet")
    assert b.rows == a.rows
    assert b.splits == a.splits
    assert dict(b.judged) == dict(a.judged)
    assert (b.method, b.level, b.rng, b.measures, b.notes) == (a.method, a.level, a.rng, a.measures, a.notes)
    for name in a:
        assert repr(b[name]["matthews_correlation"]) == repr(a[name]["matthews_correlation"])
        assert b[name]["accuracy"] == a[name]["accuracy"]
    assert str(b) == str(a)
    for one in (a, b):
        copy = pickle.loads(pickle.dumps(one))
        assert copy.splits == a.splits
        assert str(copy) == str(a)


def test_other_programs_read_labels_and_names_beside_the_codes(tmp_path):
    import duckdb

    X, y = two_classes(40, shift=0.6)
    labels = np.where(y == 1, "ill", "wéll")
    found = th.assess({"a": NearestMean(), "b": NearestMean()}, X, labels, positive="ill", method="kfold:4")
    found.save(tmp_path / "a.parquet")
    read = "SELECT model, row, predicted, model_name, true_label, predicted_label FROM read_parquet(?)"
    rows = duckdb.execute(read, [str(tmp_path / "a.parquet")]).fetchall()
    assert len(rows) == 3 * 40
    for model, row, predicted, name, true, said in rows:
        assert name == {-1: None, 0: "a", 1: "b"}[model]
        assert true == labels[row]
        assert said == (None if predicted < 0 else found.classes[predicted])
    again = th.Assessment.load(tmp_path / "a.parquet")
    assert again["a"]["auc"] == found["a"]["auc"]


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


def test_posteriors_and_the_description_of_splits_of_others_are_saved(tmp_path):
    X, y = three_classes(60)
    a = th.assess({"a": NearestMean()}, X, y, method=[(np.arange(30), np.arange(30, 60))], level=0.9, progress=False)
    a.save(tmp_path / "a.parquet")
    b = th.Assessment.load(tmp_path / "a.parquet")
    assert (b.rows, dict(b.judged), b["a"]["hand_till"]) == (a.rows, dict(a.judged), a["a"]["hand_till"])
    assert b.method.summary == a.method.summary
    with pytest.raises(OptionError, match="only the description"):
        list(b.method.splits(None, 0))
