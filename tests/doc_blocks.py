"""The blocks of code of the documentation: what they hold, and the files that their commands read."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher.examples import example_bytes

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.S | re.M)
PREDICTIONS = {"predictions.csv": ("breast_cancer", {})}
GATED = {"random_forest": "new", "logistic_regression": "old"}
NAMED_A = {"random_forest": "a", "naive_bayes": "b", "diagnosis": "outcome"}

FILES: dict[str, dict[str, tuple[str, dict[str, str]]]] = {
    "docs/calibration.md": {
        **dict.fromkeys(("validation.csv", "new.csv", "scores.csv"), ("breast_cancer", NAMED_A)),
        **dict.fromkeys(("digits.csv", "new_digits.csv"), ("digits", {})),
    },
    "docs/case-control.md": {"study.csv": ("breast_cancer", {})},
    "docs/comparing.md": {"predictions.csv": ("breast_cancer", GATED | {"diagnosis": "outcome"})},
    "docs/for/medicine.md": {"study.csv": ("breast_cancer", {})},
    "docs/for/credit-and-fraud.md": {"loans.csv": ("digit_eight", {"is_eight": "defaulted"})},
    "docs/for/llm-evaluation.md": {
        "judged.csv": ("breast_cancer", {"diagnosis": "human", "random_forest": "judge_a", "naive_bayes": "judge_b"})
    },
    "docs/index.md": {"breast_cancer.csv": ("breast_cancer", {})},
    "docs/questions/ci-gate.md": {"predictions.csv": ("breast_cancer", GATED)},
    "docs/questions/good.md": PREDICTIONS,
    "docs/questions/groups.md": PREDICTIONS,
    "docs/questions/rare-positives.md": {
        "study.csv": ("breast_cancer", {"random_forest": "model", "diagnosis": "outcome"})
    },
    "docs/questions/threshold.md": PREDICTIONS,
    "docs/questions/too-large.md": {"breast_cancer.csv": ("breast_cancer", {})},
    "docs/questions/which-of-two.md": PREDICTIONS,
}
"""Files that the commands of a page read: the example that each holds, and its columns' names there.

Where the column of labels has another name its positive label is 1, as the pages do not name it. Files that are called
new have every second row, and those beside them the others.
"""


JUDGED = {
    "docs/questions/judged.md": ("answers.csv", "tags.csv"),
    "docs/questions/late-labels.md": ("labelled.csv", "new.csv"),
    "docs/questions/verified.md": ("rows.csv",),
}
"""Files of pages about labels that are judged, late or partly verified."""


@dataclass(frozen=True)
class Block:
    """A fenced block: the language that it names, its text, and the page that it stands on."""

    page: str
    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command of a block, its words, the file that its output goes to, and the lines that are shown below it."""

    words: tuple[str, ...]
    target: str | None
    shown: str


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(page, *found) for found in FENCE.findall(text)]


def commands(block: Block) -> Iterator[Command]:
    """Commands of a block in order; of a workflow the steps that run them."""
    text = block.text.replace("\\\n", " ")
    prompted = block.language == "console"
    starts = r"(?m)^\$ " if prompted else r"(?m)^(?:- run: )?(?=thresher )"
    for part in re.split(starts, text)[1:]:
        line, _, shown = part.partition("\n")
        words = shlex.split(line, comments=True)
        target = words[words.index(">") + 1] if ">" in words else None
        kept = words[: words.index(">")] if ">" in words else words
        yield Command(tuple(kept), target, shown if prompted else "")


def write_files(page: str, folder: Path) -> None:
    """Write what the commands of a page read."""
    write_judged(page, folder)
    files = FILES.get(page, {})
    for name, (example, renamed) in files.items():
        head, *rows = example_bytes(example).decode("utf-8").splitlines()
        head = ",".join(renamed.get(column, column) for column in head.split(","))
        kept = rows[name.startswith("new") :: 2] if any(each.startswith("new") for each in files) else rows
        text = "\n".join([head, *kept, ""])
        if "diagnosis" not in head:
            text = text.replace("malignant", "1").replace("benign", "0")
        (folder / name).write_text(text, encoding="utf-8")


def write_judged(page: str, folder: Path) -> None:
    """Write what pages of judged, late and partly verified labels read: one simulated table under each name."""
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.3).astype(int)
    risk, other = (np.round(rng.normal(size=2000) + 1.5 * y, 3) for _ in range(2))
    judge, second = (np.where(rng.random(2000) < 0.9, y, 1 - y) for _ in range(2))
    human = [str(label) if row % 8 == 0 else "" for row, label in enumerate(y)]
    columns = {"outcome": y, "human": human, "judge_model": judge, "second": second, "risk": risk, "model_a": risk,
               "model_b": other, "site": np.where(rng.random(2000) < 0.5, "north", "south"),
               "checked": (rng.random(2000) < np.where(risk > 1, 0.9, 0.3)).astype(int),
               "human_sport": human, "llm_sport": judge, "net_sport": risk,
               "human_arts": human, "llm_arts": second, "net_arts": other}  # fmt: skip
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    for name in JUDGED.get(page, ()):
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")


def write_tumours(folder: Path) -> None:
    """Write what the commands of `docs/study.md` read: every eighth row of scikit-learn's breast cancer data."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    rows = data.frame.drop(columns="target").assign(diagnosis=data.target_names[data.target])
    rows.iloc[::8].to_csv(folder / "tumours.csv", index=False)
