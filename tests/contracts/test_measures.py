"""What every registered measure promises, generated from its row of data."""

import inspect
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from contracts.strategies import matrices, tables
from measures.definitions import parameter_sets
from thresher import measures as package
from thresher.counts import Cells, ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.measures import REGISTRY, Measure, find, measures
from thresher.measures.conditions import CONDITIONS, TABLE_CONDITIONS
from thresher.measures.registry import reason_undefined, statistic_of

DECISIONS = list(measures("cells", "matrix"))
MATRIX = list(measures("matrix"))
SCORES = list(measures("table"))
# What is fitted depends on how many rows there are: chance adds less to a distance when there are more.
UNFITTED = [entry for entry in SCORES if not entry.fitted]
ALL = [*DECISIONS, *SCORES]


def each(entries: list[Measure]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry.name)


def value(entry: Measure, counts: Any) -> Any:
    return entry(counts, **parameter_sets(entry.name)[0])


def fitting(matrix: ConfusionMatrix) -> list[Measure]:
    """Measures that a matrix of this size has."""
    return DECISIONS if len(matrix.labels) == 2 else MATRIX


def close(entry: Measure, got: Any, expected: Any) -> None:
    """Equal but for rounding; what has no upper end divides by a difference, and is known as well as its inverse."""
    if entry.bounds[1] == math.inf:
        with np.errstate(divide="ignore", over="ignore"):
            inverses = np.isclose(np.reciprocal(got), np.reciprocal(expected), rtol=1e-12, atol=1e-15, equal_nan=True)
        got = np.where(inverses, expected, got)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12, err_msg=entry.name)


def is_undefined(entry: Measure, counts: Any) -> Any:
    conditions = TABLE_CONDITIONS if entry.needs == "table" else CONDITIONS
    statistic = statistic_of(entry, counts)
    return np.any([conditions[words](statistic) for words in entry.undefined], axis=0)


def test_it_costs_at_most_twelve_lines() -> None:
    lines = {entry.name: len(inspect.getsourcelines(inspect.unwrap(entry.formula))[0]) for entry in ALL}
    assert {name: n for name, n in lines.items() if n > 12} == {}


def test_an_alias_is_the_object() -> None:
    for entry in ALL:
        for name in (entry.name, *entry.aliases, entry.title, entry.name.upper(), entry.name.replace("_", "-")):
            assert find(name) is entry, name
        assert getattr(package, entry.name) is entry
        assert REGISTRY[entry.name] is entry


def test_every_measure_is_exported_and_nothing_else_is() -> None:
    assert set(package.__all__) == {*REGISTRY, "REGISTRY", "Measure", "find", "measures", "register"}


@each(DECISIONS)
def test_every_name_is_an_attribute(entry: Measure) -> None:
    matrix = ConfusionMatrix.from_cells(tp=7, fp=3, fn=2, tn=11)
    for name in (entry.name, *entry.aliases):
        assert entry.name in dir(matrix)
        assert not hasattr(ConfusionMatrix, name)
        assert not hasattr(ThresholdTable, name)
        got = getattr(matrix, name)
        assert (got(**parameter_sets(entry.name)[0]) if entry.parameters else got) == value(entry, matrix)


@given(matrix=st.one_of(matrices(k=2), matrices()))
def test_decisions_stay_inside_the_bounds_and_are_nan_exactly_when_said_so(matrix: ConfusionMatrix) -> None:
    for entry in fitting(matrix):
        check_value(entry, matrix)


@pytest.mark.slow
@given(table=tables())
def test_scores_stay_inside_the_bounds_and_are_nan_exactly_when_said_so(table: ScoreTable) -> None:
    for entry in SCORES:
        check_value(entry, table)


def check_value(entry: Measure, counts: Any) -> None:
    got = value(entry, counts)
    assert math.isnan(got) == bool(is_undefined(entry, counts)), entry.name
    assert math.isnan(got) or entry.bounds[0] <= got <= entry.bounds[1], entry.name
    assert (reason_undefined(entry, counts) is None) == (not math.isnan(got)), entry.name


@given(matrix=st.one_of(matrices(k=2), matrices()))
@example(matrix=ConfusionMatrix.from_cells(tp=1, fp=1, fn=1, tn=1.000001))
def test_tripled_counts_change_nothing_but_what_grows_with_the_rows(matrix: ConfusionMatrix) -> None:
    tripled = replace(matrix, counts=3 * matrix.counts)
    for entry in fitting(matrix):
        close(entry, value(entry, tripled), (3 if entry.grows else 1) * value(entry, matrix))


