"""Rows that are counted instead of kept: because a tolerance was given, or because they are too many to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from thresher.cli.exit import CommandError
from thresher.cli.options import Reading
from thresher.cli.progress import progress
from thresher.cli.streams import say

if TYPE_CHECKING:
    from thresher.counts import Counts

Cuts: TypeAlias = Sequence[tuple[str | None, float]]
"""Thresholds, each of a model or, where that is None, of all."""

USUAL = 1e-6
"""Tolerance where none is given."""

OF_A_ROW = 20
"""Bytes that a report takes for each row, and for each score of it."""


def counted(reading: Reading, cuts: Cuts = ()) -> Counts | None:
    """Counts of the rows where these are not kept; None where they are.

    Raises:
        CommandError: a tolerance was given, and what is asked for needs the rows.
    """
    odd = _needing_rows(reading)
    if reading.tolerance is not None:
        if odd:
            raise CommandError(f"--tolerance counts rows instead of keeping them, and {odd} needs the rows.")
        return count_rows(reading, reading.tolerance, cuts)
    if odd or reading.cluster or (rows := _too_many(reading)) is None:  # rows in clusters are resampled
        return None
    said = (
        f"{rows:,} rows are too many for the memory, so they are counted, and the AUC is known to ±{USUAL:g}: "
        f"--tolerance sets how exactly, --memory how much memory rows may take"
    )
    say(said)
    found = count_rows(reading, USUAL, cuts)
    return replace(found, notes=(said, *found.notes))


def count_rows(reading: Reading, tolerance: float, cuts: Cuts = (), *, pairs: bool = True) -> Counts:
    """Count how the scores of the files fall; matrices at the cuts are exact, and `pairs` of scores are compared."""
    from thresher.evaluation.counting import count

    thresholds = {name: [cut for model, cut in cuts if model in (None, name)] for name in reading.scores}
    with progress(quiet=reading.quiet) as report:
        return count(
            list(reading.files), list(reading.scores), label=reading.label, positive=reading.positive,
            rest=reading.rest, weights=reading.weight, weight_kind=reading.weight_kind, by=list(reading.by) or None,
            cluster=reading.cluster, direction=reading.direction, missing=reading.missing,
            tolerance=tolerance, thresholds=thresholds, memory=reading.memory, pairs=pairs, progress=report,
        )  # fmt: skip


def _needing_rows(reading: Reading) -> str | None:
    others = ("--predicted", "--proba", "--fold", "--truth", "--model-column", "several --label", "--classes")
    is_importance = reading.weight is not None and reading.weight_kind == "importance"
    return reading.first_of(*others, "--normalize") or ("a --weight of importance" if is_importance else None)


def _too_many(reading: Reading) -> int | None:
    """Number of rows when a report of them would take more memory than it may."""
    from thresher.engines.session import machine_memory
    from thresher.engines.stream import known_rows

    rows = known_rows(reading.files)
    most = machine_memory() // 2 if reading.memory is None else reading.memory
    return rows if rows is not None and rows * OF_A_ROW * (1 + len(reading.scores)) > most else None
