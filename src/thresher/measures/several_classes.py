"""Measures of posteriors of every class, and of decisions about rows that may have several labels each."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats, divide
from thresher.counts.cells import Cells, LabelCounts
from thresher.errors import TaskError
from thresher.measures.averaging import AVERAGES
from thresher.measures.conditions import NO_ROWS
from thresher.measures.registry import Measure, cached_until_changed, known, measure, spelling, statistic_of
from thresher.measures.shown import AREAS, OF_LABELS
from thresher.upward_import import upward_import

ABSENT = "a class is empty"
"""When an average over pairs of classes is undefined."""

GUESSES = (2, 3, 5)
"""Numbers of guesses with an accuracy shown by default, if below the number of classes."""

TOP_K = re.compile(r"top_([1-9]\d*)_accuracy", re.ASCII)


def areas(p: Any) -> Any:
    """Return the AUCs of all pairs of classes, of posteriors or as they are."""
    return p if hasattr(p, "hand_till") else upward_import("formulas").conditional_auc(p)


# A measure's row of data stays a row.
# fmt: off


@measure("m", "hand till m", "auc ovo", text="mean over ordered pairs k ≠ l of AUC(k given l)", needs="posteriors",
         title="Hand–Till M", group="ranking", undefined=(ABSENT,), neutral=0.5, source="Hand & Till 2001")
def hand_till(p: Any) -> Any:
    """Mean AUC of every class against every other by the posterior of the first; it does not depend on how frequent
    the classes are, and ½ is chance.
    """
    return areas(p).hand_till


@measure(text="mean over ordered pairs k ≠ l of AUC(k given l), weighted by the rows of k and l", needs="posteriors",
         title="weighted Hand–Till M", group="ranking", neutral=0.5, source="Hand & Till 2001")
def hand_till_weighted(p: Any) -> Any:
    """Mean AUC of every class against every other, frequent classes counting more."""
    return areas(p).hand_till_weighted


@measure("auc ovr", "macro roc auc", text="mean over classes k of AUC(k against the rest)", needs="posteriors",
         title="macro ROC AUC", group="ranking", undefined=(ABSENT,), neutral=0.5, source="Fawcett 2006")
def macro_auc(p: Any) -> Any:
    """Mean AUC of each class against all others, every class counting the same."""
    return areas(p).macro


@measure("weighted roc auc", "provost domingos", text="Σ_k (n_k/n)·AUC(k against the rest)", needs="posteriors",
         title="weighted ROC AUC", group="ranking", neutral=0.5, source="Provost & Domingos 2001")
def weighted_auc(p: Any) -> Any:
    """Mean AUC of each class against all others, weighted by the rows of the class."""
    return areas(p).weighted


@measure("micro roc auc", text="AUC of all n·K posteriors together, true classes against all others",
         needs="posteriors", title="micro ROC AUC", group="ranking", neutral=0.5, source="Fawcett 2006")
def micro_auc(p: Any) -> Any:
    """Chance that the posterior of a true class is above one of a wrong class, in whatever rows."""
    return areas(p).micro


@measure("posterior volume", "volume under the surface", needs="posteriors", undefined=(ABSENT,),
         text="Pr(the most probable assignment of one row of each class is the true one)",
         title="volume under the ROC surface", group="ranking", source="Mossman 1999")
def vus(p: Any) -> Any:
    """Share of triples with one row of each class whose assignment to the classes with the largest sum of posteriors
    is the true one; 1/6 is chance.
    """
    return upward_import("formulas").posterior_volume(p).value


@measure("logloss", "cross entropy", text="mean of −ln p(true class)", needs="posteriors", bounds=(0.0, math.inf),
         better="lower", group="probabilities", source="Good 1952")
def log_loss(p: Any) -> Any:
    """Mean negative logarithm of the posterior of the true class; infinite when one of them is 0."""
    return mean(upward_import("formulas").log_losses(p), p.weights)


@measure("brier", text="mean of Σ_k (p_k − y_k)²", needs="posteriors", bounds=(0.0, 2.0), better="lower",
         title="Brier score", group="probabilities", source="Brier 1950")
def brier_score(p: Any) -> Any:
    """Mean squared distance of the posteriors from the truth, summed over the classes: twice the Brier score of two
    classes when there are two.
    """
    return mean(upward_import("formulas").brier_losses(p), p.weights)


@measure(text="Σ_bins (n_b/n)·|share right − mean largest posterior|", needs="posteriors", better="lower",
         title="top-label ECE", group="probabilities", source="Guo et al. 2017")
def top_label_ece(p: Any) -> Any:
    """Expected calibration error of the largest posterior as the probability that the decision is right."""
    return upward_import("formulas").top_label_calibration_error(p.codes, p.matrix, weights=p.weights)


@measure(text="mean over classes of the ECE of the class's posterior", needs="posteriors", better="lower",
         title="classwise ECE", group="probabilities", source="Kull et al. 2019")
def classwise_ece(p: Any) -> Any:
    """Mean expected calibration error of the posteriors of each class."""
    return upward_import("formulas").classwise_calibration_error(p.codes, p.matrix, weights=p.weights)


# fmt: on


def mean(values: Any, weights: Any) -> float:
    """Average terms over rows."""
    return float(values.mean() if weights is None else divide(weights @ values, weights.sum()))


def of_posteriors(name: str) -> Measure | None:
    """Find a measure of posteriors by name or alias, top-k accuracies for any k included; else None.

    >>> of_posteriors("Hand–Till").name, of_posteriors("top_4_accuracy").title, of_posteriors("recall")
    ('hand_till', 'top-4 accuracy', None)
    """
    found = known(name, "posteriors")
    guesses = None if found is not None else guesses_of(name)
    return found if guesses is None else top_k_accuracy(guesses)


def guesses_of(name: str) -> int | None:
    """Return the number of guesses of a top-k accuracy; None for another measure.

    >>> guesses_of("top_3_accuracy"), guesses_of("second guess"), guesses_of("accuracy")
    (3, 2, None)
    """
    key = name.strip().lower().replace(" ", "_").replace("-", "_")
    found = TOP_K.fullmatch("top_2_accuracy" if key == "second_guess" else key)
    return None if found is None else int(found[1])


@cache
def top_k_accuracy(k: int) -> Measure:
    """Make the top-k accuracy of one k; the family is endless, so it is not registered."""

    def credit(p: Any) -> Any:
        """Accuracy when {} guesses are allowed; classes tied across the cut share the credit."""
        formulas = upward_import("formulas")
        return mean(formulas.shared_credit(*formulas.class_ranks(p.codes, p.matrix), k), p.weights)

    credit.__doc__ = (credit.__doc__ or "").format(k)
    return Measure(
        name=f"top_{k}_accuracy",
        title=f"top-{k} accuracy",
        formula=credit,
        text=f"share of rows whose true class is among the {k} of largest posterior",
        aliases=("second_guess",) if k == GUESSES[0] else (),
        needs="posteriors",
        group="guesses",
        source="Fawcett 2006",
        remake=(top_k_accuracy, (k,)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class LabelSets:
    """Truth and decisions of one model as tables of 0 and 1, (n, L), and weights of the rows."""

    truth: NDArray[Any]
    decided: NDArray[Any]
    weights: Floats | None = None

    @property
    def different(self) -> Floats:
        """Share of the labels of each row that are decided wrongly, (n,)."""
        return np.asarray((self.truth != self.decided).mean(axis=1))

    def cells(self) -> Cells:
        """Return the four cells of every label, (L,)."""
        return LabelCounts.of_indicators(self.truth, self.decided, self.weights).cells

    def row_cells(self) -> Cells:
        """Return the four cells of every row over its labels, (n,)."""
        return LabelCounts.of_indicators(self.truth, self.decided, None, samplewise=True).cells


@measure(
    "exact match ratio", "accuracy", text="share of rows with every label right", needs="label sets", group="guesses",
    undefined=(NO_ROWS,), source="Tsoumakas & Katakis 2007",
)  # fmt: skip
def subset_accuracy(s: LabelSets) -> float:
    """Share of the rows with all labels right, none missing and none too many."""
    return mean((s.different == 0).astype(np.float64), s.weights)


@measure(
    "error rate", text="mean over rows of the share of labels decided wrongly", needs="label sets", group="guesses",
    title="Hamming loss", better="lower", undefined=(NO_ROWS,), source="Schapire & Singer 2000",
)  # fmt: skip
def hamming_loss(s: LabelSets) -> float:
    """Share of all entries, a row and a label each, that are decided wrongly."""
    return mean(s.different, s.weights)


@dataclass(frozen=True, slots=True)
class LabelAverage:
    """Mean over rows of a measure of the labels of each, or an average over labels of the areas of their scores."""

    entry: Measure
    is_of_rows: bool

    def __call__(self, sets: LabelSets) -> float:
        if not self.is_of_rows:
            raise TaskError(f"an average of {self.entry.title} over labels needs their scores.")
        return mean(np.asarray(self.entry.on(statistic_of(self.entry, sets.row_cells()))), sets.weights)


@cached_until_changed
def of_label_sets(name: str) -> Measure | None:
    """Return the measure of rows that may have several labels by its name; None where there is none.

    >>> of_label_sets("hamming_loss").title, of_label_sets("macro_average_precision").title, of_label_sets("auc")
    ('Hamming loss', 'macro average precision', None)
    """
    how, _, rest = spelling(name).partition("_")
    averaged = OF_LABELS if how == "samples" else AREAS if how in AVERAGES else ()
    entry = known(rest)
    own = next((each for each in averaged if entry is not None and known(each) is entry), None)
    if entry is None or own is None:
        return known(name, "label sets")
    over = "the labels of each row" if how == "samples" else "the labels"
    return Measure(
        name=f"{how}_{own}",
        title=f"{how} {entry.title_as(rest)}",
        formula=LabelAverage(entry, how == "samples"),
        text=f"{how} average of {entry.title} over {over}",
        needs="label sets",
        bounds=entry.bounds,
        source=entry.source,
        remake=(of_label_sets, (name,)),
    )
