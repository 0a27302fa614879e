"""Confusion matrices from tables whose rows and columns have names: they go by the names, or are refused."""

import numpy as np
import pytest

from named_forms import TABLES, indexed, pd, pl, shuffled
from thresher import ConfusionMatrix
from thresher.errors import InputError, OptionError

pytestmark = pytest.mark.peer

TRUTH = ["low"] * 5 + ["mid"] * 4 + ["high"] * 3
DECIDED = ["low", "low", "mid", "high", "low", "mid", "mid", "low", "high", "high", "high", "mid"]
NAMES = ("low", "mid", "high")
COUNTS = {a: {b: sum(pair == (a, b) for pair in zip(TRUTH, DECIDED, strict=True)) for b in NAMES} for a in NAMES}
TWO = {"neg": {"neg": 95, "pos": 5}, "pos": {"neg": 12, "pos": 38}}
TWICE = indexed(COUNTS).rename(columns={"low": "mid"})
ORDERS = [(NAMES, NAMES), (NAMES, ("high", "low", "mid")), (("mid", "high", "low"), ("high", "low", "mid"))]


def by_name(matrix: ConfusionMatrix) -> dict:
    return {
        a: dict(zip(matrix.labels, row, strict=True))
        for a, row in zip(matrix.labels, matrix.counts.tolist(), strict=True)
    }


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize(("rows", "columns"), ORDERS)
def test_counts_go_by_the_names_of_rows_and_columns(form, rows, columns):
    found = ConfusionMatrix.from_counts(TABLES[form](shuffled(COUNTS, rows, columns)))
    assert found.labels == rows
    assert by_name(found) == COUNTS
    assert found.accuracy == np.mean([a == b for a, b in zip(TRUTH, DECIDED, strict=True)])


@pytest.mark.parametrize("form", TABLES)
def test_labels_say_in_which_order_named_counts_stand(form):
    found = ConfusionMatrix.from_counts(TABLES[form](shuffled(COUNTS, *ORDERS[2])), labels=NAMES)
    assert found.labels == NAMES
    assert by_name(found) == COUNTS


@pytest.mark.parametrize("form", TABLES)
def test_truth_in_columns_by_name(form):
    other = {a: {b: COUNTS[b][a] for b in NAMES} for a in ("high", "low", "mid")}
    assert by_name(ConfusionMatrix.from_counts(TABLES[form](other), truth_in="columns")) == COUNTS


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("columns", [("neg", "pos"), ("pos", "neg")])
def test_two_named_classes_take_their_positive_one_by_name(form, columns):
    found = ConfusionMatrix.from_counts(TABLES[form](shuffled(TWO, ("neg", "pos"), columns)), positive="pos")
    assert (found.labels, found.counts.tolist()) == (("pos", "neg"), [[38, 12], [5, 95]])


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (-1, 1)])
@pytest.mark.parametrize("form", TABLES)
def test_labels_that_are_no_text_keep_their_type(form, labels):
    no, yes = labels
    found = ConfusionMatrix.from_counts(TABLES[form]({no: {no: 7, yes: 1}, yes: {no: 2, yes: 5}}))
    assert found.labels == (yes, no)
    assert type(found.labels[0]) is type(yes)
    assert found.counts.tolist() == [[5, 2], [1, 7]]


def test_a_crosstab_is_the_matrix_of_its_rows():
    table = pd.crosstab(pd.Series(TRUTH, name="truth"), pd.Series(DECIDED, name="decided"))
    whole = ConfusionMatrix.from_predictions(TRUTH, DECIDED)
    assert ConfusionMatrix.from_counts(table) == whole
    assert ConfusionMatrix.from_counts(table[list(NAMES)]) == whole


@pytest.mark.parametrize("name", ["All", "Total", "Summe"])
@pytest.mark.parametrize("labels", [None, NAMES])
def test_margins_are_no_class(name, labels):
    table = pd.crosstab(pd.Series(TRUTH), pd.Series(DECIDED), margins=True, margins_name=name)
    for given in (table, pl.from_pandas(table.reset_index())):
        with pytest.raises(InputError, match=f"'{name}'.*sums of the others.*leave them out"):
            ConfusionMatrix.from_counts(given, labels=labels)


def test_sums_that_are_a_class_are_named_by_labels():
    table = pd.DataFrame([[1, 0, 1], [0, 1, 1], [1, 1, 2]], index=list("abc"), columns=list("abc"))
    assert ConfusionMatrix.from_counts(table, labels=["a", "b", "c"]).accuracy == 0.5


