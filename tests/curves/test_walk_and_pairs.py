"""The walk along the ROC and the pairs, against what they are by definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import ScoreTable
from thresher.curves import pairs

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=1, max_size=14)


def by_definition(rows: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Concordant, tied and discordant pairs, counted one by one."""
    each = [(a > b) - (a < b) for truth, a in rows if truth for other, b in rows if not other]
    return each.count(1), each.count(0), each.count(-1)


@given(ROWS)
def test_pairs_are_those_counted_one_by_one(rows: list[tuple[int, int]]) -> None:
    truth, scores = zip(*rows, strict=True)
    found = pairs(ScoreTable.from_scores(truth, scores))
    concordant, tied, discordant = by_definition(rows)
    assert (found.concordant, found.tied, found.discordant) == (concordant, tied, discordant)
    assert found.total == sum(truth) * (len(truth) - sum(truth))
    assert found.u == concordant + tied / 2
    ranks = [sum(other < score for other in scores) + (scores.count(score) + 1) / 2 for score in scores]
    assert found.rank_sum == sum(rank for rank, positive in zip(ranks, truth, strict=True) if positive)
    if 0 < sum(truth) < len(truth):
        assert np.allclose(list(found.readings.values()), found.u / found.total, atol=1e-12)
    else:
        assert np.isnan(found.readings["a random positive lies above a random negative"])


@given(ROWS)
def test_the_walk_ends_at_the_concordant_pairs(rows: list[tuple[int, int]]) -> None:
    truth, scores = zip(*rows, strict=True)
    walk = th.evaluate(truth, [float(s) for s in scores], positive=1)["score"].walk()
    concordant, tied, _ = by_definition(rows)
    assert walk["area"][-1] == concordant + tied / 2
    assert walk["row"].tolist() == sorted(range(1, len(rows) + 1), key=lambda row: -scores[row - 1])
    for i, (point, step) in enumerate(zip(walk["point"], walk["step"], strict=True)):
        tie = [truth[row - 1] for row in walk["row"] if scores[row - 1] == walk["score"][i]]
        is_last = i + 1 == len(rows) or walk["score"][i + 1] != walk["score"][i]
        kind = "diagonal" if len(set(tie)) == 2 else "up" if tie[0] else "right"
        assert (point == "tie: wait", step) == (not is_last, kind if is_last else "")


def test_the_ten_rows_walk_as_the_texts_print() -> None:
    ten = th.load_example("ten")
    walk = th.evaluate(ten["truth"], ten["score"])["score"].walk()
    points = "0, 0.2; 0, 0.4; 0.2, 0.4; 0.2, 0.6; 0.2, 0.8; 0.4, 0.8; 0.6, 0.8; 0.8, 0.8; 0.8, 1; 1, 1"
    assert walk["point"].tolist() == [f"({point})" for point in points.split("; ")]
    assert walk["area"][-1] == 0.76 * 25


def test_tied_rows_take_one_diagonal_step() -> None:
    tied = th.load_example("tied")
    walk = th.evaluate(tied["truth"], tied["score"])["score"].walk()
    assert walk["step"].tolist().count("diagonal") == 1
    assert walk["point"].tolist().count("tie: wait") == 2
    assert walk.to_dict()["area"][-1] == 18.0


def test_weights_count_as_repeated_rows() -> None:
    truth, scores, weights = [1, 0, 1, 0, 0], [3.0, 3.0, 2.0, 2.0, 1.0], [2, 1, 1, 3, 2]
    once = th.evaluate(truth, scores, weights=weights, weight_kind="frequency")["score"]
    again = th.evaluate(np.repeat(truth, weights), np.repeat(scores, weights))["score"]
    assert once.pairs == again.pairs
    assert once.walk()["area"][-1] == again.walk()["area"][-1]


def test_pairs_of_a_billion_rows_are_exact() -> None:
    table = ScoreTable.from_counts([1.0, 0.0], [3 * 10**9, 1], [1, 3 * 10**9])
    found = pairs(table)
    assert found.concordant == 9 * 10**18
    assert found.discordant == 1
    assert found.tied == 6 * 10**9
