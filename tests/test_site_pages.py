"""Pages of the site that are made of the product have all of it, and the mended theme loses nothing that is used."""

import json
import re
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import click
import pytest

from thresher.cli.main import COMMANDS, cli

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
import generated
import lighter

sys.path.pop(0)


@pytest.fixture(scope="module")
def reference():
    parts = re.split(r"(?m)^## thresher ?", generated.commands())
    return {part.partition("\n")[0]: part for part in parts[1:]}


def test_every_command_has_its_part(reference):
    assert list(reference) == ["", *COMMANDS]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_example_stands_there(name, reference):
    command = cli.get_command(click.Context(cli), name)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            if parameter.hidden:
                assert f"`{parameter.opts[0]}" not in reference[name]
                continue
            assert f"* `{parameter.opts[0]}" in reference[name] or f", {parameter.opts[-1]}" in reference[name]
            assert generated.marked(parameter.help) in reference[name]
        else:
            assert parameter.make_metavar(click.Context(command)) in reference[name]
    for line in (command.epilog or "").replace("\b", "").splitlines():
        assert line.strip() in reference[name] or generated.marked(line.strip()) in reference[name]


@pytest.mark.parametrize("file", generated.SCHEMAS)
def test_every_key_of_a_schema_stands_there(file):
    page = generated.schemas().split(f'<a href="{file}">')[1].split('<a href="')[0]
    schema = json.loads(files("thresher.report").joinpath(file).read_text("utf-8"))

    def keys(part):
        if isinstance(part, dict):
            yield from part.get("properties", {})
            for inner in part.values():
                yield from keys(inner)

    assert len(set(keys(schema))) > 20
    assert [key for key in keys(schema) if f"* `{key}`" not in page] == []
    linked = set(re.findall(r"\]\(#([\w-]+)\)", page))
    assert linked - set(re.findall(r"(?m)^\(([\w-]+)\)=$", page)) == set()


def test_every_phrase_that_is_searched_for_has_one_page():
    docs = Path(__file__).parents[1] / "docs"
    pages = tomllib.loads((docs / "searched.toml").read_text(encoding="utf-8"))
    assert [page for page in pages if not (docs / f"{page}.md").exists()] == []
    phrases = [phrase.lower() for each in pages.values() for phrase in each]
    assert len(phrases) == len(set(phrases)) > 60
    assert not any(set(phrase) & set(",;:!") for phrase in phrases)


def test_lighter_style_sheet_keeps_what_is_used():
    style = "a.b{x:y}.c,.b .d{z:w}@media print{.c{p:q}.b{r:s}}:is(.c,.b):before{t:u}p{v:w}"
    assert lighter.lighter(style, {"b"}) == "a.b{x:y}@media print{.b{r:s}}:is(.c,.b):before{t:u}p{v:w}"
