"""The JSON form: the contract of its keys, its schema, and what stands where a number is missing."""

import json
import math

import jsonschema
import numpy as np
import pytest

import thresher as th
from report_cases import breast_cancer, case, named
from thresher.counts.saved import checksum
from thresher.report.render.json import schema
from thresher.report.render.json_parts import estimate_dict
from thresher.results import Estimate

VALIDATOR = jsonschema.Draft202012Validator(schema())
ESTIMATE_KEYS = ["value", "low", "high", "level", "method", "standard_error", "n", "reason", "reason_code"]


def strictly(text):
    """Parsed JSON; NaN and Infinity, which are not JSON, fail."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def estimates(result):
    """Every estimate of a result, groups and folds included."""
    for part in [result, *result["groups"].values(), *result["folds"].values()]:
        for model in part["models"].values():
            yield from model["measures"].values()


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", named())
def test_every_case_is_strict_json_of_the_schema(name):
    result = strictly(case(name).to_json())
    VALIDATOR.validate(result)
    evaluation = case(name)
    assert result == strictly(evaluation.to_json(indent=None)) == evaluation.to_dict()
    rest = {key: value for key, value in reversed(result.items()) if key != "checksum"}
    assert result["checksum"] == checksum(rest)
    for found in estimates(result):
        assert list(found) == ESTIMATE_KEYS
        assert found["reason"] or found["value"] is not None
        assert (found["low"] is None) == (found["high"] is None) or found["reason"]


def test_two_group_columns_give_one_key_with_both():
    result = case("two_columns").to_dict()
    assert list(result["groups"])[:2] == ["g=0, h=x", "g=0, h=y"]
    assert result["groups"]["g=1, h=y"]["by"] == {"g": 1, "h": "y"}


def test_values_that_read_alike_keep_keys_of_their_own():
    groups = {"g": np.array([1, 1, 1, 1, "1, h=1", "1, h=1", "2", "2"], dtype=object).astype(str)}
    columns = {**groups, "h": np.array(["1, h=1", "1, h=1", "1", "1", "1", "1", "1", "1"])}
    result = th.evaluate(np.array([1, 0] * 4), {"m": np.linspace(0, 1, 8)}, by=columns).to_dict()
    assert len(result["groups"]) == 4
    assert {"g=1, h=1, h=1", "g=1, h=1, h=1 (2)"} <= set(result["groups"])


def test_undefined_is_null_with_its_reason():
    measures = case("one_class").to_dict()["models"]["m"]["measures"]
    assert measures["auc"]["value"] is None
    assert measures["auc"]["reason"] == "there are no negatives"
    group = case("group_of_one_class").to_dict()["groups"]["g=c"]
    assert (group["class_counts"], group["models"]["m"]["measures"]["auc"]["value"]) == ({"1": 0, "0": 1}, None)


def test_infinite_is_null_and_said():
    found = breast_cancer().to_dict()["models"]["naive_bayes"]["measures"]["log_loss"]
    assert found["value"] is None
    assert "infinite (+∞)" in found["reason"]
    upper = estimate_dict(Estimate(name="lr", value=2.0, low=1.0, high=math.inf, level=0.95, method="m"))
    assert (upper["high"], upper["reason"]) == (None, "the upper limit is infinite (+∞)")
    model = case("infinite_threshold").to_dict()["models"]["m"]
    assert model["threshold"] is None
    assert "infinite" in model["threshold_reason"]
