"""Partly verified predictions: Begg and Greenes' example, R's survey, exact enumeration, bounds and coverage."""

import json
import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import thresher as th
from golden_values import GOLDEN
from thresher.errors import listed
from thresher.inference import verified
from thresher.inference.comparing.contributions import row_derivatives
from thresher.inference.comparing.rows import ComparedSample
from thresher.inference.strata import Phases
from thresher.inference.verified import Verified
from thresher.measures.measure_text import parse_measure

LIVER = [1] * 231 + [0] * 32 + [None] * 166 + [1] * 27 + [0] * 54 + [None] * 140
SCAN = [1] * 429 + [0] * 221
AGREEMENT = ("sensitivity", "specificity", "precision", "npv", "accuracy", "f1", "mcc", "kappa")


def scored_rows() -> dict[str, Any]:
    """The rows of `golden/make_verified.R`."""
    i = np.arange(1, 241)
    score = (i * 37) % 241 / 241
    test = score >= 0.6
    truth = (i * 71) % 101 < 100 * score**2
    known = (test & (i % 4 != 0)) | (~test & (i % 5 == 0))
    labels = [int(y) if k else None for y, k in zip(truth, known, strict=True)]
    return {"truth": labels, "score": score, "test": test.astype(int), "site": i % 3}


def test_begg_and_greenes_example() -> None:
    """Begg & Greenes 1983, table 1: 90 % and 63 % among the verified become 84 % and 74 %."""
    found = verified(LIVER, predicted=SCAN)
    assert [round(100 * found.complete_case(name)) for name in ("sensitivity", "specificity")] == [90, 63]
    sensitivity, specificity = found.estimate("sensitivity"), found.estimate("specificity")
    assert round(sensitivity.value, 3) == 0.836
    assert round(specificity.value, 3) == 0.738
    assert found.estimate("precision").value == pytest.approx(231 / 263)
    assert found.estimate("npv").value == pytest.approx(54 / 81)
    # Their variance of the logit, with divisors m where ours has m − 1.
    n1, n0, s1, r1, s0, r0 = 429, 221, 231, 32, 27, 54
    of_test = 650 / (n0 * n1)
    for estimate, one, two in ((sensitivity, (r1, s1), (r0, s0)), (specificity, (s1, r1), (s0, r0))):
        parts = one[0] / (one[1] * (s1 + r1)) + two[0] / (two[1] * (s0 + r0))
        error = estimate.value * (1 - estimate.value) * math.sqrt(of_test + parts)
        assert estimate.standard_error == pytest.approx(error, rel=0.006)


@pytest.mark.parametrize("case", ["liver", "scored"])
def test_equals_r_survey(case: str) -> None:
    """Weights, values and standard errors; survey's first phase leaves out n/(n − 1)."""
    golden = json.loads((GOLDEN / "verified.json").read_text(encoding="utf-8"))[case]
    if case == "liver":
        found, n = verified(LIVER, predicted=SCAN), 650
    else:
        rows = scored_rows()
        strata = {"site": rows["site"]}
        found, n = verified(rows["truth"], rows["score"], threshold=0.6, strata=strata, bins=1), 240
    weights = np.unique(found.weights[found.weights > 0].round(12))
    np.testing.assert_allclose(weights, np.unique(np.round(golden.pop("weights"), 12)), rtol=1e-8)
    for name, (value, error) in golden.items():
        estimate = found.estimate(name)
        assert estimate.value == pytest.approx(value, rel=1e-8), name
        assert estimate.standard_error == pytest.approx(error * math.sqrt(n / (n - 1)), rel=1e-8), name


def test_variance_is_unbiased_over_all_samples() -> None:
    """All samples of five rows from four kinds, and all choices of the verified rows of each stratum."""
    kinds = [((0, 0), 0.3), ((0, 1), 0.2), ((1, 0), 0.1), ((1, 1), 0.4)]  # (stratum, truth)
    mean = variance = second = 0.0
    for drawn in product(range(4), repeat=5):
        chance = math.prod(kinds[k][1] for k in drawn)
        rows = [[kinds[k][0][1] for k in drawn if kinds[k][0][0] == h] for h in (0, 1)]
        choices = [list(combinations(part, min(len(part), 2))) for part in rows]
        for chosen in product(*choices):
            weight = chance / math.prod(map(len, choices))
            used = [h for h in (0, 1) if rows[h]]
            counts = [(len(rows[h]), len(chosen[h]), sum(chosen[h])) for h in used]
            phases = Phases(*np.array(counts, dtype=np.float64).T)
            value = float(phases.totals[0].sum()) / 5
            slopes = np.array([[1 - value], [-value]]) / 5 * np.ones((1, len(used)))
            mean += weight * value
            second += weight * value**2
            variance += weight * phases.variance(slopes, np.zeros(slopes.shape))[0]
    assert mean == pytest.approx(0.6, abs=1e-12)
    assert variance == pytest.approx(second - mean**2, rel=1e-10)


