"""Outputs of a command: one rule of `-o`, `--format` and `--quiet` for all.

`-o FILE` writes the document to a file, in the form of its suffix. stdout then has a summary as text, unless
`--quiet`; `--format` says the form of a document on stdout, beside files or without.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher._util.fast_dataclass import dataclass
from thresher._util.safe_text import escape_lines
from thresher.cli.exit import CommandError
from thresher.cli.options import Arguments
from thresher.cli.streams import say, write_data, write_text
from thresher.report.forms import suffixes_of

FILE_WIDTH = 100
"""Columns of a text file, without a terminal."""

Parts = str | Iterable[str]
Render = Callable[[str, int | None], Parts]
"""The document in a form, at a width of text or, on stdout, None."""


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Files with their forms, and the form of stdout, None when none was given."""

    files: tuple[tuple[Path, str], ...]
    form: str | None
    default: str = "text"
    quiet: bool = False

    @classmethod
    def of(
        cls,
        args: Arguments,
        forms: Sequence[str],
        *,
        inputs: Sequence[str] | None = None,
        others: Mapping[str, str | None] | None = None,
        default: str = "text",
    ) -> Outputs:
        """Outputs as the options name them, `-` for stdout; `others` are further files that are written, by option.

        `inputs` are the files that are read, by default the command's.
        """
        paths = [Path(output) for output in args.outputs if output != "-"]
        more = [(flag, Path(path)) for flag, path in (others or {}).items() if path is not None]
        check_paths([*(("-o", path) for path in paths), *more], args.inputs if inputs is None else inputs)
        known = suffixes_of(forms)
        if odd := next((path for path in paths if path.suffix.lower() not in known), None):
            listed = ", ".join(suffix for suffix in known if suffix != ".htm")
            raise CommandError(f"-o {odd} ends in none of {listed}: the suffix sets the format.")
        found = tuple((path, known[path.suffix.lower()]) for path in paths)
        asked = default if args.form is None and "-" in args.outputs else args.form
        return cls(files=found, form=asked, default=default, quiet=args.quiet)

    @property
    def forms(self) -> set[str]:
        """All forms that are written."""
        shown = self.form or (None if self.files else self.default)
        return {form for _, form in self.files} | ({shown} if shown else set())

    def write(self, render: Render, summary: Callable[[], str] | None = None) -> None:
        """Write the files, then stdout: a reader who stops early still has the files.

        `summary` goes to stdout beside a file; by default the document as text.
        """
        for path, form in self.files:
            from thresher.report.files import write_whole

            parts = render(form, FILE_WIDTH)
            write_whole(
                path, map(escape_lines, [parts] if isinstance(parts, str) else parts) if form == "text" else parts
            )
            if not self.quiet:
                say(f"wrote {path}")
        if self.form is None and self.files:
            if not self.quiet:
                write_text(summary() if summary else render("text", None))
            return
        form = self.form or self.default
        (write_text if form == "text" else write_data)(render(form, None))


def check_paths(written: Sequence[tuple[str, Path]], inputs: Sequence[str]) -> None:
    """Refuse, before the work, files that could not be written or would overwrite inputs, or each other."""
    read = {os.path.realpath(file) for given in inputs for file in (given, *glob.glob(given, recursive=True))}
    taken: dict[str, str] = {}
    for flag, path in written:
        if path.is_dir():
            raise CommandError(f"{flag} {path} is a directory: name a file in it.")
        if not path.parent.is_dir():
            raise CommandError(f"{flag} {path}: there is no directory {path.parent}.")
        place = os.path.realpath(path)
        if place in read:
            raise CommandError(f"{flag} {path} would overwrite a file that is read.")
        if place in taken:
            again = "is given twice" if taken[place] == flag else f"would overwrite the output of {taken[place]}"
            raise CommandError(f"{flag} {path} {again}.")
        taken[place] = flag


def check_picture(flag: str, path: str) -> None:
    """Refuse a picture of a kind that matplotlib does not write."""
    from thresher.plot.looks import part_of_matplotlib

    known = part_of_matplotlib("backend_bases").FigureCanvasBase.filetypes
    if Path(path).suffix.lower().removeprefix(".") not in known:
        raise CommandError(f"{flag} {path} ends in none of {', '.join(f'.{kind}' for kind in sorted(known))}.")


def write_picture(figure: Any, path: str, *, quiet: bool) -> None:
    """Write a figure, and say so."""
    from thresher._util.atomic_file import atomic_write

    try:
        with atomic_write(Path(path)) as place:
            figure.savefig(place, format=Path(path).suffix.lower().removeprefix("."))
    except (OSError, ValueError) as problem:
        raise CommandError(f"cannot write {path}: {problem}") from None
    if not quiet:
        say(f"wrote {path}")
