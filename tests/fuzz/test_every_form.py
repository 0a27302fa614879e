"""Random tables in every form of input: each form has the answer that plain loops over the rows have.

A fault names its seed and form: `THRESHER_FUZZ_SEED=17 pytest -m slow tests/fuzz/test_every_form.py` begins with it.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thresher
from fuzz.mixed_tables import drawn_mixed
from fuzz.plain_answer import Answer, ModelAnswer, differences, plain_answer

TESTS = Path(__file__).parents[1]
SOURCES = Path(thresher.__file__).parents[1]
SHOWN = 40
"""Faults that are shown."""


def faults(first: int, count: int) -> tuple[list[str], int]:
    """Faults by seed and form, and how many answers there were; a process that ends early goes on behind its seed."""
    found: list[str] = []
    answers = at = 0
    end = first + count
    path = os.pathsep.join([str(SOURCES), str(TESTS)])
    while first < end:
        command = [sys.executable, "-m", "fuzz.every_form", str(first), str(end - first)]
        done = subprocess.run(
            command, cwd=TESTS, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        name = "the start"
        for line in done.stdout.splitlines():
            if line.startswith("!"):
                found.append(f"{name}: {line[2:]}")
            else:
                at, name, answers = int(line.split()[0]), line, answers + 1
        if not done.returncode:
            return found, answers
        found.append(f"{name}: the process ended by {done.returncode}: {done.stderr[-300:]}")
        first = max(at, first) + 1
    return found, answers


def check(first: int, count: int) -> None:
    first = int(os.environ.get("THRESHER_FUZZ_SEED", first))
    print(f"THRESHER_FUZZ_SEED={first}, and {count} tables from there")
    found, answers = faults(first, count)
    print(f"{answers} answers")
    assert not found, f"{len(found)} faults:\n" + "\n".join(found[:SHOWN])
    assert answers >= 20 * count


@pytest.mark.slow
def test_a_minute_of_every_form() -> None:
    check(first=0, count=50)


@pytest.mark.long
def test_five_hundred_tables_in_every_form() -> None:
    check(first=1000, count=500)


def test_the_plain_answer_by_hand() -> None:
    """Rows with a weight of 0 or without a score say nothing; a tie is half a pair; 1 is at the threshold of 1."""
    table = drawn_mixed(np.random.default_rng(0))
    columns = {"label": [1, 0, 1, 0, 1], "m": [1.0, 0.5, 0.5, None, 0.9], "w": [2, 1, 1, 1, 0]}
    by_hand = {"positive": 1, "models": ("m",), "is_labels": False, "weight_kind": "frequency", "threshold": 1.0}
    answer = plain_answer(type(table)(columns=columns, is_named=False, is_float32=False, **by_hand))
    model = ModelAnswer(matrix=(2.0, 1.0, 0.0, 1.0), auc=2.5 / 3, brier=0.5 / 4)
    assert answer == Answer(n=4, models={"m": model}, dropped=1)
    assert differences(answer, answer) == []
    assert differences(Answer(n=3, models={"m": ModelAnswer(matrix=model.matrix)}), answer) == [
        "n 3, not 4", f"m: auc None, not {2.5 / 3}", "m: brier None, not 0.125",
    ]  # fmt: skip
