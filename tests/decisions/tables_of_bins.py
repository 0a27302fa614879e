"""Tables of rows, and of the same rows in few bins."""

from dataclasses import replace

import numpy as np

from thresher.counts import ScoreTable
from thresher.counts.reducing import Reducing


def tables(found, direction="higher", *, weighted=False, step=None):
    """Table of the rows themselves, and of few bins of them; with a step one that knows the vertices of the hull."""
    truth, score, weight = (np.array(column) for column in zip(*found, strict=True))
    weights = weight if weighted else None
    exact = ScoreTable.from_scores(truth, score, weights=weights, direction=direction)
    builder = ScoreTable.builder(exact_rows=4, bins=8, tolerance=1e-6, direction=direction)
    table = builder.update(truth.astype(np.uint8), score, weights).table()
    if step is None or not table.binned:
        return exact, table
    reducing, sign = Reducing(table, step=step), 1 if direction == "higher" else -1
    reducing.add(replace(exact, scores=sign * exact.scores, direction="higher"))
    return exact, reducing.table()
