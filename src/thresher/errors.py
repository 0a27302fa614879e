"""Every error thresher raises on purpose: a sentence that says what was wrong, where, and what to do.

All derive from `ThresherError`, so that one `except` serves; each is also the built-in exception that
a caller would expect (`ValueError`, `AttributeError`, `ImportError`).
"""

from __future__ import annotations

from thresher.sentences import Sentence

__all__ = [
    "ArgumentError",
    "FitError",
    "InputError",
    "InterruptedWarning",
    "MissingDependencyError",
    "MissingNameError",
    "OptionError",
    "RowsNeededError",
    "SavedFormError",
    "TaskError",
    "ThresherError",
    "UndefinedError",
    "UndefinedMeasureWarning",
    "UnknownMeasureError",
]


class ThresherError(Exception):
    """The root of all errors that thresher raises on purpose.

    `sentence` is what it says; of a `Sentence` the keywords that it speaks of are fields. `parameter` is the first of
    them, None where it speaks of none.
    """

    @property
    def sentence(self) -> str:
        """What it says, with the fields that it was made with."""
        given = self.args[0] if len(self.args) == 1 else None
        return given if isinstance(given, str) else str(self)

    @property
    def parameter(self) -> str | None:
        """Name of the parameter that it is about.

        >>> import thresher as th
        >>> try:
        ...     th.evaluate(["a", "b"], [0.1, 0.9])
        ... except ThresherError as error:
        ...     error.parameter
        'positive'
        """
        return next(iter(self.keywords), None)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names of the keywords that it speaks of."""
        return self.sentence.keywords if isinstance(self.sentence, Sentence) else ()


class InputError(ThresherError, ValueError):
    """The data cannot be evaluated as they are: names the column, the first row, and the way out."""


class OptionError(ThresherError, ValueError):
    """An option has a value that it does not take: names the option and the values it does take."""


class ArgumentError(OptionError, TypeError):
    """A call has an argument that the function does not take, or lacks one that it needs: says what it takes."""


class UnknownMeasureError(ThresherError, KeyError):
    """No measure has this name: offers the nearest names."""

    def __str__(self) -> str:
        # KeyError would show the sentence in quotes.
        return str(self.args[0])


class MissingNameError(ThresherError, KeyError):
    """A mapping has nothing of this name: lists the names that it has."""

    def __str__(self) -> str:
        return str(self.args[0])


class UndefinedError(ThresherError, ArithmeticError):
    """A measure is 0/0 on these counts and the caller asked for `undefined="raise"`."""


class TaskError(ThresherError, AttributeError):
    """An attribute belongs to another task (binary, multiclass, labels, multilabel) than this one."""


class RowsNeededError(ThresherError, TypeError):
    """The operation needs the rows, and only counts are left."""


class SavedFormError(ThresherError, ValueError):
    """A saved value is damaged, of another kind, or of a schema version that this release cannot read."""


class MissingDependencyError(ThresherError, ImportError):
    """An optional package is needed: says which, and the command that installs it."""


class FitError(ThresherError, RuntimeError):
    """An estimator raised an exception while it was fitted or predicted: names the model and the fold."""


class InterruptedWarning(UserWarning):
    """A long run was interrupted; what was done until then is kept and returned."""


class UndefinedMeasureWarning(UserWarning):
    """A measure is 0/0 on these counts and the caller asked for `undefined="warn"`."""


def quoted(value: object, most: int = 60) -> str:
    """A value as a sentence shows it: as it is written in Python, cut when it is long.

    >>> quoted("ill"), quoted("x" * 100, most=5)
    ("'ill'", "'xxxx…")
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        text = f"a {type(value).__name__} that is too long to write"
    return text if len(text) <= most else f"{text[:most]}…"
