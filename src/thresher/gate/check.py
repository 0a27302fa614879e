"""One check: a measure of a model against a limit, or against another model on the same rows.

Checks that a model and its baseline can be compared: same classes, positive class, direction and rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.front_door import guarded
from thresher._util.json_values import plain_text
from thresher._util.parse_number import parse_number
from thresher.conventions import option
from thresher.errors import InputError, OptionError, choice, keyword
from thresher.evaluation import ModelEvaluation
from thresher.evaluation.assumptions import at_own_cut
from thresher.evaluation.differences import ComparedPair, difference_of, value_compared
from thresher.evaluation.estimate import measured_value, treatment_of
from thresher.inference.comparing.compare import ComparisonSpec
from thresher.inference.differences.difference import Difference
from thresher.measures.measure_text import MeasureSpec, check_within, parse_measure, percentage
from thresher.measures.several_classes import of_posteriors
from thresher.results import Estimate, Shown

if TYPE_CHECKING:
    from thresher.inference.bootstrap.config import Bootstrap


On = Literal["low", "value"]
ON = ("low", "value")


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit of a measure, such as `auc=0.8` or `recall@fpr=0.01:0.6`; `spec` is the parsed measure."""

    text: str
    spec: MeasureSpec
    value: float


@guarded
@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Shown):
    """Outcome of one check: whether it passed, the numbers behind it, and one sentence.

    `value`, `low` and `high` belong to the measure, or to the difference from the baseline; `limit` is the number that
    they are checked against.
    """

    name: str
    model: str
    passed: bool
    message: str
    limit: float
    value: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str | None = None
    place: str | None = None


