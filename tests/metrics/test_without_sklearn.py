"""scikit-learn is never imported by us; its warning class is used when the user has loaded it."""

import subprocess
import sys

import pytest

from thresher.errors import MissingDependencyError

PROGRAM = """
import sys, warnings
import thresher.metrics as m
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    m.precision_score([0, 1], [0, 0])
    m.f1_score(["a", "b"], ["a", "a"], average="macro")
    m.log_loss([0, 1], [0.2, 0.8])
    m.classification_report([0, 1, 2], [0, 1, 1])
    assert "f1" in sorted(m.scorers)
assert not any(name.split(".")[0] == "sklearn" for name in sys.modules), "sklearn was imported"
assert {type(w.message).__module__ for w in seen} == {"thresher.metrics.inputs.arrays"}, seen
assert issubclass(m.UndefinedMetricWarning, UserWarning)
"""


def test_sklearn_is_not_imported():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)


@pytest.mark.peer
def test_the_warning_is_theirs_when_loaded():
    exceptions = pytest.importorskip("sklearn.exceptions")
    from thresher.metrics import precision_score

    with pytest.warns(exceptions.UndefinedMetricWarning, match="no predicted samples"):
        assert precision_score([0, 1], [0, 0]) == 0


def test_a_scorer_without_sklearn_says_what_to_install(monkeypatch):
    import thresher.metrics

    monkeypatch.setitem(sys.modules, "thresher.metrics.scorer", None)
    with pytest.raises(MissingDependencyError, match=r"scorers need scikit-learn: pip install scikit-learn\."):
        thresher.metrics.scorers["f1"]


def test_unknown_name():
    import thresher.metrics

    with pytest.raises(AttributeError, match="no attribute 'f_one'"):
        _ = thresher.metrics.f_one
    assert "f1_score" in dir(thresher.metrics)
