"""Every call that the pages of calls show is run."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
import thresher.measures.baselines
import thresher.resampling

DOCS = Path(__file__).parents[1] / "docs"
RNG = np.random.default_rng(1)
Y = np.repeat([1, 0], [20, 30])
A, B = (np.clip(0.3 + 0.35 * Y + 0.2 * RNG.normal(size=50), 0.01, 0.99) for _ in range(2))
ROW = re.compile(r"^\| .* \| `(?P<call>[^`]+)` \|$", re.MULTILINE)
LATER = re.compile(r"\b(assessed|ranked|qrels|run|folder|library|th\.assess)\b")
PAGES = ("calls.md", "coming-from/r.md")
CALLS = [(page, match["call"]) for page in PAGES for match in ROW.finditer((DOCS / page).read_text(encoding="utf-8"))]


class Fitted:
    classes_ = np.array([0, 1])

    def decision_function(self, X: Any) -> Any:
        return np.asarray(X)[:, 0]


class Probable(Fitted):
    def predict_proba(self, X: Any) -> Any:
        p = np.asarray(X)[:, 0]
        return np.stack([1 - p, p], axis=1)


class OfThree:
    classes_ = np.array([0, 1, 2])

    def predict_proba(self, X: Any) -> Any:
        return np.asarray(X)


POSTERIORS = RNG.dirichlet([1, 1, 1], 30)


def names() -> dict[str, Any]:
    ev = th.evaluate(Y, {"a": A, "b": B})
    rows = {"y": Y.tolist(), "predicted": (A > 0.5).astype(int).tolist()}
    labels = th.evaluate(rows, label="y", predicted="predicted")
    human = [int(label) if row % 2 else None for row, label in enumerate(Y)]
    judged = th.evaluate(human, {"a": A, "b": B}, judge=Y)
    return {"th": th, "np": np, "ev": ev, "model": ev["a"], "labels": labels, "matrix": ev["a"].at(0.5), "y": Y,
            "human": human, "judged": judged, "a": A, "b": B,
            "estimator": Learned(), "X": A[:, None], "probable": Probable(), "of_three": OfThree(),
            "posteriors": POSTERIORS, "classes": th.evaluate(np.arange(30) % 3, POSTERIORS)["model"]}  # fmt: skip


class Learned(Fitted):
    def fit(self, _X: Any, _y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Any:
        return (np.asarray(X)[:, 0] > 0.5).astype(int)


@cache
def more(folder: Path) -> dict[str, Any]:
    """What the later sections speak of: an assessment, ranked runs, a folder, a dataframe library."""
    qrels = {f"q{q}": {f"d{d}": (q * d) % 3 for d in range(6)} for q in range(1, 5)}
    runs = {name: {q: {d: (i * step) % 7 for i, d in enumerate(ds)} for q, ds in qrels.items()}
            for name, step in (("a", 2), ("b", 3))}  # fmt: skip
    two = {"a": Learned(), "b": Learned()}
    assessed = th.assess(two, A[:, None], Y, method="kfold:3", measures=["auc"], progress=False)
    return {"qrels": qrels, "run": runs["a"], "ranked": th.rank(qrels, runs), "assessed": assessed, "folder": folder,
            "library": "polars"}  # fmt: skip


def marks_of(call: str) -> Any:
    if "folder /" in call:
        return pytest.mark.slow
    return pytest.mark.peer if ".plot(" in call or "library" in call else ()


def marked(page: str, call: str) -> Any:
    return pytest.param(page, call, id=call, marks=marks_of(call))


@pytest.mark.parametrize(("page", "call"), [marked(*each) for each in CALLS])
def test_the_call_runs(page: str, call: str, tmp_path_factory: Any) -> None:
    later = more(tmp_path_factory.getbasetemp()) if LATER.search(call) else {}
    assert eval(call, names() | later) is not None, page


def test_the_pages_have_their_calls() -> None:
    lines = [line for page in PAGES for line in (DOCS / page).read_text(encoding="utf-8").splitlines()]
    rows = [line for line in lines if line.startswith("| ") and not re.match(r"\| (task|there) \|", line)]
    assert len(rows) == len(CALLS) > 80
