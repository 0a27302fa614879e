"""What the texts of a file mean."""

import pytest

from thresher.engines.text_values import values_of_texts


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["0", "1"], [0, 1]),
        (["-1", "+1"], [-1, 1]),
        (["0.0", "1.0"], [0.0, 1.0]),
        (["1e3", ".5", "2."], [1000.0, 0.5, 2.0]),
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
