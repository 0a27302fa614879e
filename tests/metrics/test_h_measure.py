"""The H-measure's arguments; its values are tested where it is computed."""

import math

import numpy as np
import pytest

from thresher.counts import ScoreTable
from thresher.decisions import h_measure
from thresher.metrics import h_measure_score
from thresher.metrics.inputs.options import warning_class

TRUTH, SCORES = [0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.4, 0.35, 0.8, 0.2]


@pytest.mark.parametrize("distribution", ["hand_2009", "severity_ratio", "hand_anagnostopoulos_2014"])
def test_value_is_that_of_the_table(distribution):
    table = ScoreTable.from_scores(TRUTH, SCORES)
    found = h_measure_score(TRUTH, SCORES, distribution=distribution)
    assert found == h_measure(table, distribution=distribution).value
    assert 0 < found < 1
    rare = h_measure_score(TRUTH, SCORES, distribution=distribution, prevalence=0.1)
    assert rare == h_measure(table.with_prevalence(0.1), distribution=distribution).value


def test_weights_repeat_rows_and_labels_are_of_any_kind():
    repeated = h_measure_score(TRUTH + TRUTH[:2], SCORES + SCORES[:2])
    assert h_measure_score(TRUTH, SCORES, sample_weight=[2, 2, 1, 1, 1, 1]) == pytest.approx(repeated)
    words = np.where(np.array(TRUTH) == 1, "ill", "well")
    assert h_measure_score(words, SCORES, pos_label="ill") == h_measure_score(TRUTH, SCORES)


def test_undefined_and_refused():
    with pytest.warns(warning_class(), match="no negatives"):
        assert math.isnan(h_measure_score([1, 1], [0.1, 0.2]))
