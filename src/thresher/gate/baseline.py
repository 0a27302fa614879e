"""A baseline from an earlier report's JSON: its rows are gone, so it can only be compared as if on different rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.json_text import parse_json, read_text
from thresher._util.json_values import format_distinct
from thresher.conventions import confidence_level
from thresher.counts.saved import check_schema, checked_form, unchanged
from thresher.counts.saved_fields import mapping, number, text, text_or_none
from thresher.errors import InputError, SavedFormError, keyword
from thresher.evaluation import ModelEvaluation
from thresher.evaluation.estimate import measured_value
from thresher.gate.check import Check, Limit, Target, check_of_drop, check_same_target
from thresher.inference.bootstrap.limits import MOVED
from thresher.inference.differences.difference import Difference, combined_limits
from thresher.readers.files import no_file
from thresher.results import NO_INTERVAL

SCHEMA = 1
"""Schema of the reports that can be read."""

CORRELATION = 0.8
"""Usual correlation of two models' estimates on the same rows, to estimate the gain of pairing."""


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Estimates of one model of an earlier report by measure, with its target and threshold."""

    path: str
    model: str
    measures: dict[str, Any]
    target: Target
    threshold: float | None

    def estimate(self, bound: Limit) -> dict[str, Any]:
        """Value of the measure of a limit, with its interval.

        Raises:
            InputError: the report does not have it.
        """
        name = bound.spec.entry.name
        if not bound.spec.is_plain or name not in self.measures:
            raise InputError(
                f"the baseline {self.path!r} does not hold {bound.spec.title}: compare both models on the same rows."
            )
        found = {key: self.measures[name].get(key) for key in ("value", "low", "high", "level")}
        if None in found.values():
            why = self.measures[name].get("reason") or "a number is missing"
            raise InputError(f"the baseline {self.path!r} lacks an interval of {bound.spec.title}: {why}.")
        return {**found, "method": self.measures[name].get("method")}


@guarded
def load_baseline(path: str | Path, model: str | None = None, *, checked: Collection[str] = ()) -> Baseline:
    """Model of a report in the JSON form; when none is named the only one, or the only one of those that are checked.

    Raises:
        InputError: the file is not such a report, or lacks the model, or has several and none was named.
    """
    report = _report(path)
    models = report["models"]
    names = ", ".join(map(repr, models))
    alike = [name for name in models if len(models) == 1 or name in checked]
    if model is None and len(alike) != 1:
        several = f"the baseline {str(path)!r} has the models {names}"
        raise InputError(several + ": name one with " + keyword("model", "…") + ".")
    chosen = alike[0] if model is None else model
    if chosen not in models:
        raise InputError(f"the baseline {str(path)!r} does not contain model {chosen!r}; it contains {names}.")
    held = {name: models[chosen][name] for name in ("measures", "threshold")}
    target = Target.of(report["class_counts"], report["positive"], models[chosen]["direction"])
    return Baseline(path=str(path), model=chosen, target=target, **held)


def _report(path: str | Path) -> dict[str, Any]:
    """Read a report and check the parts that the gate uses."""
    what = f"the baseline {str(path)!r}"
    try:
        report = parse_json(read_text(path))
        mapping(report, "models")
    except FileNotFoundError:
        raise InputError(f"the baseline is missing: {no_file(str(path))}") from None
    except OSError as error:
        raise InputError(f"{what} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{what} is not a JSON report (thresher report … -o x.json).") from error
    try:
        check_schema(report, SCHEMA, f"{what} is")
        with checked_form("baseline", path):
            mapping(report := unchanged(report, what), "class_counts")
            for name in report["models"]:
                model = mapping(report["models"], name)
                text_or_none(model, "direction")
                if model["threshold"] is not None:
                    number(model, "threshold")
                measures = mapping(model, "measures")
                for measure in measures:
                    _check_estimate(mapping(measures, measure))
    except SavedFormError as error:
        raise InputError(error.sentence) from None
    return report


@guarded
def no_drop_from_baseline(new: ModelEvaluation, old: Baseline, bound: Limit) -> Check:
    """Check that a model is not worse than an earlier report says of another, by more than an allowance.

    The interval of the difference is made of both intervals (MOVER), as if the rows were different ones, at the level
    of the report. It fails only when that whole interval is beyond the allowance; the message says how much smaller
    a drop a comparison on the same rows would see.

    Raises:
        InputError: the report lacks the measure or its interval, or has other classes or another direction.
    """
    check_same_target(Target.of_model(new), old.target, f"the baseline {old.path!r}")
    then = old.estimate(bound)
    level = float(then["level"])
    now = measured_value(new, bound.spec, level=level)
    against = f"{old.model!r} of {old.path} (unpaired)"
    if now.low is None or now.high is None or math.isnan(now.value):
        reason = now.reason or NO_INTERVAL
        found = Difference(value=math.nan, method="unpaired", reason=reason)
        return check_of_drop(found, new.name, against, bound, level)
    both = (now.low, now.high), (then["low"], then["high"])
    limits = combined_limits((now.value, then["value"]), lambda _level: both)
    method = f"unpaired, MOVER of {now.method} and {then['method']}"
    found = Difference(value=now.value - then["value"], method=method, limits=limits)
    low, high = limits((1 - level) / 2)
    half, share = (high - low) / 2, math.sqrt(1 - CORRELATION)  # pairing shrinks the interval by √(1 − r)
    note = (
        f"{_other_threshold(new, old, bound)}. The baseline's rows are not available, so shared errors do not cancel: "
        f"±{half:.3g} unpaired, against about ±{half * share:.2g} on the same rows if the two correlate by "
        f"{CORRELATION:g}"
    )
    return check_of_drop(found, new.name, against, bound, level, note)


def _other_threshold(new: ModelEvaluation, old: Baseline, bound: Limit) -> str:
    if not bound.spec.needs_threshold or None in (new.threshold, old.threshold) or new.threshold == old.threshold:
        return ""
    then, now = format_distinct((old.threshold, new.threshold), "{:.{}g}".format)  # type: ignore[arg-type]
    return f". The threshold was {then} there, and is {now} here"


def _check_estimate(estimate: Mapping[str, Any]) -> None:
    """Check that an entry of a report can be an estimate."""
    given = {key: value for key, value in estimate.items() if value is not None}
    is_moved = MOVED in str(given.get("method"))
    ends = [number(given, key) for key in ("low", "high") if key in given]
    middle = [number(given, "value")] if "value" in given and len(ends) == 2 and not is_moved else []
    within = [*ends[:1], *middle, *ends[1:]]
    if within != sorted(within):
        raise ValueError("the value or the limits are out of order")
    for key, read in (("value", number), ("method", text), ("reason", text)):
        if key in given:
            read(given, key)
    if "level" in given:
        confidence_level(given["level"])
