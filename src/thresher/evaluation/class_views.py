"""Each class of several, or each label, against the rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from thresher.errors import MissingNameError
from thresher.evaluation.class_tasks import one_class
from thresher.evaluation.estimate import estimate_of
from thresher.evaluation.subject import Subject
from thresher.measures.shown import OF_CLASS
from thresher.predictions.judged import JudgedLabels
from thresher.results import Estimate, estimate_columns, to_frame
from thresher.upward_import import plot_method

if TYPE_CHECKING:
    pass

S = TypeVar("S", bound=Subject)


class ClassViews(Mapping[Hashable, S], Generic[S]):
    """Each class against the rest as the evaluation of one binary model, made on each access and not kept.

    A text finds the label that reads so. The decisions are those among all classes, so that recall and precision of a
    class come from its row and column of the confusion matrix; curves, areas and thresholds are of its posterior.
    """

    plot = plot_method

    def __init__(self, model: S) -> None:
        self._model = model

    def __getitem__(self, label: Hashable) -> S:
        labels = self._model.labels
        found = [code for code, known in enumerate(labels) if known == label]
        found = found or [code for code, known in enumerate(labels) if str(known) == str(label)]
        if not found:
            shown = ", ".join(map(repr, labels[:20])) + (", …" if len(labels) > 20 else "")
            raise MissingNameError(f"there is no class {label!r}; the classes are {shown}.")
        return one_class(self._model, found[0])

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._model.labels)

    def __len__(self) -> int:
        return len(self._model.labels)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per class and measure (recall, precision, F1, ROC AUC), in the user's dataframe library.

        `backend` names another.
        """
        model, found = self._model, dict[str, Mapping[Hashable, Estimate]]()
        matrix = model.confusion_matrix
        if matrix is not None and not isinstance(model.rows.partial_labels, JudgedLabels):
            found |= {name: matrix.average(name, how="none", **model.matrix_options) for name in OF_CLASS}
            found["auc"] = areas_of_classes(model)
        else:
            scored = ("auc",) if model.name in model.rows.posteriors else ()
            for name in (*OF_CLASS, *scored):
                found[name] = {label: estimate_of(view, name) for label, view in self.items()}
        rows = [(label, name, found[name][label]) for label in self for name in found]
        owners = {"class": [str(label) for label, _, _ in rows], "measure": [name for _, name, _ in rows]}
        return to_frame(owners | estimate_columns(e for _, _, e in rows), backend or model.rows.backend)

    def __repr__(self) -> str:
        return f"<{len(self)} classes of {self._model.name!r}, each against the rest>"


def areas_of_classes(model: Subject) -> dict[Hashable, Estimate]:
    """AUC of each class against the rest, by label; of rows in clusters as each class alone has it."""
    if model.cluster is None:
        return model.areas_of_rows.one_vs_rest
    return {label: estimate_of(view, "auc") for label, view in ClassViews(model).items()}
