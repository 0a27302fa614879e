"""Metrics and evaluations of arrays of other libraries, on the host and on a device that it cannot read."""

import inspect
import warnings

import numpy as np
import pytest

import thresher as th
from foreign_arrays import no_reading, strict, there
from thresher import metrics
from thresher._util import foreign_arrays
from thresher.counts import builder
from thresher.errors import InputError, LargeCopyWarning
from thresher.evaluation import on_device

rng = np.random.default_rng(4)
ROWS = 4000
Y = (rng.random(ROWS) < 0.3).astype(np.int64)
S = np.round(rng.normal(size=ROWS) + Y, 1)
P = np.round(1 / (1 + np.exp(-S)), 2)
LABELS = (S > 0.5).astype(np.int64)

IN_THE_HOST = {"hand_till_score", "hinge_loss"}
"""Metrics of tables of classes or of single rows, for which the columns are copied."""


FIRST = ("y_true", "y1")


def two_columns():
    """Metrics of one column of labels and one of scores, probabilities or labels, with such a column."""
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if not inspect.isfunction(function) or next(iter(inspect.signature(function).parameters)) not in FIRST:
            continue
        for column in (P, LABELS):
            try:
                function(Y, column)
            except (TypeError, ValueError, UserWarning):
                continue
            yield pytest.param(function, column, id=name)
            break


METRICS = list(two_columns())


def test_there_are_metrics_to_test():
    assert len(METRICS) >= 35


@pytest.mark.parametrize(("function", "column"), METRICS)
def test_an_array_on_the_host_gives_the_same_bits(function, column):
    np.testing.assert_equal(function(strict.asarray(Y), strict.asarray(column)), function(Y, column))


@pytest.mark.parametrize(("function", "column"), METRICS)
def test_only_the_table_leaves_the_device(function, column, monkeypatch):
    want = function(Y, column)
    with no_reading(monkeypatch) as copied:
        found = function(there(Y), there(column))
    if isinstance(want, str):
        assert found == want
    else:
        for one, other in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, want)), strict=True):
            np.testing.assert_allclose(np.asarray(one, dtype=float), np.asarray(other, dtype=float), rtol=1e-12)
    if function.__name__ not in IN_THE_HOST:
        assert sum(copied) < ROWS / 10


@pytest.fixture
def jax():
    found = pytest.importorskip("jax")
    found.config.update("jax_enable_x64", True)  # float64, which JAX else makes float32
    yield found
    found.config.update("jax_enable_x64", False)


@pytest.mark.peer
@pytest.mark.parametrize(("function", "column"), METRICS)
def test_jax_gives_the_same_bits(function, column, jax):
    np.testing.assert_equal(function(jax.numpy.asarray(Y), jax.numpy.asarray(column)), function(Y, column))


@pytest.mark.peer
def test_half_precision_is_read_as_it_is():
    jnp = pytest.importorskip("jax.numpy")
    for kind in (jnp.bfloat16, jnp.float16):
        half = jnp.asarray(S, dtype=kind)
        assert metrics.roc_auc_score(Y, half) == metrics.roc_auc_score(Y, np.asarray(half, dtype=np.float64))
        assert th.evaluate(jnp.asarray(Y), half).auc == th.evaluate(Y, np.asarray(half, dtype=np.float64)).auc


@pytest.mark.peer
def test_a_gradient_is_left_behind():
    torch = pytest.importorskip("torch")
    scores = torch.tensor(S, requires_grad=True)
    assert th.evaluate(torch.tensor(Y), scores).auc == th.evaluate(Y, S).auc
    assert metrics.average_precision_score(torch.tensor(Y), scores) == metrics.average_precision_score(Y, S)
    assert metrics.roc_auc_score(torch.tensor(Y), scores.to(torch.bfloat16)) == pytest.approx(
        metrics.roc_auc_score(Y, S), abs=1e-3
    )


@pytest.mark.parametrize("truth", [Y, np.where(Y, 1.0, 0.0), Y.astype(bool), np.where(Y, 7, 3)])
def test_areas_on_the_device_are_those_of_any_truth(truth, monkeypatch):
    want = metrics.roc_auc_score(truth, S), metrics.ks_score(truth, S, pos_label=truth.max())
    with no_reading(monkeypatch):
        found = (
            metrics.roc_auc_score(there(truth), there(S)),
            metrics.ks_score(there(truth), there(S), pos_label=truth.max()),
        )
    assert found == pytest.approx(want, rel=1e-14)