@guarded
def limit(text: str) -> Limit:
    """Limit from its text: `MEASURE=NUMBER`, or `MEASURE@OTHER=VALUE:NUMBER` at a fixed value of another measure.

    The number of a measure from 0 to 1 may be a percentage.

    Raises:
        OptionError: the text is not a limit, or gives a percentage of a measure that is not a share.
        UnknownMeasureError: there is no such measure.

    >>> limit("recall@fpr=0.01:0.6").value, limit("auc=80%").value
    (0.6, 0.8)
    """
    head, sign, number = text.rpartition(":" if "@" in text else "=")
    try:
        value = parse_number(number.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not sign or not math.isfinite(value):
        raise OptionError(f"{text!r} is neither MEASURE=NUMBER, such as auc=0.8, nor MEASURE@OTHER=VALUE:NUMBER, "
                          "such as recall@fpr=0.01:0.6.")  # fmt: skip
    measure = parse_measure(head)
    return Limit(
        text=text, spec=measure, value=percentage(value, measure.entry, text) if number.endswith("%") else value
    )


@guarded
def at_least(
    model: ModelEvaluation,
    bound: Limit,
    *,
    on: On = "low",
    level: float | None = None,
    bootstrap: Bootstrap | None = None,
    place: str | None = None,
) -> Check:
    """Check that a measure is at least a number: its lower confidence limit (`on="low"`), or its value.

    An undefined measure fails. Without `bootstrap`, 2,000 resamples give the interval that no formula does. With
    `missing="bounds"` its lowest value over all possible labels must reach the number too.

    Raises:
        OptionError: the number is outside the measure's range, or an option has a value that it does not take.
    """
    return _bounded(model, bound, on, level, bootstrap, place, is_floor=True)


@guarded
def at_most(
    model: ModelEvaluation,
    bound: Limit,
    *,
    on: On = "low",
    level: float | None = None,
    bootstrap: Bootstrap | None = None,
    place: str | None = None,
) -> Check:
    """Check that a measure is at most a number: its upper confidence limit (`on="low"`), or its value.

    Raises:
        OptionError: the number is outside the measure's range, or an option has a value that it does not take.
    """
    return _bounded(model, bound, on, level, bootstrap, place, is_floor=False)


@guarded
def no_drop(
    new: ModelEvaluation,
    old: ModelEvaluation,
    bound: Limit,
    *,
    level: float | None = None,
    bootstrap: Bootstrap | None = None,
) -> Check:
    """Check that a model is not worse than another on the same rows by more than an allowance.

    It fails only when the whole paired interval of the difference is beyond the allowance: chance alone fails no
    build. An undefined difference fails.

    Raises:
        InputError: the baseline has other rows, classes or weights, or another direction.
    """
    check_same_rows(new, old)
    if treatment_of(new.rows).bounds is not None:
        raise OptionError(choice("missing", "bounds") + " does not bound a drop. Check numbers, or drop those rows.")
    level = level or new.level
    question = ComparisonSpec(spec=bound.spec, level=level, bootstrap=bootstrap)
    new, old = (at_own_cut(model, bound.spec) for model in (new, old))
    values = value_compared(new, question), value_compared(old, question)
    found = difference_of(ComparedPair(first=new, second=old, values=values), question)
    return check_of_drop(found, new.name, f"{old.name!r} on the same rows (paired)", bound, level)


def check_of_drop(found: Difference, model: str, against: str, bound: Limit, level: float, note: str = "") -> Check:
    """Return the outcome for a difference new − old: failed if its whole interval is worse than the allowance."""
    if bound.value < 0:
        raise OptionError(f"{bound.text!r}: the allowed drop cannot be negative.")
    if bound.spec.entry.better == "neither":
        raise OptionError(
            f"{bound.text!r}: neither a higher nor a lower {bound.spec.title} is better. Set limits instead."
        )
    sign = bound.spec.sign
    name = f"{bound.spec.title} not worse than {against} by more than {bound.value:g}"
    interval = found.interval(level)
    low, high = interval or (None, None)
    facts: dict[str, Any] = {"name": name, "model": model, "limit": bound.value, "value": found.value, "low": low}
    facts |= {"high": high, "level": level, "method": found.method}
    if low is None or high is None or math.isnan(found.value):
        return Check(passed=False, message=f"{model}: {name} cannot be checked: {found.reason}", **facts)
    drop, least, most = 0.0 - sign * found.value, *sorted((0.0 - sign * low, 0.0 - sign * high))
    ends = f"{least:.4g} to {most:.4g}" if drop >= 0 else f"{-most:.4g} to {-least:.4g}"
    moved = f"drop {drop:.4g}" if drop >= 0 else f"gain {-drop:.4g}"
    numbers = f"{moved}, {100 * level:g} % interval {ends} ({found.method})"
    if least > bound.value:
        text = f"{bound.spec.title} is worse than {against}: {numbers}, all of it beyond the {bound.value:g} allowed"
        return Check(passed=False, message=f"{model}: {text}{note}", **facts)
    allowed = f"the allowed drop of {bound.value:g}"
    text = f"within {allowed}" if most <= bound.value else f"not shown to exceed {allowed}"
    seen = "" if most <= bound.value else f"; here only a drop beyond {bound.value + drop - least:.3g} would be seen"
    return Check(
        passed=True, message=f"{model}: {bound.spec.title} against {against}: {numbers}, {text}{seen}{note}", **facts
    )


def _estimate(
    model: ModelEvaluation, bound: Limit, on: On, level: float | None, bootstrap: Bootstrap | None
) -> Estimate:
    option("on", on, ON)
    resampled, level = (bootstrap if on == "low" else None), level or model.level
    found = measured_value(model, bound.spec, level=level, bootstrap=resampled)
    is_told = found.low is not None or not math.isfinite(found.value)
    if on == "value" or resampled is not None or is_told:
        return found
    from thresher.inference.bootstrap.config import Bootstrap

    return measured_value(model, bound.spec, level=level, bootstrap=Bootstrap())


def _bounded(
    model: ModelEvaluation, bound: Limit, on: On, level: float | None, bootstrap: Bootstrap | None, place: str | None,
    *, is_floor: bool,
) -> Check:  # fmt: skip
    # A number outside the range lets every model or none pass.
    of_classes = of_posteriors(bound.spec.entry.name) if model.task == "multiclass" else None
    check_within(bound.value, of_classes or bound.spec.entry, bound.text)
    check_side(bound, ("at_least", "at_most"), is_floor=is_floor)
    found = _estimate(model, bound, on, level, bootstrap)
    name = f"{bound.spec.title} {'at least' if is_floor else 'at most'} {bound.value:g}"
    held, what = (found.value, "value") if on == "value" else (found.low, "lower limit")
    if on == "low" and not is_floor:
        held, what = found.high, "upper limit"
    if (bounds := treatment_of(model.rows).bounds) is not None:
        ends, pick = bounds(model, bound.spec.text), min if is_floor else max
        held, what = pick(ends[not is_floor], ends[not is_floor] if held is None else held), f"{what} over all labels"
    where = model.name if place is None else f"{model.name}, {place}"
    facts: dict[str, Any] = {"name": name, "model": model.name, "limit": bound.value, "value": found.value}
    facts |= {"low": found.low, "high": found.high, "level": found.level, "method": found.method, "place": place}
    if math.isnan(found.value):
        return Check(passed=False, message=f"{where}: {bound.spec.title} is undefined: {found.reason}", **facts)
    if held is None:
        gap = f"{found.value:.4g} without an interval ({found.reason})"
        why = f'{bound.spec.title} {gap}; its value can be checked, on "value"'
        return Check(passed=False, message=f"{where}: {why}", **facts)
    value = f"{bound.spec.title}{' is' if bound.spec.at else ''} {_with_interval(found)}"
    passed = held >= bound.value if is_floor else held <= bound.value
    side = ("at least" if is_floor else "at most") if passed else ("below" if is_floor else "above")
    # Digits enough to differ from the bound.
    digits = next((d for d in range(4, 17) if float(f"{held:.{d}g}") != bound.value or held == bound.value), 17)
    text = f"{value}: its {what} {held:.{digits}g} is {side} {bound.value:g}"
    return Check(passed=bool(passed), message=f"{where}: {text}", **facts)


def check_side(bound: Limit, sides: tuple[str, str], *, is_floor: bool) -> None:
    """Refuse a limit that worse models pass more easily, a floor of a measure whose lower values are better."""
    better = "lower" if is_floor else "higher"
    if bound.spec.entry.better == better:
        raise OptionError(f"{bound.text!r}: a {better} {bound.spec.title} is better, so worse models would pass more "
                          f"easily. Use {sides[is_floor]}.")  # fmt: skip


def _with_interval(found: Estimate) -> str:
    value = f"{found.value:.4g}"
    if found.low is None or found.high is None or found.level is None:
        return value
    return f"{value} ({100 * found.level:g} % interval {found.low:.4g} to {found.high:.4g}, {found.method})"


AS_NUMBERS = {"True": "1", "False": "0"}
"""Texts of boolean labels, which other files write as 1 and 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Class labels as text, the positive one, and the direction of the scores, of a model or a saved report."""

    classes: frozenset[str]
    positive: str | None
    direction: str | None

    @classmethod
    def of(cls, classes: Iterable[Any], positive: Any, direction: str | None) -> Target:
        """Return the target for labels of any type, as files and arrays hold the same label in several types."""
        texts = frozenset(map(_text, classes))
        named = None if positive is None else _text(positive)
        # The negative class of `rest="negative"` has no label of its own.
        return cls(classes=texts - {f"not {named}"}, positive=named, direction=direction)

    @classmethod
    def of_model(cls, model: ModelEvaluation) -> Target:
        """Return the target of an evaluated model."""
        return cls.of(model.labels, model.rows.positive, model.direction)


def check_same_target(new: Target, old: Target, baseline: str) -> None:
    """Check that a baseline has the same classes, positive class and direction."""
    if new.positive != old.positive:
        here, there = ("none" if each is None else repr(each) for each in (new.positive, old.positive))
        raise InputError(
            f"the positive class of {baseline} is {there}, and here it is {here}. Evaluate both with the same "
            + keyword("positive", "…") + "."
        )  # fmt: skip
    is_against_rest = new.positive is not None and 1 in (len(new.classes), len(old.classes))
    if new.classes != old.classes and not is_against_rest:
        here, there = (", ".join(map(repr, sorted(each.classes))) for each in (new, old))
        raise InputError(f"the classes of {baseline} are {there}, and here {here}. Evaluate both on the same classes.")
    if None not in (new.direction, old.direction) and new.direction != old.direction:
        raise InputError(
            f"the {old.direction} scores are positive in {baseline}, and the {new.direction} ones here. Evaluate both "
            "with the same " + keyword("direction", "…") + "."
        )


def check_same_rows(new: ModelEvaluation, old: ModelEvaluation) -> None:
    """Check that a baseline has the same rows, for a paired comparison; counts have their own check."""
    a, b = new.rows, old.rows
    if a is b or a.counts is not None or b.counts is not None:
        return
    baseline = f"the baseline {old.name!r}"
    check_same_target(Target.of_model(new), Target.of_model(old), baseline)
    if a.truth.shape != b.truth.shape:
        raise InputError(f"{baseline} has {len(b):,} rows, and here are {len(a):,}. Evaluate both on the same rows.")
    for what, here, there in (("label", a.truth, b.truth), ("weight", a.weights, b.weights)):
        if (here is None) != (there is None):
            raise InputError(f"only one of {new.name!r} and {baseline} is weighted. Give both the same weights.")
        if here is not None and there is not None and not np.array_equal(here, there):
            row = int(np.argmax((here != there).reshape(len(a), -1).any(axis=1)))
            raise InputError(
                f"row {row} (counted from 0) has another {what} in {baseline}. Evaluate both on the same rows."
            )


def _text(label: Any) -> str:
    text = plain_text(label)
    return AS_NUMBERS.get(text, text)
