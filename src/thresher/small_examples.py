"""The small examples that the subject is taught with: a few rows, a tree's leaves, and matrices of counts."""

from __future__ import annotations

from typing import Any

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


def small_file(name: str) -> bytes:
    """CSV file of an example that is rows."""
    columns = ROWS[name]
    lines = [columns, *zip(*columns.values(), strict=True)]
    return "".join(f"{','.join(map(str, line))}\n" for line in lines).encode("ascii")


def small_example(name: str) -> Any:
    """Columns as NumPy arrays, or a `ConfusionMatrix`."""
    if name in ROWS:
        import numpy as np

        return {column: np.array(values) for column, values in ROWS[name].items()}
    from thresher.counts import ConfusionMatrix

    counts, labels = MATRICES[name]
    return ConfusionMatrix.from_counts(counts, labels=labels, positive=labels[0])
