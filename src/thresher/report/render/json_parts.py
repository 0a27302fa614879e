"""Findings as JSON types: a number that JSON cannot write is null, with its `reason`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import numpy as np

from thresher._util.json_text import parse_json
from thresher._util.json_values import finite, label_to_jsonable, plain_text, with_codes, without_infinite
from thresher.analysis.calibration import CalibrationFindings
from thresher.analysis.chosen import ChosenThreshold
from thresher.analysis.class_decisions import ClassDecision
from thresher.analysis.classes import ClassFindings
from thresher.analysis.roc_findings import MeanCurve, OptionalFindings
from thresher.analysis.subsets import FoldSpread
from thresher.analysis.thresholds import ThresholdFindings
from thresher.counts import ConfusionMatrix
from thresher.decisions.dominance import Dominance
from thresher.decisions.rules import DecisionRule
from thresher.errors import Note, SavedFormError, note_forms
from thresher.inference.bootstrap.resampled_threshold import ResampledThreshold
from thresher.inference.curves.bands import Band
from thresher.inference.estimates.rejected import RejectSummary
from thresher.measures.baselines import Baselines
from thresher.measures.shown import OF_CLASS_DECISIONS
from thresher.report.blocks import Figures, Share
from thresher.report.sections.chosen import (
    reject_rule,
    reject_sentences,
    shown_measures,
    threshold_rule,
    threshold_sentences,
)
from thresher.report.sections.comparisons import widest
from thresher.results import Estimate, TestResult, why_missing

OF_FOLDS = Note("folds-share-rows", "no interval, as folds share rows that were learned from")
NO_FOLD = Note("undefined", "no fold defines it")
TIES = 1000
"""Thresholds that tie which JSON lists; `ties` says how many there are."""

LISTED = 20
"""Re-chosen thresholds that JSON lists with their shares, the most frequent first."""

CROSSINGS = 100
"""Crossings and stretches of a pair that JSON lists."""

FLATTERED = Note(
    "chosen-on-same-rows",
    "no interval of the criterion's value, which is the best of all thresholds on these rows: choose(…, bootstrap=N), "
    "or thresher threshold --bootstrap N, shows how much that flatters it",
)


def estimate_dict(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON types; a number that JSON cannot write is null, with its `reason`."""
    return {
        **{name: finite(getattr(estimate, name)) for name in ("value", "low", "high", "level")},
        "method": estimate.method,
        "standard_error": finite(estimate.standard_error),
        "n": finite(estimate.n),
        **with_codes({"reason": reason(estimate)}),
    }


def as_json(part: Any) -> Any:
    """Anything that is found or shown as JSON types: a dataclass as its fields, a cell as the value that it shows."""
    if (usual := USUAL.get(type(part))) is not None:
        return usual(part)
    if isinstance(part, Share | Figures):
        return as_json(part.value if isinstance(part, Share) else part.text)
    if isinstance(part, Mapping):
        return {name: as_json(value) for name, value in part.items()}
    if is_dataclass(part):
        return fields_of(part, *(field.name for field in fields(part) if field.name != "key"))
    if isinstance(part, tuple | list | np.ndarray):
        return [as_json(each) for each in (part.tolist() if isinstance(part, np.ndarray) else part)]
    return finite(part) if isinstance(part, float | np.number) else part


def fields_of(found: Any, *names: str) -> dict[str, Any]:
    """Return some fields of a result, by name."""
    return with_codes({name: as_json(getattr(found, name)) for name in names})


def spread_dict(found: FoldSpread) -> dict[str, Any]:
    """Return the mean and spread of folds as JSON types; `reason` explains a missing value or interval."""
    kept = {name: finite(value) for name, value in found.to_dict().items() if name not in ("measure", "pooled", "mean")}
    return {"value": finite(found.mean), **kept, **with_codes({"reason": OF_FOLDS if found.defined else NO_FOLD})}


def reason(estimate: Estimate) -> Note | None:
    """Return the reason of a missing number, as text for every encoding."""
    said = why_missing(estimate)
    return None if said is None else said.cleaned(plain_text)


def matrix_dict(matrix: ConfusionMatrix) -> dict[str, Any]:
    """Labels and counts of a matrix as JSON types."""
    labels = [label_to_jsonable(label) for label in matrix.labels]
    counts = matrix.counts.tolist()
    is_whole = matrix.counts.dtype.kind in "iu"  # millions of cells of many classes
    return {"labels": labels, "counts": counts if is_whole else [[finite(cell) for cell in row] for row in counts]}


USUAL: dict[type, Callable[[Any], Any]] = {float: finite, Estimate: estimate_dict, ConfusionMatrix: matrix_dict}
"""Conversions of the most frequent types to JSON types."""


