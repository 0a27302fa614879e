"""AUCs, losses and agreement of several classes against R packages on data that may not ship."""

import numpy as np
import pytest

import reference_values as reference
from thresher.inference import multiclass_auc_estimates
from thresher.multiclass import Posteriors, loss_sums, top_k_accuracy

pytestmark = pytest.mark.reference

MODELS = pytest.mark.parametrize("model", ["lda", "mnom"])
CLASSES = ["1", "3", "4", "5"]


def rows(model):
    columns = reference.columns("asah_gos6")
    p = np.column_stack([np.array(columns[f"{model}_{k}"], dtype=float) for k in CLASSES])
    return Posteriors.of(columns["gos6"], p, labels=CLASSES)


@MODELS
def test_aucs(model):
    found = multiclass_auc_estimates(rows(model))
    want = reference.value("asah_gos6", f"yardstick/{model}/roc_auc")
    assert found["hand_till"].value == pytest.approx(want["hand_till"], abs=1e-10)
    assert found["hand_till"].value == pytest.approx(
        reference.value("asah_gos6", f"proc/{model}/multiclass_auc"), abs=1e-10
    )
    assert found["macro_auc"].value == pytest.approx(want["macro"], abs=1e-10)
    assert found["weighted_auc"].value == pytest.approx(want["macro_weighted"], abs=1e-10)
    mauc = reference.value("asah_gos6", f"mlr3measures/{model}/mauc")
    assert found["hand_till_weighted"].value == pytest.approx(mauc["au1p"], abs=1e-10)
    pairs = reference.value("asah_gos6", f"proc/{model}/multiclass_pairs")
    for pair, first, second in zip(pairs["pair"], pairs["auc_1"], pairs["auc_2"], strict=True):
        k, other = (CLASSES.index(label) for label in pair.split("/"))
        got = found.auc.matrix[k, other], found.auc.matrix[other, k]
        assert sorted(got) == pytest.approx(sorted([first, second]), abs=1e-10)


@MODELS
def test_each_class_against_the_rest(model):
    found = multiclass_auc_estimates(rows(model)).one_vs_rest
    want = reference.value("asah_gos6", f"proc/{model}/ovr_auc")
    variances = reference.value("asah_gos6", f"proc/{model}/ovr_var_delong")
    for label in CLASSES:
        assert found[label].value == pytest.approx(want[label], abs=1e-10)
        assert found[label].standard_error ** 2 == pytest.approx(variances[label], rel=1e-9)


@MODELS
def test_losses_and_guesses(model):
    given = rows(model)
    sums = loss_sums(given)
    assert sums["log_loss"].mean == pytest.approx(reference.value("asah_gos6", f"prob/{model}/log_loss"), rel=1e-10)
    assert sums["brier_score"].mean == pytest.approx(
        reference.value("asah_gos6", f"mlr3measures/{model}/mbrier"), rel=1e-10
    )
    for k in (2, 3):
        want = reference.value("asah_gos6", f"prob/{model}/top{k}_accuracy")
        assert top_k_accuracy(given, k=k)[k].mean == pytest.approx(want, abs=1e-12)
