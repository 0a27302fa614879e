"""Quality of a judge: its errors on the gold rows by group, the model that it favours, and the simple estimates."""

import numpy as np
import pytest

import thresher as th
from shares import few


def judged(seed, *, favour=0.0, right=0.9, rows=1500, gold=300, **options):
    """Two equally good models, and a judge who follows the first in a share of the rows."""
    draws = np.random.default_rng(seed)
    truth = (draws.random(rows) < 0.4).astype(int)
    scores = {name: 1 / (1 + np.exp(-(draws.normal(size=rows) + 2 * truth - 1))) for name in "ab"}
    judge = np.where(draws.random(rows) < right, truth, 1 - truth)
    judge = np.where(draws.random(rows) < favour, scores["a"] >= 0.5, judge).astype(int)
    label = [int(each) if place < gold else None for place, each in enumerate(truth)]
    return truth, scores, judge, th.evaluate(label, scores, judge=judge, threshold=0.5, **options)


def codes(found):
    return [each.code for each in found.judge_quality.findings]


def test_a_judge_is_evaluated_on_the_gold_rows_as_a_model_with_labels():
    site = np.arange(1500) % 3
    truth, _, judge, found = judged(1, by={"site": site})
    plain = th.evaluate(truth[:300], predicted={"judge": judge[:300]}, by={"site": site[:300]})
    assert found.judge["judge"].measures == plain["judge"].measures
    assert {key: part["judge"].recall for key, part in found.judge.groups.items()} == {
        key: part["judge"].recall for key, part in plain.groups.items()
    }
    assert found.judge_quality.agreement["cohen_kappa"] == plain["judge"].kappa


def test_every_judge_and_their_vote_are_evaluated():
    draws = np.random.default_rng(2)
    truth, scores, _, _ = judged(2)
    judges = {f"j{i}": np.where(draws.random(1500) < 0.8, truth, 1 - truth) for i in range(3)}
    found = th.evaluate([*truth[:300].tolist(), *[None] * 1200], scores, judge=judges)
    assert list(found.judge) == ["j0", "j1", "j2", "majority vote"]
    for name, labels in judges.items():
        assert found.judge[name].accuracy.value == np.mean(labels[:300] == truth[:300])
    assert found.judge["majority vote"].accuracy > found.judge["j0"].accuracy


def test_the_bias_is_the_accuracy_by_the_judge_less_that_by_people():
    truth, scores, judge, found = judged(3, favour=0.4)
    for name, score in scores.items():
        decided = score[:300] >= 0.5
        off = (decided == judge[:300]).astype(float) - (decided == truth[:300])
        bias = found.judge_quality.bias[name]
        assert bias.value == pytest.approx(off.mean())
        assert bias.standard_error == pytest.approx(off.std(ddof=1) / np.sqrt(300), rel=2e-2)


def test_a_judge_who_favours_a_model_is_named_and_others_are_not():
    found = judged(4, favour=0.4)[-1]
    assert codes(found) == ["judge-favours-model"]
    (finding,) = found.judge_quality.findings
    assert "favours a" in finding.text
    assert finding in found.findings
    assert codes(judged(5)[-1]) == []


@pytest.mark.slow
def test_fair_judges_are_rarely_called_unfair():
    """5 % of fair judges, of 40."""
    found = (judged(seed, right=0.8, rows=300, gold=120)[-1] for seed in range(40))
    assert sum("judge-favours-model" in codes(each) for each in found) < 6


def test_a_judge_no_better_than_chance_is_named():
    assert "judge-no-better-than-chance" in codes(judged(6, right=0.5)[-1])


def test_the_prevalence_is_corrected_for_the_errors_of_the_judge():
    truth, _, judge, found = judged(7, right=0.8, rows=20_000, gold=2000)
    quality = found.judge_quality
    right = [np.mean(judge[:2000][truth[:2000] == label] == label) for label in (1, 0)]
    share = judge.mean()
    assert quality.prevalence.value == pytest.approx((share + right[1] - 1) / (sum(right) - 1))
    assert quality.prevalence.low < truth.mean() < quality.prevalence.high
    assert quality.prevalence.n == 20_000


@pytest.mark.slow
def test_the_interval_of_the_corrected_prevalence_covers():
    found = [judged(seed, right=0.8, rows=300, gold=100)[-1].judge_quality.prevalence for seed in range(100)]
    missed = np.mean([not each.low < 0.4 < each.high for each in found])
    assert missed < 0.13


def test_both_simple_estimates_stand_beside_each():
    truth, scores, judge, found = judged(8)
    gold = th.evaluate(truth[:300], {name: s[:300] for name, s in scores.items()}, threshold=0.5)
    every = th.evaluate(judge, scores, threshold=0.5)
    for row in found.judge_quality.estimates:
        measure = row.powered.name
        assert row.powered == found[row.model].estimate(measure)
        assert row.gold == gold[row.model].estimate(measure)
        assert row.judge == pytest.approx(every[row.model].estimate(measure).value)
        assert 0 <= row.weight <= 1
        assert row.worth >= 300


@pytest.mark.peer
def test_the_estimates_are_a_dataframe():
    quality = judged(8)[-1].judge_quality
    assert len(quality.to_frame("pandas")) == len(quality.estimates)


def test_judges_of_several_classes():
    draws = np.random.default_rng(10)
    truth = draws.integers(0, 3, 600)
    judge = np.where(draws.random(600) < 0.9, truth, draws.integers(0, 3, 600))
    posteriors = draws.dirichlet(np.ones(3), 600) + 0.5 * np.eye(3)[truth]
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    label = [int(each) if place < 150 else None for place, each in enumerate(truth)]
    found = th.evaluate(label, probabilities=posteriors, judge=judge)
    assert found.judge_quality.prevalence is None
    assert set(found.judge_quality.agreement) == {"accuracy", "cohen_kappa"}
    assert found.judge["judge"].estimate("macro_recall").value == pytest.approx(
        np.mean([np.mean(judge[:150][truth[:150] == k] == k) for k in range(3)])
    )


@pytest.mark.parametrize("cluster", few([None, np.arange(1500) // 5], 1))
def test_gold_rows_that_were_not_drawn_at_random_are_named(cluster):
    """Rows with one label of the judge have people's labels more often; their probabilities put that right."""
    draws = np.random.default_rng(111)
    truth, scores, judge, random = judged(11)
    assert "gold-not-random" not in codes(random)
    chance = np.where(judge == 1, 0.5, 0.08)
    label = [int(each) if kept else None for each, kept in zip(truth, draws.random(1500) < chance, strict=True)]
    options = {} if cluster is None else {"cluster": cluster}
    assert "gold-not-random" in codes(th.evaluate(label, scores, judge=judge, **options))
    assert "gold-not-random" not in codes(th.evaluate(label, scores, judge=judge, sampling=chance, **options))


def test_few_gold_rows_of_one_label():
    truth, scores, judge, _ = judged(12)
    for many, is_named in ((3, False), (30, True)):
        kept = np.flatnonzero((truth == 1) & (judge == 1))[:many]
        label = [int(each) if row in kept else None for row, each in enumerate(truth)]
        assert ("gold-not-random" in codes(th.evaluate(label, scores, judge=judge))) == is_named
