"""What is generated from the registry is in step with it."""

import ast
import importlib.util
from pathlib import Path

from thresher.measures import measures
from thresher.measures.catalogue import NEEDS, catalogue, markdown
from thresher.measures.registry import attribute_names

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "measures.md"
SPEC = importlib.util.spec_from_file_location("stubs", ROOT / "tools" / "stubs.py")
generator = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(generator)


def test_the_stubs_are_what_is_generated() -> None:
    """Run `python tools/stubs.py` when this fails."""
    for place, text in generator.stubs().items():
        assert place.read_text(encoding="utf-8") == text, place.name


def test_the_stub_declares_every_attribute_once() -> None:
    (measured,) = (node for node in ast.parse(generator.matrix_stub()).body if isinstance(node, ast.ClassDef))
    nodes = [node for node in measured.body if isinstance(node, ast.FunctionDef | ast.AnnAssign | ast.Assign)]
    declared = {name: node for node in nodes if (name := _declared_name(node)) != "__slots__"}
    assert list(declared) == attribute_names()
    assert len(declared) == len(nodes) - 1
    methods = {name for name, node in declared.items() if isinstance(node, ast.FunctionDef)}
    assert methods == {entry.name for entry in measures("cells", "matrix") if entry.parameters}


def _declared_name(node: ast.FunctionDef | ast.AnnAssign | ast.Assign) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
    assert isinstance(target, ast.Name)
    return target.id


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
