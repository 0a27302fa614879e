"""What the texts of a file mean."""

import pytest

from thresher.readers.columns import values_of_columns, values_of_texts


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["0", "1"], [0, 1]),
        (["-1", "+1"], [-1, 1]),
        (["0.0", "1.0"], [0.0, 1.0]),
        (["1000", "0.5", "1e-05", "2"], [1000, 0.5, 1e-05, 2]),
        (["1.000e+00", "0.000e+00"], [1.0, 0.0]),
        (["1.1", "1.10"], ["1.1", "1.10"]),
        (["1.10", "1.2"], ["1.10", "1.2"]),
        (["1", "1.0"], ["1", "1.0"]),
        (["1.0", "1.00"], ["1.0", "1.00"]),
        (["+1", "1"], ["+1", "1"]),
        (["1000", "1e3"], ["1000", "1e3"]),
        (["0", "-0"], ["0", "-0"]),
        (["1", "1.00000000000000000001"], ["1", "1.00000000000000000001"]),
        (["2."], ["2."]),
        ([".5"], [".5"]),
        (["+2"], ["+2"]),
        (["1e999"], ["1e999"]),
        ([" 1", "0 "], [1, 0]),
        (["1", " 1", "0"], ["1", " 1", "0"]),
        (["01", "1"], ["01", "1"]),
        (["0", "1", "x"], ["0", "1", "x"]),
        (["1_0", "2"], ["1_0", "2"]),
        (["1２", "2"], ["1２", "2"]),
        (["inf", "1"], ["inf", "1"]),
        (["true", "false"], [True, False]),
        (["True", "FALSE", "NA"], [True, False, None]),
        (["True", "true"], ["True", "true"]),
        (["yes", "no"], ["yes", "no"]),
        (["1", "", " ", "NaN", "null", "<NA>"], [1, None, None, None, None, None]),
        (["none", "None", "mild"], ["none", "None", "mild"]),
        (["yes ", "yes"], ["yes ", "yes"]),
    ],
)
def test_texts_are_numbers_or_truth_values_only_when_all_are(texts, values):
    meaning = values_of_texts(texts)
    assert [meaning[text] for text in texts] == values
    assert [type(meaning[text]) for text in texts] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ([["1", "0"], ["True", "False"]], [[1, 0], [True, False]]),
        ([["1.0", "0.0"], ["1", "0"]], [[1.0, 0.0], [1, 0]]),
        ([["1", "0"], ["1", "x"]], [["1", "0"], ["1", "x"]]),
        ([["1.1", "2"], ["1.10", "2"]], [["1.1", "2"], ["1.10", "2"]]),
        ([["01", "02"], ["1", "2"]], [["01", "02"], [1, 2]]),
        ([["1", "0"], ["NA"]], [[1, 0], [None]]),
        ([["1", "0"], ["yes", "no"]], [[1, 0], ["yes", "no"]]),
        ([["1", "2"], ["1", "b"], ["9"]], [["1", "2"], ["1", "b"], ["9"]]),
    ],
)
def test_numbers_are_texts_where_they_stand_among_texts_of_a_column_they_are_compared_with(columns, values):
    assert [list(meaning.values()) for meaning in values_of_columns(columns)] == values
