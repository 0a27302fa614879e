"""`counter`: counts of batches, such as a training loop's, from any array library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from thresher._util.front_door import guarded
from thresher.counts import Counts
from thresher.counts.rounding import BITS, check_resolution
from thresher.errors import InputError
from thresher.evaluation.counting import count


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
