"""Terms of the field are found by any spelling, and what they say exists."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

import thresher as th
from thresher.cli.main import COMMANDS
from thresher.errors import UnknownMeasureError
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.evaluation.estimated import Estimated
from thresher.measures import measures
from thresher.measures.registry import attribute_names
from thresher.terms import concepts, page

ROOT = Path(__file__).parents[1]

SPELLINGS = {
    "ROCCH": "convex hull", "ROC convex hulls": "convex hull", "isometrics": "isometrics", "Iso-cost": "isometrics",
    "partial AUC": "partial area", "Wilcoxon": "Mann-Whitney", "Mann–Whitney": "Mann-Whitney", "U": "Mann-Whitney",
    "no such term": None,
    "cost matrix": "cost matrix", "no-information rate": "no-information rate", "class imbalance": "class imbalance",
    "accuracy paradox": "accuracy paradox", "coverage plot": "coverage plot", "F_α": "F-score", "F_alpha": "F-score",
    "F-score": "F-score", "P@k": "precision at k", "AveP": "average precision of a query",
    "fall-out": "false_positive_rate",
    "FOR": "false omission rate", "Youden": "Youden", "lift": "lift", "63.2 %": "63.2 %", "63.2%": "63.2 %",
    "F_1": "f1", "F1": "f1", "recall": "true_positive_rate", "LR+": "positive_likelihood_ratio", "AUC": "auc",
    "LR−": "negative_likelihood_ratio", "thresholds": "threshold", "MAP": "average precision of a query",
    "Nadeau & Bengio": "corrected resampled t", "gold row": "gold rows", "PPI++": "prediction-powered",
    "LLM-as-a-judge": "judge", "few-gold": "gold rows",
    "lambda": "λ", "λ": "λ", "Worth": "worth", "bounds": "bounds", "f2": "F-score", "F_0.5": "F-score",
}  # fmt: skip


@pytest.mark.parametrize(("written", "name"), SPELLINGS.items())
def test_a_term_is_found_by_any_spelling(written: str, name: str | None) -> None:
    if name is None:
        with pytest.raises(UnknownMeasureError):
            th.find(written)
    else:
        assert th.find(written).name == name


FIELD = (ROOT / "tests" / "contracts" / "terms_of_the_field.txt").read_text(encoding="utf-8").replace("\n", "|")


def test_every_term_of_the_field_is_found() -> None:
    for written in FIELD.strip("|").split("|"):
        assert th.find(written).call, written
        for other in (written.upper(), written.replace(" ", "_"), written.replace("-", " ")):
            if "α" not in written and "β" not in written:
                assert th.find(other).name == th.find(written).name, other


def test_only_names_that_can_be_typed_follow_a_dot() -> None:
    ten = th.load_example("ten")
    for value in (th.evaluate(ten["truth"], ten["score"])["score"], th.load_example("cancer")):
        names = [name for name in dir(value) if not name.startswith("_")]
        assert all(name.isidentifier() for name in names)
        for entry in measures("cells", "matrix"):
            assert entry.name in names
            assert not set(entry.aliases).intersection(names)
        assert value.tpr is not None  # another name is read all the same


def test_every_name_and_other_name_is_found() -> None:
    for term in concepts():
        for name in (term.name, *term.names):
            assert th.find(name).text, name
    for entry in measures():
        assert th.find(entry.name).name == entry.name
        for alias in entry.aliases:
            assert th.find(alias).name == entry.name, alias


def test_no_two_terms_share_a_name() -> None:
    names = [term.name for term in concepts()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("term", concepts(), ids=lambda term: term.name)
def test_what_a_term_names_exists(term: th.terms.Term) -> None:
    assert (ROOT / term.page).exists()
    for path in re.findall(r"\bth\.([\w.]+)", term.call):
        head, *rest = path.split(".")
        home = getattr(th, head) if head in th.__all__ else import_module(f"thresher.{head}")
        assert reduce(getattr, rest, home) is not None
    for name in re.findall(r"\bmatrix\.(\w+)", term.call):
        assert hasattr(th.ConfusionMatrix, name) or name in attribute_names()
    for name in re.findall(r'\bev\["m"\]\.(\w+)', term.call):
        assert hasattr(ModelEvaluation, name) or name in estimated()
    for name in re.findall(r"\bev\.(\w+)", term.call):
        assert hasattr(Evaluation, name)
    for name in re.findall(r"\bthresher (\w+)", term.call):
        assert name in COMMANDS


def estimated() -> set[str]:
    stub = Path(import_module(Estimated.__module__).__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return set(re.findall(r"^    (\w+)(?:: Final\[Estimate\]| = \w+)$", stub, re.MULTILINE))


def test_the_page_is_what_is_generated() -> None:
    """Run `python -m thresher.terms > docs/terms.md` when this fails."""
    assert (ROOT / "docs" / "terms.md").read_text(encoding="utf-8") == page()


CALLS = [term for term in concepts() if re.match(r'(matrix|ev(\["m"\])?)\.\w+\(', term.call) and "…" not in term.call]


@pytest.mark.parametrize("term", CALLS, ids=lambda term: term.name)
def test_a_call_with_arguments_runs(term: th.terms.Term, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # one writes a report
    ten, matrix = th.load_example("ten"), th.load_example("cancer")
    models = {"m": ten["score"], "a": ten["score"], "b": -ten["score"]}
    # A test of whole curves ranks all rows together, which rows of several folds refuse.
    ev = th.evaluate(ten["truth"], models, fold=None if "test=" in term.call else [0, 1] * 5)
    assert eval(term.call, {"ev": ev, "matrix": matrix, "label": "yes"}) is not None
