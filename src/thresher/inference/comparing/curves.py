"""Whether two ROC curves are the same everywhere, as a comparison of two models: Venkatraman's tests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from thresher.errors import OptionError
from thresher.inference.comparing.rows import Side
from thresher.inference.differences.difference import Difference, undefined_difference
from thresher.inference.multiclass.bootstrap import unrolled
from thresher.inference.permutation.venkatraman import venkatraman_test, venkatraman_test_unpaired
from thresher.measures import find
from thresher.results import TestResult
from thresher.sentences import choice

IS_AREA = "values and their difference are AUCs, which are not what is tested"


def by_curves(a: Side, b: Side, rng: int, *, is_paired: bool) -> Difference:
    """Difference of the AUCs beside the p value of Venkatraman's test that the curves are the same; no interval.

    Rows that stand for several equal ones are permuted one by one.

    Raises:
        InputError: frequency weights that are not whole.
        OptionError: the rows have importance weights.
    """
    a, b = (replace(side, rows=unrolled(side.rows)) for side in (a, b))
    if a.rows.weights is not None:
        raise OptionError(
            choice("test", "venkatraman") + " permutes rows that count alike: it takes no importance weights."
        )
    options: dict[str, Any] = {"direction": a.rows.direction, "rng": rng}
    if is_paired:
        found = venkatraman_test(a.rows.truth, a.score, b.score, **options)
    else:
        found = venkatraman_test_unpaired(a.rows.truth, a.score, b.rows.truth, b.score, **options)
    return _difference(found, float(find("auc")(a.table)) - float(find("auc")(b.table)))


def _difference(found: TestResult, value: float) -> Difference:
    if math.isnan(found.p_value):
        return undefined_difference(found.method, found.reason or "a class has no rows")
    return Difference(
        value=value,
        method=found.method,
        p_value=lambda _: found.p_value,
        statistic=found.statistic,
        assumptions=f"{found.assumptions}; {IS_AREA}",
        source=found.source,
    )
