"""`ConfusionMatrixDisplay`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from thresher.displays.answers import is_classifier, passed_on
from thresher.displays.curves import take_axes
from thresher.metrics.confusion import confusion_matrix as count
from thresher.metrics.inputs import as_vector, encode, target_type
from thresher.plot.looks import styled
from thresher.predictions.class_tables import class_table


class ConfusionMatrixDisplay:
    """A confusion matrix, rows truth and columns prediction, as `sklearn.metrics.ConfusionMatrixDisplay` draws it.

    A dataframe whose rows and columns are named by class goes by its names, which are its labels too.

    After `plot`, `im_` is the picture, `text_` the array of its texts (None without), `ax_` and `figure_` where it is.

    >>> ConfusionMatrixDisplay(np.array([[5, 1], [2, 4]]), display_labels=["well", "ill"]).display_labels
    ['well', 'ill']
    """

    im_: Any
    text_: Any
    ax_: Any
    figure_: Any

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        self.confusion_matrix = confusion_matrix
        self.display_labels = display_labels

    def plot(
        self,
        *,
        include_values: bool = True,
        cmap: Any = "viridis",
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Any = None,
        text_kw: Any = None,
    ) -> Self:
        """Draw the matrix, on `ax` or on a new figure.

        Args:
            include_values: whether to write the values in the cells.
            cmap: matplotlib's name of the shades.
            xticks_rotation: "horizontal", "vertical" or degrees.
            values_format: how values are written; by default whole numbers, or two digits where that is shorter.
            ax: matplotlib axes.
            colorbar: whether to draw the scale of the shades.
            im_kw: options of matplotlib's `imshow`.
            text_kw: options of the texts.

        Raises:
            MissingDependencyError: matplotlib is not installed.
        """
        named, names = class_table(self.confusion_matrix, "counts"), self.display_labels
        matrix = named.squared()
        k = len(matrix)
        names = named.labels() if names is None and named.is_named else names
        take_axes(self, ax)
        self.im_ = self.ax_.imshow(matrix, **{"interpolation": "nearest", "cmap": cmap, **(im_kw or {})})
        self.text_ = self._values(matrix, values_format, text_kw) if include_values else None
        if colorbar:
            self.figure_.colorbar(self.im_, ax=self.ax_)
        names = np.arange(k) if names is None else names
        self.ax_.set_xticks(range(k), names, rotation=xticks_rotation)
        self.ax_.set_yticks(range(k), names)
        self.ax_.set(xlabel="Predicted label", ylabel="True label", ylim=(k - 0.5, -0.5))
        return self

    def _values(self, matrix: Any, form: str | None, given: Any) -> Any:
        """Write every value, in the shade that stands out from its cell's."""
        middle = (matrix.max() + matrix.min()) / 2.0
        dark, light = self.im_.cmap(0), self.im_.cmap(1.0)
        texts = np.empty(matrix.shape, dtype=object)
        for (i, j), value in np.ndenumerate(matrix):
            look = {
                "horizontalalignment": "center",
                "verticalalignment": "center",
                "color": light if value < middle else dark,
            }
            texts[i, j] = self.ax_.text(j, i, _written(value, form), **styled(look, given, "text.Text"))
        return texts

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: Any = None,
        display_labels: Any = None,
        include_values: bool = True,
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        cmap: Any = "viridis",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Any = None,
        text_kw: Any = None,
    ) -> Self:
        """Draw the confusion matrix of a fitted classifier on test rows; options as for `from_predictions`.

        Raises:
            ValueError: the estimator is no classifier, and what `from_predictions` raises.
        """
        if not is_classifier(estimator):
            raise ValueError(f"{cls.__name__}.from_estimator only supports classifiers")
        return cls.from_predictions(y, estimator.predict(X), **passed_on(locals()))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: Any = None,
        display_labels: Any = None,
        include_values: bool = True,
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        cmap: Any = "viridis",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Any = None,
        text_kw: Any = None,
    ) -> Self:
        """Draw the confusion matrix of predicted labels.

        Args:
            y_true: truth of each row.
            y_pred: predicted label of each row.
            labels: labels to show, in their order; by default all, sorted.
            sample_weight: weight of each row.
            normalize: "true" for shares of each row, "pred" of each column, "all" of everything.
            display_labels: names of the labels.
            include_values, xticks_rotation, values_format, cmap, ax, colorbar, im_kw, text_kw: as for `plot`.

        Raises:
            ValueError: labels of one column and numbers in the other, columns of different lengths, no such
                `normalize`.
            MissingDependencyError: matplotlib is not installed.
        """
        if display_labels is None:
            display_labels = _all_labels(y_true, y_pred) if labels is None else labels
        matrix = count(y_true, y_pred, sample_weight=sample_weight, labels=labels, normalize=normalize)
        return cls(matrix, display_labels=display_labels).plot(
            include_values=include_values,
            cmap=cmap,
            ax=ax,
            xticks_rotation=xticks_rotation,
            values_format=values_format,
            colorbar=colorbar,
            im_kw=im_kw,
            text_kw=text_kw,
        )


def _written(value: Any, form: str | None) -> str:
    if form is not None:
        return format(value, form)
    short = format(value, ".2g")
    whole = short if isinstance(value, np.floating) else format(value, "d")
    return min(short, whole, key=len)


def _all_labels(y_true: Any, y_pred: Any) -> Any:
    """Labels of both columns, sorted.

    Raises:
        ValueError: one holds labels and the other does not.
    """
    kinds = {target_type(values).replace("binary", "multiclass") for values in (y_true, y_pred)}
    if len(kinds) > 1:
        raise ValueError(f"Mix type of y not allowed, got types {kinds}")
    found = [encode(as_vector(values, name))[0] for values, name in ((y_true, "y_true"), (y_pred, "y_pred"))]
    return np.unique(np.concatenate(found))
