"""Many models over data sets or folds (Friedman, Quade, Kendall), on the same rows (Cochran), or in pairs."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher._util.fast_dataclass import asdict, dataclass
from thresher.conventions import LEVEL, Floats, confidence_level, option
from thresher.errors import InputError
from thresher.inference.differences.difference import ALTERNATIVES, Alternative
from thresher.measures.binomial import at_least, normal_tail
from thresher.results import Shown, TestResult

MOST_EXACT = 50
"""Most differences for the exact distribution."""


def cochran_q_test(correct: ArrayLike) -> TestResult:
    """Cochran's Q test that k models err equally often on the same rows: χ² with k−1 degrees of freedom.

    `correct` is rows × models, 0/1 or bool. Q = (k−1)·(k·ΣGⱼ² − G²)/(k·G − ΣLᵢ²) with column sums Gⱼ, row sums Lᵢ and
    total G. With two models it is McNemar's χ² without correction. Models that agree on every row give Q = 0, p = 1.

    Raises:
        InputError: fewer than two models, no rows, or a value other than 0 and 1.

    >>> round(cochran_q_test([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0]]).statistic, 4)
    4.5

    Source: Cochran 1950.
    """
    from scipy.special import chdtrc

    x = _table(correct, "correct")
    if not np.isin(x, (0, 1)).all():
        raise InputError("correct must be 0 or 1: whether each model was right in each row.")
    k, columns, rows = x.shape[1], x.sum(axis=0), x.sum(axis=1)
    top = (k - 1) * (k * float((columns**2).sum()) - float(columns.sum()) ** 2)
    bottom = k * float(rows.sum()) - float((rows**2).sum())
    q = top / bottom if bottom else 0.0
    return TestResult(
        method="Cochran's Q test",
        statistic=q,
        p_value=float(chdtrc(k - 1, q)) if q else 1.0,
        df=k - 1.0,
        assumptions="independent rows, many of them discordant",
        source="Cochran 1950",
    )


def friedman_test(values: ArrayLike, *, form: Literal["chi2", "iman-davenport"] = "iman-davenport") -> TestResult:
    """Friedman's test that k models are alike over data sets (or folds), by ranks within each row, ties shared.

    `values` is data sets × models. χ²_F = (k−1)·Σⱼ(Rⱼ − n(k+1)/2)²/(Σrᵢⱼ² − n·k(k+1)²/4), corrected for ties, with k−1
    degrees of freedom; Iman–Davenport: F = (n−1)χ²/(n(k−1) − χ²) with (k−1, (k−1)(n−1)), less conservative. Equal
    columns give statistic 0 and p = 1. If all rows rank the models alike, F is infinite. p is never below the share of
    permutations within rows that only rename the models, max Mᵢ/∏Mᵢ with Mᵢ = k!/∏t! orders of a row with ties of t
    models: the exact p of rows that all rank alike.

    Raises:
        InputError: fewer than two models or data sets, or a value that is not finite.

    >>> friedman_test([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]], form="chi2").statistic
    4.5

    Source: Friedman 1937; Iman & Davenport 1980; Demšar 2006.
    """
    from scipy.special import chdtrc, fdtrc

    option("form", form, ("chi2", "iman-davenport"))
    ranks = row_ranks(values)
    n, k = ranks.shape
    top = (k - 1) * float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    bottom = float((ranks**2).sum()) - n * k * (k + 1) ** 2 / 4
    chi2 = top / bottom if bottom else 0.0
    facts: dict[str, Any] = {"assumptions": "independent data sets", "df": k - 1.0}
    if form == "chi2":
        facts |= {"method": "Friedman's rank sum test", "source": "Friedman 1937"}
        return TestResult(statistic=chi2, p_value=float(chdtrc(k - 1, chi2)) if chi2 else 1.0, **facts)
    df = facts["df"] = (k - 1.0, (k - 1.0) * (n - 1))
    if chi2 and (ranks == ranks[0]).all():
        facts["method"] = "Friedman's test, exact, as all rows rank the models alike"
        facts["source"] = "Friedman 1937; Iman & Davenport 1980"
        return TestResult(statistic=math.inf, p_value=_least_p(ranks), **facts)
    f = (n - 1) * chi2 / (n * (k - 1) - chi2) if chi2 else 0.0
    p = max(float(fdtrc(*df, f)), _least_p(ranks)) if f else 1.0
    facts |= {"method": "Friedman's test, Iman–Davenport F", "source": "Iman & Davenport 1980"}
    return TestResult(statistic=f, p_value=p, **facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalDifference(Shown):
    """Mean ranks (1 is best), their critical difference, and the groups of models within it.

    `groups` are the maximal runs of models, in order of mean rank, within the critical difference: the bars of Demšar's
    diagram. With a control only differences to it are judged.
    """

    models: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    level: float
    method: str
    control: str | None = None
    source: str = "Demšar 2006"
    n: int = 0

    @property
    def p_values(self) -> dict[tuple[str, str], float]:
        """Adjusted p value of every pair of models (Nemenyi), or of every model and the control (Bonferroni–Dunn).

        With the difference d of mean ranks in units of √(k(k + 1)/(6n)): Nemenyi's is the chance of a studentised range
        above √2·d, Bonferroni–Dunn's min(1, (k − 1)·2·(1 − Φ(d))).
        """
        k, ranks = len(self.models), dict(zip(self.models, self.mean_ranks, strict=True))
        unit = math.sqrt(k * (k + 1) / (6 * self.n))
        if self.control is not None:
            gaps = {(m, self.control): abs(ranks[m] - ranks[self.control]) / unit for m in ranks if m != self.control}
            return {pair: normal_tail(gap, 2 * (k - 1)) for pair, gap in gaps.items()}
        gaps = {(a, b): abs(ranks[a] - ranks[b]) / unit for a, b in combinations(self.models, 2)}
        return {pair: _range_tail(math.sqrt(2) * gap, k) for pair, gap in gaps.items()}

    def to_dict(self) -> dict[str, Any]:
        """Fields as a plain dictionary of JSON types; `mean_ranks` by model, the best first."""
        ranks = dict(zip(self.models, self.mean_ranks, strict=True))
        return asdict(self) | {"models": list(self.models), "mean_ranks": ranks, "groups": [*map(list, self.groups)]}

    def columns(self) -> dict[str, list[Any]]:
        """Model and mean rank, the best first."""
        return {"model": list(self.models), "mean_rank": list(self.mean_ranks)}


def critical_difference(
    values: ArrayLike,
    *,
    models: list[str],
    higher_is_better: bool = True,
    control: str | None = None,
    level: float = LEVEL,
) -> CriticalDifference:
    """Critical difference of mean ranks: Nemenyi over all pairs, Bonferroni–Dunn against a control.

    CD = q·√(k(k+1)/(6n)), with q the studentised range quantile over √2 (Nemenyi) or the normal quantile at
    (1−level)/(2(k−1)) (Bonferroni–Dunn). `values` is data sets × models.

    Raises:
        InputError: the names do not fit the columns, or the control is not among them.

    >>> import numpy as np
    >>> values = np.tile([0.9, 0.8, 0.7], (10, 1))
    >>> result = critical_difference(values, models=["a", "b", "c"])
    >>> round(result.critical_difference, 3), result.groups
    (1.048, (('a', 'b'), ('b', 'c')))

    Source: Nemenyi 1963; Dunn 1961; Demšar 2006.
    """
    level = confidence_level(level)
    table = _table(values, "values")
    n, k = table.shape
    if len(models) != k or len(set(models)) != k:
        raise InputError(f"{len(models)} names for {k} columns: each model needs its own name.")
    if control is not None and control not in models:
        raise InputError(f"control={control!r} is not among the models {', '.join(map(repr, models))}.")
    ranks = row_ranks(-table if higher_is_better else table).mean(axis=0)
    order = sorted(range(k), key=lambda j: (ranks[j], j))
    if control is not None:
        quantile = NormalDist().inv_cdf(1 - (1 - level) / (2 * (k - 1)))
    else:
        from scipy.stats import studentized_range

        quantile = float(studentized_range.ppf(level, k, math.inf)) / math.sqrt(2)
    cd = quantile * math.sqrt(k * (k + 1) / (6 * n))
    return CriticalDifference(
        models=tuple(models[j] for j in order),
        mean_ranks=tuple(float(ranks[j]) for j in order),
        critical_difference=cd,
        groups=_groups([(models[j], float(ranks[j])) for j in order], cd),
        level=level,
        method="Nemenyi" if control is None else "Bonferroni–Dunn",
        control=control,
        n=n,
    )


def wilcoxon_signed_rank_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Wilcoxon's signed rank test of paired values over data sets; zero differences are ignored.

    The statistic is the sum of the ranks of the positive differences; equal ones share their mean rank. Up to 50
    differences p is exact: the share of all 2ⁿ choices of the signs, given these ranks. Beyond, it is the normal form
    with the variance corrected for ties and continuity. No difference at all gives p = 1.

    Raises:
        InputError: unequal lengths, or a value that is not finite.

    >>> wilcoxon_signed_rank_test([5, 6, 7, 8, 9], [1, 1, 1, 1, 1]).p_value
    0.0625
    >>> wilcoxon_signed_rank_test([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]).p_value
    0.0625

    Source: Wilcoxon 1945; Streitberg & Röhmel 1986 (exact, with ties); Demšar 2006.
    """
    option("alternative", alternative, ALTERNATIVES)
    pair = _table(np.column_stack([np.ravel(a), np.ravel(b)]) if np.size(a) == np.size(b) else np.zeros(0), "a, b")
    d = pair[:, 0] - pair[:, 1]
    d = d[d != 0]
    if d.size == 0:
        return TestResult(method="Wilcoxon's signed rank test", statistic=0.0, p_value=1.0, source="Wilcoxon 1945")
    from scipy.stats import rankdata, wilcoxon

    ranks = rankdata(np.abs(d))
    exact = d.size <= MOST_EXACT
    if exact:
        p_value = _share_of_signs(ranks, d > 0, alternative)
    else:
        p_value = float(wilcoxon(d, alternative=alternative, method="asymptotic", correction=True).pvalue)
    return TestResult(
        method=f"Wilcoxon's signed rank test, {'exact' if exact else 'normal form with continuity correction'}",
        statistic=float(ranks[d > 0].sum()),
        p_value=min(1.0, p_value),
        estimate=float(np.median(d)),
        alternative=alternative,
        assumptions="differences are symmetric",
        source="Wilcoxon 1945",
    )