def test_bad_rows_on_the_device_are_refused_as_on_the_host(monkeypatch):
    bad = np.where(np.arange(ROWS) == 5, np.nan, S)
    with no_reading(monkeypatch):
        for function in (metrics.roc_auc_score, metrics.average_precision_score, metrics.roc_curve):
            with pytest.raises(ValueError, match="NaN"):
                function(there(Y), there(bad))
        with pytest.raises(ValueError, match=r"less than 0|greater than 1|outside|probabilit"):
            metrics.brier_score_loss(there(Y), there(S))
        with pytest.raises(InputError, match="score"):
            th.count(there(Y), there(bad))


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("options", [{}, {"resolution": 10}, {"resolution": 12, "thresholds": [0.3, 0.35]}])
def test_counts_of_the_device_are_those_of_the_host(options, direction, monkeypatch):
    want = th.count(Y, {"a": S, "b": P}, direction=direction, **options)
    with no_reading(monkeypatch) as copied:
        found = th.count(there(Y), {"a": there(S), "b": there(P)}, direction=direction, **options)
    assert found == want
    assert (found.read, found.dropped) == (ROWS, 0)
    assert sum(copied) < ROWS / 4


def test_many_distinct_scores_are_rounded_on_the_device(monkeypatch):
    scores = rng.normal(size=ROWS)
    monkeypatch.setattr(builder, "EXACT_ROWS", ROWS // 2)
    with no_reading(monkeypatch):
        found = th.count(there(Y), there(scores))
        exact = th.count(there(Y), there(scores), resolution="exact")
    assert found == th.count(Y, scores, resolution=16)
    assert exact == th.count(Y, scores, resolution="exact")


def test_rows_that_lack_a_value_are_dropped_on_the_device(monkeypatch):
    scores, truth = np.where(np.arange(ROWS) % 7, S, np.nan), np.where(np.arange(ROWS) % 11, Y, np.nan)
    want = th.count(truth, scores, missing="drop")
    with no_reading(monkeypatch):
        found = th.count(there(truth), there(scores), missing="drop")
    assert (found["score"], found.read, found.dropped) == (want["score"], want.read, want.dropped)


def test_one_large_model_is_evaluated_from_counts_and_others_are_copied(monkeypatch):
    monkeypatch.setattr(on_device, "LARGE", 8 * ROWS - 1)
    monkeypatch.setattr(foreign_arrays, "LARGE", 8 * ROWS - 1)
    want = th.evaluate(Y, S, threshold=0.4)
    with no_reading(monkeypatch) as copied, warnings.catch_warnings():
        warnings.simplefilter("error")
        found = th.evaluate(there(Y), there(S), threshold=0.4)
        assert sum(copied) < ROWS / 4
    assert found.auc.value == want.auc.value
    assert found.auc.low == pytest.approx(want.auc.low, rel=1e-12)
    assert found.recall == want.recall
    with no_reading(monkeypatch), pytest.warns(LargeCopyWarning, match="are copied from"):
        both = th.evaluate(there(Y), {"a": there(S), "b": there(P)})
    assert both.compare("a", "b").p_value == th.evaluate(Y, {"a": S, "b": P}).compare("a", "b").p_value


def test_batches_and_processes_add_up_to_all_rows(monkeypatch):
    whole = th.count(Y, S, resolution=16)
    with no_reading(monkeypatch):
        ranks = [th.counter(), th.counter()]
        for start in range(0, ROWS, 250):
            rows = slice(start, start + 250)
            ranks[start // 250 % 2].add(there(Y[rows]), there(S[rows]))
    assert ranks[0].all_reduce(lambda mine: [mine, ranks[1].counts]) == whole
    assert ranks[0].merge(ranks[1]).counts == whole
    assert th.counter().merge(ranks[0]).counts == whole
    with pytest.raises(InputError, match=r"counter\.add"):
        _ = th.counter().counts


def test_so_many_labels_are_not_counted_on_the_device(monkeypatch):
    with no_reading(monkeypatch), pytest.raises(InputError, match="at most 64"):
        metrics.confusion_matrix(there(np.arange(100)), there(np.arange(100)))


def test_a_counter_is_evaluated_by_its_counts():
    counter = th.counter().add(Y, S)
    assert th.evaluate(counter).auc == th.evaluate(counter.counts).auc
