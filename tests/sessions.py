"""Outputs that are kept as approved texts: commands in a folder of their own, and lines that stay alike."""

import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner, Result

from thresher.cli.main import cli
from thresher.examples import example_bytes

SPEC = importlib.util.spec_from_file_location("freeze", Path(__file__).parents[1] / "tools" / "freeze.py")
freeze = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(freeze)
MOST = 60
"""Lines of a text that a session shows; of JSON half as many, as they are longer."""
WIDTH = 240
"""Characters of a line that is laid out or filled here."""
INLINE = re.compile(
    "<(td|th|a|b|i|em|span|code|small|button|option|input|label|path|text|title|desc|line|rect|circle|g)\\b"
)


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
    whole = "\n".join(laid_out(json.loads(text))) if is_one else text
    return joined([shortened(line) for line in freeze.text_lines(whole, folder)])


def laid_out(value: Any, before: str = "", after: str = "") -> list[str]:
    """Return JSON in lines of at most `WIDTH` characters where its objects and lists allow it."""
    line = before + json.dumps(value, ensure_ascii=False) + after
    if len(shortened(line)) <= WIDTH or not value or not isinstance(value, dict | list):
        return [line]
    is_dict = isinstance(value, dict)
    pairs = [(f"{json.dumps(key)}: ", each) for key, each in value.items()] if is_dict else [("", x) for x in value]
    indent = " " * (len(before) - len(before.lstrip()) + 1)
    items = [laid_out(x, indent + key, "," * (place < len(pairs))) for place, (key, x) in enumerate(pairs, 1)]
    return [before + "[{"[is_dict], *chain(*items), indent[1:] + "]}"[is_dict] + after]


def joined(lines: list[str]) -> list[str]:
    """Return lines of HTML with cells, words and parts of a picture filled up to `WIDTH` characters."""
    found = []
    for line in lines:
        if INLINE.match(line) and found and len(found[-1]) + len(line) <= WIDTH and found[-1].startswith("<"):
            found[-1] += line
        else:
            found.append(line)
    return found


def shortened(line: str) -> str:
    """Return a line with numbers of 7 digits, and without the end of a long path or list of numbers."""
    line = re.sub(r"(?<![\w.])\d+\.\d{7,}(?:e[-+]?\d+)?(?!\w)", lambda found: f"{float(found[0]):.7g}", line)
    line = re.sub(r'( d="[^"]{60})[^"]*"', r'\1…"', line)
    return line if len(line) < 2000 else f"{line[:300]} … {len(line) // 1000} kB"


def played(session: str, shared: dict[str, str] | None = None) -> str:
    """Return a session with what its commands now print, stdout before stderr, and the exit code where it is not 0.

    Files are written first: their sections (see `contents`) end at the first command.
    """
    files, *commands = f"\n{session}".split("\n$ ")
    with own_folder() as folder:
        for name, text in contents(files, shared or {}).items():
            Path(name).write_text(text, "utf-8")
        shown = [files]
        for command in (each.partition("\n")[0] for each in commands):
            found = ran(command)
            lines = steady(found.stdout, folder)
            most = MOST // 2 if found.stdout.startswith("{") else MOST
            more = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
            code = [f"[exit code {found.exit_code}]"] * (found.exit_code != 0)
            shown.append("\n".join([command, *lines[:most], *more, *steady(found.stderr, folder), *code]))
    return "\n$ ".join(shown)


def contents(text: str, shared: dict[str, str]) -> dict[str, str]:
    """Return files by name from sections that begin with a line `== NAME`, or `== NAME = EXAMPLE` for example data.

    A line `<< NAME[FIRST:LAST]` stands for these lines of a shared file, counted as in Python.
    """
    name, found = "", {}
    for line in text.splitlines():
        if line.startswith("== "):
            name, _, example = line.removeprefix("== ").partition(" = ")
            found[name] = example_bytes(example).decode() if example else ""
        elif name:
            found[name] += "".join(f"{each}\n" for each in lines_for(line, shared))
    return found


def lines_for(line: str, shared: dict[str, str]) -> list[str]:
    """Return the lines of a file that a line of its section stands for."""
    part = re.fullmatch(r"<< (.+)\[(\d*):(\d*)\]", line)
    return shared[part[1]].splitlines()[int(part[2] or 0) : int(part[3]) if part[3] else None] if part else [line]
