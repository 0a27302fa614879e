"""`Comparison`: what may be concluded about a measure of two models, in numbers and in one sentence."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, overload

from thresher.calls import guarded
from thresher.conventions import LEVEL, SEED, confidence_level, option
from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import OptionError
from thresher.frames import to_frame
from thresher.inference.compare_difference import Difference
from thresher.inference.compare_measure import Wanted, wanted
from thresher.inference.compare_rows import (
    OWN_TESTS,
    TESTS,
    PlacedPair,
    Side,
    Test,
    by_own_test,
    negated,
    paired,
    unpaired,
)
from thresher.inference.compare_sentence import sentence, sentences
from thresher.inference.design import of_sides
from thresher.inference.equivalence import check_margin, equivalence_test, noninferiority_test
from thresher.inference.many import adjust_p_values
from thresher.inference.resampled import ALTERNATIVES, Alternative
from thresher.late import drawn
from thresher.sentences import keyword


@guarded
@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A measure of two models (or of one in two groups): first minus second, and what may be concluded.

    `difference` is NaN and `p_value` NaN where undefined, and `reason` says why; `low` and `high` are None without an
    interval. `adjusted_p_value` is Holm's over the `family` of comparisons that were made in one call: those on
    all rows are one, those within and between groups another. With a margin,
    `noninferiority_p` and `equivalence_p` test whether the first is worse by the margin or more, and whether the two
    differ by it. `critical_value` is what the size of `statistic` is compared with at `level`, and `df` the degrees of
    freedom of that (a pair for an F test); None where the test has none. `group` is where the comparison was made,
    `groups` the two groups that were compared, `units` what `n` counts: rows, or queries; `warnings`
    say for what about the design the test is known to fall short.

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

    @property
    def is_defined(self) -> bool:
        """Whether there is a difference."""
        return not math.isnan(self.difference)

    @property
    def is_significant(self) -> bool:
        """Whether the p value (adjusted, when several were made) is at most 1 − level."""
        p = self.p_value if self.adjusted_p_value is None else self.adjusted_p_value
        return p <= 1 - self.level

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
        adjusted = "" if self.adjusted_p_value is None else f", {self.adjusted_p_value:.2g} after Holm"
        p = f"p = {self.p_value:.2g}{adjusted}" if math.isfinite(self.p_value) else f"p undefined ({self.reason})"
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

    plot = drawn

    def to_dict(self) -> dict[str, Any]:
        """Fields and the sentence as JSON types; NaN and ±∞ are None."""
        fields = {key: _plain(value) for key, value in asdict(self).items()}
        return fields | {"is_significant": self.is_significant, "sentence": self.sentence}


@guarded
@dataclass(frozen=True)
class Comparisons(Sequence[Comparison]):
    """Several comparisons made in one call; the p values of a family are also given adjusted for that (Holm)."""

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

    plot = drawn

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


@dataclass(frozen=True, kw_only=True)
class Question:
    """What to compare, and how: the options that travel together.

    `bootstrap` takes resampling for any measure; `fallback` is how to resample where no other method serves.
    """

    wanted: Wanted
    alternative: Alternative = "two-sided"
    margin: float | None = None
    test: Test = "auto"
    bootstrap: Any = None
    fallback: Any = None
    level: float = LEVEL
    rng: int = SEED

    @property
    def measure(self) -> str:
        """What is compared, as it is written: the measure, or "roc" where whole curves are."""
        return "roc" if self.test == "venkatraman" else self.wanted.text

    @property
    def title(self) -> str:
        """What is compared, in words."""
        return "ROC curve" if self.test == "venkatraman" else self.wanted.title

    @classmethod
    def of(cls, measure: str, **options: Any) -> Question:
        """Check the options.

        Raises:
            OptionError: an option has a value that it does not take.
            UnknownMeasureError: there is no such measure.
        """
        question = cls(wanted=wanted(measure), **options)
        option("alternative", question.alternative, ALTERNATIVES)
        option("test", question.test, (*TESTS, *OWN_TESTS))
        confidence_level(question.level)
        if question.margin is not None:
            check_margin(question.margin)
        if question.test == "venkatraman":
            from thresher.inference.compare_curves import check_curves

            check_curves(question)
        return question


def compare_sides(
    a: Side,
    b: Side,
    values: tuple[float, float],
    question: Question,
    *,
    is_paired: bool = True,
    placed: PlacedPair | None = None,
    found: Difference | None = None,
    **place: Any,
) -> Comparison:
    """Compare two models on the same rows, or two samples; `values` are the measure's values of both.

    `found` is the difference, when it is known already.
    """
    found = found or difference_of_sides(a, b, question, is_paired=is_paired, placed=placed)
    names: tuple[str, str] = place.get("groups") or (a.model, b.model)
    base = Comparison(
        measure=question.measure,
        title=question.title,
        models=(a.model, b.model),
        values=found.values or values,
        difference=found.value,
        low=None,
        high=None,
        level=question.level,
        p_value=found.p(question.alternative),
        method=found.method,
        alternative=question.alternative,
        standard_error=found.standard_error,
        statistic=found.statistic,
        df=found.df,
        critical_value=found.critical_value(question.level, question.alternative),
        n=(a.rows.counted, b.rows.counted),
        is_paired=is_paired,
        margin=question.margin,
        lower_is_better=question.wanted.sign < 0,
        assumptions=found.assumptions,
        source=found.source,
        reason=found.reason,
        warnings=distinct((*found.warnings, *of_sides(a, b, names, is_paired=is_paired))),
        **place,
    )
    return base if found.limits is None else replace(base, **_decided(found, question))


def difference_of_sides(
    a: Side, b: Side, question: Question, *, is_paired: bool, placed: PlacedPair | None = None
) -> Difference:
    """Difference by the method that was asked for, or that serves the measure."""
    wanted, test = question.wanted, question.test
    if test in OWN_TESTS:
        return by_own_test(a, b, wanted, test, is_paired=is_paired)
    if test == "permutation":
        from thresher.inference.compare_bootstrap import by_permutation

        return by_permutation(a, b, wanted, question.rng, is_paired=is_paired)
    if test == "venkatraman":
        from thresher.inference.compare_curves import by_curves

        return by_curves(a, b, question.rng, is_paired=is_paired)
    if question.bootstrap is None and test != "bootstrap":
        found = paired(a, b, wanted, test, placed) if is_paired else unpaired(a, b, wanted, test)
        if found is not None:
            return found
        if test == "auto" and (combined := _by_intervals(a, b, question, is_paired=is_paired)) is not None:
            return combined
        if test != "auto":
            raise OptionError(keyword("test", repr(test)) + f" does not serve a difference of {wanted.title}.")
    from thresher.inference.bootstrap_config import as_bootstrap
    from thresher.inference.compare_bootstrap import by_resampling

    config = as_bootstrap(question.bootstrap or question.fallback, question.rng)
    return by_resampling(a, b, wanted, config, is_paired=is_paired)


def _by_intervals(a: Side, b: Side, question: Question, *, is_paired: bool) -> Difference | None:
    """Difference from both models' own intervals, where the measure has them."""
    from thresher.inference.compare_intervals import by_intervals

    if not is_paired:
        return by_intervals(a, b, question.wanted)
    from thresher.inference.bootstrap_config import as_bootstrap
    from thresher.inference.compare_bootstrap import by_correlated_intervals

    return by_correlated_intervals(a, b, question.wanted, as_bootstrap(question.fallback, question.rng))


def adjusted(found: Sequence[Comparison], backend: str | None = None) -> Comparisons:
    """Comparisons with Holm's p values over all of them that are defined."""
    known = [i for i, item in enumerate(found) if not math.isnan(item.p_value)]
    if len(known) < 2:
        return Comparisons(tuple(found), backend)
    holm = dict(zip(known, adjust_p_values([found[i].p_value for i in known]).tolist(), strict=True))
    items = (
        replace(item, adjusted_p_value=holm[i], family=len(known)) if i in holm else item
        for i, item in enumerate(found)
    )
    return Comparisons(tuple(items), backend)


def _decided(found: Difference, question: Question) -> dict[str, Any]:
    """Interval, and the tests against a margin when one was given."""
    low, high = found.interval(question.level, question.alternative) or (None, None)
    fields: dict[str, Any] = {"low": low, "high": high}
    if question.margin is not None:
        good = found if question.wanted.sign > 0 else negated(found)
        tests = {"margin": question.margin, "level": question.level}
        fields["noninferiority_p"] = noninferiority_test(good, **tests).p_value
        fields["equivalence_p"] = equivalence_test(good, **tests).p_value
    return fields


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
