"""Criteria from text, as on a command line: "max tpr s.t. fpr<=0.01", "top 5%", "youden"."""

from __future__ import annotations

import re
from typing import Any

from thresher.decisions.criteria import NAMED, Best, Budget, Constraint, Criterion
from thresher.errors import OptionError
from thresher.written import parameters, share_or_number

GRAMMAR = "'max MEASURE', 'min MEASURE', 'max MEASURE s.t. MEASURE<=NUMBER and …', 'top 100', 'top 5%', or one of "
_CALL = r"(?P<name>[A-Za-z][\w \-]*?[+−]?)\s*(?:\((?P<arguments>[^()]*)\))?"
_GOAL = re.compile(rf"(?P<side>maximi[sz]e|minimi[sz]e|max|min)\s+{_CALL}", re.IGNORECASE)
_CONDITION = re.compile(rf"{_CALL}\s*(?P<sign><=|>=|<|>|≤|≥)\s*(?P<bound>\S+)")
_TOP = re.compile(r"top\s+(?P<number>[\d.eE+\-]+)\s*(?P<percent>%?)", re.IGNORECASE)
_SUCH_THAT = re.compile(r"\b(?:s\.t\.|subject to|such that|where)\s+", re.IGNORECASE)


def parse_criterion(text: str) -> Criterion:
    """Criterion from text.

    Raises:
        OptionError: the text is none; says which part was not understood.

    >>> parse_criterion("max tpr s.t. fpr<=0.01")
    Best(measure='tpr', parameters={}, constraints=(Constraint(measure='fpr', comparison='<=', bound=0.01,
    parameters={}),), lowest=False)
    >>> str(parse_criterion("max f_beta(beta=2) s.t. precision >= 0.5 and recall>=0.9"))
    'max f_beta(beta=2) s.t. precision >= 0.5 and recall >= 0.9'
    >>> parse_criterion("top 5%"), parse_criterion("youden").measure
    (Budget(k=None, share=0.05), 'informedness')
    """
    words = text.strip()
    if (name := words.lower().replace(" ", "_").replace("-", "_")) in NAMED:
        return NAMED[name]
    if top := _TOP.fullmatch(words):
        amount = _number(top["number"], text)
        return Budget(share=amount / 100) if top["percent"] else Budget(k=amount)
    goal, *rest = _SUCH_THAT.split(words)
    if len(rest) > 1:
        raise OptionError(f"criterion {text!r} says 's.t.' twice: join the conditions with 'and'.")
    found = _GOAL.fullmatch(goal.strip())
    if not found:
        raise OptionError(
            f"criterion {text!r}: {goal.strip()!r} is not understood. A criterion is {GRAMMAR}{', '.join(NAMED)}."
        )
    return Best(
        measure=found["name"],
        parameters=_arguments(found["arguments"], text),
        constraints=_constraints(rest[0], text) if rest else (),
        lowest=found["side"].lower().startswith("min"),
    )


def parse_constraints(text: str) -> tuple[Constraint, ...]:
    """Bounds from text such as "fpr<=0.01 and precision>=0.5".

    Raises:
        OptionError: a part is none.

    >>> [str(bound) for bound in parse_constraints("fpr<=0.01 and precision>=50%")]
    ['fpr <= 0.01', 'precision >= 0.5']
    """
    return _constraints(text, text)


def _constraints(conditions: str, text: str) -> tuple[Constraint, ...]:
    parts = re.split(r"\s+and\s+|,(?![^()]*\))", conditions)
    return tuple(_constraint(part.strip(), text) for part in parts)


def _constraint(condition: str, text: str) -> Constraint:
    found = _CONDITION.fullmatch(condition)
    if not found:
        raise OptionError(
            f"criterion {text!r}: {condition!r} is not a condition such as fpr<=0.01 (<=, >=, < or > and a number)."
        )
    sign: Any = {"≤": "<=", "≥": ">="}.get(found["sign"], found["sign"])
    parameters = _arguments(found["arguments"], text)
    return Constraint(
        measure=found["name"], comparison=sign, bound=_number(found["bound"], text), parameters=parameters
    )


def _arguments(written: str | None, text: str) -> dict[str, Any]:
    """Parameters written as beta=2, weights=linear."""
    try:
        return parameters(written or "")
    except ValueError as error:
        raise OptionError(f"criterion {text!r}: the parameter {str(error)!r} has no value, such as beta=2.") from None


def _number(written: str, text: str) -> float:
    try:
        return share_or_number(written)
    except ValueError:
        raise OptionError(f"criterion {text!r}: {written!r} is not a number.") from None
