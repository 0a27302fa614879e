"""There is one registry of measures: every kind stands in it, and no module has titles of its own."""

import ast
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from thresher.measures import Measure, measures
from thresher.measures.averaging import AVERAGES, class_average
from thresher.measures.measure_text import title_of
from thresher.measures.registry import NEEDS, known
from thresher.measures.several_classes import LabelSets, of_posteriors, top_k_accuracy

SOURCE = Path(th.__file__).parent
ALL = list(measures(*NEEDS))
NAMES = {name for entry in ALL for name in (entry.name, *entry.aliases) if len(name) > 1}
AT_AXES = "plot/looks.py"
"""Has the labels of axes, which say a measure's other name beside its title."""

LISTING = {
    AT_AXES: "the labels of axes, by what an axis may show",
    "inference/estimates/methods.py": "the table that says what serves which measure",
    "curves/regions.py": "words of a text form, by the rate that they bound",
    "decisions/isometrics.py": "the table of functions that draw lines, which nothing else says again",
    "inference/estimates/rejected.py": "three shares of a reject option, each read as a measure of who is deferred",
    "kernel/values.py": "the order of columns that the kernel fills",
    "report/teaching.py": "the questions that a handout asks",
    "counts/row_columns.py": "the arguments of a function",
}
"""Where names of measures stand beside one another beyond measures/, and what that is."""

ASKING = {
    "decisions/reject.py": "an option of a text form that is called accuracy",
    "evaluation/tasks.py": "a sentence that says where costs of several classes are given",
    "inference/calibration.py": "names of its own attributes",
    "inference/comparing/compare.py": "Venkatraman's test, which is of the areas' curves",
    "inference/differences/fixed_point.py": "an option that is the rate that was fixed",
    "inference/multiclass/bootstrap.py": "an option of a function, and its values",
    "inference/comparing/permutation.py": "a faster way to the same number",
    "multiclass/class_objective.py": "a faster way to the same optimum",
    "plot/curves.py": "the name of a curve",
    "ranking/forms.py": "how trec_eval prints them",
    "ranking/run.py": "what trec_eval counts where it prints means",
    "ranking/values.py": "which numbers of trec_eval a name takes",
    "ranking/list_measures.py": "the grammar of trec_eval",
    "report/sections/verdict.py": "the sentence that says an area in words",
}
"""Where something is told by the name of one measure beyond measures/, and why it is in no row."""

RNG = np.random.default_rng(5)
CODES = np.repeat([0, 1, 2], 20)
P = RNG.dirichlet(np.ones(3), 60) * 0.6 + 0.4 * np.eye(3)[CODES]
SETS = RNG.random((30, 3)) < 0.5
SCORES = np.clip(SETS * 0.5 + RNG.random((30, 3)) * 0.6, 0, 1)


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: f"{entry.needs}-{entry.name}")
def test_a_row_says_everything_of_its_measure(entry: Measure) -> None:
    assert entry.title
    assert entry.text
    assert entry.source
    assert "19" in entry.source or "20" in entry.source or entry.needs == "ranked lists"
    assert entry.summary.endswith((".", "π)."))
    assert entry.undefined or entry.needs in ("posteriors", "ranked lists")
    assert entry.bounds[0] < entry.bounds[1]
    assert entry.neutral is None or entry.bounds[0] <= entry.neutral <= entry.bounds[1]
    assert entry.text in entry.__doc__
    assert all(alias in entry.__doc__ for alias in entry.aliases)
    assert known(entry.title, entry.needs) is known(entry.name, entry.needs)
    assert known(entry.name, entry.needs) is entry
    assert pickle.loads(pickle.dumps(entry)) is entry


def test_families_without_end_are_pickled_too() -> None:
    for entry in (top_k_accuracy(4), class_average("macro_recall")):
        assert pickle.loads(pickle.dumps(entry)) is entry


@pytest.mark.parametrize("entry", [*measures("posteriors"), top_k_accuracy(2)], ids=lambda entry: entry.name)
def test_the_formula_of_posteriors_is_the_value_of_an_evaluation(entry: Measure) -> None:
    model = th.evaluate(CODES, P)["model"]
    assert model.estimate(entry.name).value == pytest.approx(float(entry(model.posteriors)), rel=1e-12)
    assert entry.bounds[0] <= float(entry(model.posteriors)) <= entry.bounds[1]


