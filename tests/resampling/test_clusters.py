"""joblib's backends: a real Dask cluster of this machine gives the same numbers as one worker."""

import numpy as np
import pytest

import thresher as th
from doc_blocks import blocks
from thresher.resampling import FeatureNoise, KFold, learning_curve, robustness

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of their own, without a dashboard."""
    from dask.distributed import Client, LocalCluster

    made = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True)
    with made, Client(made) as client:
        yield client


@pytest.fixture(scope="module")
def rows():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :8], y


def models():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {"lr": make_pipeline(StandardScaler(), LogisticRegression()), "rf": RandomForestClassifier(5)}


def test_the_fits_run_on_the_workers(cluster, rows):
    import joblib

    with joblib.parallel_config("dask"):
        found = th.assess(models(), *rows, method=KFold(5), progress=False)
    ran = cluster.run(lambda dask_worker: dask_worker.state.executed_count)
    assert len(ran) == 2
    assert sum(ran.values()) >= 10
    want = th.assess(models(), *rows, method=KFold(5), progress=False)
    for name in models():
        one, two = found[name].source.judged, want[name].source.judged
        np.testing.assert_array_equal(one.scores, two.scores)
        np.testing.assert_array_equal(one.predicted, two.predicted)
        assert found[name]["auc"] == want[name]["auc"]


def test_a_backend_can_be_named_in_the_call(cluster, rows):
    found = th.assess(models()["lr"], *rows, method=KFold(3), progress=False, n_jobs=-1, backend="dask")
    assert cluster.status == "running"
    assert found["auc"] == th.assess(models()["lr"], *rows, method=KFold(3), progress=False)["auc"]


def test_series_are_the_same_on_a_cluster(cluster, rows):
    import joblib

    assert cluster.status == "running"
    options = {"method": KFold(3), "progress": False}
    noise = FeatureNoise(levels=(0, 1), draws=2)
    with joblib.parallel_config("dask"):
        robust, curve = robustness(models(), *rows, noise, **options), learning_curve(models(), *rows, **options)
    assert robust == robustness(models(), *rows, noise, **options)
    assert curve == learning_curve(models(), *rows, **options)


def test_the_block_of_the_page_runs(cluster, rows):
    """Of one repeat instead of a hundred."""
    import joblib

    [text] = [block.text for block in blocks("docs/study.md") if "dask.distributed" in block.text]
    text = text.replace("tcp://scheduler:8786", cluster.scheduler.address).replace("repeats=100", "repeats=1")
    X, y = rows
    y = y.map({0: "malignant", 1: "benign"})
    names = {"th": th, "models": models()["lr"], "X": X, "y": y, "joblib": joblib}
    exec(text.replace("KFold(10", "KFold(3"), names)
    assert names["study"]["auc"].value > 0.9
