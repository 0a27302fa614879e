"""A teacher's sheet: its blanks hold what counting by hand gives, and the sheet itself gives none of it away."""

import re
from itertools import product

import numpy as np
import pytest

import thresher as th
from thresher.report.render.handout import LINE, handout_page, handout_text
from thresher.report.teaching import Blank, sheet, some_rows

TRUTH = [1, 0, 1, 1, 0, 0, 1]
SCORE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.3, 0.3]


def made(truth=TRUTH, score=SCORE, **options):
    return sheet(th.evaluate(truth, score, **options)["score"])


def answers(exercise):
    return {text: blank.answer for text, blank in exercise.questions}


def test_pairs_are_those_of_brute_force():
    pairs = [(a, b) for (x, a), (y, b) in product(zip(TRUTH, SCORE, strict=True), repeat=2) if x and not y]
    concordant, tied = sum(a > b for a, b in pairs), sum(a == b for a, b in pairs)
    found = answers(made().exercises[2])
    assert found["Pairs in all"] == str(len(pairs))
    assert found["Concordant pairs"] == str(concordant)
    assert found["Tied pairs"] == str(tied)
    assert found["Discordant pairs"] == str(len(pairs) - concordant - tied)
    assert float(found["U over all pairs"]) == pytest.approx((concordant + tied / 2) / len(pairs), abs=5e-5)
    reverse = float(found["The same for the scores in reverse order"])
    assert reverse == pytest.approx(1 - (concordant + tied / 2) / len(pairs), abs=1e-4)


def test_walk_shows_its_first_line_and_leaves_the_rest():
    walk = made().exercises[0]
    first, *rest = walk.rows
    assert not any(isinstance(cell, Blank) for cell in first)
    assert all([isinstance(cell, Blank) for cell in row] == [False] * 4 + [True] * 6 for row in rest)
    assert answers(walk)["Squares under the path"] == walk.rows[-1][-1].answer == "8"


def test_matrix_and_thresholds_are_counted():
    matrix, every = made().exercises[3:5]
    cut = float(matrix.title.split()[-1])
    called = [s >= cut for s in SCORE]
    (_, *positive), (_, *negative) = [[getattr(cell, "answer", cell) for cell in row] for row in matrix.rows]
    tp, fp = (sum(c and t == truth for c, t in zip(called, TRUTH, strict=True)) for truth in (1, 0))
    assert positive == [str(tp), str(4 - tp), "4"]
    assert negative == [str(fp), str(3 - fp), "3"]
    assert float(answers(matrix)["Precision"]) == pytest.approx(tp / (tp + fp), abs=5e-5)
    for threshold, *cells in every.rows[1:]:
        hits = [
            sum(s >= float(threshold) and t == truth for s, t in zip(SCORE, TRUTH, strict=True)) for truth in (1, 0)
        ]
        assert [cell.answer for cell in cells] == [str(v) for v in (*hits, 3 - hits[1], 4 - hits[0])]


def test_costs_and_prevalence_are_those_of_the_definition():
    every, rare = made().exercises[4:]
    costs = {}
    for threshold, *cells in every.rows:
        _, fp, _, fn = (int(cell.answer) for cell in cells)
        costs[threshold] = (fp + 5 * fn) / 7
    best = min(costs.values())
    found = answers(every)
    assert float(found["That cost, for each row"]) == pytest.approx(best, rel=1e-3)
    cheap = next(blank for text, blank in every.questions if "least cost" in text)
    assert cheap.answer.split(" or ") == [threshold for threshold, cost in costs.items() if cost == best]
    rates = answers(rare)
    tpr, fpr = float(rates["Recall (sensitivity), here"]), float(rates["False positive rate, here"])
    there = 0.01 * tpr / (0.01 * tpr + 0.99 * fpr)
    assert float(rates["Precision, where 1% are positive"]) == pytest.approx(there, rel=1e-3)


