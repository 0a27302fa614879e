"""Writing to stdout and stderr, whatever their encoding.

Data forms (JSON, CSV, HTML, Markdown) are UTF-8 bytes by their own definition, so they are written as such. Text
for people follows the terminal's encoding, with look-alikes where a character is missing from it.

Progress bars of reading and resampling on stderr, when a person is looking at them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

import click

from thresher._util.safe_text import escape_controls, escape_lines
from thresher._util.threads import progress_scope

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("─━═┄┈╌╴╶", "-"),
        **dict.fromkeys("│┃║┆┊", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┣┫┳┻╋╞╡╪╔╗╚╝╠╣╦╩╬┝┥┿╇╈", "+"),
        **dict.fromkeys("▁▂▃▄▅▆▇█▏▎▍▌▋▊▉░▒▓■●•·", "*"),
        **dict.fromkeys("‘’′", "'"),
        **dict.fromkeys("“”″", '"'),
        **dict.fromkeys("−–—‐‑", "-"),
        "…": "...", "≥": ">=", "≤": "<=", "≠": "!=", "≡": "==", "×": "x", "÷": "/", "±": "+/-", "∞": "inf",
        "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "²": "^2", "³": "^3", "√": "sqrt", "Σ": "sum",
        "α": "alpha", "β": "beta", "κ": "kappa", "π": "pi", "χ": "chi", "µ": "u", "→": "->", "←": "<-", "↑": "^",
        "↓": "v", "✓": "ok", "✗": "x", "\u00a0": " ", "\u2009": " ", "\u202f": " ",
    }
)  # fmt: skip


def printable(text: str, encoding: str | None) -> str:
    """Return text with characters outside the encoding replaced by look-alikes, or by escapes.

    >>> printable("AUC ≥ ½ │ café", "ascii")
    'AUC >= 1/2 | caf\\\\xe9'
    """
    encoding = encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ALIKE).encode(encoding, "backslashreplace").decode(encoding)
    return text


def say(sentence: str) -> None:
    """One line for the user on stderr."""
    to_stderr(f"thresher: {sentence}")


def to_stderr(text: str) -> None:
    """Write lines to stderr, without characters that move the cursor; ignore a stderr that cannot be written."""
    try:
        click.echo(printable(escape_lines(text), getattr(sys.stderr, "encoding", None)), err=True)
    except OSError:
        abandon(sys.stderr)


def flush() -> None:
    """Flush stdout now, while a closed pipe or a full disk can still be reported.

    Raises:
        OSError: stdout cannot be written.
    """
    with suppress(OSError):
        sys.stderr.flush() if sys.stderr is not None else None
    try:
        sys.stdout.flush() if sys.stdout is not None else None
    except OSError:
        abandon(sys.stdout)
        raise


def settle() -> None:
    """Flush stdout and stderr where possible after an error."""
    with suppress(OSError):
        flush()


def abandon(stream: Any) -> None:
    """Point a stream at nothing, or the interpreter's own flush at exit would complain and change the exit code."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def terminal_width() -> int:
    """Columns of the terminal, at least 60; 100 when there is no terminal to ask."""
    import shutil

    return max(60, shutil.get_terminal_size((100, 24)).columns)


def write_text(text: str | Iterable[str]) -> None:
    """Write text for people to stdout, part by part, ending in a newline, without characters that move the cursor."""
    encoding = getattr(sys.stdout, "encoding", None)
    if isinstance(text, str):
        click.echo(printable(escape_lines(text.rstrip("\n")), encoding))
        return
    for part in text:
        click.echo(printable(escape_lines(part), encoding), nl=False)


def write_data(parts: str | Iterable[str]) -> None:
    """Data on stdout as UTF-8, part by part, so that a reader who stops early stops the work too."""
    write_bytes(part.encode("utf-8", "replace") for part in ([parts] if isinstance(parts, str) else parts))


def write_bytes(parts: Iterable[bytes]) -> None:
    """Write raw bytes to stdout; nothing when it was closed before the start."""
    if sys.stdout is None:
        return
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


Report: TypeAlias = Callable[[float | None, str], None]
"""Callback of a reader with the share done (None while unknown) and the current step."""


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(*, quiet: bool) -> Iterator[Report | None]:
    """A bar that vanishes when its block ends; None without a terminal, so that rich is not loaded."""
    if quiet or not is_watched():
        yield None
        return
    with _drawn_bar("Reading", "TaskProgressColumn") as bar:

        def report(share: float | None, text: str) -> None:
            total = None if share is None else 1.0
            bar.update(bar.task_ids[0], description=escape_controls(text), total=total, completed=share or 0.0)

        yield report


PATIENCE = 0.3
"""Seconds of resampling before a bar is shown: a flashing bar is useless."""


@contextmanager
def resampling(*, quiet: bool) -> Iterator[None]:
    """Show the progress of all resampling in this block."""
    if quiet or not is_watched():
        yield
        return
    bar = _Bar()
    try:
        with progress_scope(bar.show):
            yield
    finally:
        bar.close()


class _Bar:
    """A bar that appears when resampling takes a while, and vanishes when all of one kind is done."""

    def __init__(self) -> None:
        self.shown: Any = None
        self.since: float | None = None

    def show(self, done: int, wanted: int) -> None:
        """Draw the progress."""
        now = time.monotonic()
        self.since = now if self.since is None else self.since
        if done >= wanted:
            self.close()
        elif now - self.since > PATIENCE:
            self.shown = self.shown or _drawn_bar()
            self.shown.update(self.shown.task_ids[0], completed=done, total=wanted)

    def close(self) -> None:
        """Take the bar away; the next resampling starts a new one."""
        if self.shown is not None:
            self.shown.stop()
        self.shown = self.since = None


def _drawn_bar(text: str = "Resampling", counted: str = "MofNCompleteColumn") -> Any:
    from rich import progress
    from rich.console import Console

    described = progress.TextColumn("{task.description}", markup=False)  # names in it are not markup
    columns = (described, progress.BarColumn(), getattr(progress, counted)(), progress.TimeRemainingColumn())
    bar = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(text, total=None)
    bar.start()
    return bar
