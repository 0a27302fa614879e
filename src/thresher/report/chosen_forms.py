"""Chosen thresholds as JSON, CSV, Markdown and for notebooks: the same values as the text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from thresher.evaluation.chosen import ChosenThreshold
from thresher.inference.rechosen import Rechosen
from thresher.report.cells import csv_lines, estimate_cells, exact
from thresher.report.chosen import chosen_card, chosen_text, rule_of, sentences, shown_measures
from thresher.report.decision_card_forms import card_html, card_markdown
from thresher.report.json_form import estimate_dict, matrix_dict
from thresher.report.plain import finite, plain_text

SCHEMA = 1
TIES = 1000
"""Thresholds that tie which JSON lists; `ties` says how many there are."""

LISTED = 20
"""Re-chosen thresholds that JSON lists with their shares, the most frequent first."""

COLUMNS = ("model", "group", "criterion", "threshold", "measure", "value", "low", "high", "level", "method", "reason")

FLATTERED = (
    "no interval of the criterion's value, which is the best of all thresholds on these rows: choose(…, bootstrap=N), "
    "or thresher threshold --bootstrap N, shows how much that flatters it"
)


def chosen_dict(chosen: ChosenThreshold) -> dict[str, Any]:
    """Chosen threshold as JSON types; an infinite one is null beside `predicts`, which says what it means."""
    valid = chosen.valid
    ends = None if valid is None else {name: [_end(end) for end in ends] for name, ends in asdict(valid).items()}
    return {
        "model": plain_text(chosen.model),
        "group": chosen.group,
        "criterion": chosen.criterion,
        "value": finite(chosen.value),
        "threshold": finite(chosen.threshold),
        "predicts": rule_of(chosen),
        "ties": int(chosen.thresholds.size),
        "thresholds": [finite(t) for t in chosen.thresholds[:TIES].tolist()],
        "costs": None if chosen.costs is None else asdict(chosen.costs),
        "prevalence": finite(chosen.prevalence),
        "false_positive_rate": finite(chosen.point.fpr),
        "true_positive_rate": finite(chosen.point.tpr),
        "confusion_matrix": matrix_dict(chosen.matrix),
        "on_hull": chosen.is_on_hull,
        "cheapest_for": ends,
        "measures": {name: estimate_dict(estimate) for name, estimate in chosen.measures.items()},
        "bootstrap": None if chosen.resampled is None else rechosen_dict(chosen.resampled),
        "sentences": list(sentences(chosen)),
    }


def chosen_brief(chosen: ChosenThreshold) -> dict[str, Any]:
    """Chosen threshold as a report's JSON has it: the main measures, no sentences."""
    left_out = ("model", "group", "predicts", "costs", "bootstrap", "sentences", "measures")
    kept = {name: value for name, value in chosen_dict(chosen).items() if name not in left_out}
    kept["value_reason"] = FLATTERED
    shown = shown_measures(chosen)
    if chosen.costs is not None and chosen.costs.benefit:
        shown |= {"expected_cost": chosen.measures["expected_cost"]}
    return {**kept, "measures": {name: estimate_dict(found) for name, found in shown.items()}}


def rechosen_dict(found: Rechosen) -> dict[str, Any]:
    """What resamples show, as JSON types."""
    shares = list(found.shares.items())[:LISTED]
    return {
        "apparent": finite(found.apparent),
        "optimism": finite(found.optimism),
        "corrected": finite(found.corrected),
        "out_of_bag": finite(found.out_of_bag),
        "constraints_kept": finite(found.constraints_kept),
        "threshold_quantiles": {f"{share:g}": _end(value) for share, value in found.quantiles.items()},
        "threshold_shares": [{"threshold": _end(t), "share": share} for t, share in shares],
        "share_of_chosen": found.share_of_chosen,
        "replicates": int(found.thresholds.size),
        "undefined": found.undefined,
        "method": found.method,
        "seed": found.config.rng,
    }


def chosen_texts(found: Iterable[ChosenThreshold], _notes: Iterable[str] = ()) -> str:
    """Chosen thresholds as plain text."""
    return "\n\n\n".join(map(chosen_text, found)) + "\n"


def chosen_json(found: Iterable[ChosenThreshold], notes: Iterable[str] = ()) -> str:
    """Chosen thresholds as one JSON text, with what is to be said of all of them."""
    document = {"schema": SCHEMA, "thresholds": [chosen_dict(chosen) for chosen in found], "notes": list(notes)}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def chosen_csv(found: Iterable[ChosenThreshold], _notes: Iterable[str] = ()) -> str:
    """One line a measure, numbers at full precision; undefined is empty beside its reason."""
    return csv_lines([COLUMNS, *(line for chosen in found for line in _lines(chosen))])


def _lines(chosen: ChosenThreshold) -> Iterator[tuple[str, ...]]:
    first = (plain_text(chosen.model), chosen.group or "", chosen.criterion, repr(float(chosen.threshold)))
    yield (*first, "criterion", exact(chosen.value), "", "", "", "", "")
    for name, e in chosen.measures.items():
        yield (*first, name, *estimate_cells(e))


def chosen_markdown(found: Iterable[ChosenThreshold], _notes: Iterable[str] = ()) -> str:
    """Chosen thresholds as Markdown."""
    return "\n\n".join(card_markdown(chosen_card(chosen)) for chosen in found) + "\n"


def chosen_html(chosen: ChosenThreshold) -> str:
    """Chosen threshold for a notebook."""
    return card_html(chosen_card(chosen))


def _end(value: float) -> Any:
    """Number as JSON has it; an infinite one as text, as ends of a range are read with the other end."""
    return ("inf" if value > 0 else "-inf") if math.isinf(value) else finite(value)


WRITERS: dict[str, Any] = {
    "text": chosen_texts,
    "json": chosen_json,
    "csv": chosen_csv,
    "markdown": chosen_markdown,
}
"""Writers of several chosen thresholds and the notes on them, by form."""