def baselines_dict(found: Baselines) -> dict[str, Any]:
    """Baselines with their numbers as JSON writes them; the label stays of its own kind."""
    numbers = fields_of(found, "accuracy", "p_value", "reason", "always_negative", "always_positive")
    rate = fields_of(found, "no_information_rate")
    return {**rate, "most_frequent": label_to_jsonable(found.most_frequent), **numbers}


def decisions_dict(part: ThresholdFindings) -> dict[str, Any]:
    """Thresholds by criterion; null with its reason where a criterion is undefined."""
    found = {key: chosen_brief(chosen) for key, chosen in part.chosen.items()}
    return found | {key: with_codes({"threshold": None, "reason": why}) for key, why in part.reasons.items()}


def classes_dict(part: ClassFindings) -> dict[str, Any]:
    """Return each class against the rest, the areas of all pairs, and the confusions."""
    each = {row.name: fields_of(row, "rows", "predicted", "measures") for row in part.rows}
    return {"one_vs_rest": each, "auc_of_pairs": as_json(part.pairs), "confused": as_json(part.confusions)}


def calibration_dict(part: CalibrationFindings) -> dict[str, Any]:
    """Calibration as JSON types: estimates, the Brier score's parts, tests; without numbers the reason."""
    if part.reason is not None:
        return with_codes({"reason": part.reason})
    brier = {} if part.brier is None else {k: v for k, v in part.brier.to_dict().items() if k != "loss"}
    tests = {name: _test(test) for name, test in part.tests.items()}
    return {"estimates": as_json(part.estimates), "brier": as_json(brier), "tests": tests}


def _test(test: TestResult) -> dict[str, Any]:
    known = fields_of(test, "method", "statistic") | {"df": test.df, "p_value": finite(test.p_value)}
    return with_codes(known | {"reason": test.reason if math.isnan(test.p_value) else None})


def costed_dict(part: ClassDecision) -> dict[str, Any]:
    """Decisions by costs as JSON types."""
    assert part.cost is not None
    assert part.cost_before is not None
    return {
        "labels": [label_to_jsonable(label) for label in part.matrix.labels],
        "costs": as_json(part.cost_matrix),
        "benefit": part.benefit,
        "mean": estimate_dict(part.cost),
        "mean_by_largest_posterior": estimate_dict(part.cost_before),
        "changed": finite(part.changed),
        "confusion_matrix": matrix_dict(part.matrix),
        "measures": as_json({name: part.measures[name] for name in OF_CLASS_DECISIONS}),
    }


def dominance_dict(found: Dominance) -> dict[str, Any]:
    """Dominance of two models as JSON types, of very many crossings the first and of stretches the widest."""
    return {
        **fields_of(found, "models", "dominant", "is_one_curve"),
        "n_crossings": len(found.crossings),
        "crossings": [list(point) for point in found.crossings[:CROSSINGS]],
        "n_leads": len(found.leads),
        "leads": [x.to_dict() for x in widest(found.leads, CROSSINGS)],
    }


def chosen_dict(chosen: ChosenThreshold) -> dict[str, Any]:
    """Return a chosen threshold as JSON types; an infinite one is null, explained by `predicts`."""
    ends, open_ends = (None, None) if chosen.valid is None else without_infinite(asdict(chosen.valid))
    return {
        "model": plain_text(chosen.model),
        "group": chosen.group,
        "criterion": chosen.criterion,
        "value": finite(chosen.value),
        "threshold": finite(chosen.threshold),
        "predicts": threshold_rule(chosen),
        "ties": int(chosen.thresholds.size),
        "thresholds": as_json(chosen.thresholds[:TIES]),
        "costs": None if chosen.costs is None else asdict(chosen.costs),
        "prevalence": finite(chosen.prevalence),
        "false_positive_rate": finite(chosen.point.fpr),
        "true_positive_rate": finite(chosen.point.tpr),
        "confusion_matrix": matrix_dict(chosen.matrix),
        "on_hull": chosen.is_on_hull,
        "cheapest_for": ends,
        "cheapest_for_reason": open_ends,
        "measures": as_json(chosen.measures),
        "bootstrap": None if chosen.resampled is None else resampled_threshold_dict(chosen.resampled),
        "sentences": list(threshold_sentences(chosen)),
        "decision_rule": rule_dict(chosen.decision_rule),
    }


