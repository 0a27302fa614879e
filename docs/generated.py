"""Pages that are made of the product when the site is built: the command's reference, and the forms of JSON."""

from __future__ import annotations

import json
import re
import textwrap
from importlib.resources import files
from typing import Any

import click

from thresher.cli.main import COMMANDS, cli
from thresher.cli.option_table import OPTIONS
from thresher.cli.options import Command
from thresher.codes import CODES

SCHEMAS = {"schema.json": "A report", "ranking.schema.json": "Ranked lists"}
"""Schemas that ship in `thresher/report`, and what they are the form of."""


def commands() -> str:
    """Every command with its arguments, options and examples, as Markdown, from what `--help` is made of."""
    root = click.Context(cli, info_name="thresher")
    return "\n\n".join([_command(cli, root), *(_command(cli.get_command(root, name), root, name) for name in COMMANDS)])


def schemas() -> str:
    """Every key of the JSON that reports have, and every code of a note, as Markdown."""
    read = {file: json.loads(files("thresher.report").joinpath(file).read_text("utf-8")) for file in SCHEMAS}
    codes = "\n".join(f"* `{code}`: {meaning}" for code, meaning in sorted(CODES.items()))
    return "\n\n".join(
        [
            *(_schema(file, schema) for file, schema in read.items()),
            f"## Codes of notes, reasons and warnings\n\n{codes}",
        ]
    )


MADE = {"command-reference": commands, "json": schemas}
"""Pages, and what stands at the end of each."""


def _command(command: click.Command, root: click.Context, name: str = "") -> str:
    ctx = root if not name else click.Context(command, info_name=name, parent=root)
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    parts = [f"## {ctx.command_path}", f"```\n{usage}\n```", *_paragraphs(command.help)]
    for heading, options in command.sections(ctx).items() if isinstance(command, Command) else ():
        parts.append(f"**{heading}**\n\n" + "\n".join(_line(*each) for each in options))
    return "\n\n".join([*parts, *_paragraphs(command.epilog)])


def _line(option: click.Option, record: tuple[str, str]) -> str:
    """Option with its help and, where it is called otherwise there, its keyword in Python."""
    row = OPTIONS.get(str(option.name))
    keyword = "" if row is None else row.keyword.partition(" ")[0]
    python = f" In Python `{keyword}=`." if keyword and row is not None and keyword != row.flag.strip("-") else ""
    return f"* `{record[0]}`: {marked(record[1])}{python}"


def _paragraphs(text: str | None) -> list[str]:
    """Paragraphs of help; those that click is told to leave as they are become blocks under their first line."""
    found = []
    for part in re.split(r"\n\s*\n", textwrap.dedent(text or "").strip("\n")):
        kept = part.strip().startswith("\b")
        lines = [line for line in part.replace("\b", "").split("\n") if line.strip()]
        split = next((i for i, line in enumerate(lines) if kept and line.startswith(" ")), len(lines) if kept else 0)
        head, inner = " ".join(lines[:split]), textwrap.dedent("\n".join(lines[split:]))
        found += [marked(head)] if head else []
        found += [f"```\n{inner}\n```" if kept else marked(inner)] if inner else []
    return found


def marked(text: str) -> str:
    """Text of help as Markdown: `code` stays, all other marks are as they are read.

    >>> marked("a pattern such as 'tag_*', or `x_*`")
    "a pattern such as 'tag\\\\_\\\\*', or `x_*`"
    """
    parts = text.split("`")
    return "`".join(
        part if place % 2 else re.sub(r"([\\*_<>\[\]#|~$])", r"\\\1", part) for place, part in enumerate(parts)
    )


def _schema(file: str, schema: dict[str, Any]) -> str:
    kind = file.split(".", maxsplit=1)[0]
    parts = [f"## {SCHEMAS[file]}", f'<a href="{file}">{file}</a>', marked(schema["description"])]
    parts += [_object(kind, schema)]
    for name, part in schema["$defs"].items():
        parts += [f"({kind}-{name.lower()})=\n### {name}", _object(kind, part)]
    return "\n\n".join(parts)


def _object(kind: str, part: dict[str, Any]) -> str:
    return _keys(kind, part) or _said(kind, part)


def _keys(kind: str, part: dict[str, Any]) -> str:
    """Keys of an object, or of those that a list or a mapping holds, a line each."""
    for held in (part, part.get("items"), part.get("additionalProperties")):
        if isinstance(held, dict) and "properties" in held:
            needed = held.get("required", ())
            return "\n".join(
                f"* `{key}`{'' if key in needed else ' (may be left out)'}: {_said(kind, value)}"
                for key, value in held["properties"].items()
            )
    return ""


def _said(kind: str, part: dict[str, Any]) -> str:
    """Type of a value and what it is, in a line, and its own keys below."""
    said = [_type(kind, part), marked(part.get("description", ""))]
    return "\n".join([". ".join(filter(None, said)), textwrap.indent(_keys(kind, part), "  ")]).rstrip()


def _type(kind: str, part: dict[str, Any]) -> str:
    if "$ref" in part:
        name = part["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{kind}-{name.lower()})"
    if "const" in part or "enum" in part:
        return " or ".join(f"`{json.dumps(value)}`" for value in part.get("enum", [part.get("const")]))
    if "oneOf" in part:
        return " or ".join(_type(kind, each) for each in part["oneOf"])
    named = part.get("type", "object")
    types = " or ".join(named if isinstance(named, list) else [named])
    if part.get("items"):
        return f"{types} of {_type(kind, part['items'])}"
    values = part.get("additionalProperties")
    return f"{types} of {_type(kind, values)} by name" if isinstance(values, dict) else types
