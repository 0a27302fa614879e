"""`count` and `counter`: rows become counts, a part or a batch at a time, in tables of every group and score."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal

from thresher._util.front_door import guarded
from thresher._util.parse_number import parse_size
from thresher._util.threads import background_calls
from thresher.conventions import Directions, Missing, WeightKind, check_directions
from thresher.counts import Counts, ScoreTable
from thresher.counts.rounding import BITS, check_resolution
from thresher.errors import InputError, Note, OptionError, keyword
from thresher.evaluation.counted_rows import (
    Building,
    check_cuts,
    refuse_clusters,
    refuse_importance,
    with_cuts,
)
from thresher.evaluation.on_device import count_on_device, is_counted_there
from thresher.readers.csv_files import decimal_mark
from thresher.spool import once

Progress = Callable[[float | None, str], None]


@once()
def count(
    data: Any,
    scores: Any = None,
    *,
    label: str | None = None,
    positive: Hashable | None = None,
    rest: Any = None,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    by: Any = None,
    cluster: Any = None,
    direction: Directions = "higher",
    missing: Missing = "error",
    decimal: Literal[",", "."] | None = None,
    resolution: int | str | None = None,
    memory: int | str | None = None,
    pairs: bool = False,
    thresholds: Sequence[float] | Mapping[str, Sequence[float]] = (),
    progress: Progress | None = None,
) -> Counts:
    """Count how the scores of two classes fall, in memory that does not grow with the rows of a file.

    Up to about a million distinct scores are counted exactly; where there are more, all are rounded to 16 significant
    bits, which puts the AUC off by at most the `auc_bound` of each table. Counts are saved, add up, and are evaluated
    by `thresher.evaluate`.

    Args:
        data, scores, label, positive, rest, by, direction, missing, decimal: as `thresher.evaluate` takes them; files,
            lazy frames and streams are read in parts, and arrays on a device are counted there.
        weights: how often each row counts, with `weight_kind="frequency"`; importance weights are refused, as counts
            cannot be evaluated with them.
        resolution: significant bits of the scores, 8 to 24, from the first row on, so that counts of parts add up to
            the counts of the whole bit for bit; "exact" keeps every distinct score. Spark and Dask round to 16
            by default.
        cluster: refused, as counts do not keep the rows of a cluster: evaluate the rows, or count one row per cluster.
        memory: bytes that counts and the rows in hand may take together, about, or text such as "2GB"; 1 GB by
            default, and half of the machine's for exact scores. Of a Dask dataframe on each worker; for Spark it is
            refused, and `progress` for both.
        pairs: also count rows by the rounded scores of all models together, so that models can be compared.
        thresholds: where matrices are exact, whatever is rounded, of all scores or by name.
        progress: called with (share read or None, text) while files are read.

    Raises:
        InputError: the data cannot be counted as they are; the sentence names the column and the row.
        OptionError: an option has a value that it does not take.

    >>> found = count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], resolution=8)
    >>> found, found["score"].scores.tolist()
    (Counts(2 1 (positive), 2 0; score), [0.89990234375, 0.599609375, 0.3984375, 0.099609375])
    """
    from thresher.evaluation.partitions import Tabling, check_cluster_options, count_on_cluster
    from thresher.readers import cluster_of
    from thresher.readers.parts import ROWS, load_parts

    options: dict[str, Any] = {"positive": positive, "rest": rest, "weight_kind": weight_kind}
    options |= {"direction": direction, "missing": missing}
    made: dict[str, Any] = {"resolution": resolution, "weight_kind": weight_kind}
    memory = _bytes(memory)
    for cuts in thresholds.values() if isinstance(thresholds, Mapping) else (thresholds,):
        _check_numbers(cuts)
        ScoreTable.builder(**made, thresholds=cuts)  # refuses wrong options before anything is read
    check_directions(direction)
    refuse_clusters(cluster)
    refuse_importance(weight_kind if weights is not None else None)
    columns = {"label": label, "weights": weights, "by": by}
    if cluster_of(data) is not None:
        check_cluster_options(data, memory=memory, progress=progress)
        bits = BITS if resolution is None else check_resolution(resolution)
        found = count_on_cluster(data, scores, columns=columns, how=Tabling(bits, thresholds, memory, pairs), **options)
        return with_cuts(found, thresholds)
    if not pairs and is_counted_there(data, scores, columns):
        how = {"positive": positive, "rest": rest, "direction": direction, "missing": missing}
        found = count_on_device(count, data, scores, resolution=resolution, thresholds=thresholds, **how)
        return with_cuts(found, thresholds)
    building = Building(made, thresholds, memory, is_paired=pairs)
    most = max(int(ROWS * min(building.share, 1.0)), 2**16)
    with decimal_mark(decimal):
        parts = load_parts(data, scores, **columns, **options, progress=progress, most=most)
        found = _counted(parts, building)
    check_cuts(thresholds, found)
    return with_cuts(found, thresholds)


def _check_numbers(thresholds: Any) -> None:
    """Refuse thresholds that are not a list of numbers, for all scores or for one."""
    is_list = isinstance(thresholds, Iterable) and not isinstance(thresholds, str)
    if not is_list or not all(isinstance(each, Real) for each in thresholds):
        text = ": a list of numbers, such as [0.3], for all scores, or such lists by the name of the score."
        raise OptionError(keyword("thresholds", repr(thresholds)) + text)


def _bytes(memory: int | str | None) -> int | None:
    """Bytes of an amount of memory, which may be text."""
    try:
        found = parse_size(memory) if isinstance(memory, str) else memory
    except (OverflowError, ValueError):
        found = 0
    if found is not None and found <= 0:
        raise OptionError(keyword("memory", repr(memory)) + ": a number of bytes, or text such as '2GB' or '512MB'.")
    return found


def _counted(parts: Iterable[Any], building: Building) -> Counts:
    """Counts of rows that come in parts; each part is counted while the next is read."""
    notes: dict[Note, None] = {}
    read = dropped = weightless = 0
    with background_calls() as background:
        for rows, without in parts:
            if not rows.scores:
                text = ": counts are of one score of two classes, or of several such."
                raise OptionError(keyword("scores", "…") + text)
            background(building.add, rows)
            notes |= dict.fromkeys(rows.notes)
            read, dropped = read + len(rows) + rows.dropped, dropped + rows.dropped
            weightless += without
    return Counts(
        groups=building.tables(),
        by=tuple(rows.by), classes=(rows.classes[0], rows.classes[1]), label=rows.label, notes=tuple(notes),
        read=read, dropped=dropped, weightless=weightless, pairs=building.pairs,
    )  # fmt: skip


@guarded
class BatchCounter:
    """Counts in the making: `add` batches, `merge` other counters, then take the `counts`."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._counts: Counts | None = None

    def add(self, y_true: Any, scores: Any, *, weights: Any = None, by: Any = None) -> BatchCounter:
        """Count the rows of a batch on the device of its arrays; return the counter itself.

        Raises:
            InputError: as `count`, for this batch alone; earlier batches are kept.
        """
        found = count(y_true, scores, weights=weights, by=by, **self._options)
        self._counts = found if self._counts is None else self._counts + found
        return self

    def merge(self, other: BatchCounter) -> BatchCounter:
        """Add the counts of another counter, such as another process's; return the counter itself."""
        if other._counts is not None:
            self._counts = other._counts if self._counts is None else self._counts + other._counts
        return self

    def all_reduce(self, gather: Callable[[Counts], Iterable[Counts]]) -> Counts:
        """Return the sum of the counts of all processes, which `gather` returns.

        With torch, `gather` fills a list with one place per process by
        `torch.distributed.all_gather_object(places, counts)` and returns it; with MPI it is `comm.allgather`.
        """
        return sum(gather(self.counts), start=0)  # type: ignore[return-value]

    @property
    def counts(self) -> Counts:
        """Counts of all rows so far.

        Raises:
            InputError: nothing was added yet.
        """
        if self._counts is None:
            raise InputError("nothing was counted yet: add rows first, as in counter.add(y_true, scores).")
        return self._counts

    def __repr__(self) -> str:
        return f"BatchCounter({self._counts!r})"


def counter(
    *,
    positive: Any = None,
    rest: Any = None,
    weight_kind: Any = "importance",
    direction: Any = "higher",
    missing: Any = "error",
    resolution: int | str = BITS,
    thresholds: Any = (),
) -> BatchCounter:
    """Return a counter of batches; it takes the options of `count`.

    Scores are rounded to 16 significant bits unless `resolution` is another number of bits, or "exact", so that counts
    of any batches and processes add up to the counts of all rows, bit for bit. `thresholds` are counted exactly.

    Raises:
        OptionError: an option has a value that it does not take.

    >>> import thresher as th
    >>> batches = [([1, 0], [0.9, 0.4]), ([1, 0], [0.4, 0.1])]
    >>> found = th.counter()
    >>> for truth, scores in batches:
    ...     found = found.add(truth, scores)
    >>> found.counts, round(th.evaluate(found.counts).auc.value, 3)
    (Counts(2 1 (positive), 2 0; score), 0.875)
    """
    check_resolution(resolution)
    return BatchCounter(
        positive=positive, rest=rest, weight_kind=weight_kind, direction=direction, missing=missing,
        resolution=resolution, thresholds=thresholds,
    )  # fmt: skip
