"""How often each test of two models rejects a true null hypothesis at 5 %: a Markdown table.

    python benchmarks/type_one.py                  # 2,000 samples a cell, several minutes
    python benchmarks/type_one.py --only Venkatraman --rows 100 --samples 500

Scores are binormal with equal AUCs; paired models share 0.7 of their noise. A rate beyond 5 % by more than 3 Monte
Carlo standard errors is marked.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from _rates import LEVEL, foot, head, line
from numpy.typing import NDArray

from thresher import Bootstrap, evaluate
from thresher.inference.auc.delong_rows import delong_contrast_test, delong_difference, placed_rows
from thresher.inference.auc.tests import delong_test, delong_test_unpaired
from thresher.inference.bootstrap.intervals import bootstrap_difference
from thresher.inference.comparing.permutation import permutation_test
from thresher.inference.comparing.resampling import venkatraman_test, venkatraman_test_unpaired
from thresher.inference.differences.fixed_point import fixed_point_test, fixed_point_test_unpaired
from thresher.inference.differences.means import mean_of, paired_mean_difference, unpaired_share_difference
from thresher.inference.differences.p_values import noninferiority_test
from thresher.inference.differences.several_models import cochran_q_test
from thresher.inference.differences.tests_of_counts import agreement_table, mcnemar_test
from thresher.inference.multiclass.tests import multiclass_auc_test, multiclass_auc_test_unpaired

Floats = NDArray[np.float64]
Draw = tuple[NDArray[np.int64], Floats, Floats, Floats]

SHIFTS = {0.7: 0.7416, 0.9: 1.8124}
"""AUC of a binormal score, and the distance of its two means."""


def draw(rng: np.random.Generator, n: int, shift: float) -> Draw:
    """Truth (40 % positive) and three scores of equal AUC on the same rows."""
    y = np.repeat([1, 0], [2 * n // 5, n - 2 * n // 5])
    shared = rng.normal(size=n)
    a, b, c = (math.sqrt(0.7) * shared + math.sqrt(0.3) * rng.normal(size=n) + shift * y for _ in range(3))
    return y, a, b, c


def right(d: Draw, score: Floats, shift: float) -> NDArray[np.bool_]:
    return (score >= shift / 2) == (d[0] == 1)


def unpaired_rows(rng: np.random.Generator, n: int, shift: float) -> tuple[Floats, ...]:
    first, second = draw(rng, n, shift), draw(rng, n, shift)
    return first[0], first[1], second[0], second[1]


def draw_classes(rng: np.random.Generator, n: int, shift: float) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Truth of three classes (half, 30 % and 20 %), and two models of equal M on the same rows."""
    y = np.repeat([0, 1, 2], [n // 2, 3 * n // 10, n - n // 2 - 3 * n // 10])
    shared = rng.normal(size=(n, 3))
    noise = (math.sqrt(0.7) * shared + math.sqrt(0.3) * rng.normal(size=(n, 3)) for _ in range(2))
    return y, *(shift * np.eye(3)[y] + each for each in noise)  # type: ignore[return-value]


Test = Callable[[np.random.Generator, int, float], float]


def paired(test: Callable[[Draw, float], float]) -> Test:
    return lambda rng, n, shift: test(draw(rng, n, shift), shift)


def mcnemar(method: str) -> Test:
    def p(d: Draw, shift: float) -> float:
        return mcnemar_test(agreement_table(right(d, d[1], shift), right(d, d[2], shift)), method=method).p_value

    return paired(p)


def shares(rng: np.random.Generator, n: int, shift: float) -> float:
    means = (mean_of(right(d, d[1], shift)) for d in (draw(rng, n, shift), draw(rng, n, shift)))
    return unpaired_share_difference(*means).p()


def losses(d: Draw, shift: float) -> float:
    one, two = ((1 / (1 + np.exp(-shift * (s - shift / 2))) - d[0]) ** 2 for s in d[1:3])
    return paired_mean_difference(one, two).p()


def classes(rng: np.random.Generator, n: int, shift: float, measure: str) -> float:
    return multiclass_auc_test(*draw_classes(rng, n, shift), measure=measure, scores=True).p_value


def classes_apart(rng: np.random.Generator, n: int, shift: float) -> float:
    (y, a, _), (other, b, _) = draw_classes(rng, n, shift), draw_classes(rng, n, shift)
    return multiclass_auc_test_unpaired(y, a, other, b, scores=True).p_value


def inferior(d: Draw, _shift: float) -> float:
    y, a, b, _ = d
    found = delong_difference(placed_rows(y, [a, b]))
    return noninferiority_test(found, margin=1e-9).p_value


def cochran(d: Draw, shift: float) -> float:
    return cochran_q_test(np.column_stack([right(d, score, shift) for score in d[1:]])).p_value


def resampled(d: Draw, _shift: float) -> float:
    rows = evaluate(d[0], {"a": d[1], "b": d[2]}).predictions
    return bootstrap_difference(rows, "a", "b", "average_precision", Bootstrap(n=400)).p()


def tests() -> dict[str, Test]:
    """Each test by name, from random rows to its p value."""
    return {
        "DeLong, paired": paired(lambda d, _: delong_test(*d[:3]).p_value),
        "DeLong, three models (χ², 2 df)": paired(lambda d, _: delong_contrast_test(d[0], d[1:]).p_value),
        "DeLong, non-inferiority at margin 0": paired(inferior),
        "DeLong, unpaired, normal": lambda *given: delong_test_unpaired(*unpaired_rows(*given)).p_value,
        "DeLong, unpaired, t": lambda *given: delong_test_unpaired(*unpaired_rows(*given), distribution="t").p_value,
        "Hand–Till M, three classes, paired": lambda *given: classes(*given, "hand_till"),
        "Hand–Till M, three classes, unpaired": classes_apart,
        "macro AUC, three classes, paired": lambda *given: classes(*given, "macro_auc"),
        "micro AUC, three classes, paired": lambda *given: classes(*given, "micro_auc"),
        "McNemar, exact (accuracy)": mcnemar("exact"),
        "McNemar, mid-p (accuracy)": mcnemar("mid-p"),
        "McNemar, χ² (accuracy)": mcnemar("chi2"),
        "two shares, unpaired (accuracy)": shares,
        "paired means (Brier score)": paired(losses),
        "Cochran's Q, three models (accuracy)": paired(cochran),
        "permutation, AUC": paired(lambda d, _: permutation_test(*d[:3], n=400).p_value),
        "bootstrap, average precision": paired(resampled),
        "Venkatraman, paired": paired(lambda d, _: venkatraman_test(*d[:3], n=400).p_value),
        "Venkatraman, unpaired": lambda *given: venkatraman_test_unpaired(*unpaired_rows(*given), n=400).p_value,
        "TPR at FPR 0.1, unpaired": lambda *given: fixed_point_test_unpaired(*unpaired_rows(*given), fpr=0.1).p_value,
        "TPR at FPR 0.01": paired(lambda d, _: fixed_point_test(*d[:3], fpr=0.01).p_value),
        "TPR at FPR 0.1": paired(lambda d, _: fixed_point_test(*d[:3], fpr=0.1).p_value),
        "FPR at TPR 0.9": paired(lambda d, _: fixed_point_test(*d[:3], tpr=0.9).p_value),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", default="", metavar="TEXT", help="tests with this in their name")
    parser.add_argument("--rows", type=int, nargs="+", default=[30, 100, 400], help="sizes, each twice a column")
    given = parser.parse_args()
    samples = given.samples
    cells = [(auc, n) for auc in SHIFTS for n in given.rows]
    print(head([f"AUC {auc}, n {n}" for auc, n in cells]))
    for name, test in ((name, test) for name, test in tests().items() if given.only in name):
        row = []
        for auc, n in cells:
            rng = np.random.default_rng([n, int(100 * auc)])
            row.append(float(np.mean([test(rng, n, SHIFTS[auc]) <= LEVEL for _ in range(samples)])))
        print(line(name, row, samples), flush=True)
    print(foot(samples, "samples a cell"))


if __name__ == "__main__":
    main()
