"""What is printed fits a screen and says the verdict first; its Markdown fits a pull request."""

import pytest

from report_cases import CASES, case
from thresher.report.build import build
from thresher.report.render.grid import shown_width
from thresher.report.render.text import LINES, summary_text


@pytest.mark.parametrize("name", sorted(set(CASES) - {"evil"}))
def test_print_fits_a_screen(name):
    document = build(case(name))
    for width in (80, 100):
        lines = summary_text(document, width=width).splitlines()
        assert len(lines) <= LINES
        assert max(map(shown_width, lines)) <= width


def test_what_does_not_fit_is_counted():
    text = summary_text(build(case("many_models")), width=80)
    assert "model_7" in text
    assert "Not shown: 4 more models" in text


def test_the_explorer_of_a_notebook_is_a_closed_frame():
    frame = case("plain").explore()
    shown = frame._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert "<script" not in shown
    assert "shown by a notebook" in repr(frame)
