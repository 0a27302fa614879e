"""Rounded scores: monotone, idempotent, the same bits from NumPy and SQL, and how far every measure moves."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.conventions import is_positive
from thresher.counts import ScoreTable
from thresher.counts.rounding import HUGE, TINY, as_counted, rounded, rounded_by_namespace, sql_steps
from thresher.measures import find, measures

BITS = st.integers(8, 24)
SCORES = st.floats(allow_nan=False) | st.floats(0, 1) | st.floats(0.4, 0.6)
EDGES = [0.0, -0.0, 0.5, 1.0, math.inf, -math.inf, 5e-324, -5e-324, TINY, -TINY, HUGE, 1.7e308]
EDGES += [math.nextafter(edge, to) for edge in (0.5, 1.0, TINY, HUGE) for to in (-math.inf, math.inf)]


def on_grid(value: float, bits: int, side: Callable[[Fraction], int]) -> Fraction:
    """So many significant bits of a number, by exact arithmetic, rounded to a side."""
    if abs(value) < TINY:
        return Fraction(side(Fraction(value))) * Fraction(TINY)
    unit = Fraction(2) ** (math.frexp(value)[1] - bits)
    return side(Fraction(value) / unit) * unit


def by_definition(score: float, bits: int, direction: str = "higher") -> float:
    """Rounded down where high scores are positive, up where low ones are."""
    if math.isinf(score) or abs(score) > HUGE:
        return score
    down, up = (math.floor, math.ceil) if direction == "higher" else (math.ceil, math.floor)
    if 0.5 < score < 1:
        return float(1 - on_grid(float(1 - Fraction(score)), bits, up))
    return float(on_grid(score, bits, down))


DIRECTIONS = st.sampled_from(["higher", "lower"])


@pytest.mark.hypothesis
@given(st.lists(SCORES, min_size=1, max_size=20), BITS, DIRECTIONS)
def test_scores_are_those_of_exact_arithmetic(scores, bits, direction):
    values = np.array(scores + EDGES)
    expected = [by_definition(each, bits, direction) + 0.0 for each in values.tolist()]
    assert rounded(values, bits, direction).tolist() == expected


@pytest.mark.hypothesis
@given(st.lists(SCORES, min_size=1, max_size=20), BITS, DIRECTIONS)
def test_rounding_is_monotone_and_idempotent(scores, bits, direction):
    values = np.sort(np.array(scores + EDGES))
    once = rounded(values, bits, direction)
    assert (once[1:] >= once[:-1]).all()
    assert rounded(once, bits, direction).tobytes() == once.tobytes()


@pytest.mark.hypothesis
@given(st.lists(SCORES, min_size=1, max_size=20), BITS, DIRECTIONS)
def test_a_rounded_score_as_threshold_decides_the_scores_as_it_decides_the_rounded_ones(scores, bits, direction):
    values = np.array(scores)
    near = rounded(values, bits, direction)
    for cut in near[np.abs(near) >= TINY]:
        assert (is_positive(values, cut, direction) == is_positive(near, cut, direction)).all()


@pytest.mark.hypothesis
@given(
    st.lists(SCORES, min_size=1, max_size=20), BITS, st.lists(SCORES, max_size=3), st.sampled_from(["higher", "lower"])
)
def test_decisions_at_named_thresholds_are_those_of_the_scores(scores, bits, thresholds, direction):
    values = np.sort(np.array(scores + EDGES))
    cuts = [each for each in thresholds if math.isfinite(each)]
    near = as_counted(values, bits, cuts, direction)
    assert (near[1:] >= near[:-1]).all()
    for cut in cuts:
        assert (is_positive(near, cut, direction) == is_positive(values, cut, direction)).all()


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("bits", [8, 16, 24])
def test_sql_computes_the_same_bits(bits, direction):
    draws = np.random.default_rng(3)
    powers = 2.0 ** np.arange(-1000, 1000)
    values = np.concatenate([
        EDGES, draws.normal(size=5000) * 3, draws.random(5000), 1 - 10 ** draws.uniform(-17, 0, 5000),
        10 ** draws.uniform(-300, 300, 5000), -(10 ** draws.uniform(-300, 300, 5000)), powers,
        np.nextafter(powers, 0), np.nextafter(powers, np.inf),
    ])  # fmt: skip
    cuts: list[list[float]] = [[], [0.3, -2.2, 1e-7, 0.30001]]
    with duckdb.connect() as database:
        database.register("given", {"score_1": values, "score_2": -values})
        steps = ", ".join(
            f"{name} AS ({text})" for name, text in sql_steps("given", bits, [direction, direction], cuts)
        )
        found = database.sql(f"WITH {steps} SELECT * FROM thresher_rounded_rows").fetchnumpy()
    assert len(found["score_1"]) == values.size
    for i, own in enumerate(cuts, 1):
        expected = as_counted(found[f"score_{i}"], bits, own, direction)
        np.testing.assert_array_equal(found[f"rounded_{i}"], expected)


def drawn(name: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(7)
    truth = (draws.random(rows) < 0.2).astype(np.uint8)
    z = draws.normal(truth, 1.0)
    share = 1 / (1 + np.exp(-z))
    scores = {
        "logistic": share, "from 1e-9": 10 ** (-9 * (1 - share)), "near 1": 1 - 10 ** (-6 * share), "unbounded": z,
        "tied": np.round(share, 2) + 0.003,  # not on the edges of calibration bins, which rounding would cross
    }  # fmt: skip
    return truth, scores[name]


@pytest.mark.parametrize("rows", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["logistic", "from 1e-9", "near 1", "unbounded", "tied"])
def test_unfitted_measures_move_by_a_thousandth_at_most(name, rows):
    truth, scores = drawn(name, rows)
    exact, near = (ScoreTable.from_scores(truth, each) for each in (scores, rounded(scores)))
    for measure in measures("table"):
        if measure.needs_parameters or measure.fitted:
            continue
        given, found = float(measure(exact)), float(measure(near))
        assert math.isnan(given) == math.isnan(found), measure.name
        alike = abs(found - given) <= 1e-3 * max(abs(given), 1e-3)
        assert math.isnan(given) or found == given or alike, measure.name
    assert abs(float(find("auc")(near)) - float(find("auc")(exact))) <= replace(near, resolution=16).auc_bound


def test_parts_add_up_to_the_whole_bit_for_bit():
    truth, scores = drawn("logistic", 9_001)
    whole = ScoreTable.from_scores(truth, rounded(scores))
    parts = [ScoreTable.from_scores(truth[i::3], rounded(scores[i::3])) for i in range(3)]
    assert sum(parts[1:], parts[0]) == whole


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=40),
    st.integers(8, 24),
    st.sampled_from(["higher", "lower"]),
    st.lists(st.floats(0, 1), max_size=3),
)
def test_arithmetic_of_any_array_library_rounds_to_the_same_bits(scores, bits, direction, thresholds):
    known = np.array(scores)
    with np.errstate(over="ignore", invalid="ignore"):  # of infinite scores, which `where` then leaves out
        found = rounded_by_namespace(np, known, bits, direction, thresholds)
    want = as_counted(known, bits, thresholds, direction)
    assert found.tobytes() == (want + 0.0).tobytes()
