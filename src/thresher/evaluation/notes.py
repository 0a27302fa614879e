"""Notes that hold of an evaluation whatever is read from it: assumptions, dropped rows, designs that fall short."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import Note, keyword, of_each_model
from thresher.evaluation.assumptions import ASSUMED, COUNTED
from thresher.evaluation.estimate import treatment_of
from thresher.evaluation.intervals import draws_clusters
from thresher.evaluation.within_folds import NOTE, folds_used, has_fits, whole_folds
from thresher.inference.comparing.compare import of_rows

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation


def remarks(evaluation: Evaluation) -> tuple[Note, ...]:
    """Notes that need no measure; a report adds those on the measures and comparisons that it shows."""
    said = list(evaluation.predictions.notes)
    labelled = evaluation.predictions.predicted
    scored = [m for m in evaluation.values() if m.name not in labelled]
    assumed = [m.name for m in scored if m.threshold_reason.code == ASSUMED]
    if assumed:
        why = "threshold 0.5 was assumed because every score is in [0, 1]; "
        said.append(Note(ASSUMED, why, keyword("threshold", "…"), " sets another"))
    counted = {m.name: m.threshold_reason for m in scored if m.threshold_reason.code == COUNTED}
    for cut in dict.fromkeys(counted.values()):
        of = [name for name, each in counted.items() if each == cut]
        whose = "" if len(of) == len(evaluation) else f" for {' and '.join(of)}"
        said.append(Note(COUNTED, f"threshold {cut}, is taken{whose}; ", keyword("threshold", "…"), " sets another"))
    if any(map(has_fits, evaluation.values())):
        kept, left_out = whole_folds(evaluation.predictions)
        used = folds_used(len(kept), left_out)
        said += [NOTE, "ranking measures: " + used] if used is not None and kept else [NOTE]
    said += of_each_model({name: model.remarks for name, model in evaluation.items()})
    return tuple(dict.fromkeys([*said, *(replace(warning, where="").note for warning in design_warnings(evaluation))]))


def design_warnings(evaluation: Evaluation) -> tuple[DesignWarning, ...]:
    """Warnings on the rows, for every measure; estimates and comparisons have further ones of their own."""
    models = evaluation.values()
    found = [w for m in models for w in of_rows(m.predictions, draws_clusters=draws_clusters(m))]
    found += [w for m in models for w in treatment_of(m.predictions).warnings(m)]
    return distinct(found)
