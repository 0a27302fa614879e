"""A section of a report costs one file: what is found, and how it is shown. Every form has it, a user's one too."""

import csv
import json
from dataclasses import replace

import pytest

import thresher as th
from report_cases import case
from thresher.errors import OptionError
from thresher.report.added import ADDED, add_section
from thresher.report.blocks import Figures, Prose, Share, Table
from thresher.report.files import render
from thresher.report.sections.order import SECTIONS
from thresher.results import Estimate


def extremes(evaluation):
    """How many rows of each model have the very first and the very last score: a finding."""
    found = {name: (float(m.scores.scores.min()), m.auc) for name, m in evaluation.items() if m.task == "binary"}
    return found or None


def shown(found):
    """The finding as a table."""
    rows = tuple((name, Figures(f"{least:g}"), Share(least), auc) for name, (least, auc) in found.items())
    return Table(key="", title="Smallest <scores>", columns=("Model", "Score", "Share", "AUC"), rows=rows)


@pytest.fixture
def added():
    add_section("smallest", find=extremes, show=shown, after="decisions")
    yield
    del ADDED["smallest"]


def in_every_form(evaluation, folder):
    """Texts of the reports by suffix, in each of which the section is found."""
    suffixes = ("txt", "md", "html", "csv", "tex", "json")
    text = {suffix: evaluation.report(folder / f"r.{suffix}").read_text("utf-8") for suffix in suffixes}
    assert "Smallest <scores>" in text["txt"]
    assert text["txt"].index("Operating points") < text["txt"].index("Smallest <scores>")
    assert "## Smallest \\<scores\\>" in text["md"]
    assert ">Smallest &lt;scores&gt;</h2>" in text["html"]
    assert r"\caption{Smallest \textless{}scores\textgreater{}}" in text["tex"]
    rows = [row for row in csv.DictReader(text["csv"].splitlines()) if row["group"] == "section=smallest"]
    assert [(row["model"], row["measure"]) for row in rows] == [("m", "Share"), ("m", "AUC")]
    assert float(rows[1]["low"]) == evaluation["m"].auc.low
    found = json.loads(text["json"])["sections"]["smallest"]
    assert found["columns"] == ["Model", "Score", "Share", "AUC"]
    assert found["rows"][0][:3] == ["m", "0.1", 0.1]
    assert found["rows"][0][3]["value"] == evaluation["m"].auc.value


@pytest.mark.usefixtures("added")
def test_a_section_from_outside_is_in_every_form(tmp_path):
    in_every_form(case("plain"), tmp_path)


def test_a_section_of_the_house_is_one_function_and_its_place(tmp_path, monkeypatch):
    evaluation = case("plain")
    table = replace(shown(extremes(evaluation)), key="smallest")
    monkeypatch.setitem(SECTIONS, "smallest", lambda _: table)
    in_every_form(evaluation, tmp_path)


@pytest.mark.usefixtures("added")
def test_a_section_with_nothing_to_say_is_left_out():
    document = case("labels").to_dict()
    assert "sections" not in document


@pytest.mark.usefixtures("added")
def test_several_after_the_same_one_keep_their_order():
    add_section("second", find=lambda _: 1, show=lambda _: Prose(key="", title="Second", sentences=("x.",)),
                after="decisions")  # fmt: skip
    try:
        text = render(case("plain"), "text")
        assert text.index("Smallest <scores>") < text.index("Second\n")
        assert list(case("plain").to_dict()["sections"]) == ["smallest", "second"]
    finally:
        del ADDED["second"]


def test_what_is_no_number_is_null_beside_its_reason():
    add_section("infinite", find=lambda _: 1, show=lambda _: Table(
        key="", title="t", columns=("a", "b"), rows=((float("inf"), Estimate(name="x", value=float("nan"))),)
    ))  # fmt: skip
    try:
        row = case("plain").to_dict()["sections"]["infinite"]["rows"][0]
        assert row[0] is None
        assert (row[1]["value"], row[1]["reason"]) == (None, "it is 0/0")
    finally:
        del ADDED["infinite"]


@pytest.mark.usefixtures("added")
def test_a_key_is_given_once():
    with pytest.raises(OptionError, match="there is a section 'smallest' already"):
        add_section("smallest", find=extremes, show=shown)
    assert th.evaluate([1, 0], [0.9, 0.1]).to_dict()["sections"]