def test_only_pearsons_statistic_grows_with_the_rows() -> None:
    assert [entry.name for entry in ALL if entry.grows] == ["chi_squared"]


@given(table=tables())
def test_tripled_scores_change_nothing(table: ScoreTable) -> None:
    tripled = replace(table, positive=3 * table.positive, negative=3 * table.negative)
    for entry in UNFITTED:
        close(entry, value(entry, tripled), (3 if entry.grows else 1) * value(entry, table))


@given(batch=st.one_of(matrices(k=2, batch=(2, 3)), matrices(k=3, batch=(2, 3))))
def test_a_batch_is_a_loop_over_its_members(batch: ConfusionMatrix) -> None:
    members = [[replace(batch, counts=batch.counts[i, j], squares=None) for j in range(3)] for i in range(2)]
    for entry in fitting(batch):
        got = value(entry, batch)
        assert got.shape == (2, 3)
        close(entry, got, [[value(entry, member) for member in row] for row in members])


@pytest.mark.slow
@given(table=tables())
def test_a_batch_of_tables_is_a_loop_over_its_members(table: ScoreTable) -> None:
    batch = replace(table, positive=np.stack([table.positive, table.negative]), negative=np.stack([table.negative] * 2))
    members = [replace(table, positive=batch.positive[i], negative=batch.negative[i]) for i in range(2)]
    for entry in SCORES:
        close(entry, value(entry, batch), [value(entry, member) for member in members])


@given(table=tables())
def test_a_threshold_table_is_its_matrices(table: ScoreTable) -> None:
    thresholds = ThresholdTable.from_table(table)
    rows = [thresholds.row(i) for i in range(len(thresholds))]
    for entry in DECISIONS:
        close(entry, value(entry, thresholds), [value(entry, row) for row in rows])


@given(matrix=matrices(k=2))
def test_the_prevalence_that_was_counted_changes_nothing(matrix: ConfusionMatrix) -> None:
    share = matrix.prevalence
    # A share next to 1 has few digits left of 1 − share, which the negatives are scaled by.
    assume(1e-6 < share < 1 - 1e-6)
    for entry in DECISIONS:
        np.testing.assert_allclose(
            value(entry, matrix.with_prevalence(share)), value(entry, matrix), rtol=1e-9, atol=1e-9, err_msg=entry.name
        )


@given(table=tables())
def test_the_prevalence_that_was_counted_changes_no_measure_of_scores(table: ScoreTable) -> None:
    assume(0 < table.prevalence < 1)
    for entry in UNFITTED:
        close(entry, value(entry, table.with_prevalence(table.prevalence)), value(entry, table))


@given(matrix=matrices(k=2), prior=st.floats(0.001, 0.999))
def test_a_second_prevalence_replaces_the_first(matrix: ConfusionMatrix, prior: float) -> None:
    twice, once = matrix.with_prevalence(0.3).with_prevalence(prior), matrix.with_prevalence(prior)
    assert twice == once
    for entry in DECISIONS:
        np.testing.assert_equal(value(entry, twice), value(entry, once))


@given(matrix=st.one_of(matrices(k=2), matrices()))
def test_a_proportion_is_successes_over_trials(matrix: ConfusionMatrix) -> None:
    for entry in fitting(matrix):
        if entry.proportion:
            successes, trials = entry.ratio(statistic_of(entry, matrix))
            assert 0 <= successes <= trials
            assert (trials == 0) == math.isnan(value(entry, matrix))


@given(p=st.integers(1, 50), n=st.integers(1, 50), alarms=st.integers(1, 9))
def test_a_rule_that_knows_nothing_has_the_neutral_value(p: int, n: int, alarms: int) -> None:
    rule = Cells.of(tp=alarms * p, fp=alarms * n, fn=(10 - alarms) * p, tn=(10 - alarms) * n)
    for entry in DECISIONS:
        if entry.neutral is not None:
            assert value(entry, rule) == pytest.approx(entry.neutral, abs=1e-12), entry.name


@each([entry for entry in DECISIONS if entry.better != "neither" and not math.isinf(entry.bounds[0])])
def test_perfect_rules_have_the_best_value_and_inverted_ones_the_worst(entry: Measure) -> None:
    perfect, inverted = Cells.of(tp=40, fp=0, fn=0, tn=40), Cells.of(tp=0, fp=40, fn=40, tn=0)
    best, worst = entry.bounds[::-1] if entry.better == "higher" else entry.bounds
    assert value(entry, perfect) == (best if entry.name != "lift" else 2)
    assert value(entry, inverted) == worst
