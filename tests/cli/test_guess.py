import gzip

import pytest

from thresher.cli.exit import CommandError
from thresher.cli.label_columns import LABEL_NAMES, guess_label, guess_score

TEXT, WHOLE, REAL = "VARCHAR", "BIGINT", "DOUBLE"


@pytest.mark.parametrize("name", LABEL_NAMES)
def test_one_exact_name_is_taken_for_the_label_and_said(name: str) -> None:
    guess = guess_label([("id", WHOLE), (name, WHOLE), ("p", REAL)], {}, "a.csv")
    assert guess.column == name
    assert guess.note == f"label={name} (guessed; set --label)"


@pytest.mark.parametrize("name", ["Label", "labels", " target", "truths", "Class", "Y", "y_pred"])
def test_a_name_that_is_only_near_is_not(name: str) -> None:
    with pytest.raises(CommandError, match=r"which column of a\.csv holds the true labels.*--label") as error:
        guess_label([(name, WHOLE), ("p", REAL)], {}, "a.csv")
    assert repr(name) in error.value.message
    assert "'p'" in error.value.message


def test_a_column_with_another_part_is_not_the_label() -> None:
    columns = [("y", WHOLE), ("target", WHOLE), ("p", REAL)]
    assert guess_label(columns, {"y": "--by"}, "a.csv").column == "target"


def test_the_only_number_left_is_the_score_and_said() -> None:
    columns = [("label", WHOLE), ("name", TEXT), ("w", REAL), ("age", REAL), ("p", REAL)]
    guess = guess_score(columns, {"label": "--label", "w": "--weight", "age": "--by"}, "a.csv")
    assert (guess.column, guess.note) == ("p", "score=p (guessed; set --score)")


@pytest.mark.parametrize(
    "name",
    ["fold", "cv_fold", "fold2", "Fold", "site", "group", "subgroup", "patient_id", "id", "sample_weight", "row"],
)
@pytest.mark.parametrize("kind", [WHOLE, REAL])
def test_a_fold_group_or_key_column_is_never_the_score(name: str, kind: str) -> None:
    assert guess_score([(name, kind), ("p", REAL)], {}, "a.csv").column == "p"
    with pytest.raises(CommandError, match=r"do not look like scores.*--score"):
        guess_score([(name, kind)], {}, "a.csv")


def test_a_column_of_whole_numbers_may_be_a_group() -> None:
    assert guess_score([("score", WHOLE)], {}, "a.csv").column == "score"


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_a_header_alone_has_no_rows_to_guess_from(run, write, name: str) -> None:  # type: ignore[no-untyped-def]
    write(name, gzip.compress(b"y,s\n") if name.endswith("gz") else "y,s\n")
    for command in ("report", "calibrate"):
        done = run(command, name)
        assert (done.code, done.err) == (2, "thresher: there are no rows: the input has column names at most.\n")