@pytest.mark.parametrize("measure", ["auc", "gini", "brier_score", "log_loss", "average_precision"])
def test_row_derivatives_are_derivatives(measure: str) -> None:
    rng = np.random.default_rng(3)
    rows = th.readers.load(rng.permutation([0] * 12 + [1] * 8), rng.choice([0.1, 0.2, 0.4, 0.5, 0.8, 0.9], 20),
                           weights=rng.uniform(1, 4, 20))  # fmt: skip
    asked, step = parse_measure(measure), 1e-5

    def value(weights: Any) -> float:
        return float(asked.entry(th.ScoreTable.from_scores(rows.truth, rows.scores["score"], weights=weights)))

    found = row_derivatives(ComparedSample(rows=rows, model="score"), asked)
    assert found is not None
    assert rows.weights is not None
    for i, own in enumerate(found):
        up, down = rows.weights.copy(), rows.weights.copy()
        up[i] += step
        down[i] -= step
        assert own == pytest.approx((value(up) - value(down)) / (2 * step), abs=1e-6)


@pytest.mark.parametrize(("slope", "codes"), [(0.0, []), (2.0, ["verified-by-score"])])
def test_verification_that_follows_the_score_within_bins_is_warned_of(slope: float, codes: list[str]) -> None:
    """Ten bins hold the AUC 83 % of the time at slope 2, and 92 % or more up to slope 1 (docs/coverage.md)."""
    rng = np.random.default_rng(6)
    truth = (rng.random(2000) < 0.3).astype(int)
    score = rng.normal(size=2000) + 1.5 * truth
    known = rng.random(2000) < 1 / (1 + np.exp(0.5 - slope * (score - 0.5)))
    found = verified(truth, score, verified=known, threshold=1.0)
    for measure in ("auc", "sensitivity"):
        assert [warning.code for warning in found.estimate(measure).warnings] == codes


def all_truths(rows: dict[str, Any], measure: str, *, scores: str | None) -> list[float]:
    """Value of a measure for every truth of the rows without one."""
    gaps = [i for i, y in enumerate(rows["truth"]) if y is None]
    found = []
    for filled in product([0, 1], repeat=len(gaps)):
        truth = list(rows["truth"])
        for i, y in zip(gaps, filled, strict=True):
            truth[i] = y
        given = {"scores": rows["score"]} if scores else {"predicted": rows["test"]}
        found.append(th.evaluate(truth, **given).estimate(measure).value)
    return [value for value in found if not math.isnan(value)]


@pytest.mark.parametrize("measure", [
    *AGREEMENT, "prevalence", "balanced_accuracy", "auc", "gini", "brier_score",
])  # fmt: skip
def test_bounds_are_extremes_over_all_truths(measure: str) -> None:
    rows = {
        "truth": [1, 0, 1, 0, None, None, 1, None, 0, None, None],
        "score": np.array([0.9, 0.8, 0.8, 0.7, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.2]),
    }
    rows["test"] = (rows["score"] >= 0.5).astype(int)
    of_scores = parse_measure(measure).entry.needs == "table"
    given = {"scores": rows["score"]} if of_scores else {"predicted": rows["test"]}
    values = all_truths(rows, measure, scores="score" if of_scores else None)
    assert verified(rows["truth"], **given).bounds(measure) == pytest.approx((min(values), max(values)))


@pytest.mark.parametrize(
    "measure", ["sensitivity", "specificity", "precision", "npv", "accuracy", "f1", "mcc", "kappa"]
)
def test_bounds_of_many_rows_are_at_the_corners(measure: str) -> None:
    """The corners alone, and all pairs of numbers, have the same extremes."""
    from thresher.inference import missing_bounds

    truth = [1] * 30 + [0] * 5 + [None] * 40 + [1] * 4 + [0] * 30 + [None] * 60
    found = verified(truth, predicted=[1] * 75 + [0] * 94)
    whole = found.bounds(measure)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(missing_bounds, "MOST", 1)
        assert found.bounds(measure) == pytest.approx(whole)


