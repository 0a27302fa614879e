"""Guess of the label and the score when the user named none: one plain match, or an error.

Only the command guesses, never the library, and it reports the guess. Names are matched whole and as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from thresher._util.fast_dataclass import dataclass
from thresher.cli.exit import CommandError
from thresher.cli.flags import as_flags
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
    """The one column with a name that means the label.

    Raises:
        CommandError: none has such a name, or several have; the sentence lists the candidates.
    """
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

    Raises:
        CommandError: there is no such column, or several; the sentence lists the candidates.
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
    """Column names for a sentence.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more if shown else "no column"
