"""Every saved form under mutation: what is read back is what stands in the file, or a sentence says why it is not."""

import copy
import json
import math
import os
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher as th
from resampling_definitions import Failing, three_classes, two_classes
from thresher.calibration import fit_map, map_from_json
from thresher.calibration.maps import ClasswiseMap, LogisticMap, PiecewiseMap, TemperatureMap
from thresher.counts import ConfusionMatrix, RankedLists, ScoreTable, saved
from thresher.counts.loss_sums import LossSums
from thresher.decisions import ClassRule, ScoreRule, rule_from_json
from thresher.errors import SavedFormError, ThresherError
from thresher.predictions import Predictions
from thresher.readers import load

SEED = int(os.environ.get("THRESHER_FUZZ_SEED", "1"))
"""The same damage each time, as nothing may land or not by chance; another number looks elsewhere."""

ODD = (
    None, True, False, 0, 1, -1, 2, 7, 2**31, 2**62, 2**64, -(2**70), 0.5, -0.5, 1e308, math.inf, -math.inf, math.nan,
    "", "x", "higher", "lower", "int", "date", "2024-02-30", "inf", "nan", "\ud800", "\x1b[31m", [], {}, [1], [[]],
    ["x"], [None], {"x": 1}, {"kind": "KFold", "fields": {}},
)  # fmt: skip
"""Values that are put in place of those of a form."""


def _pieces() -> tuple[Any, Any]:
    knots = PiecewiseMap(method="isotonic", x=np.array([0.2, 0.6]), y=np.array([0.0, 0.5]))
    return knots, LogisticMap(method="platt", intercept=0.25, slope=1.5)


TEXTS: dict[str, tuple[Any, Callable[[str], Any]]] = {
    "matrix": (ConfusionMatrix(counts=[[9, 2], [1, 8]], labels=("a", "b")), ConfusionMatrix.from_json),
    "weighted": (
        ConfusionMatrix.from_predictions([1, 0, 1], [1, 1, 0], weights=[0.5, 2.0, 1.0]).with_prevalence(0.2),
        ConfusionMatrix.from_json,
    ),
    "losses": (LossSums.of(np.array([0.1, 0.7, np.inf]), np.array([0.3, 2.0, 1.0])), LossSums.from_json),
    "knots": (_pieces()[0], map_from_json),
    "platt": (_pieces()[1], map_from_json),
    "beta": (fit_map([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], method="beta"), map_from_json),
    "temperature": (TemperatureMap(temperature=2.0), map_from_json),
    "threshold": (ScoreRule(upper=np.inf, lower=0.25, labels=("a", 3), score="s", criterion="c"), rule_from_json),
    "costs": (ClassRule(labels=("a", "b"), costs=((0, 1), (5, 0)), name="m"), rule_from_json),
    "class weights": (ClassRule(labels=(1, 2, 3), weights=(0.5, 1, 2)), rule_from_json),
    "classwise": (ClasswiseMap(maps=_pieces(), labels=("x", "y")), map_from_json),
}  # fmt: skip


@cache
def tables() -> dict[str, Any]:
    """Values that are saved as Parquet."""
    y, s = np.array([1, 0, 1, 0, 1]), np.array([0.9, 0.9, 0.4, 0.1, np.inf])
    weights = {"weights": np.array([1.0, 0.5, 2.0, 1.0, 3.0]), "weight_kind": "importance"}
    _, three = three_classes(12)
    failing = th.assess({"f": Failing({1})}, *two_classes(12), method="kfold:3", on_error="skip", progress=False)
    return {
        "table": ScoreTable.from_scores(y, s),
        "weighted table": ScoreTable.from_scores(y, s, **weights, direction="lower"),
        "rows": load(
            {"y": y, "s": s, "g": list("aabba"), "f": [1, 1, 2, 2, 2], **weights},
            ["s"], label="y", by=["g"], fold="f", cluster="g", weights="weights",
        ),
        "posteriors": load(three[:4], probabilities={"m": np.eye(3)[[0, 1, 2, 0]]}, labels=sorted(set(three.tolist()))),
        "lists": RankedLists.from_lists({"q": [2, 0, -1], "p": [], "r": [1]}, {"q": [2, 0, 1], "p": [1], "r": [1]}),
        "assessment": failing,
    }  # fmt: skip


