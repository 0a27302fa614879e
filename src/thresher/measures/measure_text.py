"""A measure as people write it on one line: `auc`, `f_beta:beta=2`, `recall@fpr=0.01`; and its title."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from thresher._util.did_you_mean import nearest
from thresher._util.fast_dataclass import dataclass, field
from thresher._util.parse_number import parse_call, parse_number_or_infinity
from thresher.conventions import divide
from thresher.errors import OptionError, UnknownMeasureError
from thresher.measures import Measure, find, measures
from thresher.measures.averaging import AVERAGES, class_average
from thresher.measures.registry import known
from thresher.measures.several_classes import of_label_sets, of_posteriors
from thresher.upward_import import upward_import

Choice = Literal["interpolated", "best"]
"""Where a measure is read at a value of another one: between the cuts too, or at the best observed cut."""

ROUNDING = 1e-12
"""Rounding error of a rate beyond 0 or 1."""

FIXED = {
    ("true_positive_rate", "false_positive_rate"): ("fpr", 1.0, 0.0),
    ("false_negative_rate", "false_positive_rate"): ("fpr", -1.0, 1.0),
    ("true_positive_rate", "true_negative_rate"): ("fpr", 1.0, 0.0),
    ("false_positive_rate", "true_positive_rate"): ("tpr", 1.0, 0.0),
    ("true_negative_rate", "true_positive_rate"): ("tpr", -1.0, 1.0),
}
"""Rates at an operating point: the fixed rate, and the other rate as slope·rate + constant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureSpec:
    """A registered measure with its parameters, at a fixed value of another one where `at` names it.

    `rule` says where. `part` is the part of a curve whose area is read (see `curves.regions`), None for any other
    measure.
    """

    text: str
    entry: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    at: Measure | None = None
    at_value: float = math.nan
    rule: Choice = "best"
    part: Any = None

    @property
    def title(self) -> str:
        """Name in words, such as `recall at false positive rate 0.01`; words that were written stay as they are."""
        if self.part is not None:
            return f"area over {self.part}"
        own, _, other = self.text.partition("@")
        values = {name: each if isinstance(each, str) else f"{each:g}" for name, each in self.parameters.items()}
        given = ", ".join(f"{name} {value}" for name, value in values.items())
        given = f" ({given})" if given else ""
        at = f" at {_in_words(other, self.at)} {self.at_value:g}" if self.at else ""
        if self.at in BUDGETS.values():
            at = f" in the top {f'{100 * self.at_value:g} %' if self.at is BUDGETS['top'] else f'{self.at_value:g}'}"
        at += " (interpolated)" if self.rule == "interpolated" else ""
        return f"{_in_words(own, self.entry)}{given}{at}"

    @property
    def is_plain(self) -> bool:
        """Whether the text is a name without parameters."""
        return self.at is None and self.part is None and not self.parameters

    @property
    def needs_threshold(self) -> bool:
        """Whether the value needs a threshold."""
        return self.at is None and self.entry.needs != "table"

    @property
    def cut(self) -> float | None:
        """Parameter that is a threshold on probabilities, as of the net benefit; else None."""
        return None if self.at is not None else self.parameters.get(self.entry.cut or "")

    @property
    def sign(self) -> float:
        """1 where more is better, −1 where less is."""
        return -1.0 if self.entry.better == "lower" else 1.0

    @property
    def fixed(self) -> tuple[str, float, float, float] | None:
        """Fixed rate of `rates` where the best observed cut is read, as formulas of the cut do; else None."""
        return self.rates if self.rule == "best" else None

    @property
    def rates(self) -> tuple[str, float, float, float] | None:
        """Fixed rate ("fpr" or "tpr"), its value, and slope and constant of the rate to read; else None."""
        found = FIXED.get((self.entry.name, self.at.name)) if self.at else None
        if found is None:
            return None
        value = 1 - self.at_value if self.at and self.at.name == "true_negative_rate" else self.at_value
        return found[0], value, found[1], found[2]


def _in_words(written: str, entry: Measure) -> str:
    """Return the title of a measure, or the alias that was written."""
    name = re.split("[=:(]", written)[0].strip().lower()
    return entry.title_as(name)


