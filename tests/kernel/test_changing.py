"""Arrays that another thread writes to while the kernel reads them: any answer or a refusal, never a write elsewhere.

What is read twice may differ; so nothing that is read may say where something is written. The address sanitizer sees
more here than these tests do alone (asan.sh).
"""

import os
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from shares import few
from thresher import kernel
from thresher.kernel import ScoredUnits, ranked
from thresher.kernel.values import ListArrays, TextColumn, WantedArrays

SECONDS = float(os.environ.get("THRESHER_CHANGING_SECONDS", "0.01"))
"""How long each function is called; the sanitizers ask for more."""

# Sums of what is not a number are taken in NumPy, too.
pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.skipif(kernel.implementation() != "native", reason="NumPy's own functions are not ours to test"),
]

RNG = np.random.default_rng(0)


@contextmanager
def changing(*pairs):
    """Overwrite arrays, again and again, with what the kernel takes and with what it refuses."""
    stop = threading.Event()

    def write():
        turn = 0
        while not stop.is_set():
            for array, others in pairs:
                np.copyto(array, others[turn % len(others)], casting="unsafe")
            turn += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def hammer(call, *pairs):
    """Call while the arrays change; what is refused is refused in words."""
    said = []
    with changing(*pairs):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end or not said:
            try:
                call()
                said.append("an answer")
            except ValueError as error:
                said.append(str(error))
    assert all(said)


def scores_of(n):
    """Scores that are spread evenly, that are not, and that are none."""
    even = RNG.random(n)
    odd = np.resize([0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0], n)
    return [even, even, -even, RNG.normal(size=n) * 1e9, even, odd, np.zeros(n)]


def truth_of(n):
    valid = (RNG.random(n) < 0.4).astype(np.uint8)
    return [valid, valid, 1 - valid, RNG.integers(0, 256, n).astype(np.uint8)]


def weights_of(n):
    return [RNG.random(n), np.ones(n), np.resize([0.0, -1.0, np.nan, np.inf, 1e308], n), np.zeros(n)]


def codes_of(n, k):
    valid = RNG.integers(0, k, n)
    return [valid, valid, RNG.integers(-(2**40), 2**40, n), np.full(n, -1), np.full(n, k)]


def counts_of(n):
    valid = RNG.integers(0, 5, n)
    # Small ones of no sign, because a number may be read when half of its bytes are written: sums and products that
    # overflow say nothing about memory, and the sanitizer would end the run.
    return [valid, valid, np.zeros(n, np.int64), RNG.integers(0, 100, n)]


