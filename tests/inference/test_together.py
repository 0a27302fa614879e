"""Many matrices or tables at once: bit for bit what each has alone."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.conventions import WeightKind
from thresher.counts import ConfusionMatrix, ScoreTable
from thresher.inference import strata
from thresher.inference.differences import means
from thresher.inference.estimates.methods import summaries_of_scores, summary_of_scores
from thresher.inference.estimates.of_matrices import summaries, summary
from thresher.inference.proportions import register_interval
from thresher.measures.baselines import baselines, baselines_of_each
from thresher.results import Estimate

KINDS: tuple[WeightKind | None, ...] = (None, "importance", "frequency")


def tables(kind: WeightKind | None, groups: int = 9) -> list[ScoreTable]:
    """Tables of groups of very different size, some without a class, with ties and perfect scores."""
    rng = np.random.default_rng(3)
    found = []
    for i in range(groups):
        share = rng.choice([0.0, 0.1, 0.5, 1.0], p=[0.1, 0.3, 0.5, 0.1])
        y = (rng.random(rng.integers(1, 4 + 3 * i)) < share).astype(int)
        s = np.round(np.clip(rng.normal(0.4 + 0.2 * (i % 4) * y, 0.2), 0, 1), 1 + i % 3)
        w = None if kind is None else rng.gamma(2, 1, y.size) if kind == "importance" else rng.integers(1, 4, y.size)
        found.append(ScoreTable.from_scores(y, s, weights=w, weight_kind=kind or "importance"))
    return found


def exact(found: list[dict[str, Estimate]]) -> list[str]:
    """Every bit of all numbers, as text, in which NaN is equal to itself."""
    return [str({name: estimate.to_dict() for name, estimate in each.items()}) for each in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", [None, 0.2])
def test_matrices_together_have_the_estimates_of_each(kind: WeightKind | None, prior: float | None) -> None:
    for interval in ("wilson", "wald") if prior is None else ("clopper-pearson",):
        matrices = [table.at(0.5) for table in tables(kind)]
        matrices = [each if prior is None else each.with_prevalence(prior) for each in matrices]
        matrices.append(ConfusionMatrix.from_counts(np.full((3, 3), 4)))  # of other labels, on its own
        found = summaries(matrices, interval=interval, undefined=0.5)
        assert exact(found) == exact([summary(each, interval=interval, undefined=0.5) for each in matrices])


@pytest.mark.parametrize("kind", KINDS)
def test_tables_together_have_the_estimates_of_each(kind: WeightKind | None) -> None:
    assert exact(summaries_of_scores(tables(kind))) == exact([summary_of_scores(each) for each in tables(kind)])


@pytest.mark.parametrize("kind", KINDS)
def test_baselines_together_are_those_of_each(kind: WeightKind | None) -> None:
    matrices = [table.at(0.5) for table in tables(kind)]
    assert [str(each.to_dict()) for each in baselines_of_each(matrices)] == [
        str(baselines(each).to_dict()) for each in matrices
    ]


def test_an_own_interval_is_asked_for_one_share_at_a_time() -> None:
    def all_or_half(successes: float, trials: float, _level: float) -> tuple[float, float]:
        return (0.5, 1.0) if successes == trials else (0.0, 1.0)

    with register_interval("own", all_or_half):
        matrices = [table.at(0.5) for table in tables(None)]
        found = [each["accuracy"] for each in summaries(matrices, interval="own")]
    assert {each.low for each in found} == {0.0, 0.5}


WEIGHTS: dict[str, dict[str, Any]] = {
    "none": {},
    "importance": {"weights": np.random.default_rng(1).random(500) + 0.1, "weight_kind": "importance"},
    "frequency": {"weights": np.random.default_rng(1).integers(0, 4, 500), "weight_kind": "frequency"},
}


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_comparisons_do_not_depend_on_stretches(kind: str, direction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = {name: rng.random(500).round(2) for name in "abc"}
    y = rng.random(500) < scores["a"]
    models = th.evaluate(y, scores, threshold=0.5, direction=direction, **WEIGHTS[kind])
    measures = ["auc", "accuracy", "tpr", "fpr", *(["brier_score", "log_loss"] if direction == "higher" else [])]

    def found() -> list[Any]:
        compared = [c for measure in measures for c in models.compare(measure=measure)]
        return [field for c in compared for field in dataclasses.astuple(c) if isinstance(field, int | float)]

    whole = found()
    monkeypatch.setattr(strata, "CHUNK", 64)
    assert len(whole) > 40
    np.testing.assert_allclose(found(), whole, rtol=1e-12, atol=1e-15, equal_nan=True)


def test_an_infinite_loss_in_any_stretch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strata, "CHUNK", 4)
    y, scores = [1, 0] * 5, {"a": [0.9, 0.1] * 4 + [0.9, 1.0], "b": [0.8, 0.3] * 5}
    compared = th.evaluate(y, scores).compare("a", "b", measure="log_loss")
    assert compared.reason == means.INFINITE
