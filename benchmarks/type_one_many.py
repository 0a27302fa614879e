"""How often tests of several models over data sets, and of two over unlike folds, reject at 5 % without a difference.

    python benchmarks/type_one_many.py                   # 4,000 tables a cell, some 20 seconds

Values are independent and alike for every model. "exponential" values are skewed, but alike for all models too. A rate
beyond 5 % by more than 3 Monte Carlo standard errors is in bold.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from _rates import LEVEL, show
from numpy.typing import NDArray

from thresher.inference.differences.folds import paired_t_test, unpaired_t_test
from thresher.inference.differences.several_models import critical_difference, friedman_test, wilcoxon_signed_rank_test

MODELS = ["a", "b", "c", "d", "e"]


def rejections(values: NDArray[np.float64]) -> Iterator[tuple[str, bool]]:
    """What each test makes of one table: data sets down, models across."""
    for form in ("chi2", "iman-davenport"):
        yield f"Friedman, {form}", friedman_test(values, form=form).p_value <= LEVEL  # type: ignore[arg-type]
    pairs, control = (critical_difference(values, models=MODELS, control=name) for name in (None, MODELS[0]))
    at = dict(zip(pairs.models, pairs.mean_ranks, strict=True))
    yield "Nemenyi, any two of 5", max(at.values()) - min(at.values()) >= pairs.critical_difference
    farthest = max(abs(rank - at[MODELS[0]]) for rank in at.values())
    yield "Bonferroni–Dunn, any of 4 against one", farthest >= control.critical_difference
    a, b = values[:, 0], values[:, 1]
    yield "Wilcoxon signed rank", wilcoxon_signed_rank_test(a, b).p_value <= LEVEL
    yield "paired t", paired_t_test(a, b).p_value <= LEVEL
    few = b[: max(2, len(b) // 2)]
    for form in ("welch", "smaller"):
        yield f"unpaired t, {form}, half as many in one", unpaired_t_test(a, few, df=form).p_value <= LEVEL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=4000)
    samples = parser.parse_args().samples
    cells = [(shape, n) for shape in ("normal", "exponential") for n in (6, 10, 30)]
    rejected: dict[str, list[int]] = {}
    for column, (shape, n) in enumerate(cells):
        rng = np.random.default_rng([n, column])
        for _ in range(samples):
            values = rng.normal(size=(n, len(MODELS))) if shape == "normal" else rng.exponential(size=(n, len(MODELS)))
            for name, rejects in rejections(values):
                rejected.setdefault(name, [0] * len(cells))[column] += rejects
    show([f"{shape}, n {n}" for shape, n in cells], rejected, samples, "tables a column")


if __name__ == "__main__":
    main()
