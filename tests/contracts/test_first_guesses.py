"""The first calls of newcomers work, or the error names the call that does."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import thresher as th
from contracts.first_guesses import GUESSES
from thresher.errors import ThresherError

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]


@cache
def names() -> dict[str, Any]:
    """Values that the guesses name: labels, scores, a dataframe, posteriors of three classes, a fitted classifier."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    linear, matplotlib = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    rng, rows = np.random.default_rng(0), np.arange(120)
    y, letters = (rows % 3 == 0).astype(int), np.array(list("abc"))
    a, b = np.clip(0.5 * rng.random(120) + 0.4 * y, 0, 1), np.clip(0.6 * rng.random(120) + 0.2 * y, 0, 1)
    posteriors, X = rng.dirichlet(np.ones(3), 120), np.column_stack([a, b])
    df = pandas.DataFrame({"outcome": y, "a": a, "b": b, "site": np.where(rows % 2, "x", "y"), "pat": rows // 3})
    ev = th.evaluate(y, {"a": a, "b": b})
    return {
        "th": th, "pl": polars, "y": y, "a": a, "b": b, "df": df, "scores_by_model": df[["a", "b"]], "X": X,
        "y3": letters[rows % 3], "pred3": letters[posteriors.argmax(1)], "posteriors": posteriors, "int3": rows % 3,
        "guessed3": rng.integers(0, 3, 120), "clf": linear.LogisticRegression().fit(X, y),
        "ev": ev, "m": ev["a"], "cm": ev["a"].at(threshold=0.5),
    }  # fmt: skip


@pytest.mark.parametrize(("guess", "answer"), GUESSES, ids=[guess for guess, _ in GUESSES])
def test_a_first_guess_works_or_its_error_names_the_call(guess: str, answer: str) -> None:
    if not answer:
        eval(guess, names())
        return
    with pytest.raises((ThresherError, AttributeError, TypeError)) as caught:
        eval(guess, names())
    said = str(caught.value)
    assert answer in said
    assert max(len(sentence.split()) for sentence in re.split(r"(?<=[.?!]) ", said)) <= 20
