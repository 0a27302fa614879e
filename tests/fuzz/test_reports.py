"""Random files and random options: what a command writes is what a slow reading of the same rows says.

The seed of each round is printed; `THRESHER_FUZZ_SEED` begins with one of them, `THRESHER_FUZZ_SECONDS` says how long.
The minute takes the same seeds each time, at most 60 of a kind; the ten minutes begin with another one.
"""

import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fuzz import commands
from fuzz.outputs import check_all, check_forms
from fuzz.random_tables import drawn_options, drawn_table
from fuzz.slow_reading import Counted, rows_of
from fuzz.written import FORMS, damaged, write
from thresher.cli.main import cli

OUTPUTS = [part for form in ("json", "csv", "md", "html", "txt") for part in ("-o", f"r.{form}")]


def ran(folder: Path, arguments: list[str]) -> Result:
    """Run the command in this process; it ends in an answer or a sentence."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        found = CliRunner().invoke(cli, arguments)
    finally:
        os.chdir(before)
    assert found.exit_code in (0, 2), found.stderr
    assert "Traceback" not in found.stderr
    assert "\x1b" not in found.stderr
    if found.exit_code == 2:
        assert found.stderr.startswith("thresher: "), found.stderr
    return found


def report(seed: int, folder: Path) -> None:
    """One random table in a random form with random options, and all that is written of it."""
    rng = np.random.default_rng(seed)
    table = drawn_table(rng)
    options = drawn_options(rng, table)
    path = write(rng, table.columns, str(rng.choice(FORMS)), folder)
    found = ran(folder, ["report", path.name, *table.flags, *options, *OUTPUTS])
    assert found.exit_code == 0, found.stderr
    rows = rows_of(path)
    counted = {name: Counted.of(rows, table.positive, name, table.weights, table.lower) for name in table.models}
    stand_in = float(options[options.index("--undefined") + 1]) if "--undefined" in options else None
    check_all(folder, counted, table.lower, stand_in, "frequency" in table.flags)


def damage(seed: int, folder: Path) -> None:
    """The same file with damaged bytes: an answer that all forms give, or one sentence and nothing written."""
    rng = np.random.default_rng(seed)
    table = drawn_table(rng)
    path = write(rng, table.columns, str(rng.choice(FORMS)), folder)
    path.write_bytes(damaged(rng, path.read_bytes()))
    for file in folder.glob("r.*"):
        file.unlink()
    found = ran(folder, ["report", path.name, *table.flags, "--missing", "drop", *OUTPUTS])
    written = len(list(folder.glob("r.*")))
    assert written == (0 if found.exit_code else 5)
    if not found.exit_code:
        check_forms(folder)
    else:
        assert len(found.stderr.strip().splitlines()) <= 2, found.stderr


def command(what: Callable[..., None]) -> Callable[[int, Path], None]:
    """A round of another command."""

    def a_round(seed: int, folder: Path) -> None:
        what(np.random.default_rng(seed), folder, ran)

    a_round.__name__ = what.__name__
    return a_round


ROUNDS = (report, damage, *map(command, commands.KINDS))


def rounds(
    what: Callable[[int, Path], None], folder: Path, *, first: int, most: float = math.inf, seconds: float = math.inf
) -> int:
    """Do it with one seed after the other, so many or so long; the seed is said before what may fail."""
    seed = int(os.environ.get("THRESHER_FUZZ_SEED", first))
    end = time.monotonic() + float(os.environ.get("THRESHER_FUZZ_SECONDS", seconds))
    done = 0
    while not done or (time.monotonic() < end and done < most):
        print(f"THRESHER_FUZZ_SEED={seed + done}", flush=True)
        what(seed + done, folder)
        done += 1
    print(f"{done} rounds of {what.__name__}")
    return done


@pytest.mark.slow
@pytest.mark.parametrize("what", ROUNDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_few_rounds(what, seed, tmp_path):
    what(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("what", ROUNDS)
def test_a_minute(what, tmp_path):
    # As many on any machine, so that what passes once passes everywhere.
    assert rounds(what, tmp_path, first=10, most=60)


@pytest.mark.long
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("what", ROUNDS)
def test_ten_minutes(what, tmp_path):
    assert rounds(what, tmp_path, first=int(time.time()) * 1000, seconds=600 / len(ROUNDS))
