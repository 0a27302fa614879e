"""What type checkers make of a page of user code, from the sources that ship."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import thresher

PAGE = Path(__file__).with_name("user_code.py")
SOURCES = Path(thresher.__file__).parents[1]

pytestmark = [pytest.mark.peer, pytest.mark.slow]


def wrong_lines() -> set[int]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


def run(folder: Path, *command: str) -> str:
    # mypy refuses to be pointed at the packages of its own environment: it finds an installed thresher by itself.
    apart = {} if SOURCES.name == "site-packages" else {"MYPYPATH": str(SOURCES)}
    path = os.pathsep.join(filter(None, [str(SOURCES), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", *command, str(PAGE)], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, **apart, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.stdout


def test_mypy_knows_every_name_and_type(tmp_path: Path) -> None:
    said = run(tmp_path, "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path))
    assert {int(line) for line in re.findall(r"user_code\.py:(\d+): error", said)} == wrong_lines(), said


def test_pyright_knows_every_name_and_type(tmp_path: Path) -> None:
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(SOURCES)], "include": [str(PAGE)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "-p", str(tmp_path), "--outputjson"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    faults = [each for each in json.loads(done.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    assert {each["range"]["start"]["line"] + 1 for each in faults} == wrong_lines(), faults
