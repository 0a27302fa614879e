"""`Comparison`: difference between two models in one measure, as numbers and as a sentence.

A difference that is not significant is never called equality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, overload

from thresher._util.fast_dataclass import asdict, dataclass
from thresher._util.front_door import guarded
from thresher._util.json_values import BOUNDS, without_infinite
from thresher.design_warnings import DesignWarning
from thresher.errors import Note, Reasoned
from thresher.inference.differences.p_values import WORDS
from thresher.results import at_most, by_method, decimals_carried, frame_columns
from thresher.upward_import import as_html, as_latex, plot_method

NO_EQUALITY = "This does not show equality"
NOTHING = "Nothing to compare: a comparison takes two models or two groups."


@guarded
@dataclass(frozen=True, kw_only=True)
class Comparison(Reasoned):
    """Difference in a measure between two models, or between two groups of one: first minus second.

    `difference` and `p_value` are NaN if undefined, and `reason` says why; `low` and `high` are None without an
    interval. `adjusted_p_value` is adjusted by the `correction` (default Holm's) over the `family` of comparisons in
    one call; comparisons on all rows are one family, those within and between groups another. With a margin,
    `noninferiority_p` tests whether the first is worse by the margin or more, and `equivalence_p` whether the two
    differ by it. `critical_value` is the critical value of the absolute `statistic` at `level`, and `df` its degrees of
    freedom (a pair for an F test). Both are None for tests without them, such as exact and permutation tests, combined
    intervals, order statistics and bootstraps. `group` is the group of the comparison, `groups` the two compared
    groups, `units` the unit of `n`: rows, or queries. `warnings` name the parts of the design for which the test is
    known to fall short. `p_floor` is the least p value that the replicates of a resampling test can give, or the
    limits of combined intervals (1.2e-15), at that value; a p value at it is an upper limit, and so is
    `adjusted_p_floor`. Both are None for other tests. `bounds` are the lowest and
    highest difference over all possible labels of rows without one, with `missing="bounds"`; `bounds_reason` says why
    they are not known.

    >>> import thresher as th
    >>> data = {"a": [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4], "b": [5, 9, 6, 4, 3, 2, 7, 8, 5, 1]}
    >>> found = th.evaluate([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], data).compare("a", "b")
    >>> print(found)
    No significant difference in ROC AUC: a 0.76, b 0.52, difference 0.24 (95 % CI -0.20 to 0.63, p = 0.3, DeLong's
    paired score test). This does not show equality: every difference in the interval is compatible with the data.
    """

    measure: str
    title: str
    models: tuple[str, str]
    values: tuple[float, float]
    difference: float
    low: float | None
    high: float | None
    level: float
    p_value: float
    method: str
    alternative: str = "two-sided"
    standard_error: float | None = None
    statistic: float = math.nan
    df: float | tuple[float, float] | None = None
    critical_value: float | None = None
    adjusted_p_value: float | None = None
    family: int = 1
    correction: str = "holm"
    n: tuple[float, float] = (0, 0)
    is_paired: bool = True
    group: Any = None
    groups: tuple[Any, Any] | None = None
    margin: float | None = None
    noninferiority_p: float | None = None
    equivalence_p: float | None = None
    lower_is_better: bool = False
    assumptions: str = ""
    source: str = ""
    reason: Note | None = None
    units: str = "rows"
    warnings: tuple[DesignWarning, ...] = ()
    p_floor: float | None = None
    adjusted_p_floor: float | None = None
    bounds: tuple[float, float] | None = None
    bounds_reason: Note | None = None

    @property
    def is_defined(self) -> bool:
        """Whether there is a difference."""
        return not math.isnan(self.difference)

    @property
    def is_significant(self) -> bool:
        """Whether the p value (adjusted, with several comparisons) is at most 1 − level."""
        return self.final_p[0] <= 1 - self.level

    @property
    def is_same(self) -> bool:
        """Whether both have the same value in every resample, as a model and its copy."""
        return self.difference == self.low == self.high == 0

    @property
    def better(self) -> str:
        """Model with the better value, significantly or not; the second if both are equal."""
        return self.models[0 if (self.difference > 0) != self.lower_is_better else 1]

    @property
    def final_p(self) -> tuple[float, float | None]:
        """The p value (adjusted, with several comparisons) with its floor."""
        if self.adjusted_p_value is None:
            return self.p_value, self.p_floor
        return self.adjusted_p_value, self.adjusted_p_floor

    @property
    def sentence(self) -> str:
        """Conclusion in words."""
        return sentence(self)

    def __repr__(self) -> str:
        where = "" if self.group is None else f", {self.group}"
        if self.groups is not None:
            where = f", {self.groups[0]} − {self.groups[1]}"
        head = f"{self.measure} of {' − '.join(dict.fromkeys(map(str, self.models)))}{where}"
        if not self.is_defined:
            return f"Comparison({head}: undefined, {self.reason})"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.3g}, {self.high:.3g}]"
        p = f"p undefined ({self.reason})"
        if math.isfinite(self.p_value):
            p = f"p {at_most(self.p_value, self.p_floor) or f'= {self.p_value:.2g}'}"
            if self.adjusted_p_value is not None:
                adjusted = at_most(*self.final_p) or f"{self.adjusted_p_value:.2g}"
                p = f"{p}, {adjusted} after {WORDS[self.correction]}"
        return f"Comparison({head} = {self.difference:.3g}{interval}, {p}, {self.method})"

    def __str__(self) -> str:
        return self.sentence

    def columns(self) -> dict[str, Any]:
        """One row, as in `Comparisons.columns`."""
        return Comparisons((self,)).columns()

    plot, to_frame, to_latex, _repr_html_ = plot_method, frame_columns, as_latex, as_html

    def to_dict(self) -> dict[str, Any]:
        """Fields and the sentence as JSON types; NaN and ±∞ are None."""
        known = {key: value for key, value in asdict(self).items() if value is not None or key not in BOUNDS}
        return without_infinite(known)[0] | {"is_significant": self.is_significant, "sentence": self.sentence}


@guarded
@dataclass(frozen=True)
class Comparisons(Sequence[Comparison]):
    """Several comparisons from one call, with p values adjusted within each family."""

    items: tuple[Comparison, ...]
    backend: str | None = None

    @overload
    def __getitem__(self, index: int) -> Comparison: ...
    @overload
    def __getitem__(self, index: slice) -> Comparisons: ...
    def __getitem__(self, index: int | slice) -> Comparison | Comparisons:
        """One comparison by its place, or several."""
        return self.items[index] if isinstance(index, int) else Comparisons(self.items[index], self.backend)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.items)

    def __repr__(self) -> str:
        return "\n".join(["Comparisons([", *(f"    {item!r}," for item in self.items), "])"])

    def __str__(self) -> str:
        return "\n".join(sentences(self.items))

    plot, to_frame, to_latex, _repr_html_ = plot_method, frame_columns, as_latex, as_html

    def to_dict(self) -> dict[str, Any]:
        """Comparisons as JSON types."""
        return {"comparisons": [item.to_dict() for item in self.items]}

    def columns(self) -> dict[str, Any]:
        """One row per comparison."""
        names = ("measure", "difference", "low", "high", "level", "p_value", "adjusted_p_value", "method", "reason")
        columns: dict[str, list[Any]] = {
            "first": [item.models[0] for item in self.items],
            "second": [item.models[1] for item in self.items],
            "group": [_place(item) for item in self.items],
        }
        columns |= {name: [getattr(item, name) for item in self.items] for name in names}
        return columns | {"sentence": [item.sentence for item in self.items]}


def sentences(found: Sequence[Comparison], *, has_tests: bool = True, is_short: bool = False) -> tuple[str, ...]:
    """Conclusions of several comparisons; a caveat of several, the tests and the adjustment come once, at the end.

    `is_short` counts the groups' comparisons without a significant difference in one sentence.
    """
    if len(found) < 2:
        return tuple(map(sentence, found)) or (NOTHING,)
    caveats = [caveat(c) for c in found]
    is_once = sum(map(bool, caveats)) > 1
    told = [c for c in found if not is_short or not caveat(c) or _place(c) is None or c.margin is not None or c.bounds]
    lines = [sentence(c, has_caveat=not is_once, has_test=False) for c in told]
    if (rest := len(found) - len(told)) > 0:
        lines.append(f"No significant difference in {rest} comparison{'s' * (rest > 1)} within or between groups.")
    if is_once:
        once = max(caveats, key=len).replace(NO_EQUALITY, "A difference that is not significant does not show equality")
        lines.append(f"{once}.")
    return (*lines, *(_tests(found) if has_tests else ()))


def _tests(found: Sequence[Comparison]) -> Iterator[str]:
    tested = (c for c in found if c.is_defined and not math.isnan(c.p_value))
    pairs = ((c.method, c.title if c.groups is None else f"{c.title} between groups") for c in tested)
    if methods := by_method(pairs, is_one_bare=True):
        yield f"Tests: {methods}."
    if families := [(c.family, WORDS[c.correction]) for c in found if c.adjusted_p_value is not None]:
        many, by = max(families)
        yield f"Adjusted p: {by}'s method for {many} comparisons; the intervals are not adjusted."


def caveat(c: Comparison) -> str:
    """Caveat about a difference that is not significant; a permutation test lacks an interval to point at."""
    if not c.is_defined or c.low == c.high == 0 or math.isnan(c.p_value) or c.is_significant:
        return ""
    if c.measure == "roc" or (c.low is None and c.high is None):
        return "" if c.measure == "roc" and c.statistic == 0 else NO_EQUALITY
    return f"{NO_EQUALITY}: every difference in the interval is compatible with the data"


def sentence(c: Comparison, *, has_caveat: bool = True, has_test: bool = True) -> str:
    """Conclusion of a comparison; one of several leaves the caveat and the test to `sentences`."""
    words = caveat(c) if has_caveat else ""
    text, margin = _conclusion(c, has_test), _margin(c, *_names(c)) if c.is_defined else ""
    if c.group is not None:
        text = f"In {c.group}: {text[0].lower() + text[1:] if text.startswith(('No ', 'The ')) else text}"
    possible = "" if c.bounds is None else " to ".join(_number(end, _decimals(c)) for end in c.bounds)
    bounds = possible and f" The missing labels could put the difference anywhere from {possible}."
    return f"{text}.{words and f' {words}.'}{bounds}{margin}"


def _conclusion(c: Comparison, has_test: bool) -> str:
    """Difference with its facts, without a full stop."""
    first, second = _names(c)
    one, two, difference = _numbers(c)
    if not c.is_defined:
        return f"{first} and {second} cannot be compared by {c.title}: {c.reason}"
    if c.measure == "roc":
        return _curves(c, has_test)
    if c.is_same:
        return f"{first} and {second} have the same {c.title}, {one}"
    if math.isnan(c.p_value):
        return f"{first} {one}, {second} {two} ({c.title}{f'; {c.reason}' if c.reason else ''})"
    if c.is_significant:
        more = "higher" if c.difference > 0 else "lower"
        more += f" ({'worse' if c.difference > 0 else 'better'})" if c.lower_is_better else ""
        values = f"{first} has a significantly {more} {c.title} than {second}: {one} and {two}"
    else:
        values = f"No significant difference in {c.title}: {first} {one}, {second} {two}"
    return f"{values}, difference {difference} {_facts(c, has_test)}"


def _curves(c: Comparison, has_test: bool) -> str:
    """Conclusion of a test of whole curves, with the areas, which may be equal although the curves cross."""
    both = ", ".join(f"{name} AUC {value}" for name, value in zip(_names(c), _numbers(c), strict=False))
    if c.statistic == 0:
        return f"The ROC curves are the same: {both}"
    if c.is_significant:
        return f"The ROC curves differ significantly, the test does not say where: {both} {_facts(c, has_test)}"
    return f"No significant difference between the ROC curves: {both} {_facts(c, has_test)}"


def p_text(p: float, floor: float | None = None) -> str:
    """A p value as text; an upper limit at the floor of its replicates.

    >>> p_text(0.0412), p_text(1e-7), p_text(1.0), p_text(float("nan")), p_text(0.01, 0.01)
    ('p = 0.041', 'p < 0.0001', 'p = 1', 'p undefined', 'p ≤ 0.01')
    """
    if math.isnan(p):
        return "p undefined"
    return "p < 0.0001" if p < 1e-4 else f"p {at_most(p, floor) or f'= {p:.2g}'}"


def _names(c: Comparison) -> tuple[str, str]:
    if c.groups is None:
        return c.models
    first, second = (f"{model} in {group}" for model, group in zip(c.models, c.groups, strict=True))
    return first, second


def _numbers(c: Comparison) -> list[str]:
    places = _decimals(c)
    return ["undefined" if math.isnan(x) else _number(x, places) for x in (*c.values, c.difference)]


def _decimals(c: Comparison) -> int:
    """Decimals as in a table, and more where two values would look the same."""
    width, apart = 0.0 if c.low is None or c.high is None else c.high - c.low, abs(c.difference)
    least = 1 - math.floor(math.log10(apart)) if 0 < apart < 5e-4 else 0
    return max(decimals_carried(width), least)


def _number(x: float, places: int) -> str:
    """Number as in the tables of a report; one other than 0 is not rounded to 0, which would contradict the test."""
    if x and not round(x, places):
        return f"{x:.1g}"
    return f"{x:.{max(0, places + 1 - len(str(int(abs(x))))) if 10 <= abs(x) < math.inf else places}f}"


def _facts(c: Comparison, has_test: bool) -> str:
    places, interval = _decimals(c), ""
    if c.low is not None and c.high is not None:
        interval = f"{100 * c.level:g} % CI {_number(c.low, places)} to {_number(c.high, places)}, "
    side = "" if c.alternative == "two-sided" else ", one-sided"
    if not has_test:
        return f"({interval}{'' if c.adjusted_p_value is None else 'adjusted '}{p_text(*c.final_p)}{side})"
    many = "" if c.adjusted_p_value is None else f" after {WORDS[c.correction]} for {c.family} comparisons"
    return f"({interval}{p_text(*c.final_p)}{side}{many}, {c.method})"


def _margin(c: Comparison, first: str, second: str) -> str:
    if c.margin is None or c.equivalence_p is None or c.noninferiority_p is None:
        return ""
    # A test against a margin is one-sided; limits from replicates split their error between two sides.
    floor = c.p_floor if c.p_floor is None or c.alternative != "two-sided" else c.p_floor / 2
    if c.equivalence_p <= 1 - c.level:
        return f" They are equivalent within {c.margin:g} ({p_text(c.equivalence_p, floor)})."
    if c.noninferiority_p <= 1 - c.level:
        return f" {first} is not worse than {second} by {c.margin:g} or more ({p_text(c.noninferiority_p, floor)})."
    text = f"{first} may be worse than {second} by {c.margin:g} or more"
    return f" {text} (noninferiority {p_text(c.noninferiority_p, floor)})."


def _place(item: Comparison) -> str | None:
    if item.groups is not None:
        return f"{item.groups[0]} against {item.groups[1]}"
    return None if item.group is None else str(item.group)
