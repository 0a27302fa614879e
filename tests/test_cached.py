"""Cached properties: computed once, and no lock that another thread or a forked process would wait for."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import thresher
from thresher._util.frozen_values import cached_property

FORKS = hasattr(os, "fork")


class Value:
    """Something with a property that can be held up."""

    def __init__(self, gate=None):
        self.gate, self.calls = gate, 0

    @cached_property
    def answer(self):
        """The answer."""
        self.calls += 1
        if self.gate is not None:
            self.gate[0].set()
            self.gate[1].wait(10)
        return object()


def test_a_value_is_computed_once_and_can_be_let_go_of():
    value = Value()
    assert value.answer is value.answer
    assert value.calls == 1
    del vars(value)["answer"]
    assert value.answer is not None
    assert value.calls == 2
    assert (Value.answer.name, Value.answer.__doc__) == ("answer", "The answer.")


@pytest.fixture
def held():
    """A thread that is in the middle of computing a property."""
    gate = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: Value(gate).answer)
    thread.start()
    assert gate[0].wait(10)
    yield thread
    gate[1].set()
    thread.join()


def test_another_value_does_not_wait_for_one_that_is_being_computed(held):
    assert Value().answer is not None
    assert held.is_alive()


@pytest.mark.skipif(not FORKS, reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_a_thread_that_it_does_not_have(held):
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        os._exit(0 if Value().answer is not None else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert held.is_alive()


def test_no_property_has_the_lock_of_functools():
    root = Path(thresher.__file__).parent
    asked = re.compile(r"functools import[^\n]*\bcached_property|functools\.cached_property")
    assert [path.name for path in root.rglob("*.py") if asked.search(path.read_text(encoding="utf-8"))] == []


FORKING = """
import os, signal, threading, time
import numpy as np
import thresher as th
rng = np.random.default_rng(0)
y, s = rng.integers(0, 2, 100_000), rng.random(100_000)
work = lambda: th.evaluate(y, {"a": s})["a"].auc.value
wanted, stop = work(), threading.Event()
def loop():
    while not stop.is_set():
        work()
thread = threading.Thread(target=loop)
thread.start()
ended = []
for i in range(6):
    time.sleep(0.03 + 0.01 * i)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if work() == wanted else 1)
    ended.append(os.waitpid(child, 0)[1])
stop.set()
thread.join()
print(ended)
"""


@pytest.mark.slow
@pytest.mark.skipif(not FORKS, reason="there is no fork on this system")
def test_processes_forked_while_another_thread_evaluates_end():
    source = str(Path(thresher.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKING], capture_output=True, text=True, timeout=250, check=False,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[0, 0, 0, 0, 0, 0]\n", "")
