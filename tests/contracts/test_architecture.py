"""No circle of imports, counting those within functions and those for types alone."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import thresher

HOME = Path(thresher.__file__).parent
FREE = ("evaluation", "analysis", "inference", "report", "resampling", "predictions")
"""Packages that have no circle at all; elsewhere two files at most may need each other."""


LONGEST = 400
"""Lines of a file."""

IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|[^\n]+)|import ([^\n]+))", re.MULTILINE)
NAME = re.compile(r"(\w+)(?: as (\w+))?")


def sources(home: Path, package: str) -> dict[str, str]:
    """Text of every module by its dotted name, a package by its own; to parse them all takes seconds."""
    found = {}
    for path in sorted(home.rglob("*.py")):
        parts = [package, *path.relative_to(home).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text("utf-8")
    return found


def lazy_places(home: Path, package: str) -> dict[str, dict[str, str]]:
    """Module of each name that a package loads at first use, by package, as the stub of the package says."""
    found = {}
    for stub in home.glob("*/__init__.pyi"):
        imports = [node for node in ast.parse(stub.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
        found[f"{package}.{stub.parent.name}"] = {a.name: str(node.module) for node in imports for a in node.names}
    return found


def imported(text: str, texts: Mapping[str, str], lazy: Mapping[str, dict[str, str]]) -> Iterator[str]:
    """Modules that one needs, in whatever place it says so; names of a lazy package count as their modules."""
    for module, names, plain in IMPORT.findall(text):
        yield from re.findall(r"[\w.]+", plain)
        for name, other in NAME.findall(names.partition("#")[0] if "(" not in names else names):
            full = f"{module}.{name}"
            yield lazy.get(module, {}).get(name, full if full in texts else module)
            if full in lazy:
                used = re.findall(rf"\b{other or name}\.(\w+)", text)
                yield from (lazy[full][one] for one in used if one in lazy[full])


def circles(home: Path, package: str) -> list[list[str]]:
    """Groups of modules that need each other, by Tarjan's algorithm."""
    texts, lazy = sources(home, package), lazy_places(home, package)
    needs = {name: {to for to in imported(text, texts, lazy) if to in texts} - {name} for name, text in texts.items()}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for to in needs[name]:
            if to not in order:
                visit(to)
            if to in stack:
                low[name] = min(low[name], low[to])
        if low[name] == order[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in needs:
        if name not in order:
            visit(name)
    return found


@pytest.fixture(scope="module")
def found() -> list[list[str]]:
    return circles(HOME, "thresher")


def test_no_circle_is_larger_than_two_files(found):
    assert [group for group in found if len(group) > 2] == []


@pytest.mark.parametrize("package", FREE)
def test_packages_have_no_circle_at_all(found, package):
    assert [group for group in found if any(name.startswith(f"thresher.{package}.") for name in group)] == []


def test_a_file_with_an_underscore_is_read_in_its_folder_alone():
    texts = sources(HOME, "thresher")
    private = {name for name in texts if re.search(r"\._(?!_|util$)\w+$", name)}
    read = {(name, to) for name, text in texts.items() for to in imported(text, texts, {}) if to in private}
    assert private == {to for _, to in read}
    assert {pair for pair in read if pair[0].rpartition(".")[0] != pair[1].rpartition(".")[0]} == set()


def test_no_file_has_more_than_four_hundred_lines() -> None:
    lines = {path.relative_to(HOME).as_posix(): path.read_text("utf-8").count("\n") for path in HOME.rglob("*.py")}
    assert len(lines) > 300
    assert {place: count for place, count in lines.items() if count > LONGEST} == {}


def test_no_class_name_stands_twice():
    texts = sources(HOME, "thresher").values()
    names = Counter(name for text in texts for name in re.findall(r"^class (\w+)", text, re.MULTILINE))
    assert {name for name, times in names.items() if times > 1} == set()


@pytest.mark.parametrize(
    "second",
    [
        "from planted.a import f",
        "def g():\n    from planted import a",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import planted.a",
        "from planted.lazy import f",
        "from planted import lazy\nlazy.f()",
    ],
    ids=["plain", "in a function", "for types", "a lazy name", "an attribute of a lazy package"],
)
def test_a_planted_circle_is_found(tmp_path, second):
    (tmp_path / "lazy").mkdir()
    files = {"a.py": "from planted.b import g", "b.py": second, "c.py": "import planted.a"}
    files |= {"lazy/__init__.py": "", "lazy/d.py": "import planted.a"}
    files["lazy/__init__.pyi"] = "from planted.lazy.d import f as f"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (group,) = circles(tmp_path, "planted")
    assert {"planted.a", "planted.b"} <= set(group)
    assert "planted.c" not in group
