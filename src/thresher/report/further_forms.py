"""What a report was asked for beyond the usual, as JSON types and as estimates by name."""

from __future__ import annotations

from typing import Any

from thresher.inference.band import Band
from thresher.report.further_parts import FurtherPart, MeanCurve
from thresher.report.json_form import estimate_dict
from thresher.report.plain import finite
from thresher.report.rejected_forms import rejected_brief
from thresher.results import Estimate

DECIDED = ("accuracy", "true_positive_rate", "true_negative_rate", "positive_predictive_value",
           "negative_predictive_value")  # fmt: skip
"""Measures of the decided rows that tables of estimates have."""


def further_dict(part: FurtherPart | None) -> dict[str, Any]:
    """Keys of a model's JSON, those that were not asked for left out."""
    if part is None:
        return {}
    found: dict[str, Any] = {}
    if part.areas:
        forms = ("raw", "normalized", "corrected")
        found["partial_areas"] = [
            {"part": str(a.part), **{form: estimate_dict(getattr(a, form)) for form in forms},
             "least": finite(a.least), "most": finite(a.most), "notes": list(a.notes)}
            for a in part.areas
        ]  # fmt: skip
    if part.smooth is not None:
        s = part.smooth
        found["binormal"] = {"a": finite(s.a), "b": finite(s.b), "auc": estimate_dict(s.area), "method": s.method,
                             "notes": list(s.notes), "reason": s.reason}  # fmt: skip
    if part.means:
        found["fold_average"] = {name: _mean(mean) for name, mean in part.means.items()}
    if part.reject is not None:
        found["reject_option"] = rejected_brief(part.reject)
    elif part.reject_reason is not None:
        found["reject_option"] = {"reason": part.reject_reason}
    return found


def _mean(mean: MeanCurve) -> dict[str, Any]:
    return {
        "folds": mean.folds,
        "left_out": mean.left_out,
        "area": estimate_dict(mean.area),
        "band": _band(mean.band),
        "x_band": _band(mean.x_band),
        "reason": mean.reason,
        "notes": [note for note in mean.curve.notes if "thinned" not in note],
    }


def _band(band: Band | None) -> dict[str, Any] | None:
    return None if band is None else {name: _finite(value) for name, value in band.to_dict().items()}


def _finite(value: Any) -> Any:
    """Thresholds of a band may be infinite, which JSON cannot write."""
    return [finite(each) for each in value] if isinstance(value, list) else value


def further_estimates(part: FurtherPart | None) -> dict[str, Estimate]:
    """Estimates by a name that says what was asked for: a row of CSV each."""
    if part is None:
        return {}
    found = {f"{e.name} {a.part}": e for a in part.areas for e in (a.raw, a.normalized, a.corrected)}
    if part.smooth is not None:
        found["binormal_auc"] = part.smooth.area
    found |= {f"fold_average {name}": mean.area for name, mean in part.means.items()}
    if part.reject is not None:
        shares = (part.reject.reportable_rate, part.reject.expected_cost)
        found |= {f"reject_option {e.name}": e for e in shares if e is not None}
        found |= {f"reject_option {name}": part.reject.measures[name] for name in DECIDED}
    return found
