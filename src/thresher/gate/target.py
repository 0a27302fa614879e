"""Checks that a model and its baseline can be compared: same classes, positive class, direction and rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher._util.jsonable import plain_text
from thresher.errors import InputError, keyword
from thresher.evaluation import ModelEvaluation

AS_NUMBERS = {"True": "1", "False": "0"}
"""Texts of boolean labels, which other files write as 1 and 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Class labels as text, the positive one, and the direction of the scores, of a model or a saved report."""

    classes: frozenset[str]
    positive: str | None
    direction: str | None

    @classmethod
    def of(cls, classes: Iterable[Any], positive: Any, direction: str | None) -> Target:
        """Return the target for labels of any type, as files and arrays hold the same label in several types."""
        texts = frozenset(map(_text, classes))
        named = None if positive is None else _text(positive)
        # The negative class of `rest="negative"` has no label of its own.
        return cls(classes=texts - {f"not {named}"}, positive=named, direction=direction)

    @classmethod
    def of_model(cls, model: ModelEvaluation) -> Target:
        """Return the target of an evaluated model."""
        return cls.of(model.labels, model.rows.positive, model.direction)


def check_same_target(new: Target, old: Target, baseline: str) -> None:
    """Check that a baseline has the same classes, positive class and direction.

    Raises:
        InputError: one of them differs.
    """
    if new.positive != old.positive:
        here, there = ("none" if each is None else repr(each) for each in (new.positive, old.positive))
        raise InputError(
            f"the positive class of {baseline} is {there}, and here it is {here}. Evaluate both with the same "
            + keyword("positive", "…") + "."
        )  # fmt: skip
    is_against_rest = new.positive is not None and 1 in (len(new.classes), len(old.classes))
    if new.classes != old.classes and not is_against_rest:
        here, there = (", ".join(map(repr, sorted(each.classes))) for each in (new, old))
        raise InputError(f"the classes of {baseline} are {there}, and here {here}. Evaluate both on the same classes.")
    if None not in (new.direction, old.direction) and new.direction != old.direction:
        raise InputError(
            f"the {old.direction} scores are positive in {baseline}, and the {new.direction} ones here. Evaluate both "
            "with the same " + keyword("direction", "…") + "."
        )


def check_same_rows(new: ModelEvaluation, old: ModelEvaluation) -> None:
    """Check that a baseline has the same rows, for a paired comparison; counts have their own check.

    Raises:
        InputError: the classes, the direction, the labels or the weights differ.
    """
    a, b = new.rows, old.rows
    if a is b or a.counts is not None or b.counts is not None:
        return
    baseline = f"the baseline {old.name!r}"
    check_same_target(Target.of_model(new), Target.of_model(old), baseline)
    if a.truth.shape != b.truth.shape:
        raise InputError(f"{baseline} has {len(b):,} rows, and here are {len(a):,}. Evaluate both on the same rows.")
    for what, here, there in (("label", a.truth, b.truth), ("weight", a.weights, b.weights)):
        if (here is None) != (there is None):
            raise InputError(f"only one of {new.name!r} and {baseline} is weighted. Give both the same weights.")
        if here is not None and there is not None and not np.array_equal(here, there):
            row = int(np.argmax((here != there).reshape(len(a), -1).any(axis=1)))
            raise InputError(
                f"row {row} (counted from 0) has another {what} in {baseline}. Evaluate both on the same rows."
            )


def _text(label: Any) -> str:
    text = plain_text(label)
    return AS_NUMBERS.get(text, text)
