"""The JSON form: the contract of its keys, its schema, and what stands where a number is missing."""

import json
import math

import jsonschema
import numpy as np
import pytest

import thresher as th
from report_cases import breast_cancer, breast_cancer_in_parts, case, fresh_breast_cancer_in_parts, named
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


def test_contract_of_the_keys():
    result = breast_cancer_in_parts().to_dict()
    assert list(result)[:7] == ["schema", "positive", "n", "models", "groups", "folds", "notes"]
    assert (result["schema"], result["positive"], result["n"]) == (1, "malignant", 569)
    assert list(result["models"]) == ["logistic_regression", "random_forest", "naive_bayes"]
    model = result["models"]["random_forest"]
    assert list(model)[:5] == ["measures", "threshold", "threshold_reason", "threshold_reason_code", "confusion_matrix"]
    assert model["confusion_matrix"] == {"labels": ["malignant", "benign"], "counts": [[194, 18], [17, 340]]}
    assert model["threshold"] == 0.5
    assert result["class_counts"] == {"malignant": 212, "benign": 357}


def test_values_are_the_evaluation_s():
    evaluation = breast_cancer()
    result = evaluation.to_dict()
    for name, model in evaluation.items():
        for measure, estimate in model.measures.items():
            found = result["models"][name]["measures"][measure]
            assert found == estimate_dict(estimate)
            assert found["value"] == estimate.value or math.isinf(estimate.value)


def test_groups_are_the_evaluations_of_their_rows():
    evaluation = breast_cancer_in_parts()
    result = evaluation.to_dict()
    assert list(result["groups"]) == ["nucleus_size=large", "nucleus_size=medium", "nucleus_size=small"]
    assert sum(group["n"] for group in result["groups"].values()) == 569
    for value, group in evaluation.groups.items():
        found = result["groups"][f"nucleus_size={value}"]
        assert found["by"] == {"nucleus_size": value}
        assert found["models"]["naive_bayes"]["measures"]["auc"]["value"] == group["naive_bayes"].auc.value
    assert list(result["folds"]) == [f"fold={i}" for i in range(1, 11)]


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


def test_no_threshold_nulls_the_decisions_with_the_reason():
    model = case("no_threshold").to_dict()["models"]["m"]
    assert (model["threshold"], model["confusion_matrix"], model["baselines"]) == (None, None, None)
    assert model["measures"]["accuracy"]["value"] is None
    assert "no threshold was given" in model["measures"]["accuracy"]["reason"]
    assert model["measures"]["auc"]["value"] is not None


@pytest.mark.slow
def test_same_input_gives_the_same_bytes():
    assert fresh_breast_cancer_in_parts().to_json() == breast_cancer_in_parts().to_json()


def test_one_measure_stands_on_one_line():
    lines = breast_cancer().to_json().splitlines()
    assert sum('"auc": {"value"' in line and line.rstrip(",").endswith("}") for line in lines) == 3
