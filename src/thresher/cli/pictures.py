"""Writing a picture to a file: the kinds that matplotlib knows are checked before the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thresher.cli.exit import CommandError
from thresher.cli.streams import say
from thresher.whole import whole_file


def check_picture(flag: str, path: str) -> None:
    """Refuse a picture of a kind that matplotlib does not write.

    Raises:
        CommandError: the suffix is none of them.
        MissingDependencyError: matplotlib is not installed.
    """
    from thresher.plot.looks import part_of_matplotlib

    known = part_of_matplotlib("backend_bases").FigureCanvasBase.filetypes
    if Path(path).suffix.lower().removeprefix(".") not in known:
        raise CommandError(f"{flag} {path} ends in none of {', '.join(f'.{kind}' for kind in sorted(known))}.")


def write_picture(figure: Any, path: str, *, quiet: bool) -> None:
    """Write a figure, and say so.

    Raises:
        CommandError: the file cannot be written.
    """
    try:
        with whole_file(Path(path)) as place:
            figure.savefig(place, format=Path(path).suffix.lower().removeprefix("."))
    except (OSError, ValueError) as problem:
        raise CommandError(f"cannot write {path}: {problem}") from None
    if not quiet:
        say(f"wrote {path}")
