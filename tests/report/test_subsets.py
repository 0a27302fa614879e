"""Tables of groups and folds: what is undefined is shown, and the mean says over how many folds it is."""

import math

import numpy as np
import pytest

import thresher as th
from report_cases import breast_cancer_in_parts
from shares import few
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures.measure_text import parse_measure
from thresher.measures.shown import FOLDS
from thresher.report.build import build
from thresher.report.numbers import MOST_GROUPS, heading_of
from thresher.report.render.html.page import document_page
from thresher.report.render.markdown import document_markdown
from thresher.report.render.text import document_text
from thresher.report.sections.subsets import folds, groups


def test_mean_and_spread_are_those_of_the_folds():
    evaluation = breast_cancer_in_parts()
    table = next(folds(build(evaluation)))
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    for model in evaluation:
        for name in (name for name in FOLDS if name in evaluation[model].measures):
            values = [getattr(fold[model], name).value for fold in evaluation.folds.values()]
            together = math.nan if ranks_rows(parse_measure(name)) else getattr(evaluation[model], name).value
            expected = (together, np.mean(values), np.std(values, ddof=1))
            pooled, mean, spread, low, high, count = rows.pop((model, heading_of(name)))
            assert (pooled, mean, spread) == pytest.approx(expected, nan_ok=True)
            assert (low, high, count) == (min(values), max(values), "10")
    assert not rows


def test_fold_where_a_measure_is_undefined_is_counted_and_named():
    truth, fold = np.array([1, 0, 1, 0, 1, 1]), np.array([1, 1, 2, 2, 3, 3])
    evaluation = th.evaluate(truth, {"m": np.array([0.9, 0.1, 0.8, 0.2, 0.7, 0.6])}, fold=fold)
    table = next(folds(build(evaluation)))
    auc = next(row for row in table.rows if row[1] == "ROC AUC")
    assert auc[-1] == "2 of 3"
    (said,) = table.remarks[1:]
    assert said == "A measure is undefined in some folds, and the mean is over the others: fold=3 (no 0)."


@pytest.mark.slow
def test_only_the_largest_of_many_groups_are_shown_and_that_is_said():
    sizes = np.arange(1, 61)
    column = np.repeat([f"g{i:02}" for i in range(60)], sizes)
    rng = np.random.default_rng(0)
    evaluation = th.evaluate(rng.integers(0, 2, column.size), {"m": rng.random(column.size)}, by={"g": column})
    table = next(groups(build(evaluation)))
    assert [row[0].split()[0] for row in table.rows[1:]] == [f"g{i:02}" for i in range(10, 60)]
    left_out = sizes[:10].sum()
    assert f"The {MOST_GROUPS} largest groups are shown; 10 smaller ones ({left_out} rows)" in table.remarks[-1]
    assert len(evaluation.to_dict()["groups"]) == 60


@pytest.mark.parametrize("task", few(["binary", "no threshold", "labels", "bootstrap", "classes", "many"], 1))
def test_what_is_not_shown_is_not_needed_by_what_is(task):
    rng = np.random.default_rng(5)
    y, p = rng.integers(0, 2, 180), rng.random(180).round(2)
    columns = {"y": y, "s": p, "guess": (p > 0.4).astype(int), "g": np.arange(180) % 3, "f": np.arange(180) % 4}
    options: dict = {"scores": ["s"], "by": "g", "fold": "f"}
    if task == "no threshold":
        columns["s"] = 5 * p
    if task == "labels":
        options |= {"scores": None, "predicted": "guess"}
    if task == "bootstrap":
        options["bootstrap"] = th.Bootstrap(n=20)
    if task == "many":
        columns |= {"y": np.repeat(y, 3), "s": np.repeat(p, 3), "f": np.arange(540) % 4}
        columns |= {"g": np.arange(540) % (MOST_GROUPS + 9), "guess": np.repeat(columns["guess"], 3)}
    if task == "classes":
        columns |= {"y": np.array(["a", "b", "c"])[rng.integers(0, 3, 180)]}
        columns |= dict(zip(("p_a", "p_b", "p_c"), rng.dirichlet((1, 1, 1), 180).T, strict=True))
        options |= {"scores": None, "probabilities": "p_"}
    evaluation = th.evaluate(columns, label="y", **options)
    full, shown = build(evaluation, points=True), build(evaluation, points=True, every=False)
    for view in (document_text, document_markdown, document_page):
        assert view(full) == view(shown)
    if task == "many":
        assert sum(bool(part.models[0].measures) for part in shown.groups) == MOST_GROUPS


def test_the_prevalence_of_a_weighted_group_is_weighted_as_that_of_all_rows():
    """Else the column would hold two kinds of number: weighted above, counted below."""
    truth, weights = [1, 0, 0, 1, 0], [3.0, 1.0, 1.0, 1.0, 2.0]
    found = th.evaluate(truth, [0.9, 0.1, 0.2, 0.8, 0.3], weights=weights, by={"site": ["a", "a", "a", "b", "b"]})
    table = next(groups(build(found, every=False)))
    shares = [row[table.columns.index("Prevalence")].value for row in table.rows]
    assert shares == pytest.approx([4 / 8, 3 / 5, 1 / 3])


@pytest.mark.slow
def test_thousands_of_folds_have_the_same_spread_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand folds took a minute, for intervals of each that a reader of the spread is not shown."""
    draws = np.random.default_rng(0)
    y = np.arange(120) % 2
    one = th.evaluate(y, draws.random(120).round(2), fold=np.arange(120) // 4, bootstrap=20)
    with_intervals = build(one, every=False)
    assert any(each.low is not None for part in with_intervals.folds for each in part.models[0].measures.values())
    monkeypatch.setattr("thresher.report.build.MOST_FOLDS", 10)
    document = build(one, every=False)
    assert str(next(folds(document))) == str(next(folds(with_intervals)))
    assert all(each.low is None for part in document.folds for each in part.models[0].measures.values())
