"""Parts of a curve in words, such as "fpr<=0.1": over which rates an area is taken."""

from __future__ import annotations

import re

from thresher._util.fast_dataclass import dataclass
from thresher._util.parse_number import parse_share_or_number
from thresher.curves.curve import Table, score_table
from thresher.curves.partial_areas import (
    PartialArea,
    Region,
    area_over_fpr,
    area_over_recall,
    area_over_tpr,
    two_way_area,
)
from thresher.curves.roc_and_precision import precision_recall_curve, roc_curve
from thresher.errors import OptionError
from thresher.measures.measure_text import MeasureSpec
from thresher.measures.registry import Measure

RATES = {"fpr": "fpr", "tpr": "tpr", "sensitivity": "tpr", "specificity": "specificity", "tnr": "specificity",
         "recall": "recall"}  # fmt: skip
GRAMMAR = (
    "'fpr<=0.1', 'tpr>=0.9' or 'specificity>=0.9' of the ROC, two of them as in 'fpr<=0.1,tpr>=0.9', 'recall>=0.8' of "
    "the precision–recall curve, or a range such as 'fpr=0.05:0.2'"
)
_BOUND = re.compile(r"(?P<rate>[a-z]+)\s*(?P<sign><=|>=|≤|≥)\s*(?P<at>[^\s:]+)")
_SPAN = re.compile(r"(?P<rate>[a-z]+)\s*=\s*(?P<low>[^\s:]+)\s*:\s*(?P<high>[^\s:]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Range of a rate, `low` to `high`; of the region "two_way" FPR up to `high` and TPR from `low` on."""

    region: Region
    low: float
    high: float

    def __post_init__(self) -> None:
        if self.region != "two_way":
            if not 0 <= self.low < self.high <= 1:
                rate = self.region.removesuffix("_range")
                raise OptionError(f"{rate}={self.low:g}:{self.high:g}: the limits must be 0 ≤ low < high ≤ 1.")
        elif not 0 < self.high <= 1 or not 0 <= self.low < 1:
            raise OptionError(f"fpr<={self.high:g},tpr>={self.low:g}: the FPR must be in (0, 1], the TPR in [0, 1).")

    @property
    def is_precision(self) -> bool:
        """Whether it is a part of the precision–recall curve, not of the ROC."""
        return self.region == "recall_range"

    def __str__(self) -> str:
        if self.region == "two_way":
            return f"fpr<={self.high:g},tpr>={self.low:g}"
        rate = self.region.removesuffix("_range")
        if self.low == 0 and self.high < 1:
            return f"{rate}<={self.high:g}"
        return f"{rate}>={self.low:g}" if self.high == 1 and self.low > 0 else f"{rate}={self.low:g}:{self.high:g}"


def part_of(text: str) -> Part:
    """Parse a part of a curve; `fpr`, `tpr` and `specificity` are of the ROC, `recall` of precision–recall.

    >>> part_of("fpr<=0.1"), str(part_of("specificity>=0.9")), str(part_of("recall=0.5:0.8"))
    (Part(region='fpr_range', low=0.0, high=0.1), 'fpr<=0.1', 'recall=0.5:0.8')
    >>> part_of("tpr >= 90%, fpr <= 10%")
    Part(region='two_way', low=0.9, high=0.1)
    """
    found = [_range(piece.strip().lower(), text) for piece in text.split(",")]
    if len(found) == 1:
        rate, low, high = found[0]
        return Part(region=f"{rate}_range", low=low, high=high)  # type: ignore[arg-type]
    known = {rate: (low, high) for rate, low, high in found}
    fpr, tpr = known.get("fpr", (1.0, 0.0)), known.get("tpr", (1.0, 0.0))
    if len(found) != 2 or set(known) != {"fpr", "tpr"} or fpr[0] != 0 or tpr[1] != 1:
        raise OptionError(f"{text!r}: two bounds are one on the FPR from above and one on the TPR from below.")
    return Part(region="two_way", low=tpr[0], high=fpr[1])


def part_area(table: Table, part: Part) -> PartialArea:
    """Compute the area of a part of the ROC or precision–recall curve, without its interval.

    >>> from thresher.counts import ScoreTable
    >>> part_area(ScoreTable.from_scores([1, 1, 0, 0], [4, 2, 3, 1]), part_of("fpr<=0.5")).raw
    0.25
    """
    if part.is_precision:
        curve, share = precision_recall_curve(table), float(score_table(table).prevalence)
        return area_over_recall(curve.x, curve.y, part.low, part.high, prevalence=share)
    curve = roc_curve(table)
    if part.region == "two_way":
        return two_way_area(curve.x, curve.y, part.high, part.low)
    area = area_over_fpr if part.region == "fpr_range" else area_over_tpr
    return area(curve.x, curve.y, part.low, part.high)


def _range(piece: str, text: str) -> tuple[str, float, float]:
    found = _BOUND.fullmatch(piece) or _SPAN.fullmatch(piece)
    rate = None if found is None else RATES.get(found["rate"])
    if found is None or rate is None:
        raise OptionError(f"the part {text!r} of a curve is not understood; it is {GRAMMAR}.")
    named = found.groupdict()
    if "at" in named:
        at = _number(named["at"], text)
        low, high = (0.0, at) if named["sign"] in ("<=", "≤") else (at, 1.0)
    else:
        low, high = _number(named["low"], text), _number(named["high"], text)
    if rate == "specificity":
        # 1 − 0.9 is 0.09999999999999998; the FPR that is meant has the digits that were written.
        return "fpr", round(1 - high, 12), round(1 - low, 12)
    return rate, low, high


def _number(word: str, text: str) -> float:
    try:
        return parse_share_or_number(word)
    except ValueError:
        raise OptionError(f"the part {text!r} of a curve: {word!r} is not a number; it is {GRAMMAR}.") from None


_PART = re.compile(rf"({'|'.join(RATES)})\s*(<=|>=|≤|≥|=[^:@]*:)")


def area_of_part(text: str) -> MeasureSpec | None:
    """Return the area of a part of a curve as a measure of scores; None for another text."""
    if not _PART.match(text.strip().lower()):
        return None
    part = part_of(text)
    wide = (0.0, part.high * (1 - part.low) if part.region == "two_way" else part.high - part.low)
    entry = Measure(
        name=str(part), formula=lambda table: part_area(table, part).raw, text="area of a part of the curve",
        needs="table", bounds=wide, source="McClish 1989", remake=(_measure_of_part, (str(part),)),
    )  # fmt: skip
    return MeasureSpec(text=text, entry=entry, part=part)


def _measure_of_part(text: str) -> Measure | None:
    found = area_of_part(text)
    return None if found is None else found.entry
