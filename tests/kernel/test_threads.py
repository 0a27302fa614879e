"""Every function that takes threads gives the same bits with any number of them."""

import numpy as np
import pytest

from thresher import kernel
from thresher.kernel import backend, ranked, reference
from thresher.kernel.signatures import SIGNATURES
from thresher.kernel.values import ScoredUnits, WantedArrays

pytestmark = pytest.mark.skipif(kernel.implementation() != "native", reason="NumPy runs on one thread")

RNG = np.random.default_rng(3)
N = 150_000
TRUTH = (RNG.random(N) < 0.3).astype(np.uint8)
SCORES = np.where(RNG.random(N) < 0.5, RNG.normal(size=N), RNG.normal(size=N).round(1))
WEIGHTS = RNG.random(N)
SHARES = RNG.random(N) ** 9
FEW = [(RNG.random(N) < 0.4).astype(np.int8) * column for column in RNG.integers(0, 3, (2, N)).astype(np.int8)]
COUNTS = RNG.integers(0, 3, (2, N)).astype(np.float64)
CODES, MATRIX = RNG.integers(0, 5, 9_000), RNG.normal(size=(9_000, 5)).round(2)
DRAWN = RNG.integers(0, 4, (40, 9_000)).astype(np.uint8)
TUPLES = np.stack([RNG.choice(np.equal(CODES, k).nonzero()[0], 20_000) for k in range(5)], axis=1)
STARTS = np.sort(RNG.integers(0, N, 300))
QUERIES, DOCUMENTS = RNG.integers(0, 300, 20_000), ranked.number_texts(RNG.permutation(20_000))


def columns_of(texts):
    return texts.data, texts.offsets


def listed(threads):
    return ranked.rank_lists(
        QUERIES, DOCUMENTS, SCORES[:20_000].round(1), QUERIES % 3, 300, single=True, threads=threads
    )


def measured(threads):
    known = np.arange(301) * 2, np.tile([2, 1], 300)
    kinds = np.arange(4, dtype=np.int32)
    wanted = WantedArrays(kinds, np.zeros(4, np.int32), np.full(4, 10), np.full(4, 0.5), np.arange(3.0)[None])
    return ranked.ranked_measures(listed(1), *known, wanted, threads=threads)


def replicated(threads):
    rows = ScoredUnits.of(*COUNTS[:, :2_000].astype(np.int64), weights=None)
    sizes = [rows.positives, rows.negatives]
    return kernel.replicates(sizes, rows, 40, rates=[0.1, 0.2], cuts=[[3, 4]], seed=9, threads=threads)


