"""Every view of judged rows names its basis: a number is prediction-powered, or of the gold rows alone."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import thresher as th
from thresher.cli.main import COMMANDS, cli
from thresher.evaluation.judged import GOLD_ALONE, METHOD
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.estimates.of_matrices import estimate
from thresher.report.blocks import Prose, Verdict
from thresher.report.build import build
from thresher.report.request import DecisionOptions
from thresher.report.sections.facts import gold_alone
from thresher.report.sections.order import BASED, named_blocks
from thresher.report.sections.order import GOLD_ALONE as MARK
from thresher.report.sections.verdict import findings_of
from thresher.results import Estimate

DRAWS = np.random.default_rng(5)
ROWS = 240
TRUTH = DRAWS.integers(0, 3, ROWS)
JUDGE = np.where(DRAWS.random(ROWS) < 0.85, TRUTH, DRAWS.integers(0, 3, ROWS))
RAW = DRAWS.dirichlet(np.ones(3), ROWS) + 0.5 * np.eye(3)[TRUTH]
POSTERIORS = RAW / RAW.sum(axis=1, keepdims=True)
BY = np.where(DRAWS.random(ROWS) < 0.5, "x", "y")
GOLD = np.arange(ROWS) < 90
LABELS = np.stack([TRUTH > 0, TRUTH == 2], axis=1).astype(int)
SAID = np.where(DRAWS.random((ROWS, 2)) < 0.9, LABELS, 1 - LABELS)
TASKS = ("binary", "multiclass", "labels", "multilabel")


def evaluated(task, *, judge=True):
    """Two models of a task, with gold rows and a judge, or the gold rows alone."""
    truth, said = {"multiclass": (TRUTH, JUDGE), "multilabel": (LABELS, SAID)}.get(task, (TRUTH == 1, JUDGE == 1))
    given = {
        "binary": {"scores": {name: POSTERIORS[:, 1] ** power for name, power in (("a", 1), ("b", 0.5))}},
        "multiclass": {"probabilities": {"a": POSTERIORS, "b": POSTERIORS[:, ::-1]}},
        "multilabel": {"scores": {"a": POSTERIORS[:, 1:], "b": POSTERIORS[:, :2]}},
        "labels": {"predicted": {"a": POSTERIORS[:, 1] > 0.4, "b": POSTERIORS[:, 1] > 0.6}},
    }[task]
    if judge:
        label = np.where(GOLD if truth.ndim == 1 else GOLD[:, None], truth, np.nan)
        return th.evaluate(label, judge=said.astype(int), by=BY, **given)
    parts = {role: {name: each[GOLD] for name, each in models.items()} for role, models in given.items()}
    return th.evaluate(truth[GOLD].astype(int), by=BY[GOLD], **parts)


def numbers(found):
    """Estimates and comparisons anywhere in a value of the report."""
    if isinstance(found, Estimate | Comparison):
        yield found
    elif isinstance(found, list | tuple):
        yield from (each for part in found for each in numbers(part))
    elif isinstance(found, Mapping):
        yield from numbers(list(found.values()))
    elif is_dataclass(found) and type(found).__module__ == "thresher.report.blocks":
        yield from numbers([getattr(found, each.name) for each in fields(found)])


def is_based(number):
    return not number.is_defined or METHOD in (number.method or "") or GOLD_ALONE in (number.method or "")


@pytest.mark.parametrize("task", TASKS)
def test_every_section_names_its_basis(task):
    document = build(
        evaluated(task),
        points=True,
        deciding=DecisionOptions.of(None, None, style="paper" if task == "binary" else None),
    )
    for name, block in named_blocks(document):
        based = name in BASED or block.key.startswith("classes-")
        if based and name != "judge":  # which has a column of the gold rows
            assert [each for each in numbers(block) if not is_based(each)] == [], name
        elif not isinstance(block, Verdict) and not based:
            said = block.sentences[0] if isinstance(block, Prose) else block.lead
            assert said.startswith(MARK), name


@pytest.mark.parametrize("task", TASKS[:3])
def test_measures_beside_cells_count_the_same_rows(task):
    shown = dict(named_blocks(build(evaluated(task), points=True)))["decisions"]
    for each in shown.matrices:
        assert each.part.matrix is not None
        for name, found in each.measures.items():
            assert found == estimate(each.part.matrix, name), name


@pytest.mark.parametrize("task", TASKS)
def test_every_number_of_a_document_names_its_basis(task):
    document = build(evaluated(task))
    subsets = [model for part in (document, *document.groups) for model in part.models]
    found = [*numbers([model.measures for model in subsets]), *document.comparisons, *document.gaps]
    assert [each for each in found if not is_based(each)] == []
    assert any(METHOD in (each.method or "") for each in found)


@pytest.mark.parametrize("task", TASKS)
def test_what_does_not_name_the_judge_is_the_same_without_one(task):
    """A judge's labels are in no attribute of a model but in numbers that name their basis."""
    judged, gold = (evaluated(task, judge=each)["a"] for each in (True, False))
    for name in sorted(each for each in dir(type(gold)) if not each.startswith("_")):
        values = []
        for model in (judged, gold):
            try:
                values.append(getattr(model, name))
            except th.ThresherError as problem:
                values.append(str(problem))
        one, two = values
        if isinstance(one, Estimate):
            assert is_based(one), name
        elif not callable(one) and name not in NAMED:
            assert repr(one) == repr(two), name


NAMED = frozenset({"predictions", "rows", "measures", "notes", "remarks", "baselines", "kept"})
"""Attributes that name the judge, or are tested above."""


def test_no_command_takes_judged_labels_without_the_option():
    for name in COMMANDS:
        flags = {flag for each in cli.get_command(None, name).params for flag in each.opts}
        assert ("--judge" in flags) == (name in {"report", "check", "compare", "rank", "gold"}), name


@pytest.mark.parametrize("costs", [None, th.decisions.Costs(fp=1, fn=5), th.decisions.Costs(fp=1, fn=1000)])
def test_a_threshold_chosen_on_gold_rows_is_marked(costs):
    document = build(evaluated("binary"), deciding=DecisionOptions.of(costs, None))
    found = [each for each in findings_of(document) if each.question == "cut"]
    assert found
    assert all(gold_alone(document) in each.text for each in found)