def _share_of_signs(ranks: Floats, is_positive: NDArray[np.bool_], alternative: Alternative) -> float:
    """Share of the choices of signs with a sum of positive ranks as extreme; twice the smaller tail if two-sided."""
    twice = np.rint(2 * ranks).astype(np.int64)  # a shared rank may be a half
    ways = np.zeros(int(twice.sum()) + 1, dtype=np.int64)
    ways[0] = 1
    for rank in twice.tolist():
        ways[rank:] += ways[:-rank]
    observed, choices = int(twice[is_positive].sum()), float(2**ranks.size)
    above, below = (float(tail.sum()) / choices for tail in (ways[observed:], ways[: observed + 1]))
    return {"greater": above, "less": below, "two-sided": 2 * min(above, below)}[alternative]


def row_ranks(values: ArrayLike) -> Floats:
    """Ascending mid-ranks within each row, from 1; equal values share their mean rank."""
    table = _table(values, "values", least=1)
    lower = (table[:, None, :] < table[:, :, None]).sum(axis=2)
    equal = (table[:, None, :] == table[:, :, None]).sum(axis=2)
    return np.asarray(lower + (equal + 1) / 2)


def _least_p(ranks: Floats) -> float:
    """Share of the permutations within rows that rename the models and change no statistic."""
    ties = [np.unique(row, return_counts=True)[1] for row in ranks]
    orders = [math.lgamma(ranks.shape[1] + 1) - sum(math.lgamma(t + 1) for t in row) for row in ties]
    return math.exp(max(orders) - sum(orders))


