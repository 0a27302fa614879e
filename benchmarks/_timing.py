"""Side-by-side timing: contestants take turns in one process, so that a slow moment of the machine hits all of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of one contestant over all rounds."""

    best: float
    median: float
    rounds: int


def race(contestants: Mapping[str, Callable[[], object]], *, seconds: float = 5.0, most: int = 15) -> dict[str, Timing]:
    """Time each contestant once per round until the time is used up (at least three rounds, after one to warm up)."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    calls = {name: _calls_per_sample(run) for name, run in contestants.items()}
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        while len(next(iter(times.values()))) < 3 or (time.perf_counter() < end and _rounds(times) < most):
            for name, run in contestants.items():
                times[name].append(_time(run, calls[name]))
    finally:
        gc.enable()
    return {name: Timing(min(taken), statistics.median(taken), len(taken)) for name, taken in times.items()}


def _rounds(times: Mapping[str, list[float]]) -> int:
    """Count the rounds that all have run."""
    return min(len(taken) for taken in times.values())


def _calls_per_sample(run: Callable[[], object]) -> int:
    """Choose how many calls one sample takes, so that it lasts at least 2 ms; this is also the warm-up."""
    run()
    return max(1, int(0.002 / max(_time(run, 1), 1e-9)))


def _time(run: Callable[[], object], calls: int) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def human(seconds: float) -> str:
    """Write a duration with three digits and its unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
