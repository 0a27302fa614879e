"""Small tables of bins of scores, and every table of rows that each may stand for."""

import itertools
from dataclasses import replace

import numpy as np

from thresher.counts import ScoreTable


def bins_of(seed):
    """Bins a quarter wide and scores that stand for themselves, of a few rows of both classes."""
    rng = np.random.default_rng(seed)
    scores = np.array([0.8, 0.75, 0.5, 0.25, 0.2, 0.1])
    widths = np.array([0.0, 0.0, 0.25, 0.25, 0.0, 0.0])
    positive, negative = rng.integers(0, 3, (2, 6))
    positive[2:4], negative[2:4] = rng.integers(1, 3, 2), rng.integers(1, 3, 2)
    return ScoreTable(scores=scores, positive=positive, negative=negative, binned=True, widths=widths)


def placements(table):
    """Tables of the rows, each at the lowest, a middle or the highest score that its bin holds."""
    fixed, rows = [], []
    for k, (score, width) in enumerate(zip(table.scores, table.widths, strict=True)):
        for truth, count in ((1, table.positive[k]), (0, table.negative[k])):
            for _ in range(count):
                if width:
                    rows.append((truth, [score, score + width / 2.2, np.nextafter(score + width, 0)]))
                else:
                    fixed.append((truth, score))
    rng = np.random.default_rng(0)
    every = list(itertools.product(range(3), repeat=len(rows)))
    for places in every if len(every) <= 81 else [every[i] for i in rng.choice(len(every), 81, replace=False)]:
        found = [*fixed, *((truth, ends[place]) for (truth, ends), place in zip(rows, places, strict=True))]
        yield replace(ScoreTable.from_scores(*map(np.array, zip(*found, strict=True))), prior=table.prior)


PRIORS = {4: 0.1, 5: 0.5}
TABLES = {seed: replace(bins_of(seed), prior=PRIORS.get(seed)) for seed in range(6)}
REFINED = {seed: list(placements(table)) for seed, table in TABLES.items()}