def _range_tail(q: float, k: int) -> float:
    """Chance that the range of k standard normal values exceeds q; SciPy's loses the digits of small ones.

    >>> f"{_range_tail(0.0, 3):.6g}", f"{_range_tail(20.0, 3):.6g}"
    ('1', '6.26546e-45')
    """
    from scipy.special import ndtr

    step = (q / 2 + 18) / 1000
    z = step * np.arange(1001) - 9
    below = ndtr(z)
    with np.errstate(divide="ignore"):
        beyond = -np.expm1((k - 1) * np.log1p(-ndtr(z - q) / below))
    density = k * np.exp(-z * z / 2) * below ** (k - 1) / math.sqrt(2 * math.pi)
    return min(1.0, step * float(density @ beyond))


def _groups(ranked: list[tuple[str, float]], cd: float) -> tuple[tuple[str, ...], ...]:
    """Maximal runs within one critical difference; runs inside a longer one are dropped."""
    runs: list[tuple[int, int]] = []
    for i in range(len(ranked)):
        j = max(j for j in range(i, len(ranked)) if ranked[j][1] - ranked[i][1] <= cd)
        if not runs or j > runs[-1][1]:
            runs.append((i, j))
    return tuple(tuple(name for name, _ in ranked[i : j + 1]) for i, j in runs)


