"""joblib's Spark backend on a local Spark of two workers: the same numbers as one worker.

Spark is large and needs Java, so these tests run when they are asked for: pip install pyspark joblibspark, then
pytest -m spark.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from doc_blocks import blocks
from resampling_definitions import Drawing, Failing, NearestMean, two_classes
from thresher.errors import FitError

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

X, y = two_classes(60)


@pytest.fixture(scope="module")
def spark():
    """Session of two local workers, known to joblib."""
    from joblibspark import register_spark
    from pyspark.sql import SparkSession

    tests = str(Path(__file__).parents[1])
    os.environ |= {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    register_spark()
    yield session
    session.stop()


@pytest.mark.parametrize("method", ["repeated:2x3", "632plus:6"])
@pytest.mark.usefixtures("spark")
def test_spark_gives_the_same_numbers(method):
    import joblib

    class Placed(NearestMean):
        """Remembers the process in which it was fitted."""

        def fit(self, X, y):
            self.process = os.getpid()
            return super().fit(X, y)

    models = {"mean": Placed(), "draws": Drawing()}
    want = th.assess(models, X, y, method=method, progress=False)
    with joblib.parallel_config("spark", n_jobs=2):
        found = th.assess(models, X, y, method=method, progress=False, keep_models=True)
    assert os.getpid() not in {model.process for model in found.judged["mean"].fitted}
    assert found.splits == want.splits
    for name in models:
        assert np.array_equal(found.judged[name].predicted, want.judged[name].predicted)
    assert found["mean"]["auc"] == want["mean"]["auc"]


@pytest.mark.usefixtures("spark")
def test_a_failure_on_spark_names_its_fold():
    with pytest.raises(FitError, match="the fit of 'f' failed in fold 1"):
        th.assess({"f": Failing({1})}, X, y, method="kfold:3", n_jobs=2, backend="spark", progress=False)


@pytest.mark.usefixtures("spark")
def test_the_block_of_the_page_runs():
    """Of one repeat and two workers, instead of a hundred and 64."""
    [text] = [block.text for block in blocks("docs/study.md") if "joblibspark" in block.text]
    names = {"th": th, "models": NearestMean(), "X": X, "y": np.where(y, "malignant", "benign")}
    exec(text.replace("repeats=100", "repeats=1").replace("KFold(10", "KFold(3").replace("64", "2"), names)
    assert names["study"]["auc"].value > 0.5
