"""How fits are run: failures, interruption, progress, workers."""

import io
import sys
import warnings

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Always, Drawing, Failing, NearestMean, two_classes
from thresher.errors import FitError, InterruptedWarning, MissingDependencyError

X, y = two_classes(40)


def test_a_failure_names_the_model_and_the_fold():
    with pytest.raises(
        FitError, match=r"the fit of 'f' failed in fold 2 of repeat 2 \(10 rows to judge\): ValueError: no luck"
    ) as caught:
        th.assess({"f": Failing({6})}, X, y, method=th.KFold(4, repeats=2), progress=False)
    assert "in fit" in caught.value.__notes__[0]


def test_failures_are_skipped_when_asked_counted_and_shown():
    a = th.assess({"f": Failing({2, 3}), "m": NearestMean()}, X, y, method="kfold:4", on_error="skip", progress=False)
    assert a.judged["f"].done.tolist() == [True, False, False, True]
    assert a.judged["m"].done.all()
    assert a.judged["f"].errors == {1: "ValueError: no luck", 2: "ValueError: no luck"}
    assert any(
        note.startswith("f: 2 of 4 fits failed and are left out, first in fold 2: ValueError") for note in a.notes
    )
    assert np.isnan(a["f"].values("accuracy")[1:3]).all()
    hits = [(y[a.splits.row[a.splits.part(s)]] == 0).mean() for s in (0, 3)]
    assert a["f"]["accuracy"].value == pytest.approx(np.mean(hits))
    assert a["f"].fold_columns()["error"] == [None, "ValueError: no luck", "ValueError: no luck", None]
    assert not a.is_complete
    assert a.evaluation.n == 20
    assert (
        "is undefined in 2 of 4 splits, first in fold 2: the fit failed"
        in a.compare("f", "m", measure="accuracy").reason
    )


def test_a_prediction_that_is_no_number_is_a_failure():
    class Nan(NearestMean):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(FitError, match=r"predict_proba of .* gave NaN"):
        th.assess(Nan(), X, y, progress=False)


def test_interruption_keeps_what_is_done_and_says_so():
    models = {"m": NearestMean(), "f": Failing({3}, KeyboardInterrupt())}
    with pytest.warns(InterruptedWarning, match="Interrupted after 5 of 8 fits"):
        a = th.assess(models, X, y, method="kfold:4", progress=False)
    assert a.is_interrupted
    assert not a.is_complete
    assert a.judged["m"].done.tolist() == [True, True, True]
    assert a.judged["f"].done.tolist() == [True, True, False]
    assert a["m"].values("accuracy").shape == (3,)
    assert a["m"]["accuracy"].value == pytest.approx(a["m"].values("accuracy").mean())
    assert "interrupted" in [note.code for note in a.notes]
    assert "failed-fits" not in [note.code for note in a.notes]


def test_interruption_before_the_first_fit_ends():
    with pytest.raises(KeyboardInterrupt):
        th.assess(Failing({1}, KeyboardInterrupt()), X, y, method="kfold:4", progress=False)


INTERRUPTED = """
import os, signal, sys, warnings
sys.path.insert(0, 'tests')
import thresher as th
from resampling_definitions import Always, two_classes

def interrupt(done, total, text):
    if done == 3:
        os.kill(os.getpid(), signal.SIGINT)

if __name__ == '__main__':
    # A job that a shell started in the background ignores the signal until it is told otherwise.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter('always')
    jobs = None if sys.argv[1] == '0' else int(sys.argv[1])
    found = th.assess(Always(), *two_classes(), method='repeated:200x5', n_jobs=jobs, progress=interrupt)
    print(found.is_interrupted, 3 <= len(found.splits) < 1000, found['accuracy'].value > 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["0", pytest.param("2", marks=pytest.mark.peer)])
def test_ctrl_c_in_a_process_keeps_what_is_done(jobs, tmp_path):
    import subprocess

    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    command = [sys.executable, str(tmp_path / "interrupted.py"), jobs]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.strip() == "True True True", done.stderr
    assert "Interrupted after" in done.stderr


def test_progress_is_told_after_every_fit():
    told = []
    th.assess({"a": Always(), "b": Always()}, X, y, method="kfold:3", progress=lambda *said: told.append(said))
    assert [done for done, _, _ in told] == [1, 2, 3, 4, 5, 6]
    assert {total for _, total, _ in told} == {6}
    assert told[0][2] == "Assessing a"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_for_a_terminal_only(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    for stream, shown in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        th.assess(Always(), X, y, method="kfold:3")
        assert bool(stream.getvalue()) is shown
    assert "3/3" in stream.getvalue()
    monkeypatch.setattr(sys, "stderr", Terminal())
    th.assess(Always(), X, y, method="kfold:3", progress=False)
    assert sys.stderr.getvalue() == ""


def test_workers_without_joblib_are_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(MissingDependencyError, match="pip install joblib"):
        th.assess(Always(), X, y, n_jobs=2, progress=False)


@pytest.mark.slow
def test_one_worker_needs_no_joblib():
    import subprocess

    code = (
        "import sys; sys.path.insert(0, 'tests'); import thresher as th; from resampling_definitions import *;"
        "print(th.assess(NearestMean(), *two_classes(), progress=False)['accuracy'].value > 0.5,"
        "[m for m in ('joblib', 'sklearn', 'pandas', 'rich', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"


@pytest.mark.peer
@pytest.mark.parametrize(
    "options", [{"n_jobs": 2}, {"n_jobs": 2, "backend": "threading"}, {"n_jobs": 1, "backend": "loky"}, {"n_jobs": 3}]
)
@pytest.mark.parametrize("method", ["repeated:2x3", "632plus:12"])
def test_the_result_is_the_same_for_any_backend_and_number_of_workers(options, method):
    models = {"m": NearestMean(), "r": Drawing()}
    serial = th.assess(models, X, y, method=method, rng=3, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork in a process with threads
        other = th.assess(models, X, y, method=method, rng=3, progress=False, **options)
    assert other.splits == serial.splits
    for name in models:
        assert np.array_equal(other.judged[name].predicted, serial.judged[name].predicted)
    assert np.array_equal(other.judged["m"].scores, serial.judged["m"].scores)
    assert other["m"]["auc"] == serial["m"]["auc"]


@pytest.mark.peer
def test_what_joblib_is_configured_to_around_the_call_serves():
    import joblib

    serial = th.assess(NearestMean(), X, y, progress=False)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        other = th.assess(NearestMean(), X, y, progress=False)
    assert other["auc"] == serial["auc"]


@pytest.mark.peer
def test_a_failure_in_a_worker_is_told_with_its_fold():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(FitError, match=r"failed in fold 1 .*The 'C' parameter"):
        th.assess(LogisticRegression(C=-1), X, y, n_jobs=2, progress=False)


def test_every_fit_failed():
    a = th.assess({"f": Failing({1, 2, 3})}, X, y, method="kfold:3", on_error="skip", progress=False)
    assert a["f"]["accuracy"].reason == "no fit succeeded"
    assert "no fit succeeded" in str(a)
    assert "Pooled:" not in str(a)
    assert [note.code for note in a.evaluation.notes] == ["never-judged"]
