"""How the command ends: exit codes, and the one line on stderr that says why.

0 fine · 1 a check failed · 2 usage, unreadable input or too little memory · 70 a crash (sysexits' EX_SOFTWARE) ·
130 interrupted · 143 terminated.
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Callable
from typing import Any

import click

from thresher.cli import problems
from thresher.cli.problems import CarriedError, CommandError, Session
from thresher.cli.streams import abandon, flush, say, settle
from thresher.errors import ThresherError

FINE, CHECK_FAILED, USAGE, CRASH, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143
__all__ = ["CHECK_FAILED", "FINE", "INTERRUPTED", "CarriedError", "CommandError", "Session", "guarded"]


def guarded(run: Callable[[], Any], session: Session) -> int:
    """Run the command; print one line for whatever went wrong, and return the exit code."""
    with warnings.catch_warnings(), problems.ending_tidily(session):
        if not session.debug:
            warnings.showwarning = lambda message, *_, **__: problems.warned(message)
        try:
            code = run()
            flush()
        except (Exception, KeyboardInterrupt) as caught:
            problem = caught.problem if isinstance(caught, CarriedError) else caught
            if session.debug and not isinstance(problem, click.ClickException | KeyboardInterrupt):
                import traceback

                traceback.print_exception(problem)
            return TERMINATED if session.terminated else _explained(problem, session)
    return code if isinstance(code, int) else FINE


def _explained(problem: BaseException, session: Session) -> int:
    """Exit code of a problem, which is said in one line."""
    if isinstance(problem, BrokenPipeError) or getattr(problem, "errno", None) == errno.EPIPE:
        abandon()
        return FINE
    if isinstance(problem, KeyboardInterrupt | click.Abort):
        say("interrupted")
        return INTERRUPTED
    if isinstance(problem, MemoryError):
        problems.lacking_memory(problem)
        return USAGE
    if isinstance(problem, click.ClickException | ThresherError | OSError):
        problems.refuse(problem, session)
        settle()
        return USAGE
    problems.crashed(problem, debug=session.debug)
    return CRASH
