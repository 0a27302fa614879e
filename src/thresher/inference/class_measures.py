"""Measures of a model that gives a posterior for every class: what each is, and its value on checked rows."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from thresher.errors import OptionError, TaskError, UnknownMeasureError
from thresher.measures import find
from thresher.measures.catalogue import fact_row
from thresher.measures.registry import spelling

if TYPE_CHECKING:
    from thresher.multiclass import ConditionalAuc

Block = Literal["ranking", "probabilities", "guesses", "decisions"]
INFINITY = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassMeasure:
    """One measure of posteriors; `of_auc` reads it from the AUCs of all pairs of classes, where it is one of them."""

    name: str
    title: str
    text: str
    summary: str
    block: Block
    bounds: tuple[float, float] = (0.0, 1.0)
    better: Literal["higher", "lower"] = "higher"
    source: str = ""
    of_auc: Callable[[ConditionalAuc], float] | None = None
    proportion: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> str:
        """What the measure reads: posteriors, or the K×K matrix of decisions."""
        return "matrix" if self.block == "decisions" else "posteriors"

    def __call__(self, *_counts: Any, **_parameters: Any) -> float:
        """Refuse counts: the measure is of rows of posteriors.

        Raises:
            TaskError: always.
        """
        raise TaskError(f"{self.title} is of several classes: read it from the evaluation of their posteriors.")

    def checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """No parameters; any is refused.

        Raises:
            OptionError: a parameter was given.
        """
        if given:
            raise OptionError(f"{self.title} does not take {next(iter(given))}=…; it takes no parameters.")
        return given


HAND_TILL = ClassMeasure(
    name="hand_till",
    title="Hand–Till M",
    text="mean over ordered pairs k ≠ l of AUC(k given l)",
    summary="Mean AUC of every class against every other by the posterior of the first; it does not depend on how "
    "frequent the classes are, and ½ is chance.",
    block="ranking",
    source="Hand & Till 2001",
    of_auc=lambda auc: auc.hand_till,
)
HAND_TILL_WEIGHTED = ClassMeasure(
    name="hand_till_weighted",
    title="weighted Hand–Till M",
    text="mean over ordered pairs k ≠ l of AUC(k given l), weighted by the rows of k and l",
    summary="Mean AUC of every class against every other, frequent classes counting more.",
    block="ranking",
    source="Hand & Till 2001",
    of_auc=lambda auc: auc.hand_till_weighted,
)
MACRO_AUC = ClassMeasure(
    name="macro_auc",
    title="macro ROC AUC",
    text="mean over classes k of AUC(k against the rest)",
    summary="Mean AUC of each class against all others, every class counting the same.",
    block="ranking",
    source="Fawcett 2006",
    of_auc=lambda auc: auc.macro,
)
WEIGHTED_AUC = ClassMeasure(
    name="weighted_auc",
    title="weighted ROC AUC",
    text="Σ_k (n_k/n)·AUC(k against the rest)",
    summary="Mean AUC of each class against all others, weighted by the rows of the class.",
    block="ranking",
    source="Provost & Domingos 2001",
    of_auc=lambda auc: auc.weighted,
)
MICRO_AUC = ClassMeasure(
    name="micro_auc",
    title="micro ROC AUC",
    text="AUC of all n·K posteriors together, those of true classes against all others",
    summary="Chance that the posterior of a true class lies above one of a wrong class, whatever rows they are of.",
    block="ranking",
    source="Fawcett 2006",
    of_auc=lambda auc: auc.micro,
)
VUS = ClassMeasure(
    name="vus",
    title="volume under the ROC surface",
    text="Pr(the most probable assignment of one row of each class is the true one)",
    summary="Share of triples with one row of each class whose assignment to the classes with the largest sum of "
    "posteriors is the true one; 1/6 is chance.",
    block="ranking",
    source="Mossman 1999",
)
LOG_LOSS = ClassMeasure(
    name="log_loss",
    title="log loss",
    text="mean of −ln p(true class)",
    summary="Mean negative logarithm of the posterior of the true class; infinite when one of them is 0.",
    block="probabilities",
    bounds=(0.0, INFINITY),
    better="lower",
    source="Good 1952",
)
BRIER = ClassMeasure(
    name="brier_score",
    title="Brier score",
    text="mean of Σ_k (p_k − y_k)²",
    summary="Mean squared distance of the posteriors from the truth, summed over the classes: twice the Brier score of "
    "two classes when there are two.",
    block="probabilities",
    bounds=(0.0, 2.0),
    better="lower",
    source="Brier 1950",
)
TOP_LABEL_ECE = ClassMeasure(
    name="top_label_ece",
    title="top-label ECE",
    text="Σ_bins (n_b/n)·|share right − mean largest posterior|",
    summary="Expected calibration error of the largest posterior as the probability that the decision is right.",
    block="probabilities",
    better="lower",
    source="Guo et al. 2017",
)
CLASSWISE_ECE = ClassMeasure(
    name="classwise_ece",
    title="classwise ECE",
    text="mean over classes of the ECE of the class's posterior",
    summary="Mean expected calibration error of the posteriors of each class.",
    block="probabilities",
    better="lower",
    source="Kull et al. 2019",
)

CLASS_MEASURES: dict[str, ClassMeasure] = {
    each.name: each
    for each in (
        HAND_TILL,
        HAND_TILL_WEIGHTED,
        MACRO_AUC,
        WEIGHTED_AUC,
        MICRO_AUC,
        VUS,
        LOG_LOSS,
        BRIER,
        TOP_LABEL_ECE,
        CLASSWISE_ECE,
    )
}
"""Measures of posteriors by name; top-k accuracies are found by `class_measure`."""

GUESSES = (2, 3, 5)
"""Numbers of guesses whose accuracy is shown unasked, those below the number of classes."""

_TOP_K = re.compile(r"top_([1-9]\d*)_accuracy")

ALIASES = {
    "m": "hand_till",
    "hand_till_m": "hand_till",
    "auc_ovo": "hand_till",
    "auc_ovr": "macro_auc",
    "macro_roc_auc": "macro_auc",
    "weighted_roc_auc": "weighted_auc",
    "micro_roc_auc": "micro_auc",
    "posterior_volume": "vus",
    "provost_domingos": "weighted_auc",
    "volume_under_the_surface": "vus",
    "logloss": "log_loss",
    "cross_entropy": "log_loss",
    "brier": "brier_score",
    "second_guess": "top_2_accuracy",
}


def class_measure(name: str) -> ClassMeasure | None:
    """Measure of posteriors of a name or alias; None when it is none.

    >>> class_measure("Hand–Till").name, class_measure("top_4_accuracy").title, class_measure("recall")
    ('hand_till', 'top-4 accuracy', None)
    """
    key = spelling(name)
    key = ALIASES.get(key, key)
    found = _TOP_K.fullmatch(key)
    return CLASS_MEASURES.get(key) if found is None else _top_k(int(found[1]))


AVERAGES = ("macro", "micro", "weighted")


def class_average(name: str) -> ClassMeasure | None:
    """Average of a measure of decisions over the classes, such as `macro_f1`; None for another name.

    >>> class_average("macro_recall").name, class_average("recall")
    ('macro_recall', None)
    """
    how, _, rest = spelling(name).partition("_")
    try:
        entry = find(rest) if how in AVERAGES and rest else None
    except UnknownMeasureError:
        return None
    if entry is None or entry.needs != "cells" or entry.needs_parameters:
        return None
    return ClassMeasure(
        name=f"{how}_{rest}",
        title=f"{how} {'F1' if rest == 'f1' else rest.replace('_', ' ')}",
        text=f"{how} average of {entry.title} over the classes",
        summary=f"{how.capitalize()} average of {entry.title}, each class against the rest.",
        block="decisions",
        bounds=entry.bounds,
        better="lower" if entry.better == "lower" else "higher",
        source=entry.source,
    )


def described(name: str) -> ClassMeasure:
    """Measure of posteriors of a name.

    Raises:
        UnknownMeasureError: there is none.
    """
    found = class_measure(name)
    if found is None:
        raise UnknownMeasureError(f"no measure of posteriors is called {name!r}: {', '.join(CLASS_MEASURES)}.")
    return found


def class_row(entry: ClassMeasure) -> dict[str, Any]:
    """A measure of posteriors as a row of the catalogue.

    >>> class_row(HAND_TILL)["range"], class_row(LOG_LOSS)["better"]
    ('0 to 1', 'lower')
    """
    aliases = [alias for alias, name in ALIASES.items() if name == entry.name]
    undefined = ["a class has no rows"] if entry.name in ("hand_till", "macro_auc", "vus") else []
    return fact_row(entry, aliases=aliases, undefined=undefined)


def nearest(name: str) -> str:
    """Hint at the names of posterior measures that a misspelled one is close to; empty when none is."""
    near = difflib.get_close_matches(name, [*CLASS_MEASURES, *ALIASES, "top_2_accuracy", "macro_f1"], n=3)
    return f" Of several classes there are {', '.join(near)}." if near else ""


def guesses_of(name: str) -> int | None:
    """Number of guesses of a top-k accuracy; None for another measure."""
    found = _TOP_K.fullmatch(name)
    return None if found is None else int(found[1])


def _top_k(k: int) -> ClassMeasure:
    return ClassMeasure(
        name=f"top_{k}_accuracy",
        title=f"top-{k} accuracy",
        text=f"share of rows whose true class is among the {k} of largest posterior",
        summary=f"Accuracy when {k} guesses are allowed; classes tied across the cut share the credit.",
        block="guesses",
        source="Fawcett 2006",
    )
