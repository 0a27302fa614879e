"""A criterion from keywords, as `choose` of an evaluation and the command take them, or from text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from thresher._util.did_you_mean import called_here
from thresher._util.fast_dataclass import dataclass, fields
from thresher._util.parse_number import parse_call, parse_parameters, parse_share_or_number
from thresher.decisions.costs import Costs
from thresher.decisions.criteria import NAMED, Best, Budget, ClosestCorner, Constraint, Criterion, MatchPrevalence
from thresher.errors import OptionError, joined, keyword
from thresher.measures import find
from thresher.measures.registry import known

HOW = "give one of " + joined(
    ", ",
    [
        keyword("maximize"),
        keyword("minimize"),
        keyword("cost_fp") + " with " + keyword("cost_fn"),
        *map(keyword, ("closest_corner", "match_prevalence", "top_k", "top_share")),
    ],
)
WITH_PARAMETERS = re.compile(r"([^:()]+):([^()]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionOptions:
    """Ways to choose, one at a time; `where` are bounds that go with any of them."""

    criterion: Criterion | str | None = None
    maximize: str | None = None
    minimize: str | None = None
    where: str | Constraint | Sequence[str | Constraint] = ()
    costs: Costs | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    top_k: float | None = None
    top_share: float | None = None
    match_prevalence: bool = False
    closest_corner: bool = False

    @classmethod
    def of(cls, criterion: Criterion | str | None, how: Mapping[str, Any]) -> CriterionOptions:
        """Return the options of a caller's keywords.

        Raises:
            OptionError: a keyword is unknown.
        """
        names = [field.name for field in fields(cls)]
        if unknown := [name for name in how if name not in names]:
            if known(unknown[0]):
                bound = f"{unknown[0]}>={how[unknown[0]]}"
                raise OptionError(keyword(unknown[0]) + f" is a bound: choose('max precision s.t. {bound}').")
            if here := called_here(unknown[0], names):
                raise OptionError(keyword(unknown[0]) + f" is not taken; {here}.")
            more = "; " + keyword("where") + " limits the choice."
            raise OptionError(keyword(unknown[0]) + " is not understood: " + HOW + more)
        return cls(**{"criterion": criterion, **how})


def criterion_of(asked: CriterionOptions) -> tuple[Criterion, tuple[Constraint, ...]]:
    """Return the one criterion of the options, and the bounds that `where` adds.

    >>> wanted, bounds = criterion_of(CriterionOptions(maximize="tpr", where="fpr<=0.01"))
    >>> str(wanted), [str(bound) for bound in bounds]
    ('max tpr', ['fpr <= 0.01'])
    >>> criterion_of(CriterionOptions(cost_fp=1, cost_fn=20))[0].ratio
    0.05
    """
    found = _ways(asked)
    if len(found) != 1:
        text = "none was given: " + HOW if not found else joined(" and ", found) + " were given: give one of them"
        raise OptionError("a threshold is chosen by one criterion, and " + text + ".")
    (wanted,) = found.values()
    return wanted, _bounds(asked.where)


def _ways(asked: CriterionOptions) -> dict[str, Criterion]:
    """Return the criteria of the options, by keyword."""
    both = asked.cost_fp is not None or asked.cost_fn is not None
    ways: dict[str, Criterion | None] = {
        "a criterion": None if asked.criterion is None else _of_any(asked.criterion),
        keyword("maximize"): None if asked.maximize is None else _extreme("max", asked.maximize),
        keyword("minimize"): None if asked.minimize is None else _extreme("min", asked.minimize),
        keyword("costs"): asked.costs,
        keyword("cost_fp") + " with " + keyword("cost_fn"): _costs(asked.cost_fp, asked.cost_fn) if both else None,
        keyword("top_k"): None if asked.top_k is None else Budget(k=asked.top_k),
        keyword("top_share"): None if asked.top_share is None else Budget(share=asked.top_share),
        keyword("match_prevalence"): MatchPrevalence() if asked.match_prevalence else None,
        keyword("closest_corner"): ClosestCorner() if asked.closest_corner else None,
    }
    return {name: each for name, each in ways.items() if each is not None}


def _of_any(criterion: Criterion | str) -> Criterion:
    """Return the criterion of a value or a text; a measure alone means its better side."""
    if not isinstance(criterion, str):
        return criterion
    try:
        return parse_criterion(criterion)
    except OptionError:
        try:
            name, parameters = parse_call(criterion)
            find(name)
        except (KeyError, ValueError):
            pass
        else:
            return Best(measure=name, parameters=parameters)
        raise


def _extreme(side: str, measure: str) -> Criterion:
    """Parse `youden`, `f_beta:beta=2` and the like after max or min."""
    name = measure.strip().lower().replace("-", "_")
    if name in NAMED and side == "max":
        return NAMED[name]
    with_colon = WITH_PARAMETERS.fullmatch(measure.strip())
    return parse_criterion(f"{side} {with_colon[1]}({with_colon[2]})" if with_colon else f"{side} {measure}")


def _costs(fp: float | None, fn: float | None) -> Costs:
    if fp is None or fn is None:
        given, lacking = ("cost_fp", "cost_fn") if fn is None else ("cost_fn", "cost_fp")
        raise OptionError(f"{given}= was given without {lacking}=: only their ratio counts.")
    return Costs(fp=fp, fn=fn)


def _bounds(where: str | Constraint | Sequence[str | Constraint]) -> tuple[Constraint, ...]:
    each = (where,) if isinstance(where, str | Constraint) else tuple(where)
    bounds: list[Constraint] = []
    for bound in each:
        bounds += parse_constraints(bound) if isinstance(bound, str) else (bound,)
    return tuple(bounds)


GRAMMAR = "'max MEASURE', 'min MEASURE', 'max MEASURE s.t. MEASURE<=NUMBER and …', 'top 100', 'top 5%', or one of "
_CALL = r"(?P<name>[A-Za-z][\w \-]*?[+−]?)\s*(?:\((?P<arguments>[^()]*)\))?"
_GOAL = re.compile(rf"(?P<side>maximi[sz]e|minimi[sz]e|max|min)\s+{_CALL}", re.IGNORECASE)
_CONDITION = re.compile(rf"{_CALL}\s*(?P<sign><=|>=|<|>|≤|≥)\s*(?P<bound>\S+)")
_TOP = re.compile(r"top\s+(?P<number>[\d.eE+\-]+)\s*(?P<percent>%?)", re.IGNORECASE)
_SUCH_THAT = re.compile(r"\b(?:s\.t\.|subject to|such that|where)\s+", re.IGNORECASE)


def parse_criterion(text: str) -> Criterion:
    """Parse a criterion.

    Raises:
        OptionError: the text is not a criterion; names the part that was not understood.

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
        forms = f"{GRAMMAR}{', '.join(NAMED)}"
        raise OptionError(f"criterion {text!r}: {goal.strip()!r} is not understood. A criterion is {forms}.")
    return Best(
        measure=found["name"],
        parameters=_arguments(found["arguments"], text),
        constraints=_constraints(rest[0], text) if rest else (),
        lowest=found["side"].lower().startswith("min"),
    )


def parse_constraints(text: str) -> tuple[Constraint, ...]:
    """Parse bounds such as "fpr<=0.01 and precision>=0.5".

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
        form = "a condition such as fpr<=0.01 (<=, >=, < or > and a number)"
        raise OptionError(f"criterion {text!r}: {condition!r} is not {form}.")
    sign: Any = {"≤": "<=", "≥": ">="}.get(found["sign"], found["sign"])
    parameters, bound = _arguments(found["arguments"], text), _number(found["bound"], text)
    return Constraint(measure=found["name"], comparison=sign, bound=bound, parameters=parameters)


def _arguments(written: str | None, text: str) -> dict[str, Any]:
    try:
        return parse_parameters(written or "")
    except ValueError as error:
        raise OptionError(f"criterion {text!r}: the parameter {str(error)!r} needs a value, such as beta=2.") from None


def _number(written: str, text: str) -> float:
    try:
        return parse_share_or_number(written)
    except ValueError:
        raise OptionError(f"criterion {text!r}: {written!r} is not a number.") from None
