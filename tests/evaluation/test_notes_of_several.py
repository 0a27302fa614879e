"""What is the same of several scores is said once, of all of them."""

import numpy as np

import thresher as th
from thresher.evaluation.counted_rows import WIDER
from thresher.results import WIDENED
from thresher.sentences import Sentence

RANDOM = np.random.default_rng(3)
Y = RANDOM.integers(0, 2, 400)
SCORES = {name: Y + RANDOM.normal(size=400) for name in "abc"}


def test_counts() -> None:
    found = th.evaluate(th.count(Y, SCORES)).notes
    assert found[0] == "a, b and c: counts of 400 rows, at 400 scores; the rows are not here."
    assert sum("the rows are not here" in note for note in found) == 1


def test_bins() -> None:
    """Bounds are each score's own; what is said of them is not."""
    notes = th.evaluate(th.count(Y, SCORES).with_least(10)).notes
    assert notes.count(f"a, b and c: {WIDER}") == 1
    assert "a, b and c: counts of 400 rows; the rows are not here." in notes
    assert sum("scores are counted in" in note for note in notes) == 3
    alone = th.evaluate(th.count(Y, SCORES).with_least(10), "b").notes
    assert f"b: {WIDER}" in alone
    assert not any(note.startswith(("a", "c")) for note in alone)


def test_limits_are_moved_as_said() -> None:
    """Limits of a number with a bound were said to take the bins as they are."""
    model = th.evaluate(th.count(Y, SCORES).with_least(10))["a"]
    assert model.auc.error_bound
    assert "wider" in str(model.auc.method)
    assert "moves the limits apart" in WIDER


def test_rows() -> None:
    found = th.evaluate(Y, SCORES).notes
    assert found[0].startswith("a, b and c: no threshold was given")
    apart = th.evaluate(Y, SCORES | {"b": np.linspace(0, 1, 400)}).notes
    assert any(note.startswith("a and c: no threshold was given") for note in apart)
    asked = th.evaluate(Y, {name: -s for name, s in SCORES.items()}).notes
    assert any(isinstance(note, Sentence) and note.keywords for note in asked)


def test_undefined_is_not_exact() -> None:
    notes = th.evaluate(th.count(Y, SCORES).with_least(10)).notes
    assert not any("Brier" in note for note in notes)  # scores outside [0, 1]
    shares = {name: 1 / (1 + np.exp(-s)) for name, s in SCORES.items()}
    assert any("Brier score ±" in note for note in th.evaluate(th.count(Y, shares).with_least(10)).notes)


def test_limits_of_a_rate_at_a_rate_are_moved_apart_as_well() -> None:
    """By its name a measure at a value of another is none, so that its limits were left."""
    shares = {name: 1 / (1 + np.exp(-s)) for name, s in SCORES.items()}
    model = th.evaluate(th.count(Y, shares).with_least(10))["a"]
    for text in ("recall@fpr=0.3", "expected_calibration_error:bins=5"):
        found = model.estimate(text)
        assert found.error_bound
        assert found.low is None or str(found.method).endswith(WIDENED)
    assert model.estimate("recall@fpr=0.3").low is not None
