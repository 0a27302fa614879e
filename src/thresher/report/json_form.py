"""JSON form of a document: the contract that other tools rely on, described by `schema.json` beside this file.

Undefined and infinite numbers are null beside a `reason`; keys stand in a fixed order, so that equal input gives equal
bytes. Keys may be added under schema 1; none is taken away or changes its meaning.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from thresher.counts import ConfusionMatrix
from thresher.counts.saved import checksum
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.measures.baselines import Baselines
from thresher.report.build import build, model_part
from thresher.report.calibration_parts import calibration_dict
from thresher.report.class_parts import ClassesPart
from thresher.report.costed_parts import costed_dict
from thresher.report.decision_parts import DecisionsPart
from thresher.report.document import Document, ModelPart, SubsetPart
from thresher.report.dominance import dominance_dict
from thresher.report.plain import finite, plain_label, plain_text
from thresher.results import Estimate, why_missing

SCHEMA = 1


def evaluation_dict(evaluation: Evaluation, *, source: str | None = None) -> dict[str, Any]:
    """Result of an evaluation as JSON types."""
    return document_dict(build(evaluation, source=source))


def evaluation_json(evaluation: Evaluation, *, indent: int | None = 2, source: str | None = None) -> str:
    """Result of an evaluation as JSON text, strictly valid: neither NaN nor Infinity occurs in it."""
    return document_json(build(evaluation, source=source), indent=indent)


def model_dict(model: ModelEvaluation) -> dict[str, Any]:
    """One model of an evaluation as JSON types."""
    return _model(model_part(model, keep=None))


def document_json(document: Document, *, indent: int | None = 2) -> str:
    """Document as JSON text, ending in a newline unless it is one line.

    With an indent, what holds numbers and text alone stands on one line: one line a measure.
    """
    if indent is None:
        return _line(document_dict(document))
    return _indented(document_dict(document), " " * indent, "\n") + "\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _indented(value: Any, step: str, before: str) -> str:
    """JSON text with one key a line down to the objects and lists that hold no further object."""
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(item, dict) for item in items) and (isinstance(value, dict) or not _wordy(items)):
        return _line(value)
    inner = before + step
    if isinstance(value, dict):
        lines = [f"{_line(str(key))}: {_indented(item, step, inner)}" for key, item in value.items()]
        return "{" + inner + f",{inner}".join(lines) + before + "}"
    return "[" + inner + f",{inner}".join(_indented(item, step, inner) for item in items) + before + "]"


def _wordy(items: list[Any]) -> bool:
    """Whether a list is one of sentences, which are read one a line."""
    return any(isinstance(item, str) and " " in item for item in items)


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) that every result conforms to."""
    text = resources.files("thresher.report").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def document_dict(document: Document) -> dict[str, Any]:
    """Document as JSON types, keys in the order of the contract, and their checksum."""
    found = {
        "schema": SCHEMA,
        "positive": document.positive,
        "n": document.n,
        "models": _models(document.models),
        "groups": {part.key: _subset(part) for part in document.groups},
        "folds": {part.key: _subset(part) for part in document.folds},
        "notes": list(document.notes),
        "comparisons": [item.to_dict() for item in document.comparisons],
        "dominance": [dominance_dict(item) for item in document.dominances],
        "label": document.label,
        "class_counts": dict(document.class_counts),
        "class_weights": None if document.class_weights is None else _finite_values(document.class_weights),
        "weight_kind": document.weight_kind,
        "direction": document.direction,
        "dropped": document.dropped,
        "level": document.level,
        "seed": document.seed,
        "source": document.source,
        "thresher": document.version,
        "warnings": [
            {key: plain_text(text) for key, text in warning.to_dict().items()} for warning in document.warnings
        ],
    }
    return found | {"checksum": checksum(found)}


def _models(models: Iterable[ModelPart]) -> dict[str, Any]:
    return {model.name: _model(model) for model in models}


