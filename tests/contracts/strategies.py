"""Random counts: many zeros, ties, weights, one class only, nothing at all."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from thresher.counts import ConfusionMatrix, ScoreTable

cell = st.one_of(st.integers(0, 2), st.integers(0, 10**4))
weight = st.one_of(st.just(0.0), st.floats(1e-6, 1e6), st.sampled_from([0.1, 0.2, 0.3, 0.7]))
score = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))


@st.composite
def matrices(draw: Any, k: int | None = None, batch: tuple[int, ...] = (), weighted: bool | None = None) -> Any:
    """Matrix of whole counts, or of sums of importance weights (each cell is the sum of up to three)."""
    size = draw(st.integers(2, 4)) if k is None else k
    labels = tuple(f"class {i}" for i in range(size))
    shape = (*batch, size, size)
    if not (draw(st.booleans()) if weighted is None else weighted):
        cells = draw(st.lists(cell, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
        return ConfusionMatrix(counts=np.array(cells, dtype=np.int64).reshape(shape), labels=labels)
    parts = draw(st.lists(weight, min_size=3 * int(np.prod(shape)), max_size=3 * int(np.prod(shape))))
    weights = np.array(parts).reshape(3, *shape)
    return ConfusionMatrix(
        counts=weights.sum(axis=0), labels=labels, squares=(weights**2).sum(axis=0), weight_kind="importance"
    )


@st.composite
def tables(draw: Any, max_rows: int = 12, **options: Any) -> ScoreTable:
    """Score table of a few rows with ties."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), score), max_size=max_rows))
    truth = np.array([row[0] for row in rows], dtype=np.uint8)
    return ScoreTable.from_scores(truth, np.array([row[1] for row in rows], dtype=float), **options)
