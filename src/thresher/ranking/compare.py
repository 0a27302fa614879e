"""Comparison of two runs: tests over their shared queries, and how many each wins."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import to_jsonable
from thresher._util.threads import current_progress
from thresher.conventions import LEVEL, SEED, confidence_level, option
from thresher.errors import Note, OptionError, choice, keyword
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.bootstrap.limits import Clusters, Draws, limits, obstacle, widened_words
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.comparing.permutation import bits, check_replicates, difference_of
from thresher.inference.differences.difference import (
    ALTERNATIVES,
    Alternative,
    Difference,
    normal_difference,
    symmetric_p,
    undefined_difference,
)
from thresher.inference.differences.p_values import check_margin, equivalence_test, noninferiority_test
from thresher.inference.differences.several_models import sign_test, wilcoxon_signed_rank_test
from thresher.ranking.values import acceleration, resampled_means
from thresher.results import Shown

Floats = NDArray[np.float64]
Test = Literal["t", "randomization", "bootstrap", "wilcoxon", "sign"]

TESTS: tuple[Test, ...] = ("t", "randomization", "bootstrap", "wilcoxon", "sign")
EXACT = 15
"""Queries that differ up to which all assignments of the two runs are gone through."""

PERMUTATIONS = 10_000
REPORT = 100
"""Permutations between two reports of progress."""

UNIT = (-1.0, 1.0)
CONSTANT = Note("no-spread", "every query differs by the same amount, so it is unknown how surprising that is")
FEW = Note("too-few-rows", "a test over queries needs two of them, and there are fewer")


def query_difference(
    a: Floats, b: Floats, *, test: Test = "t", bootstrap: Bootstrap | None = None, n: int = PERMUTATIONS,
    bounds: tuple[float, float] = UNIT, rng: int = SEED,
) -> Difference:  # fmt: skip
    """Mean of a − b over the same queries, with its limits and its p value.

    "t": paired t, t = d̄/(s/√n). "randomization": Fisher's, which exchanges the two values of a query with probability
    ½; all exchanges are enumerated when at most fifteen queries differ, else `n` are drawn. "bootstrap":
    queries are drawn with replacement; Z = d̄ over the standard deviation of the replicates, and the configuration's
    limits. "wilcoxon": the signed rank test, "sign": the sign test, both of the differences that are not 0; they have
    no interval of the mean.

    Raises:
        OptionError: there is no such test.

    >>> round(query_difference(np.array([0.5, 0.4, 0.9]), np.array([0.3, 0.3, 0.4])).p(), 4)
    0.1567

    Source: Student 1908; Fisher 1935; Smucker, Allan & Carterette 2007.
    """
    option("test", test, TESTS)
    values = np.stack([np.asarray(a, dtype=np.float64), b])
    if values.shape[1] < 2 or not np.isfinite(values).all():
        why = FEW if values.shape[1] < 2 else Note("undefined", "a value of a query is undefined or infinite")
        return undefined_difference(f"paired {test} test over queries", why)
    d = values[0] - values[1]
    if test == "randomization":
        return _randomized(d, n, rng)
    if test in ("wilcoxon", "sign"):
        return _of_ranks(values, test)
    if test == "bootstrap":
        return _bootstrapped(d, bootstrap or Bootstrap(rng=rng), bounds)
    return _student(d, bounds)


def _student(d: Floats, bounds: tuple[float, float]) -> Difference:
    method = f"paired t test over {d.size:,} queries"
    value = float(d.mean())
    error = float(d.std(ddof=1)) / math.sqrt(d.size) if d.min() != d.max() else 0.0
    if error == 0 and value != 0:
        return Difference(value=value, method=method, reason=CONSTANT, bounds=bounds)
    return normal_difference(
        value, error, bounds=bounds, df=d.size - 1.0, method=method,
        assumptions="independent queries; a mean difference that is near normal",
        source="Student 1908; Smucker, Allan & Carterette 2007",
    )  # fmt: skip


def _randomized(d: Floats, n: int, rng: int) -> Difference:
    check_replicates(n, rng)
    value, changed = float(d.mean()), d[d != 0]
    assumptions = "exchangeable runs"
    if changed.size <= EXACT:
        signs = 1 - 2 * ((np.arange(2**changed.size)[:, None] >> np.arange(changed.size)) & 1)
        method = f"Fisher's randomization test over {d.size:,} queries, exact"
        # The observed data are among the assignments: difference_of adds them once more.
        values = (signs @ changed / d.size)[1:]
        found = difference_of(value, values, method, "the difference", assumptions) if values.size else None
        if found is None:
            found = Difference(value=value, method=method, p_value=lambda _alternative: 1.0, statistic=value)
    else:
        sums, report = np.empty(n), current_progress(None)
        for r in range(n):
            if r % REPORT == 0:
                report(r, n)
            sums[r] = changed @ (1.0 - 2.0 * bits(changed.size, rng, r))
        report(n, n)
        method = f"Fisher's randomization test over {d.size:,} queries, {n:,} drawn, seed {rng}"
        found = difference_of(value, sums / d.size, method, "the difference", assumptions)
    drawn_of = None if changed.size <= EXACT else found.replicates
    return replace(found, replicates=drawn_of, source="Fisher 1935; Smucker, Allan & Carterette 2007")


def _of_ranks(values: Floats, test: Literal["wilcoxon", "sign"]) -> Difference:
    function = wilcoxon_signed_rank_test if test == "wilcoxon" else sign_test
    found = function(values[0], values[1])
    return Difference(
        value=float((values[0] - values[1]).mean()),
        method=f"{found.method}, over {values.shape[1]:,} queries",
        statistic=found.statistic,
        p_value=lambda alternative: function(values[0], values[1], alternative=alternative).p_value,
        assumptions=found.assumptions,
        source=found.source,
    )


def _bootstrapped(d: Floats, config: Bootstrap, bounds: tuple[float, float]) -> Difference:
    method = f"paired {config.describe('queries')}"
    if config.method == "studentized":
        raise OptionError("method='studentized' cannot serve means over queries: take percentile, basic or bca.")
    value = float(d.mean())
    if d.min() == d.max():
        same = value == 0
        return Difference(
            value=value, method=method, bounds=bounds, reason=None if same else CONSTANT,
            limits=(lambda _tail: (0.0, 0.0)) if same else None, p_value=symmetric_p(0.0) if same else None,
        )  # fmt: skip
    found = np.sort(resampled_means(d[None, :], config)[:, 0])
    queries = Clusters(d.size)
    drawn = Draws(observed=value, sorted=found, bounds=bounds, acceleration=acceleration(d), clusters=queries)
    error, reason = queries.factor * float(found.std(ddof=1)), obstacle(drawn, config.method)
    t = value / error if error else 0.0
    return Difference(
        value=value,
        method=method + widened_words(queries, "queries"),
        statistic=t,
        df=float(queries.df),
        standard_error=error,
        limits=None if reason else lambda tail: limits(drawn, config.method, tail),
        p_value=symmetric_p(t, queries.df) if error else None,
        bounds=bounds,
        reason=reason,
        assumptions="independent queries",
        source="Efron & Tibshirani 1993; Sakai 2006",
    )


def comparison_of(
    found: Difference, values: tuple[float, float], *, measure: str, title: str, models: tuple[str, str], n: int,
    level: float = LEVEL, alternative: Alternative = "two-sided", margin: float | None = None,
) -> Comparison:  # fmt: skip
    """A difference over queries as a comparison, with its sentence."""
    option("alternative", alternative, ALTERNATIVES)
    against = {} if margin is None else _against_margin(found, margin, level)
    low, high = found.interval(confidence_level(level), alternative) or (None, None)
    facts: dict[str, Any] = {"assumptions": found.assumptions, "source": found.source, "reason": found.reason}
    return Comparison(
        measure=measure,
        title=title,
        models=models,
        values=values,
        difference=found.value,
        low=low,
        high=high,
        level=level,
        p_value=found.p(alternative),
        p_floor=found.p_floor(alternative),
        method=found.method,
        alternative=alternative,
        standard_error=found.standard_error,
        statistic=found.statistic,
        df=found.df,
        critical_value=found.critical_value(level, alternative),
        n=(n, n),
        units="queries",
        margin=margin,
        **against,
        **facts,
    )


def _against_margin(found: Difference, margin: float, level: float) -> dict[str, Any]:
    check_margin(margin)
    if found.limits is None and math.isfinite(found.value) and found.reason is None:
        raise OptionError(
            keyword("margin", repr(margin)) + " needs the interval of the difference, and a "
            + found.method + " gives none: take " + choice("test", "t") + " or " + choice("test", "bootstrap") + "."
        )  # fmt: skip
    if found.limits is None:
        return {}
    return {
        "noninferiority_p": noninferiority_test(found, margin=margin, level=level).p_value,
        "equivalence_p": equivalence_test(found, margin=margin, level=level).p_value,
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes(Shown):
    """Values of a measure for two runs on the queries that count in both; within `within` of each other is a tie.

    >>> found = Outcomes(measure="map", runs=("a", "b"), queries=("q1", "q2", "q3"),
    ...                  first=np.array([0.5, 0.2, 0.7]), second=np.array([0.4, 0.2, 0.1]))
    >>> found
    Outcomes(map: a wins 2 queries, b 0, tied 1)
    """

    measure: str
    runs: tuple[str, str]
    queries: tuple[str, ...]
    first: Floats
    second: Floats
    within: float = 0.0
    backend: str | None = None

    @property
    def difference(self) -> Floats:
        """First minus second; NaN where a value is undefined."""
        with np.errstate(invalid="ignore"):  # of two infinite values
            return np.asarray(self.first - self.second)

    @property
    def winner(self) -> tuple[str, ...]:
        """Name of the better run for every query, "tie", or "undefined" where a value is."""
        sign = np.where(np.abs(self.difference) <= self.within, 0, np.sign(self.difference))
        words = {1.0: self.runs[0], -1.0: self.runs[1], 0.0: "tie"}
        return tuple(words.get(s, "undefined") for s in sign.tolist())

    @property
    def wins(self) -> int:
        """Queries on which the first is better."""
        return int((self.difference > self.within).sum())

    @property
    def losses(self) -> int:
        """Queries on which the second is better."""
        return int((self.difference < -self.within).sum())

    @property
    def ties(self) -> int:
        """Queries on which neither is."""
        return int((np.abs(self.difference) <= self.within).sum())

    @property
    def undefined(self) -> int:
        """Queries on which a value is undefined."""
        return int(np.isnan(self.difference).sum())

    def columns(self) -> dict[str, Any]:
        """Columns query, first, second, difference and winner, with an entry for each query."""
        columns = {"query": list(self.queries), "first": self.first, "second": self.second}
        return columns | {"difference": self.difference, "winner": list(self.winner)}

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison, the wins, and the columns as lists of JSON types; undefined is None."""
        names = ("measure", "runs", "within", "wins", "losses", "ties", "undefined")
        columns: dict[str, Any] = to_jsonable(self.columns())
        return {name: to_jsonable(getattr(self, name)) for name in names} | columns

    def __repr__(self) -> str:
        first, second = self.runs
        counts = f"{first} wins {self.wins:,} queries, {second} {self.losses:,}, tied {self.ties:,}"
        counts += f", undefined {self.undefined:,}" if self.undefined else ""
        return f"Outcomes({self.measure}: {counts})"
