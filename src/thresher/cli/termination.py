"""SIGTERM ends the command as an exception does, so that nothing temporary is left."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thresher.cli.problems import Session


@contextmanager
def ending_tidily(session: Session) -> Iterator[None]:
    """Let SIGTERM end the work as an exception does; only the main thread can."""
    owner = os.getpid()

    def end(number: int, _frame: Any) -> None:
        if os.getpid() != owner:  # a worker that was forked has nothing of its own to tidy up
            os._exit(128 + number)
        if not session.terminated:  # a second signal does not stop the tidying up
            session.terminated = True
            raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN if session.terminated else before)
