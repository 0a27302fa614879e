"""Files that a coverage-guided fuzzer (Atheris) found to take ways of their own through the readers.

The first byte of each says what the file is and how missing values are taken; the rest is the file.
"""

from pathlib import Path

import pytest

import thresher as th

SUFFIXES = ("csv", "jsonl", "tsv", "csv.gz", "parquet", "json")
CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())


def test_there_is_a_corpus():
    assert len(CORPUS) > 20
    assert sum(path.stat().st_size for path in CORPUS) < 200_000


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_file_ends_in_an_answer_or_a_sentence(path, tmp_path):
    kind, *_ = content = path.read_bytes()
    file = tmp_path / f"a.{SUFFIXES[kind % len(SUFFIXES)]}"
    file.write_bytes(content[1:])
    value, sentence = read(file, "drop" if kind & 64 else "error")
    assert value is None or 0 <= value <= 1
    assert sentence is None or (10 < len(sentence) < 500 and "\n" not in sentence)


def read(file, missing):
    """The ROC AUC of a file, and why there is none."""
    try:
        found = th.evaluate(file, "p", label="y", missing=missing)["p"].auc
    except th.ThresherError as error:
        return None, str(error)
    return (found.value, None) if found.is_defined else (None, found.reason)