def test_path_is_that_of_the_points():
    path = made().exercises[1].path
    assert (path.negatives, path.positives) == (3, 4)
    assert path.points == ((0, 0), (0, 1), (1, 2), (1, 3), (2, 3), (3, 4))


@pytest.mark.parametrize("write", [handout_text, handout_page])
def test_a_sheet_without_answers_has_none(write):
    sheet = made()
    without, alone, both = (write(sheet, key=key) for key in ("without", "alone", "with"))
    assert "Answers" not in re.sub(r"<style>.*?</style>", "", without, flags=re.S)
    assert "0.7083" not in without
    assert "diagonal" not in without
    assert "undefined" not in without
    assert "0.6667" in alone
    assert LINE not in alone
    assert "0.6667" in both
    assert LINE in both


def test_undefined_is_an_answer():
    """Where nobody is called positive, precision is a question with a reason for its answer."""
    matrix = th.ConfusionMatrix.from_counts([[0, 2], [0, 2]], labels=[1, 0], positive=1)
    from thresher.report.teaching import _measured

    assert _measured(matrix, "precision").answer == "undefined: nothing is predicted positive"


def test_low_scores_may_be_positive():
    matrix = made([1, 0, 1, 0], [1.0, 4.0, 2.0, 3.0], direction="lower").exercises[3]
    assert "at most" in matrix.task
    assert answers(matrix)["Recall (sensitivity)"] == "1"


def test_rows_are_drawn_within_classes():
    rows = th.load_example("breast_cancer")
    all_rows = th.evaluate(rows, label="diagnosis", positive="malignant", scores=["naive_bayes"]).predictions
    few, said = some_rows(all_rows, 12, 3)
    assert said == "12 of 569 rows, drawn within the classes (seed 3)."
    assert few.truth.size == 12
    assert int(few.truth.sum()) == round(12 * 212 / 569)
    again, _ = some_rows(all_rows, 12, 3)
    other, _ = some_rows(all_rows, 12, 4)
    assert np.array_equal(again.scores["naive_bayes"], few.scores["naive_bayes"])
    assert not np.array_equal(other.scores["naive_bayes"], few.scores["naive_bayes"])


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_rows_are_drawn_until_the_classes_overlap(direction):
    sign = 1 if direction == "higher" else -1
    truth, score = np.arange(200) >= 100, np.arange(200.0)
    score[150] = 50.5  # one positive below half of the negatives
    rows = th.evaluate(truth, sign * score, direction=direction).predictions
    few, said = some_rows(rows, 12, 0)
    assert said == "12 of 200 rows, drawn within the classes until they overlapped (seed 0)."
    kept = sign * few.scores["score"]
    assert kept[few.truth == 1].min() == 50.5 < kept[few.truth == 0].max()


def test_rows_that_never_overlap_are_drawn_once():
    rows = th.evaluate([0] * 50 + [1] * 50, range(100)).predictions
    few, said = some_rows(rows, 12, 0)
    assert (few.truth.size, said) == (12, "12 of 100 rows, drawn within the classes (seed 0).")


def test_a_rare_class_has_two_rows():
    predictions = th.evaluate([1] * 3 + [0] * 97, np.linspace(0, 1, 100)).predictions
    few, _ = some_rows(predictions, 10, 0)
    assert (few.truth.size, int(few.truth.sum())) == (10, 2)


def test_names_are_text():
    truth = np.array(["<b>ill</b>", "well", "<b>ill</b>", "well"])
    page = handout_page(made(truth, [0.9, 0.8, 0.2, 0.1], positive="<b>ill</b>"), key="with")
    assert "<b>ill</b>" not in page
    assert "&lt;b&gt;ill&lt;/b&gt;" in page
    assert "<script" not in page


def test_a_negative_zero_is_0():
    assert answers(made([1, 0, 1, 0], [-0.0, 0.5, -0.2, 0.0]).exercises[0]) == answers(
        made([1, 0, 1, 0], [0.0, 0.5, -0.2, 0.0]).exercises[0]
    )
