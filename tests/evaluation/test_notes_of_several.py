"""What is the same of several scores is said once, of all of them."""

import numpy as np

import thresher as th
from thresher.errors import Sentence

RANDOM = np.random.default_rng(3)
Y = RANDOM.integers(0, 2, 400)
SCORES = {name: Y + RANDOM.normal(size=400) for name in "abc"}


def test_counts() -> None:
    found = th.evaluate(th.count(Y, SCORES)).notes
    assert found[0] == "a, b and c: counts of 400 rows, at 400 distinct scores, without the rows."
    assert [note.code for note in found].count("counts") == 1
    (one,) = [note for note in th.evaluate(th.count(Y, np.ones(400))).notes if note.code == "counts"]
    assert one.endswith(": counts of 400 rows, at 1 distinct score, without the rows.")


def test_rows() -> None:
    found = th.evaluate(Y, SCORES).notes
    assert found[0].startswith("a, b and c: no threshold was given")
    apart = th.evaluate(Y, SCORES | {"b": np.linspace(0, 1, 400)}).notes
    assert any(note.startswith("a and c: no threshold was given") for note in apart)
    asked = th.evaluate(Y, {name: -s for name, s in SCORES.items()}).notes
    assert any(isinstance(note, Sentence) and note.keywords for note in asked)
