"""Notes on counts: rows not among them, the loss by adding them up, parts that do not add up."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING

from thresher._util.did_you_mean import did_you_mean
from thresher._util.frozen_values import check_alike
from thresher.conventions import classes_of_both
from thresher.counts.rounding import BITS
from thresher.errors import InputError, MissingNameError, Note, keyword
from thresher.predictions.columns import counted, sized
from thresher.results import rounded_up

if TYPE_CHECKING:
    from thresher.counts.collected import Counts
    from thresher.counts.scores import ScoreTable


def rows_of(counts: Counts) -> int | None:
    """Number of counted rows, regardless of weights; None where only sums of weights are known.

    >>> import thresher as th
    >>> rows_of(th.count([1, 0, 1, 1], [0.9, 0.6, 0.4, 0.2], weights=[2, 1, 3, 0], weight_kind="frequency"))
    3
    """
    return counts.read - counts.dropped or None


def size_of(counts: Counts) -> str:
    """Return the number of counted rows in words, and the sum of weights that repeat them."""
    table = counts[next(iter(counts))]
    total = table.P + table.N
    return sized(total, None) if counts.weight_kind is None else sized(rows_of(counts), total)


def remarks_of(counts: Counts) -> list[Note]:
    """Sentences of counts, beside the notes of their columns."""
    lack = "lacks a value and is" if counts.dropped == 1 else "lack a value and are"
    lines = []
    if counts.dropped:
        text = f"{counts.dropped:,} of {counted(counts.read, 'row')} {lack} not counted."
        lines.append(Note("dropped-rows", text, parameter="missing"))
    if counts.weightless:
        lines.append(Note("zero-weight", f"{counted(counts.weightless, 'row')} of weight 0 left out."))
    if counts.pairs is not None and len(counts) > 1 and counts.pairs.bits < BITS:
        text = f"Models are compared by scores rounded to {counts.pairs.bits} bits."
        lines.append(Note("rounded-pairs", text, parameter="resolution"))
    return lines


FILTERED = "filtered-rows"
"""Code of a note of a condition on rows."""


def filter_note(condition: str) -> Note:
    """Return the note of a condition that all rows meet."""
    return Note(FILTERED, f"Rows filtered by: {condition.strip()}", parameter="where")


def notes_of_sum(one: Counts, other: Counts, *, has_pairs: bool) -> tuple[Note, ...]:
    """Notes of counts that are added up, with one for a condition on some rows only, or for lost pairs.

    >>> import thresher as th
    >>> from dataclasses import replace
    >>> day = replace(th.count([1, 0], [0.9, 0.6]), notes=(filter_note("day = 1"),))
    >>> notes_of_sum(day, day, has_pairs=False)
    ('Rows filtered by: day = 1',)
    """
    noted = [part.notes if has_pairs else notes_without_pairs(part, OF_SOME) for part in (one, other)]
    mine, theirs = ({note for note in notes if note.code == FILTERED} for notes in noted)
    lines = [*noted[0], *noted[1]]
    return tuple(dict.fromkeys(lines if mine == theirs else [_of_some_parts(note) for note in lines]))


def _of_some_parts(note: Note) -> Note:
    if note.code != FILTERED:
        return note
    return note.cleaned(lambda text: text.replace("Rows filtered by", "Rows of some parts filtered by", 1))


LEAST = Note(
    "no-pairs",
    "Pairs are left out, as they would reveal counts below the least count. Compare models before applying it.",
)
OF_SOME = Note(
    "no-pairs",
    "Pairs are left out, as not all parts of these counts have them. Count every part with pairs to compare.",
)


def notes_without_pairs(counts: Counts, note: Note) -> tuple[Note, ...]:
    """Notes of counts, and this one, where there are pairs of scores to leave out."""
    has_pairs = counts.pairs is not None and len(counts) > 1
    return tuple(dict.fromkeys([*counts.notes, note])) if has_pairs else counts.notes


def no_score(name: str, counts: Counts) -> str:
    """Return the error about a score that the counts lack."""
    return f"these counts have no score {name!r}.{did_you_mean(str(name), counts)} They are of {', '.join(counts)}."


def check_named(counts: Counts, *names: str) -> None:
    """Check that the counts have these scores."""
    known = tuple(counts)
    for name in names:
        if name not in known:
            raise MissingNameError(no_score(name, counts))


def classes_of_sum(one: Counts, other: Counts) -> tuple[Hashable, Hashable]:
    """Classes of counts that are added up, which are by the same columns, and of the same scores and classes."""
    if one.by != other.by:
        first, second = (f"by {' and '.join(map(repr, c.by))}" if c.by else "not in groups" for c in (one, other))
        raise InputError(
            f"counts of different groups cannot be added: {WHICH[0]} are {first}, {WHICH[1]} {second}. "
            "Count all rows by the same columns."
        )
    check_alike(one, other, ("label", "direction", "weight_kind"))
    if set(one) != set(other):
        apart = [", ".join(map(repr, (name for name in a if name not in b))) for a, b in ((one, other), (other, one))]
        only = " and ".join(f"{which} alone have {names}" for which, names in zip(WHICH, apart, strict=True) if names)
        raise InputError(
            f"counts of different scores cannot be added: {only}. Count the same scores everywhere, "
            "under the same names."
        )
    tables = (counts[next(iter(counts))] for counts in (one, other))
    classes = classes_of_both(one.classes, other.classes, *((bool(each.N), bool(each.P)) for each in tables))
    if classes is None:
        raise InputError(
            f"counts of different classes cannot be added: {one.classes!r} and {other.classes!r}. Write the labels "
            "alike everywhere, and name the same " + keyword("positive", "…") + "."
        )
    return classes


def check_part_column(part: Counts, by: str) -> None:
    """Check that the column of parts has a name, which no other column of the counts has."""
    if not by.strip():
        raise InputError("the column of the parts is without a name. Give it one, such as 'site'.")
    known = {
        part.label: "their label",
        **dict.fromkeys(part, "a score"),
        **dict.fromkeys(part.by, "a column of groups"),
    }
    if by in known:
        raise InputError(f"the counts have {by!r} as {known[by]}: name the column of the parts otherwise.")


WHICH = "the first", "the second"
"""Counts that are added up, as a sentence calls them."""


MERGED = "merged-scores"
"""Code of the note on neighbouring scores that were merged."""


def has_merged(counts: Counts) -> bool:
    """Return whether neighbouring scores were merged, so that only the thresholds that were kept are exact."""
    return any(note.code == MERGED for note in counts.notes)


def is_exact(counts: Counts, name: str, threshold: float) -> bool:
    """Return whether counts tell the confusion matrix at a threshold exactly."""
    is_rounded = any(tables[name].resolution is not None for tables in counts.groups.values())
    return threshold in counts.thresholds.get(name, ()) or not (is_rounded or has_merged(counts))


def merged_note(name: str, table: ScoreTable, cell: int) -> Note:
    """Return the note on a score with merged neighbouring values.

    >>> from thresher.counts import ScoreTable
    >>> merged_note("s", ScoreTable.from_counts([1.5, 0.5], positive=[2, 1], negative=[1, 2]), 1)
    's: neighbouring scores merged until each holds 1 row of a class or none (AUC within 0.3).'
    """
    bound = float(table.ties_bound)
    within = "" if math.isnan(bound) else f" (AUC within {rounded_up(bound, 1)})"
    text = f"{name}: neighbouring scores merged until each holds {counted(cell, 'row')} of a class or none{within}."
    return Note(MERGED, text, parameter="min_cell")
