"""Memory that the kernel keeps while it is asked to: arrays in it, what uses it again, and that it goes back."""

import gc
import os
import sys
import threading

import numpy as np
import pytest

from thresher import kernel
from thresher.kernel import backend

ROWS = 1_000_000
MANY = 6_000_000
"""Rows whose columns the C library hands back to the system, as it need not below 32 MB."""
native = pytest.mark.skipif(
    sys.platform != "linux" or backend.implementation() != "native", reason="the compiled kernel keeps memory, on Linux"
)


def rows(seed, n=ROWS):
    rng = np.random.default_rng(seed)
    return (rng.random(n) < 0.3).astype(np.uint8), rng.random(n)


def ends(table):
    """Where the columns of a table begin and end in memory."""
    columns = [column for column in table if column is not None]
    return [(c.__array_interface__["data"][0], c.__array_interface__["data"][0] + c.nbytes) for c in columns]


def overlap(first, second):
    return any(a < d and c < b for a, b in first for c, d in second)


def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_arrays_outlive_the_memory_that_was_kept():
    want = kernel.score_table(*rows(1))
    with kernel.kept_memory():
        gone = kernel.score_table(*rows(0))
        del gone
        found = kernel.score_table(*rows(1))
        part = found.scores[10:20]
    again = kernel.score_table(*rows(2))
    assert all(np.array_equal(a, b) for a, b in zip(found, want, strict=True))
    del found
    gc.collect()
    assert np.array_equal(part, want.scores[10:20])
    assert not np.array_equal(again.scores, want.scores)


@native
def test_what_is_given_back_is_used_again_and_what_is_in_use_is_not():
    with kernel.kept_memory():
        first = kernel.score_table(*rows(0))
        places, values = ends(first), [None if c is None else c.copy() for c in first]
        second = kernel.score_table(*rows(1))
        assert not overlap(ends(second), places)
        assert all(a is b or np.array_equal(a, b) for a, b in zip(first, values, strict=True))
        del first
        third = kernel.score_table(*rows(2))
        assert overlap(ends(third), places)
        assert not overlap(ends(third), ends(second))


@native
def test_memory_goes_back_after_the_last_who_keeps_it():
    truth, scores = rows(0, MANY)
    kernel.score_table(truth, scores)
    before = held()
    with kernel.kept_memory():
        with kernel.kept_memory():
            kernel.score_table(truth, scores)
        kept = held()
    assert kept - held() > 50e6
    assert held() - before < 20e6
    kernel.score_table(truth, scores)
    assert held() - before < 20e6


@native
def test_an_error_gives_memory_back():
    truth, scores = rows(0, MANY)
    scores[-1] = np.nan
    before = held()
    with pytest.raises(kernel.KernelInputError), kernel.kept_memory():
        kernel.score_table(truth, scores)
    assert held() - before < 20e6


def test_threads_take_and_give_at_once():
    made = [rows(seed, 600_000) for seed in range(4)]
    want = [kernel.score_table(*each) for each in made]
    wrong = []

    def work(i):
        for _ in range(5):
            found = kernel.score_table(*made[i], threads=2)
            if not all(np.array_equal(a, b) for a, b in zip(found, want[i], strict=True)):
                wrong.append(i)

    with kernel.kept_memory():
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_table_of_few_scores_does_not_hold_the_room_of_all_rows():
    """Six rows a score: 86 MB of tables held 570 MB, as the whole column had been written to."""
    draws = np.random.default_rng(1)
    truth, scores = draws.integers(0, 2, ROWS).astype(np.uint8), draws.integers(0, ROWS // 6, ROWS) / ROWS
    table = kernel.score_table(truth, scores)
    for column in table[:3]:
        base = column if column.base is None else column.base
        assert base.nbytes <= 3 * column.nbytes