@pytest.mark.parametrize("entry", list(measures("label sets")), ids=lambda entry: entry.name)
def test_the_formula_of_label_sets_is_the_value_of_an_evaluation(entry: Measure) -> None:
    model = th.evaluate(SETS.astype(int), SCORES)["model"]
    sets = LabelSets(SETS, SCORES >= 0.5)
    assert getattr(model, entry.name).value == pytest.approx(float(entry(sets)), rel=1e-12)
    brute = [[t == (s >= 0.5) for t, s in zip(*row, strict=True)] for row in zip(SETS, SCORES, strict=True)]
    exact = sum(all(row) for row in brute) / len(brute)
    wrong = 1 - sum(map(sum, brute)) / SETS.size
    assert float(entry(sets)) == pytest.approx({"subset_accuracy": exact, "hamming_loss": wrong}[entry.name])


def test_the_formula_of_an_average_is_that_of_the_matrix() -> None:
    matrix = th.ConfusionMatrix.from_counts([[5, 1, 2], [2, 3, 1], [1, 1, 4]])
    for name in ("macro_f1", "micro_recall", "weighted_precision"):
        how, _, rest = name.partition("_")
        assert class_average(name)(matrix) == pytest.approx(matrix.average(rest, how=how).value)


def test_one_title_stands_in_every_view() -> None:
    ev = th.evaluate([1, 0, 1, 1, 0, 0, 1, 0], {"a": [9, 2, 7, 4, 5, 1, 8, 3], "b": [6, 5, 9, 2, 4, 3, 7, 1]})
    for name in ("auc", "gini", "ks_statistic", "average_precision"):
        title = known(name).title
        assert ev.compare("a", "b", measure=name, bootstrap=20).title == title
        assert title_of(name) == title
    assert "ROC AUC" in str(ev)
    assert title_of("macro_recall") == "macro recall"
    assert title_of("macro_true_positive_rate") == "macro recall (sensitivity)"
    assert of_posteriors("hand till").title == title_of("hand_till") == "Hand–Till M"


@cache
def sources() -> dict[str, ast.Module]:
    """Every module in which two measures or averages stand between quotation marks, as parsing takes long."""
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        quoted = re.findall(r"(?<=[\"'])[^\"'\n]+(?=[\"'])", text := file.read_text("utf-8"))
        if sum(_is_measure(word) or word in AVERAGES for word in quoted) > 1:
            found[file.relative_to(SOURCE).as_posix()] = parsed(text)
    return found


@cache
def parsed(text: str) -> ast.Module:
    """Tree of a module, which is read once for all tests."""
    return ast.parse(text)


CALLED = ("name", "names", "measure", "key", "base")
"""Ends of what holds the name of a measure."""


def asking() -> dict[str, ast.Module]:
    """Every module with a line in which a measure's name stands in a comparison with a name, or in a longer list."""
    called = "|".join(CALLED)
    line = re.compile(
        rf"^.*(?:(?:{called})\b.*(?:[!=]=|\bin\b)|(?:[!=]=|\bin\b).*(?:{called})\b|\*[\w(\[]).*$", re.MULTILINE
    )
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        lines = line.findall(text := file.read_text("utf-8"))
        if any(_is_long(word) for each in lines for word in re.findall(r"(?<=[\"'])\w+(?=[\"'])", each)):
            found[file.relative_to(SOURCE).as_posix()] = parsed(text)
    return found


def literals(tree: ast.Module) -> list[ast.AST]:
    kinds = (ast.Dict, ast.Tuple, ast.List, ast.Set, ast.Subscript)
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def test_no_module_has_titles_of_its_own() -> None:
    """A dictionary from measures to sentences or titles belongs in their rows."""
    found = []
    for place, tree in sources().items():
        if not place.startswith(("measures/", "metrics/")) and place != AT_AXES:
            dicts = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
            found += [f"{place}:{node.lineno}" for node in dicts if _titles(node) > 1]
    assert not found, f"titles of measures belong in their rows: {found}"


def _titles(node: ast.Dict) -> int:
    """Entries of a dictionary that give a measure's name a text which is no name itself."""
    pairs = zip(node.keys, node.values, strict=True)
    texts = [
        (key.value, value.value)
        for key, value in pairs
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant) and isinstance(value.value, str)
    ]
    return sum(key in NAMES and text not in NAMES and ":" not in text for key, text in texts)


