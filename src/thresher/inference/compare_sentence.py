"""What may be concluded from a comparison, in plain words; no difference shown is never called equality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.inference.compare import Comparison

NO_EQUALITY = "That is not equality"


def sentences(found: Sequence[Comparison]) -> tuple[str, ...]:
    """Conclusions of several comparisons; what "not shown to differ" does not mean is said once for all of them."""
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
    first, second = _names(c)
    if not c.is_defined:
        return f"{_where(c)}{_the(c)} of {first} and of {second} cannot be compared: {c.reason}"
    if c.measure == "roc":
        return f"{_where(c)}{_curves(c, first, second)}"
    if c.low == c.high == 0:
        same = f"{_the(c, small=True)} is the same, {_value(c.values[0])}"
        return f"{_where(c)}{first} and {second} cannot be told apart on these {c.units}: {same}"
    if math.isnan(c.p_value):
        why = f", {c.reason}" if c.reason else ""
        return f"{_where(c)}{_the(c)} of {first} is {_value(c.values[0])} and of {second} {_value(c.values[1])}{why}"
    if c.is_significant:
        more = f"{_more(c)} than that of {second} ({_value(c.values[1])})"
        what = f"{_where(c)}{_the(c)} of {first} ({_value(c.values[0])}) is {more}"
        return f"{what} {_facts(c)}: more than chance alone would explain"
    both = f"{first} ({_value(c.values[0])}) and of {second} ({_value(c.values[1])})"
    return f"{_where(c)}{_the(c)} of {both} are not shown to differ: {_more(c)} {_facts(c)}"


def _curves(c: Comparison, first: str, second: str) -> str:
    """What a test of whole curves says; the areas stand beside it, as they may be equal where curves cross."""
    the = "the" if c.group is not None else "The"
    both = f"{the} ROC curves of {first} (AUC {_value(c.values[0])}) and of {second} (AUC {_value(c.values[1])})"
    if c.statistic == 0:
        return f"{both} are the same on these {c.units}"
    if c.is_significant:
        where = "the test does not say where, nor which is better"
        return f"{both} differ somewhere {_facts(c)}: more than chance alone would explain; {where}"
    return f"{both} are not shown to differ anywhere {_facts(c)}"


def p_text(p: float) -> str:
    """A p value as people read it.

    >>> p_text(0.0412), p_text(1e-7), p_text(1.0), p_text(float("nan"))
    ('p = 0.041', 'p < 0.0001', 'p = 1', 'p undefined')
    """
    if math.isnan(p):
        return "p undefined"
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


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


def _value(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4g}"


def _more(c: Comparison) -> str:
    if c.difference == 0:
        return "no difference"
    return f"{abs(c.difference):.3g} {'higher' if c.difference > 0 else 'lower'}"


def _facts(c: Comparison) -> str:
    """Interval, p value and method, in parentheses."""
    interval = "" if c.low is None or c.high is None else f"{100 * c.level:g}% interval {c.low:.3g} to {c.high:.3g}, "
    p = p_text(c.p_value) if c.adjusted_p_value is None else p_text(c.adjusted_p_value)
    many = "" if c.adjusted_p_value is None else f" after Holm for {c.family} comparisons"
    side = "" if c.alternative == "two-sided" else ", one-sided"
    return f"({interval}{p}{side}{many}, {c.method})"


def _margin(c: Comparison, first: str, second: str) -> str:
    """What a margin lets one say."""
    if c.margin is None or c.equivalence_p is None or c.noninferiority_p is None:
        return ""
    if c.equivalence_p <= 1 - c.level:
        return f" They are equivalent within {c.margin:g} ({p_text(c.equivalence_p)})."
    if c.noninferiority_p <= 1 - c.level:
        return f" {first} is not worse than {second} by {c.margin:g} or more ({p_text(c.noninferiority_p)})."
    return f" That {first} is not worse than {second} by {c.margin:g} is not shown ({p_text(c.noninferiority_p)})."
