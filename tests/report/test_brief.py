"""What is printed fits a screen and says the verdict first; its Markdown fits a pull request."""

import pytest

from report_cases import CASES, breast_cancer, case
from thresher.report.build import build
from thresher.report.render.brief import LINES, summary_text
from thresher.report.render.grid import shown_width


@pytest.mark.parametrize("name", sorted(set(CASES) - {"evil"}))
def test_print_fits_a_screen(name):
    document = build(case(name))
    for width in (80, 100):
        lines = summary_text(document, width=width).splitlines()
        assert len(lines) <= LINES
        assert max(map(shown_width, lines)) <= width


def test_print_says_the_verdict_the_numbers_and_where_the_rest_is():
    evaluation = breast_cancer()
    text = evaluation.summary()
    assert str(evaluation) == text
    assert "random_forest is better than both others in" in " ".join(text.split())
    assert text.index("is better than both others") < text.index("0.908") < text.index("Not shown: 1 note (.notes)")


def test_what_does_not_fit_is_counted():
    text = summary_text(build(case("many_models")), width=80)
    assert "model_7" in text
    assert "Not shown: 4 more models" in text


def test_markdown_fits_a_pull_request():
    text = breast_cancer().summary("markdown")
    assert len(text.encode()) < 8000
    assert text.index("## Verdict") < text.index("## Summary") < text.index("## Which is better")


def test_a_notebook_shows_verdict_numbers_and_curves():
    evaluation = breast_cancer()
    shown = evaluation._repr_html_()
    assert shown.index("is better than both others") < shown.index("0.908") < shown.index("<svg")
    assert shown.count('class="curve"') == 6
    assert shown.count('class="op') == 6
    assert all(shown.count(title) == 1 for title in ("False positive rate (1 − specificity)", ">Precision</text>"))
    assert len(shown) < 20_000


def test_the_explorer_of_a_notebook_is_a_closed_frame():
    frame = case("plain").explore()
    shown = frame._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert "<script" not in shown
    assert "shown by a notebook" in repr(frame)
