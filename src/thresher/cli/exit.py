"""End of the command: exit codes, and the one line on stderr with the reason.

0 fine · 1 a check failed · 2 usage, unreadable input or too little memory · 70 a crash (sysexits' EX_SOFTWARE) ·
130 interrupted · 143 terminated.

Sentences of the library as the command says them: a keyword is spelled as the option of the same meaning.
"""

from __future__ import annotations

import csv
import errno
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import click

from thresher.cli.kinds import FLAG
from thresher.cli.option_table import OPTIONS
from thresher.cli.streams import abandon, flush, say, settle, to_stderr
from thresher.errors import Keyword, OptionError, SavedFormError, Sentence, ThresherError, Words, ended

FINE, CHECK_FAILED, USAGE, CRASH, INTERRUPTED, TERMINATED = 0, 1, 2, 70, 130, 143


@dataclass
class Session:
    """State of the run: whether it is debugged, its subcommand, whether SIGTERM came.

    `options` are the subcommand's.
    """

    debug: bool = False
    command: str | None = None
    options: frozenset[str] | None = None
    terminated: bool = False


class CarriedError(Exception):
    """A problem carried past click, which has lines and exit codes of its own for some."""

    def __init__(self, problem: BaseException) -> None:
        super().__init__(str(problem))
        self.problem = problem


class CommandError(click.UsageError):
    """The command cannot run as called: one sentence, exit code 2."""


@contextmanager
def reading_file(name: str, advice: str = "") -> Iterator[None]:
    """Say of a file, by its name, why it cannot be read, with advice on a file of another kind."""
    try:
        yield
    except SavedFormError as error:
        raise CommandError(f"{name}: {error}{advice}") from None
    except (OSError, ValueError, csv.Error) as error:
        raise CommandError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def guarded(run: Callable[[], Any], session: Session) -> int:
    """Run the command; print one line for whatever went wrong, and return the exit code."""
    with warnings.catch_warnings(), ending_tidily(session):
        if not session.debug:
            warnings.showwarning = lambda message, *_, **__: warned(message)
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
    """Report a problem in one line and return its exit code."""
    if isinstance(problem, BrokenPipeError) or getattr(problem, "errno", None) == errno.EPIPE:
        abandon(sys.stdout)
        return FINE
    if isinstance(problem, KeyboardInterrupt | click.Abort):
        say("interrupted")
        return INTERRUPTED
    if isinstance(problem, MemoryError):
        detail = f" ({_one_line(str(problem)).rstrip('.')})" if str(problem) else ""
        say(f"this needs more memory than there is{detail}: use fewer rows or models at a time, or a larger machine.")
        return USAGE
    if isinstance(problem, click.ClickException | ThresherError | OSError):
        refuse(problem, session)
        settle()
        return USAGE
    crashed(problem, debug=session.debug)
    return CRASH


def refuse(problem: click.ClickException | ThresherError | OSError, session: Session) -> None:
    """Write the problem, and the place of the help unless the sentence has the fix."""
    command = session.command
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        to_stderr(problem.format_message())
    elif isinstance(problem, click.ClickException):
        say(sentence(problem.format_message()))
        if not isinstance(problem, CommandError):
            _hint(command)
    elif isinstance(problem, ThresherError):
        say(sentence(as_flags(problem.sentence, session.options)))
        if isinstance(problem, OptionError):
            _hint(command)
    else:
        where = f"{problem.filename!r}: " if problem.filename is not None else "cannot read or write: "
        say(f"{where}{problem.strerror or _one_line(str(problem))}.")


def crashed(problem: BaseException, *, debug: bool) -> None:
    """Report an internal error of thresher or of its installation."""
    if isinstance(problem, ImportError):
        say(f"{sentence(str(problem))} The installation is not in order: `thresher doctor` says more.")
        return
    rerun = "" if debug else " Run it with --debug for the traceback."
    say(f"crashed: {type(problem).__name__}: {ended(_one_line(str(problem)))} This is a bug in thresher.{rerun}")


def warned(message: Warning | str, often: str = "") -> None:
    """Say a warning of the library, or of Python, and how often it came."""
    given = message.args[0] if isinstance(message, Warning) and message.args else message
    said = as_flags(given) if isinstance(given, str) else str(message)
    say(f"warning: {sentence(said)}{often}")


@contextmanager
def warned_once() -> Iterator[None]:
    """Say warnings that come from one place, as of many fits, once at the end, with how often they came."""
    found: dict[tuple[str, int], list[Warning | str]] = {}
    with warnings.catch_warnings():
        warnings.showwarning = lambda text, _kind, file, line, *_: found.setdefault((file, line), []).append(text)
        try:
            yield
        finally:
            for each in found.values():
                warned(each[0], f" ({len(each):,} times)" if len(each) > 1 else "")


def sentence(text: str) -> str:
    """Text on one line with a mark at its end."""
    return ended(_one_line(text))


def _hint(command: str | None) -> None:
    to_stderr(f"Try '{f'thresher {command}' if command else 'thresher'} --help'.")


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "no message"


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


FLAGS = {word: row.flag for name, row in OPTIONS.items() for word in (row.keyword or name).split()}
"""Flag of each keyword."""

PHRASES = {"costs": "--cost-fp with --cost-fn", "direction='lower'": "--lower-is-positive", "style='paper'": "--paper"}
"""Flags for a keyword, or a keyword with its value, without one flag of its own."""


def as_flags(sentence: Words, options: Collection[str] | None = None) -> Words:
    """Spell the keywords of a sentence as the command's options; similar plain text is unchanged.

    Advice of an option outside `options`, by default the running command's, is left out.

    >>> from thresher.errors import choice, keyword
    >>> as_flags("Name score=… it with " + keyword("positive", "…") + "; see also " + choice("missing", "drop") + ".")
    'Name score=… it with --positive …; see also --missing drop.'
    """
    if not isinstance(sentence, Sentence):
        return sentence
    if options is None and (context := click.get_current_context(silent=True)) is not None:
        options = [flag for parameter in context.command.params for flag in parameter.opts]
    return cast(Words, (sentence if options is None else _possible(sentence, options)).spelled(_flag))


def _possible(sentence: Sentence, options: Collection[str]) -> Sentence:
    """Sentence without its later parts that name an unavailable option."""
    parts: list[list[str]] = [[]]
    for piece in sentence.parts:
        for word in [piece] if isinstance(piece, Keyword) else re.split(r"(?<=[.;])(?= )", piece):
            before = parts[-1][-1] if parts[-1] else ""
            if word.startswith(" ") and before.endswith((".", ";")):
                parts.append([])
            parts[-1].append(word)

    def is_foreign(word: str) -> bool:
        flag = _flag(word).partition(" ")[0] if isinstance(word, Keyword) else ""
        return flag.startswith("--") and flag not in options

    kept = [part for i, part in enumerate(parts) if not i or not any(map(is_foreign, part))]
    *words, last = (word for part in kept for word in part)
    return sentence.replaced(*words, last if isinstance(last, Keyword) else last.removesuffix(";"))


def _flag(word: Keyword) -> str:
    phrase = PHRASES.get(str(word)) or PHRASES.get(word.name)
    flag = FLAGS.get(word.name)
    if phrase is not None or flag is None:
        return phrase or str(word)
    row = OPTIONS.get(word.name)
    if row is not None and row.kind is FLAG and word.plain in ("True", "False"):
        return flag if word.plain == "True" else row.flags.split("/")[-1]
    return f"{flag} {word.plain}".rstrip()
