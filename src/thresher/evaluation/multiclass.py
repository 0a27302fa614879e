"""What is known about one model that gives a posterior for every class."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.conventions import resolve_undefined
from thresher.counts.loss_sums import LossSums
from thresher.errors import MissingNameError, OptionError, TaskError
from thresher.evaluation.measured import to_resample
from thresher.frames import to_frame
from thresher.inference import loss_sums_interval, volume_interval
from thresher.inference.measured import summary
from thresher.inference.multiclass_auc import READ
from thresher.measures import Measure
from thresher.measures.averaging import class_averages, split_average
from thresher.measures.posteriors import GUESSES, guesses_of, of_posteriors
from thresher.multiclass import loss_sums, posterior_volume, top_k_accuracy
from thresher.predictions.posteriors import tied_rows
from thresher.results import NO_INTERVAL, Estimate, estimate_columns

if TYPE_CHECKING:
    from thresher.evaluation.model import ModelEvaluation

LARGEST = "the class of the largest posterior is decided for (of tied ones the first), so no threshold applies"
"""Why a model with posteriors has no threshold."""

ONE_CLASS = "decided by the largest posterior among all classes, not by a threshold on this one"

OF_CLASS = ("recall", "precision", "f1")
RANKING = ("hand_till", "macro_auc", "weighted_auc", "micro_auc")
LOSSES = ("log_loss", "brier_score")
CLASSWISE = 100
"""Classes up to which the classwise calibration error is computed unasked: it sorts the rows for each of them."""

SURFACE = 3
"""Classes up to which the volume under the surface is computed unasked."""


def measures_of(model: ModelEvaluation) -> dict[str, Estimate]:
    """Every measure by name: those of the posteriors first, then those of the decisions."""
    k = len(model.predictions.classes)
    names = [*RANKING, *(["vus"] if k == SURFACE else []), *LOSSES]
    names += ["top_label_ece", *(["classwise_ece"] if k <= CLASSWISE else [])]
    names += [f"top_{guesses}_accuracy" for guesses in GUESSES if guesses < k]
    sums = _all_sums(model)
    found = {name: _value(model, entry, sums) for name in names if (entry := of_posteriors(name))}
    found = _resampled(model, found)
    matrix = model.confusion_matrix
    if matrix is None:
        raise TaskError(f"{model.name!r} has posteriors and yet no decisions.")
    return found | _resampled(
        model, summary(matrix, **model.matrix_options) | class_averages(matrix, **model.matrix_options)
    )


def estimate_of(model: ModelEvaluation, name: str) -> Estimate | None:
    """Estimate of a measure of posteriors, or of an average over the classes; None for another name.

    Raises:
        TaskError: the measure belongs to a task of several classes, and the model's is another one.
    """
    how, rest = split_average(name)
    entry = of_posteriors(name)
    if entry is not None and model.task == "multiclass":
        return _resampled(model, {entry.name: _value(model, entry)})[entry.name]
    if entry is not None and not (model.task in ("binary", "labels") and entry.name in LOSSES):
        raise TaskError(f"{entry.title} belongs to a multiclass task, and {model.name!r} is {model.task}.")
    if how and model.confusion_matrix is not None:
        found: Estimate = model.confusion_matrix.average(rest, how=how, **model.matrix_options)
        several = len(model.predictions.classes) > 2
        return _resampled(model, {found.name: found})[found.name] if several else found
    return None


def _value(model: ModelEvaluation, entry: Measure, sums: Mapping[str, LossSums] | None = None) -> Estimate:
    """Value of one measure of posteriors, with its analytic interval where there is one; `sums` are reused."""
    if entry.name in READ:
        found = model.auc_estimates[entry.name]
    elif entry.name == "vus":
        found = replace(volume_interval(posterior_volume(model.posteriors), level=model.level), name=entry.name)
    elif entry.group == "guesses" or entry.name in LOSSES:
        known = _sums(model, entry.name) if sums is None else sums[entry.name]
        found = loss_sums_interval(known, entry.name, bounds=entry.bounds, level=model.level)
    else:
        found = Estimate(name=entry.name, value=float(entry(model.posteriors)), n=model.n, reason=NO_INTERVAL)
    if not math.isnan(found.value):
        return found
    reason = found.reason or "a class has no rows"
    return replace(found, value=resolve_undefined(found.value, model.undefined, entry.title, reason), reason=reason)


def _all_sums(model: ModelEvaluation) -> dict[str, LossSums]:
    """Sums of everything shown unasked that is a mean over rows; the rows are ranked once."""
    sums: dict[str, LossSums] = dict(loss_sums(model.posteriors))
    credit = top_k_accuracy(model.posteriors, k=GUESSES)
    return sums | {f"top_{k}_accuracy": each for k, each in credit.items()}


def _sums(model: ModelEvaluation, name: str) -> LossSums:
    """Sums of what each row adds to a mean."""
    guesses = guesses_of(name)
    if guesses is None:
        losses: LossSums = loss_sums(model.posteriors)[name]
        return losses
    if guesses >= len(model.predictions.classes):
        raise OptionError(f"top_{guesses}_accuracy is 1 with {len(model.predictions.classes)} classes.")
    credit: LossSums = top_k_accuracy(model.posteriors, k=guesses)[guesses]
    return credit


def row_values(model: ModelEvaluation, name: str) -> Any:
    """What each row adds to a measure that is a mean over rows, (n,); None for another measure."""
    from thresher.multiclass.losses import brier_losses, log_losses
    from thresher.multiclass.top_k import class_ranks, shared_credit

    rows = model.posteriors
    if (guesses := guesses_of(name)) is not None:
        return shared_credit(*class_ranks(rows.codes, rows.matrix), guesses)
    losses = {"log_loss": log_losses, "brier_score": brier_losses}
    return losses[name](rows) if name in losses else None


def _resampled(model: ModelEvaluation, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Estimates, those without an analytic interval with one from the bootstrap when it was asked for."""
    if not (bare := to_resample(model, found)):
        return found
    from thresher.evaluation.class_bootstrap import resampled_estimates

    return found | resampled_estimates(model, {name: found[name] for name in bare})


