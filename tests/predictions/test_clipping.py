"""Probabilities just outside [0, 1] by rounding: clipped and reported in every form; beyond, the row is named."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.calibration import fit_map
from thresher.decisions.rules import ClassRule
from thresher.multiclass import Posteriors

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pytestmark = pytest.mark.peer

TRUTH = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0]
SCORE = [1.0000000000000002, 0.2, 0.8, 0.3, -1e-17, 0.1, 0.7, 1 + 1e-10, 0.4, 0.45, 0.6]
FAR = [*SCORE[:3], 1.001, *SCORE[4:]]
CODE = "clipped-probabilities"


def forms(folder: Path, score: list[float]) -> dict[str, Any]:
    frame = pd.DataFrame({"y": TRUTH, "s": score})
    frame.to_parquet(folder / "rows.parquet")
    lines = ["y,s", *(f"{y},{s!r}" for y, s in zip(TRUTH, score, strict=True))]
    (folder / "rows.csv").write_text("\n".join(lines))
    (folder / "rows.tsv").write_text("\n".join(lines).replace(",", "\t"))
    (folder / "rows.jsonl").write_text(
        "\n".join(json.dumps({"y": y, "s": s}) for y, s in zip(TRUTH, score, strict=True))
    )
    with gzip.open(folder / "rows.csv.gz", "wt") as file:
        file.write("\n".join(lines))
    tables = {"pandas": frame, "polars": pl.from_pandas(frame), "lazy": pl.from_pandas(frame).lazy(),
              "arrow": pl.from_pandas(frame).to_arrow(), "dictionary": {"y": TRUTH, "s": np.array(score)}}  # fmt: skip
    files = ("rows.csv", "rows.tsv", "rows.jsonl", "rows.parquet", "rows.csv.gz")
    return tables | {name: str(folder / name) for name in files}


@pytest.fixture
def right() -> th.Evaluation:
    return th.evaluate(TRUTH, np.clip(SCORE, 0, 1))


def test_every_form_is_clipped_and_says_so(tmp_path: Path, right: th.Evaluation) -> None:
    for form, data in forms(tmp_path, SCORE).items():
        found = th.evaluate(data, label="y", scores="s")
        assert found["s"].brier_score.value == pytest.approx(right.brier_score.value, abs=1e-12), form
        assert found["s"].threshold == 0.5, form
        assert found["s"].auc.value == right.auc.value, form
        assert CODE in [warning.code for warning in found.warnings], form
        assert [note.code for note in found.notes].count("clipped-probabilities") == 1, form
        assert CODE in json.dumps(found.to_dict()), form


@pytest.mark.parametrize("resolution", ["exact", 16])
def test_counts_are_of_clipped_scores(tmp_path: Path, right: th.Evaluation, resolution: Any) -> None:
    for form, data in forms(tmp_path, SCORE).items():
        counts = th.count(data, label="y", scores="s", resolution=resolution)
        counts.save(tmp_path / "counts.parquet")
        both = th.Counts.load(tmp_path / "counts.parquet") + counts
        found = th.evaluate(both)
        assert found["s"].brier_score.value == pytest.approx(
            right.brier_score.value, abs=1e-9 if resolution == "exact" else 1e-5
        ), form
        assert CODE in [warning.code for warning in found.warnings], form


def test_arrays_and_joins_are_clipped(right: th.Evaluation) -> None:
    assert th.evaluate(TRUTH, SCORE).brier_score.value == right.brier_score.value
    keys = [f"r{i}" for i in range(len(TRUTH))]
    truth, scores = pd.DataFrame({"k": keys, "y": TRUTH}), pd.DataFrame({"k": keys, "s": SCORE})
    joined = th.evaluate(scores, label="y", scores="s", truth=truth, key="k")
    assert joined["s"].brier_score.value == right.brier_score.value


def test_posteriors_of_classes_and_labels_are_clipped() -> None:
    rows = np.array([[1 + 2e-16, -1e-17, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.6, 0.3, 0.1]])
    found = th.evaluate([0, 1, 2, 1], probabilities=rows, labels=[0, 1, 2])
    assert found.predictions.posteriors[next(iter(found))].max() == 1
    assert found.predictions.posteriors[next(iter(found))].min() == 0
    assert CODE in [warning.code for warning in found.warnings]
    two = th.evaluate([0, 1, 1, 0], probabilities=np.column_stack([1 - (p := np.array([-1e-17, 1, 0.7, 0.2])), p]))
    assert two.predictions.scores[next(iter(two))].min() == 0
    several = th.evaluate(np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1 + 2e-16, 0.2], [0.1, 0.7], [0.8, 0.9]]))
    assert next(iter(several.values())).threshold == 0.5


def test_beyond_rounding_the_row_is_named(tmp_path: Path) -> None:
    for form, data in forms(tmp_path, FAR).items():
        found = th.evaluate(data, label="y", scores="s")
        (note,) = [note for note in found.notes if note.code == "out-of-range"]
        assert note.startswith("The score 's' is 1.001 in row 4"), form
        assert np.isnan(found["s"].brier_score.value)
        assert found["s"].threshold is None
    dropped = th.evaluate([1, 0, 1, *TRUTH], [np.nan, 0.5, 0.5, *FAR], missing="drop")
    assert any("is 1.001 in row 7:" in note for note in dropped.notes)


@pytest.mark.parametrize("scores", [[3.5, -1.0, 0.2, 2.0], [1e-11, -1e-11, 2e-11, -2e-11], [50.0, 20.0, 80.0, 10.0]])
def test_scores_on_another_scale_are_left_alone(scores: list[float]) -> None:
    found = th.evaluate([1, 0, 1, 0], scores)
    assert found.predictions.scores["score"].tolist() == scores
    assert {"clipped-probabilities", "out-of-range"}.isdisjoint(note.code for note in found.notes)


def test_rules_maps_and_functions_take_rounding_errors() -> None:
    rows = np.array([[1 + 2e-16, -1e-17, 0.0], [0.2, 0.5, 0.3]])
    costs = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    assert ClassRule(labels=("a", "b", "c"), costs=costs).decide(rows).tolist() == ["a", "b"]
    assert ClassRule(labels=("a", "b", "c"), weights=(1, 1, 1)).decide(rows).tolist() == ["a", "b"]
    assert Posteriors.of([0, 1], rows, labels=[0, 1, 2]).matrix.min() == 0
    truth, clean = np.array([1, 0] * 20), np.linspace(0.01, 0.99, 40)
    fitted = fit_map(truth, clean, method="beta")
    near = np.array([1 + 2e-16, -1e-17, 0.5])
    assert fitted.transform(near).tolist() == fitted.transform(np.clip(near, 0, 1)).tolist()
    with pytest.raises(th.InputError, match="row 0"):
        fitted.transform(np.array([1.001, 0.5]))
