"""What each row adds to a measure: the change of its value with the weight of that row, and the correlation of two."""

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher.evaluation.intervals import sample_of
from thresher.inference.comparing.contributions import contributions, correlation_of
from thresher.measures.measure_text import parse_measure

DRAWS = np.random.default_rng(2)
ROWS = 60
Y = (DRAWS.random(ROWS) < 0.4).astype(int)
SHARED = DRAWS.normal(size=ROWS)
SCORES = {name: (Y + SHARED + DRAWS.normal(size=ROWS)).round(1) for name in "ab"}
STEP = 1e-6
DECISIONS = ("recall", "f1", "kappa", "mcc", "balanced_accuracy", "net_benefit:threshold_probability=0.2")


def value(measure, weights, direction="higher"):
    sign = 1 if direction == "higher" else -1
    model = th.evaluate(Y, sign * SCORES["a"], weights=weights, threshold=0.5 * sign, direction=direction)["score"]
    return model.estimate(measure).value


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("measure", few([*DECISIONS, "average_precision", "ks_statistic"], 4))
def test_a_contribution_is_the_change_of_the_value_with_the_weight_of_the_row(measure, direction):
    sign = 1 if direction == "higher" else -1
    model = th.evaluate(Y, sign * SCORES["a"], threshold=0.5 * sign, direction=direction)["score"]
    found = contributions(sample_of(model), parse_measure(measure))
    changes = []
    for row in range(ROWS):
        more, less = (np.where(np.arange(ROWS) == row, 1 + step, 1.0) for step in (STEP, -STEP))
        changes.append((value(measure, more, direction) - value(measure, less, direction)) / (2 * STEP))
    assert found == pytest.approx(np.array(changes), abs=1e-6)
    assert found.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("score", [
    np.repeat([0.5], 4), np.array([np.inf, -np.inf, 0.0, -0.0, 1.7e308, -1.7e308, np.inf]),
    np.arange(-2, 3) * 5e-324, 0.5 + np.array([0, 1, 2, 1, 4]) * 2.0**-53, np.array([np.inf, -np.inf]), SCORES["a"],
])  # fmt: skip
def test_the_place_of_a_row_is_that_of_its_score_in_the_table(score, direction):
    side = sample_of(th.evaluate(np.arange(score.size) % 2, score, threshold=0.5, direction=direction)["score"])
    assert (side.table.scores[side.places] == score).all()


@pytest.mark.slow
def test_the_correlation_is_that_of_values_of_other_samples():
    """Of 2,000 samples of 400 rows from the same distribution."""
    draws, rows = np.random.default_rng(4), 400
    values = {measure: [] for measure in ("f1", "average_precision", "ks_statistic", "equal_error_rate")}
    found = {measure: [] for measure in values}
    for sample in range(400):
        y, shared = (draws.random(rows) < 0.4).astype(int), draws.normal(size=rows)
        scores = {name: y + shared + 0.7 * draws.normal(size=rows) for name in "ab"}
        models = th.evaluate(y, scores, threshold=0.5)
        for measure, each in values.items():
            each.append([models[name].estimate(measure).value for name in "ab"])
            if sample < 40:
                found[measure].append(correlation_of(*map(sample_of, models.values()), parse_measure(measure)))
    for measure, each in values.items():
        assert np.mean(found[measure]) == pytest.approx(np.corrcoef(np.array(each).T)[0, 1], abs=0.12), measure


def test_equal_models_have_the_correlation_1_and_weights_repeat_rows():
    twice = th.evaluate(Y, {"a": SCORES["a"], "b": SCORES["a"]}, threshold=0.5)
    weights = DRAWS.integers(1, 4, ROWS)
    weighted = th.evaluate(Y, SCORES, threshold=0.5, weights=weights, weight_kind="frequency")
    repeated = th.evaluate(
        np.repeat(Y, weights), {name: np.repeat(s, weights) for name, s in SCORES.items()}, threshold=0.5
    )
    for measure in ("f1", "average_precision", "ks_statistic", "equal_error_rate"):
        assert correlation_of(*map(sample_of, twice.values()), parse_measure(measure)) == 1
        found, want = (
            correlation_of(*map(sample_of, each.values()), parse_measure(measure)) for each in (weighted, repeated)
        )
        assert found == pytest.approx(want, rel=1e-9)


def test_a_registered_measure_without_a_formula_has_it_from_groups_of_rows():
    def middle(t):
        "Average precision by another name."
        return th.measures.find("average_precision")(t)

    options = {"text": "as above", "needs": "table", "source": "here"}
    with th.measures.register(middle, **options):
        models = th.evaluate(Y, SCORES)
        sides = [sample_of(model) for model in models.values()]
        found, want = (correlation_of(*sides, parse_measure(name)) for name in ("middle", "average_precision"))
    assert found == pytest.approx(want, abs=0.1)
