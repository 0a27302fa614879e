"""Record all outputs that the documentation and the report cases show, and compare two such records.

    python tools/freeze.py record frozen.json.xz
    python tools/freeze.py compare before.json.xz after.json.xz --allowed allowed.toml

A record maps the name of an output to its lines: numbers at 12 significant digits, texts whole, and an error as its
sentence. Before a rewrite, record; after it, compare: only differences listed with a reason may remain.
"""

from __future__ import annotations

import difflib
import json
import lzma
import os
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import fields, is_dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

Record = dict[str, list[str]]
LONG_NUMBER = re.compile(r"(?<![\w.])\d+\.\d{5,}(?:e[-+]?\d+)?(?!\w)")
CHECKSUM = re.compile(r"\b[0-9a-f]{64}\b")
LONG_LIST = 300
SECONDS = re.compile(r"(seconds(?:\"|\[\d+\])?[:,]? +)(?:\[[^\]]*\]|[\d.e-][\d.e -]*)")
SHOWN = 12
DIFF = ("--", "++", "@@")


def rounded(text: str) -> str:
    """Return a text with its numbers at 12 significant digits, and without measured times and checksums."""
    text = CHECKSUM.sub("CHECKSUM", SECONDS.sub(r"\1TIME", text))
    return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.12g}", text)