def test_an_odds_ratio_moves_the_values_to_the_bounds() -> None:
    found = verified(LIVER, predicted=SCAN)
    for ratio, end in ((1e-9, 0), (1e9, 1)):
        truth = [end if y is None else y for y in LIVER]
        assert found.estimate("accuracy", odds_ratio=ratio).value == pytest.approx(
            th.evaluate(truth, predicted=SCAN).accuracy.value, abs=1e-6
        )


def test_all_rows_verified_is_the_plain_evaluation() -> None:
    rows = scored_rows()
    truth = [int(y) for y in np.arange(240) % 3 == 0]
    found, plain = (
        verified(truth, rows["score"], bins=1, threshold=0.6),
        th.evaluate(truth, rows["score"], threshold=0.6),
    )
    for name, estimate in found.summary().items():
        assert estimate.value == pytest.approx(plain.estimate(name).value), name
    assert found.bounds("auc") == pytest.approx((plain.auc.value,) * 2)
    assert found.estimate("auc").standard_error == pytest.approx(plain.auc.standard_error, rel=0.02)


def test_the_note_on_weights_names_the_models_that_form_the_strata() -> None:
    rows = scored_rows()
    for models in ({"a": rows["score"]}, {"a": rows["score"], "b": rows["score"] ** 2}):
        found = th.evaluate(rows["truth"], models, missing="weight", threshold=0.5)
        (note,) = (each for each in found.notes if each.code == "weighted-rows")
        assert listed(list(models)) in note


def test_verified_column_frames_and_files(tmp_path: Any) -> None:
    rows = scored_rows()
    whole = verified(rows["truth"], rows["score"], strata={"site": rows["site"]})
    flags = [int(y is not None) for y in rows["truth"]]
    guessed = [0 if y is None else y for y in rows["truth"]]
    flagged = verified(guessed, rows["score"], strata={"site": rows["site"]}, verified=flags)
    path = tmp_path / "rows.csv"
    lines = ["y,score,site", *(f"{'' if y is None else y},{s!r},{k}" for y, s, k in zip(
        rows["truth"], rows["score"].tolist(), rows["site"].tolist(), strict=True))]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    read = verified(str(path), "score", label="y", strata="site")
    assert whole.summary() == flagged.summary() == read.summary()


def test_refusals_and_undefined_values() -> None:
    found = verified([1, 0, None, None], predicted=[1, 1, 0, 0])
    assert math.isnan(found.estimate("sensitivity").value)
    assert found.bounds("sensitivity") == (1 / 3, 1.0)
    assert math.isnan(verified([1, 0, None], [3.0, 2.0, 1.0]).estimate("accuracy").value)


TRUTH = {"true_positive_rate": 0.7580, "true_negative_rate": 0.8413, "auc": 0.8853}
"""Of scores that are normal with a difference of 1.7 and cut at 1: Φ(0.7), Φ(1), Φ(1.7/√2)."""


def coverage(repeats: int, *, rows: int, prevalence: float, chance: float, seed: int) -> dict[str, float]:
    """Share of intervals that hold the truth: positives verified whole, negatives with a chance."""
    rng, inside = np.random.default_rng(seed), dict.fromkeys(TRUTH, 0)
    for _ in range(repeats):
        y = rng.random(rows) < prevalence
        x = rng.normal(size=rows) + 1.7 * y
        known = (x >= 1) | (rng.random(rows) < chance)
        found = verified(y.astype(int), x, threshold=1.0, verified=known)
        for name, truth in TRUTH.items():
            low, high = found.estimate(name).interval or (0.0, 0.0)
            inside[name] += low <= truth <= high
    return {name: count / repeats for name, count in inside.items()}


@pytest.mark.slow
def test_coverage() -> None:
    found = coverage(200, rows=2000, prevalence=0.2, chance=0.15, seed=1)
    assert all(0.91 <= share <= 0.99 for share in found.values()), found


@pytest.mark.long
@pytest.mark.parametrize(("rows", "prevalence", "chance"), [(600, 0.3, 0.2), (4000, 0.1, 0.1), (4000, 0.3, 0.5)])
def test_coverage_of_designs(rows: int, prevalence: float, chance: float) -> None:
    found = coverage(1500, rows=rows, prevalence=prevalence, chance=chance, seed=rows)
    assert all(0.925 <= share <= 0.99 for share in found.values()), found  # wide with few positives among the negatives


def test_prints_and_frames() -> None:
    found = verified(LIVER, predicted=SCAN)
    assert isinstance(found, Verified)
    assert found.columns()["measure"][0] == "accuracy"
