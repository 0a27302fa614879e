"""Labels, scores and predictions of rows with several labels from files, against the same rows from arrays."""

import csv

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, OptionError

RNG = np.random.default_rng(3)
LABELS = ["news", "sport", "arts"]
TRUTH = (RNG.random((60, 3)) < [0.6, 0.4, 0.3]).astype(int)
SCORES = np.clip(0.4 * TRUTH + 0.6 * RNG.random((60, 3)), 0, 1).round(3)
WEIGHTS = 1 + np.arange(60) % 3


def written(path, truth=TRUTH, scores=SCORES, names=LABELS):
    head = [f"tag_{n}" for n in names] + [f"net_{n}" for n in reversed(names)] + [f"said_{n}" for n in names]
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*head, "site", "w"])
        for i, row in enumerate(truth):
            out.writerow([*row, *scores[i][::-1], *(scores[i] >= 0.3).astype(int), "ab"[i % 2], WEIGHTS[i]])
    return path


def expected(**more):
    decided = (SCORES >= 0.3).astype(int)
    return th.evaluate(TRUTH, {"net": SCORES}, labels=LABELS, predicted={"said": decided}, weights=WEIGHTS, **more)


def same(found, want):
    assert list(found) == list(want)
    for name in want:
        for key, estimate in want[name].measures.items():
            assert found[name].measures[key].value == pytest.approx(estimate.value, abs=0, nan_ok=True), (name, key)


@pytest.mark.parametrize("label", ["tag_*", ["tag_*"], ["tag_<class>"], ["tag_news", "tag_sport", "tag_arts"]])
def test_a_file_is_read_as_the_arrays_are(tmp_path, label):
    path = written(tmp_path / "rows.csv")
    options = {"label": label, "predicted": ["said_*"], "weights": "w", "by": "site"}
    found = th.evaluate(path, scores="net_", **options)
    assert found.predictions.classes == tuple(LABELS)
    assert found.predictions.task == "multilabel"
    same(found, expected())
    same(found.groups["a"], expected(by={"site": np.array(list("ab") * 30)}).groups["a"])
    same(th.evaluate(str(path), probabilities={"net": "net_*"}, **options), expected())


TABLE = {"tag_a": [1, 0, 1], "tag_b": [0, 1, 1], "net_a": [0.3, 0.2, 0.5], "net_b": [0.1, 0.2, 0.9]}
ROLES = {"label": ["tag_a", "tag_b"], "scores": {"net": ["net_a", "net_b"]}}


def test_a_column_with_a_star_in_its_name_is_one_label():
    assert th.evaluate({"y*": [1, 0, 1], "s": [0.9, 0.2, 0.4]}, label="y*", scores="s").predictions.label == "y*"


def test_columns_that_are_called_by_numbers():
    numbered = dict(enumerate(TABLE.values()))
    found = th.evaluate(numbered, label=["0", "1"], scores={"net": ["2", "3"]})
    same(found, th.evaluate(TABLE, **ROLES))


def test_texts_of_0_and_1_are_labels_of_a_dataframe_as_of_a_file():
    texts = TABLE | {"tag_b": ["0", "1", "1"]}
    same(th.evaluate(texts, **ROLES), th.evaluate(TABLE, **ROLES))


def test_scores_of_truth_values_are_noted_and_labels_of_them_are_not():
    found = th.evaluate(TABLE | {"net_b": [True, False, True], "tag_b": [False, True, True]}, **ROLES)
    assert [note for note in found.predictions.notes if "true or false" in note] == [
        "The score 'net_b' is true or false and is read as 1 and 0."
    ]


def test_parquet_and_several_files_and_truth_values(tmp_path):
    truth = np.where(TRUTH == 1, "True", "false")
    options = {"label": ["tag_*"], "scores": ["net_*"], "predicted": ["said_*"], "weights": "w"}
    same(th.evaluate(written(tmp_path / "words.csv", truth), **options), expected())
    duckdb = pytest.importorskip("duckdb")
    source = written(tmp_path / "rows.csv")
    duckdb.sql(f"COPY (FROM read_csv('{source}')) TO '{tmp_path / 'rows.parquet'}'")
    same(th.evaluate(tmp_path / "rows.parquet", **options), expected())
    halves = [written(tmp_path / f"{k}.csv", TRUTH[r], SCORES[r]) for k, r in enumerate((slice(30), slice(30, 60)))]
    same(th.evaluate([str(half) for half in halves], **options), expected())  # 30 is a multiple of the weights' cycle


@pytest.mark.parametrize("label", ["tag_*", ["tag_*"]])
def test_a_dataframe_takes_a_pattern_too(label):
    data = {f"tag_{n}": TRUTH[:, k] for k, n in enumerate(LABELS)} | {
        f"net_{n}": SCORES[:, k] for k, n in enumerate(LABELS)
    }
    found = th.evaluate(data, label=label, scores="net_")["net"]
    assert found.macro_auc.value == th.evaluate(TRUTH, {"net": SCORES})["net"].macro_auc.value


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"label": ["tag_news", "tag_art"], "scores": "net_"}, "no column 'tag_art'. Did you mean 'tag_arts'"),
        (
            {"label": ["tag_news", "tag_arts"], "scores": ["net_news", "net_sport", "net_arts"]},
            "2 labels (tag_news, tag_arts)",
        ),
        ({"label": ["tag_*", "site"], "scores": "net_"}, "one pattern such as 'tag_*'"),
        ({"label": ["tag_*"], "scores": "net_", "weights": "net_arts"}, "there are 3 labels"),
        ({"label": ["tag_*"], "scores": ["net_news", "tag_sport", "net_arts"]}, "'tag_sport' is named twice"),
        ({"label": ["tag_arts", "tag_arts"], "scores": "net_"}, "'tag_arts' is named twice: for the labels."),
        ({"label": ["tag_*"], "scores": "net_", "by": "tag_arts"}, "there are 2 labels"),
        ({"label": ["tag_*"], "scores": "net_", "truth": "x.csv", "key": "id"}, "not for several label columns"),
        ({"label": ["tag_*"]}, "nothing to judge"),
        ({"label": ["tag_*"], "scores": "nett_*"}, "columns of scores named 'nett_*', one for every label"),
        ({"label": ["tag_*"], "scores": "net_news"}, "one for every label: 'net_news' is one column alone"),
        ({"label": ["tug_*"], "scores": "net_"}, "columns of labels named 'tug_*'"),
        ({"label": ["tag_*"], "predicted": "told_"}, "columns of predictions named 'told_*'"),
        ({"label": ["tag_*"], "scores": "net_", "positive": 1}, "not for a multilabel task"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path, options, said):
    with pytest.raises((InputError, OptionError)) as error:
        th.evaluate(written(tmp_path / "rows.csv"), **options)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("bad", "said"),
    [("2", "holds 2 in row 8"), ("yes", "'yes' in row 8"), ("", "'tag_sport' of the labels is empty in row 8")],
)
def test_a_label_that_is_neither_0_nor_1_names_its_row(tmp_path, bad, said):
    truth = TRUTH.astype(object)
    truth[7, 1] = bad
    path = written(tmp_path / "rows.csv", truth)
    with pytest.raises(InputError, match=said):
        th.evaluate(path, label=["tag_*"], scores="net_")
    if not bad:
        dropped = th.evaluate(path, label=["tag_*"], scores="net_", missing="drop")
        assert (dropped.n, dropped.predictions.dropped) == (59, 1)
