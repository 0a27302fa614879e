"""Which implementation runs, and how a long call ends early."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from thresher import kernel
from thresher._util.threads import ordered_map
from thresher.kernel import backend, library, reference

native = pytest.mark.skipif(kernel.implementation() != "native", reason="there is no compiled library")


def ask(code="print(kernel.implementation(), kernel.why())", **environment):
    """Run a snippet in a new Python with other environment variables."""
    script = f"import thresher.kernel as kernel; {code}"
    env = {k: v for k, v in os.environ.items() if k != "THRESHER_KERNEL"} | environment
    return subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)


def test_the_choice_is_reported():
    assert kernel.implementation() in ("native", "reference")
    assert kernel.why()


def test_the_reference_can_be_asked_for():
    assert ask(THRESHER_KERNEL="reference").stdout.startswith("reference THRESHER_KERNEL=reference asks for")


@native
def test_the_library_can_be_asked_for():
    assert ask(THRESHER_KERNEL="native").stdout.startswith("native ")


def test_a_missing_library_leaves_the_reference_and_says_so(tmp_path):
    gone = str(tmp_path / "gone.so")
    answer = ask(THRESHER_NATIVE_LIBRARY=gone).stdout
    assert answer.startswith("reference no compiled library at ")
    assert gone in answer


def test_asking_for_a_missing_library_is_an_error(tmp_path):
    answer = ask(THRESHER_NATIVE_LIBRARY=str(tmp_path / "gone.so"), THRESHER_KERNEL="native")
    assert answer.returncode != 0
    assert "ImportError: THRESHER_KERNEL=native, but no compiled library at" in answer.stderr


def test_another_word_is_an_error():
    assert "it can be 'native' or 'reference'" in ask(THRESHER_KERNEL="fast").stderr


def test_a_file_that_is_no_library_is_not_loaded(tmp_path):
    fake = tmp_path / "fake.so"
    fake.write_text("not a library")
    assert "cannot be loaded" in ask(THRESHER_NATIVE_LIBRARY=str(fake)).stdout


@native
def test_a_library_of_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(library, "ABI_VERSION", library.ABI_VERSION + 1)
    with pytest.raises(library.UnusableLibraryError, match="interface version"):
        library.load()


def test_using_ends_with_the_block():
    def fails():
        with backend.using(reference):
            assert backend.active() is reference
            raise RuntimeError

    before = backend.active()
    with pytest.raises(RuntimeError):
        fails()
    assert backend.active() is before


def run_long(call):
    """Call a function as a long one of the library, without arguments of its own."""
    made = object.__new__(library.Library)
    made._functions = {"waits": (call, [], 0)}
    made.run("waits", library.LONG_CALL)


def interrupted(call):
    """Send this process a Ctrl-C while it is in a long call."""
    # A job that a shell started in the background ignores the signal unless it is told not to.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        run_long(call)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def waiting():
    """A call that ends when its flag is set, and what such calls saw of it."""
    seen = []

    def waits_for_the_flag(cancel, _bad_row):
        flag = ctypes.c_int32.from_address(cancel)
        deadline = time.monotonic() + 20
        while not flag.value and time.monotonic() < deadline:
            time.sleep(0.01)
        seen.append(flag.value)
        return library.CANCELLED

    return seen, waits_for_the_flag


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_ctrl_c_ends_a_long_call():
    seen, waits_for_the_flag = waiting()

    with pytest.raises(KeyboardInterrupt):
        interrupted(waits_for_the_flag)
    assert seen == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_ctrl_c_ends_the_calls_of_threads_that_work_together():
    """As of comparisons side by side, also where one of the threads has others of its own: they ran to their end."""
    seen, waits_for_the_flag = waiting()

    def work(item):
        if item == "deep":
            return list(ordered_map(work, ["long", "long"]))
        return run_long(waits_for_the_flag)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            list(ordered_map(work, ["long", "deep", "long"]))
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert len(seen) >= 2
    assert set(seen) == {1}
    assert list(ordered_map(str, range(3))) == ["0", "1", "2"]


def test_long_calls_return_what_short_ones_do(monkeypatch):
    truth, scores = np.array([1, 0, 1], dtype=np.uint8), np.array([0.1, 0.2, 0.3])
    want = kernel.concordance(truth, scores)
    monkeypatch.setattr(library, "LONG_CALL", 0)
    assert kernel.concordance(truth, scores) == want
    with pytest.raises(kernel.KernelInputError) as error:
        kernel.concordance(truth, [0.1, np.nan, 0.3])
    assert error.value.row == 1


def test_a_call_from_another_thread_works(monkeypatch):
    monkeypatch.setattr(library, "LONG_CALL", 0)
    results = []
    columns = np.array([1, 0], dtype=np.uint8), np.array([0.2, 0.1])
    thread = threading.Thread(target=lambda: results.append(kernel.concordance(*columns)))
    thread.start()
    thread.join()
    assert results == [(2, 1, 1)]


@native
@pytest.mark.parametrize("rows", [10_000, 600_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_library_heeds_the_flag(rows, threads):
    truth, scores = np.zeros(rows, dtype=np.uint8), np.random.default_rng(0).random(rows)
    flag, whole, real, bad = ctypes.c_int32(1), (ctypes.c_int64 * 4)(), (ctypes.c_double * 3)(), ctypes.c_int64()
    function = library.load().loaded.thresher_concordance
    columns = truth.ctypes.data, scores.ctypes.data, None
    options = threads, ctypes.byref(flag), False
    assert function(*columns, rows, *options, whole, real, ctypes.byref(bad)) == library.CANCELLED
    assert whole[2] == 0


def test_statuses_become_exceptions():
    for status, error in [
        (library.NO_MEMORY, MemoryError),
        (library.CANCELLED, KeyboardInterrupt),
        (-3, RuntimeError),
        (2, kernel.KernelInputError),
    ]:
        with pytest.raises(error):
            raise library.error_of(status, ctypes.c_int64(0))
