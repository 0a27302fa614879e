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

RETRIEVAL: dict[str, dict[str, Any]] = {
    "digit_search": {
        "about": "50 handwritten digits as queries for others like them: judgements and two runs, as TREC files",
        "qrels": "digit_search.qrels",
        "runs": {"pixels": "digit_search.pixels.run", "blocks": "digit_search.blocks.run"},
    },
}
"""Examples of ranked results: a file of judgements and one for each run."""


def retrieval_files(name: str) -> dict[str, bytes]:
    """Files of an example of ranked results by their names, the judgements first."""
    about = RETRIEVAL[name]
    folder = resources.files("thresher").joinpath("data")
    return {file: folder.joinpath(file).read_bytes() for file in (about["qrels"], *about["runs"].values())}


def example_bytes(name: str) -> bytes:
    """CSV file of an example.

    Raises:
        OptionError: the example is unknown, or holds counts and is not a file; the message lists them.
    """
    if name in WALKED:
        lines = [ROWS[name], *zip(*ROWS[name].values(), strict=True)]
        return "".join(f"{','.join(map(str, line))}\n" for line in lines).encode("ascii")
    counted = [small for small in SMALL if small not in WALKED]
    if name in counted:
        raise OptionError(f'{name} holds counts, not a file of predictions: th.load_example("{name}") has them.')
    if name not in EXAMPLES:
        known = ", ".join((*EXAMPLES, *RETRIEVAL, *WALKED))
        raise OptionError(f"no example {name!r}; the examples are {known} (and in Python {', '.join(counted)}).")
    return resources.files("thresher").joinpath("data", f"{name}.csv").read_bytes()


def load_example(name: str) -> Any:
    """Example predictions as a dictionary of NumPy columns, as `thresher.evaluate` takes them.

    An example of ranked results ("digit_search") has `qrels` and `runs`, as `thresher.rank` takes them. Small ones to
    learn from: "ten", "five", "twenty" (Fawcett 2006, figure 3) and "tied" (`truth` and `score`), "leaves" (counts by
    score, for `ScoreTable.from_counts`) and the matrices "cancer", "credit" and "clinic".

    Raises:
        OptionError: there is no such example.

    >>> import thresher as th
    >>> rows = th.load_example("breast_cancer")
    >>> scores = {"forest": rows["random_forest"], "bayes": rows["naive_bayes"]}
    >>> evaluation = th.evaluate(rows["diagnosis"], scores, positive="malignant")
    >>> evaluation.n
    569

    >>> ten = th.load_example("ten")
    >>> th.evaluate(ten["truth"], ten["score"]).auc.value, th.load_example("cancer").precision
    (0.76, 0.391304347826087)
    >>> wine = th.evaluate(th.load_example("wine"), label="cultivar", probabilities=["logistic_*", "bayes_*"])
    >>> wine["bayes"].hand_till
    Estimate(hand_till = 0.9495 [0.9188, 0.9689], 95% structural components, score limits)
    """
    if name in RETRIEVAL:
        return _retrieval(name)
    if name in SMALL:
        return small_example(name)
    import csv
    import io

    import numpy as np

    lines = list(csv.reader(io.StringIO(example_bytes(name).decode("utf-8"))))
    columns = zip(*lines[1:], strict=True)
    return {header: _numbers(np.array(column)) for header, column in zip(lines[0], columns, strict=True)}


def _retrieval(name: str) -> dict[str, Any]:
    about, files = RETRIEVAL[name], retrieval_files(name)
    return {
        "qrels": _nested(files[about["qrels"]], 3, int),
        "runs": {run: _nested(files[file], 4, float) for run, file in about["runs"].items()},
    }


def _nested(content: bytes, place: int, kind: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line in content.decode("ascii").splitlines():
        fields = line.split()
        found.setdefault(fields[0], {})[fields[2]] = kind(fields[place])
    return found


def _numbers(column: Any) -> Any:
    for kind in ("int64", "float64"):
        try:
            return column.astype(kind)
        except ValueError:
            continue
    return column


TEN: dict[str, list[Any]] = {
    "truth": [1, 1, 0, 1, 1, 0, 0, 0, 1, 0],
    "score": [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4],
}

ROWS: dict[str, dict[str, list[Any]]] = {
    "ten": TEN,
    "five": {"truth": [1, 1, 0, 1, 0], "score": [10.0, 7.0, 5.0, 1.0, -3.0]},
    "twenty": {  # Fawcett 2006, figure 3
        "truth": [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0],
        "score": [n / 100 for n in (90, 80, 70, 60, 55, 54, 53, 52, 51, 50.5, *range(40, 32, -1), 30, 10)],
    },
    "tied": TEN | {"score": [0.9, 0.8, 0.7, 0.6, 0.54, 0.54, 0.54, 0.51, 0.5, 0.4]},
    "leaves": {
        "score": [0.9, 0.75, 0.5, 0.2, 0.05],
        "positive": [18, 15, 5, 4, 1],
        "negative": [2, 5, 5, 16, 19],
    },
}
"""Columns: ten rows, five rows, twenty, the ten with three equal scores, and the leaves of a tree with their counts."""

MATRICES: dict[str, tuple[list[list[int]], list[Any]]] = {
    "credit": ([[6954, 46], [412, 2588]], ["yes", "no"]),
    "cancer": ([[90, 210], [140, 9560]], ["yes", "no"]),
    "clinic": ([[90, 10], [30, 70]], ["ill", "well"]),
}
"""Counts, rows the truth, and labels, the positive one first."""

SMALL = (*ROWS, *MATRICES)

WALKED: dict[str, dict[str, Any]] = {
    "ten": {"about": "ten rows, truth and score, to walk along their ROC"},
    "twenty": {"about": "the twenty rows of Fawcett (2006), figure 3, ten of each class"},
    "five": {"about": "five rows, one score below 0"},
    "tied": {"about": "the ten rows, three of them with one score"},
}
"""Examples that are rows, so that they can be a file."""


def small_example(name: str) -> Any:
    """Columns as NumPy arrays, or a `ConfusionMatrix`."""
    if name in ROWS:
        import numpy as np

        return {column: np.array(values) for column, values in ROWS[name].items()}
    from thresher.counts import ConfusionMatrix

    counts, labels = MATRICES[name]
    return ConfusionMatrix.from_counts(counts, labels=labels, positive=labels[0])
