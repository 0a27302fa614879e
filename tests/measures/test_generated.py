"""What is generated from the registry is in step with it."""

from __future__ import annotations

import ast
from pathlib import Path

import thresher
from thresher.counts import ConfusionMatrix
from thresher.measures import measures
from thresher.measures.catalogue import NEEDS, catalogue, markdown
from thresher.measures.registry import attribute_names
from thresher.stubs import LAZY, matrix_stub, stubs

PACKAGE = Path(thresher.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "measures.md"


def test_the_stubs_are_what_is_generated() -> None:
    """Run `python -m thresher.stubs` when this fails."""
    for place, text in stubs().items():
        assert place.read_text(encoding="utf-8") == text, place.name


def test_every_lazy_package_has_a_stub() -> None:
    found = [file.parent.name for file in PACKAGE.glob("*/__init__.py") if "lazy_names(" in file.read_text("utf-8")]
    assert sorted(found) == sorted(LAZY)


def test_the_stub_declares_every_attribute_once() -> None:
    (measured,) = (node for node in ast.parse(matrix_stub()).body if isinstance(node, ast.ClassDef))
    declared = [node.name for node in measured.body if isinstance(node, ast.FunctionDef)]
    assert declared == attribute_names()
    methods = {n.name for n in measured.body if isinstance(n, ast.FunctionDef) and not n.decorator_list}
    assert methods == {n for e in measures("cells", "matrix") if e.parameters for n in (e.name, *e.aliases)}


def test_the_page_is_that_of_the_registry() -> None:
    """Run `python -m thresher.measures.catalogue > docs/measures.md` when this fails."""
    assert PAGE.read_text(encoding="utf-8") == markdown()


def test_the_catalogue_holds_every_measure() -> None:
    rows = catalogue()
    assert [(row["needs"], row["name"]) for row in rows] == [(e.needs, e.name) for n in NEEDS for e in measures(n)]
    assert {row["name"] for row in rows} >= {"calibration_slope", "hand_till", "subset_accuracy", "ndcg_cut", "f1"}
    assert [row["needs"] for row in rows] == sorted((row["needs"] for row in rows), key=list(NEEDS).index)
    kappa = next(row for row in rows if row["name"] == "cohen_kappa")
    assert kappa["range"] == "−1 to 1"
    assert kappa["bounds"] == [-1.0, 1.0]
    assert kappa["source"] == "Cohen 1960"


def test_every_line_of_the_page_has_as_many_cells_as_its_head() -> None:
    lines = [line.replace("\\|", "") for line in markdown().splitlines() if line.startswith("|")]
    assert {line.count("|") for line in lines} == {8}


def test_matrices_know_their_measures() -> None:
    assert {m.name for m in measures("cells", "matrix")} <= set(dir(ConfusionMatrix.from_cells(tp=1, fp=1, fn=1, tn=1)))
