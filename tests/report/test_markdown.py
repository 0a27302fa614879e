"""Markdown: tables stay tables whatever the labels say, and numbers are those of the text."""

import re

import pytest

from report_cases import case, named
from thresher.report.files import render


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
