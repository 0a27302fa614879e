"""The size of the house only falls: a change that adds more than 1 % needs a decision, written in ratchet.toml."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = tomllib.loads((Path(__file__).parent / "ratchet.toml").read_text(encoding="utf-8"))


def size(folder: str) -> dict[str, int]:
    paths = list((ROOT / folder).rglob("*.py"))
    return {"files": len(paths), "lines": sum(path.read_bytes().count(b"\n") for path in paths)}


@pytest.mark.parametrize(("folder", "what"), [("src", "files"), ("src", "lines"), ("tests", "lines")])
def test_the_house_does_not_grow(folder: str, what: str) -> None:
    now, then = size(folder)[what], ALLOWED[folder][what]
    assert now <= 1.01 * then, (
        f"{folder} has {now} {what}, more than 1 % above the {then} of tests/contracts/ratchet.toml. "
        "Take something out, or raise the number there with the reason beside it."
    )


@pytest.mark.parametrize(("folder", "what"), [("src", "files"), ("src", "lines"), ("tests", "lines")])
def test_a_house_that_shrank_is_written_down(folder: str, what: str) -> None:
    now, then = size(folder)[what], ALLOWED[folder][what]
    assert now >= 0.97 * then, f"{folder} has {now} {what}: write it into ratchet.toml, which has {then}"