CALLS = {
    "counted": [
        lambda t: kernel.score_table(TRUTH, SCORES, threads=t),
        lambda t: kernel.score_table(TRUTH, SCORES.round(1), threads=t),
    ],
    "table": [
        lambda t: kernel.score_table(TRUTH, SCORES, WEIGHTS, squares=True, threads=t),
    ],
    "concordance": [
        lambda t: kernel.concordance(TRUTH, SCORES, threads=t),
        lambda t: kernel.concordance(TRUTH, SCORES, WEIGHTS, threads=t),
    ],
    "curve_points": [
        lambda t: kernel.curve_points(TRUTH, SCORES, curve="roc", drop=True, threads=t),
        lambda t: kernel.curve_points(TRUTH, SCORES, curve="precision_recall", rising=True, threads=t),
    ],
    "average_precision": [lambda t: kernel.average_precision(TRUTH, SCORES, threads=t)],
    "conditional": [
        lambda t: kernel.conditional_sums(CODES, MATRIX, WEIGHTS[:9_000], coefficients=MATRIX[:5][None], threads=t),
        lambda t: kernel.conditional_sums(CODES, MATRIX, threads=t),
    ],
    "conditional_replicates": [
        lambda t: kernel.conditional_replicates(CODES, MATRIX, DRAWN, WEIGHTS[:9_000], threads=t)
    ],
    "ordinal_volume": [
        lambda t: kernel.ordinal_volume(CODES, MATRIX[:, 0], 5, WEIGHTS[:9_000], threads=t),
        lambda t: kernel.ordinal_volume(CODES, MATRIX[:, 0], 5, drawn=DRAWN, threads=t),
    ],
    "assignment": [lambda t: kernel.assignment_credit(MATRIX, TUPLES, threads=t)],
    "placements": [
        lambda t: kernel.placements(TRUTH, [SCORES, SHARES], threads=t),
        lambda t: kernel.placements(TRUTH, [SCORES, SHARES, WEIGHTS], WEIGHTS, threads=t),
    ],
    "draws": [lambda t: kernel.draws([300, 700], 40, seed=3, threads=t)],
    "drawn_cells": [lambda t: kernel.drawn_cells([300, 700], [10, 20, 400], 40, seed=3, threads=t)],
    "replicates": [replicated],
    "confusion": [
        lambda t: kernel.confusion(TRUTH, TRUTH[::-1], 2, threads=t),
        lambda t: kernel.confusion(CODES, CODES[::-1], 5, WEIGHTS[:9_000], threads=t),
    ],
    "delong_sums": [
        lambda t: kernel.delong_sums(*FEW, threads=t),
        lambda t: kernel.delong_sums(*COUNTS, *(COUNTS * WEIGHTS), threads=t),
    ],
    "pr_areas": [lambda t: kernel.pr_areas(*FEW, threads=t), lambda t: kernel.pr_areas(*COUNTS, threads=t)],
    "fold": [
        lambda t: kernel.fold(*FEW, threads=t),
        lambda t: kernel.fold(FEW[0] * (np.arange(N) % 1_000 == 0), FEW[1], threads=t),
    ],
    "extent": [lambda t: kernel.extent(SCORES, threads=t)],
    "loss_moments": [lambda t: kernel.loss_moments(SHARES, *COUNTS, *(COUNTS * WEIGHTS), threads=t).sums],
    "squared_error": [lambda t: kernel.squared_error(TRUTH, SHARES, threads=t)],
    "range_sums": [
        lambda t: kernel.range_sums(
            *COUNTS, STARTS, np.minimum(STARTS + 9_000, N), scores=SCORES, squares=(SHARES, WEIGHTS), threads=t
        )
    ],
    "fixed_texts": [lambda t: columns_of(ranked.fixed_texts(np.char.mod("%d", CODES), threads=t))],
    "look_up": [lambda t: ranked.look_up(QUERIES, DOCUMENTS, QUERIES, DOCUMENTS, QUERIES % 3, 300, threads=t)],
    "rank_lists": [listed],
    "ranked_measures": [measured],
}


def test_no_function_with_threads_is_left_out():
    assert set(CALLS) == {name for name, arguments in SIGNATURES.items() if "threads:int" in arguments}


def bits(found):
    """Bytes of whatever a function returns."""
    if found is None or isinstance(found, int | float):
        return found if found is None or isinstance(found, int) else float(found).hex()
    if isinstance(found, np.ndarray):
        return found.dtype.str, found.shape, found.tobytes()
    return [bits(each) for each in found]


@pytest.mark.parametrize(
    "call",
    [call for calls in CALLS.values() for call in calls],
    ids=[f"{name} {i}" for name, calls in CALLS.items() for i, _ in enumerate(calls)],
)
def test_any_number_of_threads_gives_the_same_bits(call):
    one = bits(call(1))
    assert all(bits(call(threads)) == one for threads in (2, 3, 8, 16))


@pytest.mark.parametrize("name", ["delong_sums", "pr_areas", "fold", "extent"])
def test_shares_of_the_rows_together_are_the_reference(name):
    for call in CALLS[name]:
        found = call(3)
        with backend.using(reference):
            wanted = call(1)
        if name in ("fold", "extent"):
            assert bits(found) == bits(wanted)
        else:
            assert found == pytest.approx(wanted, rel=1e-12)
