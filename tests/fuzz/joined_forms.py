"""A mixed table in two tables that a key joins, one row a key or one a key and model, and the answer of each join."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th
from fuzz.input_forms import FILES, FRAMES, Read, answer_of, options_of
from fuzz.mixed_tables import Column, Mixed
from fuzz.plain_answer import Answer

KEYS: tuple[Callable[[int], Any], ...] = (int, lambda i: f"1.{i}", lambda i: f"{i:03d}", lambda i: f"é {i}")
"""Keys that no two rows share; as numbers some would be one."""
FORMS = (*FILES, *(name for name in FRAMES if name not in ("duckdb", "polars, lazy", "polars, enum")))
"""What a join takes: files, and frames that are not lazy."""


def joins(seed: int) -> Mapping[str, Read]:
    """Joins of a table, of which the seed draws the forms, the keys and the columns that stand with the truth."""
    rng = np.random.default_rng([seed, 1])
    found: dict[str, Read] = {}
    for shape in ("", "", "", "long "):
        one, other = (str(form) for form in rng.choice(FORMS, 2))
        found[f"{shape}{one} joined with {other}"] = _joined(one, other, int(rng.integers(2**31)), is_long=bool(shape))
    return found


def _joined(one: str, other: str, seed: int, *, is_long: bool) -> Read:
    def read(table: Mixed, folder: Path) -> Answer:
        rng = np.random.default_rng(seed)
        puts_below = is_long and len({type(table.columns[model][0]) for model in table.models}) == 1
        n = len(table.columns["label"])
        keys: Column = list(map(KEYS[rng.integers(len(KEYS))], range(n)))
        apart = [name for name in table.columns if name == "label" or (name not in table.models and rng.random() < 0.5)]
        rest = {name: values for name, values in table.columns.items() if name not in apart}
        truth = _shuffled({"id": keys} | {name: table.columns[name] for name in apart}, rng)
        judged: dict[str, Any] = {"predicted" if table.is_labels else "scores": list(table.models)}
        if puts_below:
            rest, judged = _one_a_model(table, rest), {next(iter(judged)): "said", "model_column": "model"}
            keys = keys * len(table.models)
        given = {"label": "label", **judged, "key": "id", **options_of(table)}
        models = ("said",) if puts_below else table.models
        data = _written(replace(table, columns={"id": keys} | rest, models=models), one, folder / "predictions")
        there = _written(replace(table, columns=truth), other, folder / "truth")
        return answer_of(table, th.evaluate(data, truth=there, **given))

    return read


def _one_a_model(table: Mixed, columns: Mapping[str, Column]) -> dict[str, Column]:
    """Columns with the rows of one model below those of another."""
    shared = {name: values * len(table.models) for name, values in columns.items() if name not in table.models}
    said = [value for model in table.models for value in columns[model]]
    n = len(said) // len(table.models)
    return {"model": [model for model in table.models for _ in range(n)], "said": said, **shared}


def _shuffled(columns: Mapping[str, Column], rng: np.random.Generator) -> dict[str, Column]:
    order = rng.permutation(len(columns["id"]))
    return {name: [values[i] for i in order] for name, values in columns.items()}


def _written(table: Mixed, form: str, folder: Path) -> Any:
    """The table in a form: a frame, or the path of a file."""
    if form in FRAMES:
        return FRAMES[form](table)
    folder.mkdir(exist_ok=True)
    (folder / form).write_bytes(FILES[form](table))
    return folder / form