def chosen_brief(chosen: ChosenThreshold) -> dict[str, Any]:
    """Chosen threshold as a report's JSON has it: the main measures, no sentences."""
    left_out = ("model", "group", "predicts", "costs", "bootstrap", "sentences", "measures", "decision_rule")
    kept = {name: value for name, value in chosen_dict(chosen).items() if name not in left_out}
    kept |= with_codes({"value_reason": FLATTERED})
    shown = shown_measures(chosen)
    if chosen.costs is not None and chosen.costs.benefit:
        shown |= {"expected_cost": chosen.measures["expected_cost"]}
    return {**kept, "measures": as_json(shown)}


def resampled_threshold_dict(found: ResampledThreshold) -> dict[str, Any]:
    """Resampling results, as JSON types."""
    kept = {f"{share:g}": value for share, value in found.quantiles.items()}
    quantiles, why = without_infinite(kept)
    corrected = found.estimate()
    shares = [without_infinite({"threshold": t, "share": share}) for t, share in [*found.shares.items()][:LISTED]]
    return {
        **fields_of(found, "apparent", "optimism", "corrected", "out_of_bag", "constraints_kept"),
        "corrected_low": corrected.low,
        "corrected_high": corrected.high,
        "threshold_quantiles": quantiles,
        "threshold_quantiles_reason": why,
        "threshold_shares": [each | ({"reason": text} if text else {}) for each, text in shares],
        "share_of_chosen": found.share_of_chosen,
        "replicates": int(found.thresholds.size),
        "undefined": found.undefined,
        "method": found.method,
        "seed": found.config.rng,
    }


def rule_dict(rule: DecisionRule) -> dict[str, Any] | None:
    """Return the rule as `thresher apply` reads it; None if its label type cannot be saved."""
    try:
        return dict(parse_json(rule.to_json()))
    except SavedFormError:
        return None


def rejected_dict(found: RejectSummary) -> dict[str, Any]:
    """Return a reject option as JSON types; an infinite threshold is null, explained by `predicts`."""
    owner = {"model": found.model, "group": found.group}
    owner = {key: None if name is None else plain_text(name) for key, name in owner.items()}
    more = {"sentences": list(reject_sentences(found)), "decision_rule": rule_dict(found.decision_rule)}
    return {**owner, **rejected_brief(found), **more}


def rejected_brief(found: RejectSummary) -> dict[str, Any]:
    """Reject option as a report's JSON has it, under its model."""
    rates = ("reportable_rate", "reportable_positives", "reportable_negatives", "expected_cost", "undeferred_cost")
    return {
        **fields_of(found.option, "criterion", "lower", "upper"),
        "predicts": reject_rule(found),
        "costs": None if found.costs is None else asdict(found.costs),
        "deferral": finite(found.deferral),
        "prevalence": finite(found.option.table.prior),
        **fields_of(found, *rates),
        "confusion_matrix": matrix_dict(found.matrix),
        "undecided": as_json(found.option.deferrals.counts[:, 1]),
        "measures": as_json(found.measures),
    }


def optional_dict(part: OptionalFindings | None) -> dict[str, Any]:
    """Keys of a model's JSON, without the sections that nobody requested."""
    if part is None:
        return {}
    found: dict[str, Any] = {}
    if part.areas:
        names = ("raw", "normalized", "corrected", "least", "most")
        found["partial_areas"] = [
            {"part": str(a.part), **fields_of(a, *names), "notes": note_forms(a.notes)} for a in part.areas
        ]
    if part.smooth is not None:
        s = part.smooth
        found["binormal"] = {**fields_of(s, "a", "b"), "auc": estimate_dict(s.area),
                             "notes": note_forms(s.notes), **fields_of(s, "method", "reason")}  # fmt: skip
    if part.means:
        found["fold_average"] = {name: _mean(mean) for name, mean in part.means.items()}
    if part.reject is not None:
        found["reject_option"] = rejected_brief(part.reject)
    elif part.reject_reason is not None:
        found["reject_option"] = with_codes({"reason": part.reject_reason})
    if part.top:
        found["top"] = {budget: {e.name: estimate_dict(e) for e in each} for budget, each in part.top.items()}
    return found


def _mean(mean: MeanCurve) -> dict[str, Any]:
    bands = {name: _band(getattr(mean, name)) for name in ("band", "x_band")}
    notes = [note.to_dict() for note in mean.curve.notes if note.code != "thinned"]
    return {
        **fields_of(mean, "folds", "left_out", "area"),
        **bands,
        **with_codes({"reason": mean.reason}),
        "notes": notes,
    }


def _band(band: Band | None) -> dict[str, Any] | None:
    """Band as JSON types, in which thresholds may be infinite."""
    found = {} if band is None else band.to_dict()
    return {k: as_json(v) if isinstance(v, list) else v for k, v in found.items()} or None
