"""What Python refuses, in whole sentences: rewritten when it is run as a program.

`refusals.txt` has a part for each module, as a doctest: names of what is refused, calls, and their errors.
"""

import doctest
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from sessions import own_folder, steady
from thresher.readers import csv_files

FILE = Path(__file__).parent / "refusals.txt"
READY = {"__name__": "refusals", "np": np, "Path": Path, "th": th}
"""Names that every part has."""
PARTS = {part.partition("\n")[0]: part.partition("\n")[2] for part in FILE.read_text("utf-8").split("\n# ")[1:]}


def refused(name: str, part: str) -> str:
    """Return a part with the errors that its calls now raise; a call that makes something ready shows nothing."""
    shown, names = [], dict(READY)
    with own_folder() as folder, warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("error")
        if name.startswith("readers/"):  # as their tests: small files are read as large ones are
            patch.setattr(csv_files, "MOST", 0)
        for piece in doctest.DocTestParser().parse(part):
            if isinstance(piece, str):
                shown.append(piece)
                continue
            first, *more = piece.source.splitlines()
            shown.append("".join([f">>> {first}\n", *(f"... {line}\n" for line in more)]))
            try:
                exec(compile(piece.source, "refusals.txt", "exec"), names)
            except Exception as error:
                said = steady(f"{type(error).__name__}: {error}", folder)
                shown.append("".join(f"{line or '<BLANKLINE>'}\n" for line in said))
    return "".join(shown)


@pytest.mark.parametrize("name", PARTS)
def test_what_is_refused_is_as_it_was_approved(name):
    assert refused(name, PARTS[name]).strip() == PARTS[name].strip()


def test_a_sentence_ends_once_and_names_no_flag_of_the_command():
    said = [line for line in FILE.read_text("utf-8").splitlines() if re.match(r"\w+: ", line)]
    assert [line for line in said if re.search(r"(?<!\.)\.\.(?![./])|[?!]\.", line)] == []
    of_python = [line for line in said if not line.startswith("CommandError")]
    assert [line for line in of_python if re.search(r"(?<![\w`-])--[a-z]", line)] == []


if __name__ == "__main__":
    found = [f"# {name}\n{refused(name, part).strip()}\n" for name, part in PARTS.items()]
    FILE.write_text("\n" + "\n".join(found), "utf-8")
