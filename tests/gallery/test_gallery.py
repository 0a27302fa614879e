"""The gallery: every entry draws what its picture shows, and the comparison sees a lost line but no other font."""

import ast
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th

pytestmark = pytest.mark.peer

DOCS = Path(__file__).parents[2] / "docs"
MOST = 0.045
"""Share of ink that may lie elsewhere: other versions of matplotlib smooth lines in another way."""

pytest.importorskip("matplotlib")
sys.path.insert(0, str(DOCS / "gallery"))
import make  # noqa: E402

sys.path.pop(0)


@pytest.fixture(autouse=True)
def _canvas():
    yield
    make.pyplot.close("all")


def kept(name: str) -> Any:
    from PIL import Image

    return np.asarray(Image.open(make.LINES / f"{name}.png"))


def entry(name: str) -> Any:
    return next(each for each in make.ENTRIES if each.name == name)


@pytest.mark.parametrize("shown", make.ENTRIES, ids=lambda each: each.name)
def test_an_entry_draws_its_picture_in_five_statements(shown: Any) -> None:
    assert len(ast.parse(shown.code).body) <= 5
    assert max(map(len, shown.code.splitlines())) <= 75
    assert ";" not in shown.code
    assert not [name for name in re.findall(r"\bth\.(\w+)", shown.code) if name not in th.__all__]
    figure = make.drawn(shown)
    assert figure.axes
    assert len(make.picture(figure)) < 60_000
    found = make.lines(figure)
    assert (found < 230).sum() > 50
    assert shown.measured or make.moved(found, kept(shown.name)) < MOST


def test_the_page_is_what_the_entries_say() -> None:
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == make.page()
    names = [each.name for each in make.ENTRIES]
    assert len(set(names)) == len(names) > 35
    assert {each.part for each in make.ENTRIES} == set(make.PARTS)
    assert {path.stem for path in make.PICTURES.iterdir()} == {path.stem for path in make.LINES.iterdir()} == set(names)
    assert max(path.stat().st_size for path in make.PICTURES.iterdir()) < 60_000
    assert all(40 < len(each.alt) < 300 and each.alt.endswith(".") for each in make.ENTRIES)


def test_every_figure_of_the_texts_is_listed_under_a_title() -> None:
    lines = (DOCS / "pictures.md").read_text(encoding="utf-8").partition("## The figures of the textbooks")[2]
    rows = [line.strip("| ").split(" | ")[1] for line in lines.partition("\n## ")[0].splitlines() if " | " in line][1:]
    titles = {each.title for each in make.ENTRIES}
    assert len(rows) == 18
    assert all(title in titles for row in rows for title in row.split(" · "))


def test_the_comparison_survives_another_font() -> None:
    with make.matplotlib.rc_context({"font.family": "serif", "font.size": 14}):
        found = make.lines(make.drawn(entry("roc_models")))
    assert make.moved(found, kept("roc_models")) < 0.001


@pytest.mark.parametrize("name", ["roc_models", "roc_stairs", "iso_lines", "calibration", "comparison", "pr"])
def test_the_comparison_sees_a_lost_line(name: str) -> None:
    figure = make.drawn(entry(name))
    lines = figure.axes[0].lines
    max(lines, key=lambda line: line.get_linewidth()).remove()
    assert make.moved(make.lines(figure), kept(name)) > MOST


def test_no_two_pictures_are_alike() -> None:
    every = [kept(each.name) for each in make.ENTRIES]
    assert min(make.moved(a, b) for i, a in enumerate(every) for b in every[:i]) > 0.002
