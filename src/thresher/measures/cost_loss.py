"""Losses over costs of errors that are not known: the H-measure and the minimum weighted loss of a score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from thresher.conventions import Floats, divide
from thresher.counts.scores import ScoreTable
from thresher.counts.sweeps import cumulated
from thresher.errors import Note, OptionError
from thresher.measures.areas import KeptTogether, once_per_table, per_table
from thresher.measures.binomial import incomplete_beta
from thresher.measures.conditions import DOMAINS, NO_NEGATIVES, NO_POSITIVES, TABLE_CONDITIONS
from thresher.measures.registry import measure

DISTRIBUTIONS = ("hand_2009", "severity_ratio", "hand_anagnostopoulos_2014")
ONE_CLASS_SET = Note("set-prevalence", "the prevalence was set to 0 or 1")
TABLE_CONDITIONS[ONE_CLASS_SET] = lambda t: t.prior in (0, 1)
DOMAINS["'hand_2009', 'severity_ratio' or 'hand_anagnostopoulos_2014'"] = lambda value: value in DISTRIBUTIONS
Losses = tuple[float, float]
"""Of a score, and of the better of the two constant decisions."""
RATIO = {"severity_ratio": "a finite number > 0"}
USUAL = ("hand_anagnostopoulos_2014", None)
"""Distribution and severity ratio where none are named."""
NAME = {"distribution": "'hand_2009', 'severity_ratio' or 'hand_anagnostopoulos_2014'"}


def _keep(tables: Sequence[ScoreTable], distribution: str = USUAL[0], severity_ratio: float | None = None) -> None:
    usual_losses.keep(tables, distribution, severity_ratio)


# A measure's row of data stays a row.
# fmt: off


@measure("h", "hand measure", text="1 − ∫ Q(c)·u(c) dc / ∫ min(c(1 − π), (1 − c)π)·u(c) dc, u of Beta(1 + π, 2 − π)",
         needs="table", undefined=(NO_POSITIVES, NO_NEGATIVES, ONE_CLASS_SET), neutral=0.0, where=NAME | RATIO,
         title="H-measure", source="Hand 2009; Hand & Anagnostopoulos 2014")
@partial(per_table, together=_keep)
def h_measure(t: ScoreTable, distribution: str = USUAL[0],
              severity_ratio: float | None = None) -> float:
    """Share of the loss of constant decisions that a score saves, over costs that are the same for every score."""
    share = float(t.prevalence)
    if not t.P or not t.N or share in (0, 1):
        return math.nan
    return h_of(*usual_losses(t, distribution, severity_ratio))


@measure("mwl", text="min of 2·(c(1 − π)·FPR + (1 − c)π·FNR), c = SR/(1 + SR), SR = π/(1 − π)", needs="table",
         better="lower", bounds=(0.0, 0.5), undefined=(NO_POSITIVES, NO_NEGATIVES), where=RATIO,
         source="Hand & Anagnostopoulos 2014")
@per_table
def minimum_weighted_loss(t: ScoreTable, severity_ratio: float | None = None) -> float:
    """Least weighted loss over all thresholds: the error rate at a severity ratio of 1."""
    share = float(t.prevalence)
    return least_loss(*hull_rates(t), share, severity_ratio) if t.P and t.N else math.nan


# fmt: on


@once_per_table
def hull_rates(t: ScoreTable) -> tuple[Floats, Floats]:
    """Return the FPR and TPR of the hull's vertices, from (0, 0) to (1, 1)."""
    tp, fp = cumulated(t, t.hull_rows)
    return np.append(0.0, divide(fp, fp[-1])), np.append(0.0, divide(tp, tp[-1]))


def shape(distribution: str, prevalence: float, severity_ratio: float | None = None) -> tuple[float, float]:
    """Return the parameters of the Beta distribution of a name.

    >>> shape("hand_2009", 0.2), shape("severity_ratio", 0.2), shape("hand_anagnostopoulos_2014", 0.25)
    ((2.0, 2.0), (2.0, 5.0), (1.25, 1.75))
    """
    if severity_ratio is not None and distribution != "severity_ratio":
        raise OptionError(f"severity_ratio= goes with distribution='severity_ratio', not {distribution!r}.")
    check_severity(severity_ratio)
    if distribution == "hand_2009":
        return 2.0, 2.0
    if distribution == "severity_ratio":
        per = (1 - prevalence) / prevalence if severity_ratio is None else 1 / severity_ratio
        return 2.0, 1 + per
    return 1 + prevalence, 2 - prevalence


