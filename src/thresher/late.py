"""The one place where a lower layer reaches a higher one, by name and only when it is called.

`matrix.accuracy` and `curve.plot()` read well, yet counts must not import measures, nor curves a plotting
library. So the lower layer names what it wants here, and it is loaded at the first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

PLACES = {
    "load": "thresher.engines:load",
    "save_predictions": "thresher.engines.saved:save_predictions",
    "load_predictions": "thresher.engines.saved:load_predictions",
    "measure": "thresher.measures.registry:attribute",
    "measure_names": "thresher.measures.registry:attribute_names",
    "estimate": "thresher.inference.measured:estimate",
    "summary": "thresher.inference.measured:summary",
    "average_estimate": "thresher.inference.averaged:average_estimate",
    "average": "thresher.measures.averaging:average",
    "conditional_auc": "thresher.multiclass.hand_till:conditional_auc",
    "posterior_volume": "thresher.multiclass.assigned_volume:posterior_volume",
    "log_losses": "thresher.multiclass.losses:log_losses",
    "brier_losses": "thresher.multiclass.losses:brier_losses",
    "class_ranks": "thresher.multiclass.top_k:class_ranks",
    "shared_credit": "thresher.multiclass.top_k:shared_credit",
    "top_label_calibration_error": "thresher.calibration.classes:top_label_calibration_error",
    "classwise_calibration_error": "thresher.calibration.classes:classwise_calibration_error",
    "why_not": "thresher.calibration.readable:why_not",
    "cox_calibration": "thresher.calibration.cox:cox_calibration",
    "adaptive_calibration_error": "thresher.calibration.distances:adaptive_calibration_error",
    "debiased_calibration_error": "thresher.calibration.distances:debiased_calibration_error",
    "smooth_calibration_error": "thresher.calibration.distances:smooth_calibration_error",
    "matrix_text": "thresher.report.matrix:matrix_text",
    "matrix_html": "thresher.report.matrix:matrix_html",
    "draw": "thresher.plot.drawing:draw",
    "ranking_text": "thresher.report.ranking:ranking_text",
    "ranking_html": "thresher.report.ranking:ranking_html",
    "write_ranking_report": "thresher.report.ranking_files:write_ranking_report",
    "rechosen_dict": "thresher.report.chosen_forms:rechosen_dict",
    "evaluation_text": "thresher.report.text:evaluation_text",
    "evaluation_html": "thresher.report.html:evaluation_fragment",
    "chosen_text": "thresher.report.chosen:chosen_text",
    "chosen_html": "thresher.report.chosen_forms:chosen_html",
    "chosen_dict": "thresher.report.chosen_forms:chosen_dict",
    "rejected_text": "thresher.report.rejected:rejected_text",
    "rejected_html": "thresher.report.rejected_forms:rejected_html",
    "rejected_dict": "thresher.report.rejected_forms:rejected_dict",
    "write_report": "thresher.report.files:write_report",
    "evaluation_dict": "thresher.report.json_form:evaluation_dict",
    "model_dict": "thresher.report.json_form:model_dict",
    "evaluation_json": "thresher.report.json_form:evaluation_json",
}


def late(name: str) -> Any:
    """Load a named function of a higher layer."""
    module, _, attribute = PLACES[name].partition(":")
    return getattr(import_module(module), attribute)


def drawn(result: Any, ax: Any = None, **options: Any) -> Any:
    """Draw this result on matplotlib axes, new ones if none are given, and return them; see `thresher.plot`.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    return late("draw")(result, ax=ax, **options)
