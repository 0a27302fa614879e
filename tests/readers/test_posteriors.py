"""Posteriors from arrays, dataframes and files are the same rows, whichever way the columns are named."""

import csv

import numpy as np
import pytest

from thresher.examples import load_example
from thresher.readers import load

RNG = np.random.default_rng(3)
P, Q = RNG.dirichlet(np.ones(3), 40), RNG.dirichlet(np.ones(3), 40)
Y = np.array(["red", "green", "blue"])[RNG.integers(0, 3, 40)]
LABELS = ["blue", "green", "red"]
COLUMNS = {
    "id": np.arange(40),
    "color": Y,
    **{f"rf_{c}": P[:, k] for k, c in enumerate(LABELS)},
    **{f"p({c})": Q[:, k] for k, c in reversed(list(enumerate(LABELS)))},
    "site": np.array(["x", "y"])[np.arange(40) % 2],
}


def write_csv(path, columns):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def same(rows, models):
    assert rows.classes == tuple(LABELS)
    assert list(rows.posteriors) == list(models)
    for model, values in models.items():
        assert np.array_equal(rows.posteriors[model], values)


@pytest.mark.parametrize(
    ("given", "models"),
    [
        ("rf_", {"rf": P}),
        ("rf_*", {"rf": P}),
        (["rf_*", "p(<class>)"], {"rf": P, "p": Q}),
        ({"forest": "rf_", "net": "p(*)"}, {"forest": P, "net": Q}),
        (["rf_red", "rf_blue", "rf_green"], {"model": P}),
        ({"forest": ["rf_red", "rf_blue", "rf_green"]}, {"forest": P}),
    ],
)
def test_columns_by_prefix_pattern_and_list(given, models, tmp_path):
    path = write_csv(tmp_path / "rows.csv", COLUMNS)
    from_file = load(path, label="color", probabilities=given, by="site")
    from_dict = load(COLUMNS, label="color", probabilities=given, by="site")
    same(from_file, models)
    same(from_dict, models)
    assert from_file.truth.tolist() == from_dict.truth.tolist()
    assert from_file.by == from_dict.by


def test_stated_order_names_columns_that_say_nothing():
    columns = {"y": Y, "one": P[:, 2], "two": P[:, 0], "three": P[:, 1]}
    names = ["one", "two", "three"]
    rows = load(columns, label="y", probabilities=names, labels=["red", "blue", "green"])
    assert rows.classes == ("red", "blue", "green")
    assert np.array_equal(rows.posteriors["model"], P[:, [2, 0, 1]])


def test_files_of_several_parts_and_a_truth_elsewhere(tmp_path):
    half = {name: values[:20] for name, values in COLUMNS.items()}
    rest = {name: values[20:] for name, values in COLUMNS.items()}
    write_csv(tmp_path / "part-1.csv", half)
    write_csv(tmp_path / "part-2.csv", rest)
    whole = load(COLUMNS, label="color", probabilities="rf_")
    parts = load(str(tmp_path / "part-*.csv"), label="color", probabilities="rf_")
    assert np.array_equal(parts.posteriors["rf"], whole.posteriors["rf"])
    first = load(str(tmp_path / "part-1.csv"), label="color", probabilities="rf_")
    second = load(str(tmp_path / "part-2.csv"), label="color", probabilities="rf_")
    assert first + second == parts
    turned = {name: COLUMNS[name][::-1] for name in ("id", "color")}
    truth = write_csv(tmp_path / "truth.csv", turned)
    only = {name: values for name, values in COLUMNS.items() if name != "color"}
    path = write_csv(tmp_path / "scores.csv", only)
    joined = load(path, label="color", probabilities="rf_", truth=truth, key="id")
    assert np.array_equal(joined.posteriors["rf"], whole.posteriors["rf"])
    assert joined.truth.tolist() == whole.truth.tolist()


def test_an_extra_column_of_the_prefix_is_a_class_without_rows():
    columns = COLUMNS | {"rf_black": np.zeros(40)}
    rows = load(columns, label="color", probabilities="rf_", labels=[*LABELS, "black"])
    assert rows.class_rows.tolist()[-1] == 0


def test_examples_from_file_and_columns(tmp_path):
    from thresher.examples import example_bytes

    (tmp_path / "digits.csv").write_bytes(example_bytes("digits"))
    options = {"label": "digit", "probabilities": ["forest_*", "logistic_*"], "by": "ink", "fold": "fold"}
    file, columns = load(str(tmp_path / "digits.csv"), **options), load(load_example("digits"), **options)
    assert file == columns
    assert file.classes == tuple(range(10))


@pytest.mark.peer
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_dataframes(library, tmp_path):
    made = pytest.importorskip(library)
    make = made.table if library == "pyarrow" else made.DataFrame
    frame = make(COLUMNS)
    same(load(frame, label="color", probabilities=["rf_*", "p(*)"]), {"rf": P, "p": Q})
    if library != "pyarrow":
        matrix = make({c: P[:, k] for k, c in reversed(list(enumerate(LABELS)))})
        same(load(Y, matrix), {"model": P})
    if library == "pandas":
        frame.to_parquet(tmp_path / "rows.parquet")
        same(load(str(tmp_path / "rows.parquet"), label="color", probabilities="rf_"), {"rf": P})
        same(load(Y, made.DataFrame(P)), {"model": P})


@pytest.mark.peer
def test_names_of_two_levels_say_the_class():
    pd = pytest.importorskip("pandas")
    columns = pd.MultiIndex.from_tuples([("p", "b"), ("p", "c"), ("p", "a")])
    frame = pd.DataFrame([[0.2, 0.5, 0.3], [0.25, 0.25, 0.5], [0.8, 0.1, 0.1]], columns=columns)
    rows = load(["c", "a", "b"], probabilities=frame)
    assert rows.classes == ("a", "b", "c")
    assert next(iter(rows.posteriors.values())).tolist() == [[0.3, 0.2, 0.5], [0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]
