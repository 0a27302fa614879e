"""Example predictions inside the package, to try things on."""

from __future__ import annotations

from importlib import resources
from typing import Any

from thresher.errors import OptionError

EXAMPLES: dict[str, dict[str, Any]] = {
    "breast_cancer": {
        "about": "569 tumours, malignant or benign: out-of-fold predictions of three models",
        "label": "diagnosis",
        "positive": "malignant",
        "scores": ["logistic_regression", "random_forest", "naive_bayes"],
        "by": "nucleus_size",
    },
    "digit_eight": {
        "about": "1,797 handwritten digits, one in ten an eight: out-of-fold predictions of three models",
        "label": "is_eight",
        "positive": 1,
        "scores": ["gradient_boosting", "logistic_regression", "knn"],
        "by": "ink",
    },
    "digits": {
        "about": "1,797 handwritten digits, ten classes: out-of-fold posteriors of two models",
        "label": "digit",
        "scores": [],
        "probabilities": ["forest_*", "logistic_*"],
        "by": "ink",
    },
    "wine": {
        "about": "178 wines of three cultivars: out-of-fold posteriors of two models",
        "label": "cultivar",
        "scores": [],
        "probabilities": ["logistic_*", "bayes_*"],
        "by": "color",
    },
}


def example_bytes(name: str) -> bytes:
    """CSV file of an example.

    Raises:
        OptionError: there is no such example; the message lists them.
    """
    if name not in EXAMPLES:
        raise OptionError(f"no example {name!r}; the examples are {', '.join(EXAMPLES)}.")
    return resources.files("thresher").joinpath("data", f"{name}.csv").read_bytes()


def load_example(name: str) -> dict[str, Any]:
    """Example predictions as a dictionary of NumPy columns, as `thresher.evaluate` takes them.

    Raises:
        OptionError: there is no such example.

    >>> import thresher as th
    >>> rows = th.load_example("breast_cancer")
    >>> scores = {"forest": rows["random_forest"], "bayes": rows["naive_bayes"]}
    >>> evaluation = th.evaluate(rows["diagnosis"], scores, positive="malignant")
    >>> evaluation.n
    569

    >>> wine = th.evaluate(th.load_example("wine"), label="cultivar", probabilities=["logistic_*", "bayes_*"])
    >>> wine["bayes"].hand_till
    Estimate(hand_till = 0.9495 [0.9222, 0.9675], 95% structural components, logit scale)
    """
    import csv
    import io

    import numpy as np

    lines = list(csv.reader(io.StringIO(example_bytes(name).decode("utf-8"))))
    columns = zip(*lines[1:], strict=True)
    return {header: _numbers(np.array(column)) for header, column in zip(lines[0], columns, strict=True)}


def _numbers(column: Any) -> Any:
    """Numbers where every cell is one, else the text."""
    for kind in ("int64", "float64"):
        try:
            return column.astype(kind)
        except ValueError:
            continue
    return column
