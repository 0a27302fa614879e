"""Methods of resampling by their text, without those that hold other methods, and splitters."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from thresher.errors import OptionError
from thresher.resampling.bootstraps import Bootstrap632, Bootstrap632Plus, BootstrapOOB, OptimismBootstrap
from thresher.resampling.foreign import Splitter
from thresher.resampling.methods import (
    GroupKFold,
    Holdout,
    KFold,
    LeaveOneOut,
    Method,
    RandomSubsampling,
    Resubstitution,
    TimeSplits,
)
from thresher.written import whole

Form = Callable[[str], Method]


def method_in(text: str, forms: Mapping[str, Form]) -> Method:
    """Method from its text, one of the forms; see `method_text.method_of`."""
    name, _, given = text.partition(":")
    key = re.sub(r"[\s_.-]", "", name.lower()).replace("+", "plus")
    if re.fullmatch(r"\d+x\d+", key):
        key, given = "repeated", key
    known = ALIASES.get(key, key)
    if known not in forms:
        near = difflib.get_close_matches(key, [*forms, *ALIASES], n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise OptionError(f"method {text!r} is none of {', '.join(forms)}.{hint}")
    try:
        return forms[known](given.strip())
    except OptionError:
        raise
    except (ValueError, ZeroDivisionError):
        raise OptionError(f"method {text!r}: {given!r} is not what {known} takes, such as {EXAMPLES[known]}.") from None


def given_method(method: Any, forms: Mapping[str, Form]) -> Method:
    """Method as given; see `method_text.as_method`."""
    if isinstance(method, str):
        return method_in(method, forms)
    if isinstance(method, type):
        raise OptionError(f"method={method.__name__}: pass a value of it, such as {method.__name__}().")
    if hasattr(method, "splits") and hasattr(method, "combine"):
        found: Method = method
        return found
    if isinstance(method, int) and not isinstance(method, bool):
        return KFold(method)
    if hasattr(method, "split") or isinstance(method, list | tuple):
        return Splitter(method)
    if isinstance(method, Iterator):  # what a splitter's split(X, y) gives
        return Splitter(list(method))
    raise OptionError(
        f"method={method!r}: pass a method such as KFold(10) or Bootstrap632Plus(200), its text, or a splitter of "
        f"scikit-learn."
    )


def _repeated(given: str) -> Method:
    repeats, _, k = (given or "5x10").lower().replace("×", "x").partition("x")
    return KFold(whole(k), repeats=whole(repeats))


def _holdout(given: str) -> Method:
    if not re.fullmatch(r"[0-9./eE+ -]*", given):  # Fraction takes 1_0, and digits of any script
        raise ValueError(given)
    share = Fraction(given or "1/3")
    return Holdout(test=int(share) if share >= 1 and share.denominator == 1 else float(share))


def _none(kind: Callable[[], Method]) -> Callable[[str], Method]:
    def make(given: str) -> Method:
        if given:
            raise ValueError(given)
        return kind()

    return make


def _number(kind: Callable[[int], Method], default: int) -> Callable[[str], Method]:
    return lambda given: kind(whole(given) if given else default)


SIMPLE: dict[str, Form] = {
    "kfold": _number(KFold, 10),
    "repeated": _repeated,
    "loo": _none(LeaveOneOut),
    "holdout": _holdout,
    "subsampling": _number(RandomSubsampling, 10),
    "groups": _number(GroupKFold, 10),
    "time": _number(TimeSplits, 5),
    "oob": _number(BootstrapOOB, 200),
    "632": _number(Bootstrap632, 200),
    "632plus": _number(Bootstrap632Plus, 200),
    "optimism": _number(OptimismBootstrap, 200),
    "resubstitution": _none(Resubstitution),
}
"""Name → from the text after the colon to the method."""

EXAMPLES = {
    "kfold": "kfold:10", "repeated": "repeated:5x10", "loo": "loo alone", "holdout": "holdout:0.25 or holdout:1/3",
    "subsampling": "subsampling:20", "groups": "groups:5", "time": "time:5", "nested": "nested:5x3 or nested:5x3:auc",
    "oob": "oob:200", "632": "632:200",
    "632plus": "632plus:200", "optimism": "optimism:200", "resubstitution": "resubstitution alone",
}  # fmt: skip

ALIASES = {
    "cv": "kfold", "crossvalidation": "kfold", "repeatedkfold": "repeated", "leaveoneout": "loo",
    "randomsubsampling": "subsampling", "montecarlo": "subsampling", "groupkfold": "groups", "timesplits": "time",
    "bootstrap": "oob", "bootstrapoob": "oob", "bootstrap632": "632", "bootstrap632plus": "632plus",
    "optimismbootstrap": "optimism",
}  # fmt: skip
