"""Baselines of the gate: what they must share with the model, and files that are none or were changed."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import gate
from thresher.counts.saved import signed
from thresher.errors import InputError

RNG = np.random.default_rng(12)
Y = RNG.integers(0, 2, 120)
A, B = (np.round(0.4 * Y + 0.6 * RNG.random(120), 3) for _ in range(2))
AUC = gate.limit("auc=0.01")


@pytest.fixture
def saved(tmp_path):
    """File of a report, or of its form after a change."""

    def write(ev: th.Evaluation | dict[str, Any]):
        path = tmp_path / "main.json"
        path.write_text(json.dumps(ev) if isinstance(ev, dict) else ev.to_json(), encoding="utf-8")
        return path

    return write


def test_classes_of_several_are_the_same(saved) -> None:
    truth, p = np.tile(["ash", "fir", "oak"], 20), RNG.dirichlet([1, 1, 1], 60)
    new, accuracy = th.evaluate(truth, {"m": p}), gate.limit("accuracy=0.1")
    assert gate.no_drop_from_baseline(new["m"], gate.load_baseline(saved(new)), accuracy).value == 0


@pytest.mark.parametrize("labels", [Y == 1, Y.astype(float), Y.astype(str)])
def test_the_same_labels_of_another_type_are_the_same(saved, labels) -> None:
    old = th.evaluate(labels, {"m": A}, positive=labels[Y == 1][0])
    assert gate.no_drop_from_baseline(th.evaluate(Y, {"m": A})["m"], gate.load_baseline(saved(old)), AUC).value == 0


def test_a_class_against_the_rest_has_any_rest(saved) -> None:
    three = th.evaluate(np.tile(["ash", "fir", "oak"], 40), {"m": A}, positive="ash", rest="negative")
    two = th.evaluate(np.tile(["ash", "fir"], 60), {"m": A}, positive="ash", rest="negative")
    assert gate.no_drop_from_baseline(two["m"], gate.load_baseline(saved(three)), AUC).passed


def test_models_of_two_evaluations_of_the_same_rows_are_compared() -> None:
    both = th.evaluate(Y, {"a": A, "b": B})
    one, two = th.evaluate(Y, {"a": A})["a"], th.evaluate(Y, {"b": B})["b"]
    assert gate.no_drop(one, two, AUC) == gate.no_drop(both["a"], both["b"], AUC)
    mixed = th.evaluate(Y, {"a": A, "b": 1 - B}, direction={"a": "higher", "b": "lower"})
    assert gate.no_drop(mixed["a"], mixed["b"], AUC).value == pytest.approx(one.auc.value - two.auc.value)


def test_decisions_at_another_threshold_say_so(saved) -> None:
    new = th.evaluate(Y, {"m": A})["m"]
    old = gate.load_baseline(saved(th.evaluate(Y, {"m": A}, threshold=0.25)))
    said = gate.no_drop_from_baseline(new, old, gate.limit("recall=1")).message
    assert "The threshold was 0.25 there, and is 0.5 here" in said
    assert "threshold" not in gate.no_drop_from_baseline(new, old, AUC).message
    same = gate.load_baseline(saved(th.evaluate(Y, {"m": A})))
    assert "threshold" not in gate.no_drop_from_baseline(new, same, gate.limit("recall=1")).message


@cache
def _written() -> str:
    return th.evaluate(Y, {"a": A, "b": B}).to_json()


def _report() -> dict[str, Any]:
    """Form of a report without its checksum."""
    form = json.loads(_written())
    del form["checksum"]
    return form


def _put(form: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Form with another value at a path of keys."""
    *above, last = path.split("/")
    inner = form
    for key in above:
        inner = inner[key]
    inner[last] = value
    return form


def test_a_report_that_was_changed_or_lost_its_checksum_is_refused(saved) -> None:
    whole = signed(_report())
    assert gate.load_baseline(saved(whole), "a").measures == whole["models"]["a"]["measures"]
    for path, value in (("models/a/measures/auc/value", 0.8), ("positive", 0), ("models/a/direction", "lower")):
        with pytest.raises(InputError, match="was changed after it was written: its checksum does not fit"):
            gate.load_baseline(saved(_put(signed(_report()), path, value)), "a")
    with pytest.raises(InputError, match="lacks its checksum"):
        gate.load_baseline(saved(_report()), "a")
    with pytest.raises(InputError, match=r"main\.json' is of schema 2, which cannot be read: this release reads 1"):
        gate.load_baseline(saved(signed(_report() | {"schema": 2})), "a")


def test_an_interval_that_resampling_moved_off_its_value_is_read(saved) -> None:
    moved = "bootstrap percentile, which misses the value because resampling shifts this measure"
    estimate = {"value": 0.1, "low": 0.2, "high": 0.3, "level": 0.95, "method": moved, "reason": None}
    path = saved(signed(_put(_report(), "models/a/measures/expected_calibration_error", estimate)))
    assert gate.load_baseline(path, "a").measures["expected_calibration_error"] == estimate


def test_a_report_of_several_labels_is_read(saved) -> None:
    labels = th.evaluate(RNG.integers(0, 2, (60, 3)), RNG.random((60, 3)), bootstrap=50)
    [(name, model)] = labels.items()
    found = gate.no_drop_from_baseline(model, gate.load_baseline(saved(labels), name), gate.limit("macro_f1=0.01"))
    assert (found.value, found.passed) == (0, True)