def parse_measure(text: str) -> MeasureSpec:
    """Parse a measure: a name or alias, parameters in parentheses or after a colon, and `@OTHER=VALUE`.

    There the other measure has a fixed value; one from 0 to 1 may be a percentage. `@top=5%` is at a budget of 5 % of
    the rows, `@k=10` (or `@10`) at one of 10 rows. It is read at the best observed cut; with
    ",interpolated" at the end, on the straight lines between the cuts in ROC space. "fpr<=0.2" is the area under that
    part of the ROC.

    Raises:
        UnknownMeasureError: a name is unknown.
        OptionError: a parameter or the value is missing, or outside the other measure's range, or the measure is a
            function or a scorer.

    >>> parse_measure("recall@specificity=99%").title, parse_measure("f_beta:beta=2").title
    ('recall at specificity 0.99', 'F-beta (beta 2)')
    >>> parse_measure("tpr@fpr=0.01").title
    'recall (sensitivity) at false positive rate 0.01'
    >>> parse_measure("precision@top=1%").title, parse_measure("recall@500").title
    ('precision in the top 1 %', 'recall in the top 500')
    """
    if not isinstance(text, str):
        shown = f"the function {text.__name__}" if hasattr(text, "__name__") else repr(text)
        raise OptionError(f"measure={shown}: a measure is named by a text, such as 'f1' or 'recall@fpr=0.01'.")
    if _PART.match(text.strip().lower()) and (of_part := upward_import("area_of_part")(text)) is not None:
        found: MeasureSpec = of_part
        return found
    head, _, point = text.partition("@")
    point, comma, rule = point.partition(",")
    try:
        name, given = parse_call(head)
    except ValueError as error:
        raise OptionError(_not_a_pair(text, str(error))) from None
    entry = _entry(name)
    parameters = entry.checked(given)
    if not point:
        return MeasureSpec(text=text, entry=entry, parameters=parameters)
    other, value = _pair(point.removesuffix("%") if "=" in point else f"k={point}", text)
    at = BUDGETS.get(other) or find(other)
    if "table" in (entry.needs, at.needs):
        raise OptionError(f"{text!r}: only a measure of decisions can be read at the value of another one.")
    if point.endswith("%"):
        value = percentage(value, at, text)
    check_within(value, at, f"{head}@{point}", so=NO_POINT)
    place: dict[str, Any] = {"at": at, "at_value": value, "rule": _rule(rule, at, text) if comma else "best"}
    return MeasureSpec(text=text, entry=entry, parameters=parameters, **place)


def _rule(written: str, at: Measure, text: str) -> Choice:
    """Parse how to read, from the words after the fixed value."""
    if at in BUDGETS.values():
        raise OptionError(f"{text!r}: a budget of rows is kept to at an observed cut; leave out {',' + written!r}.")
    if written.strip() != "interpolated":
        raise OptionError(f"{text!r}: after the value only ',interpolated' may follow, not {',' + written!r}.")
    return "interpolated"


def _budget(name: str) -> Measure:
    """Return the predicted positives, as a share or a number of rows, which a budget bounds."""
    share = name == "top"
    formula = (lambda c: divide(c.pred_pos, c.n)) if share else (lambda c: np.asarray(c.pred_pos, dtype=np.float64))
    text, high = ("(TP + FP)/n", 1.0) if share else ("TP + FP", math.inf)
    options: dict[str, Any] = {"bounds": (0.0, high), "better": "neither", "source": "", "remake": (_budget, (name,))}
    return Measure(name=name, formula=formula, text=text, **options)


BUDGETS = {name: _budget(name) for name in ("top", "k")}
"""Budgets at which a measure can be read, by name."""

_PART = re.compile("[a-z]+\\s*(<=|>=|≤|≥|=[^:@]*:)")
"""Start of the text of a partial area."""


def _entry(name: str) -> Measure:
    """Return a measure of counts, scores, posteriors or label sets, or an average over classes; refuse another name."""
    found = known(name) or of_posteriors(name) or class_average(name) or of_label_sets(name)
    if found is not None:
        return found
    try:
        return find(name)
    except UnknownMeasureError as error:
        rows = [*measures("posteriors"), class_average("macro_f1"), of_posteriors("top_2_accuracy")]
        near = nearest(name, [n for row in rows if row for n in (row.name, *row.aliases)])
        hint = f" For several classes there are {', '.join(near)}." if near else ""
        raise UnknownMeasureError(f"{error}{hint}") from None


def percentage(value: float, entry: Measure, text: str) -> float:
    """Return the share of a percentage; refuse one of a measure that is not a share."""
    low, high = entry.bounds
    if not 0 <= low <= high <= 1:
        raise OptionError(f"{text!r}: {entry.title} is not a share, so it cannot be a percentage.")
    return value / 100


NO_POINT = "no threshold has this value"


def check_within(value: float, entry: Measure, text: str, *, so: str = "this decides nothing") -> None:
    """Refuse a value outside the range of a measure."""
    low, high = entry.bounds
    if low - ROUNDING <= value <= high + ROUNDING:
        return
    is_percent = low == 0 and high == 1 < value <= 100 and not text.endswith("%")
    hint = f" For {value:g} percent say {value:g}%." if is_percent else ""
    ends = " to ".join(f"{end:g}".replace("inf", "∞") for end in (low, high))
    raise OptionError(f"{text!r}: {entry.title} ranges from {ends}, so {so}.{hint}")


def _pair(piece: str, text: str) -> tuple[str, float]:
    name, equals, value = piece.partition("=")
    try:
        number = parse_number_or_infinity(value)
    except ValueError:
        equals, number = "", math.nan
    if not equals:
        raise OptionError(_not_a_pair(text, piece))
    return name.strip(), number


def _not_a_pair(text: str, piece: str) -> str:
    return f"{text!r}: after ':' or '@' comes NAME=NUMBER, such as recall@fpr=0.01, not {piece!r}."


HOWS = (*AVERAGES, "samples")
"""How averages are made over classes, or over the labels of each row."""


def title_of(name: str) -> str:
    """Return the title of a measure, or of an average over classes or rows.

    >>> title_of("auc"), title_of("negative_predictive_value"), title_of("macro_f1")
    ('ROC AUC', 'negative predictive value', 'macro F1')
    """
    how, _, rest = name.partition("_")
    found = known(name) or of_posteriors(name) or known(name, "label sets")
    if found is None and how in HOWS and (averaged := known(rest)) is not None:
        return f"{how} {averaged.title_as(rest)}"
    return name.replace("_", " ") if found is None else found.title_as(name)
