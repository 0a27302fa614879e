"""What a reader is shown of a model on some of the rows: a few measures, so that a thousand groups take no minute."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.evaluation import ModelEvaluation
from thresher.measures import measures
from thresher.report.document import ModelPart
from thresher.report.plain import plain_text
from thresher.results import Estimate


def shown_part(model: ModelEvaluation, names: Sequence[str]) -> ModelPart:
    """Model of a group or a fold with these measures, those that it has."""
    return ModelPart(
        name=plain_text(model.name),
        task=model.task,
        decided=None,
        measures=_measures(model, names),
        threshold=model.threshold,
        threshold_reason=plain_text(model.threshold_reason),
        matrix=None,
        baselines=None,
        points=None,
        notes=(),
    )


def _measures(model: ModelEvaluation, names: Sequence[str]) -> dict[str, Estimate]:
    """Measures one by one where that is less work: a bootstrap, and sums over classes, serve all of them at once."""
    if not names:
        return {}
    if model.bootstrap is not None or model.task != "binary":
        return {name: model.measures[name] for name in names if name in model.measures}
    known = {entry.name for entry in measures() if not entry.needs_parameters}
    return {name: getattr(model, name) for name in names if name in known}