def _model(model: ModelPart) -> dict[str, Any]:
    return {
        "measures": {name: estimate_dict(estimate) for name, estimate in model.measures.items()},
        "threshold": finite(model.threshold),
        "threshold_reason": _threshold_reason(model),
        "confusion_matrix": None if model.matrix is None else matrix_dict(model.matrix),
        "baselines": None if model.baselines is None else _baselines(model.baselines),
        "task": model.task,
        **({} if model.classes is None else {"classes": classes_dict(model.classes)}),
        **({} if model.calibration is None else {"calibration": calibration_dict(model.calibration)}),
        **({} if model.decisions is None else {"chosen": decisions_dict(model.decisions)}),
        **({} if model.costed is None else {"decided_by_costs": costed_dict(model.costed)}),
        **_further(model),
    }


def _further(model: ModelPart) -> dict[str, Any]:
    from thresher.report.further_forms import further_dict

    return further_dict(model.further)


def decisions_dict(part: DecisionsPart) -> dict[str, Any]:
    """Thresholds by criterion; null with its reason where a criterion is undefined."""
    from thresher.report.chosen_forms import chosen_brief

    found = {key: chosen_brief(chosen) for key, chosen in part.chosen.items()}
    return found | {key: {"threshold": None, "reason": why} for key, why in part.reasons.items()}


def classes_dict(part: ClassesPart) -> dict[str, Any]:
    """Each class against the rest, the areas of all pairs, and what is confused with what."""
    each = {
        row.name: {
            "rows": finite(row.rows),
            "predicted": finite(row.predicted),
            "measures": {name: estimate_dict(estimate) for name, estimate in row.measures.items()},
        }
        for row in part.rows
    }
    pairs = None if part.pairs is None else [[finite(value) for value in row] for row in part.pairs.tolist()]
    confused = [
        {"truth": c.truth, "predicted": c.predicted, "rows": finite(c.rows), "share": finite(c.share)}
        for c in part.confusions
    ]
    return {"one_vs_rest": each, "auc_of_pairs": pairs, "confused": confused}


def _subset(part: SubsetPart) -> dict[str, Any]:
    return {
        "by": dict(part.by),
        "n": part.n,
        "models": _models(part.models),
        "class_counts": dict(part.class_counts),
        "notes": list(part.notes),
    }


def estimate_dict(estimate: Estimate) -> dict[str, Any]:
    """Estimate as JSON types; a number that JSON cannot write is null, and `reason` says what it was."""
    numbers = {name: finite(getattr(estimate, name)) for name in ("value", "low", "high", "level")}
    return {
        **numbers,
        "method": estimate.method,
        "standard_error": finite(estimate.standard_error),
        "n": finite(estimate.n),
        "reason": reason(estimate),
    }


def reason(estimate: Estimate) -> str | None:
    """Why a number of an estimate is missing, as text that every encoding has."""
    said = why_missing(estimate)
    return None if said is None else plain_text(said)


def _threshold_reason(model: ModelPart) -> str:
    if model.threshold is not None and math.isinf(model.threshold):
        return f"{model.threshold_reason}: infinite ({'+' if model.threshold > 0 else '−'}∞)"
    return model.threshold_reason


def matrix_dict(matrix: ConfusionMatrix) -> dict[str, Any]:
    """Labels and counts of a matrix as JSON types."""
    labels = [plain_label(label) for label in matrix.labels]
    return {"labels": labels, "counts": [[finite(cell) for cell in row] for row in matrix.counts.tolist()]}


def _finite_values(values: Mapping[str, float]) -> dict[str, Any]:
    return {name: finite(value) for name, value in values.items()}


def _baselines(found: Baselines) -> dict[str, Any]:
    """Baselines with their numbers as JSON writes them; the label stays of its own kind."""
    return {
        "no_information_rate": finite(found.no_information_rate),
        "most_frequent": plain_label(found.most_frequent),
        "accuracy": finite(found.accuracy),
        "p_value": finite(found.p_value),
        "reason": found.reason,
        "always_negative": None if found.always_negative is None else _finite_values(found.always_negative),
        "always_positive": None if found.always_positive is None else _finite_values(found.always_positive),
    }
