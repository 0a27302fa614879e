"""Dominance: whether one ROC curve is above another everywhere, else where they cross and who leads where."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from thresher import kernel
from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import as_dict, fields_to_jsonable
from thresher.curves.curve import Table
from thresher.decisions.hull import both_classes
from thresher.results import Shown

LISTED = 4
"""Leads that a dominance shows of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A stretch on which one curve is above the other; `leader` is None where they run together."""

    leader: str | None
    fpr: tuple[float, float]
    tpr: tuple[float, float]

    to_dict = as_dict

    def __repr__(self) -> str:
        who = "together" if self.leader is None else self.leader
        return f"Lead({who}, FPR {_span(self)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance(Shown):
    """Who leads where, from the conservative end on.

    `dominant` is the model that is never below and somewhere above; None when the curves cross, or are one. Crossings
    are points (FPR, TPR) at which the lead changes. On the same rows the answer for the precision–recall curves is the
    same, with the Davis–Goadrich interpolation and from the first points with true positives on: at a TPR the curve
    with the smaller FPR has the higher precision.
    """

    models: tuple[str, str]
    dominant: str | None
    crossings: tuple[tuple[float, float], ...]
    leads: tuple[Lead, ...]

    @property
    def is_one_curve(self) -> bool:
        """Whether the two curves are the same."""
        return all(lead.leader is None for lead in self.leads)

    @property
    def dominant_in_precision_recall(self) -> str | None:
        """Model with a precision–recall curve nowhere below the other's: on the same rows the dominant one.

        From the first points with true positives on, as before them a precision is a convention.

        Davis and Goadrich (2006), theorem 3.2.
        """
        return self.dominant

    @property
    def led(self) -> tuple[Lead, ...]:
        """Leads of either model, as one where only a common vertical part separates two of a model."""
        found: list[Lead] = []
        for lead in (each for each in self.leads if each.leader is not None):
            last = found[-1] if found else None
            if last is not None and last.leader == lead.leader and last.fpr[1] == lead.fpr[0]:
                found[-1] = replace(last, fpr=(last.fpr[0], lead.fpr[1]), tpr=(last.tpr[0], lead.tpr[1]))
            else:
                found.append(lead)
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types, and whether the two curves are one."""
        return fields_to_jsonable(self) | {"is_one_curve": self.is_one_curve}

    def columns(self) -> dict[str, Any]:
        """Return the stretches as columns: the leader and both ends' rates."""
        ends = {
            f"{name}_{end}": [getattr(lead, name)[i] for lead in self.leads]
            for name in ("fpr", "tpr")
            for i, end in enumerate(("from", "to"))
        }
        return {"leader": [lead.leader for lead in self.leads], **ends}

    def __repr__(self) -> str:
        both = " and ".join(self.models)
        if self.is_one_curve:
            return f"Dominance({both} are one curve)"
        if self.dominant is not None:
            other = next(name for name in self.models if name != self.dominant)
            return f"Dominance({self.dominant} is nowhere below {other})"
        led = self.led
        stretches = ", ".join(f"{lead.leader} leads at FPR {_span(lead)}" for lead in led[:LISTED])
        more = f" and {len(led) - LISTED} more" if len(led) > LISTED else ""
        return f"Dominance({both} cross: {stretches}{more})"


def _span(lead: Lead) -> str:
    return f"{lead.fpr[0]:.4g} to {lead.fpr[1]:.4g}"


def dominance(first: Table, second: Table, *, names: tuple[str, str] = ("first", "second")) -> Dominance:
    """Compare two ROC curves at every point, in one merge of their thresholds.

    Turned by 45° a ROC is a function: of v = TPR − FPR over u = TPR + FPR, which rises at every threshold. So one curve
    is above another exactly where its v is larger at the same u. Both are straight between thresholds, so that their
    difference can change its sign only once between neighboring thresholds of either. The signs are exact for counts;
    curves of weighted sums count as touching where they differ by at most 1e-12.

    Raises:
        InputError: a class is empty, or a table is a batch.

    Provost, Fawcett and Kohavi (1998); Davis and Goadrich (2006), theorem 3.2.

    >>> from thresher.counts import ScoreTable
    >>> y = [1, 0, 1, 0]
    >>> found = dominance(ScoreTable.from_scores(y, [4, 3, 2, 1]), ScoreTable.from_scores(y, [3, 4, 2, 1]))
    >>> found.dominant, found.crossings, [(lead.leader, lead.fpr) for lead in found.leads]
    ('first', (), [('first', (0.0, 0.5)), (None, (0.5, 1.0))])
    """
    tables = [both_classes(table) for table in (first, second)]
    found = kernel.leads(*(column for table in tables for column in table.columns))
    who: dict[int, str | None] = {1: names[0], -1: names[1], 0: None}
    fpr, tpr = found.fpr.tolist(), found.tpr.tolist()
    leads = tuple(
        Lead(leader=who[kind], fpr=(fpr[i], fpr[i + 1]), tpr=(tpr[i], tpr[i + 1]))
        for i, kind in enumerate(found.kinds.tolist())
    )
    ahead = [lead for lead in leads if lead.leader is not None]
    crossings = tuple(
        (after.fpr[0], after.tpr[0]) for before, after in pairwise(ahead) if before.leader != after.leader
    )
    leaders = {lead.leader for lead in ahead}
    dominant = leaders.pop() if len(leaders) == 1 else None
    return Dominance(models=names, dominant=dominant, crossings=crossings, leads=leads)