def test_the_averages_are_named_once() -> None:
    found = []
    for place, tree in sources().items():
        nodes = literals(tree)
        types = {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
        for node in nodes:
            if isinstance(node, ast.Tuple | ast.List | ast.Set) and id(node) not in types:
                words = {part.value for part in node.elts if isinstance(part, ast.Constant)}
                found += [place] if {"macro", "micro", "weighted"} <= words else []
    assert [place for place in found if not place.startswith("metrics/")] == ["measures/averaging.py"]


def check_places(
    trees: Mapping[str, ast.Module], lines_of: Callable[[ast.Module], Iterator[int]], reasons: Mapping[str, str]
) -> None:
    """Something is found beyond measures/ and the façade only where there is a reason, and there is no idle reason."""
    found = {}
    for place, tree in trees.items():
        lines = [] if place.startswith(("measures/", "metrics/")) else list(lines_of(tree))
        found |= {place: lines} if lines else {}
    odd = {place: lines for place, lines in found.items() if place not in reasons}
    assert not odd, f"what is so of measures belongs in their rows: {odd}"
    assert set(found) == set(reasons), "a module in which nothing is found any more needs no reason"


def test_no_module_lists_measures() -> None:
    """What serves a measure stands in its row or in the table of methods, what is shown first in `measures/shown`."""
    check_places(sources(), _lists, LISTING)


def _lists(tree: ast.Module) -> Iterator[int]:
    """Lines where three measures or more stand side by side, and are half of what stands there at least."""
    nodes = list(ast.walk(tree))
    passed = {id(part) for node in nodes if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}
    passed |= {id(part) for node in tree.body if _is_public(node) for part in ast.walk(node)}
    for node in nodes:
        if id(node) in passed or not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            continue
        for parts in [node.keys, node.values] if isinstance(node, ast.Dict) else [node.elts]:
            named = [part for part in parts if isinstance(part, ast.Constant) and _is_measure(part.value)]
            if len(named) >= 3 and 2 * len(named) >= len(parts):
                yield node.lineno
                break


def test_nothing_is_told_by_the_name_of_a_measure() -> None:
    """What is done otherwise for one measure stands in its row, and not in a question for its name."""
    check_places(asking(), _questions, ASKING)


def _questions(tree: ast.Module) -> Iterator[int]:
    """Lines where a name is compared with a measure's, or a measure is added by hand to a list made elsewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            quoted = [part for side in sides for part in (side.elts if isinstance(side, ast.Tuple) else [side])]
            if any(map(_is_name, sides)) and any(isinstance(p, ast.Constant) and _is_long(p.value) for p in quoted):
                yield node.lineno
        elif isinstance(node, ast.List | ast.Tuple | ast.Set) and any(isinstance(p, ast.Starred) for p in node.elts):
            parts = [p.value if isinstance(p, ast.Starred) else p for p in node.elts]
            nested = [part for p in parts for part in (ast.walk(p) if isinstance(p, ast.IfExp) else [p])]
            if any(isinstance(part, ast.Constant) and _is_long(part.value) for part in nested):
                yield node.lineno


def _is_name(node: ast.AST) -> bool:
    """Whether an expression is called a name or a measure, or several."""
    called = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return called.endswith(CALLED)


def _is_long(word: object) -> bool:
    return len(str(word)) > 1 and _is_measure(word)


def _is_public(node: ast.stmt) -> bool:
    """Whether a statement says which names a module gives to others."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _is_measure(word: object) -> bool:
    how, _, rest = str(word).partition("_")
    return word in NAMES or (how in (*AVERAGES, "samples") and rest in NAMES)


def test_a_list_of_measures_is_seen() -> None:
    for text in (
        'X = ("recall", "precision", "f1")', 'X = {"auc": 1, "gini": 2, "log_loss": 3}',
        'X = ["macro_f1", "auc", "npv"]',
        'def f(name):\n    return name in {"mcc", "kappa", "f1"}',
    ):  # fmt: skip
        assert list(_lists(ast.parse(text)))
    for text in ('__all__ = ["recall", "precision", "f1"]', 'X = ("recall", "f1")', 'X: Literal["auc", "gini", "npv"]'):
        assert not list(_lists(ast.parse(text)))


def test_a_question_for_a_name_is_seen() -> None:
    for text in (
        'BY_CLASS = tuple(name for name in READ if name != "micro_auc")', 'x = name in (*AVERAGES, "vus")',
        'if "vus" in names:\n    pass', 'names = [*OF_PAIRS, *(["vus"] if k == 3 else [])]',
        'found = one if entry.name == "vus" else two', 'LIST = (*AVERAGES, "vus")',
    ):  # fmt: skip
        assert list(_questions(ast.parse(text))), text
    for text in ('found = name == "macro"', 'if kind == "auc":\n    pass', 'X = (*A, "text")', 'raise Error("auc")'):
        assert not list(_questions(ast.parse(text))), text
