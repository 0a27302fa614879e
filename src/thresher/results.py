"""`Estimate` and `TestResult`: a value or a comparison with its uncertainty and method.

Results as dataframes of the library that the user works in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, Context
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from thresher._util.did_you_mean import attribute_here
from thresher._util.fast_dataclass import asdict, dataclass, replace
from thresher._util.front_door import guarded
from thresher._util.frozen_values import ReadOnly
from thresher._util.json_values import as_dict, with_codes
from thresher.design_warnings import DesignWarning
from thresher.errors import InputError, MissingDependencyError, Note, Reasoned
from thresher.upward_import import as_html, plot_method, refuse_call, to_frame_method

LIBRARIES = {"polars": "DataFrame", "pandas": "DataFrame", "pyarrow": "table", "modin": "DataFrame"}
"""Library and its function from columns to a dataframe, in order of trial."""


def to_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """Dataframe of columns (arrays or lists of one length) in the named library, else the first one installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
        InputError: a text has half of a surrogate pair, which no file or column can hold.
    """
    tried = [name for name in (backend, *LIBRARIES) if name in LIBRARIES]
    library = next((name for name in tried if find_spec(name) is not None), None)
    if library is None:
        raise MissingDependencyError(
            "a dataframe needs a dataframe library, and none is installed: pip install polars (or pandas, or pyarrow); "
            "to_dict() works without one."
        )
    make = getattr(import_module("modin.pandas" if library == "modin" else library), LIBRARIES[library])
    data = {name: list(column) if isinstance(column, tuple) else column for name, column in columns.items()}
    try:
        return make(data, strict=False) if library == "polars" else make(data)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object!a} cannot be written as UTF-8 text: rename it before it is made a dataframe."
        ) from None


def frame_columns(result: Any, backend: str | None = None) -> Any:
    """Return a dataframe of `columns()`, in the named library, else the library of the data, else the first installed.

    Raises:
        MissingDependencyError: no dataframe library is installed.
    """
    return to_frame(result.columns(), backend or getattr(result, "backend", None))


@guarded
class Shown(ReadOnly):
    """A frozen value with a picture, its data as a dataframe, and its fields as JSON types."""

    __slots__ = ()

    plot, to_dict = plot_method, as_dict

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the data of `plot` as a dataframe of the library named, else of the data, else the first installed.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        return frame_columns(self, backend) if hasattr(self, "columns") else to_frame_method(self, backend)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Reasoned):
    """A number with its interval.

    `value` is NaN when the measure is undefined on these data, and `reason` says why. `low` and `high` are
    None when there is no interval (yet), and `reason` has the cause and the fix.
    `n` is the number of rows (or the effective number, with importance weights) that the interval rests on. `warnings`
    name the part of the design for which the interval falls short. `reason_code` is the code of the reason.

    >>> auc = Estimate(name="auc", value=0.91, standard_error=0.02, low=0.86, high=0.94,
    ...                level=0.95, method="DeLong, logit scale", n=113)
    >>> auc
    Estimate(auc = 0.91 [0.86, 0.94], 95% DeLong, logit scale)
    >>> round(float(auc), 2)
    0.91
    """

    name: str
    value: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str | None = None
    n: float | None = None
    reason: Note | None = None
    warnings: tuple[DesignWarning, ...] = ()

    plot, to_frame = plot_method, to_frame_method

    if not TYPE_CHECKING:  # which would allow any name, and any call
        __call__ = refuse_call

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"an Estimate has no attribute {name!r}{attribute_here(name)}.")

    @property
    def is_defined(self) -> bool:
        """Whether the value is a number (+inf is one; 0/0 is not)."""
        return not math.isnan(self.value)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper limit; None where there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def __float__(self) -> float:
        return self.value

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    # By value, so that a threshold of quality reads `if auc >= 0.9`; `==` still compares the whole value.
    def __lt__(self, other: Any) -> bool:
        return self.value < float(other) if _is_number(other) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return self.value <= float(other) if _is_number(other) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other) if _is_number(other) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return self.value >= float(other) if _is_number(other) else NotImplemented

    def format(self, digits: int = 4) -> str:
        """Value and interval as text, such as `0.91 [0.86, 0.94]`; `undefined` for 0/0."""
        if not self.is_defined:
            return "undefined"
        value = f"{self.value:.{digits}g}"
        if self.low is None or self.high is None:
            return value
        return f"{value} [{self.low:.{digits}g}, {self.high:.{digits}g}]"

    def __repr__(self) -> str:
        if not self.is_defined:
            return f"Estimate({self.name} = undefined: {self.reason})"
        if self.low is None or self.level is None:
            return f"Estimate({self.name} = {self.format()})"
        return f"Estimate({self.name} = {self.format()}, {100 * self.level:g}% {self.method})"

    _repr_html_ = as_html

    def to_dict(self) -> dict[str, Any]:
        """Fields as a plain dictionary of JSON types; a number that is not finite is None, and `reason` says why."""
        numbers = {key: value for key, value in asdict(self).items() if isinstance(value, float)}
        finite = {key: value if math.isfinite(value) else None for key, value in numbers.items()}
        warnings = [warning.to_dict() for warning in self.warnings]
        return with_codes(asdict(self) | finite | {"reason": why_missing(self), "warnings": warnings})


def _is_number(other: Any) -> bool:
    """Return whether an estimate can be ordered; arrays and columns compare element by element."""
    return hasattr(other, "__float__") and not getattr(other, "ndim", 0)


NUMBERS = ("value", "lower limit", "upper limit", "standard error")
"""Words for the numbers of an estimate."""


def why_missing(estimate: Estimate) -> Note | None:
    """Return why a number of an estimate is missing: which of its numbers are infinite, and its own reason.

    >>> why_missing(Estimate(name="lift", value=float("inf"), reason=NO_INTERVAL))
    'the value is infinite (+∞); no analytic interval; try a bootstrap'
    """
    numbers = estimate.value, estimate.low, estimate.high, estimate.standard_error
    infinite = "; ".join(
        f"the {words} is infinite ({'+' if number > 0 else '−'}∞)"
        for words, number in zip(NUMBERS, numbers, strict=True)
        if number is not None and math.isinf(number)
    )
    if estimate.reason is not None:
        return f"{infinite}; " + estimate.reason if infinite else estimate.reason
    return Note("infinite", infinite) if infinite else ZERO_BY_ZERO if math.isnan(estimate.value) else None


def rounded_up(bound: float, digits: int = 2) -> str:
    """A bound in two digits, or more, never less than it is.

    >>> rounded_up(0.01231), rounded_up(0.5), rounded_up(1.2301e-9)
    ('0.013', '0.5', '1.3e-09')
    """
    most = Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(bound)
    return f"{most:f}" if 1e-6 < most < math.inf else f"{float(most):g}"


DECIMALS = 4
"""Most decimals of a measure."""


def decimals_carried(width: float) -> int:
    """Decimals that an interval of this width carries, two digits of its half: from two to four; four without one.

    >>> decimals_carried(0.4), decimals_carried(0.05), decimals_carried(0.0)
    (2, 3, 4)
    """
    return min(DECIMALS, max(2, 1 - math.floor(math.log10(width / 2)))) if 0 < width < math.inf else DECIMALS


def at_most(p_value: float, floor: float | None) -> str | None:
    """A p value up to the least that replicates resolve, as an upper limit; else None.

    >>> at_most(0.01, 0.01), at_most(1 / 1600, 1 / 1600), at_most(0.02, 0.01), at_most(0.02, None)
    ('≤ 0.01', '≤ 0.00063', None, None)
    """
    if floor is None or p_value == 1 or not p_value <= floor * (1 + ROUNDING):
        return None
    return f"≤ {rounded_up(p_value * (1 - ROUNDING)).rstrip('0')}"


ROUNDING = 1e-9
"""By how much, relatively, a number may be off by rounding."""

ESTIMATED = ("value", "low", "high", "level", "method", "reason")
"""Columns of a dataframe of estimates."""


Said = TypeVar("Said")


def gathered(pairs: Iterable[tuple[Said, str]]) -> dict[Said, list[str]]:
    """Group distinct names by their text."""
    found: dict[Said, dict[str, None]] = {}
    for text, name in pairs:
        found.setdefault(text, {})[name] = None
    return {text: list(names) for text, names in found.items()}


_NUMBER = re.compile(r"\d+(?:,\d{3})*")

ALIKE = 3
"""Methods that are named one by one although they differ in numbers alone."""


def by_method(pairs: Iterable[tuple[str, str]], *, is_one_bare: bool = False) -> str:
    """Return methods with their uses, a single one without them if `is_one_bare`; a method of two parts stays one.

    More than three methods that differ in numbers alone are one, with the range of each number.

    >>> by_method([("Wilson", "recall"), ("Wilson", "precision"), ("z test; Newcombe", "accuracy")])
    'Wilson (recall, precision); z test, with Newcombe (accuracy)'
    >>> by_method(((f"jackknife, {clusters} clusters", "AUC") for clusters in (150, 76, 80, 9)), is_one_bare=True)
    'jackknife, 9 to 150 clusters'
    """
    found = gathered(pairs)
    texts: dict[str, list[str]] = {}
    for alike in gathered((_NUMBER.sub("#", method), method) for method in found).values():
        for methods in [alike] if len(alike) > ALIKE else [[method] for method in alike]:
            names = dict.fromkeys(name for method in methods for name in found[method])
            texts[_range_of(methods).replace("; ", ", with ")] = list(names)
    if is_one_bare and len(texts) == 1:
        return next(iter(texts))
    return "; ".join(f"{text} ({', '.join(names)})" for text, names in texts.items())


def _range_of(texts: Sequence[str]) -> str:
    """Return texts that differ in their numbers as one text, with the range of each number."""
    ends = iter(sorted(set(column), key=lambda number: int(number.replace(",", "")))
                for column in zip(*map(_NUMBER.findall, texts), strict=True))  # fmt: skip
    return _NUMBER.sub(lambda _: " to ".join((found := next(ends))[:: len(found) - 1 or 1]), texts[0])


def estimate_columns(estimates: Iterable[Estimate]) -> dict[str, list[Any]]:
    """Return columns of estimates, one row each, beside columns of their owners.

    >>> estimate_columns([Estimate(name="auc", value=0.9, low=0.8, high=1.0, level=0.95, method="DeLong")])["high"]
    [1.0]
    """
    rows = list(estimates)
    return {column: [getattr(estimate, column) for estimate in rows] for column in ESTIMATED}


OF_INTERVALS = (
    "certain-probabilities", "fixed-by-prevalence", "infinite", "no-formula", "no-spread", "shared-clusters",
    "too-few-clusters", "too-few-rows", "unknown-clusters", "unknown-weights",
)  # fmt: skip
"""Codes of reasons that are about a missing interval; others are about the value."""

ZERO_BY_ZERO = Note("undefined", "it is 0/0")
"""Reason of an undefined value without a known cause."""

NO_INTERVAL = Note("no-formula", "no analytic interval; try a bootstrap")
"""Reason of an estimate without an interval."""


def about_value(reason: Note | None) -> Note | None:
    """Return the reason of an estimate if it is about the value, such as a substitute for 0/0; else None.

    >>> about_value(ZERO_BY_ZERO), about_value(NO_INTERVAL)
    ('it is 0/0', None)
    """
    return None if reason is None or reason.code in OF_INTERVALS else reason


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(Reasoned):
    """Outcome of a statistical test: estimate, certainty and assumptions.

    `estimate` is the difference (first minus second) or the quantity tested, `low` and `high` its interval at
    `level` where the test has one; `df` the degrees of freedom (a pair for an F test). `standard_error` is of the
    estimate, and `critical_value` the bound for the size of the statistic at `level`; None where a test has
    none. `p_value` is NaN only when the test is undefined, and `reason` says why. `p_floor` is the least p value that
    the replicates of a resampling test resolve, or inverted limits at that value; a p value up to it is an upper limit.
    None for other tests.

    >>> TestResult(method="paired t test", statistic=2.262, p_value=0.05, df=9, estimate=0.03)
    TestResult(paired t test: statistic = 2.262, df = 9, p = 0.05, estimate = 0.03)
    """

    __test__ = False  # keeps test collectors from taking the name for a test class

    method: str
    statistic: float
    p_value: float
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    df: float | tuple[float, float] | None = None
    alternative: str = "two-sided"
    assumptions: str = ""
    source: str = ""
    reason: Note | None = None
    standard_error: float | None = None
    critical_value: float | None = None
    warnings: tuple[DesignWarning, ...] = ()
    p_floor: float | None = None

    plot = plot_method

    def withheld(self, reason: Note) -> TestResult:
        """Return the result without its outcome, for a reason; an existing reason stays.

        >>> TestResult(method="paired t test", statistic=2.262, p_value=0.05, df=9).withheld(ZERO_BY_ZERO)
        TestResult(paired t test: undefined, it is 0/0)
        """
        return self if math.isnan(self.p_value) else replace(self, statistic=math.nan, p_value=math.nan, reason=reason)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row: the fields, as a dataframe of the library named, else the first installed; a pair of df is two.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        df = self.df if isinstance(self.df, tuple) else (self.df, None)
        names = (
            "method",
            "statistic",
            "p_value",
            "estimate",
            "standard_error",
            "low",
            "high",
            "level",
            "critical_value",
        )
        columns: dict[str, list[Any]] = {name: [getattr(self, name)] for name in names}
        last = {name: [getattr(self, name)] for name in ("reason", "p_floor")}
        return to_frame(columns | {"df": [df[0]], "df_2": [df[1]]} | last, backend)

    def __repr__(self) -> str:
        parts = [f"statistic = {self.statistic:.4g}"]
        if self.df is not None:
            df = self.df if isinstance(self.df, tuple) else (self.df,)
            parts.append(f"df = {', '.join(f'{part:.4g}' for part in df)}")
        p = at_most(self.p_value, self.p_floor) or f"= {self.p_value:.4g}"
        parts.append(f"p {p}")
        if self.estimate is not None:
            interval = "" if self.low is None or self.high is None else f" [{self.low:.4g}, {self.high:.4g}]"
            parts.append(f"estimate = {self.estimate:.4g}{interval}")
        if math.isnan(self.p_value):
            parts = [f"undefined, {self.reason}"]
        return f"TestResult({self.method}: {', '.join(parts)})"

    to_dict = as_dict
