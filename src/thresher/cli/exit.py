"""How the command ends: exit codes, and the one line on stderr that says why.

0 fine · 1 a check failed · 2 usage, unreadable input or too little memory · 70 a crash (sysexits' EX_SOFTWARE) ·
130 interrupted · 143 terminated.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from thresher.cli.streams import say
from thresher.errors import OptionError, ThresherError

FINE, CHECK_FAILED, USAGE, CRASH, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143


class CarriedError(Exception):
    """A problem carried past click, which has lines and exit codes of its own for some."""

    def __init__(self, problem: BaseException) -> None:
        super().__init__(str(problem))
        self.problem = problem


class CommandError(click.UsageError):
    """The command cannot do what it was asked to: one sentence, exit code 2."""


@dataclass
class Session:
    """What is known about the run itself: whether it is debugged, which subcommand it is, whether SIGTERM came."""

    debug: bool = False
    command: str | None = None
    terminated: bool = False


# The library speaks of its keywords; the same things have other names on a command line.
_FLAGS = {
    'direction="lower"': "--lower-is-positive",
    "direction='lower'": "--lower-is-positive",
    'missing="drop"': "--missing drop",
    "missing='drop'": "--missing drop",
    'rest="negative"': "--rest negative",
    "rest='negative'": "--rest negative",
    "closest_corner=": "--closest-corner ",
    "match_prevalence=": "--match-prevalence ",
    "maximize=": "--max ",
    "minimize=": "--min ",
    "costs=": "--cost-fp with --cost-fn",
    "cost_fp=": "--cost-fp ",
    "cost_fn=": "--cost-fn ",
    "top_share=": "--top-share ",
    "top_k=": "--top ",
    "where=": "--where ",
    "prevalence=": "--prevalence ",
    'weight_kind="frequency"': "--weight-kind frequency",
    'rate_interval="clopper-pearson"': "--rate-interval clopper-pearson",
    'test="permutation"': "--test permutation",
    'on_error="skip"': "--on-error skip",
    "weight_kind=": "--weight-kind ",
    "model_column=": "--model-column ",
    "threshold=": "--threshold ",
    "positive=": "--positive ",
    "undefined=": "--undefined ",
    "predicted=": "--predicted ",
    "weights=": "--weight ",
    "groups=": "--groups ",
    "cluster=": "--cluster ",
    "scores=": "--score ",
    "probabilities=": "--proba ",
    "labels=": "--classes ",
    "margin=": "--margin ",
    "test=": "--test ",
    "normalize=True": "--normalize",
    "label=": "--label ",
    "ties='trec_eval'": "--ties trec_eval",
    "document=": "--document ",
    "relevance_level=": "--relevance-level ",
    "relevance=": "--relevance ",
    "collection=": "--collection ",
    "most=": "--most ",
    "query=": "--query ",
    "score=": "--score ",
    "truth=": "--truth ",
    "level=": "--level ",
    "fold=": "--fold ",
    "rest=": "--rest ",
    "key=": "--key ",
    "rng=": "--seed ",
    "by=": "--by ",
}
_KEYWORD = re.compile("|".join(rf"(?<![\w\"'-]){re.escape(word)}" for word in _FLAGS))


def as_flags(sentence: str) -> str:
    """A sentence of the library with its keywords spelled as the command's options.

    >>> as_flags("Name it with positive=…; see also missing=\\"drop\\".")
    'Name it with --positive …; see also --missing drop.'
    """
    flagged = _KEYWORD.sub(lambda found: _FLAGS[found.group()], sentence)
    return re.sub(r"(--[a-z-]+) (?=[,.;:)]|$| )", r"\1", flagged)


def guarded(run: Callable[[], Any], session: Session) -> int:
    """Run the command; print one line for whatever went wrong, and return the exit code."""
    with warnings.catch_warnings(), _ending_tidily(session):
        if not session.debug:
            warnings.showwarning = _show_warning
        try:
            code = run()
            _flush()
        except (Exception, KeyboardInterrupt) as caught:
            problem = caught.problem if isinstance(caught, CarriedError) else caught
            if session.debug and not isinstance(problem, click.ClickException | KeyboardInterrupt):
                traceback.print_exception(problem)
            return TERMINATED if session.terminated else _explain(problem, session)
    return code if isinstance(code, int) else FINE


@contextmanager
def _ending_tidily(session: Session) -> Iterator[None]:
    """Let SIGTERM end the work as an exception does, so that nothing temporary is left; only the main thread can."""
    owner = os.getpid()

    def end(number: int, _frame: Any) -> None:
        if os.getpid() != owner:  # a worker that was forked has nothing of its own to tidy up
            os._exit(TERMINATED)
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


def _explain(problem: BaseException, session: Session) -> int:
    """Say what went wrong in one line (and, for usage, where help is); return the exit code."""
    if isinstance(problem, KeyboardInterrupt | click.Abort):
        say("interrupted")
        return INTERRUPTED
    if isinstance(problem, BrokenPipeError) or getattr(problem, "errno", None) == errno.EPIPE:
        _abandon_stdout()
        return FINE
    if isinstance(problem, MemoryError):
        detail = f" ({_one_line(str(problem)).rstrip('.')})" if str(problem) else ""
        say(f"this needs more memory than there is{detail}: use fewer rows or models at a time, or a larger machine.")
        return USAGE
    if isinstance(problem, click.ClickException | ThresherError | OSError):
        _refuse(problem, session)
        return USAGE
    if isinstance(problem, ImportError):
        say(f"{_sentence(str(problem))} The installation is not in order: `thresher doctor` says more.")
        return CRASH
    rerun = "" if session.debug else " Run it with --debug for the traceback."
    say(f"crashed: {type(problem).__name__}: {_one_line(str(problem))}. This is a bug in thresher.{rerun}")
    return CRASH


def _refuse(problem: click.ClickException | ThresherError | OSError, session: Session) -> None:
    """Say what cannot be done; where help is, unless the sentence holds the way out itself."""
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        click.echo(problem.format_message(), err=True)
    elif isinstance(problem, click.ClickException):
        say(_sentence(problem.format_message()))
        if not isinstance(problem, CommandError):
            _hint(session)
    elif isinstance(problem, ThresherError):
        say(as_flags(_sentence(str(problem))))
        if isinstance(problem, OptionError):
            _hint(session)
    else:
        say(_os_sentence(problem))


def _hint(session: Session) -> None:
    """Where help is."""
    command = f"thresher {session.command}" if session.command else "thresher"
    click.echo(f"Try '{command} --help'.", err=True)


def _sentence(text: str) -> str:
    line = _one_line(text)
    return line if line.endswith((".", "!", "?")) else line + "."


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "no message"


def _os_sentence(problem: OSError) -> str:
    what = problem.strerror or _one_line(str(problem))
    where = f"{problem.filename!r}: " if problem.filename is not None else "cannot read or write: "
    return f"{where}{what}."


def _show_warning(message: Warning | str, *_details: Any, **_more: Any) -> None:
    say(f"warning: {as_flags(_sentence(str(message)))}")


def _flush() -> None:
    """Write out what is buffered now, while a closed pipe or a full disk can still be reported."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _abandon_stdout() -> None:
    """Point stdout at nothing, or the interpreter's own flush at exit would complain about the closed pipe."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        return