def mutated(form: Any, rng: random.Random) -> Any:
    """Form with one value replaced, one dropped, one doubled, or two exchanged."""
    form = copy.deepcopy(form)
    holders = list(_holders(form))
    inside = rng.choice(holders)
    keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    key = rng.choice(keys)
    how = rng.choice(("replace", "replace", "drop", "double", "exchange"))
    if how == "drop":
        del inside[key]
    elif how == "double" and isinstance(inside, list):
        inside.insert(key, copy.deepcopy(inside[key]))
    elif how == "exchange":
        other = rng.choice(keys)
        inside[key], inside[other] = inside[other], inside[key]
    else:
        inside[key] = rng.choice(ODD)
    return form


def _holders(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def _signed_again(form: dict[str, Any]) -> dict[str, Any]:
    """Form with a checksum that fits, where JSON can write it, so that its fields alone are judged."""
    try:
        return saved.signed(form)
    except ValueError:
        return form


@pytest.mark.parametrize("name", TEXTS)
def test_a_changed_text_is_read_as_it_is_or_refused(name: str) -> None:
    value, read = TEXTS[name]
    rng = random.Random(f"{SEED} {name}")
    print(f"seed {SEED} of {name}")
    whole = json.loads(value.to_json())
    plain = {key: item for key, item in whole.items() if key != "checksum"}
    with pytest.raises(SavedFormError, match="lacks its checksum"):
        read(json.dumps(plain))
    refused = 0
    for _ in range(250):
        try:
            assert read(json.dumps(mutated(whole, rng))) == value
        except SavedFormError:
            refused += 1
        form = mutated(plain, rng)
        try:
            found = read(json.dumps(_signed_again(form)))
        except SavedFormError:
            refused += 1
            continue
        again = json.loads(found.to_json())
        assert {key: again[key] for key in form} == form
    assert refused > 250
    text = value.to_json().encode()
    for _ in range(100):
        broken = bytearray(text)
        broken[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        try:
            assert read(broken.decode("utf-8", "replace")) == value
        except SavedFormError:
            refused += 1


@pytest.mark.parametrize("name", ["table", "weighted table", "rows", "posteriors", "lists", "assessment"])
def test_a_changed_table_is_read_as_it_is_or_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = tables()[name]
    rng = random.Random(f"{SEED} {name}")
    print(f"seed {SEED} of {name}")
    kept: list[tuple[Any, Any]] = []
    monkeypatch.setattr(saved, "write_parquet", lambda _path, columns, form, **_: kept.append((columns, form)))
    value.save("x")
    columns, form = kept[0][0], json.loads(json.dumps(kept[0][1]))
    refused = 0
    for _ in range(250):
        given = ({**columns}, mutated(form, rng)) if rng.random() < 0.5 else (_spoiled(columns, rng), form)
        monkeypatch.setattr(saved, "read_parquet", lambda *_, given=given, **__: given)
        try:
            found = type(value).load("x")
        except ThresherError:
            refused += 1
            continue
        found.save("x")
        known = {"kind": kept[-1][1]["kind"], "schema": kept[-1][1]["schema"]}  # which the reader has checked
        assert json.loads(json.dumps(kept[-1][1])) == {**given[1], **known}
        assert sorted(kept[-1][0]) == sorted(given[0])
        if name != "assessment":  # its rows hold truth, weight and group of each prediction once more
            assert all(np.array_equal(kept[-1][0][key], given[0][key], equal_nan=True) for key in given[0])
    assert refused > 100


def _spoiled(columns: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Columns with one of them dropped, of another type, shorter, or with another value; or with one more."""
    columns = dict(columns)
    name = rng.choice(list(columns))
    array = np.array(columns[name])
    how = rng.choice(("drop", "type", "short", "more", "value", "value", "value"))
    if how == "drop":
        del columns[name]
    elif how == "type":
        columns[name] = np.array([str(x) for x in array.tolist()]) if array.dtype.kind == "b" else array.astype("U9")
    elif how == "short":
        columns = {key: column[:-1] for key, column in columns.items()}
    elif how == "more":
        columns["further"] = array
    elif array.size:
        most = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.inf
        odd = {"f": (np.nan, np.inf, -np.inf, -1.0, 0.0), "b": (True, False)}.get(array.dtype.kind, (most, 0, 1, 2))
        array[rng.randrange(array.size)] = rng.choice(odd)
        columns[name] = array
    return columns


@pytest.mark.parametrize("name", ["table", "rows", "lists", "assessment"])
def test_a_file_of_which_a_byte_is_wrong_is_equal_or_refused(name: str, tmp_path: Path) -> None:
    value = tables()[name]
    path = tmp_path / "x.parquet"
    value.save(path)
    kept, content = parts(value), path.read_bytes()
    assert parts(type(value).load(path)) == kept
    rng = random.Random(f"{SEED} {name}")
    print(f"seed {SEED} of {name}")
    refused = 0
    for _ in range(40):
        broken = bytearray(content)
        broken[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(bytes(broken) if rng.random() < 0.9 else content[: rng.randrange(len(content))])
        try:
            assert parts(type(value).load(path)) == kept
        except SavedFormError:
            refused += 1
    assert refused > 20


def parts(value: Any) -> Any:
    """What is compared of a value."""
    if not isinstance(value, th.Assessment):
        return value
    return value.rows, value.splits, dict(value.judged), value.method, value.level, value.rng, value.notes


def test_folders_and_names_of_files_are_no_part_of_the_values(tmp_path: Path) -> None:
    y, s = [1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]
    table, other = ScoreTable.from_scores(y, s), ScoreTable.from_scores([1, 0], [5.0, 3.0])
    rows = load(y, s)
    folder = tmp_path / "truth=0" / "positive=1" / "score=7"
    folder.mkdir(parents=True)
    table.save(folder / "t.parquet")
    rows.save(folder / "r.parquet")
    assert ScoreTable.load(folder / "t.parquet") == table
    assert Predictions.load(folder / "r.parquet") == rows
    for literal, near in (("p[1].parquet", "p1.parquet"), ("p*.parquet", "pp.parquet"), ("q?.parquet", "q1.parquet")):
        other.save(tmp_path / near)
        table.save(tmp_path / literal)
        assert ScoreTable.load(tmp_path / literal) == table
        assert ScoreTable.load(tmp_path / near) == other


def test_a_null_and_a_sum_too_large_are_refused(tmp_path: Path) -> None:
    import duckdb

    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    table.save(tmp_path / "t.parquet")
    for name, changed in (("null", "NULL::BIGINT"), ("large", "(2**62)::BIGINT")):
        note = json.dumps(_note(tmp_path / "t.parquet", {"large": 2**62}.get(name, 1)))
        query = f"SELECT score, {changed} AS positive, {changed} AS negative FROM '{tmp_path}/t.parquet'"
        options = f"FORMAT parquet, KV_METADATA {{thresher: '{note}'}}"
        duckdb.sql(f"COPY ({query}) TO '{tmp_path}/{name}.parquet' ({options})")
    with pytest.raises(SavedFormError, match=r"column 'positive' is empty in row 0"):
        ScoreTable.load(tmp_path / "null.parquet")
    with pytest.raises(SavedFormError, match=r"add up to more than 2\*\*63"):
        ScoreTable.load(tmp_path / "large.parquet")


def _note(path: Path, count: int) -> dict[str, Any]:
    """Metadata of a file of which every count is another one, so that its numbers alone are judged."""
    columns, form = saved.read_parquet(path, "thresher.ScoreTable", 2)
    changed = {name: column if name == "score" else np.full_like(column, count) for name, column in columns.items()}
    return saved.signed(form, changed)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no/t.parquet", "cannot be written: No such file or directory"),
        (".", "cannot be written: Is a directory"),
        ("t.csv", "a thresher.ScoreTable is saved as Parquet, so name the file t.parquet"),
        ("t.json", "so name the file t.parquet"),
    ],
)
def test_where_it_cannot_be_saved_is_said(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SavedFormError, match=said):
        ScoreTable.from_scores([1, 0], [0.9, 0.1]).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["text", "null", "[" * 10**5, '{"a":' * 10**5, "1" * 5000, '{"kind": 1, "kind": 2}'])
def test_text_that_is_no_form_is_refused_everywhere(text: str) -> None:
    for _, read in TEXTS.values():
        with pytest.raises(SavedFormError, match=r"^this is not? (a )?saved"):
            read(text)
