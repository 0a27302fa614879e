"""Columns of labels and scores: guessed when the user named none, and the names of classes and of their columns.

Only the command guesses, never the library, and it reports the guess. Names are matched whole and as written.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher.cli.exit import CommandError, as_flags
from thresher.cli.streams import say
from thresher.errors import Note

LABEL_NAMES = ("label", "target", "y", "y_true", "outcome", "truth", "class")
"""Names that mean the true label and nothing else."""

SCORE_NAMES = ("score", "y_score")
"""Names that mean a score even when every value is a whole number."""

SHOWN = 20
"""Columns that an error lists before it stops."""

_PART = "id|idx|index|key|row|rowid|folds?|split|groups?|subgroup|cluster|site|weights?|query|seed|repeat"
_NOT_A_SCORE = re.compile(rf"(.*[_ .-])?({_PART})([_ .-]?\d+)?", re.IGNORECASE)
_INTEGER = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|INT\d*)", re.IGNORECASE)
_FRACTION = re.compile(r"(FLOAT|DOUBLE|REAL|DECIMAL|NUMERIC|HALF)\w*(\(.*\))?", re.IGNORECASE)

PREFIX = "proba_"
"""Default prefix of the columns of posteriors before their class."""

GUESSED = "guessed"
"""Code of the note of a guess."""

Columns = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Guess:
    """A column and the note that says it was guessed."""

    column: str
    note: Note


def guess_label(columns: Columns, spoken_for: Mapping[str, str], where: str) -> Guess:
    """The one column with a name that means the label."""
    from thresher.readers.sql import OUT

    free = [name for name, _ in columns if name not in spoken_for]
    if set(OUT) <= set(free):
        raise CommandError(
            f"{where} is the result of the query that `thresher sql` prints. Count it first: thresher count --from-sql."
        )
    found = [name for name in free if name in LABEL_NAMES]
    if len(found) == 1:
        return _guess(found[0], "label", f"label={found[0]}", "--label")
    if found:
        raise CommandError(f"several columns of {where} may be the label: {listed(found)}; name one with --label.")
    raise CommandError(f"which column of {where} holds the true labels? Name it with --label; it has {listed(free)}.")


def guess_score(columns: Columns, spoken_for: Mapping[str, str], where: str) -> Guess:
    """Return the one numeric column without another part and with a name that may be a score.

    A column of whole numbers is not taken, unless it is called so, because subgroups and folds are such columns.
    """
    numeric = [(name, kind) for name, kind in columns if name not in spoken_for and is_numeric(kind)]
    found = [(name, kind) for name, kind in numeric if not _NOT_A_SCORE.fullmatch(name)]
    names = [name for name, _ in found]
    if not found:
        refused = [name for name, _ in numeric]
        seen = f"the numbers in {listed(refused)} do not look like scores" if refused else "no column left is numeric"
        raise CommandError(f"no column of {where} can be taken for a score ({seen}); name it with --score.")
    if len(found) > 1:
        raise CommandError(f"several columns of {where} may be scores: {listed(names)}; name them with --score.")
    name, kind = found[0]
    if _INTEGER.fullmatch(kind) and name not in SCORE_NAMES:
        raise CommandError(
            f"the only number left in {where} is {name!r}, whole numbers that may be a group; "
            f"if it is the score, say --score {name}."
        )
    return _guess(name, "scores", f"score={name}", "--score")


def guess_posteriors(columns: Columns, spoken_for: Mapping[str, str]) -> Guess | None:
    """The prefix `proba_` when three numeric columns or more have it and no other part; else None."""
    found = [n for n, kind in columns if n.startswith(PREFIX) and n not in spoken_for and is_numeric(kind)]
    if len(found) < 3:
        return None
    return _guess(PREFIX, "probabilities", f"probabilities={PREFIX}* ({len(found)} columns)", "--proba")


def _guess(column: str, parameter: str, text: str, flag: str) -> Guess:
    return Guess(column, Note(GUESSED, f"{text} (guessed; set {flag})", parameter=parameter))


def say_flags(notes: Iterable[Note], *, quiet: bool = False) -> None:
    """Print notes, as options and unless `quiet`, except reported guesses."""
    for note in () if quiet else notes:
        if note.code != GUESSED:
            say(as_flags(note))


def is_numeric(kind: str) -> bool:
    """Return whether a column type, as DuckDB names it, is a number.

    >>> [is_numeric(kind) for kind in ("BIGINT", "DOUBLE", "DECIMAL(4,2)", "VARCHAR", "BOOLEAN", "INTERVAL")]
    [True, True, True, False, False, False]
    """
    return bool(_INTEGER.fullmatch(kind) or _FRACTION.fullmatch(kind))


def listed(names: Iterable[str]) -> str:
    """Column names for a sentence."""
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more if shown else "no column"


MARKS = ("<class>", "*")


def class_columns(given: Sequence[str], flag: str = "--proba") -> dict[str, Any] | None:
    """Columns of every model by its name, as `evaluate` takes them, from `[MODEL=]PREFIX`, a pattern or `A,B,C`.

    >>> class_columns(["rf_", "net=p(*)", "a,b,c"])
    {'rf': 'rf_', 'net': 'p(*)', 'model': ['a', 'b', 'c']}
    """
    found: dict[str, Any] = {}
    for text in given:
        model, columns = _named(text, flag)
        if model in found:
            raise CommandError(f"{flag} names the model {model!r} twice: call one of them otherwise, MODEL=PREFIX.")
        found[model] = columns
    return found or None


def columns_of_classes(
    given: Sequence[str], spoken_for: Sequence[str] | dict[str, str], classes: Sequence[str], files: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns of the class probabilities, in class order; without classes, in file order."""
    import numpy as np

    from thresher.predictions.columns import ClassColumns
    from thresher.predictions.probabilities import placed
    from thresher.readers.duckdb_files import column_names
    from thresher.readers.roles import find_columns, wanted_columns

    available, where = column_names(files)
    wanted = wanted_columns(class_columns(given or (PREFIX,)))
    [(model, named)] = find_columns(wanted, available, [*spoken_for], where).items()
    if not classes:
        return named.columns
    found = ClassColumns(np.empty((0, len(named.columns))), named.columns, named.classes, named=True)
    return tuple(named.columns[place] for place in placed(model, found, classes, stated=True))


def _named(text: str, flag: str) -> tuple[str, Any]:
    name, equals, rest = text.partition("=")
    columns = rest if equals and name else text
    if not columns:
        raise CommandError(f"{flag} {text!r}: a prefix, a pattern or names of columns are missing.")
    listed = _listed(columns)
    if len(listed) > 1:
        return (name if equals and name else "model"), listed
    before, _, after = columns.partition(next((mark for mark in MARKS if mark in columns), MARKS[0]))
    short = before.rstrip("_-.:([ ") or after.lstrip("_-.:)] ") or "model"
    return (name if equals and name else short), columns


def class_names(given: str | None) -> list[str] | None:
    """Classes from `A,B,C`; quotes keep a comma within a name.

    >>> class_names('setosa,"a, b"'), class_names(None)
    (['setosa', 'a, b'], None)
    """
    return None if given is None else _listed(given)


def _listed(text: str) -> list[str]:
    return [piece.strip() for piece in next(csv.reader([text], skipinitialspace=True), [])]
