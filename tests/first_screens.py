"""Thirteen data sets with the reports that a reader opens; `python tests/first_screens.py FOLDER` draws the screens."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th
from thresher.decisions.costs import Costs

SCREENS = {1280: 900, 390: 844}
"""Width and height of each screen, in pixels."""

Case = tuple[th.Evaluation, dict[str, Any]]
"""Evaluation and the options of its report."""


def scored(rows: int, models: int = 1, *, share: float = 0.4, spread: float = 2.0) -> tuple[Any, dict[str, Any]]:
    """Truth and calibrated probabilities of some models, each weaker than the one before."""
    rng = np.random.default_rng(7)
    y = (rng.random(rows) < share).astype(int)
    y[:2] = 0, 1
    names = [f"model {i + 1}" for i in range(models)]
    found = {}
    for i, name in enumerate(names):
        s = spread * 0.85**i
        logit = s * rng.normal(size=rows) + s * s * (y - 0.5) + np.log(share / (1 - share))
        found[name] = 1 / (1 + np.exp(-logit))
    return y, found


def classes(rows: int, several: int) -> Case:
    """Posteriors of several classes."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, several, rows)
    logits = rng.normal(size=(rows, several)) + 3 * np.eye(several)[y]
    posteriors = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return th.evaluate(y, posteriors), {}


def diagnosed(**options: Any) -> Case:
    """Three models of the breast-cancer data."""
    rows = th.load_example("breast_cancer")
    names = ["logistic_regression", "random_forest", "naive_bayes"]
    return th.evaluate(rows, label="diagnosis", positive="malignant", scores=names, **options), {}


def plain(rows: int, models: int = 1, *, share: float = 0.4, spread: float = 2.0, **options: Any) -> Case:
    """Evaluation of calibrated scores with the options of a report."""
    return th.evaluate(*scored(rows, models, share=share, spread=spread)), options


def clustered() -> Case:
    """Ten rows of each of 60 patients, which share an effect."""
    y, found = scored(600, 2)
    patients = np.arange(600) // 10
    return th.evaluate({"y": y, **found, "patient": patients}, label="y", scores=list(found), cluster="patient"), {}


def hard() -> Case:
    """Decisions 0 and 1 given as scores."""
    y, found = scored(300)
    return th.evaluate(y, (found["model 1"] > 0.5).astype(int)), {}


CASES: dict[str, Callable[[], Case]] = {
    "four": lambda: plain(4),
    "thirty": lambda: plain(30),
    "example": diagnosed,
    "million": lambda: plain(1_000_000),
    "rare": lambda: plain(100_000, share=0.001, spread=1.5),
    "constant": lambda: (th.evaluate(scored(200)[0], np.full(200, 0.3)), {}),
    "one-class": lambda: (th.evaluate(np.zeros(50, int), scored(50)[1]["model 1"]), {}),
    "twelve-models": lambda: plain(500, 12),
    "thirty-classes": lambda: classes(3_000, 30),
    "hard-labels": hard,
    "costs": lambda: plain(500, 2, costs=Costs(fp=1, fn=10), prevalence=0.1),
    "groups": lambda: diagnosed(by="nucleus_size"),
    "clusters": clustered,
}
"""Case by name, made when it is asked for: small and large, odd and many."""


def draw(folder: Path, names: list[str]) -> None:
    """Write the page of every case, and a picture of its first screen at each width."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no Chromium is installed")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or list(CASES):
        evaluation, options = CASES[name]()
        page = evaluation.report(folder / f"{name}.html", **options)
        for width, height in SCREENS.items():
            inside = _framed(page, width, height)
            picture = f"--screenshot={folder / f'{name}-{width}.png'}"
            size = f"--window-size={max(width, 500)},{height}"
            subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", picture, size, f"file://{inside}"],
                check=True, capture_output=True,
            )  # fmt: skip


def _framed(page: Path, width: int, height: int) -> Path:
    """Page in a frame of the width: a window of Chromium is at least 500 pixels wide."""
    frame = page.with_suffix(f".{width}.html")
    frame.write_text(f'<body style="margin:0"><iframe src="{page.name}" width={width} height={height} '
                     'style="border:0"></iframe>')  # fmt: skip
    return frame


if __name__ == "__main__":
    draw(Path(sys.argv[1]).resolve(), sys.argv[2:])