def frozen_value(value: Any, depth: int = 6) -> Any:
    """Return a result as nested dictionaries, lists and texts, by what is public of it."""
    if isinstance(value, float | np.floating):
        value = f"{value:.12g}"
    elif isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    elif hasattr(value, "to_dict"):
        value = value.to_dict()
    elif is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping) and depth:
        return {str(key): frozen_value(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and depth:
        return [frozen_value(item, depth - 1) for item in value]
    return type(value).__name__


def lines_of(name: str, value: Any) -> Iterator[str]:
    """Yield one line for each number or text of a nested value, a long list by every so-manieth item."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from lines_of(f"{name}.{key}" if name else key, item)
    elif isinstance(value, list):
        step = max(1, len(value) // LONG_LIST)
        yield f"{name}: {len(value)} items"
        for place in range(0, len(value), step):
            yield from lines_of(f"{name}[{place}]", value[place])
    else:
        yield from f"{name}: {value}".splitlines()


def text_lines(text: str, folder: Path | None = None) -> list[str]:
    """Return the lines of an output, without what depends on the version, the folder or the page's own script."""
    import thresher

    text = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.S)
    text = re.sub(r"data:[\w/+;=]+;base64,[\w/+=]+", "BASE64", text).replace(thresher.__version__, "VERSION")
    text = text.replace(str(folder), "FOLDER") if folder else text
    return rounded(re.sub(r"(?=<\w)", "\n", text) if text.startswith("<!") else text).splitlines()


@contextmanager
def empty_folder() -> Iterator[Path]:
    """Work in an empty folder and with 80 columns, as the documentation does."""
    os.environ |= {"COLUMNS": "80", "LINES": "24"}
    with tempfile.TemporaryDirectory() as name, chdir(name):
        yield Path(name)


def attempt(call: Callable[..., list[str]], *arguments: Any) -> list[str]:
    """Return the lines of a call, or its error."""
    try:
        return call(*arguments)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def error_of(lines: list[str]) -> str | None:
    """Return the kind of error that an output is, or None."""
    found = re.match(r"(\w+Error): ", lines[0]) if len(lines) == 1 else None
    return found and found[1]


def frozen_calls() -> Iterator[tuple[str, list[str]]]:
    """Yield the value of every call that the pages of calls show."""
    import test_calls_page as pages

    with empty_folder() as folder:
        for page, call in pages.CALLS:
            later = pages.more(folder) if pages.LATER.search(call) else {}
            yield f"call {page} {call}", attempt(evaluated, call, pages.names() | later)


def evaluated(call: str, names: dict[str, Any]) -> list[str]:
    """Return the lines of an expression's value."""
    return [rounded(line) for line in lines_of("", frozen_value(eval(call, names)))]


def frozen_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield what every command of the documentation prints, and the files that it writes."""
    from doc_blocks import blocks, commands, write_files, write_tumours
    from test_doc_blocks import WITH_COMMANDS

    for page in ["README.md", *WITH_COMMANDS]:
        with empty_folder() as folder:
            if page == "docs/study.md":
                write_tumours(folder)
            write_files(page, folder)
            for block in blocks(page):
                for command in commands(block):
                    yield f"command {page} {' '.join(command.words)}", attempt(printed, command, folder)


def printed(command: Any, folder: Path) -> list[str]:
    """Return the exit code and output of a command, and of each new file."""
    from click.testing import CliRunner

    from test_doc_blocks import counted_by
    from thresher.cli.main import cli

    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    if command.words[0] == "thresher":
        ran = CliRunner().invoke(cli, list(command.words[1:]), prog_name="thresher")
        code, text, noted = ran.exit_code, ran.stdout, ran.stderr
    elif command.words[0] == "psql":
        head, *rows = counted_by(command.words[command.words.index("-f") + 1]).splitlines(keepends=True)
        code, text, noted = 0, "".join([head, *sorted(rows)]), ""
    else:
        return []
    if command.target:
        (folder / command.target).write_text(text, encoding="utf-8")
    found = [f"exit code {code}", *text_lines(text, folder), *(f"stderr: {line}" for line in text_lines(noted, folder))]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and before.get(path) != path.stat().st_mtime_ns:
            found += [f"file {path.relative_to(folder)}", *file_lines(path, folder)]
    return found


def file_lines(path: Path, folder: Path) -> list[str]:
    """Return the lines of a file: a saved table as its columns and what stands beside them."""
    content = path.read_bytes()
    if content[:4] != b"PAR1":
        return text_lines(content.decode("utf-8", "replace"), folder)
    from pyarrow import parquet

    table = parquet.read_table(path)
    beside = {key.decode(): json.loads(text) for key, text in (table.schema.metadata or {}).items() if text[:1] == b"{"}
    found = {"columns": table.to_pydict(), "beside": beside}
    return [*text_lines("\n".join(lines_of("", frozen_value(found, depth=12))), folder)]


def frozen_reports() -> Iterator[tuple[str, list[str]]]:
    """Yield every report case as `print` shows it and in every form of a report."""
    import report_cases
    from thresher.report.files import FORMS, render

    cases = {name: partial(report_cases.case, name) for name in report_cases.CASES}
    cases |= {"breast_cancer": report_cases.breast_cancer, "in_parts": report_cases.breast_cancer_in_parts}
    for name, case in cases.items():
        yield f"print {name}", attempt(lambda found: text_lines(str(found())), case)
        for form in FORMS:
            yield f"report {name} {form}", attempt(lambda found, form: text_lines(render(found(), form)), case, form)


def frozen_saved() -> Iterator[tuple[str, list[str]]]:
    """Yield the predictions of every report case and its counts as saved files."""
    import report_cases
    import thresher as th

    taken = ("positive", "by", "weights", "weight_kind", "direction")
    for name, case in report_cases.CASES.items():
        options = {key: case[key] for key in taken if key in case}
        yield f"saved {name} rows", attempt(saved, partial(predictions_of, name))
        if "scores" in case:
            yield f"saved {name} counts", attempt(saved, partial(th.count, case["data"], case["scores"], **options))


def predictions_of(name: str) -> Any:
    """Return the predictions of a report case."""
    import report_cases

    return report_cases.case(name).predictions


def saved(make: Callable[[], Any]) -> list[str]:
    """Return the lines of the file that a value saves itself to."""
    with empty_folder() as folder:
        make().save(folder / "saved.parquet")
        return file_lines(folder / "saved.parquet", folder)


def frozen_measures() -> Iterator[tuple[str, list[str]]]:
    """Yield the catalogue of measures."""
    from click.testing import CliRunner

    from thresher.cli.main import cli

    for form in ("text", "json"):
        ran = CliRunner().invoke(cli, ["measures", "--format", form], prog_name="thresher")
        yield f"measures {form}", text_lines(ran.output)


def record() -> Record:
    """Return all outputs by name."""
    parts = (frozen_calls, frozen_commands, frozen_reports, frozen_saved, frozen_measures)
    return {name: lines for part in parts for name, lines in part()}


def allowed_names(path: str | None) -> dict[str, str]:
    """Return the patterns of names that may differ, each with its reason."""
    if path is None:
        return {}
    entries = tomllib.loads(Path(path).read_text(encoding="utf-8"))["allowed"]
    return {entry["name"]: entry["reason"] for entry in entries}


def differences(before: Record, after: Record) -> dict[str, list[str]]:
    """Return the changed lines of each output that differs."""
    found = {}
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name, []), after.get(name, [])
        if old != new:
            found[name] = [line for line in difflib.unified_diff(old, new, lineterm="", n=0) if line[:2] not in DIFF]
    return found


@click.group()
def main() -> None:
    """Record all outputs of the documentation and the report cases, and compare two records."""


@main.command("record")
@click.argument("path", type=click.Path(dir_okay=False))
def record_command(path: str) -> None:
    """Write all outputs to a compressed file."""
    found = record()
    Path(path).write_bytes(lzma.compress(json.dumps(found, indent=0, ensure_ascii=False).encode("utf-8", "replace")))
    click.echo(f"{len(found)} outputs, {sum(map(len, found.values()))} lines")


@main.command("compare")
@click.argument("before", type=click.Path(exists=True, dir_okay=False))
@click.argument("after", type=click.Path(exists=True, dir_okay=False))
@click.option("--allowed", type=click.Path(exists=True, dir_okay=False), help="TOML of names that may differ, and why.")
def compare_command(before: str, after: str, allowed: str | None) -> None:
    """Print what differs; exit with 1 unless every difference is allowed."""
    old, new = (json.loads(lzma.decompress(Path(path).read_bytes())) for path in (before, after))
    reasons, left = allowed_names(allowed), 0
    for name, lines in differences(old, new).items():
        reason = next((why for pattern, why in reasons.items() if fnmatchcase(name, pattern)), None)
        left += reason is None
        click.echo(f"{name} ({len(lines)} lines)" + (f": {reason}" if reason else ""))
        for line in lines[:SHOWN] if reason is None else ():
            click.echo(f"    {line[:200]}")
    click.echo(f"{left} outputs differ without a reason")
    sys.exit(left > 0)


if __name__ == "__main__":
    main()