def check_severity(severity_ratio: float | None) -> None:
    """Check a ratio of costs."""
    if severity_ratio is not None and not 0 < severity_ratio < math.inf:
        raise OptionError(f"severity_ratio={severity_ratio!r}: a ratio of costs is a finite number > 0.")


@KeptTogether
def usual_losses(tables: Sequence[ScoreTable], distribution: str, severity_ratio: float | None) -> list[Losses]:
    """Compute the losses of hulls over a distribution of costs; NaN for a table of one class."""
    shares = [float(t.prevalence) if t.P and t.N else 0.0 for t in tables]
    read = [
        (*hull_rates(t), share, *shape(distribution, share, severity_ratio))
        for t, share in zip(tables, shares, strict=True)
        if 0 < share < 1
    ]
    found = iter(losses_of_each(read))
    return [next(found) if 0 < share < 1 else (math.nan, math.nan) for share in shares]


def losses(fpr: Floats, tpr: Floats, share: float, alpha: float, beta: float) -> Losses:
    """Compute the expected minimum loss of a hull at a prevalence, and of the trivial classifiers alone."""
    return losses_of_each([(fpr, tpr, share, alpha, beta)])[0]


def losses_of_each(hulls: Sequence[tuple[Floats, Floats, float, float, float]]) -> list[Losses]:
    """Compute `losses` of many hulls, each at its prevalence and by its distribution.

    A vertex is best for the c between the isotonic probabilities of its two edges, because the slope of a line of
    equal loss is (1 − π)c/(π(1 − c)). Over such an interval the integrals are differences of incomplete beta functions.
    """
    cuts, shapes = [], []
    for fpr, tpr, share, alpha, beta in hulls:
        gained = np.diff(tpr) * share
        probabilities = divide(gained, gained + np.diff(fpr) * (1 - share))
        # With no classifier nothing is predicted positive for c above π, and everything below.
        cuts += [np.concatenate([[1.0], probabilities, [0.0]]), np.array([1.0, share, 0.0])]
        shapes += [(alpha, beta)] * 2
    moments, found = iter(_moments(cuts, shapes)), []
    for (fpr, tpr, share, *_), (fp_cost, fn_cost), (fp_alone, fn_alone) in zip(hulls, moments, moments, strict=True):
        own = (1 - share) * fpr @ fp_cost + share * (1 - tpr) @ fn_cost
        found.append((float(own), float((1 - share) * fp_alone[1] + share * fn_alone[0])))
    return found


def h_of(loss: float, reference: float) -> float:
    """Compute 1 − loss/reference, kept in [0, 1] where rounding would leave it."""
    return min(max(1 - loss / reference, 0.0), 1.0)


def least_loss(fpr: Floats, tpr: Floats, share: float, severity_ratio: float | None) -> float:
    """Compute the least of 2·(c(1 − π)·FPR + (1 − c)π·FNR) over the vertices of a hull."""
    check_severity(severity_ratio)
    c = share if severity_ratio is None else severity_ratio / (1 + severity_ratio)
    return float(2 * (c * (1 - share) * fpr + (1 - c) * share * (1 - tpr)).min())


def _moments(cuts: Sequence[Floats], shapes: Sequence[tuple[float, float]]) -> Iterator[Floats]:
    """Return ∫ c·u(c) dc and ∫ (1 − c)·u(c) dc between neighboring cuts, which fall; u of Beta distributions."""
    if not cuts:
        return iter(())
    (alpha, beta), sizes = np.array(shapes).T, [each.size for each in cuts]
    a, b = np.stack([alpha + 1, alpha]), np.stack([beta, beta + 1])
    means = np.repeat(np.stack([alpha, beta]) / (alpha + beta), sizes, axis=1)
    found = means * incomplete_beta(a, b, np.concatenate(cuts), sizes)
    return (-np.diff(each) for each in np.split(found, np.cumsum(sizes)[:-1], axis=1))
