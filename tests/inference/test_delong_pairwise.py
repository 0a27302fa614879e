"""Every two of several models at once are the tests of two."""

import numpy as np

import thresher as th
from thresher.inference.auc.delong_contrasts import delong_pairwise_tests
from thresher.inference.auc.tests import delong_test


def test_pairwise_tests_are_those_of_two():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    scores = {name: rng.normal(size=200).round(1) + y for name in "abcd"}
    found = delong_pairwise_tests(y, scores)
    assert list(found) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert all(found[i, j] == delong_test(y, scores[i], scores[j]) for i, j in found)
    compared = th.evaluate(y, scores).compare(test="delong")
    assert [c.p_value for c in compared] == [result.p_value for result in found.values()]
