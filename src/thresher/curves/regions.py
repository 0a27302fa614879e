"""Parts of a curve in words, such as "fpr<=0.1": over which rates an area is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thresher.curves.partial import Region
from thresher.errors import OptionError
from thresher.written import share_or_number

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
    """Part of a curve from text; `fpr`, `tpr` and `specificity` are of the ROC, `recall` of precision–recall.

    Raises:
        OptionError: the text is none, or its limits are not 0 ≤ low < high ≤ 1.

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


def _range(piece: str, text: str) -> tuple[str, float, float]:
    """Rate and its limits."""
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
        return share_or_number(word)
    except ValueError:
        raise OptionError(f"the part {text!r} of a curve: {word!r} is no number; it is {GRAMMAR}.") from None
