"""Rows that are spread evenly over cells by value, many of them beside the ends of cells, against the definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from thresher import kernel


@st.composite
def even(draw):
    """Rows of both signs, spread evenly, many of them beside the ends of cells, of which each row has two or more."""
    ways = draw(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(0, 23)), min_size=17, max_size=150))
    cells = 2 ** (math.ceil(math.log2(len(ways))) + 1)
    highest, width = draw(st.floats(1e-3, 1e3)), draw(st.floats(1.5, 100))
    scores = []
    for i, (_, part, way) in enumerate(ways):
        place = (i + part) / len(ways) * (cells - 2)
        end, inside = (highest - highest * width * x / (cells - 2) for x in (round(place), place))
        near = end, math.nextafter(end, math.inf), math.nextafter(end, -math.inf)
        scores.append([0.0, -0.0, 5e-324, -5e-324, *near, inside][min(way, 4 + way % 4)])
    order = draw(st.permutations(range(len(ways))))
    truth = np.array([each[0] for each in ways], dtype=np.uint8)
    return truth[order], np.array(scores)[order] * draw(st.sampled_from([1.0, -1.0]))


@given(even(), st.sampled_from([0.0, 1.0, -1.0]))
def test_scores_of_both_signs_are_counted_by_definition(rows, moved):
    """Moved far enough they have one sign, and some fall together."""
    truth, scores = rows
    scores = scores + moved * (np.abs(scores).max() + 1.0)
    falling, positive, negative, *_ = brute.score_table(truth, scores, None)
    for use in brute.IMPLEMENTATIONS:
        with brute.using(use):
            pairs, table = kernel.concordance(truth, scores), kernel.score_table(truth, scores)
            area = kernel.average_precision(truth, scores)
        assert pairs == (brute.pairs(truth, scores, None), truth.sum(), truth.size - truth.sum())
        assert [column.tolist() for column in table[:3]] == [falling, positive, negative]
        assert area == pytest.approx(_precision(positive, negative), rel=1e-13, nan_ok=True)


def _precision(positive, negative):
    """Σ over scores of the share of positives there times the precision, in fractions."""
    area, hits, rows = Fraction(0), 0, 0
    for p, n in zip(positive, negative, strict=True):
        hits, rows = hits + p, rows + p + n
        area += Fraction(p * hits, rows)
    return float(area / hits) if hits else math.nan
