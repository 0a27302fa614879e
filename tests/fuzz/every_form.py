"""Read random tables in every form, and print each seed and form first, as a form may end the process.

`python -m fuzz.every_form FIRST COUNT` prints `seed form` lines, and `! …` below one whose answer is wrong.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from fuzz.input_forms import forms
from fuzz.joined_forms import joins
from fuzz.mixed_tables import drawn_mixed
from fuzz.plain_answer import differences, plain_answer


def main(first: int, count: int, folder: Path) -> None:
    """Hold what each form of each table comes to against the plain answer."""
    for seed in range(first, first + count):
        table = drawn_mixed(np.random.default_rng(seed))
        wanted = plain_answer(table)
        for name, read in {**forms(table, seed), **joins(seed)}.items():
            print(seed, name, flush=True)
            try:
                found = differences(read(table, folder), wanted)
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
            for each in found[:3]:
                print("!", " ".join(each.split()), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        main(int(sys.argv[1]), int(sys.argv[2]), Path(place))
