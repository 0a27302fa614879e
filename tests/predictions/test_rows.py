"""`Predictions` and `Categories` as values: taking, adding, pickling, saving."""

import datetime
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shares import examples
from thresher.errors import SavedFormError
from thresher.predictions import Categories, Predictions
from thresher.readers import load

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ill", "well"]),
        st.floats(allow_nan=False),
        st.sampled_from(["u", "v", "w"]),
        st.floats(0.5, 3),
    ),
    min_size=1,
    max_size=20,
)


def made(data):
    label, score, site, weight = zip(*data, strict=True)
    options = {"by": {"site": list(site)}, "fold": list(site), "weights": list(weight), "positive": "ill"}
    if set(label) == {"well"}:
        options["positive"] = "ill"
    rows = load(list(label), {"a": list(score), "b": list(score)[::-1]}, **options)
    return rows if rows.classes == ("well", "ill") else None


def as_lists(rows):
    site = [rows.by["site"].values[code] for code in rows.by["site"].codes]
    return list(zip(rows.truth.tolist(), rows.scores["a"].tolist(), site, rows.weights.tolist(), strict=True))


@given(ROWS, ROWS, ROWS)
def test_adding_puts_rows_one_after_the_other(first, second, third):
    a, b, c = map(made, (first, second, third))
    if a is None or b is None or c is None:
        return
    assert as_lists(a + b) == as_lists(a) + as_lists(b)
    assert as_lists((a + b) + c) == as_lists(a + (b + c))
    assert (a + Predictions.empty()) == a == (Predictions.empty() + a)
    assert (a + b).notes == tuple(dict.fromkeys(a.notes + b.notes))


@given(ROWS, st.data())
def test_taking_rows_by_mask_index_or_slice(data, draw):
    rows = made(data)
    if rows is None:
        return
    n = len(rows)
    mask = np.array(draw.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    index = draw.draw(st.lists(st.integers(0, n - 1), max_size=30))
    everything = as_lists(rows)
    assert as_lists(rows.take(mask)) == [row for row, keep in zip(everything, mask, strict=True) if keep]
    assert as_lists(rows.take(np.array(index, dtype=int))) == [everything[i] for i in index]
    assert as_lists(rows.take(slice(None, None, 2))) == everything[::2]
    assert rows.take(mask).classes == rows.classes


def test_a_part_of_one_class_is_added_to_one_of_both():
    """Its other class is called "not ill", 0 or as the text of an option spells it, for want of a row."""
    ill = load(["ill", "ill"], {"m": [1, 2]}, positive="ill")
    both = load(["well", "ill"], {"m": [3, 4]}, positive="ill")
    for found in (ill + both, both + ill):
        assert found.classes == ("well", "ill")
        assert sorted(found.truth.tolist()) == [0, 1, 1, 1]
    assert (load([1], {"m": [1]}) + load([-1, 1], {"m": [1, 2]})).classes == (-1, 1)
    assert (load([0], {"m": [1]}, positive="5") + load([0, 5], {"m": [1, 2]}, positive="5")).classes == (0, 5)
    judged = load(["ill"], predicted=["not ill"], positive="ill") + load(["ill"], predicted=["ill"], positive="ill")
    assert judged.classes == ("not ill", "ill")


def test_categories_are_united_by_value():
    both = Categories.of(["b", "a"]) + Categories.of(["c", "a"])
    assert [both.values[code] for code in both.codes] == ["b", "a", "c", "a"]
    assert both.values == ("a", "b", "c")


def test_a_copy_through_pickle_is_equal_and_frozen():
    rows = load(["x", "y"], {"m": [1, 2]}, positive="x", by=["u", "v"], weights=[1, 2], predicted={"m": ["x", "x"]})
    copy = pickle.loads(pickle.dumps(rows))
    assert copy == rows
    assert not copy.truth.flags.writeable
    assert not copy.scores["m"].flags.writeable
    assert not copy.by["group"].codes.flags.writeable


@settings(max_examples=examples(25))
@given(ROWS)
def test_the_saved_form_gives_the_same_value(tmp_path_factory, data):
    rows = made(data)
    if rows is None:
        return
    path = tmp_path_factory.mktemp("saved") / "it's.parquet"
    rows.save(path)
    assert Predictions.load(path) == rows


def test_labels_of_every_type_are_saved_with_it(tmp_path):
    day = [datetime.date(2024, 5, 1), datetime.date(2024, 5, 2)]
    for labels, positive in [([True, False], True), ([0, 1], 1), (["a", "b"], "b"), ([0.5, 1.5], 0.5), (day, day[0])]:
        rows = load(labels, predicted=labels, positive=positive, by=labels, cluster=labels)
        rows.save(tmp_path / "x.parquet")
        again = Predictions.load(tmp_path / "x.parquet")
        assert again == rows
        assert [type(a) for a in again.classes] == [type(a) for a in rows.classes]


def test_a_saved_form_that_is_none_is_told(tmp_path):
    import duckdb

    path = tmp_path / "x.parquet"
    duckdb.sql("SELECT 1 AS truth").write_parquet(str(path))
    with pytest.raises(SavedFormError, match="not a saved"):
        Predictions.load(path)
    load([0, 1], [1, 2]).save(path)
    form = json.loads(bytes(duckdb.sql(f"SELECT value FROM parquet_kv_metadata('{path}')").fetchall()[0][0]))
    assert form["schema"] == 1
    plain = {name: value for name, value in form.items() if name != "checksum"}
    changes = [(form, {"schema": 2}, "schema 2, which cannot be read"), (plain, {}, "lacks its checksum")]
    for was, change, said in [*changes, (form, {"scores": ["renamed"]}, "its checksum does not fit")]:
        note = f"KV_METADATA {{thresher: '{json.dumps(was | change)}'}}"
        duckdb.sql(f"COPY (SELECT * FROM '{path}') TO '{tmp_path}/z.parquet' (FORMAT parquet, {note})")
        with pytest.raises(SavedFormError, match=said):
            Predictions.load(tmp_path / "z.parquet")


def test_the_text_form_says_what_the_rows_hold():
    rows = load([1, 0, 1], {"m": [1, 2, 3]}, predicted={"k": [1, 1, 1]}, weights=[1, 2, 3], by={"site": list("abc")})
    assert repr(rows) == (
        "Predictions(3 rows, 2 1 (positive), 1 0; scores m; labels predicted by k; importance weights; by site)"
    )
    assert repr(load(list("abc"), predicted=list("abc"))).startswith("Predictions(3 rows, 3 classes;")
    assert rows.models == ("m", "k")
