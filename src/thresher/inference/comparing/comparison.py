"""`Comparison`: what may be concluded about a measure of two models, in numbers and in one sentence.

No difference shown is never called equality.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, overload

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.jsonable import BOUNDS, told_apart
from thresher.design_warnings import DesignWarning
from thresher.frames import to_frame
from thresher.inference.differences.adjusting import WORDS
from thresher.late import as_latex, drawn
from thresher.results import at_most

NO_EQUALITY = "That is not equality"
NOTHING = "Nothing to compare: a comparison takes two models or two groups."


@guarded
@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A measure of two models (or of one in two groups): first minus second, and what may be concluded.

    `difference` is NaN and `p_value` NaN where undefined, and `reason` says why; `low` and `high` are None without an
    interval. `adjusted_p_value` is that by the `correction` (Holm's unless another was asked for) over the `family` of
    comparisons that were made in one call: those on all rows are one, those within and between groups another.
    With a margin, `noninferiority_p` and `equivalence_p` test whether the first is worse by the margin or more, and
    whether the two differ by it. `critical_value` is what the size of `statistic` is compared with at `level`, and `df`
    the degrees of freedom of that (a pair for an F test). They are None where the test has none: exact and permutation
    tests count, intervals that are combined or of order statistics have no standard error, and a bootstrap, which has
    one, compares its limits and not its statistic; only Student's t, F and χ² have degrees of freedom. `group` is where
    the comparison was made, `groups` the two groups that were compared, `units` what `n` counts: rows, or queries;
    `warnings` say for what about the design the test is known to fall short. `p_floor` is the least p value that the
    replicates of a resampling test tell, of which one that is no larger is an upper limit; `adjusted_p_floor` is the
    adjusted p value where that makes it one. Both are None for other tests.

    >>> import thresher as th
    >>> data = {"a": [9, 8, 7, 6, 5.5, 5.4, 5.3, 5.1, 5, 4], "b": [5, 9, 6, 4, 3, 2, 7, 8, 5, 1]}
    >>> found = th.evaluate([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], data).compare("a", "b")
    >>> print(found)
    The ROC AUC of a (0.76) and of b (0.52) are not shown to differ: 0.24 higher (95% interval -0.199 to 0.628, p = 0.3,
    DeLong's paired score test). That is not equality: any difference in the interval is compatible with these rows.
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
    reason: str | None = None
    units: str = "rows"
    warnings: tuple[DesignWarning, ...] = ()
    p_floor: float | None = None
    adjusted_p_floor: float | None = None

    @property
    def is_defined(self) -> bool:
        """Whether there is a difference."""
        return not math.isnan(self.difference)

    @property
    def is_significant(self) -> bool:
        """Whether the p value (adjusted, when several were made) is at most 1 − level."""
        return self.final_p[0] <= 1 - self.level

    @property
    def final_p(self) -> tuple[float, float | None]:
        """The p value (adjusted, when several were made) with its floor."""
        if self.adjusted_p_value is None:
            return self.p_value, self.p_floor
        return self.adjusted_p_value, self.adjusted_p_floor

    @property
    def degrees_of_freedom(self) -> float | tuple[float, float] | None:
        """Degrees of freedom of the test, which `df` is short for; None where it has none."""
        return self.df

    @property
    def sentence(self) -> str:
        """What may be concluded, in words."""
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

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.sentence)}</p>"

    def to_frame(self, backend: str | None = None) -> Any:
        """One row, as `Comparisons.to_frame` has one for each; `backend` names the library, else the first installed.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        return Comparisons((self,)).to_frame(backend)

    plot, to_latex = drawn, as_latex

    def to_dict(self) -> dict[str, Any]:
        """Fields and the sentence as JSON types; NaN and ±∞ are None."""
        known = {key: value for key, value in asdict(self).items() if value is not None or key not in BOUNDS}
        fields = {key: _plain(value) for key, value in known.items()}
        return fields | {"is_significant": self.is_significant, "sentence": self.sentence}


@guarded
@dataclass(frozen=True)
class Comparisons(Sequence[Comparison]):
    """Several comparisons made in one call; the p values of a family are also given adjusted for that."""

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

    def _repr_html_(self) -> str:
        return f"<ul>{''.join(f'<li>{html.escape(said)}</li>' for said in sentences(self.items))}</ul>"

    plot, to_latex = drawn, as_latex

    def to_dict(self) -> dict[str, Any]:
        """Comparisons as JSON types."""
        return {"comparisons": [item.to_dict() for item in self.items]}

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per comparison, in the dataframe library that the predictions came in, or in the one named.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        names = ("measure", "difference", "low", "high", "level", "p_value", "adjusted_p_value", "method", "reason")
        columns: dict[str, list[Any]] = {
            "first": [item.models[0] for item in self.items],
            "second": [item.models[1] for item in self.items],
            "group": [_place(item) for item in self.items],
        }
        columns |= {name: [getattr(item, name) for item in self.items] for name in names}
        return to_frame(columns | {"sentence": [item.sentence for item in self.items]}, backend or self.backend)


def sentences(found: Sequence[Comparison]) -> tuple[str, ...]:
    """Conclusions of several comparisons; what "not shown to differ" does not mean is said once for all of them."""
    if not found:
        return (NOTHING,)
    caveats = [caveat(c) for c in found]
    if sum(map(bool, caveats)) < 2:
        return tuple(sentence(c) for c in found)
    once = max(caveats, key=len).replace(NO_EQUALITY, "Not shown to differ is not equality")
    return (*(sentence(c, is_alone=False) for c in found), f"{once}.")


