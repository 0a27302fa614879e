"""Reads the values that R and scikit-learn gave for the example data; see ``golden/README.md``."""

import json
import math
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parent / "golden"
SPELLED = {"Inf": math.inf, "-Inf": -math.inf, "NaN": math.nan}


def load(name: str) -> dict[str, Any]:
    """The contents of ``golden/<name>.json``; "Inf", "-Inf", "NaN" and null in a value are floats.

    >>> load("breast_cancer")["results"]["proc/logistic_regression/auc"]["value"]
    0.9481396332117753
    >>> load("breast_cancer")["results"]["rocr/logistic_regression/by_cutoff"]["value"]["cutoff"][0]
    inf
    """
    document = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    for entry in document["results"].values():
        entry["value"] = as_floats(entry["value"])
    return document


def as_floats(value: Any) -> Any:
    """The value with every spelled-out or missing number as a float, at any depth."""
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_floats(item) for item in value]
    if value is None:
        return math.nan
    return SPELLED.get(value, value) if isinstance(value, str) else value
