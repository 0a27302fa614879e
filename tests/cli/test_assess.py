"""`thresher assess`: its numbers are those of Python, its forms, what it says of the data, and what it refuses."""

import json
import os
import signal
import time

import numpy as np
import pytest

import thresher as th
from thresher.cli.assess_data import indicators
from thresher.resampling.nearest_mean import NearestMean

MEAN = "thresher.resampling.nearest_mean:NearestMean()"
RANDOM = np.random.default_rng(0)
Y = np.tile(["ill", "well"], 60)
X = RANDOM.normal(size=(120, 2)) + (Y == "ill")[:, None]
SITE = np.array(["a", "b", "c"] * 40)
LINES = [f"{y},{a:.6f},{b:.6f},{s},{i}" for i, (y, (a, b), s) in enumerate(zip(Y, X, SITE, strict=True))]
GIVEN = ("t.csv", "--label", "y", "--positive", "ill", "--estimator", MEAN)


@pytest.fixture(autouse=True)
def table(write):
    return write("t.csv", "y,a,b,site,id\n" + "\n".join(LINES) + "\n")


def by_hand(**options):
    rounded = np.round(X, 6)
    options = {"method": th.KFold(5), "measures": ["auc", "accuracy"], "positive": "ill", "progress": False} | options
    return th.assess(NearestMean(), rounded, Y, **options)


def test_numbers_are_those_of_python(run):
    done = run("assess", *GIVEN, "--drop", "id", "--drop", "site", "--method", "kfold:5", "--measure", "auc",
               "--measure", "accuracy", "--format", "json")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    want = json.loads(json.dumps(by_hand().to_dict()))
    model = found["models"]["NearestMean"]
    assert model["estimates"] == want["models"]["NearestMean"]["estimates"]
    assert model["folds"]["auc"] == want["models"]["NearestMean"]["folds"]["auc"]
    assert model["estimator"] == MEAN
    assert found["data"] == {"features": ["a", "b"], "encoded": {}, "dropped": 0, "notes": []}


def test_indicators_of_two_values_are_one_column_and_a_gap_is_a_value():
    two = indicators(np.array(["b", "a", "b"], dtype=object), "x", "t")
    assert {name: column.tolist() for name, column in two.items()} == {"b": [1.0, 0.0, 1.0]}
    gap = indicators(np.array(["b", None], dtype=object), "x", "t")
    assert list(gap) == ["(missing)"]


def test_groups_are_kept_whole_and_are_no_feature(run):
    done = run("assess", *GIVEN, "--drop", "id", "--groups", "site", "--method", "groups:3", "--measure", "auc",
               "--format", "json")  # fmt: skip
    found = json.loads(done.out)
    assert found["data"]["features"] == ["a", "b"]
    want = by_hand(method=th.GroupKFold(3), groups=SITE, measures=["auc"])["auc"]
    assert found["models"]["NearestMean"]["estimates"]["auc"]["value"] == want.value


@pytest.mark.peer
def test_pipelines_that_code_text_themselves_get_a_dataframe(run):
    spec = (
        "sklearn.pipeline:make_pipeline(sklearn.compose:make_column_transformer("
        "(sklearn.preprocessing:OneHotEncoder(), ['site']), ('passthrough', ['a', 'b'])), "
        "sklearn.linear_model:LogisticRegression())"
    )
    done = run("assess", *GIVEN[:5], "--estimator", spec, "--text", "keep", "--drop", "id", "--method", "kfold:3")
    assert done.code == 0, done.err
    assert "text is left to the estimator: 'site'." in done.err
    assert "LogisticRegression" in done.out


@pytest.mark.peer
@pytest.mark.filterwarnings("always:lbfgs")
def test_a_warning_of_every_fit_is_said_once(run):
    spec = "sklearn.linear_model:LogisticRegression(max_iter=1)"
    done = run("assess", *GIVEN[:5], "--drop", "id", "--drop", "site", "--method", "kfold:3", "--estimator", spec)
    assert (done.code, done.err.count("lbfgs failed to converge")) == (0, 1)
    assert done.err.rstrip().endswith("(3 times)")


SLOW = """
import pathlib, time
from thresher.resampling.nearest_mean import NearestMean

class Slow(NearestMean):
    def fit(self, X, y):
        done = pathlib.Path("fits")
        count = int(done.read_text()) + 1 if done.exists() else 1
        done.write_text(str(count))
        time.sleep(0.01 if count <= 3 else 60)
        return super().fit(X, y)
"""


def interrupted_in_the_fourth_fit(started, environment, write, tmp_path, *given):
    """Exit code, stdout and stderr of a command that got Ctrl-C while the fourth fit ran."""
    write("slow.py", SLOW)
    path = f"{environment()['PYTHONPATH']}{os.pathsep}{tmp_path}"
    ran = started("assess", *GIVEN[:5], "--estimator", "slow:Slow()", "--features", "a", "--measure", "auc", *given,
                  PYTHONPATH=path)  # fmt: skip
    until = time.monotonic() + 60
    while not (tmp_path / "fits").exists() or (tmp_path / "fits").read_text() != "4":
        assert time.monotonic() < until, "the fourth fit never began"
        time.sleep(0.05)
    time.sleep(0.3)  # until the fit sleeps: Python drops an interrupt that comes while it ends an object
    ran.send_signal(signal.SIGINT)
    out, err = (stream.decode() for stream in ran.communicate(timeout=60))
    assert (tmp_path / "fits").read_text() == "4"
    return ran.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--learning-curve", "--robustness", "noise")], ids=["alone", "before curves"])
def test_ctrl_c_shows_what_is_done(started, environment, write, tmp_path, more):
    code, out, err = interrupted_in_the_fourth_fit(started, environment, write, tmp_path, *more)
    assert code == 130
    assert "Interrupted after 3 of 10 fits" in out
    assert "AUC" in out
    assert "Interrupted after 3 of 10 fits" in err


@pytest.mark.slow
def test_ctrl_c_in_a_curve_shows_the_estimates(started, environment, write, tmp_path):
    given = ("--method", "kfold:3", "--learning-curve", "--robustness", "noise")
    code, out, err = interrupted_in_the_fourth_fit(started, environment, write, tmp_path, *given)
    assert code == 130
    assert "corrected resampled t over 3 folds" in " ".join(out.split())
    assert "Interrupted" not in out
    assert "interrupted: --learning-curve and everything after it is not shown." in err