COUNTS = {2: np.zeros((1024, 2), dtype=np.int64), 3: np.zeros((1024, 4))}
PAGES, NONE = np.full(8192, -1, dtype=np.int32), np.zeros(0, dtype=np.int64)
PAGES[1015:1023] = 2 * np.arange(8)
ROWS = {
    "concordance": kernel.concordance,
    "score_table": lambda *rows: kernel.score_table(*rows, squares=True),
    "average_precision": kernel.average_precision,
    "count_rounded": lambda *rows: kernel.count_rounded(
        *rows, counts=COUNTS[len(rows)], pages=PAGES, apart=NONE, bits=8
    ),
    "roc": lambda *rows: kernel.curve_points(*rows, curve="roc", drop=True),
    "precision_recall": lambda *rows: kernel.curve_points(*rows, curve="precision_recall", drop=True, rising=True),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", few([100, 20_000, 70_000, 140_000], 2))
@pytest.mark.parametrize("name", ROWS)
def test_rows(name, n, weighted):
    arrays = [(np.empty(n, np.uint8), truth_of(n)), (np.empty(n), scores_of(n))]
    arrays += [(np.empty(n), weights_of(n))] if weighted else []
    for array, states in arrays:
        array[:] = states[0]
    hammer(lambda: ROWS[name](*(array for array, _ in arrays)), *arrays)


def test_joint_cells():
    n = 70_000
    scores, counts = np.empty((2, n)), np.zeros(n, np.int64)
    asked = {"bits": 6, "lower": [False, True], "thresholds": [[0.3], []], "most": 2**20}
    states = [np.stack([each, each[::-1]]) for each in scores_of(n)]
    scores[:] = states[0]
    hammer(lambda: kernel.joint_cells(scores, counts, counts, **asked), (scores, states), (counts, counts_of(n)))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("weighted", [False, True])
def test_confusion(kind, weighted):
    n, k = 20_000, 7
    truth, predicted, weights = np.zeros(n, kind), np.zeros(n, kind), np.ones(n)
    call = [truth, predicted, k, *([weights] if weighted else [])]
    hammer(
        lambda: kernel.confusion(*call), (truth, codes_of(n, k)), (predicted, codes_of(n, k)), (weights, weights_of(n))
    )


@pytest.mark.parametrize("lower", [False, True])
def test_scores_of_two_tables(lower):
    arrays = [(np.empty(5_000), scores_of(5_000)) for _ in range(2)]
    hammer(lambda: kernel.merged_scores(*(array for array, _ in arrays), lower=lower), *arrays)


def test_placements_of_several_scores():
    n = 5_000
    truth, scores = truth_of(n)[0].copy(), np.empty((3, n))
    scores[:] = 0.5
    states = [np.stack([column] * 3) for column in scores_of(n)]
    hammer(lambda: kernel.placements(truth, scores), (truth, truth_of(n)), (scores, states))


@pytest.mark.parametrize("weighted", [False, True])
def test_several_classes(weighted):
    n, k = 3_000, 4
    codes, scores, weights = np.zeros(n, np.int64), np.zeros((n, k)), np.ones(n)
    drawn = np.ones((3, n), np.uint8)
    changed = [(codes, codes_of(n, k)), (scores, [np.stack([c] * k, axis=1) for c in scores_of(n)])]
    changed += [(weights, weights_of(n)), (drawn, [RNG.integers(0, 256, (3, n))])]
    given = weights if weighted else None
    coefficients = RNG.random((2, k, k))
    hammer(lambda: kernel.conditional_sums(codes, scores, given, coefficients=coefficients), *changed)
    hammer(lambda: kernel.conditional_replicates(codes, scores, drawn, given), *changed)
    column = scores[:, 0].copy()
    changed[1] = (column, scores_of(n))
    hammer(lambda: kernel.ordinal_volume(codes, column, k, given), *changed)
    hammer(lambda: kernel.ordinal_volume(codes, column, k, given, drawn=drawn), *changed)


def test_assignments():
    n, k = 1_000, 3
    scores, tuples = RNG.random((n, k)), RNG.integers(0, n, (20_000, k))
    states = [tuples.copy(), tuples.copy(), np.full_like(tuples, 2**50), np.full_like(tuples, -(2**50))]
    hammer(lambda: kernel.assignment_credit(scores, tuples), (tuples, states), (scores, [RNG.random((n, k)), np.nan]))


TABLES = {
    "delong_sums": kernel.delong_sums,
    "pr_areas": kernel.pr_areas,
    "extremes": kernel.extremes,
    "hull": kernel.hull,
    "thin": lambda *columns: kernel.thin(*columns, 100),
    "leads": lambda *columns: kernel.leads(*columns, *columns[::-1]),
    "precision_influence": lambda *columns: kernel.precision_influence(*columns, value=0.5),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_tables(name, kind):
    n = 5_000
    columns = np.ones(n, kind), np.ones(n, kind)
    states = counts_of(n) if kind == np.int64 else [*counts_of(n), *weights_of(n)]
    hammer(lambda: TABLES[name](*columns), *((column, states) for column in columns))


def test_rows_of_a_table():
    n = 5_000
    positive, negative, indices = np.ones(n, np.int64), np.ones(n, np.int64), np.arange(0, n, 5)
    states = [indices.copy(), indices.copy(), np.full_like(indices, 2**40), np.full_like(indices, -(2**40))]
    hammer(lambda: kernel.cumulate_at(positive, negative, indices), (indices, states))


def test_losses():
    n = 20_000
    truth, scores = np.zeros(n, np.uint8), np.zeros(n)
    hammer(lambda: kernel.squared_error(truth, scores), (truth, truth_of(n)), (scores, scores_of(n)))
    counts = np.ones(n, np.int64)
    hammer(lambda: kernel.loss_moments(scores, counts, counts), (scores, scores_of(n)), (counts, counts_of(n)))


def test_resamples():
    n = 2_000
    sizes = np.array([n // 2, n // 2])
    big = [sizes.copy(), sizes.copy(), np.array([2**31 - 1, 1]), np.array([-1, 0])]
    units = np.arange(n, dtype=np.int32)
    wild = [units.copy(), units.copy(), np.full(n, 2**31 - 1), np.full(n, -(2**31))]
    rows = ScoredUnits.of(np.ones(n // 2, np.int64), np.ones(n // 2, np.int64), units)
    steps = [rows.steps.copy(), rows.steps.copy(), np.full_like(rows.steps, 2**30)]
    cuts = np.array([[1, 1], [n // 2, n // 2]])
    far = [cuts.copy(), cuts.copy(), np.full_like(cuts, 2**50)]
    hammer(
        lambda: kernel.replicates([n // 2, n // 2], rows, 4, cuts=cuts), (units, wild), (rows.steps, steps), (cuts, far)
    )
    cells = np.array([5, 5])
    hammer(lambda: kernel.drawn_cells([n], cells, 2), (cells, [[5, 5], [2**40, 2**40], [-1, 5]]))
    assert big[0].sum() == n


def test_ranked_lists():
    n, queries = 2_000, 50
    codes = np.sort(RNG.integers(0, queries, n)).astype(np.int32)
    texts = ranked.number_texts(np.arange(n))
    data, offsets = texts.data.copy(), texts.offsets.copy()
    documents = TextColumn(data, offsets)
    relevance, scores = RNG.integers(0, 3, n).astype(np.int32), RNG.random(n)
    wild = [codes.copy(), codes.copy(), np.full(n, 2**31 - 1), np.full(n, -(2**31))]
    far = [offsets.copy(), offsets.copy(), np.full(n + 1, 2**40), np.zeros(n + 1)]
    levels = [relevance.copy(), relevance.copy(), np.full(n, 2**31 - 1), np.full(n, -(2**31))]
    changed = [(codes, wild), (offsets, far), (relevance, levels), (scores, scores_of(n))]
    changed.append((data, [data.copy(), RNG.integers(0, 256, data.size)]))
    hammer(lambda: ranked.look_up(codes, documents, codes, documents, relevance, queries), *changed)
    hammer(lambda: ranked.rank_lists(codes, documents, scores, relevance, queries, single=False), *changed)
    hammer(lambda: ranked.text_codes(documents), *changed)
    letters = RNG.integers(32, 500, (n, 4)).astype(np.uint32)
    fixed = letters.view("U4").reshape(n)
    states = [letters.copy(), np.zeros_like(letters), RNG.integers(0, 0x110000, letters.shape)]
    hammer(lambda: ranked.fixed_texts(fixed), (letters, states))
    hammer(lambda: ranked.fixed_codes(fixed), (letters, states))
    numbers = np.arange(n)
    hammer(lambda: ranked.number_texts(numbers), (numbers, [np.arange(n), np.full(n, -(2**63))]))


def test_measures_of_ranked_lists():
    n, queries = 2_000, 50
    starts = np.arange(0, n + 1, n // queries)
    known = np.tile(np.sort(RNG.integers(0, 3, n // queries))[::-1], queries).astype(np.int32)
    listed, tied = RNG.integers(-1, 3, n).astype(np.int32), RNG.random(n) < 0.2
    lists = ListArrays(starts.copy(), listed, tied)
    kinds = np.arange(12, 20, dtype=np.int32)
    tables, cuts = np.zeros(8, np.int32), np.zeros(8, np.int64)
    wanted = WantedArrays(kinds, tables, cuts, np.full(8, 0.5), np.array([[0.0, 0.5, 1.0]]))
    far = [starts.copy(), starts.copy(), np.full_like(starts, 2**40)]
    levels = [known.copy(), known.copy(), np.full(n, 2**31 - 1), np.full(n, -(2**31))]
    changed = [(lists.starts, far), (listed, levels), (known, levels), (tables, [0, 0, 2**30]), (cuts, [0, 2**40])]
    hammer(lambda: kernel.ranked.ranked_measures(lists, starts, known, wanted, expected=True), *changed)