def caveat(c: Comparison) -> str:
    """What a difference that is not shown does not mean; a test that permutes has no interval."""
    if not c.is_defined or c.low == c.high == 0 or math.isnan(c.p_value) or c.is_significant or _is_same_curve(c):
        return ""
    if c.measure == "roc" or (c.low is None and c.high is None):
        return NO_EQUALITY
    return f"{NO_EQUALITY}: any difference in the interval is compatible with these {c.units}"


def _is_same_curve(c: Comparison) -> bool:
    return c.measure == "roc" and c.statistic == 0


def sentence(c: Comparison, *, is_alone: bool = True) -> str:
    """Conclusion of a comparison; one that stands among others leaves the caveat of all of them to `sentences`."""
    said = caveat(c) if is_alone else ""
    return f"{_conclusion(c)}.{said and f' {said}.'}{_margin(c, *_names(c)) if c.is_defined else ''}"


def _conclusion(c: Comparison) -> str:
    """Difference with its facts, without a full stop."""
    (first, second), (one, two) = _names(c), _values(c)
    if not c.is_defined:
        return f"{_where(c)}{_the(c)} of {first} and of {second} cannot be compared: {c.reason}"
    if c.measure == "roc":
        return f"{_where(c)}{_curves(c, first, second)}"
    if c.low == c.high == 0:
        same = f"{_the(c, small=True)} is the same, {one}"
        return f"{_where(c)}{first} and {second} cannot be told apart on these {c.units}: {same}"
    if math.isnan(c.p_value):
        why = f", {c.reason}" if c.reason else ""
        return f"{_where(c)}{_the(c)} of {first} is {one} and of {second} {two}{why}"
    if c.is_significant:
        more = f"{_more(c)} than that of {second} ({two})"
        what = f"{_where(c)}{_the(c)} of {first} ({one}) is {more}"
        return f"{what} {_facts(c)}: more than chance alone would explain"
    both = f"{first} ({one}) and of {second} ({two})"
    return f"{_where(c)}{_the(c)} of {both} are not shown to differ: {_more(c)} {_facts(c)}"


def _curves(c: Comparison, first: str, second: str) -> str:
    """What a test of whole curves says; the areas stand beside it, as they may be equal where curves cross."""
    the = "the" if c.group is not None else "The"
    one, two = _values(c)
    both = f"{the} ROC curves of {first} (AUC {one}) and of {second} (AUC {two})"
    if c.statistic == 0:
        return f"{both} are the same on these {c.units}"
    if c.is_significant:
        where = "the test does not say where, nor which is better"
        return f"{both} differ somewhere {_facts(c)}: more than chance alone would explain; {where}"
    return f"{both} are not shown to differ anywhere {_facts(c)}"


def p_text(p: float, floor: float | None = None) -> str:
    """A p value as people read it; at the floor of its replicates it is an upper limit.

    >>> p_text(0.0412), p_text(1e-7), p_text(1.0), p_text(float("nan")), p_text(0.01, 0.01)
    ('p = 0.041', 'p < 0.0001', 'p = 1', 'p undefined', 'p ≤ 0.01')
    """
    if math.isnan(p):
        return "p undefined"
    return "p < 0.0001" if p < 1e-4 else f"p {at_most(p, floor) or f'= {p:.2g}'}"


def _names(c: Comparison) -> tuple[str, str]:
    """What is compared: two models, or one model in two groups."""
    if c.groups is None:
        return c.models
    first, second = (f"{model} in {group}" for model, group in zip(c.models, c.groups, strict=True))
    return first, second


def _where(c: Comparison) -> str:
    return "" if c.group is None else f"In {c.group}: "


def _the(c: Comparison, small: bool = False) -> str:
    return f"{'the' if small or c.group is not None else 'The'} {c.title}"


def _values(c: Comparison) -> list[str]:
    """Both values as text, of more digits where they would read alike."""
    return told_apart(c.values, lambda value, digits: "undefined" if math.isnan(value) else f"{value:.{digits}g}")


def _more(c: Comparison) -> str:
    if c.difference == 0:
        return "no difference"
    return f"{abs(c.difference):.3g} {'higher' if c.difference > 0 else 'lower'}"


def _facts(c: Comparison) -> str:
    """Interval, p value and method, in parentheses."""
    interval = "" if c.low is None or c.high is None else f"{100 * c.level:g}% interval {c.low:.3g} to {c.high:.3g}, "
    many = "" if c.adjusted_p_value is None else f" after {WORDS[c.correction]} for {c.family} comparisons"
    side = "" if c.alternative == "two-sided" else ", one-sided"
    return f"({interval}{p_text(*c.final_p)}{side}{many}, {c.method})"


def _margin(c: Comparison, first: str, second: str) -> str:
    """What a margin lets one say."""
    if c.margin is None or c.equivalence_p is None or c.noninferiority_p is None:
        return ""
    # A test against a margin has one side, and limits that have replicates share theirs between two.
    floor = c.p_floor if c.p_floor is None or c.alternative != "two-sided" else c.p_floor / 2
    if c.equivalence_p <= 1 - c.level:
        return f" They are equivalent within {c.margin:g} ({p_text(c.equivalence_p, floor)})."
    if c.noninferiority_p <= 1 - c.level:
        return f" {first} is not worse than {second} by {c.margin:g} or more ({p_text(c.noninferiority_p, floor)})."
    return (
        f" That {first} is not worse than {second} by {c.margin:g} is not shown ({p_text(c.noninferiority_p, floor)})."
    )


def _place(item: Comparison) -> str | None:
    if item.groups is not None:
        return f"{item.groups[0]} against {item.groups[1]}"
    return None if item.group is None else str(item.group)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | bool) else str(value)
