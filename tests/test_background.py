"""Work beside what follows it: in order, with its errors first."""

import threading

import pytest

from thresher._util.threads import background_calls


def test_calls_run_in_their_order_in_another_thread():
    seen = []
    with background_calls() as background:
        for i in range(50):
            background(lambda i=i: seen.append((i, threading.current_thread() is threading.main_thread())))
    assert seen == [(i, False) for i in range(50)]


def test_what_a_call_raises_comes_at_the_next_or_at_the_end():
    def fail(n):
        raise ValueError(n)

    def many(*numbers):
        with background_calls() as background:
            for n in numbers:
                background(fail, n)

    with pytest.raises(ValueError, match="1"):
        many(1, 2)
    with pytest.raises(ValueError, match="3"):
        many(3)


def test_an_error_of_earlier_rows_comes_before_that_of_later_ones():
    def fail():
        raise ValueError("earlier")

    def read():
        with background_calls() as background:
            background(fail)
            raise OSError("later")

    with pytest.raises(ValueError, match="earlier"):
        read()
