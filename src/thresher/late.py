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
    "matrix_text": "thresher.report.matrix:matrix_text",
    "matrix_html": "thresher.report.matrix:matrix_html",
    "plot_curve": "thresher.plot.curves:plot_curve",
    "plot_curves": "thresher.plot.curves:plot_curves",
    "ranking_text": "thresher.report.ranking:ranking_text",
    "ranking_html": "thresher.report.ranking:ranking_html",
    "write_ranking_report": "thresher.report.ranking_files:write_ranking_report",
    "plot_iso_line": "thresher.plot.isometrics:plot_iso_line",
    "plot_touch": "thresher.plot.isometrics:plot_touch",
    "plot_contours": "thresher.plot.isometrics:plot_contours",
    "rechosen_dict": "thresher.report.chosen_forms:rechosen_dict",
    "plot_series": "thresher.plot.series:plot_series",
    "plot_critical_difference": "thresher.plot.ranks:plot_critical_difference",
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
