"""Comparing two models by a measure: the question, the method that serves it, and the `Comparison`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher.conventions import LEVEL, SEED, confidence_level, option
from thresher.design_warnings import DesignWarning, distinct, unequal_groups
from thresher.errors import Note, OptionError, choice, keyword
from thresher.inference.comparing.comparison import Comparison, Comparisons
from thresher.inference.comparing.design import row_warnings
from thresher.inference.comparing.rows import (
    OWN_TESTS,
    TESTS,
    ComparedSample,
    PlacedPair,
    Test,
    by_formula,
    by_own_test,
    refused_beyond_cut,
    turned_alike,
)
from thresher.inference.differences.difference import (
    ALTERNATIVES,
    Alternative,
    Difference,
    difference_of_values,
    scaled,
    undefined_difference,
)
from thresher.inference.differences.p_values import (
    adjust_p_values,
    check_margin,
    correction_name,
    equivalence_test,
    noninferiority_test,
)
from thresher.inference.estimates.methods import methods_of
from thresher.inference.limits import class_sizes, too_few
from thresher.inference.strata import Contributions, split
from thresher.measures.measure_text import MeasureSpec, parse_measure

if TYPE_CHECKING:
    from thresher.curves.regions import Part
    from thresher.inference.bootstrap.config import Bootstrap


class CompareOptions(TypedDict, total=False):
    """Options of a comparison of models, as `Evaluation.compare` takes them."""

    measure: str | None
    alternative: Alternative
    margin: float | None
    test: Test
    bootstrap: Bootstrap | int | None
    level: float | None
    correction: str


@dataclass(frozen=True, kw_only=True)
class ComparisonSpec:
    """A comparison's measure and options.

    `bootstrap` resamples any measure; `fallback` resamples if no other method serves.
    """

    spec: MeasureSpec
    alternative: Alternative = "two-sided"
    margin: float | None = None
    test: Test = "auto"
    bootstrap: Any = None
    fallback: Any = None
    level: float = LEVEL
    rng: int = SEED
    correction: str = "holm"

    def __post_init__(self) -> None:
        if refused := methods_of(self.spec.entry.name).refused:
            raise OptionError(f"{self.spec.title} has {refused}.")

    @property
    def measure(self) -> str:
        """The measure as written; "roc" for a comparison of whole curves."""
        return "roc" if self.test == "venkatraman" else self.spec.text

    @property
    def title(self) -> str:
        """The measure in words."""
        return "ROC curve" if self.test == "venkatraman" else self.spec.title

    @classmethod
    def of(cls, measure: str, **options: Any) -> ComparisonSpec:
        """Check the options."""
        question = cls(spec=parse_measure(measure), **options)
        option("alternative", question.alternative, ALTERNATIVES)
        option("test", question.test, (*TESTS, *OWN_TESTS))
        confidence_level(question.level)
        correction_name(question.correction)
        if question.margin is not None:
            check_margin(question.margin)
        if question.test == "venkatraman":
            _check_curves(question)
        return question


def compare_samples(
    a: ComparedSample,
    b: ComparedSample,
    values: tuple[float, float],
    question: ComparisonSpec,
    found: Difference,
    *,
    is_paired: bool = True,
    **place: Any,
) -> Comparison:
    """Compare two models on the same rows, or two samples, by the difference `found` of their `values`."""
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
        p_floor=found.p_floor(question.alternative),
        method=found.method,
        alternative=question.alternative,
        standard_error=found.standard_error,
        statistic=found.statistic,
        df=found.df,
        critical_value=found.critical_value(question.level, question.alternative),
        n=(a.rows.counted, b.rows.counted),
        is_paired=is_paired,
        margin=question.margin,
        lower_is_better=question.spec.sign < 0,
        assumptions=found.assumptions,
        source=found.source,
        reason=found.reason,
        warnings=_warnings(found, a, b, question, names, is_paired=is_paired, group=place.get("group")),
        **place,
    )
    return base if found.limits is None else replace(base, **_decided(found, question))


def _warnings(
    found: Difference,
    a: ComparedSample,
    b: ComparedSample,
    question: ComparisonSpec,
    names: tuple[str, str],
    *,
    is_paired: bool,
    group: str | None,
) -> tuple[DesignWarning, ...]:
    """Warnings of the test, with the measure and models if they name no place, of the rows, and of unequal sizes."""
    both = " and ".join(map(str, names))
    of = both if names == (a.model, b.model) else f"{a.model} in {both}"
    where = ", ".join([f"{question.title} of {of}", *filter(None, [group])])
    own = [replace(each, where=each.where or where) for each in found.warnings]
    if is_paired:
        return distinct((*own, *row_warnings(a.rows, where=both)))
    for side, name in zip((a, b), names, strict=True):
        own += row_warnings(side.rows, where=name)
    if not found.is_for_unequal:
        instead = None if a.rows.cluster is None else "more clusters of the smaller group help"
        own += unequal_groups(a.rows.counted, b.rows.counted, where=both, instead=instead)
    return distinct(own)


def difference_of_samples(
    a: ComparedSample, b: ComparedSample, question: ComparisonSpec, *, is_paired: bool, placed: PlacedPair | None = None
) -> Difference:
    """Difference by the chosen method, or by the one that serves the measure."""
    spec, test = question.spec, question.test
    a, b = turned_alike((a, b))
    if test in OWN_TESTS:
        return by_own_test(a, b, spec, test, is_paired=is_paired)
    if test == "permutation":
        from thresher.inference.comparing.resampling import by_permutation

        return by_permutation(a, b, spec, question.rng, is_paired=is_paired)
    if test == "venkatraman":
        from thresher.inference.comparing.resampling import by_curves

        return by_curves(a, b, question.rng, is_paired=is_paired)
    if question.bootstrap is None and test != "bootstrap":
        if spec.part is not None:
            found = partial_difference(a, b, spec.part, is_paired=is_paired) if test == "auto" else None
        else:
            found = by_formula(a, b, spec, test, placed, is_paired=is_paired)
        if found is not None:
            return found
        from thresher.inference.comparing.contributions import by_intervals

        if test == "auto" and (combined := by_intervals(a, b, spec, is_paired=is_paired)) is not None:
            return combined
        if test != "auto":
            raise OptionError(keyword("test", repr(test)) + f" does not serve a difference of {spec.title}.")
    from thresher.inference.bootstrap.config import as_bootstrap
    from thresher.inference.comparing.contributions import difference_by_groups, is_by_groups
    from thresher.inference.comparing.resampling import by_resampling

    config = as_bootstrap(question.bootstrap or question.fallback, question.rng)
    if is_paired and test == "auto" and question.bootstrap is None and is_by_groups(a, spec, config):
        found = difference_by_groups(a, b, spec)
    else:
        found = by_resampling(a, b, spec, config, is_paired=is_paired)
        found = refused_beyond_cut(found, a, b, spec, is_paired=is_paired)
    return found


def adjusted(found: Sequence[Comparison], backend: str | None = None, *, correction: str = "holm") -> Comparisons:
    """Comparisons with p values adjusted over all defined ones."""
    method = correction_name(correction)
    known = [i for i, item in enumerate(found) if not math.isnan(item.p_value)]
    if len(known) < 2:
        return Comparisons(tuple(found), backend)
    own = np.array([found[i].p_value for i in known])
    # A p value that would be lower if p values at their floors were 0 is an upper limit.
    floors = np.array([found[i].p_floor or 0.0 for i in known])
    after, least = (adjust_p_values(p, method=method) for p in (own, np.where(own > floors, own, 0.0)))
    items = list(found)
    for i, p, lower in zip(known, after.tolist(), least.tolist(), strict=True):
        facts: dict[str, Any] = {"adjusted_p_value": p, "adjusted_p_floor": p if lower < p else None}
        items[i] = replace(items[i], **facts, family=len(known), correction=method)
    return Comparisons(tuple(items), backend)


def _decided(found: Difference, question: ComparisonSpec) -> dict[str, Any]:
    low, high = found.interval(question.level, question.alternative) or (None, None)
    fields: dict[str, Any] = {"low": low, "high": high}
    if question.margin is not None:
        good = found if question.spec.sign > 0 else scaled(found, -1.0)
        tests = {"margin": question.margin, "level": question.level}
        fields["noninferiority_p"] = noninferiority_test(good, **tests).p_value
        fields["equivalence_p"] = equivalence_test(good, **tests).p_value
    return fields


def _check_curves(question: ComparisonSpec) -> None:
    """Refuse options that contradict a test of whole curves."""
    asked = {
        f"a difference of {question.spec.title}": question.spec.entry.name != "auc" or question.spec.at,
        "a margin": question.margin is not None,
        f"alternative={question.alternative!r}": question.alternative != "two-sided",
        "resampling": question.bootstrap is not None,
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise OptionError(
                choice("test", "venkatraman") + f" compares whole ROC curves, so {what} does not go with it."
            )


METHOD = "placements within the range"
SOURCE = "Dodd & Pepe 2003; Zhang, Zhou, Freeman & Freeman 2002"


def partial_difference(a: ComparedSample, b: ComparedSample, part: Part, *, is_paired: bool) -> Difference | None:
    """Difference of the areas over one range of FPR or TPR; None for other parts, which lack a formula.

    On the same rows the variance is Var₁/P + Var₀/N of the differences of both models' placements
    (`partial_auc_interval`); on different rows the variances add up. Over [0, 1] it is DeLong's.
    """
    if part.is_precision or part.region == "two_way":
        return None
    from thresher.curves.regions import part_area

    tables = a.table, b.table
    values = [part_area(table, part).raw for table in tables]
    if any(map(math.isnan, values)):
        return undefined_difference(METHOD, Note("no-rows", "a class is empty"))
    difference, largest = values[0] - values[1], part.high - part.low
    facts: dict[str, Any] = {"value": difference, "method": METHOD, "source": SOURCE, "bounds": (-largest, largest)}
    if reason := next(filter(None, (too_few(class_sizes(table)) for table in tables)), None):
        return Difference(reason=reason, **facts)
    one, two = (_placed(side, part) for side in (a, b))
    error = math.sqrt(sum(one.apart(two, is_paired=is_paired)))
    why = "no row can change the difference in this range"
    return difference_of_values((values[0], values[1]), error, why=why, least=1e-12 * largest, **facts)


def _placed(side: ComparedSample, part: Part) -> Contributions:
    from thresher.inference.curves.partial_areas import placements_of

    rows, table, truth = side.rows, side.table, side.rows.truth == 1
    sides = placements_of(table, part.low, part.high, over_tpr=part.region == "tpr_range")
    strata = split((truth, ~truth), rows.weights, rows.weight_kind)
    places = side.places[truth], side.places[~truth]
    return Contributions(strata, tuple(of[place] for of, place in zip(sides, places, strict=True)))
