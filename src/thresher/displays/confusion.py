"""`ConfusionMatrixDisplay`."""

from __future__ import annotations

from typing import Any

from thresher.displays.scikit_learn import part_of_scikit_learn
from thresher.predictions.class_tables import class_table


class ConfusionMatrixDisplay(part_of_scikit_learn("metrics").ConfusionMatrixDisplay):  # type: ignore[misc]
    """A confusion matrix, rows truth and columns prediction, as `sklearn.metrics.ConfusionMatrixDisplay` draws it.

    A dataframe whose rows and columns are named by class goes by its names, which are its labels too.

    >>> import numpy as np
    >>> ConfusionMatrixDisplay(np.array([[5, 1], [2, 4]]), display_labels=["well", "ill"]).display_labels
    ['well', 'ill']
    """

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        named = class_table(confusion_matrix, "counts")
        if named.is_named and display_labels is None:
            display_labels = named.labels()
        super().__init__(named.squared(), display_labels=display_labels)
