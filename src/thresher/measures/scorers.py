"""Names and scorers of scikit-learn as measures here: `neg_log_loss`, `f1_macro`, `make_scorer(f1_score)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thresher.errors import OptionError
from thresher.measures.averaging import AVERAGES

NAMES = {
    "matthews_corrcoef": "matthews_correlation", "roc_auc_ovo": "auc_ovo", "roc_auc_ovr": "auc_ovr",
    "brier": "brier_score",
}  # fmt: skip
"""Name of a scoring → measure, where they differ by more than a sign or the place of the average."""

FUNCTIONS = {
    "matthews_corrcoef": "matthews_correlation", "roc_auc_score": "auc", "fbeta_score": "f_beta",
    "brier_score_loss": "brier_score", "log_loss": "log_loss", "hamming_loss": "hamming_loss",
    "zero_one_loss": "zero_one_loss", "d2_brier_score": "d2_brier_score",
    **{f"{name}_score": name for name in (
        "accuracy", "average_precision", "balanced_accuracy", "cohen_kappa", "f1", "gini", "h_measure", "hand_till",
        "jaccard", "ks", "lift", "npv", "precision", "recall", "specificity",
    )},
    **{name: name for name in (
        "expected_calibration_error", "false_negative_rate", "false_positive_rate", "negative_likelihood_ratio",
        "positive_likelihood_ratio",
    )},
}  # fmt: skip
"""Function of scikit-learn or `thresher.metrics` → measure."""

OF_CLASSES = frozenset({"f1", "jaccard", "lift", "npv", "precision", "recall", "specificity"})
"""Measures of one class, with functions that average over classes."""

OWN = "a measure of your own is registered by thresher.measures.register, and then named here"


def measure_called(given: Any) -> tuple[Any, str | None]:
    """Return the name of a measure here and a note on it; a name unknown to scikit-learn stays as it is.

    >>> measure_called("f1_macro"), measure_called("neg_log_loss")[0], measure_called("auc")
    (('macro_f1', None), 'log_loss', ('auc', None))
    """
    if isinstance(given, str):
        name = given.removeprefix("neg_")
        base, _, average = name.rpartition("_")
        found = f"{average}_{base}" if average in AVERAGES else NAMES.get(name, name)
        return found, _turned(given, found) if name != given else None
    function = getattr(given, "_score_func", given if callable(given) else None)
    if function is None:
        return given, None
    found = _of_function(function, dict(getattr(given, "_kwargs", {})), given)
    return found, _turned(repr(given), found) if getattr(given, "_sign", 1) < 0 else None


def _turned(given: str, found: str) -> str:
    return f"{given} is shown as {found} with its own sign: lower is better."


def _of_function(function: Any, options: Mapping[str, Any], given: Any) -> str:
    name = FUNCTIONS.get(getattr(function, "__name__", ""))
    left = dict(options)
    average, beta, versus = left.pop("average", "binary"), left.pop("beta", None), left.pop("multi_class", None)
    if average != "binary" and left.get("pos_label", 1) is None:  # an average has no positive class
        del left["pos_label"]
    known = average == "binary" or (average in AVERAGES and name in OF_CLASSES)
    known &= versus is None or (name == "auc" and versus in ("ovr", "ovo"))
    if name is None or left or not known or (name == "f_beta") != (beta is not None):
        raise OptionError(f"measures has {given!r}, which is not a measure here: " + OWN + ".")
    if beta is not None:
        return f"f_beta:beta={beta:g}"
    if versus is not None:
        return f"{name}_{versus}"
    return name if average == "binary" else f"{average}_{name}"
