"""An evaluation in a run of MLflow: every measure with its interval as metrics, the page and the JSON as artifacts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thresher.errors import MissingDependencyError
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation

FOLDER = "thresher"
"""Folder of the artifacts."""
ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))
"""Suffixes of metrics, and their meaning."""


def log_evaluation(evaluation: Evaluation, *, folder: str = FOLDER, prefix: str = "") -> str:
    """Log an evaluation to the active run of MLflow, or to a new one, and return the run's id.

    Metrics are `measure`, `measure_low` and `measure_high`, of several models `model.measure`; a value that is
    undefined or infinite is left out, as MLflow rejects it, and appears in the JSON with its reason. Artifacts
    in `folder` are `report.html`, `evaluation.json` and `summary.md`; tags are the findings by their codes.

    Raises:
        MissingDependencyError: MLflow is not installed.
    """
    mlflow = _mlflow()
    if mlflow.active_run() is None:
        with mlflow.start_run() as run:
            _log(mlflow, evaluation, folder, prefix)
            return str(run.info.run_id)
    _log(mlflow, evaluation, folder, prefix)
    return str(mlflow.active_run().info.run_id)


def metrics_of(evaluation: Evaluation, prefix: str = "") -> dict[str, float]:
    """Every defined measure and its limits by the name of a metric.

    >>> import thresher as th
    >>> found = metrics_of(th.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    >>> found["auc"], round(found["accuracy_low"], 3)
    (0.75, 0.15)
    """
    return {
        f"{prefix}{owner}{name}{end}": number
        for owner, name, estimate in _estimates(evaluation)
        for end, field in ENDS
        if (number := getattr(estimate, field)) is not None and math.isfinite(number)
    }


def _estimates(evaluation: Evaluation) -> Iterator[tuple[str, str, Estimate]]:
    for name, model in evaluation.items():
        owner = "" if len(evaluation) == 1 else f"{_plain(name)}."
        yield from ((owner, measure, estimate) for measure, estimate in model.measures.items())


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "_-. /" else "_" for letter in str(name))


def _log(mlflow: Any, evaluation: Evaluation, folder: str, prefix: str) -> None:
    import tempfile
    from pathlib import Path

    mlflow.log_metrics(metrics_of(evaluation, prefix))
    for finding in evaluation.findings:
        mlflow.set_tag(f"{prefix}finding.{finding.code}", finding.text)
    with tempfile.TemporaryDirectory() as place:
        evaluation.report(Path(place) / "report.html")
        (Path(place) / "evaluation.json").write_text(evaluation.to_json(), encoding="utf-8")
        (Path(place) / "summary.md").write_text(evaluation.summary("markdown"), encoding="utf-8")
        mlflow.log_artifacts(place, folder)


def _mlflow() -> Any:
    try:
        import mlflow
    except ImportError as error:
        raise MissingDependencyError("MLflow is not installed: pip install 'thresher[mlflow]'.") from error
    return mlflow
