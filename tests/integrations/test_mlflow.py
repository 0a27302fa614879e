"""An evaluation in MLflow's own file store: read back, it is what Python says."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from thresher.errors import MissingDependencyError
from thresher.integrations.mlflow import log_evaluation, metrics_of

Y = np.array([1, 0, 1, 0, 1, 0, 0, 0])
S = np.array([0.9, 0.6, 0.8, 0.1, 0.4, 0.3, 0.2, 0.5])


def test_metrics_are_the_measures_with_their_limits():
    evaluation = th.evaluate(Y, {"a <b>": S, "c": 1 - S})
    found = metrics_of(evaluation, "x.")
    for name, model in evaluation.items():
        owner = "x.a _b_." if name == "a <b>" else "x.c."
        for measure, estimate in model.measures.items():
            for end, value in (("", estimate.value), ("_low", estimate.low), ("_high", estimate.high)):
                if value is None or not math.isfinite(value):
                    assert f"{owner}{measure}{end}" not in found
                else:
                    assert found[f"{owner}{measure}{end}"] == value


def test_a_missing_mlflow_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'thresher\[mlflow\]'"):
        log_evaluation(th.evaluate(Y, S))


@pytest.mark.peer
def test_a_run_holds_metrics_findings_and_files(tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"file://{tmp_path / 'store'}")
    evaluation = th.evaluate(Y, S)
    run = mlflow.get_run(log_evaluation(evaluation))
    assert run.info.status == "FINISHED"
    assert run.data.metrics == pytest.approx(metrics_of(evaluation))
    assert run.data.tags[f"finding.{evaluation.findings[0].code}"] == evaluation.findings[0].text
    folder = Path(run.info.artifact_uri.removeprefix("file://")) / "thresher"
    assert sorted(path.name for path in folder.iterdir()) == ["evaluation.json", "report.html", "summary.md"]
    assert json.loads((folder / "evaluation.json").read_text("utf-8"))["n"] == 8
    with mlflow.start_run() as active:
        assert log_evaluation(evaluation, folder="here", prefix="test.") == active.info.run_id
        assert mlflow.active_run() is not None
    assert "test.auc_low" in mlflow.get_run(active.info.run_id).data.metrics
