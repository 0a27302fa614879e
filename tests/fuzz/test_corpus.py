"""Files that a coverage-guided fuzzer (Atheris) found to take ways of their own through the readers.

The first byte of each says what the file is and how it is read; the rest is the file.
"""

from functools import partial
from pathlib import Path

import pytest

import thresher as th
from thresher.counts import ConfusionMatrix, RankedLists
from thresher.gate.baseline import load_baseline
from thresher.readers.features import read_features

SUFFIXES = ("csv", "jsonl", "tsv", "csv.gz", "parquet", "json")
HERE = Path(__file__).parent
CORPUS, SAVED, TREC = (sorted((HERE / name).iterdir()) for name in ("corpus", "corpus_saved", "corpus_trec"))
SAVED_FORMS = (th.ScoreTable.load, th.Predictions.load, RankedLists.load, load_baseline)
BETWEEN = b"\xff\xfe\xff"
"""Between the judgements and the results of a file of both."""


def some(paths):
    """Every sixth file as it is, the others in the slow tests: each takes readers of its own, a tenth of a second."""
    return [pytest.param(path, marks=[pytest.mark.slow] if i % 6 else []) for i, path in enumerate(paths)]


def said(error):
    """An error is one sentence or a few."""
    assert 10 < len(str(error)) < 1500
    assert "\n" not in str(error)


def test_there_is_a_corpus():
    assert min(map(len, (CORPUS, SAVED, TREC))) > 10
    assert sum(path.stat().st_size for path in (*CORPUS, *SAVED, *TREC)) < 200_000


@pytest.mark.parametrize("path", some(CORPUS), ids=lambda path: path.name)
def test_a_file_ends_in_an_answer_or_a_sentence(path, tmp_path):
    kind, *_ = content = path.read_bytes()
    file = tmp_path / f"a.{SUFFIXES[kind % len(SUFFIXES)]}"
    file.write_bytes(content[1:])
    value, sentence = read(file, "drop" if kind & 64 else "error")
    assert value is None or 0 <= value <= 1
    assert sentence is None or (10 < len(sentence) < 500 and "\n" not in sentence)
    if kind & 128:
        try:
            found = read_features([str(file)], label="y")
        except th.ThresherError as error:
            said(error)
        else:
            assert {len(column) for column in found.columns.values()} == {len(found.label)}


@pytest.mark.parametrize("path", some(SAVED), ids=lambda path: path.name)
def test_a_saved_form_is_whole_or_refused(path, tmp_path):
    content = path.read_bytes()[1:]
    file = tmp_path / "a.parquet"
    file.write_bytes(content)
    loads = [partial(load, file) for load in SAVED_FORMS]
    for load in [*loads, lambda: ConfusionMatrix.from_json(content.decode("utf-8", "surrogateescape"))]:
        try:
            load()
        except th.ThresherError as error:
            said(error)


@pytest.mark.parametrize("path", some(TREC), ids=lambda path: path.name)
def test_trec_files_end_in_an_answer_or_a_sentence(path, tmp_path):
    judged, _, found = path.read_bytes()[1:].partition(BETWEEN)
    (tmp_path / "q.txt").write_bytes(judged)
    (tmp_path / "r.txt").write_bytes(found)
    try:
        value = th.rank(tmp_path / "q.txt", tmp_path / "r.txt", measures=["map"]).run["map"].value
    except th.ThresherError as error:
        said(error)
    else:
        assert value is None or 0 <= value <= 1


def read(file, missing):
    """The ROC AUC of a file, and why there is none."""
    try:
        found = th.evaluate(file, "p", label="y", missing=missing)["p"].auc
    except th.ThresherError as error:
        return None, str(error)
    return (found.value, None) if found.is_defined else (None, found.reason)
