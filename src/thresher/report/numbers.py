"""Numbers as people read them, and names of measures as headings, the same in every view.

A measure has the decimals that its interval carries, a table as many as its narrowest one. `html/report.js` repeats
these rules for its sliders, with the decimals that Python found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal

from thresher.errors import capital, ended
from thresher.measures import find
from thresher.measures.measure_text import HOWS, title_of
from thresher.measures.registry import Measure, known
from thresher.measures.several_classes import LabelAverage, of_label_sets, of_posteriors
from thresher.measures.shown import RANKING
from thresher.results import DECIMALS, Estimate, at_most, decimals_carried

UNDEFINED = "undefined"

SHARE = (-1.0, 1.0)
ANY = (-math.inf, math.inf)


def number(value: float, digits: int = DECIMALS, bounds: tuple[float, float] = SHARE) -> str:
    """Measure with a fixed number of decimals, so that columns align; never rounded to a 0, nor to a 1 that bounds it.

    >>> number(0.95), number(0.99999), number(1), number(0.00001), number(1234.5), number(math.inf), number(math.nan)
    ('0.9500', '>0.9999', '1.0000', '1.0e-5', '1234.5', '∞', 'undefined')
    >>> number(-0.999, 2), number(-0.999, 2, ANY)
    ('<-0.99', '-1.00')
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    text = _fixed(size, digits)
    if size < 1 and float(text) == 1 and bounds[1] <= 1 and (value > 0 or bounds[0] >= -1):
        text = ">0." + "9" * digits
    elif size > 0 and float(text) == 0:
        text = _scientific(size, 2)
    elif size >= 1e6:
        text = _scientific(size, 4)
    elif size >= 10:
        text = _fixed(size, max(0, digits + 1 - len(str(int(size)))))
    if value >= 0:
        return text
    return f"<-{text[1:]}" if text.startswith(">") else f"-{text}"


def limits(estimate: Estimate, digits: int | None = None) -> str | None:
    """Interval such as `[0.912, 0.946]`, with the decimals that it carries unless given; None without one.

    >>> limits(Estimate(name="auc", value=0.93, low=0.9123, high=0.94561)), limits(Estimate(name="emax", value=0.1))
    ('[0.912, 0.946]', None)
    """
    if math.isnan(estimate.value) or estimate.low is None or estimate.high is None:
        return None
    digits = decimals(estimate) if digits is None else digits
    ends = ((end, _places(estimate, end, digits)) for end in (estimate.low, estimate.high))
    return "[{}, {}]".format(*(number(end, places, _bounds(estimate)) for end, places in ends))


def value_text(estimate: Estimate, digits: int) -> str:
    """Value without its interval; rounded to 0 where its interval has both signs.

    >>> value_text(Estimate(name="auc", value=0.9999), 2), value_text(Estimate(name="lift", value=0.9999), 2)
    ('>0.99', '1.00')
    >>> estimated(Estimate(name="cohen_kappa", value=-0.003, low=-0.1, high=0.12)), number(-0.003, 2)
    ('0.00 [-0.10, 0.12]', '-3.0e-3')
    """
    if estimate.interval is not None and estimate.interval[0] < 0 <= estimate.interval[1]:
        text = _fixed(abs(estimate.value), digits)
        if float(text) == 0:
            return text
    return number(estimate.value, _places(estimate, estimate.value, digits), _bounds(estimate))


def _places(estimate: Estimate, value: float, digits: int) -> int:
    """Decimals to ask `number` for, so that a value and its limits have equally many: as few as the largest has.

    >>> limits(Estimate(name="lift", value=12.6, low=8.4361, high=18.8), 3)
    '[8.44, 18.80]'
    """
    ends = (end for end in (estimate.value, *(estimate.interval or ())) if math.isfinite(end))
    least = digits - max((_shorter(end) for end in ends), default=0)
    return max(0, least) + (_shorter(value) if math.isfinite(value) else 0)


def _shorter(value: float) -> int:
    """Decimals that `number` takes from a value of 10 or more."""
    return len(str(int(abs(value)))) - 1


def _bounds(estimate: Estimate) -> tuple[float, float]:
    """Bounds of the measure, or of a share."""
    entry = known(estimate.name) or known(estimate.name, "table") or known(estimate.name, "matrix")
    return SHARE if entry is None else entry.bounds