def test_a_class_that_was_never_predicted_is_named_by_labels():
    table = pd.crosstab(pd.Series(TRUTH), pd.Series(["low"] * 12))
    with pytest.raises(InputError, match="class 'high' has a row and no column"):
        ConfusionMatrix.from_counts(table)
    found = ConfusionMatrix.from_counts(table, labels=NAMES)
    assert found == ConfusionMatrix.from_predictions(TRUTH, ["low"] * 12, labels=NAMES)


@pytest.mark.parametrize(("given", "said", "labels"), [(*each, None) for each in (
    (pd.DataFrame(np.eye(3, dtype=int), columns=list(NAMES)), "columns named by class and unnamed rows"),
    (pd.DataFrame(np.eye(3, dtype=int), index=list(NAMES)), "rows named by class and unnamed columns"),
    (pl.DataFrame(np.eye(3, dtype=int), schema=list(NAMES)), "columns named by class and unnamed rows"),
    (indexed(COUNTS).rename(columns={"low": "Low"}), "class 'low' has a row and no column"),
    ({"a": 5, "b": 3}, "class 'a' are 5"), (indexed(COUNTS).astype(str) + " rows", "counts are not numbers"),
    (indexed(COUNTS).astype("Int64").mask(indexed(COUNTS) == 0), "counts are not all finite"),
    (TWICE.rename(index={"low": "mid"}), "two rows for class 'mid'"),
)] + [(TWICE, "two columns for class 'mid'", NAMES),
    (indexed(COUNTS), r"name the class 'high'\. The classes are 'low', 'mid'", ["low", "mid"])])  # fmt: skip
def test_half_named_and_twice_named_tables_are_refused(given, said, labels):
    with pytest.raises(InputError, match=said):
        ConfusionMatrix.from_counts(given, labels=labels)


def test_named_columns_that_stand_in_the_order_of_labels_need_no_named_rows():
    frame = pl.DataFrame({name: [COUNTS[a][name] for a in NAMES] for name in NAMES})
    assert by_name(ConfusionMatrix.from_counts(frame, labels=NAMES)) == COUNTS
    with pytest.raises(InputError, match="unnamed rows"):
        ConfusionMatrix.from_counts(frame, labels=["mid", "low", "high"])


def test_the_constructor_and_squares_go_by_name_too():
    moved = indexed(shuffled(COUNTS, *ORDERS[2]))
    found = ConfusionMatrix.from_counts(
        moved, labels=NAMES, squares=moved[["mid", "low", "high"]], weight_kind="importance"
    )
    assert found.squares.tolist() == found.counts.tolist()
    assert by_name(ConfusionMatrix(counts=moved, labels=NAMES)) == COUNTS
    assert ConfusionMatrix(counts=moved, labels=NAMES, squares=moved).squares.tolist() == found.counts.tolist()


def test_a_matrix_does_not_lose_its_labels():
    whole = ConfusionMatrix.from_predictions(TRUTH, DECIDED)
    with pytest.raises(OptionError, match="are a matrix already"):
        ConfusionMatrix.from_counts(whole)


def test_frames_without_names_are_arrays():
    assert ConfusionMatrix.from_counts(pd.DataFrame(np.eye(3, dtype=int))).labels == (0, 1, 2)
    with pytest.raises(OptionError, match="a 2×2 matrix needs labels"):
        ConfusionMatrix.from_counts(pd.DataFrame([[1, 2], [3, 4]]))


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize("digits", [15, 3])
@pytest.mark.parametrize(("normalize", "said"), [("index", "row"), ("columns", "column"), ("all", "all cells")])
def test_a_normalized_matrix_is_named_as_such(normalize, said, digits, scale):
    table = pd.crosstab(pd.Series(TRUTH[1:]), pd.Series(DECIDED[1:]), normalize=normalize).mul(scale).round(digits)
    for given in (table, table.to_numpy()):
        with pytest.raises(InputError, match=f"normalized.*{said}.*{scale}.*counts"):
            ConfusionMatrix.from_counts(given)
    assert ConfusionMatrix.from_counts(table, weight_kind="importance").counts.sum() > 0


def test_whole_numbers_are_counts_whatever_they_add_up_to():
    assert ConfusionMatrix.from_counts([[1, 0, 0], [0, 0, 1], [0, 1, 0]]).accuracy == pytest.approx(1 / 3)
    assert ConfusionMatrix.from_counts([[90.0, 10.0], [20.0, 80.0]], labels=[1, 0]).recall == 0.9
