"""Outputs that are kept as approved texts: commands in a folder of their own, and lines that stay alike."""

import importlib.util
import json
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result

from thresher.cli.main import cli
from thresher.examples import example_bytes

SPEC = importlib.util.spec_from_file_location("freeze", Path(__file__).parents[1] / "tools" / "freeze.py")
freeze = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(freeze)
MOST = 60
"""Lines of an output that a session shows."""


@contextmanager
def own_folder() -> Iterator[Path]:
    """Work in an empty folder, in 80 columns, without a clock."""
    with TemporaryDirectory() as name, chdir(name), pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setattr("time.perf_counter", lambda: 0.0)
        yield Path(name)


def ran(command: str) -> Result:
    """Run a command line, without its first word `thresher`."""
    return CliRunner().invoke(cli, shlex.split(command), prog_name="thresher")


def steady(text: str, folder: Path | None = None) -> list[str]:
    """Return the lines of an output that are the same in every version, folder and kernel."""
    is_one = text.startswith("{") and text.count("\n") < 2
    whole = json.dumps(json.loads(text), indent=1, ensure_ascii=False) if is_one else text
    return [shortened(line) for line in freeze.text_lines(whole, folder)]


def shortened(line: str) -> str:
    """Return a line with numbers of 7 digits, and without the end of a long path or list of numbers."""
    line = re.sub(r"(?<![\w.])\d+\.\d{7,}(?:e[-+]?\d+)?(?!\w)", lambda found: f"{float(found[0]):.7g}", line)
    line = re.sub(r'( d="[^"]{60})[^"]*"', r'\1…"', line)
    return line if len(line) < 2000 else f"{line[:300]} … {len(line) // 1000} kB"


def played(session: str) -> str:
    """Return a session with what its commands now print, stdout before stderr, and the exit code where it is not 0.

    A line `== NAME` begins a file, up to the next such line or the first command; `== NAME = EXAMPLE` is an example.
    """
    files, *commands = f"\n{session}".split("\n$ ")
    with own_folder() as folder:
        written(files.splitlines())
        shown = [files]
        for command in (each.partition("\n")[0] for each in commands):
            found = ran(command)
            lines = steady(found.stdout, folder)
            more = [f"… {len(lines) - MOST} more lines"] if len(lines) > MOST else []
            code = [f"[exit code {found.exit_code}]"] * (found.exit_code != 0)
            shown.append("\n".join([command, *lines[:MOST], *more, *steady(found.stderr, folder), *code]))
    return "\n$ ".join(shown)


def written(lines: Iterable[str]) -> None:
    """Write the files at the head of a session."""
    name, content = "", {}
    for line in lines:
        if line.startswith("== "):
            name, _, example = line.removeprefix("== ").partition(" = ")
            content[name] = example_bytes(example).decode() if example else ""
        elif name:
            content[name] += f"{line}\n"
    for name, text in content.items():
        Path(name).write_text(text, "utf-8")