def decimals(*estimates: Estimate) -> int:
    """Decimals that the narrowest interval carries, two digits of half its width: from two to four; four without one.

    >>> decimals(Estimate(name="auc", value=0.9, low=0.6, high=1.0))
    2
    >>> decimals(Estimate(name="average_precision", value=0.0116, low=0.0074, high=0.0182))
    4
    """
    ends = filter(None, (each.interval for each in estimates if not math.isnan(each.value)))
    width = min((high - low for low, high in ends if high > low), default=0.0)
    return decimals_carried(width)


def estimated(estimate: Estimate, digits: int | None = None) -> str:
    """Value with its interval, when it has one, both with the decimals that it carries unless given."""
    digits = decimals(estimate) if digits is None else digits
    interval = limits(estimate, digits)
    return value_text(estimate, digits) + ("" if interval is None else f" {interval}")


def count(value: float) -> str:
    """Rows or a sum of weights, with thousands separated.

    >>> count(1234567), count(12.5), count(1234.5678)
    ('1,234,567', '12.5', '1,234.57')
    """
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{Decimal(_fixed(value, 2)):,}".rstrip("0").rstrip(".")


def counted(value: float) -> int | str | None:
    """Return the cell of a count, or of a fractional sum of weights; None for NaN."""
    if math.isnan(value):
        return None
    return int(value) if float(value).is_integer() else count(value)


def percent(share: float | None) -> str:
    """Return a share in percent with at most one decimal; 0 % and 100 % only when exact.

    >>> percent(0.3726), percent(1), percent(0.99996), percent(0.00012), percent(None)
    ('37.3 %', '100 %', '>99.9 %', '0.012 %', 'undefined')
    """
    if share is None or math.isnan(share):
        return UNDEFINED
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    if share < 0.01:
        return f"{_significant(100 * share, 2)} %"
    text = _fixed(100 * share, 1)
    return ">99.9 %" if share < 1 and float(text) == 100 else f"{text} %"


def percents(shares: Iterable[float]) -> list[str]:
    """Shares of one whole in percent, with the decimals that the smallest of them needs.

    >>> percents([0.373, 0.627]), percents([0.00108, 0.99892]), percents([0, 1])
    (['37.3 %', '62.7 %'], ['0.11 %', '99.89 %'], ['0 %', '100 %'])
    """
    known = list(shares)
    texts = [percent(share) for share in known]
    digits = max((len(text.removesuffix(" %").partition(".")[2]) for text in texts), default=0)
    pairs = zip(known, texts, strict=True)
    return [
        text if math.isnan(share) or share in (0, 1) else f"{_fixed(100 * share, digits)} %" for share, text in pairs
    ]


def recognized(share: float) -> str:
    """Return the recall of a class in percent with one decimal, for the column of a confusion matrix.

    >>> recognized(0.993428), recognized(1.0), recognized(0.9999), recognized(float("nan"))
    ('99.3 %', '100.0 %', '>99.9 %', 'undefined')
    """
    if math.isnan(share):
        return UNDEFINED
    text = _fixed(100 * share, 1)
    if share < 1 and float(text) == 100:
        return ">99.9 %"
    return "<0.1 %" if share > 0 and float(text) == 0 else f"{text} %"


def in_brackets(confidence: float, methods: str = "") -> str:
    """Explain the brackets behind values, with the methods of their intervals if these are known."""
    return f"In brackets: {level(confidence)} confidence intervals.{methods and f' Methods: {methods}.'}"


def cut(threshold: float | None) -> str:
    """Threshold on the scale of the scores, with all its digits: rounded it would decide other rows.

    >>> cut(0.5), cut(None), cut(math.inf), cut(0.123456789), cut(1250000.0), cut(0.00001), cut(1.5e-9)
    ('0.5', 'none', 'beyond all scores', '0.123456789', '1250000', '0.00001', '1.5e-9')
    """
    if threshold is None:
        return "none"
    if math.isinf(threshold):
        return "beyond all scores"
    if float(threshold).is_integer() and abs(threshold) < 1e21:
        return str(int(threshold))
    return _significant(Decimal(repr(float(threshold))), 17)


def brief(value: float, digits: int = 3) -> str:
    """Number to three digits, where only its size matters.

    >>> brief(2167.3), brief(0.0000334), brief(0.1), brief(math.inf)
    ('2170', '0.0000334', '0.1', '∞')
    """
    return number(value) if not math.isfinite(value) else _significant(value, digits)


