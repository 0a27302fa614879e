"""The examples of several classes against pROC, and volumes against every triple; see golden/README.md."""

import json

import numpy as np
import pytest

import thresher as th
from golden_values import GOLDEN
from thresher.inference import multiclass_auc_estimates
from thresher.multiclass import Posteriors, loss_sums, ordinal_volume, posterior_volume, top_k_accuracy

RESULTS = json.loads((GOLDEN / "multiclass.json").read_text(encoding="utf-8"))["results"]
LABEL = {"wine": "cultivar", "digits": "digit"}


def example(key):
    """Rows of an example's model as they stand: dividing by their sums would break ties by rounding."""
    name, model = key.split("/")
    rows = th.load_example(name)
    truth = np.asarray(rows[LABEL[name]]).astype(int)
    p = np.column_stack([np.asarray(rows[f"{model}_{k}"]).astype(float) for k in sorted(set(truth.tolist()))])
    return Posteriors.of(truth, p)


@pytest.mark.parametrize("key", RESULTS)
def test_aucs_and_their_variances_are_those_of_proc(key):
    want, found = RESULTS[key], multiclass_auc_estimates(example(key))
    pairs = np.array([[np.nan if cell in (None, "NA") else cell for cell in row] for row in want["conditional_auc"]])
    assert found.auc.matrix == pytest.approx(pairs, abs=1e-10, nan_ok=True)
    assert found["hand_till"].value == pytest.approx(want["hand_till"], abs=1e-10)
    assert found.auc.one_vs_rest == pytest.approx(np.array(want["one_vs_rest"]), abs=1e-10)
    for estimate, variance in zip(found.one_vs_rest.values(), want["one_vs_rest_variance"], strict=True):
        if variance > 1e-15:
            assert estimate.standard_error**2 == pytest.approx(variance, rel=1e-8)


@pytest.mark.parametrize("key", RESULTS)
def test_losses_and_guesses(key):
    want, rows = RESULTS[key], example(key)
    sums = loss_sums(rows)
    if want["log_loss"] not in ("Inf", "NA", None):
        assert sums["log_loss"].mean == pytest.approx(want["log_loss"], rel=1e-10)
    assert sums["brier_score"].mean == pytest.approx(want["brier_score"], rel=1e-10)
    # The reference breaks ties by the order of columns, this shares them.
    assert top_k_accuracy(rows, k=2)[2].mean == pytest.approx(want["top_2"], abs=0.004)


@pytest.mark.parametrize("key", [key for key in RESULTS if key.startswith("wine")])
def test_volumes_are_those_of_every_triple(key):
    want, rows = RESULTS[key], example(key)
    name, model = key.split("/")
    table = th.load_example(name)
    score = np.asarray(table[f"{model}_3"]).astype(float) - np.asarray(table[f"{model}_1"]).astype(float)
    assert ordinal_volume(rows.codes, score).value == pytest.approx(want["ordinal_volume"], abs=1e-10)
    assert posterior_volume(rows).value == pytest.approx(want["posterior_volume"], abs=1e-10)
