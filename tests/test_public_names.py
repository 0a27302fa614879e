"""Every public name is on a page of the reference, says what it is, and is where the documentation imports it from."""

import inspect
import re
from importlib import import_module

import pytest

from public_names import ROOT, is_ours, listed_packages, members, public_names

PRIVATE = {
    "thresher.analysis", "thresher.readers", "thresher.kernel", "thresher.kernel.reference",
    "thresher.metrics.inputs",
}  # fmt: skip
"""Packages whose names are for our own use, as the page about what is public says."""
LOOKED_INTO = {
    "thresher.measures.measure_text.parse_measure",
    "thresher.resampling.estimates",
    "thresher.resampling.nearest_mean.NearestMean",
}
"""What examples show the inside of, or are made with."""


def test_every_package_with_public_names_is_listed_or_private():
    files = (ROOT / "src" / "thresher").rglob("__init__.py")
    packages = {
        ".".join(file.parent.relative_to(ROOT / "src").parts) for file in files if "__all__" in file.read_text("utf-8")
    }
    listed = set(listed_packages())
    assert packages - listed == PRIVATE & packages
    reference = (ROOT / "docs" / "reference.rst").read_text(encoding="utf-8")
    assert set(re.findall(r"(?m)^   (thresher[.\w]*)$", reference)) == listed
    said = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    assert [name for name in packages & PRIVATE if name.count(".") == 1 and f"`{name}`" not in said] == []


@pytest.mark.parametrize("without", ["thresher.displays", pytest.param("", marks=pytest.mark.peer)])
def test_every_public_name_says_what_it_is(monkeypatch, without):
    """Functions, classes, methods and properties in a docstring, fields there or in the list that the site reads."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import fields

    names = public_names(without=without)
    assert len(names) > 440
    silent = [name for name, value in names.items() if callable(value) and not value.__doc__]
    for name, cls in names.items():
        for member in members(cls) if is_ours(cls) else ():
            value = inspect.getattr_static(cls, member, None)
            said = {*fields.spoken_of(cls), *re.findall(r"\w+", cls.__doc__ or ""), *fields.FIELDS}
            own = getattr(value, "__doc__", None) != getattr(type(value), "__doc__", None)
            silent += [] if (own and value.__doc__) or member in said else [f"{name}.{member}"]
    assert silent == []


def test_every_name_that_the_pages_import_is_public():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    found = {
        f"{module}.{name.split()[0]}"
        for page in pages
        for module, names in re.findall(
            r"(?m)^(?:>>> )?from (thresher[\w.]*) import ([\w, ]+?)(?:  #.*)?$", page.read_text("utf-8")
        )
        for name in names.split(",")
    }
    assert len(found) > 60
    packages = {package: set(import_module(package).__all__) for package in listed_packages()}
    hidden = {
        each for each in found
        if not any(each.startswith(f"{p}.") and each.rpartition(".")[2] in names for p, names in packages.items())
    }  # fmt: skip
    assert {each for each in hidden - packages.keys() if not each.startswith(tuple(LOOKED_INTO))} == set()