def notes_of(model: ModelEvaluation) -> list[str]:
    """What a reader must know about the numbers of one model."""
    rows = model.predictions
    said = []
    if model.name not in rows.predicted and (ties := tied_rows(rows.posteriors[model.name])):
        what = "row has its largest posterior" if ties == 1 else "rows have their largest posterior"
        said.append(
            f"{ties:,} {what} in several classes; the first of them, in the order of the labels, is decided for"
        )
    absent = [label for label, count in zip(rows.classes, rows.class_rows.tolist(), strict=True) if not count]
    if absent:
        shown = ", ".join(map(repr, absent[:5])) + (", …" if len(absent) > 5 else "")
        verb = "class {} has" if len(absent) == 1 else "classes {} have"
        said.append(
            f"{verb.format(shown)} no rows, so what is about {'it' if len(absent) == 1 else 'them'} is undefined"
        )
    return said


class ClassViews(Mapping[Hashable, "ModelEvaluation"]):
    """Each class against the rest as the evaluation of one binary model, made when it is asked for and not kept.

    A text finds the label that reads so. The decisions are those among all classes, so that recall and precision of a
    class are those of its row and column of the confusion matrix; curves, areas and thresholds are of its posterior.
    """

    def __init__(self, model: ModelEvaluation) -> None:
        self._model = model

    def __getitem__(self, label: Hashable) -> ModelEvaluation:
        labels = self._model.predictions.classes
        found = [code for code, known in enumerate(labels) if known == label]
        found = found or [code for code, known in enumerate(labels) if str(known) == str(label)]
        if not found:
            shown = ", ".join(map(repr, labels[:20])) + (", …" if len(labels) > 20 else "")
            raise MissingNameError(f"there is no class {label!r}; the classes are {shown}.")
        return _view(self._model, found[0])

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._model.predictions.classes)

    def __len__(self) -> int:
        return len(self._model.predictions.classes)

    def to_frame(self) -> Any:
        """One row per class and measure (recall, precision, F1, ROC AUC), in the user's dataframe library."""
        model, found = self._model, dict[str, Mapping[Hashable, Estimate]]()
        matrix = model.confusion_matrix
        if matrix is not None:
            found |= {name: matrix.average(name, how="none", **model.matrix_options) for name in OF_CLASS}
            found["auc"] = model.auc_estimates.one_vs_rest
        else:
            scored = ("auc",) if model.name in model.predictions.posteriors else ()
            for name in (*OF_CLASS, *scored):
                found[name] = {label: getattr(view, name) for label, view in self.items()}
        rows = [(label, name, found[name][label]) for label in self for name in found]
        owners = {"class": [str(label) for label, _, _ in rows], "measure": [name for _, name, _ in rows]}
        return to_frame(owners | estimate_columns(e for _, _, e in rows), model.predictions.backend)

    def __repr__(self) -> str:
        return f"<{len(self)} classes of {self._model.name!r}, each against the rest>"


def _view(model: ModelEvaluation, code: int) -> ModelEvaluation:
    """One class against the rest, or one label of several that a row may have."""
    rows, label = model.predictions, model.predictions.classes[code]
    name = f"{model.name}: {label}"
    if model.task == "multilabel":
        return _label_view(model, code, name)
    binary = replace(
        rows,
        truth=(rows.truth == code).astype(np.uint8),
        classes=(f"not {label}", label),
        task="binary" if model.name in rows.posteriors else "labels",
        scores={name: rows.posteriors[model.name][:, code]} if model.name in rows.posteriors else {},
        posteriors={},
        predicted={name: (model.decided == code).astype(np.uint8)},
        notes=(),
    )
    return replace(model, name=name, predictions=binary, threshold=None, threshold_reason=ONE_CLASS)


def _label_view(model: ModelEvaluation, code: int, name: str) -> ModelEvaluation:
    """One label: whether a row has it."""
    rows, label = model.predictions, model.predictions.classes[code]
    scored, decided = model.name in rows.posteriors, model.name in rows.predicted
    binary = replace(
        rows,
        truth=rows.truth[:, code],
        classes=(f"not {label}", label),
        task="binary" if scored else "labels",
        scores={name: rows.posteriors[model.name][:, code]} if scored else {},
        posteriors={},
        predicted={name: rows.predicted[model.name][:, code]} if decided else {},
        notes=(),
    )
    return replace(model, name=name, predictions=binary)
