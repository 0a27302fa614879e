"""`missing="weight"`: rows with a label stand for those without."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.errors import OptionError
from thresher.inference import verified
from thresher.inference.strata import SecondPhase

RNG = np.random.default_rng(1)
TRUTH = (RNG.random(1500) < 0.3).astype(int)
SCORE = RNG.normal(size=1500) + 1.5 * TRUTH
KNOWN = RNG.random(1500) < np.where(SCORE > 1, 0.9, 0.25)
LABELS = [int(y) if known else None for y, known in zip(TRUTH, KNOWN, strict=True)]


@pytest.mark.parametrize("measure", ["auc", "recall", "specificity", "precision", "f1", "average_precision"])
def test_values_are_those_of_partly_verified_rows(measure: str) -> None:
    ev = th.evaluate(LABELS, SCORE, missing="weight", threshold=1)
    found = verified(LABELS, SCORE, threshold=1)
    assert ev.estimate(measure).value == pytest.approx(found.estimate(measure).value)
    assert ev.estimate(measure).standard_error is None or ev.estimate(measure).high > found.estimate(measure).value
    assert "weighted-rows" in [note.code for note in ev.notes]


def test_predicted_labels_frames_and_files(tmp_path: Any) -> None:
    test = (SCORE > 1).astype(int)
    weights = {0: (test == 0).sum() / (KNOWN & (test == 0)).sum(), 1: (test == 1).sum() / (KNOWN & (test == 1)).sum()}
    ev = th.evaluate(LABELS, predicted=test, missing="weight")
    np.testing.assert_allclose(ev.predictions.weights, [weights[t] for t in test[KNOWN].tolist()])
    path = tmp_path / "rows.csv"
    lines = [f"{'' if y is None else y},{t}" for y, t in zip(LABELS, test.tolist(), strict=True)]
    path.write_text("\n".join(["y,t", *lines]), encoding="utf-8")
    read = th.evaluate(str(path), label="y", predicted="t", missing="weight")
    assert read.estimate("recall").value == ev.estimate("recall").value


def test_several_models_are_compared() -> None:
    both = {"a": SCORE, "b": SCORE + RNG.normal(size=1500)}
    ev = th.evaluate(LABELS, both, missing="weight", threshold=1)
    truth = th.evaluate(TRUTH, both, threshold=1)
    found = ev.compare("a", "b", measure="auc")
    assert found.low < truth["a"].auc.value - truth["b"].auc.value < found.high


def test_classes_and_complete_labels() -> None:
    posteriors = RNG.dirichlet(np.ones(3), 300)
    codes = np.array([RNG.choice(3, p=p) for p in posteriors])
    labels = [int(k) if i % 3 else None for i, k in enumerate(codes)]
    assert 0 < th.evaluate(labels, posteriors, labels=[0, 1, 2], missing="weight")["model"].accuracy.value < 1
    whole = th.evaluate(TRUTH, SCORE, missing="weight")
    assert whole.auc == th.evaluate(TRUTH, SCORE).auc


MEASURES = ("auc", "average_precision", "recall", "specificity", "precision", "f1", "mcc", "accuracy")


@pytest.mark.parametrize("measure", MEASURES)
def test_verified_rows_have_the_estimates_of_begg_and_greenes(measure: str) -> None:
    ev = th.evaluate(TRUTH, SCORE, verified=KNOWN, threshold=1)
    one, two = ev.estimate(measure), verified(LABELS, SCORE, threshold=1).estimate(measure)
    assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), rel=1e-6)
    frame = {"y": TRUTH, "s": SCORE, "checked": ["yes" if known else "no" for known in KNOWN]}
    read = th.evaluate(frame, label="y", scores="s", verified="checked", threshold=1)
    assert read.estimate(measure) == one


def test_the_variance_is_that_of_all_samples() -> None:
    """All samples of verified rows in two strata: the mean estimated variance is that of the estimated totals."""
    from itertools import combinations, product

    strata = [np.array([1.0, 0, 0, 1, 0]), np.array([0.0, 1, 1, 0])]
    means, variances = [], []
    for one, two in product(combinations(range(5), 3), combinations(range(4), 2)):
        kept = np.concatenate([strata[0][list(one)], strata[1][list(two)]])
        phase = SecondPhase(np.array([0] * 3 + [1] * 2), np.array([5.0, 4.0]), np.array([3.0, 2.0]))
        weights = phase.rows[phase.codes] / phase.verified[phase.codes]
        mean = float((weights * kept).sum() / 9)
        means.append(mean)
        variances.append(phase.variance((kept - mean) / 9)[0])
    every = np.concatenate(strata)
    # From an infinite population the rows themselves vary too: by s²/n.
    assert np.mean(means) == pytest.approx(every.mean())
    assert np.mean(variances) == pytest.approx(np.var(means) + every.var(ddof=1) / 9, rel=0.02)


def test_groups_keep_the_strata_of_all_rows() -> None:
    by = np.where(RNG.random(1500) < 0.5, "x", "y")
    ev = th.evaluate(TRUTH, SCORE, verified=KNOWN, threshold=1, by=by)
    for part in ev.groups.values():
        assert part["score"].auc.method == "Begg–Greenes, logit scale"
        assert part["score"].auc.standard_error > ev.auc.standard_error


@pytest.mark.slow
def test_intervals_of_verified_rows_hold_the_truth() -> None:
    draws, held = np.random.default_rng(3), dict.fromkeys(("auc", "recall", "f1"), 0)
    truth = (draws.random(200_000) < 0.3).astype(int)
    every = th.evaluate(truth, draws.normal(size=200_000) + 1.5 * truth, threshold=1)
    known = {name: every.estimate(name).value for name in held}
    for _ in range(200):
        y = (draws.random(800) < 0.3).astype(int)
        s = draws.normal(size=800) + 1.5 * y
        ev = th.evaluate(y, s, verified=draws.random(800) < np.where(s > 1, 0.8, 0.3), threshold=1)
        for name, value in known.items():
            held[name] += ev.estimate(name).low <= value <= ev.estimate(name).high
    assert all(each > 180 for each in held.values()), held


@pytest.mark.parametrize("measure", ["auc", "accuracy", "recall", "specificity", "precision", "brier_score"])
def test_bounds_are_those_of_all_truths(measure: str) -> None:
    from itertools import product

    score, labels = np.array([0.9, 0.8, 0.7, 0.4, 0.4, 0.3, 0.2]), [1, None, 0, 1, None, None, 0]
    gaps = [row for row, label in enumerate(labels) if label is None]
    ev = th.evaluate(labels, score, missing="bounds")
    found = []
    for truth in product((0, 1), repeat=len(gaps)):
        y = [0 if label is None else label for label in labels]
        for row, value in zip(gaps, truth, strict=True):
            y[row] = value
        found.append(th.evaluate(y, score).estimate(measure).value)
    assert ev["score"].bounds(measure) == pytest.approx((min(found), max(found)))
    assert ev.estimate(measure) == th.evaluate([1, 0, 1, 0], score[[0, 2, 3, 6]]).estimate(measure)


@pytest.mark.parametrize("most", [1 << 20, 1])
@pytest.mark.parametrize("measure", ["auc", "gini", "brier_score", "accuracy", "recall", "specificity", "npv", "f1"])
def test_bounds_of_a_difference_are_those_of_all_truths(measure: str, most: int, monkeypatch: Any) -> None:
    from itertools import product

    from thresher.inference import missing_bounds

    monkeypatch.setattr(missing_bounds, "MOST", most)
    labels = [1, None, 0, 1, None, None, 0, None]
    models = {"a": [0.9, 0.8, 0.7, 0.4, 0.4, 0.3, 0.2, 0.6], "b": [0.6, 0.1, 0.7, 0.8, 0.9, 0.2, 0.3, 0.6]}
    ev = th.evaluate(labels, models, missing="bounds")
    found = []
    for truth in product((0, 1), repeat=labels.count(None)):
        rest = iter(truth)
        every = th.evaluate([next(rest) if label is None else label for label in labels], models)
        found.append(every["a"].estimate(measure).value - every["b"].estimate(measure).value)
    one, two = ev.compare("a", "b", measure=measure), ev.compare("b", "a", measure=measure)
    if measure == "f1" and most == 1:
        with pytest.raises(OptionError, match="Compare by accuracy, recall"):
            ev["a"].bounds(measure, ev["b"])
        assert (one.bounds, one.bounds_reason.code, one.bounds_reason[-16:]) == (None, "no-bounds", "label more rows.")
        assert one.to_dict()["bounds_reason_code"] == "no-bounds"
        assert "label more rows" not in one.assumptions
        return
    assert one.bounds == pytest.approx((min(found), max(found)))
    assert two.bounds == pytest.approx((-max(found), -min(found)))
    assert "The missing labels could put the difference anywhere from" in one.sentence