def _table(values: ArrayLike, name: str, least: int = 2) -> Floats:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < least:
        raise InputError(
            f"{name} has shape {table.shape}: it takes one row per data set (or row) and one column per model."
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise InputError(f"{name} has {table[row, column]} in row {row + 1}, column {column + 1}.")
    return table


def quade_test(values: ArrayLike) -> TestResult:
    """Quade's test that k models are alike over data sets; rows with a wide range count more.

    `values` is data sets × models. Ranks within each row are centered and multiplied by the rank Qᵢ of the row's range:
    Sᵢⱼ = Qᵢ·(rᵢⱼ − (k + 1)/2); F = (n − 1)·B/(A − B) with A = ΣSᵢⱼ² and B = Σⱼ(ΣᵢSᵢⱼ)²/n, on k − 1 and (n − 1)(k − 1)
    degrees of freedom. Equal columns give F = 0 and p = 1. If A = B, F is infinite and p = (1/k!)ⁿ⁻¹, exact.

    Raises:
        InputError: fewer than two models or data sets, or a value that is not finite.

    >>> round(quade_test([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]).statistic, 4)
    3.8571

    Source: Quade 1979; Conover 1999, section 5.8.
    """
    from scipy.special import fdtrc

    ranks = row_ranks(values)
    n, k = ranks.shape
    if n < 2 or k < 2:
        raise InputError(f"values have the shape {ranks.shape}: Quade's test needs two data sets and two models.")
    table = np.asarray(values, dtype=np.float64)
    spread = row_ranks(np.ptp(table, axis=1)[None, :])[0]
    s = spread[:, None] * (ranks - (k + 1) / 2)
    a, b = float((s**2).sum()), float((s.sum(axis=0) ** 2).sum()) / n
    df = (k - 1.0, (n - 1.0) * (k - 1))
    if math.isclose(a, b, rel_tol=1e-12) and a > 0:
        f, p = math.inf, math.exp(-(n - 1) * math.lgamma(k + 1))
    else:
        f = (n - 1) * b / (a - b) if a else 0.0
        p = float(fdtrc(*df, f)) if f else 1.0
    return TestResult(
        method="Quade's test", statistic=f, p_value=p, df=df, assumptions="independent data sets of comparable scale",
        source="Quade 1979",
    )  # fmt: skip


def kendall_w_test(values: ArrayLike) -> TestResult:
    """Kendall's coefficient of concordance W of the data sets' rankings of k models; its test is Friedman's.

    `estimate` is W = χ²_F/(n(k − 1)), corrected for ties: 1 if all rows rank the models alike, 0 if they cancel.

    Raises:
        InputError: fewer than two models, or a value that is not finite.

    >>> kendall_w_test([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]]).estimate
    0.5625

    Source: Kendall & Babington Smith 1939.
    """
    found, (n, k) = friedman_test(values, form="chi2"), row_ranks(values).shape
    return TestResult(
        method="Kendall's coefficient of concordance", statistic=found.statistic, p_value=found.p_value, df=found.df,
        estimate=found.statistic / (n * (k - 1)), assumptions=found.assumptions,
        source="Kendall & Babington Smith 1939",
    )  # fmt: skip


def sign_test(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Sign test of paired values, exact binomial: a is above b as often as below; equal pairs are ignored.

    The statistic is the number of pairs with a larger a, `estimate` their share. No difference gives p = 1.

    Raises:
        InputError: unequal lengths, or a value that is not finite.

    >>> sign_test([5, 6, 7, 8, 9], [1, 1, 1, 1, 1]).p_value
    0.0625

    Source: Arbuthnott 1710; Demšar 2006.
    """
    option("alternative", alternative, ALTERNATIVES)
    pair = [np.asarray(column, dtype=np.float64).ravel() for column in (a, b)]
    if pair[0].size != pair[1].size or not all(np.isfinite(column).all() for column in pair):
        raise InputError("the sign test takes pairs of finite numbers.")
    above, below = int((pair[0] > pair[1]).sum()), int((pair[0] < pair[1]).sum())
    n = above + below
    tails = {"greater": above, "less": below, "two-sided": max(above, below)}
    p = at_least(tails[alternative], n, 0.5) if n else 1.0
    return TestResult(
        method="sign test, exact", statistic=float(above), p_value=min(1.0, 2 * p if alternative == "two-sided" else p),
        estimate=above / n if n else None, alternative=alternative, assumptions="independent pairs",
        source="Demšar 2006",
    )  # fmt: skip
