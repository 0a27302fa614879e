"""What the wrappers accept, convert and refuse: nothing unchecked reaches C++."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import brute
from shares import few
from thresher import kernel

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
ROW_FUNCTIONS = [kernel.score_table, kernel.concordance]


def counted(truth, scores, weights=None, **_):
    """Rows of which none has a place."""
    counts = np.zeros((0, 2), np.int64) if weights is None else np.zeros((0, 4))
    pages, none = np.full(8192, -1, np.int32), np.zeros(0, np.int64)
    return kernel.count_rounded(truth, scores, weights, counts=counts, pages=pages, apart=none, bits=8)


READERS = [
    *ROW_FUNCTIONS,
    kernel.average_precision,
    lambda *rows, **how: kernel.curve_points(*rows, curve="roc", **how),
    lambda truth, scores, *weights, **how: kernel.placements(truth, [np.ones(scores.size), scores], *weights, **how),
    counted,
]
TABLE_FUNCTIONS = [
    kernel.delong_sums, kernel.pr_areas, kernel.extremes, kernel.hull,
    lambda p, n: kernel.loss_moments(np.linspace(0, 1, len(p)), p, n), lambda p, n: kernel.cumulate_at(p, n, [0]),
    lambda p, n: kernel.thin(p, n, 3), lambda p, n: kernel.thin(p, n, 300),
]  # fmt: skip


@both
@pytest.mark.parametrize("function", READERS)
@pytest.mark.parametrize("size", few([9_000, 10], 1))
@pytest.mark.parametrize("threads", few([3, 1], 1))
@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        (0, 2, "truth"), (0, 255, "truth"), (1, np.nan, "score_nan"), (1, -np.nan, "score_nan"),
        (2, np.nan, "weight_nan"), (2, -0.5, "weight_negative"), (2, -np.inf, "weight_negative"),
        (2, np.inf, "weight_infinite"),
    ],
)  # fmt: skip
def test_the_first_bad_row_is_named(use, function, size, threads, column, value, kind):
    columns = np.ones(size, dtype=np.uint8), np.linspace(-1, 1, size), np.ones(size)
    columns[column][[size - 3, size - 1]] = value
    weighted = columns if column == 2 else columns[:2]
    with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
        function(*weighted, threads=threads)
    assert (error.value.kind, error.value.row) == (kind, size - 3)
    assert f"row {size - 3} " in str(error.value)


@both
def test_within_a_row_the_truth_is_named_before_the_score_before_the_weight(use):
    truth, scores, weights = np.array([0, 3, 3]), np.array([0.0, np.nan, np.nan]), np.array([1.0, -1.0, np.nan])
    for columns, kind in [
        ((truth.astype(np.uint8), scores, weights), "truth"),
        ((np.zeros(3, dtype=np.uint8), scores, weights), "score_nan"),
        ((np.zeros(3, dtype=np.uint8), np.zeros(3), weights), "weight_negative"),
    ]:
        with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
            kernel.score_table(*columns)
        assert (error.value.kind, error.value.row) == (kind, 1)


@both
def test_a_bad_score_is_refused_whatever_it_weighs(use):
    with brute.using(use), pytest.raises(kernel.KernelInputError, match="the score is NaN"):
        kernel.concordance(np.array([1, 0], dtype=np.uint8), [np.nan, 1.0], [0.0, 1.0])


@both
@pytest.mark.parametrize("function", TABLE_FUNCTIONS)
@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.nan, "count_nan"), (-1.0, "count_negative"), (np.inf, "count_infinite"), (-np.inf, "count_negative")],
)
def test_bad_weights_in_a_table_are_named(use, function, value, kind):
    for column in (0, 1):
        columns = np.ones((2, 9))
        columns[column, [4, 7]] = value
        with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
            function(*columns)
        assert (error.value.kind, error.value.row) == (kind, 4)


@both
@pytest.mark.parametrize("function", TABLE_FUNCTIONS)
def test_bad_counts_in_a_table_are_named(use, function):
    for column in (0, 1):
        columns = np.ones((2, 9), dtype=np.int64)
        columns[column, [4, 7]] = -1
        with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
            function(*columns)
        assert (error.value.kind, error.value.row) == ("count_negative", 4)
        columns[column] = 2**62
        with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
            function(*columns)
        assert (error.value.kind, error.value.row) == ("count_overflow", 1)


@both
def test_squares_are_checked_too(use):
    with brute.using(use), pytest.raises(kernel.KernelInputError, match="a count is negative"):
        kernel.delong_sums([1.0, 2.0], [1.0, 2.0], [1.0, -2.0], [1.0, 4.0])


@both
@pytest.mark.parametrize("weights", [None, [1.0, 1.0, 1.0]])
@pytest.mark.parametrize(
    ("truth", "predicted", "kind"), [([0, 1, 2], [0, 0, 0], "truth_code"), ([0, 1, 1], [0, 0, -1], "predicted_code")]
)
def test_codes_out_of_range_are_named(use, weights, truth, predicted, kind):
    with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
        kernel.confusion(np.array(truth), np.array(predicted), 2, weights)
    assert (error.value.kind, error.value.row) == (kind, 2)


@both
def test_confusion_names_bad_weights(use):
    codes = np.zeros(3, dtype=np.int64)
    for weight, kind in [(np.nan, "weight_nan"), (-1.0, "weight_negative"), (np.inf, "weight_infinite")]:
        with brute.using(use), pytest.raises(kernel.KernelInputError) as error:
            kernel.confusion(codes, codes, 1, [1.0, weight, weight])
        assert (error.value.kind, error.value.row) == (kind, 1)


def test_the_error_survives_pickling():
    error = pickle.loads(pickle.dumps(kernel.KernelInputError("score_nan", 7)))
    assert (error.kind, error.row, str(error)) == ("score_nan", 7, "row 7 (counted from 0): the score is NaN")
    assert isinstance(error, ValueError)


@both
@given(brute.rows(), st.integers(2, 3))
def test_any_layout_gives_the_same_table(use, rows, step):
    truth, scores, weights = rows

    def spread(column):
        return None if column is None else np.repeat(column, step)[::step]

    with brute.using(use):
        want = kernel.score_table(truth, scores, weights, squares=True)
        for columns in [
            (spread(truth), spread(scores), spread(weights)),
            (truth == 1, scores.astype(">f8"), weights),
            (truth[::-1][::-1], scores.tolist(), None if weights is None else weights.tolist()),
        ]:
            got = kernel.score_table(*columns, squares=True)
            assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))


@both
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.int16, np.int64, np.uint64, np.bool_])
def test_narrower_numbers_are_scores(use, kind):
    scores = np.array([0, 1, 1, 0]).astype(kind)
    with brute.using(use):
        assert kernel.concordance(np.array([0, 1, 0, 1], dtype=np.uint8), scores) == (4, 2, 2)


@both
def test_float32_scores_are_converted_not_rounded_again(use):
    scores = np.array([0.1, 0.2], dtype=np.float32)
    with brute.using(use):
        table = kernel.score_table(np.array([1, 0], dtype=np.uint8), scores)
    assert table.scores.tolist() == [float(scores[1]), float(scores[0])]


@both
def test_mixed_tables_are_float(use):
    with brute.using(use):
        assert kernel.delong_sums([1, 0], [0.0, 1.0]) == (2.0, 0.0, 0.0, 1.0, 1.0)
        assert kernel.hull(np.ones(2, dtype=np.uint8), np.ones(2, dtype=np.int32)).tolist() == [1]


@both
def test_results_are_arrays_of_their_own(use):
    truth, scores = np.array([1, 0], dtype=np.uint8), np.array([0.5, 0.25])
    with brute.using(use):
        table = kernel.score_table(truth, scores)
    table.scores[:] = 9.0
    assert scores.tolist() == [0.5, 0.25]
