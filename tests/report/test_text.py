"""Plain text: golden on the bundled example, inside its width, and without a way to trick a terminal."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from report_cases import CASES, case, named
from thresher.report.build import build
from thresher.report.files import render, rendered
from thresher.report.render.grid import grid, shown_width, wrapped


@pytest.mark.parametrize("name", named(sorted(set(CASES) - {"evil"})))
@pytest.mark.parametrize("width", [80, 100, 200])
def test_every_case_keeps_to_the_width(name, width):
    assert max(map(shown_width, render(case(name), "text", width=width).splitlines())) <= width


@pytest.mark.parametrize("name", named())
def test_nothing_shown_can_move_a_cursor_or_is_not_a_number(name):
    text = render(case(name), "text")
    assert all(line.isprintable() for line in text.splitlines())
    assert not re.search(r"\bnan\b", text, re.IGNORECASE)


@pytest.mark.parametrize("name", named())
@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_what_is_read_is_the_same_beside_a_page(name, form):
    """A page embeds the points of its sliders; the other forms of the same document show nothing of them.

    Only JSON and CSV have every measure of groups and folds.
    """
    alone = build(case(name), points=False, every=form in ("json", "csv"))
    assert rendered(build(case(name), points=True), form) == rendered(alone, form)


@pytest.mark.parametrize("strength", [0.0, 5.0])
@pytest.mark.parametrize("kind", ["importance", "frequency"])
def test_the_base_rate_is_minded_with_weights_of_any_kind(kind, strength):
    rng = np.random.default_rng(8)
    truth = (np.arange(80) % 4 == 0).astype(int)
    score = 1 / (1 + np.exp(3 + rng.normal(size=80) - 2 * strength * truth))
    found = th.evaluate(truth, {"m": score}, weights=rng.integers(1, 4, 80), weight_kind=kind)
    chance = found.accuracy.low <= found["m"].baselines.no_information_rate
    assert chance == (strength == 0)
    assert ("accuracy-not-above-base-rate" in {each.code for each in found.findings}) == chance


def test_group_without_a_class_is_marked():
    text = " ".join(render(case("group_of_one_class"), "text").split())
    assert "c (no 1)" in text
    assert "Measures that need both classes are undefined where one is absent: g=c." in text


def test_wide_tables_go_on_below_with_their_row_heads():
    table = grid(["model", "a", "b"], [["m", "1" * 10, "2" * 10]], ["left"] * 3, headers=1, width=20)
    assert table.split("\n\n") == [
        "model  a\n─────────────────\nm      1111111111",
        "model  b\n─────────────────\nm      2222222222",
    ]


def test_columns_align_with_wide_characters():
    lines = grid(["", "n"], [["良性", "1"], ["ab", "22"]], ["left", "right"], headers=1, width=80).splitlines()
    assert {shown_width(line) for line in lines} == {8}


@given(
    st.lists(st.text("ab良é", min_size=1, max_size=9), max_size=20), st.integers(10, 40), st.sampled_from(["", "• "])
)
def test_wrapping_keeps_the_words_and_the_width(words, width, bullet):
    lines = wrapped(" ".join(words), width, bullet)
    assert " ".join(" ".join(lines).split()).removeprefix(bullet) == " ".join(words)
    for line in lines:
        assert shown_width(line) <= width or len(line[len(bullet) :].split()) == 1
    for before, after in itertools.pairwise(lines):
        assert shown_width(f"{before} {after.split()[0]}") > width


@pytest.mark.parametrize("name", named())
def test_tables_have_as_many_cells_in_every_row(name):
    lines = render(case(name), "markdown").splitlines()
    width = None
    for line in lines:
        if not line.startswith("|"):
            width = None
            continue
        cells = len(re.findall(r"(?<!\\)\|", line)) - 1
        assert width in (None, cells)
        width = cells


@pytest.mark.parametrize("name", named())
def test_nothing_is_html_or_a_control_character(name):
    text = render(case(name), "markdown")
    assert not re.search(r"(?<!\\)<", text)
    assert all(character.isprintable() or character == "\n" for character in text)