def level(value: float) -> str:
    """Confidence level, such as `95 %`."""
    return f"{_significant(100 * value, 6)} %"


def p_text(p_value: float, floor: float | None = None) -> str:
    """P value to three digits, such as `p = 0.0312`, `p < 0.0001` or, at the floor of its replicates, `p ≤ 0.01`.

    >>> p_text(0.03125), p_text(0.0), p_text(1.0), p_text(0.01, 0.01)
    ('p = 0.0313', 'p < 0.0001', 'p = 1.0000', 'p ≤ 0.01')
    """
    if p_value < 0.0001:
        return "p < 0.0001"
    if most := at_most(p_value, floor):
        return f"p {most}"
    return "p > 0.9999" if 0.9999 < p_value < 1 else f"p = {number(p_value)}"


def p_number(p_value: float, floor: float | None = None) -> str:
    """P value in a column of them, such as `0.0312` or `< 0.0001`.

    >>> p_number(0.03125), p_number(0.0), p_number(0.000099), p_number(math.nan)
    ('0.0313', '< 0.0001', '< 0.0001', 'undefined')
    """
    return p_text(p_value, floor).removeprefix("p ").removeprefix("= ")


def _fixed(value: float, digits: int) -> str:
    """Decimals of the exact binary value, half away from zero, as the script's `toFixed` has it."""
    # A context of its own: the default one refuses more than 28 digits. 309 are before the point of the largest number,
    # and as many decimals may be asked for.
    step = Decimal(1).scaleb(-digits)
    return format(Decimal(value).quantize(step, rounding=ROUND_HALF_UP, context=Context(prec=1000)), "f")


def _significant(value: float | Decimal, digits: int) -> str:
    """Significant digits without trailing zeros; an exponent only below 1e-6 and from 1e21."""
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).normalize(Decimal(value)) or Decimal(0)
    return format(rounded, "f" if -7 < rounded.adjusted() < 21 else "e")


def _scientific(value: float, digits: int) -> str:
    """Scientific notation with a fixed number of digits, the exponent without padding."""
    return format(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value)), f".{digits - 1}e")


MOST_GROUPS = 50
"""Groups shown to a reader: the largest, in their own order; data forms hold all."""


def is_average(name: str) -> bool:
    """Whether a name belongs to an average of decisions over the classes."""
    how, _, rest = name.partition("_")
    return how in HOWS and bool(rest) and name not in RANKING


def heading_of(name: str) -> str:
    """Title of a measure as a heading."""
    return capital(title_of(name))


def sentence(text: str) -> str:
    """Text with a capital first letter and a full stop."""
    return ended(capital(text))


def formula_of(name: str, *, task: str = "binary") -> str:
    """Return the formula of a measure as text; empty if unknown.

    >>> formula_of("brier_score", task="multiclass"), formula_of("macro_f1", task="multiclass")
    ('mean of Σ_k (p_k − y_k)²', 'mean of the F1 of each class against the rest')
    """
    if is_average(name):
        each = "label" if task == "multilabel" else "class against the rest"
        return AVERAGE_TEXT[name.partition("_")[0]].format(title_of(name.partition("_")[2]), each)
    if (found := _of_several(name, task)) is not None:
        return found.text
    try:
        return find(name).text
    except KeyError:
        return ""


def _of_several(name: str, task: str) -> Measure | None:
    """Measure of more than two classes, or of labels."""
    found = of_label_sets(name) if task == "multilabel" else None
    return found or (None if task == "binary" else of_posteriors(name))


AVERAGE_TEXT = {
    "macro": "mean of the {} of each {}",
    "weighted": "mean of the {} of each {}, weighted by its rows",
    "micro": "{} of the cells summed over each {}",
    "samples": "mean over rows of the {} of the row's labels",
}


def definition_of(name: str, *, task: str = "binary") -> str:
    """Return the first sentence about a measure; empty for unlisted names, and averages that their formula explains."""
    if (found := _of_several(name, task)) is not None:
        return "" if isinstance(found.formula, LabelAverage) else found.summary
    try:
        lines = (find(name).__doc__ or "").splitlines()
    except KeyError:
        return ""
    return lines[0] if lines else ""
