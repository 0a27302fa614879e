"""Saved assessments: the same to the last bit, or an error in words."""

import pickle

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Decision, NearestMean, NearestNeighbour, two_classes
from shares import few
from thresher.errors import SavedFormError

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


def test_what_is_no_saved_assessment_is_said(tmp_path):
    with pytest.raises(SavedFormError, match="there is no file"):
        th.Assessment.load(tmp_path / "none.parquet")
    rows = th.evaluate([1, 0], [0.9, 0.1]).predictions
    rows.save(tmp_path / "rows.parquet")
    with pytest.raises(SavedFormError, match="not a saved"):
        th.Assessment.load(tmp_path / "rows.parquet")
    (tmp_path / "text.parquet").write_text("no Parquet")
    with pytest.raises(SavedFormError):
        th.Assessment.load(tmp_path / "text.parquet")


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
